"""Files of a repository that can't be mutated are told, not passed over."""

import json
from pathlib import Path

from mutators.sites import survey_files
from sandbox.clean_suites import CleanSuite
from sandbox.environments import Environment
from sandbox.suites import SuitePlan
from schemas.rejection import Stage
from transforms.proposals import is_left_out, reject_files, reject_tests

SOUND = b"def f(a):\n    return a + 1\n"


def test_a_sound_tree_rejects_nothing() -> None:
    assert reject_files("shop", survey_files({"a.py": SOUND}).skipped, ()) == ()


def test_files_that_do_not_parse_are_named_in_one_rejection() -> None:
    survey = survey_files({"a.py": SOUND, "b.py": b"print 'two'\n", "c.py": b"def (:\n"})
    (rejection,) = reject_files("shop", survey.skipped, ())
    assert (rejection.source, rejection.stage, rejection.reason) == ("shop", Stage.INGEST, "files_unparsable")
    assert rejection.detail.startswith("2 files: b.py:1:")
    assert [path for path, _ in json.loads(rejection.payload_json)] == ["b.py", "c.py"]


def test_every_reason_is_a_record_of_its_own() -> None:
    survey = survey_files({"b.py": b"def (:\n"})
    rejections = reject_files("shop", survey.skipped, ("vendor/other",))
    assert [rejection.reason for rejection in rejections] == ["files_left_out", "files_unparsable"]
    assert len({rejection.record_id for rejection in rejections}) == 2
    assert rejections[0].detail == "1 file: vendor/other"


def clean_suite(*failing: str) -> CleanSuite:
    environment = Environment(digest="d", folder=Path("e"), python_version="3.11", requirements=(), packages=())
    return CleanSuite(
        plan=SuitePlan(),
        environment=environment,
        stable=("t.py::a", "t.py::b"),
        unstable=("t.py::c",),
        failing=failing,
        test_files=("t.py",),
        cpu_s=1.0,
    )


def test_tests_that_fail_on_the_healthy_tree_are_counted_and_named_in_one_rejection() -> None:
    names = tuple(f"t.py::d{number:02}" for number in range(12))
    (rejection,) = reject_tests("shop", clean_suite(*names))
    assert (rejection.reason, rejection.stage, rejection.retriable) == ("tests_always_failing", Stage.INGEST, False)
    assert rejection.detail.startswith("12 of 15 tests fail on the healthy tree: t.py::d00, t.py::d01, ")
    assert rejection.detail.endswith("t.py::d09, ...")
    assert json.loads(rejection.payload_json) == list(names)
    assert is_left_out(rejection)


def test_a_healthy_suite_rejects_nothing() -> None:
    assert reject_tests("shop", clean_suite()) == ()
