"""The funnel: per source and stage what went in, what came out and why the rest did not.

Printed at the end of a run and by `status`, from the manifest alone. Method: own, with rich.
"""

from rich.console import Console
from rich.table import Table

from schemas.rejection import Stage
from transforms.output.manifest import Manifest

_STAGES = tuple(stage.value for stage in Stage if stage is not Stage.WRITE)


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


def _sources_table(manifest: Manifest) -> Table:
    table = Table(title="Sources", title_justify="left", show_footer=True)
    columns = ("read", *_STAGES, "emitted", "rejected", "held out")
    table.add_column("source", footer="sum")
    rows = []
    for source, counts in manifest["counts"].items():
        left = [counts["stages"][stage]["out"] for stage in _STAGES]
        row = [counts["read"], *left, counts["emitted"], counts["rejected"], counts["held_out"]]
        rows.append((source, row))
    for index, name in enumerate(columns):
        total = sum(row[index] for _, row in rows)
        table.add_column(name, justify="right", footer=str(total))
    for source, row in rows:
        table.add_row(source, *(str(number) for number in row))
    return table


def _reasons_table(manifest: Manifest) -> Table:
    table = Table(title="Rejected, and why", title_justify="left")
    for name in ("source", "stage", "reason", "records"):
        table.add_column(name, justify="right" if name == "records" else "left")
    for source, counts in manifest["counts"].items():
        for stage in _STAGES:
            for reason, number in counts["stages"][stage]["rejected"].items():
                table.add_row(source, stage, reason, str(number))
    return table


def _mixture_table(manifest: Manifest) -> Table:
    table = Table(title="Mixture", title_justify="left")
    for name in ("part", "target", "emitted", "share", "weight", "note"):
        table.add_column(name, justify="left" if name in {"part", "note"} else "right")
    for line in manifest["mixture"]:
        table.add_row(
            line["bucket"],
            f"{line['target']:.2f}",
            str(line["emitted"]),
            f"{line['share']:.2f}",
            f"{line['weight']:.2f}",
            line["note"],
        )
    return table


def print_funnel(manifest: Manifest, console: Console) -> None:
    """Print sources, reasons and mixture, and the sums."""
    console.print(_sources_table(manifest))
    console.print(_reasons_table(manifest))
    console.print(_mixture_table(manifest))
    counts = manifest["counts"].values()
    read, emitted, rejected, held = (sum(c[key] for c in counts) for key in ("read", "emitted", "rejected", "held_out"))
    sign = "=" if read == emitted + rejected + held else "≠"
    console.print(f"read {read} {sign} emitted {emitted} + rejected {rejected} + held out {held}", highlight=False)
    for sentence in unbalanced(manifest):
        console.print(f"[red]sums disagree:[/red] {sentence}", highlight=False)
