"""The dataset card: front matter that loaders read, and what a person should know before using the rows.

Written beside the manifest and made from it alone. Method: own; the front matter is that of dataset cards on the Hub.
"""

import yaml

from sandbox.exploits.base import CLASSES
from schemas.exploit_results import Basis, Result
from transforms.output.manifest import Manifest

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_LOADERS = """\
```python
from datasets import load_dataset
rows = load_dataset("parquet", data_files={{"train": "{folder}/data/train-*.parquet"}}, split="train")
```

```python
import polars as pl
rows = pl.read_parquet("{folder}/data/train-*.parquet")
```

```python
import duckdb
rows = duckdb.sql("select * from read_parquet('{folder}/data/train-*.parquet')")
```
"""


def loader_lines(folder: str) -> str:
    """Return Markdown with the lines that load the training split in three libraries."""
    return _LOADERS.format(folder=folder)


def _rows_of(manifest: Manifest, split: str) -> int:
    return sum(shard["rows"] for shard in manifest["shards"] if shard["split"] == split)


def _front_matter(manifest: Manifest, licenses: tuple[str, ...]) -> str:
    splits = [split for split in ("train", "validation") if _rows_of(manifest, split)]
    rows = sum(_rows_of(manifest, split) for split in splits)
    size = next((label for bound, label in _SIZES if rows < bound), "n>1M")
    known = sorted({name.lower() for name in licenses if name != "NOASSERTION"})
    data = {
        "pretty_name": manifest["name"],
        "license": known[0] if len(known) == 1 else "other",
        "task_categories": ["text-generation"],
        "tags": ["code", "reinforcement-learning", "verifiable-rewards"],
        "size_categories": [size],
        "configs": [
            {
                "config_name": "default",
                "data_files": [{"split": split, "path": f"data/{split}-*.parquet"} for split in splits],
            }
        ],
    }
    return f"---\n{yaml.safe_dump(data, sort_keys=False)}---\n"


def _sums(manifest: Manifest) -> str:
    lines = ["| source | read | emitted | rejected | held out |", "|---|--:|--:|--:|--:|"]
    for source, counts in manifest["counts"].items():
        lines.append(
            f"| {source} | {counts['read']} | {counts['emitted']} | {counts['rejected']} | {counts['held_out']} |"
        )
    return "\n".join(lines)


def _exploits(manifest: Manifest) -> str:
    """Return the part about exploits: how many emitted tasks refuse a class, and how many are open to it."""
    lines = manifest["exploits"]
    if not lines:
        return ""
    table = ["| # | class | refused | open | found out by the battery |", "|--:|---|--:|--:|--:|"]
    for number in sorted({line["number"] for line in lines}):
        mine = [line for line in lines if line["number"] == number]
        refused, opened = (
            sum(line["tasks"] for line in mine if line["result"] == result.value)
            for result in (Result.REFUSED, Result.ACCEPTED)
        )
        ran = sum(line["tasks"] for line in mine if line["basis"] == Basis.BATTERY.value)
        table.append(f"| {number} | {CLASSES[number]} | {refused} | {opened} | {ran} |")
    return (
        "## Exploits\n\nEmitted tasks by class of dishonest solutions. What isn't in a row's `exploit_classes` was not "
        "tried on it; what a task is open to is named there.\n\n" + "\n".join(table) + "\n\n"
    )


def build_card(manifest: Manifest, licenses: tuple[str, ...]) -> str:
    """Return the text of the card.

    Args:
        licenses: SPDX expressions of the emitted rows, each once.
    """
    splits = ", ".join(f"{_rows_of(manifest, split)} {split}" for split in ("train", "validation"))
    return (
        f"{_front_matter(manifest, licenses)}\n# {manifest['name']}\n\n"
        f"Coding tasks for reinforcement learning with verifiable rewards: {splits} rows, schema "
        f"{manifest['schema_version']}. Every row carries the evidence of its proof; `rejected/` holds what was "
        f"refused and why, `held_out/` what the mixture left out, `manifest.json` the digests of all files.\n\n"
        f"## Load\n\n{loader_lines('.')}\n## Where every input went\n\n{_sums(manifest)}\n\n"
        f"{_exploits(manifest)}"
        f"## Licences\n\nPer row in the column `license`: {', '.join(sorted(set(licenses))) or 'none'}.\n"
    )
