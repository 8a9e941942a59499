"""What to do with a finished dataset: the lines that load it, and commands with ids that are in it.

Printed at the end of a run. Method: own.
"""

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
from rich.console import Console

from pipelines.dataset import TASK_SPLITS
from transforms.output.card import loader_lines
from transforms.output.manifest import Manifest

_VERIFIED = 10


def _command() -> str:
    """Return how this command was called, so that its lines can be pasted where it isn't on the search path."""
    called = Path(sys.argv[0])
    return str(called) if called.name == "taskfoundry" and called.is_file() else "taskfoundry"


def find_examples(folder: Path, manifest: Manifest) -> Iterator[tuple[str, str]]:
    """Yield an id and what it stands for: a task of each style, and one rejected record."""
    seen = set()
    for shard in manifest["shards"]:
        if shard["split"] in TASK_SPLITS:
            columns = pq.read_table(folder / shard["path"], columns=["task_id", "style"])
            for task_id, style in zip(*(column.to_pylist() for column in columns.columns), strict=True):
                if style not in seen:
                    seen.add(style)
                    yield task_id, f"a {style} task"
    for shard in manifest["shards"]:
        if shard["split"] == "rejected" and shard["rows"]:
            columns = pq.read_table(folder / shard["path"], columns=["record_id", "reason"])
            yield columns["record_id"][0].as_py(), f"rejected: {columns['reason'][0].as_py()}"
            return


def print_next_steps(folder: Path, manifest: Manifest, console: Console) -> None:
    """Print how to load a dataset, look at its tasks and prove them again."""
    place = shlex.quote(str(folder))
    examples = tuple(find_examples(folder, manifest))
    has_tasks = any(shard["rows"] for shard in manifest["shards"] if shard["split"] in TASK_SPLITS)
    lines = ["Load them:", "", loader_lines(str(folder))] if has_tasks else []
    lines += ["Look at one:", ""]
    lines += [f"    {_command()} inspect {place} {record_id}    # {what}" for record_id, what in examples]
    if has_tasks:
        lines += ["", "Prove some again:", "", f"    {_command()} verify {place} --sample {_VERIFIED}"]
    console.print("\n".join(lines), markup=False, soft_wrap=True)
