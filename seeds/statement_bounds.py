"""Bounds of numbers that a statement writes as ``1 <= n <= 8`` or ``0 <= nums[i], k <= 50``.

Drawn inputs must not leave them, or hidden tests would ask for more than the statement. Only narrow ranges are taken:
the examples bound wide ones well enough, and published statements have often lost their superscripts, so that ``105``
may mean a hundred thousand. Method: own.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from schemas.candidate import Constraint, Parameter

MAX_RANGE = 10_000
"""Widest range that is taken."""
_LINE_CHARS = 200  # a longer line is no bound, and matching one could take hours

_SECTION = re.compile(r"\bConstraints:?\**\s*\n", re.IGNORECASE)
_LINE = re.compile(r"(?P<low>-?\d+)\s*(?:<=|≤|≦)\s*(?P<names>[A-Za-z_][\w\[\], ]*?)\s*(?:<=|≤|≦)\s*(?P<high>-?\d+)")
_BULLET = re.compile(r"^\s*[-*]\s+(?=\S)|`")
_NAME = re.compile(r"(?P<name>[A-Za-z_]\w*)(?P<steps>(?:\[[a-z]\])*)")


def read_bounds(statement: str, parameters: Sequence[Parameter]) -> tuple[Parameter, ...]:
    """Return the parameters with the bounds that the statement's list of constraints gives their numbers."""
    found: dict[str, list[Constraint]] = {}
    section = _SECTION.split(statement, maxsplit=1)
    for line in section[1].splitlines() if len(section) == 2 else ():
        match = _LINE.fullmatch(_BULLET.sub("", line).strip()) if len(line) <= _LINE_CHARS else None
        if match is None:
            continue
        low, high = int(match["low"]), int(match["high"])
        if 0 <= high - low <= MAX_RANGE:
            for name, path in _places(match["names"]):
                bounds = (("min", low), ("max", high))
                found[name] = [Constraint(path=path, rule=rule, value_json=str(value)) for rule, value in bounds]
    return tuple(replace(p, constraints=(*p.constraints, *found.get(p.name, ()))) for p in parameters)


def _places(names: str) -> list[tuple[str, str]]:
    """Return parameter and constraint path of each name in ``nums[i], k``; nothing when one isn't of that form."""
    matches = [_NAME.fullmatch(name.strip()) for name in names.split(",")]
    found = [(match["name"], "[]" * match["steps"].count("[")) for match in matches if match is not None]
    return found if len(found) == len(matches) else []
