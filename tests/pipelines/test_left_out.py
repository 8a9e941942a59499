"""Tests of a repository that fail on the healthy tree are said where somebody looks."""

from pathlib import Path

import pytest

from pipelines.dataset import read_manifest
from tests.pipelines.conftest import run_cli, write_config
from tests.repository_samples import SHOP, make_repository

FAILING = b"def test_rates_are_fresh():\n    assert False\n"


@pytest.mark.slow
def test_manifest_status_and_build_name_the_tests_that_always_fail(tmp_path: Path) -> None:
    make_repository(tmp_path / "shop", {**SHOP, "tests/test_rates.py": FAILING}).close()
    place = {"location": "shop", "install": False, "max_candidates": 3, "max_fail_to_pass": 1.0}
    source = {"kind": "repository", "name": "shop", **place}
    config = write_config(tmp_path, {"name": "shop", "cache": str(tmp_path / "cache"), "sources": [source]})
    done = run_cli("build", config, "-o", tmp_path / "out", "--workers", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    (line,) = read_manifest(tmp_path / "out")["left_out"]
    assert (line["source"], line["reason"]) == ("shop", "tests_always_failing")
    assert line["detail"] == "1 of 8 tests fail on the healthy tree: tests/test_rates.py::test_rates_are_fresh"
    assert "1 of 8 tests fail on the healthy tree" in done.stdout
    assert "1 of 8 tests fail on the healthy tree" in run_cli("status", tmp_path / "out").stdout
