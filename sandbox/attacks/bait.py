"""What is laid out on the host for hostile programs: secrets to find, files to spoil, listeners to reach.

All of it is removed again. Method: own.
"""

import os
import secrets
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

VARIABLE = "TASKFOUNDRY_ATTACK_SECRET"
_PLACES = (Path("/tmp"), Path("/var/tmp"))  # noqa: S108  # the point is that everybody may write there
_UNROUTED = ("10.0.2.2", "172.17.0.1", "169.254.169.254")
"""Where a virtual machine or a container finds its host, and a cloud its metadata."""
_SEARCHED = """/ /boot /dev /dev/shm /etc /home /lib /media /mnt /opt /opt/python /opt/python/bin /opt/python/lib
/opt/runner /opt/java /opt/go /opt/cpp /proc /proc/sys/kernel /root /run /run/lock /srv /sys /sys/fs/cgroup /tmp /usr
/usr/bin /usr/lib /usr/local/bin /usr/share /var /var/lib /var/tmp /proc/1/root/tmp /proc/1/cwd"""
FOLDERS = tuple(_SEARCHED.split())
"""Where programs try to make files, and where the host looks for them."""


class Listeners:
    """Everything that may be reached from inside: TCP and UDP on every address, and local sockets."""

    def __init__(self, folder: Path, mark: str) -> None:
        self._tcp = socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True)
        self.port: int = self._tcp.getsockname()[1]
        self._udp = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        self._udp.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        self._udp.bind(("::", self.port))
        self.local = (str(folder / "socket"), f"@{mark}")
        self._local = [_listen_locally(name) for name in self.local]
        (folder / "socket").chmod(0o777)
        for each in (self._tcp, self._udp, *self._local):
            each.settimeout(0)

    def targets(self) -> tuple[str, ...]:
        """Return what programs are told to reach: kind, address and port."""
        addresses = dict.fromkeys(("127.0.0.1", "::1", *_own_addresses(), *_UNROUTED))
        inet = [f"{kind} {address} {self.port}" for kind in ("tcp", "udp") for address in addresses]
        return (*inet, *(f"unix {name} 0" for name in self.local))

    def count(self) -> int:
        """Return how many connections and datagrams came since the last call."""
        count = 0
        for listener in (self._tcp, *self._local):
            with suppress(BlockingIOError):
                while True:
                    listener.accept()[0].close()
                    count += 1
        with suppress(BlockingIOError):
            while True:
                self._udp.recv(1)
                count += 1
        return count

    def close(self) -> None:
        """Stop listening."""
        for each in (self._tcp, self._udp, *self._local):
            each.close()


def _listen_locally(name: str) -> socket.socket:
    made = socket.socket(socket.AF_UNIX)
    made.bind(f"\0{name[1:]}" if name.startswith("@") else name)
    made.listen()
    return made


def _own_addresses() -> tuple[str, ...]:
    """Return this machine's addresses as far as they can be had without a packet being sent."""
    found = set()
    for family, far in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        with socket.socket(family, socket.SOCK_DGRAM) as asked, suppress(OSError):
            asked.connect((far, 9))
            found.add(asked.getsockname()[0])
    with suppress(OSError):
        found |= {str(info[4][0]) for info in socket.getaddrinfo(socket.gethostname(), None)}
    return tuple(sorted(found))


@dataclass(frozen=True, slots=True, kw_only=True)
class Bait:
    """What is laid out."""

    mark: str
    """A random word that is in every name."""
    secret: str
    """What no output may hold."""
    secret_paths: tuple[Path, ...]
    """Where it stands: files, and the environment and the command line of a process of ours."""
    canaries: tuple[Path, ...]
    """Files that must stay as they are."""
    listeners: Listeners

    def canary_text(self) -> bytes:
        """Return what every canary holds."""
        return f"canary {self.mark}\n".encode()

    def spoilt(self) -> tuple[str, ...]:
        """Return what has changed on the host: canaries that aren't as they were, and files that weren't there."""
        changed = [str(path) for path in self.canaries if not self._is_whole(path)]
        made = [f"{folder}/{self.mark}" for folder in FOLDERS if os.path.lexists(f"{folder}/{self.mark}")]
        return (*changed, *made)

    def _is_whole(self, path: Path) -> bool:
        try:
            return path.read_bytes() == self.canary_text() and path.stat().st_mode & 0o7777 == 0o666
        except OSError:
            return False


@contextmanager
def lay_out_bait() -> Iterator[Bait]:
    """Give what programs are tempted with, and remove it at the end."""
    mark, secret = f"attack-{secrets.token_hex(8)}", f"secret-{secrets.token_hex(16)}"
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=f"{mark}-")))
        folder.chmod(0o755)
        places = (*_PLACES, Path.home())
        files = tuple(place / f"{mark}.secret" for place in dict.fromkeys((*places, *_own_folder())))
        closed = (folder / "closed", Path.home() / f"{mark}.closed")
        canaries = tuple(place / f"{mark}.canary" for place in places)
        stack.callback(_remove, (*files, *closed, *canaries))
        _remember(stack, secret)
        for path in (*files, *closed, folder / "secret"):
            path.write_text(secret)
        for path in closed:
            path.chmod(0o600)
        keeper = stack.enter_context(_keeper_of(secret, folder))
        listeners = Listeners(folder, mark)
        stack.callback(listeners.close)
        about = tuple(Path(f"/proc/{process}/{part}") for process in keeper for part in ("environ", "cmdline"))
        paths = (*files, *closed, folder / "secret", Path(f"/proc/{keeper[0]}/cwd/secret"), *about)
        bait = Bait(mark=mark, secret=secret, secret_paths=paths, canaries=canaries, listeners=listeners)
        for path in canaries:
            path.write_bytes(bait.canary_text())
            path.chmod(0o666)
        yield bait


def _own_folder() -> tuple[Path, ...]:
    """Return the folder that we are in, if a file can be made there."""
    return (Path.cwd(),) if os.access(".", os.W_OK) else ()


def _remember(stack: ExitStack, secret: str) -> None:
    """Put the secret into our own environment, which no sandbox may pass on."""
    os.environ[VARIABLE] = secret
    stack.callback(os.environ.pop, VARIABLE, None)


@contextmanager
def _keeper_of(secret: str, folder: Path) -> Iterator[tuple[int, int]]:
    """Start a process with the secret in environment, command line and folder; give its id and ours."""
    argv = [sys.executable, "-I", "-c", "import sys; sys.stdin.read()", secret]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, cwd=folder, env={VARIABLE: secret}) as keeper:
        yield keeper.pid, os.getpid()
        assert keeper.stdin is not None
        keeper.stdin.close()


def _remove(paths: tuple[Path, ...]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)
