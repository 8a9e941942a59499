"""Human-written tasks in YAML and JSON."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from schemas.candidate import Candidate, TestOrigin
from schemas.config import CuratedSource
from schemas.errors import ConfigError
from schemas.rejection import Rejection, Stage
from schemas.source import SourceKind
from seeds.curated import read_curated

TASK = """\
id: double
author_role: maintainer
review_status: approved
style: function
statement: |
  Double it.
signature: "def double(n: int) -> int"
tests:
  - {args: [1], expected: 2}
  - {args: [0], expected: 0}
  - {args: [-4], expected: -8}
reference: |
  def double(n: int) -> int:
      return n * 2
"""


def read(folder: Path, **changes: object) -> list[Candidate | Rejection]:
    section = CuratedSource.model_validate({"kind": "curated", "name": "people", "path": ".", **changes})
    return list(read_curated(section, folder))


def only(folder: Path, **changes: object) -> Candidate | Rejection:
    (record,) = read(folder, **changes)
    return record


def test_an_accepted_task_becomes_a_candidate_with_role_and_status(tmp_path: Path) -> None:
    (tmp_path / "double.yaml").write_text(TASK)
    task = only(tmp_path, license="Apache-2.0")
    assert isinstance(task, Candidate)
    ref = task.source
    assert (ref.kind, ref.locator, ref.original_id) == (SourceKind.CURATED, "double.yaml", "double")
    assert (ref.author_role, ref.review_status, ref.license) == ("maintainer", "approved", "Apache-2.0")
    assert {test.origin for test in task.tests} == {TestOrigin.HUMAN}


def test_json_says_the_same_as_yaml(tmp_path: Path) -> None:
    (tmp_path / "double.yaml").write_text(TASK)
    yaml_task = only(tmp_path)
    (tmp_path / "double.yaml").unlink()
    row = {
        "id": "double",
        "author_role": "maintainer",
        "review_status": "approved",
        "style": "function",
        "statement": "Double it.",
        "signature": "def double(n: int) -> int",
        "tests": [{"args": [n], "expected": 2 * n} for n in (1, 0, -4)],
        "reference": "def double(n: int) -> int:\n    return n * 2\n",
    }
    (tmp_path / "double.json").write_text(json.dumps(row))
    assert only(tmp_path).record_id == yaml_task.record_id


def test_a_draft_is_refused_until_the_config_accepts_it(tmp_path: Path) -> None:
    (tmp_path / "double.yml").write_text(TASK.replace("approved", "draft"))
    refused = only(tmp_path)
    assert isinstance(refused, Rejection)
    assert (refused.reason, refused.stage, refused.locator) == ("review_status", Stage.INGEST, "double.yml")
    assert "'draft'; this source accepts approved, reviewed" in refused.detail
    assert isinstance(only(tmp_path, accept_status=["draft"]), Candidate)


def replaced(old: str, new: str) -> Callable[[], bytes]:
    return lambda: TASK.replace(old, new).encode()


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (replaced("approved", "aproved"), "unknown_status"),
        (replaced("review_status: approved\n", ""), "missing_field"),
        (replaced("author_role: maintainer\n", ""), "missing_field"),
        (replaced("author_role: maintainer", "author_role: 3"), "wrong_type"),
        (replaced("tests:", "tests: []\nold:"), "empty_tests"),
        (replaced("id: double", "id: double\nid: again"), "broken_yaml"),
        (replaced("{args: [1], expected: 2}", "&a {args: [1], expected: 2}\n  - *a"), "broken_yaml"),
        (replaced("expected: 2", "expected: 2024-01-01"), "broken_yaml"),
        (replaced("expected: 2", "expected: .nan"), "broken_yaml"),
        (replaced("expected: 2", "expected: !!python/object:os.system {}"), "broken_yaml"),
        (replaced("expected: 2", "expected: 0x" + "f" * 20_000), "broken_yaml"),
        (replaced("expected: 2", r'expected: "\ud800"'), "broken_yaml"),
        (lambda: b"[1, 2", "broken_yaml"),
        (lambda: b"- 1\n- 2\n", "not_an_object"),
        (lambda: b"", "not_an_object"),
        (lambda: b"a: \xff", "not_utf8"),
        (lambda: b"# " + b"x" * 5 * 2**20, "file_too_large"),
    ],
)
def test_bad_files_say_what_is_wrong(tmp_path: Path, content: Callable[[], bytes], word: str) -> None:
    (tmp_path / "a.yaml").write_bytes(content())
    (tmp_path / "b.yaml").write_text(TASK)
    bad, good = read(tmp_path)
    assert isinstance(bad, Rejection)
    assert (bad.reason, bad.locator) == (word, "a.yaml")
    assert "source 'people' (a.yaml)" in bad.detail
    assert isinstance(good, Candidate)


def test_a_nest_of_aliases_costs_nothing(tmp_path: Path) -> None:
    layers = "".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]\n" for n in range(1, 12))
    (tmp_path / "a.yaml").write_text("l0: &l0 x\n" + layers)
    refused = only(tmp_path)
    assert isinstance(refused, Rejection)
    assert "aliases" in refused.detail


def test_broken_json_is_called_so(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{")
    refused = only(tmp_path)
    assert isinstance(refused, Rejection)
    assert refused.reason == "broken_json"


def test_the_same_task_twice_is_kept_once(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(TASK)
    (tmp_path / "b.yaml").write_text(TASK.replace("id: double", "id: copy"))
    first, second = read(tmp_path)
    assert isinstance(first, Candidate)
    assert isinstance(second, Rejection)
    assert (second.reason, second.locator) == ("duplicate_row", "b.yaml")
    assert "the same task as a.yaml" in second.detail


def test_mistakes_of_the_config_are_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(TASK)
    for changes, message in (
        ({"path": "gone"}, "source 'people': path: no file at 'gone'"),
        ({"accept_status": ["aproved"]}, "Did you mean 'approved'"),
    ):
        section = CuratedSource.model_validate({"kind": "curated", "name": "people", "path": ".", **changes})
        with pytest.raises(ConfigError, match=message):
            read_curated(section, tmp_path)
