"""The whole differential corpus on one backend: every behaviour in every language, and a table of what differs.

    python -m benchmarks.corpus --backend gvisor [--language java go] [--behaviour add flood] [--keep cells.jsonl]

Docker and Podman are started for the purpose. With ``--keep`` the cells are written to a file as they are judged, and
those that it holds are not judged again. The exit code is 1 if a verdict isn't the one that the corpus states.
"""

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sandbox.base import Backend
from tests.sandbox.corpus.behaviours import BEHAVIOURS, EXTENSIONS, Behaviour
from tests.sandbox.corpus.differences import list_verdicts
from tests.sandbox.corpus.product import NAMES, SKIPPED, BackendMissing, judge_behaviour, opened_backend

Cell = dict[str, str | float]


def judge_cell(behaviour: Behaviour, language: str, backend: str, on: Backend) -> Cell:
    """Return a row of the report."""
    begin = time.perf_counter()
    judged = judge_behaviour(behaviour, language, on)
    return {
        "backend": backend,
        "language": language,
        "behaviour": behaviour.name,
        "stated": "|".join(sorted(list_verdicts(behaviour, language, backend))),
        "verdict": judged.verdict,
        "detail": judged.detail[:500],
        "seconds": round(time.perf_counter() - begin, 2),
    }


def judge_all(options: argparse.Namespace, done: set[tuple[str, str, str]]) -> Iterator[Cell]:
    """Yield the cells that were asked for and aren't done."""
    wanted = [
        (behaviour, language)
        for language in options.language
        for behaviour in BEHAVIOURS
        if behaviour.name in options.behaviour and (options.backend, language, behaviour.name) not in done
    ]
    with opened_backend(options.backend) as backend, ThreadPoolExecutor(options.workers) as pool:
        yield from pool.map(lambda cell: judge_cell(cell[0], cell[1], options.backend, backend), wanted)


def is_stated(cell: Cell) -> bool:
    """Return whether the cell's verdict is one that the corpus states."""
    return cell["verdict"] in str(cell["stated"]).split("|")


def report(cells: Sequence[Cell]) -> int:
    """Print counts, skips and differences; return the exit code."""
    for name, seconds in _sum_seconds(cells).items():
        chosen = [cell for cell in cells if cell["language"] == name]
        equal = sum(is_stated(cell) for cell in chosen)
        print(f"{name:12} {equal:3} of {len(chosen):3} as stated, {seconds:6.0f} s")
    for reason, number in Counter(cell["detail"] for cell in cells if cell["verdict"] == SKIPPED).items():
        print(f"{number} skipped: {reason}")
    differing = [cell for cell in cells if not is_stated(cell) and cell["verdict"] != SKIPPED]
    for cell in differing:
        print("{backend:14} {language:12} {behaviour:18} stated {stated:8} got {verdict:8} {detail}".format(**cell))
    print(f"{len(differing)} differences in {len(cells)} cells")
    return 1 if differing else 0


def _sum_seconds(cells: Sequence[Cell]) -> dict[str, float]:
    found: dict[str, float] = {}
    for cell in cells:
        found[str(cell["language"])] = found.get(str(cell["language"]), 0.0) + float(cell["seconds"])
    return found


def _read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [behaviour.name for behaviour in BEHAVIOURS]
    parser.add_argument("--backend", choices=NAMES, default="process")
    parser.add_argument("--language", nargs="+", choices=list(EXTENSIONS), default=list(EXTENSIONS))
    parser.add_argument("--behaviour", nargs="+", choices=names, default=names)
    parser.add_argument("--workers", type=int, default=1, help="cells judged at once; more than cores costs verdicts")
    parser.add_argument("--keep", type=Path, help="file of cells, one JSON object a line")
    return parser.parse_args()


def main() -> int:
    """Judge, print and return the exit code."""
    options = _read_options()
    kept: list[Cell] = []
    if options.keep and options.keep.exists():
        kept = [json.loads(line) for line in options.keep.read_text(encoding="utf-8").splitlines()]
    cells = [cell for cell in kept if cell["backend"] == options.backend]
    done = {(str(cell["backend"]), str(cell["language"]), str(cell["behaviour"])) for cell in cells}
    try:
        for cell in judge_all(options, done):
            cells.append(cell)
            if options.keep:
                with options.keep.open("a", encoding="utf-8") as sink:
                    sink.write(json.dumps(cell) + "\n")
    except BackendMissing as missing:
        print(f"{options.backend} can't be had here: {missing}")
        return 2
    return report(cells)


if __name__ == "__main__":
    sys.exit(main())
