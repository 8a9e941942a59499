"""Files of a repository that can't be mutated are told, not passed over."""

import json

from mutators.sites import survey_files
from schemas.rejection import Stage
from transforms.proposals import reject_files

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
