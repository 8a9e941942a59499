"""The audit log: whole lines, through rotation and full disks."""

import json
from pathlib import Path

from sandbox.server.audit import AuditLog, fingerprint


def read(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_line_holds_the_facts_and_the_time_and_nobody_else_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    log = AuditLog(path)
    log.add(endpoint="/judge", answer="caf\u00e9", seconds=0.5, reward=None)
    log.close()
    (line,) = read(path)
    assert (line["endpoint"], line["answer"], line["reward"]) == ("/judge", "caf\u00e9", None)
    assert str(line["time"]).endswith("Z")
    assert path.stat().st_mode & 0o777 == 0o600


def test_lines_are_added_to_those_that_were_there(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    for number in (1, 2):
        log = AuditLog(path)
        log.add(number=number)
        log.close()
        log.close()
    assert [line["number"] for line in read(path)] == [1, 2]


def test_a_log_that_was_moved_away_is_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    log = AuditLog(path)
    log.add(number=1)
    path.rename(tmp_path / "old.jsonl")
    log.add(number=2)
    path.unlink()
    log.add(number=3)
    log.close()
    assert [line["number"] for line in read(tmp_path / "old.jsonl")] == [1]
    assert [line["number"] for line in read(path)] == [3]


def test_lines_that_find_no_room_are_counted_and_stop_nobody(tmp_path: Path) -> None:
    full = tmp_path / "full"
    full.symlink_to("/dev/full")
    log = AuditLog(full)
    log.add(number=1)
    log.add(number=2)
    log.close()
    assert log.lost == 2


def test_a_folder_that_is_gone_costs_lines_until_it_is_back(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    log = AuditLog(folder / "audit.jsonl")
    folder.rename(tmp_path / "away")
    log.add(number=1)
    assert log.lost == 1
    folder.mkdir()
    log.add(number=2)
    log.close()
    assert [line["number"] for line in read(folder / "audit.jsonl")] == [2]


def test_without_a_path_and_after_its_end_nothing_is_written(tmp_path: Path) -> None:
    AuditLog(None).add(number=1)
    log = AuditLog(tmp_path / "audit.jsonl")
    log.close()
    log.add(number=1)
    assert (tmp_path / "audit.jsonl").read_text() == ""


def test_a_program_is_named_by_a_digest_that_any_text_has() -> None:
    assert len(fingerprint("x = '\ud800'")) == 16
    assert fingerprint("a") != fingerprint("b")
