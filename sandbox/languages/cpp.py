"""C++: solutions are compiled with g++ and the driver ``drivers/cpp/driver.hpp``; its glue is made per signature.

The driver includes ``bits/stdc++.h`` and is precompiled once per compiler. It stands in front of a function solution,
the glue behind it; the types that a solution may use are in docs/languages.md. Method: own.
"""

import re
from pathlib import Path

from sandbox.base import Mount
from sandbox.judging import Program
from sandbox.languages.kept import keep_folder, read_drivers, read_version, run_tool
from sandbox.languages.recipes import Recipe, Toolchain, join_source
from sandbox.languages.types import CallType, Type
from sandbox.once import once_per_process
from schemas.errors import ConfigError
from schemas.limits import Limits

FLAGS = ("-O2", "-std=c++20", "-w", "-fmax-errors=10", "-fdiagnostics-color=never")
_COMPILER = "/usr/bin/g++"
_HEADERS = "/opt/cpp"
"""Folder inside with the precompiled driver, under the name of the header that solutions include."""
_OLDEST = 11
"""First major version of g++ that compiles the driver."""
_ENTRY = re.compile(r"(?:(?P<owner>[A-Za-z_]\w*)\(\)\.)?(?P<name>[A-Za-z_]\w*)", re.ASCII)
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include", re.MULTILINE)
_KINDS = {"int": "Int", "bigint": "BigKind", "float": "Float", "bool": "Bool", "str": "Str", "bytes": "Bytes"}
_KINDS |= {"none": "None", "list": "List", "set": "Set", "map": "Map", "tuple": "Tuple", "optional": "Optional"}
_WORDS = """auto call decltype int main parameters requires return serve static static_cast struct template typename
            types"""
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
        source = join_source(program)
        files = {"solution.cpp": source.encode("utf-8", "surrogatepass")}
        extra: tuple[str, ...] = ()
        main = "solution.cpp"
        if types is not None:
            main = "main.cpp"
            opening = "" if _INCLUDE.search(source) else "using namespace std;\n"
            files[main] = (opening + _write_glue(program.entry_point, types)).encode()
            extra = ("-include", "bits/stdc++.h")
        return Recipe(
            files=files,
            build=(_COMPILER, *FLAGS, "-I", _HEADERS, *extra, main, "-s", "-o", "program"),
            artefacts=("program",),
            run=("./program",),
            executable=("program",),
            memory_words=(b"what():  std::bad_alloc",),
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
    undefine = "\n".join(f"#undef {word}" for word in (*_WORDS.split(), *_KINDS.values()))
    return _GLUE.format(
        undefine=undefine, address=address, callee=callee, types=", ".join(["taskfoundry_Entry", *kinds])
    )


def _write_kind(kind: Type) -> str:
    parts = f"<{', '.join(map(_write_kind, kind.parts))}>" if kind.parts or kind.name == "tuple" else ""
    return f"::taskfoundry_driver::{_KINDS[kind.name]}{parts}"


@once_per_process
def _find_toolchain() -> Toolchain:
    if not Path(_COMPILER).exists():
        raise ConfigError(f"C++ needs {_COMPILER}; install the package g++")
    version = _ask("-dumpfullversion")
    if read_version(version) < (_OLDEST,):
        raise ConfigError(f"C++ needs g++ {_OLDEST} or newer, this is {version}; install a newer package g++")
    headers = _precompile(version)
    return Toolchain(version=f"g++ {version}", build_mounts=(Mount(source=headers, target=_HEADERS),))


def _ask(*arguments: str, folder: Path | None = None) -> str:
    """Return what g++ says; every message about it names the package."""
    try:
        return run_tool((_COMPILER, *arguments), env={"LC_ALL": "C.UTF-8"}, cwd=folder).strip()
    except ConfigError as error:
        raise ConfigError(f"{error}; C++ needs the package g++") from error


def _precompile(version: str) -> Path:
    """Return a folder with the driver and its precompiled form.

    g++ takes a precompiled header only if it fits the compiler, the flags and the solution; else it reads the text.
    """
    sources = read_drivers("cpp")
    made_of: dict[str, object] = {"version": version, "flags": FLAGS, **sources}
    for path in (_ask("-print-prog-name=cc1plus"), "/usr/include/features.h"):
        if Path(path).exists():
            stat = Path(path).stat()
            made_of[path] = [stat.st_size, stat.st_mtime_ns]

    def make(folder: Path) -> None:
        name = "bits/stdc++.h"  # what solutions include, and what messages about the driver call it
        (folder / "bits").mkdir()
        (folder / name).write_bytes(sources["driver.hpp"])
        _ask(*FLAGS, "-x", "c++-header", name, "-o", f"{name}.gch", folder=folder)

    return keep_folder("cpp", made_of, make)
