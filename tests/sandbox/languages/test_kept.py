"""Folders that are made once per toolchain, and the tools that make them."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sandbox.languages.kept import keep_folder, read_drivers, run_tool
from schemas.errors import ConfigError


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "taskfoundry" / "toolchains"


def test_a_folder_is_made_once_for_the_same_parts_and_anew_for_others():
    made = []

    def make(folder):
        made.append(folder)
        (folder / "file").write_text("x")

    first = keep_folder("go", {"version": "1", "driver": b"a"}, make)
    assert keep_folder("go", {"driver": b"a", "version": "1"}, make) == first
    assert keep_folder("go", {"version": "1", "driver": b"b"}, make) != first
    assert len(made) == 2
    assert (first / "file").stat().st_mode & 0o777 == 0o644


def test_a_folder_whose_making_failed_is_not_there_and_is_made_again(cache):
    def fail(folder):
        (folder / "half").touch()
        raise ConfigError("no")

    with pytest.raises(ConfigError, match="no"):
        keep_folder("go", {}, fail)
    folder = keep_folder("go", {}, lambda _: None)
    assert list(folder.iterdir()) == []
    assert {path.name for path in cache.iterdir()} == {folder.name, f"{folder.name}.used", "go.lock"}


def test_a_folder_goes_when_nobody_has_used_it_for_thirty_days(cache):
    names = {}
    script = "import sys; from sandbox.languages.kept import keep_folder; print(keep_folder('go', {'v': sys.argv[1]}, lambda _: None))"
    for name in ("old", "recent"):
        done = subprocess.run([sys.executable, "-c", script, name], capture_output=True, text=True, check=True)
        names[name] = Path(done.stdout.strip())
    names["in use"] = keep_folder("go", {"v": "in use"}, lambda _: None)
    (cache / "go-abandoned.unfinished").mkdir()
    long_ago = time.time() - 31 * 24 * 3600
    for name in ("old", "in use"):
        os.utime(names[name].with_suffix(".used"), (long_ago, long_ago))
    new = keep_folder("go", {"v": "new"}, lambda _: None)
    assert {path for path in cache.iterdir() if path.is_dir()} == {names["recent"], names["in use"], new}


def test_folders_of_other_languages_stay(cache):
    (cache / "javascript-0").mkdir(parents=True)
    os.utime(cache / "javascript-0", (0, 0))
    keep_folder("java", {}, lambda _: None)
    assert (cache / "javascript-0").is_dir()


def test_a_cache_that_cannot_be_written_is_a_config_error(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(ConfigError, match="go toolchain can't be kept in"):
        keep_folder("go", {}, lambda _: None)


def test_a_tool_sees_no_variables_but_its_own(monkeypatch):
    monkeypatch.setenv("SECRET", "x")
    assert "SECRET" not in run_tool(("/usr/bin/env",), env={"OWN": "1"})


@pytest.mark.parametrize(
    ("argv", "said"), [(("/bin/sh", "-c", "echo why >&2; exit 3"), "why"), (("/nowhere/tool", "-v"), "nowhere")]
)
def test_a_tool_that_fails_is_a_config_error_that_says_why(argv, said):
    with pytest.raises(ConfigError, match=said):
        run_tool(argv, env={})


@pytest.mark.parametrize("language", ["go", "java"])
def test_the_drivers_of_a_language_are_shipped(language):
    assert all(content for content in read_drivers(language).values())
