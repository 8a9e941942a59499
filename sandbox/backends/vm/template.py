"""The state of a guest that has booted and whose agent is ready, from which any number of machines go on.

A guest boots once for each image and shape; then its memory and the state of its devices are written to the store. A
machine that goes on from there maps that memory privately: it starts in a fraction of a second, shares what it only
reads with all others, and what it writes is gone with it. So every session has a machine that nobody used before.
The memory lies in a sealed file without a name, which QEMU can map but not change. Method: own; QEMU's
``x-ignore-shared`` migration, as used for templates of Kata containers.
"""

import fcntl
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

from sandbox.backends.descriptors import Descriptors
from sandbox.backends.identity import Identity
from sandbox.backends.vm.emulator import Emulator, read_version
from sandbox.backends.vm.image import Image, prune_store
from sandbox.backends.vm.machine import Shape, list_boot
from sandbox.backends.vm.session import GuestSession
from sandbox.backends.vm.sparse import copy_range, list_data
from sandbox.backends.vm.toolchains import make_empty_disk
from sandbox.base import Capability, Job
from sandbox.messages import Message
from sandbox.runner import ForkServer, runner_mount
from sandbox.transport import decode_record
from sandbox.trees import digest_of
from schemas.errors import SandboxError
from schemas.limits import Limits

_MIB = 1024 * 1024
_BLOCK = 4 * _MIB
_SEALS = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
_SETUP_S = 120.0
_SAVE_S = 180.0
_RANDOM_BYTES = 64
_WARM_LIMITS = Limits(memory_mb=512, processes=64)


class Template:
    """The saved state of one image and shape, booted and saved now if the store lacks it.

    Args:
        store: where states are kept.
        boot_s: deadline for a guest to boot.

    Raises:
        SandboxError: it doesn't boot, or the store can't be written.
    """

    def __init__(self, image: Image, shape: Shape, store: Path, *, boot_s: float) -> None:
        self._image, self._shape = image, shape
        self._lock = threading.Lock()
        self.boot_s = 0.0
        """Seconds that booting and saving took; 0 when the state was in the store."""
        folder = store / "states" / self._digest()
        files = (folder / "state", image.root)
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(f"{folder}.lock"):
                if not folder.is_dir():
                    begin = time.monotonic()
                    self._save(folder, boot_s)
                    self.boot_s = time.monotonic() - begin
                    prune_store(folder.parent)
                folder.touch()
                self._memory = _load_memory(folder / "memory")
                # Kept open, since what nobody used for long is removed from the store.
                self._state, self._root = (os.open(path, os.O_RDONLY | os.O_CLOEXEC) for path in files)
                self._no_toolchain = make_empty_disk()
        except OSError as error:
            raise SandboxError(f"the state of a guest can't be kept in {store}: {error}") from error

    def _digest(self) -> str:
        parts = (self._image.digest, repr(self._shape), read_version(), _processor())
        return digest_of("\n".join(parts).encode())[:32]

    def _save(self, folder: Path, boot_s: float) -> None:
        part = Path(tempfile.mkdtemp(prefix=".state-", dir=folder.parent))
        try:
            with Descriptors() as opened:
                memory = opened.adopt(os.memfd_create("guest", os.MFD_CLOEXEC))
                os.ftruncate(memory, self._shape.memory_mb * _MIB)
                (part / "state").touch(mode=0o600)
                state = opened.open(part / "state", os.O_RDWR)
                self._boot_and_save(memory, state, boot_s)
                _write_sparsely(memory, part / "memory")
            part.replace(folder)
        finally:
            shutil.rmtree(part, ignore_errors=True)

    def _boot_and_save(self, memory: int, state: int, boot_s: float) -> None:
        with self.boot(memory) as machine:
            answer = _greet(machine, boot_s)
            capability = decode_record(Capability, answer.part("capability"), answer)
            if not capability.available:
                raise SandboxError(f"the guest can't open sandboxes: {capability.reason} ({machine.last_words()})")
            _warm_up(machine)
            machine.monitor.ask("stop", deadline_s=_SAVE_S)
            machine.monitor.save(state, deadline_s=_SAVE_S)

    @contextmanager
    def boot(self, memory: int) -> Iterator[Emulator]:
        """Start a guest from its kernel, and end it afterwards; what it writes into memory gets into the file."""
        with Descriptors() as opened:
            kernel, initrd, root = (
                opened.open(path, os.O_RDONLY) for path in (self._image.kernel, self._image.initrd, self._image.root)
            )
            toolchain = opened.adopt(make_empty_disk())
            machine = Emulator(
                self._shape,
                memory=memory,
                root=root,
                toolchain=toolchain,
                start=list_boot(kernel, initrd, self._shape.accelerator),
                passed=(kernel, initrd),
                is_shared=True,
                deadline_s=_SETUP_S,
            )
            try:
                yield machine
            finally:
                machine.kill()

    def resume(self, toolchain: int | None = None) -> Emulator:
        """Return a machine that goes on from the state, with the time and randomness of its own.

        Args:
            toolchain: descriptor of the disk that it gets beside its root, if any.

        Raises:
            SandboxError: it can't be started, or its agent doesn't answer.
        """
        machine = Emulator(
            self._shape,
            memory=self._memory,
            root=self._root,
            toolchain=self._no_toolchain if toolchain is None else toolchain,
            start=("-incoming", "defer"),
            passed=(),
            is_shared=False,
            deadline_s=_SETUP_S,
        )
        try:
            with Descriptors() as opened:
                state = opened.open(f"/proc/self/fd/{self._state}", os.O_RDONLY)
                machine.monitor.resume(state, deadline_s=_SETUP_S)
            machine.monitor.await_status("paused", deadline_s=_SETUP_S)
            machine.monitor.ask("cont", deadline_s=_SETUP_S)
            machine.link.ask("wake", time_s=time.time(), blobs=(os.urandom(_RANDOM_BYTES),), deadline_s=_SETUP_S)
            if toolchain is not None:
                machine.link.ask("attach", deadline_s=_SETUP_S)
        except SandboxError as error:
            words = machine.last_words()
            machine.kill()
            raise SandboxError(f"a virtual machine doesn't go on from its state: {error} ({words})") from error
        return machine


def _greet(machine: Emulator, boot_s: float) -> Message:
    """Return what the agent says first, once its guest has booted."""
    try:
        return machine.link.ask("hello", deadline_s=boot_s)
    except SandboxError as error:
        raise SandboxError(f"the guest doesn't boot: {error} ({machine.last_words()})") from error


def _warm_up(machine: Emulator) -> None:
    """Start and end the fork server once, so that what it reads from the disk is in the guest's memory."""
    identity = Identity(backend="", isolation="", limits_enforced=())
    job = Job(limits=_WARM_LIMITS, mounts=(runner_mount(),))
    session = GuestSession(machine.link, job, identity, machine.kill)
    ForkServer(session, owns_session=False).close()
    session.leave()


def _processor() -> str:
    """Return the model of this machine's processor."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    return next((line for line in lines if line.startswith("model name")), "")


def _write_sparsely(memory: int, target: Path) -> None:
    """Copy a file without its holes and without blocks of zeros."""
    size = os.fstat(memory).st_size
    zeros = bytes(_BLOCK)
    with target.open("wb") as file:
        file.truncate(size)
        for begin, end in list_data(memory, size):
            for at in range(begin, end, _BLOCK):
                piece = os.pread(memory, min(_BLOCK, end - at), at)
                if piece != zeros[: len(piece)]:
                    os.pwrite(file.fileno(), piece, at)


def _load_memory(source: Path) -> int:
    """Return the descriptor of a sealed file in memory with that content; it stays open with the process."""
    memory = os.memfd_create("guest", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    with source.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        os.ftruncate(memory, size)
        for begin, end in list_data(file.fileno(), size):
            copy_range(file.fileno(), memory, begin, end)
    fcntl.fcntl(memory, fcntl.F_ADD_SEALS, _SEALS)
    return memory
