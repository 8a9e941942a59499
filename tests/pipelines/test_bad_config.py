"""Mistakes that can be known before any work are one message each, with exit code 2 and without a traceback."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pipelines.cli import run_command
from pipelines.status import read_status
from tests.package_samples import lay_package
from tests.pipelines.conftest import DEMO, run_cli, write_config

Refuse = Callable[..., str]
Change = Callable[[dict[str, object]], None]


def tiny_config() -> dict[str, object]:
    return {
        "name": "tiny",
        "sources": [
            {
                "kind": "bank",
                "name": "bank",
                "format": "taskfoundry",
                "path": f"{DEMO}/bank/functions.jsonl",
                "limit": 1,
            }
        ],
    }


def source(**keys: object) -> Change:
    def change(config: dict[str, object]) -> None:
        config["sources"] = [keys]

    return change


def section(name: str, **keys: object) -> Change:
    def change(config: dict[str, object]) -> None:
        config[name] = keys

    return change


@pytest.fixture
def refuse(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Refuse:
    """Gives what the command prints when it refuses; without a process of its own, since starting one takes seconds."""

    def call(*arguments: str | Path) -> str:
        monkeypatch.setattr(sys, "argv", ["taskfoundry", *map(str, arguments)])
        with pytest.raises(SystemExit) as stopped:
            run_command()
        printed = capsys.readouterr()
        assert stopped.value.code == 2, printed.err
        assert printed.out == ""
        assert "Traceback" not in printed.err
        return printed.err

    return call


MISTAKES: dict[str, tuple[Change, str]] = {
    "a bank file that isn't there": (
        source(kind="bank", name="bank", format="taskfoundry", path="nowhere.jsonl"),
        "source 'bank': path: no file at 'nowhere.jsonl'",
    ),
    "an unknown bank format": (
        source(kind="bank", name="bank", format="taskfondry", path="."),
        "Did you mean 'taskfoundry'?",
    ),
    "a repository that isn't there": (
        source(kind="repository", name="repo", location="nowhere.bundle"),
        "location 'nowhere.bundle' doesn't exist",
    ),
    "an unknown operator": (
        source(kind="repository", name="repo", location=".", operators=["swap_nothing"]),
        "'swap_nothing'",
    ),
    "topics that aren't there": (
        source(kind="topics", name="topics", path="nowhere.yaml"),
        "topic file 'nowhere.yaml' can't be read",
    ),
    "a misspelt key": (section("sandbox", min_isolatoin="process"), "Did you mean 'min_isolation'?"),
    "a misspelt key of a limit": (section("sandbox", limits={"memory": 5}), "unknown key 'memory'"),
    "an unknown sandbox": (section("sandbox", backend="proces"), "Did you mean 'process'?"),
    "an unknown isolation level": (section("sandbox", min_isolation="total"), "sandbox.min_isolation is 'total'"),
    "a sandbox that isn't here": (section("sandbox", backend="remote"), "no sandbox can be had here"),
    "an unknown system call filter": (section("sandbox", limits={"syscall_filter": "lax"}), "'lax'"),
    "packages that aren't there": (section("sandbox", packages="nowhere"), "nowhere is no folder"),
    "modules of no packages": (section("sandbox", preload=["numpy"]), "'preload' names modules of 'packages'"),
    "recorded replies that aren't there": (section("model", mode="replay", replies="nowhere"), "model.replies"),
    "a live model without a name": (section("model", mode="live"), "model.name is empty"),
    "a store nobody knows": (lambda config: config.update(store="nosuch://store"), "folder 'nosuch://store'"),
    "a benchmark that isn't there": (
        lambda config: config.update(benchmarks=[{"name": "b", "path": "nowhere"}]),
        "no file at 'nowhere'",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_in_the_config_is_said_in_one_message(refuse: Refuse, tmp_path: Path, name: str) -> None:
    change, words = MISTAKES[name]
    config = tiny_config()
    change(config)
    said = refuse("build", write_config(tmp_path, config), "-o", tmp_path / "out")
    assert said.startswith("error: ")
    assert words in said
    assert not (tmp_path / "out").exists()


def test_a_module_that_can_not_be_imported_ahead_is_said_before_any_work(refuse: Refuse, tmp_path: Path) -> None:
    lay_package(tmp_path / "site", "broken", "raise ValueError('not today')")
    config = tiny_config()
    section("sandbox", packages="site", preload=["broken"])(config)
    said = refuse("build", write_config(tmp_path, config), "-o", tmp_path / "out")
    assert "preload: broken can't be imported in the sandbox: ValueError: not today" in said
    assert not (tmp_path / "out").exists()
    assert "--preload names modules of --packages" in refuse("verify", tmp_path, "--preload", "broken")


def test_the_installed_command_exits_with_2(tmp_path: Path) -> None:
    done = run_cli("validate", tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: config ")
    assert len(done.stderr.splitlines()) == 1


def test_a_config_that_is_no_file_is_said(refuse: Refuse, tmp_path: Path) -> None:
    assert "Is a directory" in refuse("validate", tmp_path)
    assert "No such file" in refuse("plan", tmp_path / "nowhere.yaml")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--workers", "0"], "--workers"),
        (["--wrokers", "4"], "unknown option --wrokers. Did you mean 'workers'?"),
        (["again"], "unexpected 'again'"),
        (["--", "--runner=FnApiRuner"], "Did you mean 'FnApiRunner'?"),
        (["--", "--direct_num_workers=many"], "invalid int value: 'many'"),
        (["--", "--direct_running_mode=multi_threading"], "can take all memory"),
    ],
)
def test_a_mistake_in_the_options_is_said(refuse: Refuse, tmp_path: Path, arguments: list[str], words: str) -> None:
    said = refuse("build", write_config(tmp_path, tiny_config()), "-o", tmp_path / "out", *arguments)
    assert words in said
    assert not (tmp_path / "out").exists()


def test_an_output_folder_in_use_is_said(refuse: Refuse, tmp_path: Path) -> None:
    config = write_config(tmp_path, tiny_config())
    hold = f"from pipelines.folder import claim_output; from pathlib import Path\nwith claim_output(Path({str(tmp_path / 'out')!r}), 'x'): print('held', flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", hold], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        assert "is in use by another run" in refuse("build", config, "-o", tmp_path / "out")
        assert read_status(tmp_path / "out").state == "running"
        other.communicate(b"\n")


def test_a_folder_with_another_dataset_is_said(refuse: Refuse, tmp_path: Path) -> None:
    (tmp_path / "out" / ".taskfoundry").mkdir(parents=True)
    (tmp_path / "out" / "manifest.json").write_text('{"name": "another"}')
    words = "holds the finished dataset 'another', and this config is called"
    assert words in refuse("build", write_config(tmp_path, tiny_config()), "-o", tmp_path / "out")


@pytest.mark.parametrize(("name", "words"), [("a" * 300, "the name is too long"), ("config.yaml/out", "is a file")])
def test_an_output_that_can_not_be_a_folder_is_said(refuse: Refuse, tmp_path: Path, name: str, words: str) -> None:
    assert words in refuse("build", write_config(tmp_path, tiny_config()), "-o", tmp_path / name)
