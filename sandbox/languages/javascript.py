"""JavaScript: solutions run in Node.js, and a driver beside them calls the entry point.

``node --check`` is the build. One process per case: a process can't be shared, since a program may replace any global
object of it for the next case, and it can't be forked either, since it has threads. Method: own.
"""

import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from sandbox.base import Mount
from sandbox.judging import Program
from sandbox.languages.kept import read_drivers, read_version, run_tool
from sandbox.languages.recipes import Recipe, Toolchain, join_source
from sandbox.languages.types import CallType, Type
from sandbox.once import once_per_process
from schemas.errors import ConfigError
from schemas.limits import Limits

MISSING_NODE = "there is no Node.js on this machine: install it (Debian: apt-get install nodejs)"
MEMORY_WORDS = (
    b"JavaScript heap out of memory",
    b"Reached heap limit Allocation failed",
    b"RangeError: Array buffer allocation failed",
)
"""What Node.js says on standard error when it stops at its heap limit, or gets no memory for a buffer."""
_OLDEST = 18
_FOLDER = "/opt/node/bin"
_HEAP_SHARE = 0.6
"""Share of the memory limit for the heap; the rest is for code, buffers and stacks."""
_STACK_KB = 54_000
"""Of the 64 MiB that the fork server allows."""
_SEED = 20_240_229
_NAME = r"[^\W\d][\w$]*|\$[\w$]*"
_ENTRY_POINT = re.compile(rf"(?P<owner>{_NAME})(?:(?P<made>\(\))?\.(?P<member>{_NAME}))?")
_WORDS = """await break case catch class const continue debugger default delete do else enum export extends false
finally for function if implements import in instanceof interface let new null package private protected public return
static super switch this throw true try typeof var void while with yield"""
_RESERVED = frozenset(_WORDS.split())
_CHECK = r"""
if node --check solution.cjs 2>said; then
  cat entry.cjs >>solution.cjs
elif grep -Eq "import statement outside|export|import\.meta|await is only valid|reserved word" said; then
  mv solution.cjs solution.mjs
  node --check solution.mjs
  cat entry.mjs >>solution.mjs
  echo 'module.exports = import("./solution.mjs");' >solution.cjs
else
  cat said >&2
  exit 1
fi
"""


class JavaScript:
    """The language; see `sandbox.languages.recipes.Language`."""

    name = "javascript"

    def find_toolchain(self) -> Toolchain:
        """Return the Node.js of this machine; cached.

        Raises:
            ConfigError: there is none, or it is too old.
        """
        return find_node()

    def write_recipe(self, program: Program, types: CallType | None, limits: Limits) -> Recipe:
        """Return the check of a program and how Node.js runs it.

        Raises:
            ConfigError: the entry point is neither ``name``, ``object.name`` nor ``Class().name``.
        """
        reach = "" if types is None else write_reach(program.entry_point)
        sources = {
            "solution.cjs": join_source(program).encode("utf-8", "surrogatepass"),
            "entry.cjs": (reach and f"\n;module.entry = {reach};\n").encode(),
            "solution.mjs": b"",
            "entry.mjs": (reach and f"\nexport const entry = {reach};\n").encode(),
        }
        driver = write_driver(program.entry_point, types)
        return Recipe(
            files={**sources, **driver},
            build=("sh", "-ec", _CHECK),
            artefacts=("solution.cjs", "solution.mjs", *driver),
            run=node_command(limits, is_called=types is not None),
            memory_words=MEMORY_WORDS,
        )


LANGUAGE = JavaScript()


@once_per_process
def find_node() -> Toolchain:
    """Return the Node.js that ``PATH`` names.

    Raises:
        ConfigError: there is none, it doesn't start, or it is older than version 18.
    """
    found = shutil.which("node") or shutil.which("nodejs")
    if found is None:
        raise ConfigError(MISSING_NODE)
    binary = Path(found).resolve()
    version = run_tool((binary, "--version"), env={}).strip().removeprefix("v")
    if read_version(version) < (_OLDEST,):
        raise ConfigError(f"{binary} is Node.js {version}; programs run on {_OLDEST} or newer")
    if binary.is_relative_to("/usr") and binary.name == "node":
        return Toolchain(version=f"node {version}", env={"PATH": f"{binary.parent}:/usr/bin:/bin"})
    mount = Mount(source=binary, target=f"{_FOLDER}/node")
    return Toolchain(version=f"node {version}", mounts=(mount,), env={"PATH": f"{_FOLDER}:/usr/bin:/bin"})


def node_command(limits: Limits, *, is_called: bool) -> tuple[str, ...]:
    """Return the command that runs a solution, with limits of Node.js just inside those of the sandbox."""
    heap_mb = max(16, int(limits.memory_mb * _HEAP_SHARE))
    flags = (f"--max-old-space-size={heap_mb}", f"--stack-size={_STACK_KB}", f"--random-seed={_SEED}")
    return ("node", *flags, *(("driver.cjs",) if is_called else ("--require=./streams.cjs", "solution.cjs")))


def write_reach(entry_point: str, *, looks_at_exports: bool = True) -> str:
    """Return a JavaScript function that gives the callable and its ``this``, or what the module exports instead.

    A name that is a reserved word gets an underscore behind it.

    Args:
        looks_at_exports: whether a name that isn't there may be one that the module exports.

    Raises:
        ConfigError: the entry point is neither ``name``, ``object.name`` nor ``Class().name``.
    """
    match = _ENTRY_POINT.fullmatch(entry_point)
    if match is None:
        raise ConfigError(
            f"the entry point {entry_point!r} can't be called from JavaScript; it must be a function's name, "
            "'object.method' or 'Class().method'"
        )
    owner, member = match["owner"], match["member"]
    own = f"{owner}_" if owner in _RESERVED else owner
    if member is not None:
        return f"() => {{ const self = {f'new {own}()' if match['made'] else own}; return [self.{member}, self]; }}"
    if not looks_at_exports:
        return f"() => [{own}, undefined]"
    exported = f'typeof {own} === "undefined" && exported?.{owner} ? [exported.{owner}, undefined]'
    return f"(exported) => {exported} : [{own}, undefined]"


def write_driver(entry_point: str, types: CallType | None) -> Mapping[str, bytes]:
    """Return what runs beside a solution, by path: ``streams.cjs``, and for a function task ``driver.cjs``."""
    drivers = read_drivers("javascript")
    streams = {"streams.cjs": drivers["streams.cjs"]}
    if types is None:
        return streams
    parameters = ", ".join(_describe(kind) for _, kind in types.parameters)
    call = f'{{ entry: "{entry_point}", parameters: [{parameters}], returns: {_describe(types.returns)} }}'
    return {**streams, "driver.cjs": drivers["driver.cjs"].replace(b"__CALL__", call.encode())}


def _describe(kind: Type) -> str:
    return "[" + ", ".join([f'"{kind.name}"', *map(_describe, kind.parts)]) + "]"
