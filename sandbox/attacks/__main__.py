"""Runs the attack matrix, prints it, and ends with code 1 if a cell is wrong."""

import argparse
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from sandbox.attacks.base import Verdict
from sandbox.attacks.catalogue import ATTACKS
from sandbox.attacks.matrix import Column, Matrix
from sandbox.attacks.page import update_page
from sandbox.attacks.sections import Section
from sandbox.attacks.trials import EXTENSIONS
from sandbox.backends import BACKENDS
from schemas.errors import ConfigError

_PATIENCE_S = 1.0
"""How long after its end something of a sandbox may be left."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit code."""
    asked = _read_arguments(arguments)
    columns: list[Column] = []
    try:
        try:
            for column, cell in _make_matrix(asked).run():
                if not any(column is each for each in columns):
                    columns.append(column)
                parts = (cell.backend, cell.language, cell.attack, cell.verdict.value, cell.state, cell.reason)
                sys.stderr.write(" ".join(filter(None, parts)) + "\n")
        finally:
            if asked.write and columns:
                update_page(Path(asked.write), columns)
    except (ConfigError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.write("\n\n".join(f"### {Section.of(column).write()}" for column in columns) + "\n")
    cells = [cell for column in columns for cell in column.cells]
    counts = {verdict: sum(cell.verdict is verdict for cell in cells) for verdict in Verdict}
    sys.stdout.write("\n" + ", ".join(f"{count} {verdict.value}" for verdict, count in counts.items()) + "\n")
    return 1 if counts[Verdict.WRONG] else 0


def _read_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m sandbox.attacks", description=__doc__)
    parser.add_argument("--backend", action="append", help="one of the sandbox's backends; all by default")
    parser.add_argument("--language", action="append", choices=EXTENSIONS, help="all by default")
    parser.add_argument("--attack", action="append", choices=[attack.name for attack in ATTACKS], help="all by default")
    for engine in ("docker", "podman"):
        words = f"socket of a {engine} engine that nobody else uses meanwhile: all it has made counts as ours"
        parser.add_argument(f"--{engine}-url", help=words)
    parser.add_argument("--write", metavar="PAGE", help="page that the cells are brought into; all others in it stay")
    return parser.parse_args(arguments)


def _make_matrix(asked: argparse.Namespace) -> Matrix:
    names = asked.backend or BACKENDS.names()
    for name in names:
        BACKENDS.get(name)
    urls = {"docker": asked.docker_url, "podman": asked.podman_url}
    return Matrix(
        backends=names,
        languages=asked.language or tuple(EXTENSIONS),
        attacks=[attack for attack in ATTACKS if not asked.attack or attack.name in asked.attack],
        sockets={engine: url for engine, url in urls.items() if url},
        patience_s=_PATIENCE_S,
    )


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that what was found is written, and nothing left
    sys.exit(main())
