"""Java: one source file, compiled in memory under any class name, and a JVM per case that starts from an archive.

A function task's entry point is a method of a class in the solution's one file; how its types go with those of a
signature is in docs/languages.md. The JDK is copied once, links resolved, next to our compiled driver and archives of
loaded classes, so that every backend can show it in one place. Method: own; class data sharing (JEP 310, 350).
"""

import re
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from sandbox.base import Mount
from sandbox.judging import Program
from sandbox.languages.kept import keep_folder, read_drivers, read_version, run_tool
from sandbox.languages.recipes import Recipe, Toolchain, join_source
from sandbox.languages.types import CallType
from sandbox.once import once_per_process
from schemas.errors import ConfigError
from schemas.limits import Limits

_HOME = "/opt/java"
"""Where the prepared folder is mounted."""
_RELATIVE = "../opt/java"
"""The same as seen from ``/work``: archives remember the class path as it was written."""
_PLACES = ("/usr/lib/jvm/default-java/bin",)
_OLDEST = 17
_FORMAT = "2"
"""Of the prepared folder."""
_LEFT_OUT = ("src.zip", "jmods", "legal", "man", "docs", "include", "demo", "sample", "*.jsa", "*.debuginfo")
_FLAGS = ("-XX:+UseSerialGC", "-XX:-UsePerfData", "-XX:ActiveProcessorCount=2", "-Xshare:auto")
_BUILD_FLAGS = (*_FLAGS, "-XX:TieredStopAtLevel=1", "-Xmx1g")
_BUILD_CLASS_PATH = ("-cp", f"{_RELATIVE}/driver.jar")
_RUN_CLASS_PATH = ("-cp", f"{_RELATIVE}/driver.jar:classes")
_JAVA = f"{_HOME}/bin/java"
_BUILD = "taskfoundry.Build"
_START = "@classes/start.args"
"""What the build leaves: the main class and its arguments."""
_DISCARD = ("/bin/sh", "-c", 'exec "$@" 3>/dev/null', "sh")
"""Start of a command that writes records nobody reads."""
_HEAP_SHARE = 0.6
"""Share of the memory limit for the heap; the rest is for code, metadata, buffers and stacks."""
_STACK_SHARE = 1 / 16
"""Share of the memory limit for a thread's stack: unwinding a full one takes up to four times as much again."""
_STACK_MB = range(1, 65)
_ENTRY = re.compile(r"(?:(?P<owner>[^\W\d][\w$]*)(?:\(\))?\.)?(?P<name>[^\W\d][\w$]*)", re.ASCII)
_KEYWORDS = """abstract assert boolean break byte case catch char class const continue default do double else enum
extends false final finally float for goto if implements import instanceof int interface long native new null package
private protected public return short static strictfp super switch synchronized this throw throws transient true
try void volatile while"""
_LIST_ID = re.compile(r" id: \d+\Z")
_SAMPLES = (
    (
        """import java.util.*;
public class Sample {
    record Point(int x, int y) {}
    static Map<String, Integer> sample(List<Long> a, String b, Set<Double> c, Map<String, List<Integer>> d, Point e) {
        Map<String, Integer> counts = new HashMap<>();
        for (String word : b.split(" ")) { counts.merge(word, 1, Integer::sum); }
        System.out.println(a.stream().mapToLong(x -> x).sum() + c.size() + d.size());
        return counts;
    }
}
""",
        ("", "sample", "list[int]", "str", "set[float]", "map[str, list[int]]", "tuple[int, int]", "map[str, int]"),
        b"C1;L2:I1;I2;S3:a bE1:D3ff8000000000000M1:S1:aL1:I1;P2:I1;I2;",
    ),
    (
        """import java.io.*;
import java.util.*;
public class Sample {
    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        StringTokenizer words = new StringTokenizer(in.readLine());
        Scanner scanner = new Scanner(in);
        StringBuilder text = new StringBuilder();
        while (scanner.hasNextInt()) { text.append(scanner.nextInt()).append(' '); }
        Map<Integer, List<String>> map = new HashMap<>();
        map.computeIfAbsent(1, key -> new ArrayList<>()).add(words.nextToken());
        System.out.printf("%d %s %.2f%n", map.size(), text, 1.5);
        System.out.println(text + " " + map);
    }
}
""",
        (),
        b"a b\n1 2 3\n",
    ),
)
"""Programs whose loaded classes go into the archives: what it takes, how it is built, what it reads."""


class JavaLanguage:
    """See `sandbox.languages.recipes.Language`.

    Args:
        places: folders in which ``javac`` is looked for; None takes those of ``PATH`` and the usual ones.
    """

    name = "java"

    def __init__(self, places: Sequence[str] | None = None) -> None:
        self._places = None if places is None else tuple(places)

    def find_toolchain(self) -> Toolchain:
        """Return the toolchain; at its first use ever on a machine the JDK is copied and archives are made (seconds).

        Raises:
            ConfigError: there is none, or it is too old or broken.
        """
        return _find_toolchain(self._places)

    def write_recipe(self, program: Program, types: CallType | None, limits: Limits) -> Recipe:
        """Return how a program is built and started.

        Raises:
            ConfigError: the entry point is neither ``method``, ``Class.method`` nor ``Class().method``.
        """
        source = join_source(program)
        words = () if types is None else _entry_words(program.entry_point, types)
        return Recipe(
            files={"solution.java": source.encode("utf-8", "surrogatepass")},
            build=(_JAVA, *_BUILD_FLAGS, _archive_flag("build"), *_BUILD_CLASS_PATH, _BUILD, *words),
            artefacts=("classes",),
            run=(_JAVA, *_list_run_flags(limits), _archive_flag("run"), *_RUN_CLASS_PATH, _START),
            memory_words=(b"java.lang.OutOfMemoryError",),
        )


def _list_run_flags(limits: Limits) -> tuple[str, ...]:
    stack_mb = min(max(int(limits.memory_mb * _STACK_SHARE), _STACK_MB.start), _STACK_MB.stop - 1)
    return (
        *_FLAGS,
        f"-Xmx{max(16, int(limits.memory_mb * _HEAP_SHARE))}m",
        f"-Xss{stack_mb}m",
        "-XX:+ExitOnOutOfMemoryError",
        "-XX:+DisplayVMOutputToStderr",
    )


def _archive_flag(name: str) -> str:
    return f"-XX:SharedArchiveFile={_RELATIVE}/{name}.jsa"


def _entry_words(entry_point: str, types: CallType) -> tuple[str, ...]:
    match = _ENTRY.fullmatch(entry_point)
    if match is None:
        raise ConfigError(
            f"the entry point of a Java program is a method, Class.method or Class().method, not {entry_point!r}"
        )
    name = f"{match['name']}_" if match["name"] in _KEYWORDS.split() else match["name"]
    kinds = (*(str(kind) for _, kind in types.parameters), str(types.returns))
    return (match["owner"] or "", name, *kinds)


@once_per_process
def _find_toolchain(places: tuple[str, ...] | None) -> Toolchain:
    return _prepare(_find_home(places))


def _find_home(places: Sequence[str] | None) -> Path:
    found = shutil.which("javac") if places is None else None
    for place in _PLACES if places is None else places:
        found = found or shutil.which("javac", path=place)
    if found is None:
        raise ConfigError(
            "Java programs can't be judged without a JDK: install the Debian package default-jdk-headless"
        )
    return Path(found).resolve().parent.parent


def _prepare(home: Path) -> Toolchain:
    """Return the toolchain around a copy of the JDK with our driver and archives."""
    version = run_tool((home / "bin" / "javac", "-version"), env={}).strip().removeprefix("javac ")
    if read_version(version) < (_OLDEST,):
        raise ConfigError(f"{home} is Java {version}; programs run on {_OLDEST} or newer")
    drivers = read_drivers("java")
    made_of = {"format": _FORMAT, "version": version, "home": str(home), **drivers}
    made_of["release"] = (home / "release").read_bytes()
    made_of["samples"] = repr(_SAMPLES)
    folder = keep_folder("java", made_of, lambda made: _make(made, home, drivers))
    mount = Mount(source=folder / "opt" / "java", target=_HOME)
    return Toolchain(version=f"java {version}", mounts=(mount,), env={"PATH": f"{_HOME}/bin:/usr/bin:/bin"})


def _make(folder: Path, home: Path, drivers: dict[str, bytes]) -> None:
    java_home = folder / "opt" / "java"
    ignore = shutil.ignore_patterns(*_LEFT_OUT)
    shutil.copytree(home, java_home, ignore=ignore, ignore_dangling_symlinks=True)
    work = folder / "work"
    work.mkdir()
    with tempfile.TemporaryDirectory() as scratch:
        for name, content in drivers.items():
            (Path(scratch) / name).write_bytes(content)
        sources = [str(Path(scratch) / name) for name in drivers]
        run_tool((java_home / "bin" / "javac", "-d", f"{scratch}/out", "-Xlint:-options", *sources), env={}, cwd=work)
        jar = (java_home / "bin" / "jar", "--create", "--file", java_home / "driver.jar", "-C", f"{scratch}/out", ".")
        run_tool(jar, env={}, cwd=work)
    _make_archives(java_home, work)
    shutil.rmtree(work)


def _make_archives(java_home: Path, work: Path) -> None:
    """Record which classes the samples load, and dump them."""
    java = str(java_home / "bin" / "java")
    listed: dict[str, dict[str, None]] = {"build": {}, "run": {}}
    for source, words, given in _SAMPLES:
        (work / "solution.java").write_text(source)
        record = (java, "-Xshare:off", "-XX:DumpLoadedClassList=classes.lst")
        run_tool((*record, *_BUILD_CLASS_PATH, _BUILD, *words), env={}, cwd=work)
        listed["build"] |= _read_class_list(work)
        run_tool((*_DISCARD, *record, *_RUN_CLASS_PATH, _START), env={}, cwd=work, stdin=given)
        listed["run"] |= _read_class_list(work)
    for name, lines in listed.items():
        (work / "classes.lst").write_text("".join(lines))
        dump = (java, "-Xshare:dump", "-XX:SharedClassListFile=classes.lst", _archive_flag(name))
        run_tool((*dump, *_BUILD_CLASS_PATH), env={}, cwd=work)


def _read_class_list(work: Path) -> dict[str, None]:
    """Return the lines that name classes which are there again at every start, without the numbers of this list."""
    lines = (work / "classes.lst").read_text().splitlines()
    kept = (line for line in lines if "Sample" not in line and " source: " not in line)
    return dict.fromkeys(_LIST_ID.sub("", line) + "\n" for line in kept)


LANGUAGE = JavaLanguage()
