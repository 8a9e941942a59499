"""The tables of the attack matrix in docs/sandbox.md, between two marker lines, one section for each backend.

Nothing in them depends on the clock, so the same machine writes the same text. Method: own.
"""

import re
from collections.abc import Iterable, Sequence

from sandbox.attacks.base import Attack, Cell, Verdict
from sandbox.attacks.catalogue import ATTACKS
from sandbox.attacks.matrix import Column
from schemas.errors import ConfigError

BEGIN = "<!-- attack matrix: written by `python -m sandbox.attacks --write docs/sandbox.md` -->"
END = "<!-- attack matrix: end -->"
_HEADING = "### "
_NOTHING = "·"


def write_into(text: str, columns: Iterable[Column]) -> str:
    """Return a page with the sections of these backends new, and those of others as they were.

    Raises:
        ConfigError: the page has no markers.
    """
    before, begin, rest = text.partition(BEGIN)
    old, end, after = rest.partition(END)
    if not begin or not end:
        raise ConfigError(f"the page has no place for the matrix: a line {BEGIN!r} and a line {END!r}")
    sections = {part.partition("\n")[0]: part.rstrip() for part in old.split(f"\n{_HEADING}")[1:]}
    for column in columns:
        sections[column.capability.backend] = write_section(column)
    parts = [write_attacks(), *(f"{_HEADING}{part}" for part in sections.values())]
    return f"{before}{BEGIN}\n\n" + "\n\n".join(parts) + f"\n\n{END}{after}"


def write_attacks() -> str:
    """Return the table of all attacks."""
    rows = [f"| {attack.name} | {attack.tries} | {_say_right(attack)} |" for attack in ATTACKS]
    return "\n".join(["| attack | the program | right |", "|---|---|---|", *rows])


def _say_right(attack: Attack) -> str:
    states = " or ".join(state.value for state in attack.states)
    also = "".join(f"; {place}: also {', '.join(each)}" for place, each in attack.also.items())
    return f"{states}{also}" + (f"; {attack.holds}" if attack.holds else "")


def write_section(column: Column) -> str:
    """Return the section of one backend, without the signs of its heading."""
    capability = column.capability
    lines = [capability.backend, "", f"Level {capability.isolation}; {capability.version or 'not here'}."]
    if not capability.available:
        return "\n".join([*lines, "", f"Not here: {capability.reason}"])
    languages = list(dict.fromkeys(cell.language for cell in column.cells))
    versions = ", ".join(f"{language} ({column.toolchains.get(language, '')})" for language in languages)
    lines += ["", f"Languages: {versions}.", "", _row("attack", languages), "|---" * (len(languages) + 1) + "|"]
    cells = {(cell.attack, cell.language): cell for cell in column.cells}
    names = list(dict.fromkeys(cell.attack for cell in column.cells))
    lines += [_row(name, [_say(cells[name, language]) for language in languages]) for name in names]
    notes = _list_notes(column.cells)
    return "\n".join([*lines, *(["", *notes] if notes else [])])


def _row(first: str, rest: Sequence[str]) -> str:
    return f"| {' | '.join([first, *rest])} |"


def _say(cell: Cell) -> str:
    if cell.verdict is Verdict.RIGHT:
        return cell.state
    return f"**wrong** {cell.state}".rstrip() if cell.verdict is Verdict.WRONG else _NOTHING


def _list_notes(cells: Iterable[Cell]) -> list[str]:
    """Return a line for every reason, with the cells that have it."""
    places: dict[tuple[Verdict, str], list[str]] = {}
    for cell in cells:
        if cell.reason:
            places.setdefault((cell.verdict, cell.reason), []).append(f"{cell.attack} in {cell.language}")
    return [f"* {verdict.value}, {', '.join(where)}: {_one_line(why)}" for (verdict, why), where in places.items()]


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|")
