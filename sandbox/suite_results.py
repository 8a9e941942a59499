"""What the run of a suite came to: the outcome of every test, read from what the suite server answered.

Trusted side: the answer comes out of a sandbox, and lines that aren't the reporter's are left out. Above this,
`sandbox/suites.py` asks the server. Method: own.
"""

import json
import os
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from sandbox.base import State
from sandbox.masking import mask_addresses, mask_durations


class TestOutcome(StrEnum):
    """How one test ended; an error in set-up, tear-down or collection is a class of its own."""

    __test__ = False

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"
    XFAILED = "xfailed"


BAD_OUTCOMES = frozenset({TestOutcome.FAILED, TestOutcome.ERROR})


@dataclass(frozen=True, slots=True, kw_only=True)
class TestResult:
    """One test of one run."""

    __test__ = False

    node_id: str
    """As pytest says it, blanks and brackets kept."""
    outcome: TestOutcome
    message: str = ""
    """The assertion or exception, for people, at most 800 characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRun:
    """What a suite did with one tree."""

    state: State
    """``OK`` when pytest came to its end, whatever the tests said."""
    results: tuple[TestResult, ...] = ()
    """In the order in which they ran."""
    collected: tuple[str, ...] = ()
    broken_modules: tuple[TestResult, ...] = ()
    """Test files that couldn't be collected."""
    running: str = ""
    """The test during which the run was cut off."""
    exit_code: int | None = None
    """pytest's own exit code."""
    cpu_s: float = 0.0
    detail: str = ""
    said: str = ""
    """The end of pytest's own output when it didn't run all tests to their end."""

    @property
    def outcomes(self) -> dict[str, TestOutcome]:
        """Outcome by node id; a test that is reported twice counts as an error."""
        found: dict[str, TestOutcome] = {}
        for result in self.results:
            found[result.node_id] = TestOutcome.ERROR if result.node_id in found else result.outcome
        return found

    def passed(self) -> frozenset[str]:
        """Return the ids of the tests that passed."""
        return frozenset(name for name, outcome in self.outcomes.items() if outcome is TestOutcome.PASSED)


def read_answer(answer: Mapping[str, object]) -> SuiteRun:
    """Return the run that a server's answer describes; lines that aren't the reporter's are left out."""
    collected: tuple[str, ...] = ()
    results: list[TestResult] = []
    broken: list[TestResult] = []
    running, exit_code = "", None
    for line in str(answer["lines"]).splitlines():
        match _parse_line(line):
            case ["collected", list(ids)]:
                collected = tuple(str(node_id) for node_id in ids)
            case ["started", str(node_id)]:
                running = node_id
            case ["broken", str(node_id), str(message)]:
                broken.append(TestResult(node_id=node_id, outcome=TestOutcome.ERROR, message=mask_addresses(message)))
            case ["result", str(node_id), str(outcome), str(message)] if outcome in list(TestOutcome):
                results.append(
                    TestResult(node_id=node_id, outcome=TestOutcome(outcome), message=mask_addresses(message))
                )
                running = ""
            case ["finished", int(code)]:
                exit_code = code
            case _:
                continue
    state, detail = _classify(int(str(answer["status"])), exit_code, timed_out=bool(answer["timed_out"]))
    said = "" if exit_code in {0, 1} else mask_durations(mask_addresses(str(answer["said"])))
    return SuiteRun(
        state=state,
        results=tuple(results),
        collected=collected,
        broken_modules=tuple(broken),
        running=running,
        exit_code=exit_code,
        cpu_s=float(str(answer["cpu_s"])),
        detail=detail,
        said=said,
    )


def _parse_line(line: str) -> list[object]:
    try:
        value = json.loads(line)
    except ValueError:
        return []
    return value if isinstance(value, list) else []


def _classify(status: int, exit_code: int | None, *, timed_out: bool) -> tuple[State, str]:
    if timed_out:
        return State.TLE_WALL, "the suite ran past its wall limit"
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number == signal.SIGXCPU:
            return State.TLE_CPU, "the suite ran past its CPU limit"
        name = signal.Signals(number).name if number in list(signal.Signals) else str(number)
        return (State.MLE if number == signal.SIGKILL else State.RE), f"the suite was ended by {name}"
    if exit_code is None:
        return State.RE, f"the process left with status {os.WEXITSTATUS(status)} before pytest came to its end"
    return State.OK, ""
