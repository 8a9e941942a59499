"""What the terminal says while a run goes on."""

import io
from pathlib import Path

from rich.console import Console

from pipelines.live import ProgressView, RateMeter, show_progress
from transforms.progress import Heartbeat, ProgressReader, StageProgress


def test_rate_and_time_left_come_from_what_was_done_between() -> None:
    meter = RateMeter()
    assert meter.describe(StageProgress(queued=10), 0.0) == ("", "")
    assert meter.describe(StageProgress(queued=10, done=2), 1.0) == ("", "")
    assert meter.describe(StageProgress(queued=10, done=6), 3.0) == ("2.0/s", "2 s")


def test_the_rate_stays_when_all_is_done() -> None:
    meter = RateMeter()
    meter.describe(StageProgress(queued=4, done=1), 0.0)
    meter.describe(StageProgress(queued=4, done=4), 1.0)
    assert meter.describe(StageProgress(queued=4, done=4), 100.0) == ("3.0/s", "done")


def test_a_step_done_in_one_go_is_done() -> None:
    assert RateMeter().describe(StageProgress(queued=3, done=3), 5.0) == ("", "done")


def test_the_line_names_every_step(tmp_path: Path) -> None:
    heartbeat = Heartbeat(tmp_path / "beats")
    heartbeat.beat("read", queued=3, done=3)
    heartbeat.beat("prove", queued=9, done=1, rejected=1)
    heartbeat.flush()
    view = ProgressView(ProgressReader(tmp_path / "beats"))
    assert "read 3/3" in view.line(1.0)
    assert "prove 1/9" in view.line(1.0)
    assert view.table(2.0).row_count == 2


def test_dedup_and_write_stand_below_the_others(tmp_path: Path) -> None:
    heartbeat = Heartbeat(tmp_path / "beats")
    for stage in ("write", "dedup", "prove"):
        heartbeat.beat(stage, queued=1)
        heartbeat.flush()
    view = ProgressView(ProgressReader(tmp_path / "beats"))
    assert [part.split()[0] for part in view.line(1.0).split("; ")] == ["prove", "dedup", "write"]


def test_a_log_gets_the_final_numbers_however_short_the_run(tmp_path: Path) -> None:
    said = io.StringIO()
    with show_progress(tmp_path / "beats", Console(file=said, width=150)):
        heartbeat = Heartbeat(tmp_path / "beats")
        heartbeat.beat("prove", queued=2, done=2)
        heartbeat.beat("write", queued=2, done=2)
        heartbeat.flush()
    assert said.getvalue() == "prove 2/2 done; write 2/2 done\n"
