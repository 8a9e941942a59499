from dataclasses import replace

import pytest

from sandbox.dataset_trees import DatasetTrees
from schemas.candidate import RepositoryMutation
from schemas.errors import SchemaError
from tests.builders import make_task

MUTATION = RepositoryMutation(
    repository="shop",
    url="local:shop",
    base_commit="c" * 40,
    tree_digest="d" * 64,
    environment_digest="e" * 64,
    operator="o",
    edits=(),
    bug_patch="",
    fix_patch="",
)


@pytest.mark.parametrize("digest", ["../../etc/x", "/etc/x", "", "D" * 64, "d" * 64 + "\n"])
@pytest.mark.parametrize("field", ["tree_digest", "environment_digest"])
def test_a_row_leads_to_no_path_outside_of_its_dataset(tmp_path, field, digest):
    task = make_task("t").proven
    mutation = replace(MUTATION, **{field: digest})
    task = replace(task, candidate=replace(task.candidate, mutation=mutation))
    with (
        DatasetTrees(tmp_path / "data", None, tmp_path / "cache") as trees,
        pytest.raises(SchemaError, match="digests"),
    ):
        trees.judge_of(task)
    assert list(tmp_path.iterdir()) == []
