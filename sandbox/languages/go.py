"""Go: the solution's package and a small main package, compiled and linked against prepared archives.

A function task's entry point is a function of the solution's one file; how its types go with those of a signature is
in docs/languages.md. The compiler and the linker are called directly, with archives of the standard library that were
made once per toolchain: that takes half the time of ``go build``, and there are no modules, no cgo, no embedded files
and no internal packages. Method: own.
"""

import re
import shlex
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from sandbox.base import Mount
from sandbox.judging import Program
from sandbox.languages.kept import keep_folder, read_drivers, run_tool
from sandbox.languages.recipes import Recipe, Toolchain, join_source
from sandbox.languages.types import CallType
from sandbox.once import once_per_process
from schemas.errors import ConfigError
from schemas.limits import Limits

_PLACES = ("/usr/local/go/bin", "/usr/lib/go/bin")
_HOME = "/opt/go"
"""Where the prepared folder is mounted."""
_FORMAT = "2"
"""Of the prepared folder."""
_LEFT_OUT = """cmd crypto/tls crypto/x509 database/ debug/ expvar go/ html/template log/syslog net/http net/rpc net/smtp
plugin runtime/coverage testing vendor/"""
"""Beginnings of the names of packages that are of no use to a solution; they'd be half of the work and the space."""
_ENV = {
    "CGO_ENABLED": "0",
    "GO111MODULE": "off",
    "GOENV": "off",
    "GOFLAGS": "",
    "GOPROXY": "off",
    "GOTOOLCHAIN": "local",
    "GOWORK": "off",
}
_NAME = re.compile(r"[^\W\d]\w*\Z")
_PACKAGE = re.compile(r"(?:\s|//[^\n]*\n|/\*.*?\*/)*+package\s+([^\W\d]\w*)", re.DOTALL)
_KEYWORDS = """break case chan const continue default defer else fallthrough for func go goto if import interface map
package range return select struct switch type var"""
_ENTRY = "TaskfoundryEntry"
_MEMORY_SHARE = 0.9
_MEMORY_WORDS = (b"fatal error: runtime: out of memory", b"fatal error: runtime: cannot allocate memory")


class GoLanguage:
    """See `sandbox.languages.recipes.Language`.

    Args:
        places: folders in which ``go`` is looked for; None takes those of ``PATH`` and the usual ones.
    """

    name = "go"

    def __init__(self, places: Sequence[str] | None = None) -> None:
        self._places = None if places is None else tuple(places)

    def find_toolchain(self) -> Toolchain:
        """Return the toolchain; at its first use ever on a machine the standard library is compiled (half a minute).

        Raises:
            ConfigError: there is none, or it can't compile its own library.
        """
        return _find_toolchain(self._places)

    def write_recipe(self, program: Program, types: CallType | None, limits: Limits) -> Recipe:
        """Return how a program is built and started.

        Raises:
            ConfigError: the entry point is no name.
        """
        source = join_source(program)
        clause = _PACKAGE.match(source)
        if clause is None:
            source = f"package main; {source}"
        package = clause[1] if clause else "main"
        if types is None:
            files = {"limits.go": 'package main\n\nimport _ "taskfoundry/limits"\n'}
            build = _compile("main", "solution.go limits.go", "main")
        else:
            files = _write_glue(program.entry_point, package, types)
            build = (
                f"{_compile('solution', 'solution.go entry.go', 'solution')} && {_compile('main', 'main.go', 'driver')}"
            )
        link = f"{_HOME}/link -importcfg {_HOME}/link.cfg -s -w -buildid= -o program main.a"
        return Recipe(
            files={"solution.go": source.encode("utf-8", "surrogatepass")}
            | {name: text.encode() for name, text in files.items()},
            build=("/bin/sh", "-c", f"{build} && {link}"),
            artefacts=("program",),
            run=("./program",),
            executable=("program",),
            env={"GOMEMLIMIT": f"{int(limits.memory_mb * _MEMORY_SHARE)}MiB"},
            memory_words=_MEMORY_WORDS,
        )


def _compile(package: str, files: str, config: str) -> str:
    return (
        f"{_HOME}/compile -p {package} -o {package}.a -pack -complete -dwarf=false -c=2 -trimpath /work"
        f" -importcfg {_HOME}/{config}.cfg {files}"
    )


def _write_glue(entry_point: str, package: str, types: CallType) -> dict[str, str]:
    """Return the file that joins the solution's package, and the main package beside it, which it can't name."""
    if not _NAME.match(entry_point):
        raise ConfigError(f"the entry point of a Go program is a function's name, not {entry_point!r}")
    name = f"{entry_point}_" if entry_point in _KEYWORDS.split() else entry_point
    kinds = [*(kind for _, kind in types.parameters), types.returns]
    listed = ", ".join(f'"{kind}"' for kind in kinds)
    main = f"""package main

import (
	solution "solution"
	driver "taskfoundry/driver"
)

func main() {{ driver.Run(solution.{_ENTRY}, {listed}) }}
"""
    return {"entry.go": f"package {package}\n\nvar {_ENTRY} interface{{}} = {name}\n", "main.go": main}


@once_per_process
def _find_toolchain(places: tuple[str, ...] | None) -> Toolchain:
    return _prepare(_find_go(places))


def _find_go(places: Sequence[str] | None) -> Path:
    found = shutil.which("go") if places is None else None
    for place in _PLACES if places is None else places:
        found = found or shutil.which("go", path=place)
    if found is None:
        raise ConfigError("Go programs can't be judged without a Go toolchain: install the Debian package golang-go")
    return Path(found).resolve()


def _prepare(go: Path) -> Toolchain:
    """Return the toolchain around the compiled standard library and driver."""
    with tempfile.TemporaryDirectory() as scratch:
        env = {**_ENV, "HOME": scratch, "GOCACHE": f"{scratch}/cache", "GOPATH": f"{scratch}/path"}
        tools, version = run_tool((go, "env", "GOTOOLDIR", "GOVERSION"), env=env).splitlines()
        drivers = read_drivers("go")
        made_of = {"format": _FORMAT, "version": version, "left out": _LEFT_OUT, **drivers}
        made_of["compiler"] = (Path(tools) / "compile").read_bytes()
        folder = keep_folder("go", made_of, lambda made: _make(made, go, Path(tools), env, drivers))
    path = "/usr/bin:/bin"
    return Toolchain(
        version=f"go {version.removeprefix('go')}",
        build_mounts=(Mount(source=folder, target=_HOME),),
        env={"PATH": path, "GOMAXPROCS": "2", "GOTRACEBACK": "none"},
    )


def _make(folder: Path, go: Path, tools: Path, env: dict[str, str], drivers: dict[str, bytes]) -> None:
    for tool in ("compile", "link"):
        shutil.copy(tools / tool, folder / tool)
    public = [name for name in run_tool((go, "list", "std"), env=env).split() if _is_public(name)]
    template = "{{if .Export}}{{.ImportPath}} {{.Export}}{{end}}"
    lines = run_tool((go, "list", "-export", "-deps", "-f", template, *public), env=env).splitlines()
    archives: dict[str, Path] = {}
    for name, _, source in (line.partition(" ") for line in lines):
        archives[name] = folder / "std" / f"{name}.a"
        archives[name].parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, archives[name])
    _write_config(folder / "make.cfg", archives)
    for package, files in {"limits": ["limits.go"], "driver": sorted(drivers.keys() - {"limits.go"})}.items():
        archives[f"taskfoundry/{package}"] = _compile_driver(folder, package, {name: drivers[name] for name in files})
        _write_config(folder / "make.cfg", archives)
    (folder / "make.cfg").unlink()
    inside = {name: Path(_HOME, path.relative_to(folder)) for name, path in archives.items()}
    work = {name: Path("/work", f"{name}.a") for name in ("solution", "main")}
    known = {name: path for name, path in inside.items() if name in public}
    _write_config(folder / "solution.cfg", known)
    _write_config(folder / "main.cfg", known | {"taskfoundry/limits": inside["taskfoundry/limits"]})
    _write_config(
        folder / "driver.cfg",
        {"solution": work["solution"], "taskfoundry/driver": inside["taskfoundry/driver"]}
        | {name: inside[name] for name in ("runtime",)},
    )
    _write_config(folder / "link.cfg", inside | {"solution": work["solution"]})


def _is_public(package: str) -> bool:
    return not package.startswith(tuple(_LEFT_OUT.split())) and "internal" not in package.split("/")


def _compile_driver(folder: Path, package: str, files: dict[str, bytes]) -> Path:
    archive = folder / f"{package}.a"
    with tempfile.TemporaryDirectory() as scratch:
        for name, content in files.items():
            (Path(scratch) / name).write_bytes(content)
        command = f"{folder}/compile -p taskfoundry/{package} -o {archive} -pack -complete -trimpath {scratch}"
        run_tool((*shlex.split(command), "-importcfg", folder / "make.cfg", *files), env=_ENV, cwd=Path(scratch))
    return archive


def _write_config(path: Path, archives: dict[str, Path]) -> None:
    path.write_text("".join(f"packagefile {name}={archive}\n" for name, archive in sorted(archives.items())))


LANGUAGE = GoLanguage()
