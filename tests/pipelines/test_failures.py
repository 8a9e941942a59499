"""What is raised in a step comes out as the one message that a person needs; a bug comes out as it is."""

import errno
from collections.abc import Iterator
from concurrent.futures.process import BrokenProcessPool

import apache_beam as beam
import pytest
from apache_beam.options.pipeline_options import PipelineOptions

from pipelines.failures import explain, explain_failures
from schemas.errors import ConfigError, ModelError, SandboxError, SchemaError, SeedError


class Fail(beam.DoFn):
    def __init__(self, kind: type[Exception], *words: object) -> None:
        self.kind = kind
        self.words = words

    def process(self, element: int) -> Iterator[int]:
        raise self.kind(*self.words)


def run(kind: type[Exception], *words: object) -> None:
    options = PipelineOptions(["--runner=FnApiRunner"])
    with explain_failures(), beam.Pipeline(options=options) as pipeline:
        _ = pipeline | beam.Create([1]) | "Ask it" >> beam.ParDo(Fail(kind, *words))


@pytest.mark.parametrize("kind", [ConfigError, SeedError, ModelError, SandboxError])
def test_the_name_of_the_step_leaves_the_message(kind: type[Exception]) -> None:
    with pytest.raises(kind) as raised:
        run(kind, "the key 'a' is wrong")
    assert str(raised.value) == "the key 'a' is wrong"


def test_a_full_disk_in_a_step_is_the_users_to_mend() -> None:
    with pytest.raises(ConfigError, match="/out/x: the disk is full; free room and run again, finished work is kept"):
        run(OSError, errno.ENOSPC, "No space left on device", "/out/x")


def test_a_lost_worker_is_said() -> None:
    with pytest.raises(SandboxError, match=r"a worker process died: .* Run again, finished work is kept"):
        run(BrokenProcessPool, "A process was terminated abruptly")


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (ZeroDivisionError, ("division by zero",)),
        (SchemaError, ("a row without an id",)),
        (FileNotFoundError, (errno.ENOENT, "No such file", "/x")),
        (RuntimeError, ("generator raised StopIteration",)),
    ],
)
def test_a_bug_is_not_swallowed(kind: type[Exception], words: tuple[object, ...]) -> None:
    with pytest.raises((kind, RuntimeError), match="while running 'Ask it"):
        run(kind, *words)


def test_an_error_told_as_text_by_a_distant_worker_is_found_again() -> None:
    told = (
        'Traceback (most recent call last):\n  File "x.py", line 1, in process\n'
        "schemas.errors.ConfigError: model endpoint refuses: HTTP 401.\n Check the key [while running 'Ask it']\n\nmore"
    )
    explained = explain(RuntimeError(f"Pipeline failed in state FAILED: {told}"))
    assert isinstance(explained, ConfigError)
    assert str(explained) == "model endpoint refuses: HTTP 401.\n Check the key"


def fail_while_handling() -> None:
    try:
        raise SeedError("bad row")
    except SeedError:
        raise SchemaError("worse")  # noqa: B904 - the point of the test


def test_a_bug_met_while_handling_an_error_is_still_a_bug() -> None:
    with pytest.raises(SchemaError) as raised:
        fail_while_handling()
    assert explain(raised.value) is None
