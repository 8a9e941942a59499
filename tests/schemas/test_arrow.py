"""The documented row is the row."""

import re
from pathlib import Path

from schemas.arrow import SCHEMA_VERSION, TASK_SCHEMA

DOC = Path(__file__).parents[2] / "docs" / "rows.md"


def test_every_column_is_documented_once_and_in_order() -> None:
    documented = re.findall(r"^\| `(\w+)` \|", DOC.read_text(), flags=re.MULTILINE)
    assert len(documented) == len(set(documented))
    assert set(documented) == set(TASK_SCHEMA.names)


def test_the_documented_version_is_the_version() -> None:
    assert f"Schema version {SCHEMA_VERSION} " in DOC.read_text()


def test_no_two_columns_share_a_name() -> None:
    assert len(set(TASK_SCHEMA.names)) == len(TASK_SCHEMA.names)
