"""Recording what programs call, and whether the recorded corpus runs under the lists that came of it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sandbox.backends.bubblewrap import find_bubblewrap
from sandbox.seccomp import load_filter
from sandbox.seccomp.allowed import LANGUAGES, list_allowed
from sandbox.seccomp.record import main, parse_log, record_calls, record_corpus, write_table
from sandbox.seccomp.recorded import RECORDED
from sandbox.seccomp.table import DENIED, LATE
from schemas.errors import ConfigError

CORPUS = Path(__file__).parent / "corpus"
TOOLS = {
    "python": "python3",
    "cpp": "g++",
    "java": "javac",
    "rust": "rustc",
    "go": "go",
    "javascript": "node",
    "typescript": "tsc",
}


@pytest.fixture
def tracing():
    if shutil.which("strace") is None:
        pytest.skip("needs strace")
    if subprocess.run(["strace", "/bin/true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("processes can't be traced here")


def test_names_are_taken_from_calls_of_every_process_and_from_resumed_ones():
    log = (
        '17 execve("/bin/sh", ["sh"...], 0x7ffd /* 3 vars */) = 0\n'
        "17 vfork( <unfinished ...>\n"
        "18 <... read resumed>, 3) = 1\n"
        "17 <... vfork resumed>) = 18\n"
        "18 exit_group(0) = ?\n"
        "18 +++ exited with 0 +++\n"
    )
    assert parse_log(log) == ("execve", "exit_group", "read", "vfork")


def test_calls_of_children_are_recorded(tracing):
    calls = record_calls((sys.executable, "-I", "-S", "-c", "import os; os.fork() or os.mkfifo('/nowhere/x')"))
    assert {"clone", "execve", "exit_group", "mknod"} & set(calls) >= {"execve", "exit_group"}
    assert {"mknod", "mknodat"} & set(calls)


def test_a_corpus_is_run_in_a_copy(tracing, tmp_path):
    (tmp_path / "commands").write_text("echo x > new\nln -s new link\n")
    assert {"symlink", "symlinkat"} & set(record_corpus(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["commands"]


def test_a_folder_without_commands_is_no_corpus(tmp_path):
    with pytest.raises(ConfigError, match="has no file 'commands'"):
        record_corpus(tmp_path)


def test_a_machine_without_strace_is_told_what_to_install(monkeypatch, capsys):
    monkeypatch.setenv("PATH", "")
    assert main(["--", "true"]) == os.EX_USAGE
    assert "apt-get install strace" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["--"], ["--corpus"], ["true"]])
def test_a_wrong_command_line_is_explained(arguments, capsys):
    assert main(arguments) == os.EX_USAGE
    assert capsys.readouterr().err.startswith("usage: python -m sandbox.seccomp.record")


def test_the_table_that_is_printed_is_the_table_that_ships():
    namespace: dict[str, dict[str, tuple[str, ...]]] = {}
    exec(write_table(RECORDED), namespace)
    assert namespace["RECORDED"] == RECORDED
    assert sorted(RECORDED) == sorted(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_list_holds_all_that_was_recorded_and_may_be_had(language):
    denied = {name for family in DENIED.values() for name in family}
    assert set(list_allowed(language, network=False)) >= set(RECORDED[language]) - denied - set(LATE)


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_corpus_runs_under_its_list_as_it_does_without(language, tmp_path):
    if shutil.which(TOOLS[language]) is None:
        pytest.skip(f"needs {TOOLS[language]} on PATH")
    free = run_corpus(language, tmp_path / "free", policy=None)
    held = run_corpus(language, tmp_path / "held", policy="strict")
    assert held == free


def run_corpus(language: str, folder: Path, *, policy: str | None) -> list[tuple[str, int]]:
    """Return the exit codes of a corpus' commands, outside of any sandbox but for the filter."""
    shutil.copytree(CORPUS / language, folder)
    codes = []
    for line in (folder / "commands").read_text().splitlines():
        reader, writer = os.pipe()
        words = []
        if policy is not None:
            os.write(writer, load_filter(policy, network=False, language=language))
            words = ["--seccomp", str(reader)]
        os.close(writer)
        command = [find_bubblewrap(), "--dev-bind", "/", "/", *words, "/bin/bash", "-c", line]
        done = subprocess.run(command, cwd=folder, pass_fds=(reader,), capture_output=True, check=False)
        os.close(reader)
        codes.append((line, done.returncode))
    return codes
