"""The ``firecracker`` backend: a microVM with Firecracker, from a snapshot of a booted guest.

Needs KVM that truly runs guests, the ``firecracker`` binary, an uncompressed kernel, and as root the ``jailer``. The
guest is the same as under QEMU; its agent listens at a vsock port. Method: own, after Firecracker's documents on the
API, snapshots, vsock and the jailer. Only its conversation with Firecracker is tested here, against a process that
speaks the documented API: no machine at hand could run Firecracker itself.
"""

import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from filelock import FileLock

from sandbox.backends.firecracker_machine import PORT, VSOCK, FirecrackerMachine
from sandbox.backends.identity import Identity
from sandbox.backends.probed import ProbedBackend
from sandbox.backends.vm.acceleration import explain_kvm
from sandbox.backends.vm.image import DEFAULT_RECIPE, Image, Recipe, build_image, default_store, prune_store
from sandbox.backends.vm.session import GuestSession
from sandbox.backends.vm.toolchains import ToolchainDisks
from sandbox.base import ALL_LIMITS, Capability, Job, Run, State
from sandbox.trees import digest_of
from schemas.errors import ConfigError, SandboxError
from schemas.limits import Limits

_BOOT_ARGS = f"console=ttyS0 reboot=k panic=-1 quiet taskfoundry.stream=vsock:{PORT}"
_STATE, _MEMORY = "state", "memory"
_API_S = 60.0
_BOOT_S = 60.0
_QUEUE_S = 600.0
_MEMORY_MB = 1024
_RESERVE_MB = 320
_RANDOM_BYTES = 64
_PROBE_LIMITS = Limits(cpu_s=4, wall_s=20, memory_mb=256, disk_mb=8, processes=16)


class FirecrackerBackend(ProbedBackend):
    """See `sandbox.base.Backend`.

    Args:
        program, jailer: the binaries; ``None`` looks on ``PATH``. The jailer is used as root only, and then needed.
        store: where images and snapshots are kept; ``None`` takes the user's cache folder.
        recipe: what guests hold; its ``kernel`` must be an uncompressed one, with virtio over memory or ACPI.
        machines: how many may run at once; further sessions wait.
        needs_kvm: whether to look first if this machine's processor runs guests.
    """

    name = "firecracker"
    isolation = "microvm"
    slowdown = 1.0

    def __init__(
        self,
        *,
        program: Path | None = None,
        jailer: Path | None = None,
        store: Path | None = None,
        recipe: Recipe = DEFAULT_RECIPE,
        machines: int = 8,
        needs_kvm: bool = True,
    ) -> None:
        super().__init__()
        self._program, self._jailer, self._store, self._recipe = program, jailer, store, recipe
        self._needs_kvm = needs_kvm
        self._free = threading.BoundedSemaphore(machines)
        self._lock = threading.Lock()
        self._snapshot: tuple[Image, Path] | None = None
        self._disks = ToolchainDisks(recipe, store or default_store())

    def open(self, job: Job) -> GuestSession:
        """Return a session in a machine of its own, which goes on from a snapshot.

        Raises:
            SandboxError: no machine can be had, or the job can't be brought into it.
        """
        if job.limits.memory_mb + job.limits.disk_mb + _RESERVE_MB > _MEMORY_MB:
            raise SandboxError(f"a guest of {_MEMORY_MB} MiB has no room for memory_mb = {job.limits.memory_mb}")
        if not self._free.acquire(timeout=_QUEUE_S):
            raise SandboxError(f"no virtual machine came free in {_QUEUE_S:g} s; raise `machines`")
        try:
            return self._open(job)
        except BaseException:
            self._free.release()
            raise

    def _open(self, job: Job) -> GuestSession:
        image, snapshot = self._find_snapshot()
        disk = self._disks.find(job.language)
        disks = {"root.ext4": image.root, "toolchain.ext4": disk.path if disk else None}
        files = {**disks, _STATE: snapshot / _STATE, _MEMORY: snapshot / _MEMORY}
        machine = FirecrackerMachine(self._find_program(), self._find_jailer(), files)
        try:
            machine.api.resume(state=_STATE, memory=_MEMORY, deadline_s=_API_S)
            link = machine.connect(deadline_s=_API_S)
            link.ask("wake", time_s=time.time(), blobs=(os.urandom(_RANDOM_BYTES),), deadline_s=_API_S)
            if disk is not None:
                link.ask("attach", deadline_s=_API_S)
            identity = Identity(backend=self.name, isolation=self.isolation, limits_enforced=ALL_LIMITS)
            known = disk.find_inside if disk else None
            return GuestSession(link, job, identity, partial(self._end, machine), known=known)
        except BaseException:
            machine.kill()
            raise

    def _end(self, machine: FirecrackerMachine) -> None:
        try:
            machine.kill()
        finally:
            self._free.release()

    def _find_snapshot(self) -> tuple[Image, Path]:
        """Return the image, and the folder with the snapshot of a booted guest, made now if there is none."""
        with self._lock:
            if self._snapshot is None:
                kernel = self._recipe.kernel
                if kernel is None or kernel.read_bytes()[:4] != b"\x7fELF":
                    raise SandboxError("Firecracker needs an uncompressed kernel (vmlinux); name it in `recipe.kernel`")
                store = self._store or default_store()
                image = build_image(self._recipe, store)
                key = digest_of(f"{image.digest} {self._read_version()} {_BOOT_ARGS}".encode())[:32]
                folder = store / "snapshots" / key
                folder.parent.mkdir(parents=True, exist_ok=True)
                with FileLock(f"{folder}.lock"):
                    if not folder.is_dir():
                        self._save(image, folder)
                        prune_store(folder.parent)
                self._snapshot = (image, folder)
            return self._snapshot

    def _save(self, image: Image, folder: Path) -> None:
        with self._boot(image) as machine:
            machine.api.save(state=_STATE, memory=_MEMORY, deadline_s=_BOOT_S)
            part = Path(tempfile.mkdtemp(prefix=".snapshot-", dir=folder.parent))
            part.chmod(0o755)
            for name in (_STATE, _MEMORY):
                shutil.move(machine.folder / name, part / name)
                (part / name).chmod(0o644)
            part.replace(folder)

    @contextmanager
    def _boot(self, image: Image) -> Iterator[FirecrackerMachine]:
        """Boot a guest whose agent answers, and end it afterwards."""
        files = {"vmlinux": image.kernel, "initrd": image.initrd, "root.ext4": image.root, "toolchain.ext4": None}
        machine = FirecrackerMachine(self._find_program(), self._find_jailer(), files)
        try:
            machine.api.configure(memory_mb=_MEMORY_MB, boot_args=_BOOT_ARGS, vsock=VSOCK, deadline_s=_API_S)
            machine.api.start(deadline_s=_API_S)
            link = machine.connect(deadline_s=_BOOT_S)
            link.ask("hello", deadline_s=_BOOT_S)
            link.close()
            yield machine
        finally:
            machine.kill()

    def _find_program(self) -> Path:
        found = self._program or shutil.which("firecracker")
        if found is None:
            raise SandboxError("no firecracker on PATH; install it from its project's releases")
        return Path(found).resolve()

    def _find_jailer(self) -> Path | None:
        if os.geteuid() != 0:
            return None
        found = self._jailer or shutil.which("jailer")
        if found is None:
            raise SandboxError("no jailer on PATH, which Firecracker needs as root; install it next to firecracker")
        return Path(found).resolve()

    def _read_version(self) -> str:
        try:
            command = [str(self._find_program()), "--version"]
            done = subprocess.run(command, capture_output=True, text=True, timeout=_API_S, check=True)
        except (OSError, subprocess.SubprocessError) as error:
            raise SandboxError(f"firecracker doesn't tell its version: {error}") from error
        return done.stdout.partition("\n")[0].strip()

    def _try_out(self) -> Capability:
        try:
            version = self._read_version()
            reason = explain_kvm() if self._needs_kvm else ""
            if reason:
                raise SandboxError(f"needs KVM, and {reason}")
            with self.open(Job(limits=_PROBE_LIMITS)) as session:
                outcome = session.run(Run(argv=("/bin/sh", "-c", "uname -r")))
        except (SandboxError, ConfigError) as error:
            return self._unavailable(str(error))
        return Capability(
            backend=self.name,
            available=outcome.state is State.OK,
            reason=f"guest kernel {outcome.stdout.decode(errors='replace').strip()}",
            isolation=self.isolation,
            version=version,
            limits_enforced=outcome.limits_enforced,
        )
