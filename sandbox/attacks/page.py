"""The tables of the attack matrix in docs/sandbox.md, between two marker lines, one section for each backend.

Nothing in them depends on the clock, so the same machine writes the same text. Method: own.
"""

import fcntl
from collections.abc import Iterable
from pathlib import Path

from sandbox.attacks.base import Attack
from sandbox.attacks.catalogue import ATTACKS
from sandbox.attacks.matrix import Column
from sandbox.attacks.sections import Section
from schemas.errors import ConfigError

BEGIN = "<!-- attack matrix: written by `python -m sandbox.attacks --write docs/sandbox.md` -->"
END = "<!-- attack matrix: end -->"
_HEADING = "### "


def update_page(page: Path, columns: Iterable[Column]) -> None:
    """Bring cells into a page that other processes may be bringing theirs into at the same time.

    Raises:
        ConfigError: the page has no markers.
        OSError: the page can't be read or written.
    """
    with page.open("r+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        text = write_into(file.read(), columns)
        file.seek(0)
        file.truncate()
        file.write(text)


def write_into(text: str, columns: Iterable[Column]) -> str:
    """Return a page with the cells of these columns new, and all others as they were.

    Raises:
        ConfigError: the page has no markers.
    """
    before, begin, rest = text.partition(BEGIN)
    old, end, after = rest.partition(END)
    if not begin or not end:
        raise ConfigError(f"the page has no place for the matrix: a line {BEGIN!r} and a line {END!r}")
    sections = {part.partition("\n")[0]: part.rstrip() for part in old.split(f"\n{_HEADING}")[1:]}
    for column in columns:
        newer = Section.of(column)
        older = Section.read(sections[newer.backend]) if newer.backend in sections else newer
        sections[newer.backend] = older.updated(newer).write()
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
