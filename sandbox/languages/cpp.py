"""C++: solutions are compiled with g++ and the driver ``drivers/driver.hpp``, whose glue is generated per signature.

The driver header includes ``bits/stdc++.h`` and is precompiled once per compiler. A function solution sees it in front
of its own text, and ``using namespace std`` as well if it includes nothing itself. It may take and return

============== ======================================================================================================
``int``        any integer type (a value beyond it ends the case)
``bigint``     ``taskfoundry::BigInt``, whose ``digits`` are a decimal text; ``std::string`` of digits; any integer type
``float``      ``double`` and other floating types
``str``        ``std::string`` in UTF-8, ``std::string_view``, ``const char*``; a lone surrogate is three bytes
``bytes``      ``std::vector<unsigned char>`` (also of ``char`` or ``std::byte``) or ``std::string``
``list``       ``std::vector``, ``std::deque``, ``std::list``, ``std::array``
``set, dict``  ``std::set``, ``std::map`` and their unordered forms
``tuple``      ``std::tuple``, ``std::pair``
``T | None``   ``std::optional``
``None``       ``void`` as a result, ``std::monostate`` as a parameter
============== ======================================================================================================

by value or by reference. An entry point that C++ reserves has ``_`` behind it (``default_``). ``main`` in a function
solution is never called. A preamble isn't used: it is Python. Method: own.
"""

import hashlib
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

from filelock import FileLock

from sandbox.base import Mount
from sandbox.environments import default_cache
from sandbox.judging import Program
from sandbox.languages.recipes import Recipe, Toolchain
from sandbox.languages.types import CallType, Type
from schemas.errors import ConfigError
from schemas.limits import Limits

FLAGS = ("-O2", "-std=c++20", "-w", "-fmax-errors=10", "-fdiagnostics-color=never")
_HEADERS = "/opt/cpp"
"""Folder inside with the precompiled driver, under the name of the header that solutions include."""
_OLDEST = 11
"""First major version of g++ that compiles the driver."""
_PRECOMPILE_S = 300
_DRIVER = Path(__file__).parent / "drivers" / "driver.hpp"
_ENTRY = re.compile(r"(?:(?P<owner>[A-Za-z_]\w*)\(\)\.)?(?P<name>[A-Za-z_]\w*)", re.ASCII)
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include", re.MULTILINE)
_KINDS = {"int": "Int", "bigint": "BigKind", "float": "Float", "bool": "Bool", "str": "Str", "bytes": "Bytes"}
_KINDS |= {"none": "None", "list": "List", "set": "Set", "map": "Map", "tuple": "Tuple", "optional": "Optional"}
_KEYWORDS = "const decltype int long return static struct template typename auto requires main"
"""Words of the glue, which a solution may have defined as macros."""
_RESERVED = """alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t
class compl concept const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype
default delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline int long
mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast
requires return short signed sizeof static static_assert static_cast struct switch template this thread_local throw
true try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq"""
_GLUE = """#define main taskfoundry_unused_main
#include "solution.cpp"
{undefine}
struct taskfoundry_Entry {{
    template <typename taskfoundry_T> static auto types(taskfoundry_T taskfoundry_tag)
        requires requires {{ ::taskfoundry_driver::parameters(taskfoundry_tag, &{address}); }}
    {{ return ::taskfoundry_driver::parameters(taskfoundry_tag, &{address}); }}
    template <typename... taskfoundry_A> static decltype(auto) call(taskfoundry_A&&... taskfoundry_a)
    {{ return {callee}(static_cast<taskfoundry_A&&>(taskfoundry_a)...); }}
}};
int main() {{ ::taskfoundry_driver::serve<{types}>(); }}
"""


class Cpp:
    """C++ with g++."""

    name = "cpp"

    def find_toolchain(self) -> Toolchain:
        """Return g++ with its precompiled driver.

        Raises:
            ConfigError: there is no g++ below ``/usr``, it is too old, or it doesn't compile the driver.
        """
        return _find_toolchain()

    def write_recipe(self, program: Program, types: CallType | None, limits: Limits) -> Recipe:  # noqa: ARG002
        """Return how a program is compiled and started.

        Raises:
            ConfigError: the entry point is neither a function's name nor ``Class().method``.
        """
        files = {"solution.cpp": program.source.encode("utf-8", "surrogatepass")}
        extra: tuple[str, ...] = ()
        main = "solution.cpp"
        if types is not None:
            main = "main.cpp"
            opening = "" if _INCLUDE.search(program.source) else "using namespace std;\n"
            files[main] = (opening + _write_glue(program.entry_point, types)).encode()
            extra = ("-include", "bits/stdc++.h")
        return Recipe(
            files=files,
            build=("/usr/bin/g++", *FLAGS, "-I", _HEADERS, *extra, main, "-s", "-o", "program"),
            artefacts=("program",),
            run=("./program",),
            executable=("program",),
        )


LANGUAGE = Cpp()


def _write_glue(entry_point: str, types: CallType) -> str:
    match = _ENTRY.fullmatch(entry_point)
    if match is None or match["name"] == "main":
        raise ConfigError(f"the entry point {entry_point!r} can't be called in C++; name a function or Class().method")
    owner, name = match["owner"], match["name"]
    if name in _RESERVED.split():
        name += "_"
    address = f"::{owner}::{name}" if owner else f"::{name}"
    callee = f"::{owner}().{name}" if owner else f"::{name}"
    kinds = [_write_kind(each) for each in (types.returns, *(kind for _, kind in types.parameters))]
    undefine = "\n".join(f"#undef {word}" for word in _KEYWORDS.split())
    return _GLUE.format(
        undefine=undefine, address=address, callee=callee, types=", ".join(["taskfoundry_Entry", *kinds])
    )


def _write_kind(kind: Type) -> str:
    parts = f"<{', '.join(map(_write_kind, kind.parts))}>" if kind.parts or kind.name == "tuple" else ""
    return f"::taskfoundry_driver::{_KINDS[kind.name]}{parts}"


@cache
def _find_toolchain() -> Toolchain:
    compiler = shutil.which("g++", path="/usr/bin")
    if compiler is None:
        raise ConfigError("C++ needs g++ in /usr/bin; install the package g++")
    version = _ask(compiler, "-dumpfullversion")
    if int(version.partition(".")[0]) < _OLDEST:
        raise ConfigError(f"C++ needs g++ {_OLDEST} or newer, this is {version}; install a newer package g++")
    headers = _precompile(compiler, version)
    return Toolchain(version=f"g++ {version}", build_mounts=(Mount(source=headers, target=_HEADERS),))


def _ask(compiler: str, *arguments: str, folder: Path | None = None) -> str:
    command = [compiler, *arguments]
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, check=True, timeout=_PRECOMPILE_S, encoding="utf-8"
        )
    except (OSError, subprocess.SubprocessError) as error:
        said = getattr(error, "stderr", "") or ""
        raise ConfigError(f"{compiler} doesn't work; reinstall the package g++: {error} {said[-500:]}") from error
    return done.stdout.strip()


def _precompile(compiler: str, version: str) -> Path:
    """Return a folder of the cache with the driver and its precompiled form, made at first use.

    g++ takes a precompiled header only if it fits the compiler, the flags and the solution; else it reads the text.
    """
    folder = default_cache() / "cpp" / _describe_headers(compiler, version)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        if folder.is_dir():
            return folder
        partial = folder.with_suffix(".partial")
        shutil.rmtree(partial, ignore_errors=True)
        header = partial / "bits" / "stdc++.h"
        header.parent.mkdir(parents=True)
        shutil.copyfile(_DRIVER, header)
        name = str(header.relative_to(partial))  # what messages about the driver call it
        _ask(compiler, *FLAGS, "-x", "c++-header", name, "-o", f"{name}.gch", folder=partial)
        for path in (partial, *partial.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        partial.rename(folder)
    return folder


def _describe_headers(compiler: str, version: str) -> str:
    """Return a digest of all that a precompiled header depends on."""
    backend = _ask(compiler, "-print-prog-name=cc1plus")
    facts = [version, *FLAGS, hashlib.sha256(_DRIVER.read_bytes()).hexdigest()]
    for path in (backend, "/usr/include/features.h"):
        stat = Path(path).stat()
        facts += [str(stat.st_size), str(stat.st_mtime_ns)]
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()[:32]
