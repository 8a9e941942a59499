"""Status is read from what lies in a folder."""

from pathlib import Path

import pytest

from pipelines.folder import STATE, STORE_NAME, claim_output
from pipelines.status import read_status
from schemas.errors import ConfigError
from schemas.store import ContentStore


def test_a_folder_of_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no output folder of a run"):
        read_status(tmp_path)


def test_a_run_in_progress_and_an_interrupted_one_are_told_apart(tmp_path: Path) -> None:
    with claim_output(tmp_path, "shop"):
        ContentStore(str(tmp_path / STATE / "store")).put("proofs", "ab12", b"x")
        assert read_status(tmp_path).state == "running"
    status = read_status(tmp_path)
    assert (status.state, status.proofs, status.replies) == ("interrupted", 1, 0)


def test_a_store_elsewhere_is_counted_too(tmp_path: Path) -> None:
    store = tmp_path / "shared"
    ContentStore(str(store)).put("replies", "ab12", b"x")
    with claim_output(tmp_path / "out", "shop"):
        (tmp_path / "out" / STORE_NAME).write_text(str(store))
    assert read_status(tmp_path / "out").replies == 1
