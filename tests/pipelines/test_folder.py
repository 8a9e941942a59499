"""An output folder serves one run at a time and nobody else's files."""

import subprocess
import sys
from pathlib import Path

import pytest

from pipelines.folder import claim_output, remove_leftovers
from schemas.errors import ConfigError


def test_a_new_folder_is_made_and_can_be_claimed_again(tmp_path: Path) -> None:
    for _ in range(2):
        with claim_output(tmp_path / "a" / "out", "shop") as folder:
            assert folder.is_dir()


def test_a_folder_in_use_is_refused(tmp_path: Path) -> None:
    hold = f"from pipelines.folder import claim_output; from pathlib import Path\nwith claim_output(Path({str(tmp_path)!r}), 'shop'): print('held', flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", hold], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(ConfigError, match="in use by another run"), claim_output(tmp_path, "shop"):
            pass
        other.communicate(b"\n")
    with claim_output(tmp_path, "shop"):
        pass


def test_foreign_files_are_not_touched(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("x")
    with pytest.raises(ConfigError, match=r"thesis\.txt"), claim_output(tmp_path, "shop"):
        pass


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("x")
    with pytest.raises(ConfigError, match="is a file"), claim_output(tmp_path / "out", "shop"):
        pass


def test_a_place_that_can_not_be_written_is_explained() -> None:
    with pytest.raises(ConfigError, match="/proc/taskfoundry"), claim_output(Path("/proc/taskfoundry"), "shop"):
        pass


def test_the_manifest_of_an_earlier_run_goes_and_left_overs_too(tmp_path: Path) -> None:
    with claim_output(tmp_path, "shop"):
        (tmp_path / "manifest.json").write_text("{}")
        (tmp_path / "data").mkdir()
        for name in ("a", "b"):
            (tmp_path / "data" / name).write_text("x")
    with claim_output(tmp_path, "shop"):
        assert not (tmp_path / "manifest.json").exists()
        remove_leftovers(tmp_path, frozenset({"data/a"}))
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["a"]


def test_the_dataset_of_another_config_is_not_overwritten(tmp_path: Path) -> None:
    with claim_output(tmp_path, "shop"):
        (tmp_path / "manifest.json").write_text('{"name": "shop", "config_digest": "1"}')
    words = "finished dataset 'shop', and this config is called 'school'; name another folder with -o, call the config 'shop'"
    with pytest.raises(ConfigError, match=words), claim_output(tmp_path, "school"):
        pass
    assert (tmp_path / "manifest.json").exists()


def test_a_dataset_of_the_same_name_is_built_again_whatever_else_the_config_says(tmp_path: Path) -> None:
    with claim_output(tmp_path, "shop"):
        (tmp_path / "manifest.json").write_text('{"name": "shop", "config_digest": "1"}')
    with claim_output(tmp_path, "shop"):
        assert not (tmp_path / "manifest.json").exists()


@pytest.mark.parametrize("text", ["", "[]", "{", '{"name": 3}', "\x00"])
def test_a_manifest_that_nobody_can_read_holds_nobody_up(tmp_path: Path, text: str) -> None:
    (tmp_path / ".taskfoundry").mkdir()
    (tmp_path / "manifest.json").write_text(text)
    with claim_output(tmp_path, "shop"):
        assert not (tmp_path / "manifest.json").exists()
