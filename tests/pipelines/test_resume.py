"""A run that is killed, interrupted or robbed of a worker leaves nothing behind and loses nothing."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pipelines.dataset import read_manifest
from tests.pipelines.conftest import DEMO, TASKFOUNDRY, run_cli, write_config
from tests.pipelines.endpoint import list_topics, serve

Store = dict[str, int]
"""Modification times of stored files by name."""

pytestmark = pytest.mark.slow


def make_config(folder: Path) -> Path:
    return write_config(
        folder,
        {
            "name": "resumed",
            "seed": 3,
            "cache": str(folder / "cache"),
            "sources": [
                {"kind": "bank", "name": "bank", "format": "taskfoundry", "path": f"{DEMO}/bank", "limit": 16},
                {"kind": "topics", "name": "topics", "path": f"{DEMO}/topics.yaml"},
                {
                    "kind": "repository",
                    "name": "quartermaster",
                    "location": f"{DEMO}/quartermaster.bundle",
                    "max_candidates": 8,
                    "install": False,
                },
            ],
            "model": {"mode": "replay", "replies": f"{DEMO}/replies"},
            "prove": {"fuzz_inputs": 20, "max_mutants": 8},
        },
    )


def read_store(output: Path) -> Store:
    root = output / ".taskfoundry" / "store"
    files = [path for path in root.rglob("*") if path.is_file() and path.suffix != ".part"]
    return {path.relative_to(root).as_posix(): path.stat().st_mtime_ns for path in files}


def members(group: int) -> list[str]:
    """Return the command lines of the living processes of a session, zombies left out."""
    listed = subprocess.run(["ps", "-wweo", "pid,sid,stat,args"], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 3) for line in listed.splitlines()[1:]]
    return [f"{row[0]} {row[3]}" for row in rows if row[1] == str(group) and not row[2].startswith("Z")]


def sandboxes_of(workers: set[int]) -> list[str]:
    """Return the control groups that the workers' sandboxes have left."""
    names = [name for _, folders, _ in os.walk("/sys/fs/cgroup") for name in folders]  # others come and go meanwhile
    return [name for name in names if name.startswith("taskfoundry-") and int(name.split("-")[2]) in workers]


def find_workers(main: int) -> set[int]:
    listed = subprocess.run(["ps", "-wweo", "pid,ppid,sid,args"], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 3) for line in listed.splitlines()[1:]]
    return {int(pid) for pid, parent, session, args in rows if session == str(main) != parent and "forkserver" in args}


@contextmanager
def started(config: Path, output: Path, *, proofs: int) -> Iterator[subprocess.Popen[str]]:
    """Give a run in a session of its own that has finished so many proofs."""
    command = [TASKFOUNDRY, "build", config, "-o", output, "--workers", "2"]
    process = subprocess.Popen(
        command, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        until = time.monotonic() + 300
        while sum(name.startswith("proofs/") for name in read_store(output)) < proofs:
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < until
            time.sleep(0.05)
        yield process
    finally:
        for line in members(process.pid):
            os.kill(int(line.split()[0]), signal.SIGKILL)
        process.communicate()


def await_empty(condition: Callable[[], list[str]]) -> list[str]:
    """Return what is still there 60 s later."""
    until = time.monotonic() + 60
    while (left := condition()) and time.monotonic() < until:
        time.sleep(0.1)
    return left


def data_of(output: Path) -> dict[str, bytes]:
    names = ["manifest.json", *(shard["path"] for shard in read_manifest(output)["shards"])]
    return {name: (output / name).read_bytes() for name in names}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output of a run that nobody disturbed."""
    folder = tmp_path_factory.mktemp("undisturbed")
    done = run_cli("build", make_config(folder), "-o", folder / "out", "--workers", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "out"


def stop_and_finish(folder: Path, proofs: int, stop: Callable[[int], None]) -> tuple[int, str, Store]:
    """Stop a run, check that nothing is left of it, finish it, and return code, last words and what was stored."""
    config, output = make_config(folder), folder / "out"
    with started(config, output, proofs=proofs) as process:
        workers = find_workers(process.pid)
        assert len(workers) == 2
        stop(process.pid)
        _, said = process.communicate(timeout=100)
        assert await_empty(lambda: members(process.pid)) == []
        assert await_empty(lambda: sandboxes_of(workers)) == []
    kept = read_store(output)
    status = run_cli("status", output)
    assert f"interrupted; store: {sum(name.startswith('proofs/') for name in kept)} proofs" in status.stdout
    done = run_cli("build", config, "-o", output, "--workers", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    return process.returncode, said, kept


def kill_worker(main: int) -> None:
    os.kill(min(find_workers(main)), signal.SIGKILL)


@pytest.mark.parametrize(
    ("stop", "code", "words"),
    [
        (lambda main: os.kill(main, signal.SIGKILL), -signal.SIGKILL, ""),
        (lambda main: os.kill(main, signal.SIGTERM), 143, "interrupted by SIGTERM; run again, finished work is kept\n"),
        (lambda main: os.killpg(main, signal.SIGINT), 130, "interrupted by SIGINT; run again, finished work is kept\n"),
        (kill_worker, 2, "error: a worker process died: it was killed, or the machine ran out of memory."),
    ],
    ids=["kill -9", "SIGTERM", "Ctrl-C", "kill -9 of a worker"],
)
def test_a_stopped_run_is_finished_by_the_next(
    undisturbed: Path, tmp_path: Path, stop: Callable[[int], None], code: int, words: str
) -> None:
    whole = read_store(undisturbed)
    half = sum(name.startswith("proofs/") for name in whole) // 2
    ended, said, kept = stop_and_finish(tmp_path, half, stop)
    assert ended == code
    assert words in said
    assert "Traceback" not in said
    assert data_of(tmp_path / "out") == data_of(undisturbed)

    after = read_store(tmp_path / "out")
    assert after.keys() == whole.keys()
    assert len(kept) >= half
    rewritten = [name for name, when in kept.items() if after[name] != when]
    assert rewritten == []


def test_a_finished_run_is_repeated_from_the_store(undisturbed: Path) -> None:
    before, data = read_store(undisturbed), data_of(undisturbed)
    config = undisturbed.parent / "config.yaml"
    done = run_cli("build", config, "-o", undisturbed, "--workers", "2")
    assert done.returncode == 0
    assert read_store(undisturbed) == before
    assert data_of(undisturbed) == data


def test_no_reply_is_asked_for_twice(tmp_path: Path) -> None:
    names = [f"good-{number}" for number in range(6)]
    (tmp_path / "topics.yaml").write_text(list_topics(*names))
    with serve() as (url, asked):
        config = write_config(
            tmp_path,
            {
                "name": "replies",
                "sources": [{"kind": "topics", "name": "topics", "path": "topics.yaml"}],
                "model": {"mode": "live", "name": "toy", "base_url": url},
                "prove": {"fuzz_inputs": 10, "max_mutants": 5, "min_mutation_score": 0.0},
            },
        )
        with started(config, tmp_path / "out", proofs=1) as process:
            os.kill(process.pid, signal.SIGKILL)
        assert "6 replies" in run_cli("status", tmp_path / "out").stdout
        done = run_cli("build", config, "-o", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert sorted(asked) == names
