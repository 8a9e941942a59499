"""The command lines of guests: a q35 with PCI devices, and QEMU's microvm with devices on the memory bus.

Each has two disks that can only be read: its root, and one with a language's toolchain, or nothing. Neither has a
network device, a display or a way to start processes. All that QEMU opens comes as a descriptor, so it needs no folder
of this machine but its own firmware. Method: own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sandbox.guest.toolchain import SERIAL

PORT = "agent"
_CONSOLE = "console=ttyS0 quiet reboot=t panic=-1 random.trust_cpu=on"
_FILTER = "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny"


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineType:
    """One kind of virtual machine."""

    backend: str
    isolation: str
    machine: str
    bus: str
    """Ending of the names of virtio devices."""


Q35 = MachineType(backend="qemu", isolation="vm", machine="q35,vmport=off", bus="pci")
MICROVM = MachineType(
    backend="qemu-microvm",
    isolation="microvm",
    machine="microvm,acpi=on,pit=off,pic=off,rtc=on,isa-serial=on",
    bus="device",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What two machines must agree in so that one can go on from the other's state."""

    kind: MachineType
    accelerator: str
    """``tcg`` or ``kvm``."""
    memory_mb: int

    def list_arguments(
        self, *, memory: int, root: int, toolchain: int, agent: int, monitor: int, is_shared: bool
    ) -> list[str]:
        """Return QEMU's arguments without those of the start, boot or state.

        Args:
            memory: descriptor of the file that is the guest's memory.
            root, toolchain: descriptors of the disks.
            agent, monitor: descriptors of connected sockets.
            is_shared: whether what the guest writes into memory gets into the file.
        """
        share = "on" if is_shared else "off"
        backing = f"memory-backend-file,id=ram,size={self.memory_mb}M,mem-path=/proc/self/fd/{memory},share={share}"
        model = "host" if self.accelerator == "kvm" else "max"
        # One nanosecond an instruction: a guest's clocks and CPU time then don't depend on how busy this machine is.
        counting = ("-icount", "shift=0,align=off,sleep=on") if self.accelerator == "tcg" else ()
        return [
            *counting,
            *("-machine", f"{self.kind.machine},memory-backend=ram", "-object", backing, "-m", f"{self.memory_mb}M"),
            *("-accel", self.accelerator, "-cpu", model, "-smp", "1"),
            *("-nodefaults", "-no-user-config", "-no-reboot", "-display", "none", "-sandbox", _FILTER),
            *self._list_disk("root", root),
            *self._list_disk(SERIAL, toolchain),
            *("-device", f"virtio-serial-{self.kind.bus},max_ports=2"),
            *("-chardev", f"socket,id=agent,fd={agent}", "-device", f"virtserialport,chardev=agent,name={PORT}"),
            *("-chardev", f"socket,id=monitor,fd={monitor}", "-mon", "chardev=monitor,mode=control"),
            *("-chardev", "stdio,id=console,signal=off", "-serial", "chardev:console"),
        ]

    def _list_disk(self, name: str, descriptor: int) -> tuple[str, ...]:
        drive = f"driver=raw,node-name={name},read-only=on,file.driver=file,file.filename=/dev/fdset/{descriptor}"
        device = f"virtio-blk-{self.kind.bus},drive={name},serial={name}"
        return ("-add-fd", f"fd={descriptor},set={descriptor}", "-blockdev", drive, "-device", device)


def list_boot(kernel: int, initrd: int, accelerator: str) -> list[str]:
    """Return the arguments that boot a guest from a kernel and an initramfs, given as descriptors."""
    files = ("-kernel", f"/proc/self/fd/{kernel}", "-initrd", f"/proc/self/fd/{initrd}")
    words = [_CONSOLE, f"taskfoundry.stream=port:{PORT}"]
    if accelerator == "tcg":
        words.append("mitigations=off")  # an emulated processor doesn't speculate
        words += ["tsc_early_khz=1000000", "tsc=reliable"]  # it can't find out when this machine is busy, and hangs
    return [*files, "-append", " ".join(words)]


def list_cage(program: Path, *, devices: Sequence[str], is_root: bool) -> list[str]:
    """Return the bubblewrap arguments around QEMU: read-only ``/usr``, nothing else of this machine, no privileges.

    Args:
        devices: files in ``/dev`` that it may open.
    """
    arguments = ["--tmpfs", "/", "--ro-bind", "/usr", "/usr"]
    for name in ("bin", "sbin", "lib", "lib64", "lib32"):
        path = Path("/", name)
        if path.is_symlink():
            arguments += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            arguments += ["--ro-bind", str(path), str(path)]
    if not program.is_relative_to("/usr"):
        arguments += ["--ro-bind", str(program.parent), str(program.parent)]
    arguments += ["--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache", "--ro-bind-try", "/etc/alternatives"]
    arguments += ["/etc/alternatives", "--proc", "/proc", "--dev", "/dev"]
    for device in devices:
        arguments += ["--dev-bind-try", device, device]
    arguments += ["--remount-ro", "/", "--chdir", "/", "--unshare-ipc", "--unshare-pid", "--unshare-uts"]
    arguments += ["--unshare-net", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    if not is_root:
        return [*arguments, "--unshare-user", "--uid", "65534", "--gid", "65534"]
    for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"):
        arguments += ["--cap-add", capability]
    return arguments
