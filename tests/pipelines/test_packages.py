"""Three published packages give at least forty proven tasks each."""

import subprocess
import sys
from pathlib import Path

import pytest

from pipelines.dataset import read_manifest
from tests.pipelines.conftest import run_cli, write_config

PACKAGES = {"addict": "2.4.0", "schema": "0.7.8", "inflection": "0.5.1"}
WANTED = 40


def download(name: str, folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", "-d", folder]
    done = subprocess.run([*command, f"{name}=={PACKAGES[name]}"], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no package index gives {name} {PACKAGES[name]}: {done.stderr.strip()[-200:]}")
    return next(folder.glob(f"{name}-*.tar.gz"))


@pytest.mark.slow
@pytest.mark.network
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", sorted(PACKAGES))
def test_a_package_gives_forty_proven_tasks(name: str, tmp_path: Path, cache: Path) -> None:
    source = {
        "kind": "repository",
        "name": name,
        "location": str(download(name, tmp_path)),
        "max_candidates": 70,
    }
    config = write_config(tmp_path, {"name": name, "cache": str(cache), "sources": [source]})
    done = run_cli("build", config, "-o", tmp_path / "out", "--workers", "2", timeout=880)
    assert done.returncode == 0, done.stdout + done.stderr
    counts = read_manifest(tmp_path / "out")["counts"][name]
    assert counts["emitted"] >= WANTED
    assert counts["read"] == counts["emitted"] + counts["rejected"] + counts["held_out"]
