"""Which files of this machine's ``/usr`` a language needs, so that a guest can hold them.

What a toolchain has elsewhere is named by its mounts (`sandbox.languages.recipes.Toolchain`), and the shared libraries
of all these are found by `sandbox.backends.vm.contents`. Method: own.
"""

import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from sandbox.languages import find_language
from sandbox.languages.typescript import find_compiler
from schemas.errors import ConfigError, SandboxError

_USR = Path("/usr")
_SYSTEM_PATH = "/usr/bin:/bin:/usr/sbin:/sbin"
_NODE_PACKAGES = Path("/usr/share/nodejs")
"""Where Debian's Node.js has some of its own modules."""
_C_HEADERS = "arpa asm-generic linux misc mtd net netinet netpacket protocols rdma rpc scsi sound video"
_C_LIBRARIES = (
    "*crt*.o libc.so* libc.a libc_nonshared.a libm.so* libm.a libm-*.a libmvec* libpthread* libdl* librt* libutil* "
    "libstdc++.so* libgcc_s.so*"
)
_CALL_S = 60


def find_command(name: str) -> Path | None:
    """Return the path of a command of the system's, or ``None``."""
    found = shutil.which(name, path=_SYSTEM_PATH)
    return None if found is None else Path(found)


def find_tool(name: str) -> Path:
    """Return the path of a tool that guests are built with.

    Raises:
        SandboxError: it isn't there.
    """
    found = find_command(name)
    if found is None:
        raise SandboxError(f"no {name} on this machine to build a guest with")
    return found


def _list_cpp() -> Iterator[Path]:
    """Yield what compiling and linking C++ with GCC needs."""
    if find_command("g++") is None:
        raise ConfigError("no g++ on this machine for the toolchain 'cpp'; install the package g++")
    for name in ("g++", "c++", "gcc", "cc", "cpp", "as", "ld", "ld.bfd", "ar", "nm", "ranlib", "strip", "objcopy"):
        if (path := find_command(name)) is not None:
            yield path
    yield Path(_ask_gcc("-print-file-name=libgcc.a")).parent
    yield Path(_ask_gcc("-print-prog-name=cc1plus"))
    yield Path(_ask_gcc("-print-prog-name=collect2"))
    libraries = Path(_ask_gcc("-print-file-name=crt1.o")).resolve().parent
    for pattern in _C_LIBRARIES.split():
        yield from libraries.glob(pattern)
    headers = Path("/usr/include")
    triple = headers / _ask_gcc("-dumpmachine")
    yield from headers.glob("*.h")
    yield from (headers / name for name in ("c++", *_C_HEADERS.split()) if (headers / name).is_dir())
    yield from (triple / name for name in ("asm", "bits", "c++", "gnu", "sys") if (triple / name).is_dir())
    yield from triple.glob("*.h")


def _ask_gcc(question: str) -> str:
    return subprocess.run(
        [find_tool("g++"), question], capture_output=True, text=True, timeout=_CALL_S, check=True
    ).stdout.strip()


def _list_rust() -> Iterator[Path]:
    """Yield the linker, and rustc with its libraries where it lies in ``/usr``."""
    yield from _list_cpp()
    folder = _first_on_path("rust")
    if folder.is_relative_to(_USR):
        yield folder / "rustc"
        yield folder.parent / "lib" / "rustlib"


def _list_javascript() -> Iterator[Path]:
    """Yield Node.js where it lies in ``/usr``."""
    folder = _first_on_path("javascript")
    if folder.is_relative_to(_USR):
        yield folder / "node"
        yield _NODE_PACKAGES


def _list_typescript() -> Iterator[Path]:
    """Yield Node.js, and the compiler's package where it lies in ``/usr``."""
    yield from _list_javascript()
    package = Path(find_compiler().command[-1]).parents[1]
    if package.is_relative_to(_USR):
        yield package


def _first_on_path(language: str) -> Path:
    """Return the folder inside in which a language's programs are looked for first."""
    return Path(find_language(language).find_toolchain().env["PATH"].partition(":")[0])


def _list_nothing() -> Iterator[Path]:
    yield from ()


TOOLCHAINS: Mapping[str, Callable[[], Iterator[Path]]] = {
    "python": _list_nothing,
    "cpp": _list_cpp,
    "go": _list_nothing,
    "java": _list_nothing,
    "javascript": _list_javascript,
    "rust": _list_rust,
    "typescript": _list_typescript,
}
"""What a language needs of ``/usr``; Python is in every guest."""


def describe_toolchain(language: str) -> list[tuple[str, int, int]]:
    """Return the paths that a language needs of ``/usr``, with their times and sizes, which tell versions apart.

    Raises:
        ConfigError: it isn't on this machine.
    """
    return describe_paths(TOOLCHAINS[language]())


def describe_paths(paths: Iterable[Path]) -> list[tuple[str, int, int]]:
    """Return paths in order with their times and sizes; those that aren't there are left out."""
    found = sorted({path for path in paths if path.exists()})
    return [(str(path), path.stat().st_mtime_ns, path.stat().st_size) for path in found]
