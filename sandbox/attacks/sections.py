"""One backend's section of the matrix's page: made from cells, read from the page, and each brought into the other.

So a backend's languages may be tried at different times and by different people. Method: own.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sandbox.attacks.base import Cell, Verdict
from sandbox.attacks.catalogue import ATTACKS
from sandbox.attacks.matrix import Column
from sandbox.attacks.trials import EXTENSIONS

Place = tuple[str, str]
"""Attack and language."""
_NOTHING = "·"
_TOOLCHAIN = re.compile(r"(\w+) \(((?:[^()]|\([^()]*\))*)\)")
_NOTE = re.compile(rf"\* ({'|'.join(Verdict)}), ((?:\w+ in \w+(?:, )?)+): (.*)")
_ABSENT = "Not here: "


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """What is known of one backend."""

    backend: str
    about: str
    """Its level and version, a sentence."""
    absence: str = ""
    """Why it isn't here; empty when it is."""
    toolchains: dict[str, str] = field(default_factory=dict)
    """Versions by language."""
    words: dict[Place, str] = field(default_factory=dict)
    """What stands in the table."""
    notes: dict[Place, tuple[str, str]] = field(default_factory=dict)
    """Verdict and reason of the cells that aren't right."""

    @classmethod
    def of(cls, column: Column) -> "Section":
        """Return the section of what has been tried."""
        capability, cells = column.capability, column.cells
        languages = dict.fromkeys(cell.language for cell in cells) if capability.available else ()
        return cls(
            backend=capability.backend,
            about=f"Level {capability.isolation}; {capability.version or 'not here'}.",
            absence="" if capability.available else _one_line(capability.reason),
            toolchains={language: column.toolchains.get(language, "") for language in languages},
            words={(cell.attack, cell.language): _say(cell) for cell in cells if capability.available},
            notes={
                (cell.attack, cell.language): (cell.verdict.value, _one_line(cell.reason))
                for cell in cells
                if cell.reason and capability.available
            },
        )

    @classmethod
    def read(cls, text: str) -> "Section":
        """Return the section that a text describes, as `write` wrote it."""
        lines = text.splitlines()
        backend, *rest = [line for line in lines if line.strip()] or [""]
        tables = [[word.strip() for word in line.strip("|").split("|")] for line in rest if line.startswith("|")]
        head = tables[0][1:] if tables else []
        listed = next((line for line in rest if line.startswith("Languages: ")), "")
        words = {(row[0], language): word for row in tables[2:] for language, word in zip(head, row[1:], strict=True)}
        found = [match for line in rest if (match := _NOTE.fullmatch(line))]
        return cls(
            backend=backend,
            about=next((line for line in rest if line.startswith("Level ")), ""),
            absence=next((line.removeprefix(_ABSENT) for line in rest if line.startswith(_ABSENT)), ""),
            toolchains=dict(_TOOLCHAIN.findall(listed)),
            words={place: word for place, word in words.items() if word},
            notes={place: (match[1], match[3]) for match in found for place in _read_places(match[2])},
        )

    def updated(self, newer: "Section") -> "Section":
        """Return this with the cells of a newer one instead of its own; a backend that isn't here any more changes
        nothing."""
        if newer.absence and self.words:
            return self
        kept = {place: note for place, note in self.notes.items() if place not in newer.words}
        return Section(
            backend=newer.backend,
            about=newer.about,
            absence=newer.absence,
            toolchains={**self.toolchains, **newer.toolchains},
            words={**self.words, **newer.words},
            notes={**kept, **newer.notes},
        )

    def write(self) -> str:
        """Return the text of the section, without the signs of its heading."""
        lines = [self.backend, "", self.about]
        if self.absence:
            return "\n".join([*lines, "", f"{_ABSENT}{self.absence}"])
        languages = [language for language in EXTENSIONS if language in self.toolchains]
        versions = ", ".join(f"{language} ({self.toolchains[language]})" for language in languages)
        lines += ["", f"Languages: {versions}.", "", _row("attack", languages), "|---" * (len(languages) + 1) + "|"]
        attacks = [attack.name for attack in ATTACKS if any(place[0] == attack.name for place in self.words)]
        lines += [_row(name, [self.words.get((name, language), "") for language in languages]) for name in attacks]
        notes = self._list_notes(attacks)
        return "\n".join([*lines, *(["", *notes] if notes else [])])

    def _list_notes(self, attacks: Sequence[str]) -> list[str]:
        """Return a line for every reason, with the cells that have it, in the order of the table."""
        places: dict[tuple[str, str], list[str]] = {}
        for name in attacks:
            for language in EXTENSIONS:
                if (name, language) in self.notes:
                    places.setdefault(self.notes[name, language], []).append(f"{name} in {language}")
        return [f"* {verdict}, {', '.join(where)}: {why}" for (verdict, why), where in places.items()]


def _read_places(text: str) -> Iterable[Place]:
    for words in text.split(", "):
        attack, _, language = words.partition(" in ")
        yield attack, language


def _row(first: str, rest: Sequence[str]) -> str:
    return f"| {' | '.join([first, *rest])} |"


def _say(cell: Cell) -> str:
    if cell.verdict is Verdict.RIGHT:
        return cell.state
    return f"**wrong** {cell.state}".rstrip() if cell.verdict is Verdict.WRONG else _NOTHING


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip().replace("|", "\\|")
