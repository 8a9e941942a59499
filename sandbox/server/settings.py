"""How the service is set up. Method: own."""

import ipaddress
import math
from dataclasses import dataclass
from pathlib import Path

from sandbox.packages import Packages
from schemas.errors import ConfigError

_MIB = 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """What the service is told at start.

    Raises:
        ConfigError: a public address without a token, or a number out of range.
    """

    host: str = "127.0.0.1"
    port: int = 8080
    token: str = ""
    """What a request must bear; empty asks for none, which only a loopback address may do."""
    concurrency: int = 2
    """Requests that are worked on at once."""
    waiting: int = 128
    """Requests that may wait for their turn; one more is turned away with 429."""
    wait_s: float = 60.0
    """Seconds that a request may wait."""
    most_body_mb: float = 16.0
    """MiB of the largest request."""
    most_memory_mb: int = 4096
    """MiB of the largest ``memory_limit_MB`` that a request is given."""
    most_timeout_s: float = 120.0
    """Seconds of the largest ``run_timeout`` and ``compile_timeout`` that a request is given."""
    most_request_s: float = 600.0
    """Seconds that one request may be worked on; then it gets no verdict."""
    sessions: int = 32
    """Sessions of remote clients that may be open at once; one more is turned away with 429."""
    session_idle_s: float = 1800.0
    """Seconds without a word from its client after which a session ends."""
    most_session_s: float = 7200.0
    """Seconds that a session may be open, whatever is done in it; its client begins another one."""
    most_processes: int = 4096
    """Processes of the largest limit that a session is given."""
    allow_network: bool = False
    """Whether a session may have a network when its job asks for one."""
    cache_mb: float = 4096.0
    """MiB of what clients have sent for their jobs that is kept on disk."""
    dataset: Path | None = None
    """Folder with the trees of repository tasks."""
    packages: Packages | None = None
    """What Python programs of requests may import beside the standard library."""
    audit: Path | None = None
    """File to which one line of JSON is added for every request; None keeps no log."""

    def __post_init__(self) -> None:
        if not self.token and not is_loopback(self.host):
            raise ConfigError(
                f"{self.host} can be reached from other machines, and no token is set. Set TASKFOUNDRY_TOKEN, give "
                "--token-file, or bind to 127.0.0.1"
            )
        if self.concurrency < 1 or self.waiting < 0 or self.wait_s <= 0 or self.most_body_mb <= 0:
            raise ConfigError("concurrency, waiting, wait_s and most_body_mb must be positive")
        if self.sessions < 1 or self.session_idle_s <= 0 or self.cache_mb <= 0:
            raise ConfigError("sessions, session_idle_s and cache_mb must be positive")
        if not (0 < self.most_request_s < math.inf and 0 < self.most_session_s < math.inf):
            raise ConfigError("most_request_s and most_session_s must be positive and finite")
        if self.dataset is not None and not self.dataset.is_dir():
            raise ConfigError(f"dataset: {self.dataset} is no folder; name the output folder of a build")

    @property
    def most_body_bytes(self) -> int:
        """Bytes of the largest request."""
        return int(self.most_body_mb * _MIB)


def is_loopback(host: str) -> bool:
    """Return whether only this machine reaches an address; a name other than ``localhost`` counts as public."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
