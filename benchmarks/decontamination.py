"""Which leaks decontamination finds, on published benchmark files that you have.

Run ``python benchmarks/decontamination.py FOLDER``. The folder holds ``humaneval.jsonl.gz``, ``mbpp.jsonl.gz`` and
``exercism_practice.jsonl.gz``, as their projects publish them. Leaks are made of HumanEval: copied, renamed, reduced to
their examples. MBPP and Exercism's Python solutions aren't HumanEval's, so hits among them are false, or true
relatives; they're listed.
"""

import argparse
import ast
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from schemas.benchmark import BenchmarkItem
from schemas.candidate import Candidate, TaskStyle, TestCase, TestOrigin
from schemas.config import Benchmark, Decontamination
from schemas.source import SourceKind, SourceRef
from seeds.benchmarks import read_benchmark
from transforms.curation.decontamination import BenchmarkIndex, check, is_contaminated

SETTINGS = Decontamination()


def read_items(folder: Path, name: str) -> tuple[BenchmarkItem, ...]:
    """Return the items of one published file."""
    section = Benchmark(name=name.partition(".")[0], path=name)
    return tuple(read_benchmark(section, folder))


def make_candidate(item: BenchmarkItem, statement: str, reference: str, *, with_tests: bool = False) -> Candidate:
    """Return a candidate named after the item that it leaks."""
    tests = (
        tuple(TestCase.make(given, expected, origin=TestOrigin.BANK) for given, expected in item.io_pairs)
        if with_tests
        else ()
    )
    source = SourceRef(source="leak", kind=SourceKind.BANK, locator=item.item_id)
    return Candidate(
        record_id=item.item_id, source=source, style=TaskStyle.FUNCTION, statement=statement, reference=reference,
        tests=tests,
    )  # fmt: skip


class _Rename(ast.NodeTransformer):
    """Gives every name that the code binds a new one, and drops docstrings and annotations."""

    def __init__(self, tree: ast.Module) -> None:
        bound = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
        bound |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        bound |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        self._names = {name: f"renamed_{number}" for number, name in enumerate(sorted(bound))}

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self._names.get(node.id, node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.arg, node.annotation = self._names.get(node.arg, node.arg), None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        node.name, node.returns = self._names.get(node.name, node.name), None
        if ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        return node


def rename(source: str) -> str:
    """Return the source with new names, without docstrings and annotations, in another layout."""
    tree = ast.parse(source)
    return ast.unparse(_Rename(tree).visit(tree))


def leaks_of(items: Iterable[BenchmarkItem]) -> Iterator[tuple[str, list[Candidate]]]:
    """Yield each kind of leak with one candidate an item."""
    items = tuple(items)
    code = {item.item_id: item.solutions[0] for item in items}
    yield "statement and code", [make_candidate(item, item.statement, code[item.item_id]) for item in items]
    yield "statement alone", [make_candidate(item, item.statement, "") for item in items]
    yield "renamed code alone", [make_candidate(item, "", rename(code[item.item_id])) for item in items]
    yield "examples alone", [make_candidate(item, "", "", with_tests=True) for item in items]
    both = [make_candidate(item, "", rename(code[item.item_id]), with_tests=True) for item in items]
    yield "renamed code and examples", both


def main() -> None:
    """Print recall, false hits and time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder.resolve()
    humaneval = read_items(folder, "humaneval.jsonl.gz")
    started = time.process_time()
    index = BenchmarkIndex.build(humaneval, SETTINGS)
    print(f"index of {len(humaneval)} items: {time.process_time() - started:.2f} CPU-s")
    started, checks = time.process_time(), 0
    for name, candidates in leaks_of(humaneval):
        hits = [is_contaminated(check(candidate, index), SETTINGS) for candidate in candidates]
        right = sum(hit is not None for hit in hits)
        checks += len(candidates)
        print(f"{name:28} {right:4} of {len(candidates)} found ({right / len(candidates):.2f})")
    strangers = [*read_items(folder, "mbpp.jsonl.gz"), *read_items(folder, "exercism_practice.jsonl.gz")]
    strangers = [item for item in strangers if item.benchmark == "mbpp" or item.item_id.startswith("python/")]
    found = []
    for item in strangers:
        candidate = make_candidate(item, item.statement, "\n".join(item.solutions), with_tests=True)
        hit = is_contaminated(check(candidate, index), SETTINGS)
        checks += 1
        found += [(item, hit)] if hit is not None else []
    print(f"{1000 * (time.process_time() - started) / checks:.2f} CPU-ms a check")
    print(f"strangers convicted: {len(found)} of {len(strangers)}")
    for item, hit in found:
        print(
            f"  {item.benchmark} {item.item_id} is near {hit.nearest_item}: {hit.method} {hit.score}, {hit.span[:80]!r}"
        )


if __name__ == "__main__":
    main()
