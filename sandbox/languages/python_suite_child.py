"""What a forked child of the suite server does: limits and settles itself, runs pytest, and reports every test.

Its source text lies beside the server's in the sandbox and runs in one process with the code under test, so it imports
the standard library and pytest only. The outcome of a test is taken from the exception that pytest caught, not from the
report that code in the tree could rewrite. Method: own.
"""

import contextlib
import ctypes
import json
import os
import random
import resource
import sys
import time
from collections.abc import Generator, Iterable, Sequence
from pathlib import Path
from typing import NoReturn, TypedDict

import pytest

PR_SET_DUMPABLE = 4
MESSAGE_CHARS = 800
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
    nonce: str
    """What the answer has to repeat."""


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


def run_child(tree: Path, writer: int, request: Request, plugins: Iterable[str]) -> NoReturn:
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
