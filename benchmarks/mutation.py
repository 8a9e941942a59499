"""Mutants per CPU second, with patch text and compile check: byte splices against rendering the module again.

Run ``python -m benchmarks.mutation``. Both ways take turns in every round, so that load on the machine meets both; the
figure to quote is the ratio. Each way starts from the bytes of a file, lists its sites, makes the same number of mutants,
compiles each and writes its diff. Rendering is what mutation tools on libcst do (`deep_replace`, then a diff of two
whole texts).
"""

import ast
import difflib
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import libcst as cst
from mutmut.mutation.file_mutation import MutationVisitor
from mutmut.mutation.mutators import mutation_operators
from mutmut.mutation.pragma_handling import IgnoredCode

from mutators.mutmut_adapter import read_mutations
from mutators.patches import unified_diff
from mutators.registry import OPERATORS
from mutators.selection import select_sites
from mutators.sites import SurveyedFile, enumerate_sites
from mutators.splice import splice
from schemas.canonical import rng_for

FILES = ("heapq", "shlex", "configparser", "statistics")
MUTANTS = 60
ROUNDS = 3
OWN = tuple(name for name, operator in OPERATORS if operator.theme != "mutmut")


def _splice(path: str, source: bytes, operators: tuple[str, ...]) -> int:
    read_mutations.cache_clear()
    file = SurveyedFile(path=path, source=source, sites=enumerate_sites(path, source, operators))
    chosen = select_sites([file], limit=MUTANTS, run_seed=1, record_id=path)
    patches = [unified_diff(path, source, splice(source, site.edits)) for site in chosen]
    return len(patches)


def _render(path: str, source: bytes) -> int:
    text = source.decode("utf-8")
    wrapper = cst.MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
    nothing = IgnoredCode(no_mutate_lines=set(), ignore_node_lines=set(), ignore_pattern_lines=set())
    visitor = MutationVisitor(mutation_operators, nothing)
    wrapper.visit(visitor)
    patches = []
    for mutation in rng_for(1, path, "benchmark").sample(visitor.mutations, MUTANTS):
        broken = wrapper.module.deep_replace(mutation.original_node, mutation.mutated_node).code
        compile(broken, path, "exec")
        patches.append("".join(difflib.unified_diff(text.splitlines(True), broken.splitlines(True))))
    return len(patches)


def _rate(make: Callable[[], int]) -> float:
    """Return mutants per CPU second of one call."""
    start = time.process_time()
    return make() / (time.process_time() - start)


def _code_lines(source: bytes) -> int:
    """Return the number of lines that hold code: no blanks, comments or docstrings."""
    return sum(bool(line.strip()) for line in ast.unparse(_without_docstrings(source)).splitlines())


def _without_docstrings(source: bytes) -> ast.Module:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and ast.get_docstring(
            node
        ):
            node.body[0] = ast.Pass()
    return tree


def main() -> None:
    """Print the figures."""
    print(f"{MUTANTS} mutants a file, {ROUNDS} rounds, Python {sys.version.split()[0]}")
    print(
        f"{'file':14}{'lines':>6}{'sites':>7}{'own':>6}{'per 100':>9}{'all/s':>8}{'own/s':>8}{'render/s':>10}{'ratio':>7}"
    )
    for name in FILES:
        source = Path(ast.__file__).with_name(f"{name}.py").read_bytes()
        path = f"{name}.py"
        everything: list[float] = []
        own: list[float] = []
        rendered: list[float] = []
        for _ in range(ROUNDS):
            everything.append(_rate(lambda: _splice(path, source, ())))
            rendered.append(_rate(lambda: _render(path, source)))
            own.append(_rate(lambda: _splice(path, source, OWN)))
        sites = enumerate_sites(path, source)
        themes = Counter(site.kind == "mutmut" for site in sites)
        lines = _code_lines(source)
        ratio = statistics.median(ours / theirs for ours, theirs in zip(everything, rendered, strict=True))
        print(
            f"{name:14}{lines:>6}{len(sites):>7}{themes[False]:>6}{100 * len(sites) / lines:>9.0f}"
            f"{statistics.median(everything):>8.0f}{statistics.median(own):>8.0f}"
            f"{statistics.median(rendered):>10.1f}{ratio:>7.1f}"
        )


if __name__ == "__main__":
    main()
