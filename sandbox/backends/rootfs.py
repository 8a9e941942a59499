"""The file system that a program sees, apart from its working folder: the host's ``/usr``, an ``/etc`` of our own,
and the interpreter that runs us under a neutral path.

Everything here is read-only inside. Method: own.
"""

import shutil
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from sandbox.backends.leftovers import state_folder
from sandbox.once import once_per_process

PYTHON_ROOT = "/opt/python"
PYTHON = f"{PYTHON_ROOT}/bin/python{sys.version_info.major}.{sys.version_info.minor}"
"""The interpreter inside: the one that runs us, with its standard library and nothing installed into it."""

DEFAULT_ENV = {"PATH": f"{PYTHON_ROOT}/bin:/usr/bin:/bin", "HOME": "/work", "LANG": "C.UTF-8", "PWD": "/work"}

_ACCOUNTS = "root:x:0:0:root:/nonexistent:/usr/sbin/nologin\nnobody:x:65534:65534:nobody:/work:/bin/sh\n"
_GROUP = "root:x:0:\nnogroup:x:65534:\n"
_HOSTS = "127.0.0.1 localhost\n::1 localhost\n"
_NSSWITCH = "passwd: files\ngroup: files\nhosts: files dns\n"
_CERTIFICATES = ("/etc/ssl/certs", "/etc/ca-certificates", "/etc/pki/tls/certs", "/etc/pki/ca-trust/extracted")


def list_base_arguments(*, network: bool) -> tuple[str, ...]:
    """Return the bubblewrap arguments that lay out the read-only part, in order.

    Args:
        network: whether name lookup and certificate files of the host are shown.
    """
    return tuple(_base_arguments(network=network))


def list_parent_arguments(target: str) -> list[str]:
    """Return the arguments that make the folders above a target; bubblewrap's own would be closed to the program."""
    above = [str(folder) for folder in reversed(PurePosixPath(target).parents) if folder.parts[1:]]
    return [word for folder in above for word in ("--perms", "0755", "--dir", folder)]


def _base_arguments(*, network: bool) -> Iterator[str]:
    yield from ("--tmpfs", "/", "--ro-bind", "/usr", "/usr")
    for name in ("bin", "sbin", "lib", "lib64", "lib32"):
        path = Path("/", name)
        if path.is_symlink():
            yield from ("--symlink", str(path.readlink()), str(path))
        elif path.is_dir():
            yield from ("--ro-bind", str(path), str(path))
    yield from list_parent_arguments(PYTHON_ROOT)
    yield from ("--ro-bind", sys.base_prefix, PYTHON_ROOT)
    for packages in _list_installed_packages():
        yield from ("--tmpfs", packages, "--remount-ro", packages)
    yield from _shared_library()
    yield from ("--ro-bind", str(_etc_folder()), "/etc")
    if network:
        yield from ("--ro-bind-try", "/etc/resolv.conf", "/etc/resolv.conf")
        for certificates in _CERTIFICATES:
            if Path(certificates).is_dir():
                yield from ("--ro-bind", certificates, certificates)


def _list_installed_packages() -> list[str]:
    """Return the folders inside that hold what people installed into the interpreter; they are hidden."""
    base = {"base": sys.base_prefix, "platbase": sys.base_prefix}
    folders = {Path(sysconfig.get_path(name, vars=base)) for name in ("purelib", "platlib")}
    folders.add(Path(sys.base_prefix) / "lib" / "python3" / "dist-packages")
    inside = [folder.relative_to(sys.base_prefix) for folder in folders if folder.is_relative_to(sys.base_prefix)]
    return sorted(f"{PYTHON_ROOT}/{folder}" for folder in inside if (sys.base_prefix / folder).is_dir())


def _shared_library() -> Iterator[str]:
    """Show a shared libpython at its own place, where the interpreter's binary looks for it.

    Without this another libpython of the same version may be picked up from the host's ``/usr``.
    """
    library = Path(sysconfig.get_config_var("LIBDIR") or "/usr", sysconfig.get_config_var("INSTSONAME") or "")
    if sysconfig.get_config_var("Py_ENABLE_SHARED") and library.is_file() and not library.is_relative_to("/usr"):
        yield from list_parent_arguments(str(library))
        yield from ("--ro-bind", str(library), str(library))


@once_per_process
def _etc_folder() -> Path:
    """Return the ``/etc`` of this process's sandboxes."""
    folder = state_folder() / "etc"
    folder.mkdir(mode=0o755)
    for name, text in (("passwd", _ACCOUNTS), ("group", _GROUP), ("hosts", _HOSTS), ("nsswitch.conf", _NSSWITCH)):
        (folder / name).write_text(text)
    (folder / "resolv.conf").touch()
    if Path("/etc/ld.so.cache").exists():
        shutil.copyfile("/etc/ld.so.cache", folder / "ld.so.cache")
    if Path("/etc/alternatives").is_dir():
        shutil.copytree("/etc/alternatives", folder / "alternatives", symlinks=True)
    for certificates in _CERTIFICATES:
        (folder / certificates.removeprefix("/etc/")).mkdir(parents=True)
    for path in folder.rglob("*"):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() else 0o644)
    return folder
