"""A disk that is full or read-only stops a run with one message, wherever in it the disk is met."""

import shlex
import subprocess
from pathlib import Path

import pytest

from tests.pipelines.conftest import DEMO, TASKFOUNDRY, run_cli, write_config

UNSHARE = ("unshare", "--mount", "--propagation", "private")


@pytest.fixture(scope="module")
def _may_mount() -> None:
    tried = subprocess.run([*UNSHARE, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False)
    if tried.returncode != 0:
        pytest.skip(f"mounting isn't allowed here: {tried.stderr.decode().strip()}")


def tiny_config(folder: Path, rows: int = 3) -> Path:
    path = f"{DEMO}/bank/functions.jsonl"
    source = {"kind": "bank", "name": "bank", "format": "taskfoundry", "path": path, "limit": rows}
    prove = {"repeats": 2, "fuzz_inputs": 5, "max_mutants": 2, "min_mutation_score": 0.0}
    return write_config(folder, {"name": "tiny", "sources": [source], "prove": prove})


def build_on(options: str, config: Path, output: Path) -> subprocess.CompletedProcess[str]:
    """Build onto a file system of its own, which is gone with the process."""
    output.mkdir(exist_ok=True)
    command = shlex.join([str(TASKFOUNDRY), "build", str(config), "-o", str(output), "--workers", "2"])
    mount = f"mount -t tmpfs -o {options} none {shlex.quote(str(output))}"
    script = f"{mount} && ({command}; code=$?; ls -A {shlex.quote(str(output))} >&2; exit $code)"
    return subprocess.run([*UNSHARE, "sh", "-c", script], capture_output=True, text=True, timeout=400, check=False)


@pytest.mark.usefixtures("_may_mount")
@pytest.mark.parametrize("size", ["8k", "40k"])
def test_a_full_disk_is_said_whoever_meets_it(tmp_path: Path, size: str) -> None:
    done = build_on(f"size={size}", tiny_config(tmp_path), tmp_path / "out")
    assert done.returncode == 2, done.stdout + done.stderr
    assert "the disk is full; free room and run again, finished work is kept" in done.stderr
    assert "Traceback" not in done.stderr
    assert "manifest.json" not in done.stderr


@pytest.mark.usefixtures("_may_mount")
def test_a_read_only_output_is_said(tmp_path: Path) -> None:
    done = build_on("ro", tiny_config(tmp_path), tmp_path / "out")
    assert done.returncode == 2
    assert "it is read-only; name another folder" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_cache_that_can_not_be_written_is_said(tmp_path: Path) -> None:
    config = tiny_config(tmp_path)
    config.write_text(config.read_text() + "cache: /proc/nowhere\n")
    done = run_cli("build", config, "-o", tmp_path / "out")
    assert done.returncode == 2
    assert done.stderr.startswith("error: cache '/proc/nowhere': ")
