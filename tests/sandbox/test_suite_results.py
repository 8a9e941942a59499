"""What a suite server's answer is taken for."""

import json
import signal

import pytest

from sandbox.base import State
from sandbox.suite_results import SuiteRun, TestOutcome, TestResult, read_answer

FINISHED = ["finished", 0]


def read(*lines: object, status: int = 0, timed_out: bool = False, said: str = "") -> SuiteRun:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    return read_answer({"lines": text, "status": status, "timed_out": timed_out, "cpu_s": 1, "said": said})


@pytest.mark.parametrize(
    ("run", "state", "words"),
    [
        (read(FINISHED), State.OK, ""),
        (read(["finished", 5]), State.OK, ""),
        (read(), State.RE, "left with status 0 before pytest"),
        (read(status=3 << 8), State.RE, "left with status 3"),
        (read(FINISHED, status=int(signal.SIGKILL)), State.MLE, "ended by SIGKILL"),
        (read(FINISHED, status=int(signal.SIGXCPU)), State.TLE_CPU, "CPU limit"),
        (read(FINISHED, status=int(signal.SIGSEGV)), State.RE, "ended by SIGSEGV"),
        (read(FINISHED, status=40), State.RE, "ended by 40"),
        (read(FINISHED, timed_out=True), State.TLE_WALL, "wall limit"),
        (read(FINISHED, timed_out=True, status=int(signal.SIGKILL)), State.TLE_WALL, "wall limit"),
    ],
)
def test_a_run_has_the_state_of_its_end(run: SuiteRun, state: State, words: str) -> None:
    assert run.state is state
    assert words in run.detail
    assert bool(words) == bool(run.detail)


@pytest.mark.parametrize(
    "line",
    [
        "{", "[]", "null", '"result"', ["result", "a", "great", ""], ["result", "a", "passed"], ["result", 1, "passed", ""],
        ["started", 1], ["collected", "a"], ["broken", "a"], ["finished", "0"], ["unknown", "a"], "[" * 50,
    ],
)  # fmt: skip
def test_lines_that_the_reporter_never_writes_change_nothing(line: object) -> None:
    assert read(line, ["result", "a", "passed", ""], FINISHED) == read(["result", "a", "passed", ""], FINISHED)


def test_the_test_that_was_running_is_known_until_its_result() -> None:
    assert read(["started", "a"]).running == "a"
    assert read(["started", "a"], ["result", "a", "passed", ""]).running == ""


def test_modules_that_were_not_collected_are_errors_and_none_of_the_results() -> None:
    run = read(["broken", "test_a.py", "no module"], ["collected", ["b"]], FINISHED)
    assert run.broken_modules == (TestResult(node_id="test_a.py", outcome=TestOutcome.ERROR, message="no module"),)
    assert (run.results, run.collected) == ((), ("b",))


def test_what_pytest_printed_is_kept_of_runs_that_came_to_no_normal_end() -> None:
    assert read(["finished", 0], said="all well").said == ""
    assert read(["finished", 1], said="failures").said == ""
    assert read(["finished", 4], said="usage at 0x7f0012345678 in 0.12s").said.startswith("usage at 0x")
    assert "7f0012345678" not in read(["finished", 4], said="usage at 0x7f0012345678").said


def test_a_test_that_is_reported_twice_counts_as_an_error_and_has_not_passed() -> None:
    run = read(["result", "a", "passed", ""], ["result", "a", "passed", ""], ["result", "b", "passed", ""], FINISHED)
    assert run.outcomes == {"a": TestOutcome.ERROR, "b": TestOutcome.PASSED}
    assert run.passed() == {"b"}
