"""One QEMU process: started in a cage of its own, followed, and killed. Method: own."""

import shutil
import signal
import socket
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from sandbox.backends.bubblewrap import find_bubblewrap
from sandbox.backends.entry import SANDBOX_ID, Privilege, detect_privilege
from sandbox.backends.launcher import start_process
from sandbox.backends.vm.console import Console
from sandbox.backends.vm.link import Link
from sandbox.backends.vm.machine import Shape, list_cage
from sandbox.backends.vm.qmp import Monitor
from schemas.errors import SandboxError

_DEATH_S = 60.0
_ORPHAN_S = 2.0
_NOTICE_S = 0.2


def find_qemu() -> Path:
    """Return the emulator.

    Raises:
        SandboxError: it isn't installed.
    """
    found = shutil.which("qemu-system-x86_64")
    if found is None:
        raise SandboxError("no qemu-system-x86_64; install the package qemu-system-x86")
    return Path(found).resolve()


def read_version() -> str:
    """Return the emulator's version.

    Raises:
        SandboxError: it isn't installed, or doesn't say.
    """
    try:
        said = subprocess.run([find_qemu(), "--version"], capture_output=True, text=True, timeout=30, check=True).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise SandboxError(f"{find_qemu()} doesn't tell its version: {error}") from error
    return said.partition("\n")[0].removeprefix("QEMU emulator version ").strip()


class Emulator:
    """A running QEMU.

    Args:
        shape: of the machine.
        memory, root, toolchain: descriptors of its memory and its disks.
        start: returns the arguments that boot or resume.
        passed: further descriptors that QEMU inherits.
        is_shared: whether the guest's memory is written to the file.
        deadline_s: for QEMU to have set the machine up.

    Raises:
        SandboxError: it doesn't start.
    """

    def __init__(
        self,
        shape: Shape,
        *,
        memory: int,
        root: int,
        toolchain: int,
        start: Sequence[str],
        passed: Sequence[int],
        is_shared: bool,
        deadline_s: float,
    ) -> None:
        self._console = Console()
        agent, agent_end = socket.socketpair()
        monitor, monitor_end = socket.socketpair()
        arguments = shape.list_arguments(
            memory=memory,
            root=root,
            toolchain=toolchain,
            agent=agent_end.fileno(),
            monitor=monitor_end.fileno(),
            is_shared=is_shared,
        )
        descriptors = (memory, root, toolchain, agent_end.fileno(), monitor_end.fileno(), *passed)
        try:
            self._process = start_process(
                [*_caged(shape), *arguments, *start],
                stdin=subprocess.DEVNULL,
                stdout=self._console.writer,
                stderr=self._console.writer,
                pass_fds=descriptors,
                outlives_thread=True,
            )
        except BaseException:
            agent.close()
            monitor.close()
            raise
        finally:
            agent_end.close()
            monitor_end.close()
            self._console.hand_over()
        self.link = Link(agent, explain=self.describe_end)
        self._monitor_socket = monitor
        try:
            self.monitor = Monitor(monitor, deadline_s=deadline_s)
        except SandboxError as error:
            self.kill()
            raise SandboxError(f"QEMU doesn't start: {error} ({self.last_words()})") from error

    @property
    def process_id(self) -> int:
        """Id of the supervisor of the machine, whose death ends it."""
        return self._process.pid

    def last_words(self) -> str:
        """Return the end of what QEMU and the guest's console have said."""
        return self._console.last_words()

    def describe_end(self) -> str:
        """Return how QEMU ended, or nothing while it runs."""
        if not self._console.has_ended(wait_s=_NOTICE_S):
            return ""
        with suppress(subprocess.TimeoutExpired):
            code = self._process.wait(_ORPHAN_S)
            return f"QEMU ended with {code}: {self.last_words()}"
        return self.last_words()

    def kill(self) -> None:
        """End the machine at once and wait for its end; idempotent.

        Raises:
            SandboxError: it doesn't die.
        """
        self.link.close()
        self._monitor_socket.close()
        # The supervisor's death ends its child, process 1 of the cage, and with it QEMU.
        with suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGKILL)
        try:
            self._process.wait(_DEATH_S)
        except subprocess.TimeoutExpired as error:
            raise SandboxError(f"virtual machine {self._process.pid} doesn't die") from error


def _caged(shape: Shape) -> list[str]:
    """Return the command up to QEMU's own arguments."""
    program = find_qemu()
    is_root = detect_privilege() is Privilege.ROOT
    devices = ("/dev/kvm",) if shape.accelerator == "kvm" else ()
    cage = [str(find_bubblewrap()), *list_cage(program, devices=devices, is_root=is_root), "--"]
    return [*cage, *(become_nobody() if is_root else ()), str(program)]


def become_nobody() -> tuple[str, ...]:
    """Return the command by which root becomes the sandbox's user for good.

    Raises:
        SandboxError: the tool for it is missing.
    """
    tool = shutil.which("setpriv", path="/usr/bin:/bin")
    if tool is None:
        raise SandboxError("no setpriv to run QEMU as another user; install the package util-linux")
    words = (f"--reuid={SANDBOX_ID}", f"--regid={SANDBOX_ID}", "--clear-groups", "--inh-caps=-all")
    return (tool, *words, "--bounding-set=-all", "--no-new-privs", "--")
