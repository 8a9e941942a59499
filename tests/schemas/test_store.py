"""The store keeps whole values, and says in words when a folder can't be written."""

import os
from pathlib import Path

import pytest

from schemas.errors import ConfigError
from schemas.storage import Folder, explain_write_failure
from schemas.store import ContentStore


def test_a_value_comes_back_from_another_store_object(tmp_path: Path) -> None:
    key = ContentStore.key_of("proof", {"a": 1}, 3)
    ContentStore(str(tmp_path)).put("proofs", key, b"\x00value")
    assert ContentStore(str(tmp_path)).get("proofs", key) == b"\x00value"
    assert ContentStore(str(tmp_path)).get("proofs", "00" * 32) is None


def test_an_in_memory_file_system_works_too() -> None:
    store = ContentStore("memory://taskfoundry-test")
    store.put("replies", "ab12", b"x")
    assert store.get("replies", "ab12") == b"x"


def test_keys_depend_on_every_part() -> None:
    assert len({ContentStore.key_of(*parts) for parts in [("a",), ("a", 1), ("a", "1"), ("b", 1)]}) == 4


def test_no_part_file_is_left_and_names_are_sorted(tmp_path: Path) -> None:
    folder = Folder(str(tmp_path))
    folder.write("data/b.txt", b"1")
    folder.write("data/a.txt", b"2")
    folder.write("data/a.txt", b"3")
    assert folder.names() == ("data/a.txt", "data/b.txt")
    assert folder.read("data/a.txt") == b"3"
    folder.remove("data/a.txt")
    folder.remove("data/a.txt")
    assert folder.names("data") == ("data/b.txt",)
    assert folder.names("absent") == ()


def test_a_path_through_a_file_is_explained(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(ConfigError, match="a part of the path is a file"):
        Folder(str(tmp_path / "file")).write("x/y", b"")


def test_an_unknown_protocol_is_explained() -> None:
    with pytest.raises(ConfigError, match="nosuch"):
        Folder("nosuch://bucket/x")


@pytest.mark.parametrize(("number", "words"), [(28, "disk is full"), (30, "read-only"), (13, "can't be written")])
def test_write_failures_have_words(number: int, words: str) -> None:
    assert words in str(explain_write_failure("out", OSError(number, os.strerror(number))))
