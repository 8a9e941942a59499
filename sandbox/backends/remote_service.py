"""A service elsewhere as its clients reach it: its address, what it says of itself, and connections to it.

Used by `sandbox.backends.remote`. Method: own.
"""

import http.client
import json
import ssl
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import urlsplit

from sandbox.backends.vm.link import Connection
from schemas.errors import ConfigError, SandboxError

_CALL_S = 20.0
_MOST_BYTES = 1 << 16
_SCHEMES = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}
_REFUSED = (401, 403)
_BUSY = 429
_BROKEN = 500
_Value = TypeVar("_Value")


class BusyError(SandboxError):
    """Every session of the service is taken; one may come free."""


class AwayError(SandboxError):
    """The service can't be reached; it may be starting."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What a service says of itself."""

    backend: str
    isolation: str
    version: str
    limits_enforced: tuple[str, ...]
    slowdown: float
    python: str
    """Major and minor version, of the interpreter inside as well."""
    protocol: int
    most_message_bytes: int


class Service:
    """The address of a service and the token for it.

    Args:
        url: ``http://host:port`` or ``https://...``, with a path if it stands behind one.

    Raises:
        ConfigError: the address is none.
    """

    def __init__(self, url: str, token: str) -> None:
        parts = urlsplit(url)
        try:
            is_address = parts.scheme in _SCHEMES and bool(parts.hostname) and parts.port != 0
        except ValueError:
            is_address = False
        if not is_address or parts.username is not None or parts.query or parts.fragment:
            raise ConfigError(
                f"TASKFOUNDRY_REMOTE_URL is {_conceal(url)!r}; expected http://host:port or https://host, and the "
                "token in TASKFOUNDRY_TOKEN"
            )
        if not token.isascii() or any(letter.isspace() for letter in token):
            raise ConfigError("the token for the remote sandbox has blanks or letters that no header may hold")
        self._token = token
        wire = _SCHEMES[parts.scheme]
        place = f"{parts.netloc}{parts.path.rstrip('/')}"
        self.url = f"{'https' if wire == 'wss' else 'http'}://{place}"
        self._socket_url = f"{wire}://{place}/sandbox"
        self._ssl = ssl.create_default_context() if wire == "wss" else None

    def describe(self) -> Description:
        """Return what the service says of itself.

        Raises:
            ConfigError: it isn't one, or doesn't take the token.
            AwayError: it can't be reached.
        """
        request = urllib.request.Request(f"{self.url}/capability")  # noqa: S310  # the scheme is checked
        for name, value in self._headers().items():
            request.add_unredirected_header(name, value)
        try:
            with urllib.request.urlopen(request, timeout=_CALL_S, context=self._ssl) as answer:  # noqa: S310
                said = answer.read(_MOST_BYTES)
        except urllib.error.HTTPError as error:
            raise self._explain_status(error.code) from error
        except (OSError, http.client.HTTPException) as error:
            raise self._away(error) from error
        try:
            return _read_description(json.loads(said))
        except (ValueError, TypeError) as error:
            raise ConfigError(
                f"what answers at {self.url} is no taskfoundry service of this version: {error}"
            ) from error

    def connect(self, *, most_bytes: int) -> Connection:
        """Return a connection for one session.

        Args:
            most_bytes: of a message that the service takes.

        Raises:
            ConfigError: it doesn't take the token, or isn't a service.
            BusyError: all its sessions are taken.
            AwayError: it can't be reached.
        """
        try:
            from sandbox.backends.remote_socket import ConnectError, open_connection  # noqa: PLC0415 - an optional dependency
        except ModuleNotFoundError as error:
            raise ConfigError(f"{error.name} isn't installed; install taskfoundry[remote]") from error
        try:
            return open_connection(self._socket_url, self._headers(), self._ssl, most_bytes=most_bytes)
        except ConnectError as error:
            raise self._explain_status(error.status) from error
        except OSError as error:
            raise self._away(error) from error

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._token}"} if self._token else {}

    def _explain_status(self, status: int) -> ConfigError | SandboxError:
        if status in _REFUSED:
            given = "the token that it was given" if self._token else "requests without a token"
            return ConfigError(f"the service at {self.url} refuses {given}; set TASKFOUNDRY_TOKEN to the service's own")
        if status == _BUSY:
            return BusyError(f"the service at {self.url} is busy: all its sessions are taken")
        if status >= _BROKEN:
            return AwayError(f"the service at {self.url} can't be had at the moment: it answers {status}")
        return ConfigError(f"what answers {status} at {self.url} is no taskfoundry service with remote sessions")

    def _away(self, error: BaseException) -> AwayError:
        words = getattr(error, "reason", None) or error
        return AwayError(f"the service at {self.url} can't be reached: {words or type(error).__name__}")


def _read_description(said: object) -> Description:
    if not isinstance(said, dict):
        raise TypeError("its answer is no object")
    return Description(
        backend=_take(said, "backend", str),
        isolation=_take(said, "isolation", str),
        version=_take(said, "version", str),
        limits_enforced=tuple(str(name) for name in _take(said, "limits_enforced", list)),
        slowdown=float(_take(said, "slowdown", float)),
        python=_take(said, "python", str),
        protocol=_take(said, "protocol", int),
        most_message_bytes=_take(said, "most_message_bytes", int),
    )


def _take(said: dict[str, object], name: str, kind: type[_Value]) -> _Value:
    value = said.get(name)
    if not isinstance(value, kind):
        raise TypeError(f"{name} is {value!r}")
    return value


def _conceal(url: str) -> str:
    """Return an address without what may be a password."""
    before, at, after = url.rpartition("@")
    return f"***@{after}" if at and before else url
