"""Finished proofs are kept, unfinished ones are not."""

from collections.abc import Callable
from pathlib import Path

from schemas.proven import Proven
from schemas.rejection import Rejection, Stage, reject_candidate
from schemas.store import ContentStore
from tests.builders import make_candidate, make_proven
from transforms.memo import remember_proof

CANDIDATE = make_candidate("task-1")
PROVEN = make_proven(CANDIDATE)


def never() -> Proven:
    raise AssertionError("computed again")


def refuse(*, retriable: bool) -> Callable[[], Rejection]:
    return lambda: reject_candidate(CANDIDATE, Stage.PROVE, "flaky", "two answers", retriable=retriable)


def test_a_proof_is_computed_once(tmp_path: Path) -> None:
    store = ContentStore(str(tmp_path))
    assert remember_proof(store, ["task-1"], lambda: PROVEN) == PROVEN
    assert remember_proof(store, ["task-1"], never) == PROVEN


def test_a_verdict_against_a_record_is_computed_once(tmp_path: Path) -> None:
    store = ContentStore(str(tmp_path))
    refused = remember_proof(store, ["task-1"], refuse(retriable=False))
    assert remember_proof(store, ["task-1"], never) == refused


def test_no_verdict_is_not_kept(tmp_path: Path) -> None:
    store = ContentStore(str(tmp_path))
    remember_proof(store, ["task-1"], refuse(retriable=True))
    assert remember_proof(store, ["task-1"], lambda: PROVEN) == PROVEN


def test_other_settings_are_another_proof(tmp_path: Path) -> None:
    store = ContentStore(str(tmp_path))
    remember_proof(store, ["task-1", {"repeats": 3}], refuse(retriable=False))
    assert remember_proof(store, ["task-1", {"repeats": 4}], lambda: PROVEN) == PROVEN
