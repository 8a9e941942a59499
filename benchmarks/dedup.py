"""Documents per CPU second of the MinHash kernel against datasketch, and recall of planted copies.

Run ``python benchmarks/dedup.py``. Corpus: functions of the standard library. Every round times all methods once, one
after the other, so that a busy machine slows them alike; the printed ratio is the median over the rounds.
"""

import argparse
import ast
import random
import statistics
import sysconfig
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from datasketch import MinHash

from schemas.config import Dedup
from schemas.source import SourceKind
from transforms.curation.dedup import find_duplicate_prints
from transforms.curation.fingerprint import DocumentPrint, hash_document
from transforms.curation.lexing import lex_code
from transforms.curation.minhash import sign, sign_with_datasketch
from transforms.curation.shingles import Hashes, hash_ngrams, jaccard, pack_hashes

SHINGLE = Dedup().shingle
TARGETS = (0.95, 0.90, 0.85, 0.80, 0.75, 0.70, 0.60, 0.50)


def harvest_functions(count: int) -> Iterator[str]:
    """Yield functions of the standard library with at least 60 tokens, in a drawn but fixed order."""
    files = sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))
    random.Random(7).shuffle(files)
    found = 0
    for file in files:
        source = file.read_text(encoding="utf-8", errors="replace")
        for node in ast.walk(ast.parse(source)):
            text = ast.get_source_segment(source, node) if isinstance(node, ast.FunctionDef) else None
            if text and found < count and 60 <= len(lex_code(text).texts) <= 3000:
                found += 1
                yield text


def measure_cpu(method: Callable[[], object]) -> float:
    """Return the CPU seconds of one call."""
    started = time.process_time()
    method()
    return time.process_time() - started


def plant(tokens: list[str], target: float, rng: random.Random) -> list[str]:
    """Return a copy in which single tokens were replaced until the exact Jaccard similarity is at most the target."""
    base = set(hash_ngrams(tokens, SHINGLE).tolist())
    copy = list(tokens)
    for number, place in enumerate(rng.sample(range(len(tokens)), len(tokens))):
        now = set(hash_ngrams(copy, SHINGLE).tolist())
        if len(base & now) / len(base | now) <= target:
            break
        copy[place] = f"planted{number}"
    return copy


def print_of(record_id: str, hashes: Hashes) -> DocumentPrint:
    """Return the print of a bare shingle set."""
    return DocumentPrint(
        record_id=record_id, source="corpus", kind=SourceKind.BANK, locator=record_id, rank=(), exact_key=record_id,
        hashes=pack_hashes(hashes), signature=sign([hashes]).astype("<u4").tobytes(),
    )  # fmt: skip


def cut(text: str) -> Hashes:
    """Return the shingle set that deduplication gives a task with this reference and no statement."""
    return hash_document((), lex_code(text).texts, SHINGLE)


def show_speed(texts: list[str], rounds: int) -> None:
    """Print documents per CPU second of every method, and the ratio to ``update_batch``."""
    rows = [cut(text) for text in texts]
    tokens = [lex_code(text).texts for text in texts]
    as_bytes = [[" ".join(t[i : i + SHINGLE]).encode() for i in range(len(t) - SHINGLE + 1)] for t in tokens]
    methods: dict[str, Callable[[], object]] = {
        "datasketch update_batch, sha1": lambda: [MinHash(num_perm=128).update_batch(item) for item in as_bytes],
        "datasketch bulk, prehashed": lambda: sign_with_datasketch(rows, 128),
        "numpy blocks, prehashed": lambda: sign(rows, 128),
        "text to shingle hashes": lambda: [cut(text) for text in texts],
    }
    seconds: dict[str, list[float]] = {name: [] for name in methods}
    for _ in range(rounds):
        for name, method in methods.items():
            seconds[name].append(measure_cpu(method))
    base = seconds["datasketch update_batch, sha1"]
    print(f"{len(texts)} functions, {sum(map(len, rows)) / len(rows):.0f} shingles each, {rounds} rounds")
    print(f"{'method':32} {'docs/CPU-s':>12} {'ratio':>8}")
    for name, values in seconds.items():
        ratio = statistics.median(first / second for first, second in zip(base, values, strict=True))
        print(f"{name:32} {len(texts) / statistics.median(values):12,.0f} {ratio:8.1f}")


def show_recall(texts: list[str], settings: Dedup) -> None:
    """Print, per planted similarity, how many copies are dropped for their original."""
    rng = random.Random(11)
    share = len(texts) // len(TARGETS)
    prints: list[DocumentPrint] = []
    plants: dict[float, list[tuple[str, str, float]]] = {target: [] for target in TARGETS}
    for number, text in enumerate(texts):
        tokens = list(lex_code(text).texts)
        original = print_of(f"a{number:06}", cut(text))
        prints.append(original)
        target = TARGETS[min(number // max(1, share), len(TARGETS) - 1)]
        if len(tokens) >= 100:
            copy = print_of(f"b{number:06}", cut(" ".join(plant(tokens, target, rng))))
            prints.append(copy)
            likeness = jaccard(original.shingles(), copy.shingles())
            plants[target].append((original.record_id, copy.record_id, likeness))
    dropped = {item.record_id: item for item in find_duplicate_prints(prints, settings)}
    print(f"\nthreshold {settings.threshold}; a copy counts as found when it's dropped")
    print(f"{'planted':>8} {'copies':>7} {'mean J':>7} {'J >= thr':>9} {'dropped':>8}")
    for target, items in plants.items():
        mean = sum(likeness for _, _, likeness in items) / max(1, len(items))
        near = sum(likeness >= settings.threshold for _, _, likeness in items)
        found = sum(copy in dropped for _, copy, _ in items)
        print(f"{target:8.2f} {len(items):7} {mean:7.3f} {near:9} {found:8}")


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    texts = list(harvest_functions(options.documents))
    show_speed(texts, options.rounds)
    show_recall(texts, Dedup())


if __name__ == "__main__":
    main()
