import os
import signal
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from sandbox.backends import select_backend
from sandbox.base import State
from sandbox.judge import compare_outcomes, judge
from sandbox.judging import CaseOutcome, Program
from sandbox.languages.python import PythonEvaluators
from schemas.candidate import Checker, CheckerName, TaskStyle, TestCase, TestOrigin
from schemas.errors import ConfigError, SandboxError, SchemaError
from schemas.limits import Limits
from schemas.values import encode_call, encode_exception, encode_text

LIMITS = Limits(cpu_s=2.0, wall_s=60.0, memory_mb=256)
FUNCTION, STDIN = TaskStyle.FUNCTION, TaskStyle.STDIN


def case(args, expected):
    return TestCase.make(encode_call(args, {}), expected, origin=TestOrigin.BANK)


CASES = [case((number,), encode_text(number + 1)) for number in range(3)]


@pytest.fixture(scope="module")
def functions():
    return PythonEvaluators(select_backend("process"), LIMITS, style=FUNCTION)


def program(source):
    return Program(source=source, entry_point="f")


def test_a_right_program_passes_every_case(functions):
    verdict = judge(functions, program("def f(x): return x + 1"), CASES, Checker(), FUNCTION)
    assert verdict.passed
    assert verdict.pass_fraction == 1.0
    assert [result.case_id for result in verdict.results] == [case.case_id for case in CASES]


def test_the_share_of_passed_cases_is_reported(functions):
    verdict = judge(functions, program("def f(x): return 1 if x == 0 else None"), CASES, Checker(), FUNCTION)
    assert not verdict.passed
    assert verdict.pass_fraction == pytest.approx(1 / 3)
    assert [result.passed for result in verdict.results] == [True, False, False]


def test_an_expected_exception_is_compared_by_its_name(functions):
    cases = [case((0,), encode_exception("ZeroDivisionError")), case((1,), encode_text(1.0))]
    assert judge(functions, program("def f(x): return 1 / x"), cases, Checker(), FUNCTION).passed
    assert not judge(functions, program("def f(x): raise ValueError"), cases, Checker(), FUNCTION).passed
    forged = "def f(x): return {'$raises': 'ZeroDivisionError'} if x == 0 else 1.0"
    assert not judge(functions, program(forged), cases, Checker(), FUNCTION).passed


def test_a_stdin_program_is_judged_on_its_output_and_its_exit_code():
    factory = PythonEvaluators(select_backend("process"), LIMITS, style=STDIN)
    cases = [TestCase.make("1 2\n", "3\n", origin=TestOrigin.BANK)]
    checker = Checker(name=CheckerName.LINES)
    right = "print(sum(map(int, input().split())))"
    assert judge(factory, Program(source=right), cases, checker, STDIN).passed
    assert not judge(factory, Program(source=f"{right}\nexit(1)"), cases, checker, STDIN).passed


def test_no_cases_are_an_error_and_never_a_pass(functions):
    with pytest.raises(ConfigError, match="without test cases"):
        judge(functions, program("def f(x): return x"), [], Checker(), FUNCTION)
    with pytest.raises(ConfigError, match="without test cases"):
        compare_outcomes([], [], Checker(), FUNCTION)


def test_a_broken_expected_value_is_an_error_and_never_a_verdict(functions):
    with pytest.raises(SchemaError, match="is no encoded value"):
        judge(functions, program("def f(x): return x"), [case((1,), "{")], Checker(), FUNCTION)


def test_a_missing_or_surplus_outcome_is_never_a_verdict():
    outcome = CaseOutcome(state=State.OK, output="1")
    for outcomes in ([], [outcome, outcome]):
        with pytest.raises(SandboxError, match="outcomes for 1 test cases"):
            compare_outcomes(outcomes, CASES[:1], Checker(), FUNCTION)


def test_an_infrastructure_failure_is_never_a_verdict():
    with pytest.raises(SandboxError, match="no verdict"):
        compare_outcomes([CaseOutcome(state=State.INFRA)], CASES[:1], Checker(), FUNCTION)


@pytest.mark.parametrize("state", [state for state in State if state not in {State.OK, State.INFRA}])
def test_the_right_output_with_a_bad_end_fails(state):
    outcome = CaseOutcome(state=state, output="1")
    assert not compare_outcomes([outcome], CASES[:1], Checker(), FUNCTION).passed


def children_of(process_id):
    """Yield the host's ids of all that a process has started; what ends meanwhile isn't among them."""
    found = []
    with suppress(FileNotFoundError, ProcessLookupError):
        for task in Path(f"/proc/{process_id}/task").iterdir():
            with suppress(FileNotFoundError, ProcessLookupError):
                found += [int(child) for child in (task / "children").read_text().split()]
    for child in found:
        yield child
        yield from children_of(child)


def fork_servers():
    """Return the host's process ids of a running launcher, its fork server and the forked child, in that order."""
    found = []
    for process_id in children_of(os.getpid()):
        try:
            words = Path(f"/proc/{process_id}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if any(b"fork_server.py" in word for word in words):
            found.append(process_id)
    return found


class Killer(threading.Thread):
    """Kills the launcher (0) or the fork server (1) of the sandboxes in which a `SLEEPER` is seen asleep."""

    def __init__(self, times, position=1):
        super().__init__()
        self.left = times
        self.position = position
        self.over = threading.Event()

    def run(self):
        while self.left and not self.over.wait(0.05):
            running = fork_servers()
            if len(running) == 3 and Path(f"/proc/{running[2]}/root/tmp/asleep").exists():
                with suppress(ProcessLookupError):
                    os.kill(running[self.position], signal.SIGKILL)
                    self.left -= 1
                self.over.wait(0.2)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.join()


SLEEPER = """
import time
def f(x):
    if x == 0:
        open('/tmp/asleep', 'w').close()
        time.sleep(3)
    return x + 1
"""
"""Long enough in its first case to be seen by the killer on a busy machine."""


def test_a_killed_fork_server_is_an_infrastructure_failure(functions):
    with Killer(1), functions.open() as evaluator:
        with pytest.raises(SandboxError, match="the fork server is gone"):
            evaluator.evaluate(program(SLEEPER), [case.input for case in CASES])
        assert evaluator.evaluate(program("def f(x): return x"), [CASES[1].input])[0].output == "1"
    assert fork_servers() == []


def test_a_killed_launcher_never_makes_a_right_program_wrong(functions):
    with Killer(1, position=0) as killer:
        verdict = judge(functions, program(SLEEPER), CASES, Checker(), FUNCTION)
    assert killer.left == 0
    assert verdict.passed
    assert fork_servers() == []


def test_a_sandbox_that_is_killed_once_is_tried_again(functions):
    with Killer(1) as killer:
        verdict = judge(functions, program(SLEEPER), CASES, Checker(), FUNCTION)
    assert killer.left == 0
    assert verdict.passed


def test_a_sandbox_that_is_killed_twice_gives_no_verdict(functions):
    with Killer(2), pytest.raises(SandboxError, match="failed twice"):
        judge(functions, program(SLEEPER), CASES, Checker(), FUNCTION)


def test_long_outputs_are_compared_whole_and_not_kept():
    factory = PythonEvaluators(select_backend("process"), LIMITS, style=STDIN)
    talk = "n = int(input()); print('x' * 1_000_000 + str(n))"
    cases = [TestCase.make(str(n), "x" * 1_000_000 + str(n % 10), origin=TestOrigin.BANK) for n in range(11)]
    verdict = judge(factory, Program(source=talk), cases, Checker(name=CheckerName.TOKENS), STDIN)
    assert [result.passed for result in verdict.results] == [True] * 10 + [False]
    assert {len(result.outcome.output) for result in verdict.results} == {2**16}
