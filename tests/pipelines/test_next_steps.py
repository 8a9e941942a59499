"""What a finished run tells a person to do next can be done."""

import shlex
from pathlib import Path

from pipelines.dataset import iterate_rows, read_manifest
from tests.pipelines.conftest import run_cli


def test_the_printed_ids_are_a_task_of_each_style_and_a_rejection(dataset: Path) -> None:
    printed = (dataset / ".taskfoundry" / "stdout").read_text().splitlines()
    commands = [line for line in printed if " inspect " in line]
    assert [line.rpartition("# ")[2].split(":")[0] for line in commands if "rejected" in line] == ["rejected"]
    styles = {row["style"] for row in iterate_rows(dataset, read_manifest(dataset))}
    assert {line.split()[-2] for line in commands if line.endswith(" task")} == styles
    for line in commands:
        assert run_cli(*shlex.split(line, comments=True)[1:]).returncode == 0


def test_a_task_is_found_by_the_id_and_the_place_that_its_source_gave(dataset: Path) -> None:
    row = next(row for row in iterate_rows(dataset, read_manifest(dataset)) if row["source"] == "bank")
    for name in (row["source_id"], row["source_locator"]):
        assert row["task_id"] in run_cli("inspect", dataset, name).stdout


def test_an_ambiguous_beginning_is_answered_with_ids_to_choose_from(dataset: Path) -> None:
    answer = run_cli("inspect", dataset, "cand-")
    assert answer.returncode == 2
    assert "records answer to 'cand-'; take one of: cand-" in answer.stderr
