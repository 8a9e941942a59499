"""The funnel: per source and stage what went in, what came out and why the rest did not.

Printed at the end of a run and by `status`, from the manifest alone. Method: own, with rich.
"""

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pipelines.visible_text import make_visible
from schemas.rejection import Stage
from transforms.containment import INTERNAL_ERROR
from transforms.output.manifest import Manifest

_STAGES = tuple(stage.value for stage in Stage if stage is not Stage.WRITE)
_SHOWN_STAGES = tuple(stage for stage in _STAGES if stage != Stage.MIX.value)
"""What leaves the last stage is what was emitted and held out."""

_SHOWN_CHARS = 300


def unbalanced(manifest: Manifest) -> tuple[str, ...]:
    """Return one sentence per source or stage whose sums disagree."""
    found = []
    for source, counts in manifest["counts"].items():
        total = counts["emitted"] + counts["rejected"] + counts["held_out"]
        if counts["read"] != total:
            found.append(f"{source}: read {counts['read']}, accounted for {total}")
        for name, stage in counts["stages"].items():
            rejected = sum(stage["rejected"].values())
            if stage["in"] != stage["out"] + rejected:
                found.append(f"{source}, {name}: in {stage['in']}, out {stage['out']}, rejected {rejected}")
    return tuple(found)


def plain_table(title: str, texts: tuple[str, ...], *, show_footer: bool = False) -> Table:
    """Return a table without lines, whose first columns hold texts, which may be folded, unlike numbers."""
    table = Table(
        title=f"\n{title}", title_justify="left", title_style="bold", box=None, pad_edge=False, show_footer=show_footer
    )
    table.padding = (0, 1, 0, 0)
    for name in texts:
        table.add_column(name, overflow="fold", footer="sum")
    return table


def _sources_table(manifest: Manifest) -> Table:
    table = plain_table("Records left after each stage", ("source",), show_footer=True)
    columns = ("read", *_SHOWN_STAGES, "emitted", "rejected", "held\nout")
    rows = []
    for source, counts in manifest["counts"].items():
        left = [counts["stages"][stage]["out"] for stage in _SHOWN_STAGES]
        row = [counts["read"], *left, counts["emitted"], counts["rejected"], counts["held_out"]]
        rows.append((source, row))
    for index, name in enumerate(columns):
        total = sum(row[index] for _, row in rows)
        table.add_column(name, justify="right", footer=str(total), no_wrap=True)
    for source, row in rows:
        table.add_row(source, *(str(number) for number in row))
    return table


def _reasons_table(manifest: Manifest) -> Table:
    table = plain_table("Rejected, and why", ("source", "stage", "reason"))
    table.add_column("records", justify="right", no_wrap=True)
    for source, counts in manifest["counts"].items():
        for stage in _STAGES:
            for reason, number in counts["stages"][stage]["rejected"].items():
                table.add_row(source, stage, reason, str(number))
    return table


def _mixture_table(manifest: Manifest) -> Table:
    table = plain_table("Mixture", ("part",))
    for name in ("target", "emitted", "share", "weight"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("note")
    for line in sorted(manifest["mixture"], key=lambda line: line["bucket"]):
        table.add_row(
            line["bucket"],
            f"{line['target']:.2f}",
            str(line["emitted"]),
            f"{line['share']:.2f}",
            f"{line['weight']:.2f}",
            line["note"],
        )
    return table


def count_bugs(manifest: Manifest) -> int:
    """Return how many records met a bug of ours and may be tried again."""
    stages = [stage for counts in manifest["counts"].values() for stage in counts["stages"].values()]
    return sum(stage["rejected"].get(INTERNAL_ERROR, 0) for stage in stages)


def _left_out_table(manifest: Manifest) -> Table:
    table = plain_table("Repositories are used without", ("source", "reason", "what"))
    for line in manifest["left_out"]:
        shown = make_visible(line["detail"])
        cut = f"{shown[:_SHOWN_CHARS]}..." if len(shown) > _SHOWN_CHARS else shown
        table.add_row(line["source"], line["reason"], Text(cut))
    return table


def _barren(manifest: Manifest) -> Iterator[tuple[str, str]]:
    """Yield the sources of which no task came, and the reasons."""
    for source, counts in manifest["counts"].items():
        if not counts["emitted"] and not counts["held_out"]:
            reasons = sorted({reason for stage in counts["stages"].values() for reason in stage["rejected"]})
            yield source, ", ".join(reasons) or "it's empty"


def print_funnel(manifest: Manifest, console: Console) -> None:
    """Print sources, reasons and mixture, the sums, and the sources of which nothing came."""
    console.print(_sources_table(manifest))
    if any(counts["rejected"] for counts in manifest["counts"].values()):
        console.print(_reasons_table(manifest))
    if manifest.get("left_out"):
        console.print(_left_out_table(manifest))
    if manifest["mixture"]:
        console.print(_mixture_table(manifest))
    console.print()
    counts = manifest["counts"].values()
    read, emitted, rejected, held = (sum(c[key] for c in counts) for key in ("read", "emitted", "rejected", "held_out"))
    sign = "=" if read == emitted + rejected + held else "≠"
    console.print(f"read {read} {sign} emitted {emitted} + rejected {rejected} + held out {held}", highlight=False)
    if bugs := count_bugs(manifest):
        console.print(
            f"[red]{bugs} record{'s' * (bugs != 1)} hit an internal error:[/red] a bug of ours. Run again, they are "
            "tried again; please report it, with the file .taskfoundry/internal-errors.log of the output folder",
            highlight=False,
            soft_wrap=True,
        )
    for source, reasons in _barren(manifest):
        console.print(f"[yellow]no task came of {source}:[/yellow] {reasons}", highlight=False)
    for sentence in unbalanced(manifest):
        console.print(f"[red]sums disagree:[/red] {sentence}", highlight=False)
