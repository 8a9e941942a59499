"""Mutants per CPU second, with patch text and compile check: byte splices against rendering the module again.

Run ``python benchmarks/mutation.py``. All ways take turns in every round, so that load on the machine meets all; the
figure to quote is the ratio. Each way starts from the bytes of a file, lists its sites, makes the same number of
mutants, compiles each and writes its diff. Rendering is what mutation tools on libcst do: `deep_replace`, then a diff
of two whole texts.
"""

import argparse
import ast
import difflib
import statistics
import sysconfig
import time
from collections.abc import Callable
from functools import partial
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

FILES = ("heapq", "shlex", "configparser")
OWN = tuple(name for name, operator in OPERATORS if operator.theme != "mutmut")


def splice_mutants(path: str, source: bytes, count: int, operators: tuple[str, ...] = ()) -> int:
    """Make mutants as the pipeline does and return how many there are."""
    read_mutations.cache_clear()
    file = SurveyedFile(path=path, source=source, sites=enumerate_sites(path, source, operators))
    chosen = select_sites([file], limit=count, run_seed=1, record_id=path)
    return len([unified_diff(path, source, splice(source, site.edits)) for site in chosen])


def render_mutants(path: str, source: bytes, count: int) -> int:
    """Make mutants of mutmut's operators by writing the module again, and return how many there are."""
    text = source.decode("utf-8")
    wrapper = cst.MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
    nothing = IgnoredCode(no_mutate_lines=set(), ignore_node_lines=set(), ignore_pattern_lines=set())
    visitor = MutationVisitor(mutation_operators, nothing)
    wrapper.visit(visitor)
    patches = []
    for mutation in rng_for(1, path, "benchmark").sample(visitor.mutations, count):
        broken = wrapper.module.deep_replace(mutation.original_node, mutation.mutated_node).code
        compile(broken, path, "exec")
        lines = difflib.unified_diff(text.splitlines(keepends=True), broken.splitlines(keepends=True))
        patches.append("".join(lines))
    return len(patches)


def measure_rate(make: Callable[[], int]) -> float:
    """Return mutants per CPU second of one call."""
    started = time.process_time()
    count = make()
    return count / (time.process_time() - started)


def count_code_lines(source: bytes) -> int:
    """Return the number of lines that hold code: no blanks, comments or docstrings."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        owner = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        if owner and ast.get_docstring(node):
            node.body[0] = ast.Pass()
    return sum(bool(line.strip()) for line in ast.unparse(tree).splitlines())


def report(name: str, count: int, rounds: int) -> None:
    """Print the figures of one file of the standard library."""
    source = Path(sysconfig.get_paths()["stdlib"], f"{name}.py").read_bytes()
    path = f"{name}.py"
    ways = {
        "all": partial(splice_mutants, path, source, count),
        "own": partial(splice_mutants, path, source, count, OWN),
        "render": partial(render_mutants, path, source, count),
    }
    rates = [{way: measure_rate(make) for way, make in ways.items()} for _ in range(rounds)]
    middle = {way: statistics.median(rate[way] for rate in rates) for way in ways}
    ratios = [statistics.median(rate[way] / rate["render"] for rate in rates) for way in ("all", "own")]
    sites, lines = enumerate_sites(path, source), count_code_lines(source)
    own = sum(site.kind != "mutmut" for site in sites)
    print(
        f"{name:14}{lines:>6}{len(sites):>7}{own:>6}{100 * len(sites) / lines:>9.0f}{middle['all']:>8.0f}"
        f"{middle['own']:>8.0f}{middle['render']:>10.1f}{ratios[0]:>9.1f}{ratios[1]:>9.1f}"
    )


def main() -> None:
    """Print one row a file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutants", type=int, default=60, help="mutants a file")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print(f"{'file':14}{'lines':>6}{'sites':>7}{'own':>6}{'per 100':>9}", end="")
    print(f"{'all/s':>8}{'own/s':>8}{'render/s':>10}{'x (all)':>9}{'x (own)':>9}")
    for name in FILES:
        report(name, options.mutants, options.rounds)


if __name__ == "__main__":
    main()
