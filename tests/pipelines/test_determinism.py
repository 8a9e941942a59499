"""Equal inputs give equal bytes: whatever the hash seed, whatever the number of workers."""

from pathlib import Path

import pytest

from pipelines.dataset import read_manifest
from tests.pipelines.conftest import run_cli, small_config, write_config

pytestmark = pytest.mark.slow


def build(folder: Path, *, workers: int, hash_seed: int, cache: Path) -> dict[str, bytes]:
    """Return the bytes of the manifest, the card and every file that the manifest names."""
    folder.mkdir()
    config = write_config(folder, small_config(cache))
    env = {"PYTHONHASHSEED": str(hash_seed)}
    done = run_cli("build", config, "-o", folder / "out", "--workers", str(workers), env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    manifest = read_manifest(folder / "out")
    names = ["manifest.json", "README.md", *(shard["path"] for shard in manifest["shards"])]
    return {name: (folder / "out" / name).read_bytes() for name in names}


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What one worker with hash seed 1 writes, with a store and a cache of its own."""
    folder = tmp_path_factory.mktemp("first")
    return build(folder / "run", workers=1, hash_seed=1, cache=folder / "cache")


@pytest.mark.parametrize(("workers", "hash_seed"), [(1, 4242), (4, 1)])
def test_fresh_runs_give_equal_bytes(first: dict[str, bytes], tmp_path: Path, workers: int, hash_seed: int) -> None:
    second = build(tmp_path / "run", workers=workers, hash_seed=hash_seed, cache=tmp_path / "cache")
    assert second.keys() == first.keys()
    assert [name for name, data in first.items() if second[name] != data] == []
