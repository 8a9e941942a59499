"""An operator of somebody else's that fails on one record costs that record, and the next run tries it again."""

import json
import os
from pathlib import Path

import pytest

from pipelines.dataset import iterate_rows, read_manifest
from schemas.arrow import Row
from tests.pipelines.conftest import DEMO, run_cli, write_config

# An extension registers itself when Python starts, as an installed plug-in would, in the workers too.
EXTENSION = """
from pathlib import Path
from mutators.base import Operator
from mutators.registry import OPERATORS

def find(document):
    if document.source.count(b"{marker}"):
        raise TypeError(f"no rule for {{object()}} in {{__file__}}")
    return iter(())

OPERATORS.register("faulty", Operator(name="faulty", theme="call", summary="", before="", after="", find=find))
"""
FUNCTION = """def add_{n}(a: int, b: int) -> int:
    total = a + b
    return total if total > {n} else total * 2
"""


def install(folder: Path, marker: str) -> dict[str, str]:
    folder.mkdir(exist_ok=True)
    (folder / "sitecustomize.py").write_text(EXTENSION.format(marker=marker))
    return {"PYTHONPATH": os.pathsep.join([str(folder), *os.environ.get("PYTHONPATH", "").split(os.pathsep)])}


def bank_row(number: int) -> str:
    tests = [{"args": [a, b], "expected": (a + b if a + b > number else 2 * (a + b))} for a in range(4) for b in (1, 7)]
    signature, _, _ = FUNCTION.format(n=number).partition(":\n")
    return json.dumps(
        {
            "id": f"add-{number}",
            "style": "function",
            "title": f"Add {number}",
            "statement": f"Return a plus b; twice of it when it's at most {number}.",
            "signature": signature,
            "reference": FUNCTION.format(n=number),
            "tests": tests,
        }
    )


def make_config(folder: Path, count: int) -> Path:
    (folder / "bank.jsonl").write_text("\n".join(bank_row(number) for number in range(count)) + "\n")
    sources = [{"kind": "bank", "name": "bank", "format": "taskfoundry", "path": "bank.jsonl"}]
    proof = {"fuzz_inputs": 10, "max_mutants": 5, "min_mutation_score": 0.0}
    return write_config(
        folder,
        {
            "name": "bugs",
            "cache": str(folder / "cache"),
            "sources": sources,
            "prove": proof,
            "dedup": {"threshold": 1.0},
        },
    )


def rejected(output: Path) -> list[Row]:
    return list(iterate_rows(output, read_manifest(output), ("rejected",)))


def test_one_record_is_refused_said_logged_and_tried_again(tmp_path: Path) -> None:
    config, output = make_config(tmp_path, 4), tmp_path / "out"
    done = run_cli("build", config, "-o", output, "--workers", "2", env=install(tmp_path / "plug", "add_2"))
    assert done.returncode == 0, done.stdout + done.stderr
    (row,) = rejected(output)
    assert (row["reason"], row["retriable"], row["stage"]) == ("internal_error", True, "prove")
    assert row["detail"].startswith("TypeError at mutators/")
    assert row["detail"].endswith(": no rule for <object object at 0x...> in <path>")
    assert (
        "1 record hit an internal error: a bug of ours. Run again, they are tried again; please report" in done.stdout
    )
    assert "Traceback" not in done.stdout + done.stderr
    log = output / ".taskfoundry" / "internal-errors.log"
    assert row["record_id"] in log.read_text()
    assert "Traceback" in log.read_text()
    assert "1 record hit an internal error" in run_cli("status", output).stdout

    again = run_cli("build", config, "-o", output, "--workers", "2")
    assert again.returncode == 0, again.stdout + again.stderr
    assert rejected(output) == []
    assert "internal error" not in again.stdout
    assert not log.exists()


@pytest.mark.slow
def test_a_repository_is_refused_alone(tmp_path: Path) -> None:
    place = {"location": f"{DEMO}/quartermaster.bundle", "max_candidates": 4, "install": False}
    config = make_config(tmp_path, 2)
    text = config.read_text().replace(
        "sources:", f"sources:\n- {json.dumps({'kind': 'repository', 'name': 'shop'} | place)}"
    )
    config.write_text(text)
    output = tmp_path / "out"
    done = run_cli("build", config, "-o", output, "--workers", "2", env=install(tmp_path / "plug", "raise"))
    assert done.returncode == 0, done.stdout + done.stderr
    (row,) = rejected(output)
    assert (row["source"], row["locator"], row["stage"]) == ("shop", "shop", "ingest")
    assert (row["reason"], row["retriable"]) == ("internal_error", True)


@pytest.mark.slow
def test_a_run_in_which_most_records_meet_a_bug_stops(tmp_path: Path) -> None:
    config, output = make_config(tmp_path, 24), tmp_path / "out"
    done = run_cli("build", config, "-o", output, "--workers", "2", env=install(tmp_path / "plug", "add_"))
    assert done.returncode == 2, done.stdout + done.stderr
    assert "21 of 21 records so far hit an internal error" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (output / "manifest.json").exists()


@pytest.mark.slow
def test_the_refusal_is_the_same_whatever_the_number_of_workers(tmp_path: Path) -> None:
    details = []
    for number in ("1", "4"):
        folder = tmp_path / number
        folder.mkdir()
        config = make_config(folder, 2)
        env = install(folder / "plug", "add_1")
        run_cli("build", config, "-o", folder / "out", "--workers", number, env=env)
        details.append(rejected(folder / "out"))
    assert details[0] == details[1]
