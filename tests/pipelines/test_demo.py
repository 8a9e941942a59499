"""The demo: every kind of source, both styles, planted faults refused, and all of it proven again."""

from pathlib import Path

import pytest

from pipelines.dataset import iterate_rows, read_manifest
from pipelines.funnel import unbalanced
from tests.pipelines.conftest import DEMO, run_cli

WRONG_REPLIES = {"broken_json", "flaky_reference", "model_test_disagrees", "trivial_solver_accepted"}


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_demo_emits_proven_tasks_of_every_kind(tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = run_cli("build", DEMO / "config.yaml", "-o", out, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    manifest = read_manifest(out)
    assert unbalanced(manifest) == ()
    rows = list(iterate_rows(out, manifest))
    assert len(rows) >= 120
    assert {row["source_kind"] for row in rows} == {"bank", "curated", "evolve", "repository", "topics"}
    assert {"function", "stdin", "repository"} <= {row["style"] for row in rows}
    assert all(row["model"] == "recorded" for row in rows if row["source_kind"] in {"topics", "evolve"})
    rejected = list(iterate_rows(out, manifest, ("rejected",)))
    assert {row["reason"] for row in rejected if row["source"] == "topics"} >= WRONG_REPLIES
    assert sum(row["reason"] == "benchmark_overlap" for row in rejected) == 4
    assert not any(row["retriable"] for row in rejected)
    again = run_cli("verify", out, timeout=280)
    assert again.returncode == 0, again.stdout + again.stderr
    assert f"{len(rows)} of {len(rows)} tasks proven again" in again.stdout
