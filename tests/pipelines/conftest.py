"""A small run with every kind of source, built once per test session."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml
from filelock import FileLock

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "examples" / "demo"
TASKFOUNDRY = Path(sys.executable).with_name("taskfoundry")


def small_config(cache: Path) -> dict[str, object]:
    """Return a config that takes a few records of every kind of source of the demo."""
    demo = str(DEMO)
    return {
        "name": "small",
        "seed": 20,
        "cache": str(cache),
        "sources": [
            {
                "kind": "bank",
                "name": "bank",
                "format": "taskfoundry",
                "path": f"{demo}/bank/functions.jsonl",
                "limit": 3,
            },
            {
                "kind": "bank",
                "name": "streams",
                "format": "taskfoundry",
                "path": f"{demo}/bank/streams.jsonl",
                "limit": 1,
            },
            {"kind": "bank", "name": "leaked", "format": "taskfoundry", "path": f"{demo}/bank/leaked.jsonl"},
            {"kind": "bank", "name": "flawed", "format": "taskfoundry", "path": f"{demo}/bank/flawed.jsonl"},
            {"kind": "curated", "name": "curated", "path": f"{demo}/curated/*a*.yaml"},
            {
                "kind": "repository",
                "name": "quartermaster",
                "location": f"{demo}/quartermaster.bundle",
                "max_candidates": 4,
                "install": False,
            },
            {"kind": "topics", "name": "topics", "path": f"{demo}/topics.yaml"},
        ],
        "benchmarks": [{"name": "demo-benchmark", "path": f"{demo}/benchmark"}],
        "model": {"mode": "replay", "replies": f"{demo}/replies"},
        "prove": {"fuzz_inputs": 40, "max_mutants": 12},
    }


def run_cli(
    *arguments: str | Path, env: Mapping[str, str] | None = None, timeout: float = 400
) -> subprocess.CompletedProcess[str]:
    """Return what the command printed and its exit code."""
    return subprocess.run(
        [TASKFOUNDRY, *map(str, arguments)],
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def write_config(folder: Path, config: Mapping[str, object]) -> Path:
    """Write a config file and return its path."""
    path = folder / "config.yaml"
    path.write_text(yaml.safe_dump(dict(config)))
    return path


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache folder that the runs of this process share."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def dataset(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """The output folder of a finished small run, which all test processes share and none changes."""
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "small"
    folder.mkdir(exist_ok=True)
    said = folder / "out" / ".taskfoundry" / "stdout"
    with FileLock(folder / "lock"):
        if not said.exists():
            config = write_config(folder, small_config(folder / "cache"))
            done = run_cli("build", config, "-o", folder / "out", "--workers", "2")
            assert done.returncode == 0, done.stdout + done.stderr
            said.write_text(done.stdout)
    return folder / "out"
