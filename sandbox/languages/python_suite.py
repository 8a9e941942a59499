"""The inside half of suite running: a fork server that has pytest loaded and runs one tree per forked child.

Its source text goes into the sandbox as it stands, so it imports the standard library and pytest only. The trusted
half is `sandbox/suites.py`. Frames are 4 bytes of length (big-endian) and JSON. The outcome of a test is taken from
the exception that pytest caught, not from the report that code in the tree could rewrite. Method: own;
costs in docs/repositories.md.
"""

import base64
import contextlib
import ctypes
import gc
import importlib
import importlib.metadata
import json
import os
import random
import resource
import select
import shutil
import signal
import struct
import sys
import tarfile
import time
from collections.abc import Generator, Iterable, Sequence
from pathlib import Path
from typing import NoReturn, TypedDict

import _pytest.config
import pytest

PR_SET_DUMPABLE = 4
PR_SET_CHILD_SUBREAPER = 36
MESSAGE_CHARS = 800
RESULT_BYTES = 64 * 1024 * 1024
_write = os.write


class Request(TypedDict):
    """One run: what is laid over the template and how pytest is called."""

    files: dict[str, str]
    """Whole files in base64, by relative path."""
    remove: list[str]
    args: list[str]
    """Arguments of pytest; ``{tree}`` stands for the tree's folder."""
    select: list[str] | None
    """Node ids to run; None runs what is collected."""
    import_paths: list[str]
    order_seed: int
    time_zone: str
    cpu_s: float
    wall_s: float
    memory_mb: int
    keep_bytecode: bool


class Answer(TypedDict):
    """What one run gave."""

    lines: str
    """The reporter's JSON lines."""
    status: int
    """Wait status of the child."""
    timed_out: bool
    cpu_s: float
    said: str
    """The end of what pytest printed, for a run that didn't come to a normal end."""


class Reporter:
    """The pytest plugin: selects, orders, and streams one line per test over a private descriptor."""

    def __init__(self, descriptor: int, request: Request) -> None:
        self._descriptor = descriptor
        self._selected = frozenset(request["select"]) if request["select"] is not None else None
        self._order_seed = request["order_seed"]
        self._phases: dict[str, tuple[str, str]] = {}

    def send(self, *message: object) -> None:
        """Write one JSON line whole."""
        data = json.dumps(message).encode("ascii") + b"\n"
        while data:
            data = data[_write(self._descriptor, data) :]

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Tell of a module that can't be collected."""
        if report.failed:
            self.send("broken", report.nodeid, _last_line(report.longrepr))

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Select and order what was collected, and tell of it."""
        if self._selected is not None:
            items[:] = [item for item in items if item.nodeid in self._selected]
        if self._order_seed:
            items[:] = shuffled(items, random.Random(self._order_seed))
        self.send("collected", [item.nodeid for item in items])

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Tell which test is running, in case it never ends."""
        self._phases = {}
        self.send("started", nodeid)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Note what pytest caught, after every other plugin has had its say."""
        report = yield
        self._phases[call.when] = (_phase_outcome(call, report), _last_line(report.longrepr))
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note failures that are reported beside the test's own phases, such as those of subtests."""
        if report.failed and report.when is not None:
            self._phases[report.when] = ("failed", _last_line(report.longrepr))

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Tell how the test ended."""
        outcome, message = _test_outcome(self._phases)
        self.send("result", nodeid, outcome, message)


def _phase_outcome(call: pytest.CallInfo[None], report: pytest.TestReport) -> str:
    """Return what one phase did; a report that hides a caught exception counts as failed."""
    if hasattr(report, "wasxfail"):
        return "xfailed" if call.excinfo is not None else "passed"
    if call.excinfo is None:
        return "failed" if report.outcome == "failed" else "passed"
    skips = ("Skipped", "SkipTest")
    if report.outcome == "skipped" and call.excinfo.type.__name__ in skips:
        return "skipped"
    return "failed"


def _test_outcome(phases: dict[str, tuple[str, str]]) -> tuple[str, str]:
    for when in ("setup", "teardown"):
        outcome, message = phases.get(when, ("passed", ""))
        if outcome == "failed":
            return "error", message
        if outcome != "passed" and when == "setup":
            return outcome, message
    return phases.get("call", ("error", "the test was never called"))


def _last_line(longrepr: object) -> str:
    if longrepr is None:
        return ""
    crash = getattr(longrepr, "reprcrash", None)
    if crash is not None:
        return str(crash.message)[:MESSAGE_CHARS]
    return str(longrepr)[-MESSAGE_CHARS:]


def shuffled(items: Sequence[pytest.Item], rng: random.Random) -> list[pytest.Item]:
    """Return the items with files, classes in them, and tests in those in another order; groups stay together."""
    groups: dict[str, dict[str, list[pytest.Item]]] = {}
    for item in items:
        path, _, rest = item.nodeid.partition("::")
        name = rest.split("[", 1)[0]
        groups.setdefault(path, {}).setdefault(name.rpartition("::")[0], []).append(item)
    result: list[pytest.Item] = []
    for path in rng.sample(sorted(groups), len(groups)):
        classes = groups[path]
        for name in rng.sample(sorted(classes), len(classes)):
            result.extend(rng.sample(classes[name], len(classes[name])))
    return result


class Server:
    """Keeps a template tree and a loaded pytest; forks a child for every request."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.template = self.folder / "template"
        self.run_folder = self.folder / "run"
        self.plugins = _entry_points()

    def prepare(self) -> dict[str, str]:
        """Unpack the tree and load every plugin that pytest starts with."""
        packed = self.folder / "tree.tar"
        self.template.mkdir()
        with tarfile.open(packed) as tar:
            tar.extractall(self.template, filter="tar")
        packed.unlink()
        for name in _pytest.config.default_plugins:
            importlib.import_module(f"_pytest.{name}")
        return {"python": "{}.{}.{}".format(*sys.version_info), "pytest": pytest.__version__}

    def run(self, request: Request) -> Answer:
        """Return what the suite did with the template plus the files of the request."""
        tree = self._lay(request)
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            _run_child(tree, writer, request, self.plugins)
        os.close(writer)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        data, status, timed_out = _collect(reader, child, request["wall_s"])
        _kill_children()
        said = _tail(self.run_folder / "output")
        if request["keep_bytecode"]:
            self._keep_bytecode(tree)
        _wipe([self.run_folder, *_SCRATCH])
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu_s = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
        return {
            "lines": data.decode("utf-8", "replace"),
            "status": status,
            "timed_out": timed_out,
            "cpu_s": cpu_s,
            "said": said,
        }

    def _lay(self, request: Request) -> Path:
        tree = self.run_folder / "tree"
        shutil.rmtree(self.run_folder, ignore_errors=True)
        for name in ("tmp", "home"):
            (self.run_folder / name).mkdir(parents=True)
        shutil.copytree(self.template, tree, symlinks=True)
        for path in request["remove"]:
            place = tree / path
            if place.is_dir() and not place.is_symlink():
                shutil.rmtree(place)
            else:
                place.unlink(missing_ok=True)
        for path, content in request["files"].items():
            _lay_file(tree, path, base64.b64decode(content))
        return tree

    def _keep_bytecode(self, tree: Path) -> None:
        """Copy the bytecode of a healthy run into the template: unchanged files needn't be compiled again."""
        for cache in sorted(tree.rglob("__pycache__")):
            place = self.template / cache.relative_to(tree)
            if place.parent.is_dir() and not cache.is_symlink():
                shutil.copytree(cache, place, dirs_exist_ok=True)


_SCRATCH = (Path("/tmp"), Path("/dev/shm"), Path("/var/tmp"))  # noqa: S108 - the sandbox's own, wiped after each run


def _lay_file(tree: Path, path: str, data: bytes) -> None:
    place = tree / path
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.is_symlink():
        place.unlink()
    place.write_bytes(data)
    for stale in place.parent.glob(f"__pycache__/{place.stem}.*.pyc"):
        stale.unlink()


def _entry_points() -> list[str]:
    """Return the pytest plugins of the environment; those of the tree are never loaded by themselves."""
    return sorted({point.value for point in importlib.metadata.entry_points(group="pytest11")})


def _collect(reader: int, child: int, wall_s: float) -> tuple[bytes, int, bool]:
    """Return the child's lines, its wait status, and whether the deadline passed."""
    deadline = time.monotonic() + wall_s
    data = bytearray()
    os.set_blocking(reader, False)
    listening = [reader]
    timed_out = False
    while True:
        ready, _, _ = select.select(listening, [], [], 0.02 if listening else 0.002)
        if ready and _drain(reader, data):
            listening = []
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        if time.monotonic() > deadline or len(data) >= RESULT_BYTES:
            timed_out = True
            os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
            break
    _drain(reader, data)
    os.close(reader)
    return bytes(data[:RESULT_BYTES]), status, timed_out


def _drain(reader: int, data: bytearray) -> bool:
    """Read what is there; return whether the other end is closed."""
    while len(data) < RESULT_BYTES:
        try:
            block = os.read(reader, 1 << 16)
        except BlockingIOError:
            return False
        if not block:
            return True
        data += block
    return False


def _tail(path: Path) -> str:
    """Return the last 4,000 bytes of a plain file."""
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(max(0, size - 4000))
            return file.read(4000).decode("utf-8", "replace")
    except OSError:
        return ""


def _kill_children() -> None:
    """Kill and reap every process that descends from this one; orphans have been handed to it."""
    me = os.getpid()
    for _ in range(2000):
        for entry in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError, ValueError, IndexError):
                parent = int(entry.read_bytes().rpartition(b")")[2].split()[1])  # its name may be any bytes
                if parent == me:
                    os.kill(int(entry.parent.name), signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.002)


def _wipe(folders: Iterable[Path]) -> None:
    for folder in folders:
        if not folder.is_dir():
            continue
        for entry in folder.iterdir():
            if entry.is_dir() and not entry.is_symlink():
                _unlock(entry)
                shutil.rmtree(entry, ignore_errors=True)
            else:
                with contextlib.suppress(OSError):
                    entry.unlink()


def _unlock(folder: Path) -> None:
    """Give back the permissions that a test took away, so that the folder can be removed."""
    for place, names, _ in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                (Path(place) / name).chmod(0o700)


def _run_child(tree: Path, writer: int, request: Request, plugins: Iterable[str]) -> NoReturn:
    """Run pytest in this forked child and leave; never returns."""
    code = 70
    try:
        _limit(request)
        _settle(tree, writer, request)
        reporter = Reporter(writer, request)
        arguments = [argument.replace("{tree}", str(tree)) for argument in request["args"]]
        arguments += [f"--basetemp={tree.parent / 'tmp' / 'pytest'}"]
        for plugin in plugins:
            arguments += ["-p", plugin]
        code = int(pytest.main(arguments, plugins=[reporter]))
        reporter.send("finished", code)
    finally:
        os._exit(code if 0 <= code < 100 else 71)


def _limit(request: Request) -> None:
    cpu_s = max(1, round(request["cpu_s"] + 0.5))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    data = request["memory_mb"] << 20
    resource.setrlimit(resource.RLIMIT_DATA, (data, data))
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")


def _settle(tree: Path, writer: int, request: Request) -> None:
    """Give the child its own descriptors, environment, folder, clock zone and randomness."""
    null = os.open("/dev/null", os.O_RDWR)
    output = os.open(tree.parent / "output", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for descriptor, target in ((0, null), (1, output), (2, output)):
        os.dup2(target, descriptor)
    os.closerange(3, writer)
    os.closerange(writer + 1, 1024)
    scratch = str(tree.parent / "tmp")
    os.environ.update({
        "HOME": str(tree.parent / "home"),
        "TMPDIR": scratch,
        "TZ": request["time_zone"],
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    })  # fmt: skip
    time.tzset()
    os.chdir(tree)
    sys.dont_write_bytecode = not request["keep_bytecode"]
    sys.path[:] = [entry for entry in sys.path if entry]
    sys.path.extend(str(tree / path) if path else str(tree) for path in request["import_paths"])
    sys.argv = ["pytest"]
    random.seed()


def _read_exact(descriptor: int, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        block = os.read(descriptor, size - len(data))
        if not block:
            raise SystemExit(0)
        data += block
    return bytes(data)


def _serve(server: Server, reader: int, writer: int) -> NoReturn:
    while True:
        (size,) = struct.unpack(">I", _read_exact(reader, 4))
        request = json.loads(_read_exact(reader, size))
        _answer(writer, server.run(request))


def _answer(writer: int, answer: object) -> None:
    data = json.dumps(answer).encode("ascii")
    data = struct.pack(">I", len(data)) + data
    while data:
        data = data[os.write(writer, data) :]


def main(folder: Path) -> NoReturn:
    """Prepare, tell the versions, and serve requests on standard input until it closes."""
    prctl = ctypes.CDLL(None).prctl
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    reader, writer = os.dup(0), os.dup(1)
    os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
    os.dup2(2, 1)
    server = Server(folder)
    versions = server.prepare()
    gc.collect()
    gc.freeze()
    _answer(writer, versions)
    _serve(server, reader, writer)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
