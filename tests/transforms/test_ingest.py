"""What is read of a file source."""

import json
from pathlib import Path

from schemas.candidate import Candidate
from schemas.config import Config
from schemas.rejection import Rejection
from seeds.task_tests import MOST_GIVEN
from transforms.context import RunContext
from transforms.ingest import read_source


def row(tests: int) -> str:
    return json.dumps(
        {
            "id": f"double-{tests}",
            "style": "function",
            "title": "Double",
            "statement": "Return n doubled.",
            "signature": "def double(n: int) -> int",
            "reference": "def double(n: int) -> int:\n    return 2 * n\n",
            "tests": [{"args": [number], "expected": 2 * number} for number in range(tests)],
        }
    )


def read(folder: Path, *rows: str, most: int) -> list[Candidate | Rejection]:
    (folder / "bank.jsonl").write_text("\n".join(rows) + "\n")
    source = {"kind": "bank", "name": "bank", "format": "taskfoundry", "path": "bank.jsonl"}
    config = Config.model_validate({"name": "x", "sources": [source], "prove": {"max_given_tests": most}})
    context = RunContext(config=config, base_dir=folder, output=str(folder), cache_dir=folder, workers=1)
    return list(read_source(context, "bank"))


def test_a_row_with_many_tests_is_cut_and_says_so(tmp_path: Path) -> None:
    few, many = read(tmp_path, row(12), row(40), most=12)
    assert isinstance(few, Candidate)
    assert isinstance(many, Candidate)
    assert (len(few.tests), few.given_tests_left_out) == (12, 0)
    assert (len(many.tests), many.given_tests_left_out) == (12, 28)


def test_a_row_with_too_many_tests_is_refused_and_the_next_is_read(tmp_path: Path) -> None:
    refused, sound = read(tmp_path, row(MOST_GIVEN + 1), row(12), most=1000)
    assert isinstance(refused, Rejection)
    assert refused.reason == "too_many_tests"
    assert isinstance(sound, Candidate)
