"""TypeScript: solutions are checked and translated by ``tsc`` and run like JavaScript.

The compiler is the one of this machine: the native one of TypeScript 7, or an older one that runs in Node.js. A type
error is a compile error. Solutions see the small declarations of Node.js that come with this package. Method: own.
"""

import json
import os
import platform
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from sandbox.base import Mount
from sandbox.judging import Program
from sandbox.languages.javascript import (
    MEMORY_WORDS,
    find_node,
    node_command,
    write_driver,
    write_reach,
)
from sandbox.languages.kept import read_drivers, read_version
from sandbox.languages.recipes import Recipe, Toolchain, join_source
from sandbox.languages.types import CallType
from sandbox.once import once_per_process
from schemas.errors import ConfigError
from schemas.limits import Limits

_MISSING = (
    "there is no TypeScript compiler on this machine: install the npm package typescript (npm install -g typescript), "
    "or Debian's node-typescript, or name the node_modules folder that holds it in NODE_PATH"
)
_INSIDE = "/opt/typescript"
_OLDEST = (4, 7)
_NATIVE = 7
"""First version whose compiler is a program of its own."""
_PLATFORMS = {"x86_64": "linux-x64", "aarch64": "linux-arm64"}
_SHARED_FOLDERS = ("/usr/local/lib/node_modules", "/usr/lib/node_modules", "/usr/share/nodejs")
_OPTIONS = """--target es2022 --module commonjs --moduleDetection force --esModuleInterop --strict false --skipLibCheck
--noEmitOnError --newLine lf --pretty false""".split()  # noqa: SIM905  # a command line


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiler:
    """A TypeScript compiler of this machine."""

    version: str
    command: tuple[str, ...]
    """How it is started inside."""
    mounts: tuple[Mount, ...]


class TypeScript:
    """The language; see `sandbox.languages.recipes.Language`."""

    name = "typescript"

    def find_toolchain(self) -> Toolchain:
        """Return the Node.js and the compiler of this machine; cached.

        Raises:
            ConfigError: one of them isn't there, or is too old.
        """
        node, compiler = find_node(), find_compiler()
        return replace(node, version=f"typescript {compiler.version}, {node.version}", build_mounts=compiler.mounts)

    def write_recipe(self, program: Program, types: CallType | None, limits: Limits) -> Recipe:
        """Return how a program is translated and how Node.js runs it.

        Raises:
            ConfigError: the entry point is neither ``name``, ``object.name`` nor ``Class().name``.
        """
        source = join_source(program)
        if types is not None:
            source += f"\n;module.entry = {write_reach(program.entry_point, looks_at_exports=False)};\n"
        driver = write_driver(program.entry_point, types)
        return Recipe(
            files={"solution.ts": source.encode("utf-8", "surrogatepass"), **read_drivers("typescript"), **driver},
            build=("sh", "-ec", f"{_write_command()} && mv solution.js solution.cjs"),
            artefacts=("solution.cjs", *driver),
            run=node_command(limits, is_called=types is not None),
            memory_words=MEMORY_WORDS,
        )


LANGUAGE = TypeScript()


@once_per_process
def find_compiler() -> Compiler:
    """Return the first TypeScript compiler among ``NODE_PATH``, ``PATH`` and the folders for shared packages.

    Raises:
        ConfigError: there is none, or it is too old or incomplete.
    """
    for package in _candidates():
        described = package / "package.json"
        if described.is_file() and (package / "bin" / "tsc").is_file():
            version = str(json.loads(described.read_text(encoding="utf-8"))["version"])
            return _read_compiler(package.resolve(), version)
    raise ConfigError(_MISSING)


def _candidates() -> Iterator[Path]:
    for folder in filter(None, os.environ.get("NODE_PATH", "").split(":")):
        yield Path(folder) / "typescript"
    if found := shutil.which("tsc"):
        yield Path(found).resolve().parent.parent
    if found := shutil.which("node"):
        yield Path(found).resolve().parent.parent / "lib" / "node_modules" / "typescript"
    for folder in _SHARED_FOLDERS:
        yield Path(folder) / "typescript"


def _read_compiler(package: Path, version: str) -> Compiler:
    parts = read_version(version)
    if parts < _OLDEST:
        raise ConfigError(f"{package} is TypeScript {version}; programs are compiled by 4.7 or newer")
    if parts[0] < _NATIVE:
        path, mounts = _place(package)
        return Compiler(version=version, command=("node", f"{path}/lib/tsc.js"), mounts=mounts)
    name = f"@typescript/typescript-{_PLATFORMS.get(platform.machine(), platform.machine())}"
    for folder in (package / "node_modules", package.parent):
        if (folder / name / "lib" / "tsc").is_file():
            path, mounts = _place((folder / name).resolve())
            return Compiler(version=version, command=(f"{path}/lib/tsc",), mounts=mounts)
    raise ConfigError(
        f"{package} is TypeScript {version} without its compiler: install the npm package {name} beside it"
    )


def _place(folder: Path) -> tuple[str, tuple[Mount, ...]]:
    """Return where a folder is inside, and the mount that it needs for that."""
    if folder.is_relative_to("/usr"):
        return str(folder), ()
    return _INSIDE, (Mount(source=folder, target=_INSIDE),)


def _write_command() -> str:
    compiler = find_compiler()
    major = int(compiler.version.split(".")[0])
    library = "es2023" if major > _OLDEST[0] else "es2022"
    return " ".join([*compiler.command, *_OPTIONS, "--lib", library, "node.d.ts", "solution.ts"])
