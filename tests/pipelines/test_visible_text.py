"""Records on a terminal."""

from rich.console import Console

from pipelines.inspection import print_rejection
from pipelines.visible_text import make_visible, show_record
from schemas.rejection import Rejection, Stage
from schemas.source import SourceKind
from transforms.output.parquet import rejection_row


def test_what_steers_a_terminal_becomes_visible_and_all_else_stays() -> None:
    assert make_visible("a\x1b[2J\x07\x9b\r\u202eb") == r"a\x1b[2J\x07\x9b\x0d\u202eb"
    assert make_visible("ä\tb\n[red]x[/]") == "ä\tb\n[red]x[/]"
    assert make_visible("\ud800") == r"\ud800"


def test_every_text_of_a_record_is_made_visible() -> None:
    assert show_record({"a": ["\x1b", ("\x07", 1)], "b": None}) == {"a": [r"\x1b", (r"\x07", 1)], "b": None}


def test_a_hostile_rejection_prints_its_markup_and_no_escape_sequence() -> None:
    rejection = Rejection(
        record_id="row-1",
        source="bank",
        kind=SourceKind.BANK,
        locator="[/red]\x1b[2J.jsonl:1",
        stage=Stage.INGEST,
        reason="broken_json",
        detail="[bold]\x1b]0;title\x07[/nope]",
        payload_json="[/]\x1b",
    )
    console = Console(width=150, force_terminal=False, highlight=False, record=True)
    print_rejection(rejection_row(rejection), console)
    text = console.export_text()
    assert all(markup in text for markup in ("[/red]", "[/nope]"))
    assert not set("\x1b\x07") & set(text)
