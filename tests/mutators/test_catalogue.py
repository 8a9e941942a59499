from pathlib import Path

from mutators.catalogue import render_catalogue
from mutators.registry import OPERATORS

DOCUMENT = Path(__file__).parents[2] / "docs" / "operators.md"


def test_the_documentation_lists_every_operator_as_it_is():
    assert DOCUMENT.read_text(encoding="utf-8") == render_catalogue(), (
        "run python -m mutators.catalogue > docs/operators.md"
    )


def test_every_operator_has_one_row():
    text = render_catalogue()
    assert all(text.count(f"| `{name}` |") == 1 for name in OPERATORS.names())
