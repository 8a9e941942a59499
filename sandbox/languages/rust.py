"""Rust: solutions are compiled with rustc, without cargo, against the crate ``taskfoundry``.

The crate, ``drivers/rust/driver.rs``, is compiled once per compiler. A function solution is a module with a few
generated lines behind it; the types that it may use are in docs/languages.md. Method: own.
"""

import os
import re
import shutil
from pathlib import Path

from sandbox.base import Mount
from sandbox.judging import Program
from sandbox.languages.kept import keep_folder, read_drivers, run_tool
from sandbox.languages.recipes import Recipe, Toolchain, join_source
from sandbox.languages.types import CallType, Type
from sandbox.once import once_per_process
from schemas.errors import ConfigError
from schemas.limits import Limits

FLAGS = ("-O", "--edition", "2021", "--cap-lints", "allow", "-A", "warnings", "-C", "strip=symbols", "--color", "never")
_ROOT = "/opt/rust"
_LIBRARY = "/opt/rust-driver"
"""Folder inside with the compiled driver."""
_LINKER = "/usr/bin/cc"
_MOST_ITEMS = 8
"""Items of the longest tuple that the driver knows."""
_ENTRY = re.compile(r"(?:(?P<owner>[A-Za-z_]\w*)\(\)\.)?(?P<name>[A-Za-z_]\w*)", re.ASCII)
_SOLUTION = re.compile(r"\b(?:struct|enum|type|union)\s+Solution\b")
_RESERVED = """abstract as async await become box break const continue do dyn else enum extern false final fn for if
               impl in let loop macro match mod move mut override priv pub ref return static struct trait true try type
               typeof unsafe unsized use virtual where while yield"""
_NEVER_RAW = ("_", "crate", "self", "Self", "super")
_KINDS = {"int": "Int", "bigint": "Big", "float": "Float", "bool": "Bool", "str": "Str", "bytes": "Bytes"}
_KINDS |= {"none": "Nothing", "list": "List", "set": "Set", "map": "Map", "tuple": "Tuple", "optional": "Optional"}
_MAIN = """#[allow(unused_imports)]
use solution::*;
mod solution;
fn main() {
    ::taskfoundry::driver::serve(solution::taskfoundry_glue::answer);
}
"""
_GLUE = """
pub mod taskfoundry_glue {{
    pub fn answer(
        input: &mut ::taskfoundry::driver::Input,
    ) -> ::core::result::Result<(), ::taskfoundry::driver::Mismatch> {{
{reads}
        ::taskfoundry::driver::run::<{returns}, _>(move || super::{callee}({names}));
        ::core::result::Result::Ok(())
    }}
}}
"""


class Rust:
    """Rust with rustc."""

    name = "rust"

    def find_toolchain(self) -> Toolchain:
        """Return rustc, behind rustup if that is what ``PATH`` offers, with its compiled driver.

        Raises:
            ConfigError: there is no rustc or no linker, or it doesn't compile the driver.
        """
        return _find_toolchain()

    def write_recipe(self, program: Program, types: CallType | None, limits: Limits) -> Recipe:  # noqa: ARG002
        """Return how a program is compiled and started.

        Raises:
            ConfigError: the entry point is neither a function's name nor ``Type().function``, or a tuple is too long.
        """
        text = join_source(program)
        source = text.encode("utf-8", "surrogatepass")
        files, main = {"main.rs": source}, "main.rs"
        extra: tuple[str, ...] = ()
        if types is not None:
            glue = _write_glue(program.entry_point, types)
            if program.entry_point.startswith("Solution().") and not _SOLUTION.search(text):
                glue = f"\nstruct Solution;{glue}"
            files = {"solution.rs": source + glue.encode(), "main.rs": _MAIN.encode()}
            extra = ("--extern", f"taskfoundry={_LIBRARY}/libtaskfoundry.rlib")
        return Recipe(
            files=files,
            build=("rustc", *FLAGS, *extra, main, "-o", "program"),
            artefacts=("program",),
            run=("./program",),
            executable=("program",),
            memory_words=(b"memory allocation of ",),
        )


LANGUAGE = Rust()


def _write_glue(entry_point: str, types: CallType) -> str:
    match = _ENTRY.fullmatch(entry_point)
    if match is None or match["name"] in _NEVER_RAW:
        raise ConfigError(
            f"the entry point {entry_point!r} can't be called in Rust; name a function or Type().function"
        )
    name = f"r#{match['name']}" if match["name"] in _RESERVED.split() else match["name"]
    names = [f"taskfoundry_{index}" for index in range(len(types.parameters))]
    for _, kind in types.parameters:
        _write_kind(kind)
    return _GLUE.format(
        reads="\n".join(f"        let {each} = ::taskfoundry::driver::read(input)?;" for each in names),
        returns=_write_kind(types.returns),
        callee=f"{match['owner']}::{name}" if match["owner"] else name,
        names=", ".join(names),
    )


def _write_kind(kind: Type) -> str:
    parts = ", ".join(map(_write_kind, kind.parts))
    if kind.name == "tuple":
        if not 0 < len(kind.parts) <= _MOST_ITEMS:
            raise ConfigError(f"tuples in Rust have 1 to {_MOST_ITEMS} items here, not {len(kind.parts)}: {kind}")
        parts = f"({parts},)"
    return f"::taskfoundry::driver::{_KINDS[kind.name]}{f'<{parts}>' if parts else ''}"


@once_per_process
def _find_toolchain() -> Toolchain:
    found = shutil.which("rustc") or shutil.which("rustc", path=f"{Path.home() / '.cargo' / 'bin'}:/usr/bin")
    if found is None:
        raise ConfigError("Rust needs rustc; install the package rustc, or rustup")
    if not Path(_LINKER).exists():
        raise ConfigError(f"Rust needs the linker {_LINKER}; install the package gcc")
    root = Path(_ask(found, "--print", "sysroot"))
    compiler = str(root / "bin" / "rustc")
    described = _ask(compiler, "-vV")
    version = " ".join(described.split()[:2])
    library = Mount(source=_compile_driver(compiler, described), target=_LIBRARY)
    if root.is_relative_to("/usr"):
        return Toolchain(version=version, build_mounts=(library,), env={"PATH": f"{root}/bin:/usr/bin:/bin"})
    parts = [Mount(source=root / part, target=f"{_ROOT}/{part}") for part in ("bin/rustc", "lib")]
    return Toolchain(version=version, build_mounts=(*parts, library), env={"PATH": f"{_ROOT}/bin:/usr/bin:/bin"})


def _ask(compiler: str, *arguments: str, folder: Path = Path("/")) -> str:
    """Return what rustc says; every message about it names the package.

    Args:
        folder: where it runs; rustup finds no project's settings in the root folder.
    """
    env = {name: os.environ[name] for name in ("HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN") if name in os.environ}
    try:
        return run_tool((compiler, *arguments), env=env, cwd=folder).strip()
    except ConfigError as error:
        raise ConfigError(f"{error}; Rust needs the packages rustc and gcc, or rustup") from error


def _compile_driver(compiler: str, described: str) -> Path:
    """Return a folder with the driver as a library for that compiler."""
    sources = read_drivers("rust")

    def make(folder: Path) -> None:
        (folder / "driver.rs").write_bytes(sources["driver.rs"])
        _ask(compiler, *FLAGS, "--crate-type", "rlib", "--crate-name", "taskfoundry", "driver.rs", folder=folder)

    return keep_folder("rust", {"compiler": described, "flags": FLAGS, **sources}, make)
