"""The first file system of a guest: a static busybox, the kernel modules, and a script that goes on to the root disk.

Written as a ``newc`` archive by ourselves, so no cpio is needed. Method: own; the kernel's
``driver-api/early-userspace/buffer-format``.
"""

import gzip
import shutil
from collections.abc import Sequence
from pathlib import Path

from schemas.errors import SandboxError

_TRAILER = "TRAILER!!!"
_INIT = """#!/bin/busybox sh
b=/bin/busybox
$b mount -t proc proc /proc
$b mount -t sysfs sys /sys
$b mount -t devtmpfs dev /dev
while read -r module; do $b insmod "/modules/$module"; done < /modules/order
find_root() {
  for folder in /sys/block/vd*; do
    [ -e "$folder" ] && [ "$($b cat "$folder/serial")" != toolchain ] && echo "/dev/${folder##*/}" && return
  done
}
tries=0
until root=$(find_root); [ -b "$root" ] || [ $tries -ge 200 ]; do $b usleep 50000; tries=$((tries + 1)); done
$b mount -t ext4 -o ro "$root" /disk || { echo "taskfoundry: no root disk"; exit 1; }
for word in $($b cat /proc/cmdline); do
  case "$word" in taskfoundry.stream=*) stream="${word#taskfoundry.stream=}" ;; esac
done
$b mount -t tmpfs -o mode=0755 tmpfs /disk/run
$b mount -t tmpfs -o mode=1777 tmpfs /disk/tmp
for kind in proc sys dev; do $b mount --move /$kind /disk/$kind; done
$b mount -t cgroup2 cgroup /disk/sys/fs/cgroup
$b mkdir -p /disk/dev/pts /disk/dev/shm
$b mount -t devpts -o gid=5,mode=620 devpts /disk/dev/pts
$b mount -t tmpfs -o mode=1777 tmpfs /disk/dev/shm
echo 1 > /disk/proc/sys/vm/overcommit_memory
exec $b switch_root /disk /bin/sh /opt/agent/start "$stream"
"""


def find_busybox() -> Path:
    """Return a static busybox.

    Raises:
        SandboxError: there is none.
    """
    found = shutil.which("busybox", path="/bin:/usr/bin")
    if found is None or _is_dynamic(Path(found)):
        raise SandboxError("no static busybox; install the package busybox-static")
    return Path(found)


def _is_dynamic(program: Path) -> bool:
    return b"/ld-linux" in program.read_bytes()[:4096]


def make_initramfs(busybox: Path, modules: Sequence[Path]) -> bytes:
    """Return the compressed archive.

    Args:
        modules: kernel modules in the order of loading.
    """
    order = "".join(f"{module.name}\n" for module in modules).encode()
    folders = ("bin", "dev", "disk", "modules", "proc", "sys")
    files = {f"modules/{module.name}": module.read_bytes() for module in modules}
    entries = [(name, 0o040755, b"") for name in folders]
    entries += [("bin/busybox", 0o100755, busybox.read_bytes()), ("init", 0o100755, _INIT.encode())]
    entries += [(name, 0o100644, content) for name, content in {**files, "modules/order": order}.items()]
    archive = b"".join(_entry(number, *entry) for number, entry in enumerate([*entries, (_TRAILER, 0, b"")], 1))
    return gzip.compress(archive, compresslevel=1, mtime=0)


def _entry(number: int, name: str, mode: int, content: bytes) -> bytes:
    """Return one entry: thirteen hexadecimal numbers, the name, the content, each padded to four bytes."""
    encoded = name.encode() + b"\0"
    numbers = (number, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(encoded), 0)
    head = b"070701" + b"".join(b"%08X" % value for value in numbers) + encoded
    return _pad(head) + _pad(content)


def _pad(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 4)
