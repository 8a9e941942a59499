"""One Firecracker process: jailed, started in a folder of its own, configured over its API, and killed.

Method: own, after Firecracker's ``docs/jailer.md``.
"""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path

from sandbox.backends.bubblewrap import find_bubblewrap
from sandbox.backends.entry import SANDBOX_ID
from sandbox.backends.firecracker_api import Api, connect_vsock
from sandbox.backends.launcher import start_process
from sandbox.backends.leftovers import make_folder, remove_folder
from sandbox.backends.vm.console import Console
from sandbox.backends.vm.link import Link
from sandbox.backends.vm.sparse import copy_sparsely
from sandbox.backends.vm.toolchains import CAPACITY
from schemas.errors import SandboxError

PORT = 5000
"""At which the agent listens in the guest."""
VSOCK = "v.sock"
_SOCKET = "api.sock"
_API_S = 60.0
_DEATH_S = 60.0
_serial = count()


class FirecrackerMachine:
    """A Firecracker process in a folder of its own, without a machine yet.

    Args:
        program: the ``firecracker`` binary.
        jailer: the ``jailer`` binary; ``None`` starts Firecracker without it.
        files: what lies in its folder, by name; ``None`` stands for a disk without anything.

    Raises:
        SandboxError: it doesn't start.
    """

    def __init__(self, program: Path, jailer: Path | None, files: Mapping[str, Path | None]) -> None:
        self._base = make_folder()
        name = f"vm{next(_serial)}"
        self.folder = self._base / program.name / name / "root" if jailer else self._base
        self.folder.mkdir(parents=True, exist_ok=True)
        self.link: Link | None = None
        self._console = Console()
        try:
            self._lay(files, owner=SANDBOX_ID if jailer else None)
            arguments = ["--api-sock", _SOCKET, "--id", name] if jailer is None else ["--api-sock", _SOCKET]
            self._process = self._start([*_jail(program, jailer, name, self._base), *arguments])
        except BaseException as error:
            self._console.hand_over()
            remove_folder(self._base)
            if isinstance(error, OSError):
                raise SandboxError(f"Firecracker's folder can't be laid out: {error}") from error
            raise
        self._console.hand_over()
        self.api = Api(self.folder / _SOCKET)
        try:
            self.api.await_socket(deadline_s=_API_S)
        except SandboxError as error:
            words = self.last_words()
            self.kill()
            raise SandboxError(f"Firecracker doesn't start: {error} ({words})") from error

    def _lay(self, files: Mapping[str, Path | None], *, owner: int | None) -> None:
        """Put files into the folder, as links where they are on the same disk."""
        for name, source in files.items():
            place = self.folder / name
            if source is None:
                place.touch(mode=0o644)
                os.truncate(place, CAPACITY)
                continue
            try:
                place.hardlink_to(source)
            except OSError:
                copy_sparsely(source, place)
        if owner is not None:
            os.chown(self.folder, owner, owner)

    def _start(self, command: Sequence[str]) -> "subprocess.Popen[bytes]":
        """Start in a process namespace that ends with us, with all that is in it."""
        cage = [str(find_bubblewrap()), "--dev-bind", "/", "/", "--proc", "/proc", "--unshare-pid"]
        cage += ["--die-with-parent", "--chdir", str(self.folder), "--"]
        output = self._console.writer
        return start_process(
            [*cage, *command], stdin=subprocess.DEVNULL, stdout=output, stderr=output, pass_fds=(), outlives_thread=True
        )

    @property
    def process_id(self) -> int:
        """Id of the process whose death ends the machine."""
        return self._process.pid

    def connect(self, *, deadline_s: float) -> Link:
        """Return the link to the agent in the guest.

        Raises:
            SandboxError: it can't be reached in time.
        """
        self.link = Link(connect_vsock(self.folder / VSOCK, PORT, deadline_s=deadline_s), explain=self.last_words)
        return self.link

    def last_words(self) -> str:
        """Return the end of what Firecracker and the guest's console have said."""
        return self._console.last_words()

    def kill(self) -> None:
        """End it at once, with its machine and its folder; idempotent.

        Raises:
            SandboxError: it doesn't die.
        """
        if self.link is not None:
            self.link.close()
        with suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGKILL)
        try:
            self._process.wait(_DEATH_S)
        except subprocess.TimeoutExpired as error:
            raise SandboxError(f"Firecracker {self._process.pid} doesn't die") from error
        finally:
            remove_folder(self._base)


def _jail(program: Path, jailer: Path | None, name: str, base: Path) -> list[str]:
    """Return the command up to Firecracker's own arguments."""
    if jailer is None:
        return [str(program)]
    who = ["--uid", str(SANDBOX_ID), "--gid", str(SANDBOX_ID), "--chroot-base-dir", str(base)]
    return [str(jailer), "--id", name, "--exec-file", str(program), *who, "--"]
