"""Pooled work keeps its order, separates rejections and tells its progress."""

import threading
import time
from collections.abc import Iterable
from pathlib import Path

import apache_beam as beam
import pytest
from apache_beam.testing.test_pipeline import TestPipeline
from apache_beam.testing.util import assert_that, equal_to

from schemas.errors import ConfigError
from schemas.rejection import Rejection, Stage
from schemas.source import SourceKind
from transforms.pooled import REJECTED, ThreadedDoFn
from transforms.progress import Heartbeat, ProgressReader


def refuse(number: int) -> Rejection:
    return Rejection(
        record_id=str(number),
        source="s",
        kind=SourceKind.BANK,
        locator=str(number),
        stage=Stage.PROVE,
        reason="odd",
    )


class Halve(ThreadedDoFn[int, int]):
    """Even numbers are halved, slow ones first; odd numbers are refused."""

    def work(self, element: int) -> Iterable[int | Rejection]:
        time.sleep(0.02 if element < 4 else 0)
        yield refuse(element) if element % 2 else element // 2


class Block(ThreadedDoFn[int, int]):
    """Element 0 waits until it's released, all others fail."""

    released = threading.Event()

    def work(self, element: int) -> Iterable[int | Rejection]:
        if element:
            raise ConfigError(f"no {element}")
        self.released.wait(60)
        yield element


def run(workers: int, path: Path) -> None:
    with TestPipeline(runner="FnApiRunner") as pipeline:
        halves = (
            pipeline
            | beam.Create(list(range(30)), reshuffle=False)
            | beam.ParDo(Halve("halve", workers=workers, heartbeat=Heartbeat(path))).with_outputs(REJECTED, main="kept")
        )
        assert_that(halves["kept"], equal_to(list(range(15))), label="kept")
        odd = halves[REJECTED] | beam.Map(lambda rejection: int(rejection.record_id))
        assert_that(odd, equal_to(list(range(1, 30, 2))), label="rejected")


def test_one_worker_and_four_give_the_same_records(tmp_path: Path) -> None:
    run(1, tmp_path / "a")
    run(4, tmp_path / "b")


def test_results_come_out_in_the_order_of_the_elements() -> None:
    step = Halve("halve", workers=4)
    step.setup()
    step.start_bundle()
    results = [result for number in range(0, 30, 2) for result in step.process(number)]
    results += [result.value for result in step.finish_bundle()]
    step.teardown()
    assert results == list(range(15))


def test_a_failure_does_not_wait_for_the_elements_in_front_of_it() -> None:
    step = Block("block", workers=2)
    step.setup()
    step.start_bundle()
    assert list(step.process(0)) == []
    with pytest.raises(ConfigError, match="no 1"):
        _ = [*step.process(1), *step.finish_bundle()]
    step.teardown()
    assert not step.released.is_set()
    step.released.set()


def test_heartbeats_add_up(tmp_path: Path) -> None:
    heartbeat = Heartbeat(tmp_path / "beats")
    for _ in range(10):
        heartbeat.beat("prove", queued=2, done=1)
    heartbeat.beat("read", done=3, rejected=1)
    heartbeat.flush()
    stages = ProgressReader(tmp_path / "beats").update().stages
    assert (stages["prove"].queued, stages["prove"].done) == (20, 10)
    assert (stages["read"].done, stages["read"].rejected) == (3, 1)


def test_a_half_written_line_waits_for_its_end(tmp_path: Path) -> None:
    path = tmp_path / "beats"
    reader = ProgressReader(path)
    assert reader.update().stages == {}
    path.write_text('{"stage": "a", "queued": 1, "done": 0, "rejected": 0}\n{"stage": "a", ')
    assert reader.update().stages["a"].queued == 1
    with path.open("a") as file:
        file.write('"queued": 1, "done": 1, "rejected": 0}\n')
    assert reader.update().stages["a"].queued == 2


def test_nobody_is_told_without_a_path() -> None:
    heartbeat = Heartbeat(None)
    heartbeat.beat("prove", done=1)
    heartbeat.flush()
