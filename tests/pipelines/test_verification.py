"""Proving again asks what the proof asked: the same baselines, as many repeats."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pipelines.verification import Verifier, describe_contradiction
from sandbox.backends import select_backend
from sandbox.exploits.evidence import add_exploits
from schemas.candidate import Candidate, Signature, Suite, SuiteFile, TaskStyle, TestCase, TestOrigin
from schemas.exploit_results import ClassResult, Result
from schemas.exploit_settings import Exploits
from schemas.limits import Limits
from schemas.proven import Proven, VerdictStrength
from schemas.values import encode_call
from tests.builders import make_candidate, make_proven

SUITE_LIMITS = Limits(cpu_s=30, wall_s=60, memory_mb=512, disk_mb=64)


@pytest.fixture
def verifier(tmp_path: Path) -> Iterator[Verifier]:
    (tmp_path / "scratch").mkdir()
    made = Verifier(tmp_path, select_backend(), tmp_path / "scratch", run_seed=3)
    yield made
    made.close()


def function_task(expected: dict[int, str], reference: str) -> Proven:
    tests = tuple(
        TestCase.make(encode_call([number], {}), text, origin=TestOrigin.BANK, public=number < 1)
        for number, text in expected.items()
    )
    return make_proven(replace(make_candidate("task"), tests=tests, reference=reference))


def stream_task(reference: str, outputs: dict[str, str]) -> Proven:
    tests = tuple(TestCase.make(given, wanted, origin=TestOrigin.BANK) for given, wanted in outputs.items())
    base = replace(make_candidate("task"), style=TaskStyle.STDIN, signature=None)
    return make_proven(replace(base, tests=tests, reference=reference))


def suite_task(tests: str, repeats: int) -> Proven:
    candidate = Candidate(
        record_id="suite-1",
        source=make_candidate("x").source,
        style=TaskStyle.SUITE,
        statement="Return a text.",
        signature=Signature(entry_point="text"),
        suite=Suite(files=(SuiteFile(path="test_solution.py", content=tests),), why="stateful"),
        reference="def text():\n    return 'x'\n",
    )
    made = make_proven(candidate)
    evidence = replace(made.evidence, repeats=repeats, limits=SUITE_LIMITS, verdict_strength=VerdictStrength.CANARY)
    return replace(made, tests=(), evidence=evidence)


def test_a_task_that_only_its_reference_solves_is_proven_again(verifier: Verifier) -> None:
    task = function_task({n: str(n * n + 3) for n in range(6)}, "def double(n):\n    return n * n + 3\n")
    assert verifier.check(task) is None


def test_a_task_that_a_constant_solves_is_in_doubt_though_the_stub_fails(verifier: Verifier) -> None:
    doubt = verifier.check(function_task(dict.fromkeys(range(6), "7"), "def double(n):\n    return 7\n"))
    assert doubt is not None
    assert doubt.why == "the trivial solver 'constant_0' passes the hidden tests"


def test_a_stdin_task_that_an_echo_solves_is_in_doubt(verifier: Verifier) -> None:
    task = stream_task("print(input())", {"a b\n": "a b\n", "7\n": "7\n", "q\n": "q\n"})
    doubt = verifier.check(task)
    assert doubt is not None
    assert "trivial solver 'echo' passes" in doubt.why


def hash_of_x(seed: int) -> int:
    done = subprocess.run(
        [sys.executable, "-c", "print(hash('x'))"],
        env={**os.environ, "PYTHONHASHSEED": str(seed)},
        capture_output=True,
        check=True,
    )
    return int(done.stdout)


@pytest.mark.parametrize(("repeats", "why"), [(3, ""), (4, "flaky_reference")])
def test_a_suite_is_run_as_often_as_the_row_says(verifier: Verifier, repeats: int, why: str) -> None:
    # The fourth run of a proof has hash seed 5003; the test passes in the three before.
    condition = f"text() == 'x' and hash('x') != {hash_of_x(5003)}"
    doubt = verifier.check(
        suite_task(f"from solution import text\n\ndef test_text():\n    assert {condition}\n", repeats)
    )
    assert (doubt.why.partition(":")[0] if doubt else "") == why


def square_task(**changes: object) -> Proven:
    task = function_task({n: str(n * n + 3) for n in range(6)}, "def double(n):\n    return n * n + 3\n")
    known = add_exploits(task, Exploits())
    assert isinstance(known, Proven)
    return replace(known, evidence=replace(known.evidence, **changes))  # type: ignore[arg-type]


def test_results_of_exploits_follow_from_the_row() -> None:
    task = square_task()
    assert describe_contradiction(task) == ""
    forged = tuple(
        replace(each, tried=7, open_to=("x",)) if each.number == 16 else each for each in task.evidence.exploits
    )
    assert describe_contradiction(square_task(exploits=forged)) == (
        "exploit class 16 is refused x, by the row's evidence refused"
    )
    assert describe_contradiction(square_task(exploits=task.evidence.exploits[1:])) == (
        "exploit class 15 is not in the row, by the row's evidence refused"
    )


@pytest.mark.parametrize("version", ["", "0"])
def test_rows_of_other_exploits_are_not_compared(version: str) -> None:
    assert describe_contradiction(square_task(exploits=(), battery_version=version)) == ""


def test_what_the_battery_said_comes_out_again_when_asked_for(tmp_path: Path) -> None:
    (tmp_path / "scratch").mkdir()
    said = ClassResult(number=22, result=Result.REFUSED, tried=1)
    right = square_task(exploits=(*square_task().evidence.exploits, said))
    wrong = square_task(exploits=(*square_task().evidence.exploits, replace(said, result=Result.ACCEPTED)))
    verifier = Verifier(tmp_path, select_backend(), tmp_path / "scratch", run_seed=3, exploits=True)
    try:
        assert verifier.check(square_task()) is None
        assert "on none of them: the build ran no battery" in verifier.describe_batteries()
        assert verifier.check(right) is None
        assert verifier.describe_batteries() == "exploits run again on 1 of them"
        doubt = verifier.check(wrong)
    finally:
        verifier.close()
    assert doubt is not None
    assert doubt.why == "exploit class 22 is accepted in the row and now refused"
