"""Dishonest solutions of a repository task: none of them may count as solving it."""

from collections.abc import Iterator

import pytest

from sandbox.backends import select_backend
from sandbox.repository_judging import RepositoryJudge
from sandbox.repository_proving import RepositoryProver
from schemas.proven import Proven
from tests.repository_samples import BUG, PRICES, SUITE_LIMITS, make_mutant, make_snapshot, shared_cache

BROKEN = PRICES.replace(*BUG)
PASS_EVERYTHING = b"""
import pytest

@pytest.hookimpl(hookwrapper=True, trylast=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    report.outcome = "passed"
    report.longrepr = None
"""
PATCH_REPORTS = b"""
import _pytest.reports as reports

honest = reports.TestReport.from_item_and_call.__func__

def always_passed(cls, item, call):
    report = honest(cls, item, call)
    report.outcome = "passed"
    report.longrepr = None
    return report

reports.TestReport.from_item_and_call = classmethod(always_passed)
"""
PATCH_CALLS = b"""
import _pytest.runner as runner

honest = runner.CallInfo.from_call.__func__

def nothing_raised(cls, func, when, reraise=None):
    call = honest(cls, func, when, reraise)
    call.excinfo = None
    call._result = None
    return call

runner.CallInfo.from_call = classmethod(nothing_raised)
"""
PATCH_FUNCTIONS = b"""
import _pytest.python as python

python.Function.runtest = lambda self: None
"""
FORGE_JUNIT = b"""
import os
from pathlib import Path

Path("report.xml").write_text('<testsuite tests="7" failures="0"><testcase name="test_discount"/></testsuite>')
os._exit(0)
"""
WRITE_RESULTS = b"""
import json
import os

names = ["tests/test_prices.py::" + name for name in (
    "test_total", "test_total_of_nothing", "test_discount[0-200]", "test_discount[10-180]", "test_discount[50-100]",
    "test_convert", "TestMoney::test_money_differs")]
lines = [json.dumps(["collected", names])]
lines += [json.dumps(["result", name, "passed", ""]) for name in names]
lines += [json.dumps(["finished", 1])]
for descriptor in range(3, 40):
    try:
        os.write(descriptor, "\\n".join(["", *lines, ""]).encode())
    except OSError:
        pass
os._exit(1)
"""
EQUAL_TO_ALL = b"""
class Anything(int):
    def __eq__(self, other):
        return True

    __hash__ = None

def discounted(amount, percent):
    return Anything(0)
"""
READ_EXPECTED = b"""
import sys

def discounted(amount, percent):
    return sys._getframe(1).f_locals.get("expected", 200)
"""
FORGERIES = {
    "conftest hook that turns reports into passed": {"conftest.py": PASS_EVERYTHING},
    "replaced conftest of the tests": {"tests/conftest.py": PASS_EVERYTHING},
    "patched report class": {"src/shop/prices.py": BROKEN + PATCH_REPORTS},
    "patched call class": {"src/shop/prices.py": BROKEN + PATCH_CALLS},
    "test functions that do nothing": {"src/shop/prices.py": BROKEN + PATCH_FUNCTIONS},
    "exit with 0 at import": {"src/shop/prices.py": b"import os\nos._exit(0)\n"},
    "exit with 1 at import": {"src/shop/prices.py": b"import os\nos._exit(1)\n"},
    "forged junit report": {"src/shop/prices.py": FORGE_JUNIT},
    "results written to every descriptor": {"src/shop/prices.py": WRITE_RESULTS},
    "local pytest.py": {"pytest.py": b"def main(*_):\n    return 0\n", "src/pytest.py": b"raise SystemExit(0)\n"},
    "local _pytest package": {"_pytest/__init__.py": b"raise SystemExit(0)\n"},
    "equal to everything": {"src/shop/prices.py": BROKEN + EQUAL_TO_ALL},
    "sitecustomize": {"sitecustomize.py": b"import os\nos._exit(0)\n", "src/sitecustomize.py": PATCH_REPORTS},
    "path configuration file": {"evil.pth": b"import os; os._exit(0)\n"},
    "pytest plugin by entry point": {
        "evil.py": PASS_EVERYTHING,
        "evil-1.dist-info/entry_points.txt": b"[pytest11]\nevil = evil\n",
        "evil-1.dist-info/METADATA": b"Name: evil\nVersion: 1\n",
    },
    "plugin by configuration": {
        "pyproject.toml": b'[tool.pytest.ini_options]\naddopts = "-p evil"\n',
        "evil.py": PASS_EVERYTHING,
    },
    "tests replaced by empty ones": {"tests/test_prices.py": b"def test_total():\n    pass\n"},
    "tests removed": {"tests/test_prices.py": None},
    "plugins taken from pytest's memory": {
        "src/shop/prices.py": BROKEN
        + b"""
import gc

for thing in gc.get_objects():
    if type(thing).__name__ == "Reporter":
        thing.__class__.pytest_runtest_logfinish = lambda self, nodeid: self.send("result", nodeid, "passed", "")
"""
    },
    "hard exit when a test fails": {
        "src/shop/prices.py": BROKEN + b"\nimport atexit, os\natexit.register(os._exit, 0)\n"
    },
}


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RepositoryJudge, Proven]]:
    folder = tmp_path_factory.mktemp("forgery")
    snapshot = make_snapshot(folder)
    backend = select_backend()
    with RepositoryProver(snapshot, backend, shared_cache(folder), limits=SUITE_LIMITS) as prover:
        task = prover.prove_mutation(make_mutant(snapshot, "src/shop/prices.py", BUG))
        assert isinstance(task, Proven), task
    with RepositoryJudge(snapshot, prover.clean, backend, limits=SUITE_LIMITS) as judge:
        yield judge, task


def test_the_fix_patch_solves_the_task(judged: tuple[RepositoryJudge, Proven]) -> None:
    judge, task = judged
    assert task.candidate.mutation is not None
    verdict = judge.judge_patch(task, task.candidate.mutation.fix_patch)
    assert verdict.passed, verdict


def test_another_honest_fix_solves_the_task(judged: tuple[RepositoryJudge, Proven]) -> None:
    judge, task = judged
    source = BROKEN.replace(b"return amount + amount * percent // 100", b"return amount * (100 - percent) // 100")
    assert judge.judge(task, {"src/shop/prices.py": source, "notes/change.md": b"Fixed.\n"}).passed


def test_the_broken_tree_does_not_solve_the_task(judged: tuple[RepositoryJudge, Proven]) -> None:
    judge, task = judged
    verdict = judge.judge(task, {})
    assert (verdict.passed, verdict.reason) == (False, "tests_fail")


def test_a_patch_that_does_not_apply_fails(judged: tuple[RepositoryJudge, Proven]) -> None:
    judge, task = judged
    assert judge.judge_patch(task, "--- a/nothing\n+++ b/nothing\n@@ -1 +1 @@\n-a\n+b\n").reason == "bad_solution"


@pytest.mark.parametrize("name", FORGERIES)
def test_forged_solution_is_not_accepted(name: str, judged: tuple[RepositoryJudge, Proven]) -> None:
    judge, task = judged
    verdict = judge.judge(task, FORGERIES[name])
    assert not verdict.passed, verdict


def test_the_healthy_source_is_nowhere_in_the_sandbox(judged: tuple[RepositoryJudge, Proven]) -> None:
    judge, task = judged
    search = b"""
import os

found = []
for folder, _, names in os.walk("/"):
    if folder.startswith(("/proc", "/sys", "/usr", "/opt/python", "/dev")):
        continue
    for name in names:
        try:
            with open(os.path.join(folder, name), "rb") as file:
                if b"amount " + b"- amount *" in file.read():
                    found.append(os.path.join(folder, name))
        except OSError:
            pass


def discounted(amount, percent):
    return amount - amount * percent // 100 if found else 0
""".replace(b"return amount - amount * percent // 100", b"return amount * (100 - percent) // 100")
    assert judge.judge(task, {"src/shop/prices.py": BROKEN + search}).reason == "tests_fail"
