"""The disk with a language's toolchain, which a guest may have beside its root: mounted when the host says that it is
there. Method: own; ``mount(2)``.
"""

import ctypes
import os
from pathlib import Path

PLACE = "/run/toolchain"
SERIAL = "toolchain"
"""Serial number of the disk, where machines have such; otherwise it is the second one."""
_SECOND = "vdb"
_SHOWN = ("usr", "bin", "sbin", "lib", "lib32", "lib64")
"""Folders of the disk that are shown instead of the root's, if they are on it."""
_READ_ONLY, _NO_SUID, _NO_DEVICES, _BIND = 1, 2, 4, 4096


def attach_toolchain() -> None:
    """Mount the disk at `PLACE`, and its system folders over those of the root.

    Raises:
        OSError: there is no such disk, or it can't be mounted.
    """
    Path(PLACE).mkdir(exist_ok=True)
    _mount(f"/dev/{_find_disk()}", PLACE, "ext4", _READ_ONLY | _NO_SUID | _NO_DEVICES)
    for name in _SHOWN:
        source, target = Path(PLACE, name), Path("/", name)
        if source.is_dir() and not source.is_symlink() and target.is_dir() and not target.is_symlink():
            _mount(str(source), str(target), "none", _BIND)


def _find_disk() -> str:
    for label in sorted(Path("/sys/block").glob("vd*/serial")):
        if label.read_text(encoding="ascii", errors="replace").strip() == SERIAL:
            return label.parent.name
    return _SECOND


def _mount(source: str, target: str, kind: str, flags: int) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    if library.mount(source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), None) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{source} can't be mounted at {target}: {os.strerror(code)}")
