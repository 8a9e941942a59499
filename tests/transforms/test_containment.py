"""A bug that one record meets costs that record and no other."""

import errno
import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from schemas.errors import ConfigError, InternalError, ModelError
from schemas.rejection import Rejection, Stage, reject_candidate
from schemas.values import decode_call
from tests.builders import make_candidate, make_proven
from transforms.containment import INTERNAL_ERROR, BugCounter, contain, describe_bug, log_bugs

CANDIDATE = make_candidate("task-1")
PROVEN = make_proven(CANDIDATE)


def refuse(detail: str) -> Rejection:
    return reject_candidate(CANDIDATE, Stage.PROVE, INTERNAL_ERROR, detail, retriable=True)


def run(work: Callable[[], object]) -> object:
    return contain("task-1", work, refuse, lambda: None)


def meet_a_bug() -> object:
    """Let our own code fail on what it never gets: a test case whose values aren't JSON."""
    return decode_call("{")


def failing(error: Exception) -> Callable[[], object]:
    def work() -> object:
        raise error

    return work


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Path]:
    logger = logging.getLogger("transforms.containment")
    log_bugs(tmp_path / "log")
    yield tmp_path / "log"
    logger.handlers.pop().close()
    logger.propagate = True


def test_what_succeeds_passes_through() -> None:
    assert run(lambda: PROVEN) is PROVEN


def test_a_bug_becomes_a_retriable_refusal_that_names_place_and_message(log: Path) -> None:
    refused = run(meet_a_bug)
    assert isinstance(refused, Rejection)
    assert (refused.reason, refused.retriable, refused.record_id) == ("internal_error", True, "task-1")
    assert refused.detail.startswith("EncodingError at schemas/values.py:")
    assert ": not JSON: " in refused.detail


def test_the_traceback_goes_to_the_log_and_only_then_there_is_one(log: Path) -> None:
    run(lambda: PROVEN)
    assert not log.exists()
    run(meet_a_bug)
    text = log.read_text()
    assert "task-1 meets a bug" in text
    assert "Traceback (most recent call last)" in text
    assert "in decode_call" in text


def test_what_may_be_broken_is_dropped_after_a_bug_only() -> None:
    dropped: list[str] = []
    contain("a", lambda: PROVEN, refuse, lambda: dropped.append("a"))
    contain("b", meet_a_bug, refuse, lambda: dropped.append("b"))
    assert dropped == ["b"]


@pytest.mark.parametrize(
    "error",
    [
        ConfigError("the output folder is gone"),
        ModelError("no credit", reason="budget_exhausted"),
        OSError(errno.ENOSPC, "No space left on device"),
        MemoryError(),
    ],
)
def test_what_is_no_fault_of_a_record_stops_the_run(error: Exception) -> None:
    with pytest.raises(type(error)):
        run(failing(error))


def test_ctrl_c_stops_the_run() -> None:
    def work() -> object:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(work)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("bad <schemas.proven.Proven object at 0x7f96fd034a40>", "bad <schemas.proven.Proven object at 0x...>"),
        ("no '/tmp/taskfoundry-x1/work/a.py' here", "no '<path>' here"),
        ("unsupported operand for /: 'int'", "unsupported operand for /: 'int'"),
        ("schemas/values.py and a/b are kept", "schemas/values.py and a/b are kept"),
    ],
)
def test_nothing_of_the_machine_or_the_process_is_in_the_words(said: str, told: str) -> None:
    assert describe_bug(ValueError(said)) == f"ValueError: {told}"


def test_an_error_that_can_not_be_printed_is_described() -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise ValueError

    assert describe_bug(Mute()).startswith("Mute: <exception str() failed>")


def count(bugs: int, others: int) -> None:
    counter = BugCounter()
    for _ in range(others):
        counter.count(PROVEN)
    for _ in range(bugs):
        counter.count(refuse("TypeError at x.py:1: no"))


@pytest.mark.parametrize(("bugs", "others"), [(20, 0), (21, 399), (40, 760)])
def test_few_bugs_do_not_stop_a_run(bugs: int, others: int) -> None:
    count(bugs, others)


@pytest.mark.parametrize(("bugs", "others"), [(21, 0), (21, 300)])
def test_many_bugs_stop_a_run_with_one_message(bugs: int, others: int) -> None:
    with pytest.raises(
        InternalError, match=rf"21 of {21 + others} records so far hit an internal error.*TypeError at x"
    ):
        count(bugs, others)


def test_other_refusals_are_no_bugs() -> None:
    counter = BugCounter()
    for _ in range(100):
        counter.count(reject_candidate(CANDIDATE, Stage.PROVE, "flaky", ""))
