"""Finished proofs are kept, unfinished ones are not."""

import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

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


def entry_of(folder: Path) -> Path:
    (found,) = (path for path in folder.rglob("*") if path.is_file())
    return found


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: data[:40] + bytes([data[40] ^ 255]) + data[41:],
        lambda data: b"\x00" * len(data),
        lambda data: zlib.compress(b"P{}"),
        lambda data: zlib.compress(zlib.decompress(data)[:64] + b"X{}"),
        lambda data: zlib.compress(zlib.decompress(data)[:70]),
        lambda data: zlib.compress(b"\xff" * 100),
        lambda data: zlib.compress(zlib.decompress(data) + b" " * 300_000_000, 1),
    ],
    ids=[
        "empty",
        "cut",
        "a flipped bit",
        "zeros",
        "foreign",
        "no kind",
        "cut record",
        "no text",
        "unfolds without end",
    ],
)
def test_a_damaged_entry_is_computed_again(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    store = ContentStore(str(tmp_path))
    remember_proof(store, ["task-1"], refuse(retriable=False))
    entry = entry_of(tmp_path)
    entry.write_bytes(damage(entry.read_bytes()))
    assert remember_proof(store, ["task-1"], lambda: PROVEN) == PROVEN
    assert remember_proof(store, ["task-1"], never) == PROVEN


def test_the_entry_of_another_proof_is_never_taken(tmp_path: Path) -> None:
    store, other = ContentStore(str(tmp_path / "a")), ContentStore(str(tmp_path / "b"))
    remember_proof(store, ["task-1"], refuse(retriable=False))
    remember_proof(other, ["task-2"], lambda: PROVEN)
    entry_of(tmp_path / "a").write_bytes(entry_of(tmp_path / "b").read_bytes())
    assert remember_proof(store, ["task-1"], refuse(retriable=False)) == refuse(retriable=False)()
