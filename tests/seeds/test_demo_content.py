"""The demo's own bank and curated tasks: numbers, licences, and tests that their references pass."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from schemas.candidate import Candidate, TaskStyle
from schemas.config import BankSource, CuratedSource
from schemas.rejection import Rejection
from schemas.values import decode_call, encode_exception, encode_text
from seeds.banks.reading import read_bank
from seeds.curated import read_curated

DEMO = Path(__file__).resolve().parents[2] / "examples" / "demo"


def bank(name: str) -> list[Candidate | Rejection]:
    section = BankSource(kind="bank", name="bank", format="taskfoundry", path=f"bank/{name}.jsonl")
    return list(read_bank(section, DEMO))


def curated() -> list[Candidate | Rejection]:
    return list(read_curated(CuratedSource(kind="curated", name="curated", path="curated"), DEMO))


def kept(records: list[Candidate | Rejection]) -> list[Candidate]:
    return [record for record in records if isinstance(record, Candidate)]


SOUND = [*kept(bank("functions")), *kept(bank("streams")), *kept(curated())]


def test_the_bank_holds_function_and_stdin_problems_and_no_row_is_lost() -> None:
    functions, streams = bank("functions"), bank("streams")
    assert {record.style for record in kept(functions)} == {TaskStyle.FUNCTION}
    assert {record.style for record in kept(streams)} == {TaskStyle.STDIN}
    assert (len(kept(functions)), len(kept(streams))) == (len(functions), len(streams)) == (32, 12)


def test_the_flawed_rows_are_four_of_which_one_falls_at_once() -> None:
    records = bank("flawed")
    assert [r.reason if isinstance(r, Rejection) else r.source.original_id for r in records] == [
        "step-sum", "empty_tests", "any-champion", "merge-guard-shifts",
    ]  # fmt: skip


def test_eight_curated_tasks_are_accepted_and_the_draft_is_not() -> None:
    records = curated()
    assert len(kept(records)) == 8
    assert [r.reason for r in records if isinstance(r, Rejection)] == ["review_status"]
    assert {record.source.author_role for record in kept(records)} == {"maintainer", "contractor", "community"}


def test_the_domains_are_varied_and_the_licence_is_ours() -> None:
    domains = Counter(record.domain for record in SOUND)
    assert len(domains) >= 15
    assert max(domains.values()) <= 10
    assert {record.source.license for record in SOUND} == {"Apache-2.0"}


def test_titles_and_ids_are_told_apart() -> None:
    for names in ([r.title for r in SOUND], [r.source.original_id for r in SOUND], [r.record_id for r in SOUND]):
        assert len(set(names)) == len(names)


@pytest.mark.parametrize("task", SOUND, ids=lambda task: task.source.original_id)
def test_a_task_shows_two_examples_and_hides_the_edges(task: Candidate) -> None:
    shown, hidden = [t for t in task.tests if t.public], [t for t in task.tests if not t.public]
    assert 1 <= len(shown) <= 3
    assert len(hidden) >= 6
    assert any(test.tier.value == "edge" for test in hidden)
    assert any(test.tier.value == "complex" for test in hidden)
    assert len({test.expected for test in task.tests}) >= 4


@pytest.mark.parametrize(
    "task", [t for t in SOUND if t.style is TaskStyle.FUNCTION], ids=lambda task: task.source.original_id
)
def test_a_function_reference_gives_the_expected_values(task: Candidate) -> None:
    assert task.signature is not None
    namespace: dict[str, object] = {}
    exec(task.reference, namespace)
    function = namespace[task.signature.entry_point]
    for test in task.tests:
        args, kwargs = decode_call(test.input)
        try:
            found = encode_text(function(*args, **kwargs))  # type: ignore[operator]
        except ValueError as error:
            found = encode_exception(type(error).__name__)
        if task.checker.name.value == "unordered":
            assert sorted(json.loads(found), key=str) == sorted(json.loads(test.expected), key=str)
        else:
            assert found == test.expected


@pytest.mark.parametrize(
    "task", [t for t in SOUND if t.style is TaskStyle.STDIN], ids=lambda task: task.source.original_id
)
def test_a_stdin_reference_gives_the_expected_output(task: Candidate) -> None:
    program = (
        "import io, json, sys\nsource, inputs = json.load(sys.stdin)\nouts = []\nreal = sys.stdout\n"
        "for text in inputs:\n    sys.stdin, sys.stdout = io.StringIO(text), io.StringIO()\n"
        "    exec(compile(source, 's', 'exec'), {'__name__': '__main__'})\n    outs.append(sys.stdout.getvalue())\n"
        "json.dump(outs, real)\n"
    )
    given = json.dumps([task.reference, [test.input for test in task.tests]])
    ran = subprocess.run([sys.executable, "-S", "-c", program], input=given, capture_output=True, text=True, check=True)
    assert json.loads(ran.stdout) == [test.expected for test in task.tests]
