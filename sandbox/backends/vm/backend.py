"""The two QEMU backends: ``qemu`` (a full machine) and ``qemu-microvm`` (a small one without firmware tables or PCI).

Every session has a machine of its own that goes on from the state of a guest that has just booted, so nothing of one
solution is there for the next; inside it our process sandbox runs. Where the processor can't run guests the machine is
emulated: that works everywhere and is slow, so the time limits of a run are stretched and the outcome says by how much.
Method: own; measured in docs/backends.md.
"""

import threading
import time
from functools import partial
from pathlib import Path

from sandbox.backends.identity import Identity
from sandbox.backends.probed import ProbedBackend
from sandbox.backends.vm.acceleration import explain_kvm
from sandbox.backends.vm.emulator import Emulator, read_version
from sandbox.backends.vm.image import DEFAULT_RECIPE, Image, Recipe, build_image, default_store
from sandbox.backends.vm.machine import MICROVM, Q35, MachineType, Shape
from sandbox.backends.vm.session import GuestSession
from sandbox.backends.vm.template import Template
from sandbox.backends.vm.toolchains import ToolchainDisk, ToolchainDisks
from sandbox.base import ALL_LIMITS, Capability, Job, Mount, Run, State
from schemas.errors import ConfigError, SandboxError
from schemas.limits import Limits

EMULATION_SLOWDOWN = 10.0
"""What time limits are multiplied by under emulation, where a processor does one instruction a nanosecond: programs
needed 3 to 17 times the CPU seconds that they need here; see docs/backends.md."""
_PATIENCE = 30.0
"""How many of our seconds a second of an emulated guest may take, on a machine with much else to do."""
_RESERVE_MB = 320
"""Of a guest's memory for its kernel, the agent and what a job brings along."""
_LEAST_MB = 1024
_QUEUE_S = 600.0
_PROBE_LIMITS = Limits(cpu_s=4, wall_s=20, memory_mb=256, disk_mb=8, processes=16)


class QemuBackend(ProbedBackend):
    """A full virtual machine; see `sandbox.base.Backend`.

    Args:
        store: where images and states are kept; ``None`` takes the user's cache folder.
        recipe: what guests hold.
        accelerator: ``tcg`` (emulation), ``kvm``, or ``auto``: the latter if it works here.
        slowdown: what the time limits of a run are multiplied by; ``None`` takes 1 with hardware, and
            `EMULATION_SLOWDOWN` without.
        machines: how many may run at once; further sessions wait.
        boot_s: deadline for a guest to boot.
    """

    kind: MachineType = Q35

    def __init__(
        self,
        *,
        store: Path | None = None,
        recipe: Recipe = DEFAULT_RECIPE,
        accelerator: str = "auto",
        slowdown: float | None = None,
        machines: int = 8,
        boot_s: float = 900.0,
    ) -> None:
        if accelerator not in {"auto", "tcg", "kvm"}:
            raise ConfigError(f"unknown accelerator {accelerator!r}; expected one of auto, tcg, kvm")
        super().__init__()
        self.name, self.isolation = self.kind.backend, self.kind.isolation
        self._store = store
        self._recipe = recipe
        self._accelerator, self._slowdown, self._boot_s = accelerator, slowdown, boot_s
        self._free = threading.BoundedSemaphore(machines)
        self._lock = threading.Lock()
        self._templates: dict[int, Template] = {}
        self._image: Image | None = None
        self._disks: ToolchainDisks | None = None

    @property
    def slowdown(self) -> float:
        """What the time limits of a run are multiplied by."""
        if self._slowdown is not None:
            return self._slowdown
        return EMULATION_SLOWDOWN if self._choose_accelerator() == "tcg" else 1.0

    def open(self, job: Job) -> GuestSession:
        """Return a session in a machine of its own, which goes on from a booted state.

        Raises:
            SandboxError: no machine can be had, or the job can't be brought into it.
        """
        template = self._find_template(job.limits)
        if not self._free.acquire(timeout=_QUEUE_S):
            raise SandboxError(f"no virtual machine came free in {_QUEUE_S:g} s; raise `machines`")
        try:
            disk = self._find_disks().find(job.language)
            machine = template.resume(None if disk is None else disk.descriptor)
        except BaseException:
            self._free.release()
            raise
        try:
            identity = Identity(backend=self.name, isolation=self.isolation, limits_enforced=ALL_LIMITS)
            return GuestSession(
                machine.link,
                job,
                identity,
                lambda: self._end(machine),
                slowdown=self.slowdown,
                patience=_PATIENCE if self._choose_accelerator() == "tcg" else 1.0,
                known=partial(self._find_inside, disk),
            )
        except BaseException:
            self._end(machine)
            raise

    def _end(self, machine: Emulator) -> None:
        try:
            machine.kill()
        finally:
            self._free.release()

    def _find_inside(self, disk: ToolchainDisk | None, mount: Mount) -> str | None:
        """Return the path of a mount that one of the guest's disks holds."""
        if disk is not None and (place := disk.find_inside(mount)) is not None:
            return place
        folders = self._recipe.folders
        held = any(mount.source == folder or mount.source.is_relative_to(folder) for folder in folders)
        return str(mount.source) if held else None

    def _find_disks(self) -> ToolchainDisks:
        with self._lock:
            if self._disks is None:
                self._disks = ToolchainDisks(self._recipe, self._store or default_store())
            return self._disks

    def _find_template(self, limits: Limits) -> Template:
        """Return the booted state of a machine that is large enough, made now if there is none."""
        memory_mb = _LEAST_MB
        while memory_mb < limits.memory_mb + limits.disk_mb + _RESERVE_MB:
            memory_mb *= 2
        with self._lock:
            if memory_mb not in self._templates:
                store = self._store or default_store()
                if self._image is None:
                    self._image = build_image(self._recipe, store)
                shape = Shape(kind=self.kind, accelerator=self._choose_accelerator(), memory_mb=memory_mb)
                self._templates[memory_mb] = Template(self._image, shape, store, boot_s=self._boot_s)
            return self._templates[memory_mb]

    def _choose_accelerator(self) -> str:
        if self._accelerator != "auto":
            return self._accelerator
        return "tcg" if explain_kvm() else "kvm"

    def _try_out(self) -> Capability:
        begin = time.monotonic()
        try:
            version = f"QEMU {read_version()}"
            with self.open(Job(limits=_PROBE_LIMITS)) as session:
                outcome = session.run(Run(argv=("/bin/sh", "-c", "uname -r; exit 7")))
        except (SandboxError, ConfigError) as error:
            return self._unavailable(str(error))
        if outcome.state is not State.RE or outcome.exit_code != 7:
            reason = f"a trial program ended as {outcome.state}: {outcome.detail or outcome.stderr.decode()[-300:]}"
            return self._unavailable(reason)
        how = self._describe_acceleration()
        return Capability(
            backend=self.name,
            available=True,
            reason=f"guest kernel {outcome.stdout.decode().strip()}, {how}, {time.monotonic() - begin:.1f} s to probe",
            isolation=self.isolation,
            version=version,
            limits_enforced=outcome.limits_enforced,
            slowdown=self.slowdown,
        )

    def _describe_acceleration(self) -> str:
        if self._choose_accelerator() == "kvm":
            return "hardware virtualization"
        why = explain_kvm() if self._accelerator == "auto" else "as configured"
        return f"emulated ({why}), time limits x {self.slowdown:g}"


class QemuMicrovmBackend(QemuBackend):
    """QEMU's microvm: the same guest on a machine with virtio devices on the memory bus and hardly anything else."""

    kind = MICROVM
