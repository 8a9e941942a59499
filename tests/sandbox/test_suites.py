"""Suites in the sandbox: structured results, limits, and nothing left from one run to the next."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.backends import select_backend
from sandbox.base import State
from sandbox.clean_suites import CleanSuiteFinder
from sandbox.environments import build_environment
from sandbox.judging import Perturbation
from sandbox.suite_results import SuiteRun, TestOutcome, TestResult, read_answer
from sandbox.suites import SuitePlan, SuiteRunner
from schemas.errors import SeedError
from schemas.limits import Limits
from tests.repository_samples import SUITE_LIMITS, make_snapshot, shared_cache

UNPERTURBED = Perturbation()
ODD_IDS = """\
import pytest


@pytest.mark.parametrize("text", ["two words", "a[b]", "ü", "a::b", ""])
def test_odd_ids(text):
    assert text != "two words"


def test_skips():
    pytest.skip("not today")


@pytest.mark.xfail
def test_expected_to_fail():
    assert 1 == 2


@pytest.mark.xfail(strict=True)
def test_passes_against_its_mark():
    pass


@pytest.fixture
def broken():
    raise ValueError("set-up")


def test_errors_in_setup(broken):
    pass


@pytest.fixture
def leaves_badly():
    yield
    raise ValueError("tear-down")


def test_errors_in_teardown(leaves_badly):
    pass


def test_sub(subtests):
    with subtests.test("one"):
        assert 1 == 2
"""
STATE = """\
import ctypes
import os
import resource
import time
from pathlib import Path

import pytest


def test_leaves_traces(tmp_path):
    for place in ("/tmp/trace", "/work/trace", "/work/suite/trace", "trace"):
        Path(place).write_text("x")
    Path("/tmp/closed/inner").mkdir(parents=True)
    Path("/tmp/closed").chmod(0)
    for path in Path("/work").rglob("module.py"):
        path.write_text("x = 'changed'")
    for limit in (resource.RLIMIT_CPU, resource.RLIMIT_NOFILE):
        with pytest.raises(OSError):
            resource.prlimit(1, limit, (1, 1))
    Path(os.environ["HOME"], "trace").write_text("x")
    for _ in range(2):
        if os.fork() == 0:
            os.setsid()
            ctypes.CDLL(None).prctl(15, b"\\xff) R 1 1", 0, 0, 0)  # a name that isn't text
            time.sleep(1000)
    os.chdir("/tmp")
    for _ in range(1100):
        os.mkdir("deep")
        os.chdir("deep")


def test_sees_none_of_them():
    assert time.tzname[0]
"""
LOOK = """\
import os
from pathlib import Path


def test_nothing_is_left():
    assert [sorted(os.listdir(place)) for place in ("/tmp", "/work", "/work/suite")] == [[], ["suite"], ["run"]]
    assert not Path("trace").exists()
    assert Path("module.py").read_text() == "x = 1\\n"
    assert not Path(os.environ["HOME"], "trace").exists()
    others = [name for name in os.listdir("/proc") if name.isdigit() and int(name) not in (1, os.getpid())]
    assert others == []


def test_tree_can_not_be_left():
    for place in ("/evil", "/opt/environment/evil", "/usr/evil"):
        try:
            Path(place).write_text("x")
        except OSError:
            continue
        raise AssertionError(place)
"""
ENVIRONMENT = """\
import os
import time


def test_environment():
    assert (os.environ["PYTHONHASHSEED"], time.tzname[0]) == ("7", "+0545")
"""


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SuiteRunner]:
    folder = tmp_path_factory.mktemp("suites")
    snapshot = make_snapshot(folder, {"test_a.py": b"def test_a():\n    pass\n", "module.py": b"x = 1\n"})
    environment = build_environment((), shared_cache(folder))
    limits = Limits(cpu_s=20, wall_s=40, memory_mb=300, disk_mb=64)
    with SuiteRunner(
        select_backend(), environment, snapshot.tar.read_bytes(), plan=SuitePlan(), limits=limits
    ) as opened:
        yield opened


def run_test(
    runner: SuiteRunner, text: str, *, perturbation: Perturbation = UNPERTURBED, cpu_s: float = 10
) -> SuiteRun:
    return runner.run({"test_b.py": text.encode()}, targets=("test_b.py",), perturbation=perturbation, cpu_s=cpu_s)


def test_every_outcome_and_odd_id_is_told_apart(runner: SuiteRunner) -> None:
    run = run_test(runner, ODD_IDS)
    outcomes = {node_id.removeprefix("test_b.py::"): outcome for node_id, outcome in run.outcomes.items()}
    assert outcomes == {
        "test_odd_ids[two words]": TestOutcome.FAILED,
        "test_odd_ids[a[b]]": TestOutcome.PASSED,
        "test_odd_ids[\\xfc]": TestOutcome.PASSED,
        "test_odd_ids[a::b]": TestOutcome.PASSED,
        "test_odd_ids[]": TestOutcome.PASSED,
        "test_skips": TestOutcome.SKIPPED,
        "test_expected_to_fail": TestOutcome.XFAILED,
        "test_passes_against_its_mark": TestOutcome.FAILED,
        "test_errors_in_setup": TestOutcome.ERROR,
        "test_errors_in_teardown": TestOutcome.ERROR,
        "test_sub": TestOutcome.FAILED,
    }
    messages = {result.node_id: result.message for result in run.results}
    assert "assert 'two words' != 'two words'" in messages["test_b.py::test_odd_ids[two words]"]


def test_nothing_is_left_between_runs(runner: SuiteRunner) -> None:
    assert len(run_test(runner, STATE).passed()) == 2
    run = run_test(runner, LOOK)
    assert len(run.passed()) == 2, run.results


def test_perturbation_reaches_the_tests(runner: SuiteRunner) -> None:
    run = run_test(runner, ENVIRONMENT, perturbation=Perturbation(hash_seed=7, time_zone="Asia/Kathmandu"))
    assert len(run.passed()) == 1, run.results


def test_order_seed_shuffles_and_keeps_the_set(runner: SuiteRunner) -> None:
    text = "".join(f"def test_{number}():\n    pass\n\n\n" for number in range(12))
    plain = run_test(runner, text)
    shuffled = run_test(runner, text, perturbation=Perturbation(order_seed=3))
    again = run_test(runner, text, perturbation=Perturbation(order_seed=3))
    assert set(plain.collected) == set(shuffled.collected)
    assert plain.collected != shuffled.collected == again.collected


def test_selected_ids_alone_are_run(runner: SuiteRunner) -> None:
    files = {"test_b.py": ODD_IDS.encode()}
    wanted = ("test_b.py::test_odd_ids[a[b]]", "test_b.py::test_skips")
    assert tuple(runner.run(files, targets=("test_b.py",), node_ids=wanted).outcomes) == wanted


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("def test_loop():\n    while True:\n        pass\n", State.TLE_CPU),
        ("import os\n\n\ndef test_exit():\n    os._exit(0)\n", State.RE),
        ("import os\n\n\ndef test_abort():\n    os.abort()\n", State.RE),
        ("def test_memory():\n    x = [0] * 10**10\n", State.OK),
    ],
)
def test_runs_that_do_not_end_well_have_a_state(text: str, state: State, runner: SuiteRunner) -> None:
    run = run_test(runner, text, cpu_s=1)
    assert run.state is state, run
    assert not run.passed()


def test_running_test_is_named_when_the_suite_hangs(runner: SuiteRunner) -> None:
    run = run_test(runner, "def test_one():\n    pass\n\n\ndef test_two():\n    while True:\n        pass\n", cpu_s=1)
    assert (run.running, run.passed()) == ("test_b.py::test_two", {"test_b.py::test_one"})


def test_modules_that_can_not_be_collected_are_told_and_the_others_run(runner: SuiteRunner) -> None:
    run = runner.run({"test_b.py": b"import nothing_like_it\n"}, targets=("test_a.py", "test_b.py"))
    assert [result.node_id for result in run.broken_modules] == ["test_b.py"]
    assert "No module named 'nothing_like_it'" in run.broken_modules[0].message
    assert run.passed() == {"test_a.py::test_a"}


def test_changed_module_is_never_run_from_stale_bytecode(runner: SuiteRunner) -> None:
    files = {"test_b.py": b"import module\n\n\ndef test_value():\n    assert module.x == 1\n"}
    assert runner.run(files, targets=("test_b.py",), keep_bytecode=True).passed()
    assert not runner.run({**files, "module.py": b"x = 2\n"}, targets=("test_b.py",)).passed()
    assert runner.run(files, targets=("test_b.py",)).passed()


def test_a_tree_may_have_packages_named_like_ours(runner: SuiteRunner) -> None:
    files = {
        "sandbox/__init__.py": b"",
        "sandbox/languages.py": b"x = 1\n",
        "test_b.py": b"from sandbox.languages import x\n\n\ndef test_value():\n    assert x == 1\n",
    }
    assert runner.run(files, targets=("test_b.py",)).passed() == {"test_b.py::test_value"}


def test_usage_errors_keep_what_pytest_said(runner: SuiteRunner) -> None:
    run = runner.run({"conftest.py": b"import nothing_like_it\n"})
    assert run.exit_code == 4
    assert "nothing_like_it" in run.said


def test_lines_that_are_not_the_reporters_are_left_out() -> None:
    lines = '["result", "a", "passed", ""]\nnoise\n{"x": 1}\n["result", "b", "great", ""]\n["result", "a", "passed", ""]\n["finished", 0]'
    run = read_answer({"lines": lines, "status": 0, "timed_out": False, "cpu_s": 0.5, "said": ""})
    assert run.results == (TestResult(node_id="a", outcome=TestOutcome.PASSED),) * 2
    assert run.outcomes == {"a": TestOutcome.ERROR}


def find(folder: Path, files: dict[str, bytes], limits: Limits = SUITE_LIMITS, *, install: bool = False) -> object:
    snapshot = make_snapshot(folder, files)
    return CleanSuiteFinder(snapshot, select_backend(), shared_cache(folder), limits=limits, install=install).find()


@pytest.mark.parametrize(
    ("files", "reason", "words"),
    [
        ({"module.py": b"x = 1\n"}, "repository_without_tests", "finds no tests"),
        (
            {"test_a.py": b"def test_good():\n    pass\n\n\ndef test_bad():\n    assert 0\n"},
            "suite_fails_on_clean_checkout",
            "test_a.py::test_bad",
        ),
        ({"test_a.py": b"import requests_for_nothing\n"}, "missing_dependency", "requests_for_nothing"),
        ({"conftest.py": b"import other_thing\n", "test_a.py": b""}, "missing_dependency", "other_thing"),
        ({"test_a.py": b"def test_a(:\n"}, "suite_fails_on_clean_checkout", "test_a.py"),
        (
            {"test_a.py": b"import pytest\n\n\ndef test_a():\n    pytest.skip('no')\n"},
            "repository_without_tests",
            "skipped",
        ),
        ({"test_a.py": b"import os\nos._exit(3)\n"}, "suite_crashes", "status 3"),
        ({"test_a.py": b"def test_a():\n    while True:\n        pass\n"}, "suite_too_slow", "test_a.py::test_a"),
    ],
)
def test_unusable_healthy_suites_say_why(files: dict[str, bytes], reason: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(SeedError, match=words) as caught:
        find(tmp_path, files, Limits(cpu_s=2, wall_s=40, memory_mb=512, disk_mb=64))
    assert caught.value.reason == reason
