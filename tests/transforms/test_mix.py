"""The mix stage gives every record one decision, whatever their order."""

import apache_beam as beam
from apache_beam.testing.test_pipeline import TestPipeline
from apache_beam.testing.util import assert_that, equal_to

from schemas.config import Config
from schemas.task import Split, Task
from tests.builders import make_scored
from transforms.mix import MixAndSplit

SOURCES = [{"kind": "bank", "name": "a", "format": "taskfoundry", "path": "x"}]


def make_config(**mixture: object) -> Config:
    return Config.model_validate({"name": "x", "sources": SOURCES, "mixture": mixture})


def test_all_records_become_tasks_and_one_part_takes_all_the_weight() -> None:
    records = [make_scored(f"r{index}", statement=f"statement {index}") for index in range(20)]

    def check(tasks: list[Task]) -> None:
        assert sorted(task.task_id for task in tasks) == sorted(r.proven.candidate.record_id for r in records)
        assert {task.weight for task in tasks} == {1.0}
        assert sum(task.split is Split.VALIDATION for task in tasks) == 4

    with TestPipeline(runner="FnApiRunner") as pipeline:
        mixed = pipeline | beam.Create(records[::-1]) | MixAndSplit(make_config(validation_fraction=0.2))
        assert_that(mixed.tasks, check)
        notes = mixed.report | beam.Filter(lambda line: line["emitted"]) | beam.Map(lambda line: line["bucket"])
        assert_that(notes, equal_to(["bank"]), label="report")


def test_an_enforced_cap_holds_rows_out_and_keeps_them() -> None:
    records = [make_scored(f"r{index}", source="ab"[index > 1]) for index in range(10)]

    def check(tasks: list[Task]) -> None:
        held = [task for task in tasks if task.split is Split.HELD_OUT]
        assert len(tasks) == 10
        assert len(held) == 6
        assert all(task.weight == 0.0 for task in held)

    with TestPipeline(runner="FnApiRunner") as pipeline:
        mixed = pipeline | beam.Create(records) | MixAndSplit(make_config(enforce=True, max_share_per_source=0.5))
        assert_that(mixed.tasks, check)
        held = mixed.report | beam.Filter(lambda line: line["held_out"]) | beam.Map(lambda line: line["held_out"])
        assert_that(held, equal_to([{"mixture_share": 3, "mixture_source_cap": 3}]), label="report")
