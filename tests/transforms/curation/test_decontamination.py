import pickle
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.benchmark import BenchmarkItem
from schemas.config import Decontamination
from schemas.contamination import ContaminationRecord
from schemas.values import encode_call, encode_text
from tests.transforms.curation.records import bank_ref, function_candidate, proven_bug
from transforms.curation.decontamination import BenchmarkIndex, check, find_span, is_contaminated
from transforms.curation.shingles import word_windows

SETTINGS = Decontamination()
STATEMENT = (
    "A ferry carries cars over a river. Given the lengths of the waiting cars in order and the length of the deck, "
    "count how many trips the ferry needs when it leaves as soon as the next car doesn't fit any more.\n"
    ">>> trips([3, 4, 5], 7)\n2\n"
)
SOLUTION = """\
from typing import List


def trips(lengths: List[int], deck: int) -> int:
    \"\"\"Count the trips.\"\"\"
    count = 0
    used = deck
    for length in lengths:
        if used + length > deck:
            count += 1
            used = 0
        used += length
    return count
"""
RENAMED = """\
def needed_boxes(parts, size):
    boxes = 0  # how many
    filled = size
    for part in parts:
        if filled + part > size:
            boxes += 1
            filled = 0
        filled += part
    return boxes
"""
EXAMPLES = tuple(
    (encode_call(args, {}), encode_text(expected))
    for args, expected in ((([3, 4, 5], 7), 2), (([9], 9), 1), (([5, 5, 5], 5), 3), (([], 4), 0))
)
OTHERS = tuple(
    BenchmarkItem(benchmark="ponds", item_id=f"pond-{n}", statement=f"Frog {n} jumps over pond number {n} and then rests on leaf {n}.")
    for n in range(5)
)  # fmt: skip
FERRY = BenchmarkItem(
    benchmark="rivers", item_id="ferry", statement=STATEMENT, solutions=("x = 1", SOLUTION), io_pairs=EXAMPLES
)
INDEX = BenchmarkIndex.build((FERRY, *OTHERS), SETTINGS)


def nearest(candidate, index=INDEX):
    return {record.benchmark: record for record in check(candidate, index)}


def convicted(candidate, index=INDEX):
    return is_contaminated(check(candidate, index), SETTINGS)


def test_a_copied_statement_is_found_with_the_copied_piece():
    record = convicted(function_candidate(statement="Solve this!\n" + STATEMENT.upper()))
    assert (record.nearest_item, record.method, record.score) == ("ferry", "statement_10gram", 1.0)
    assert record.span.startswith("A FERRY CARRIES CARS OVER A RIVER.")
    assert len(record.span) <= 200


def test_a_statement_is_found_although_its_worked_examples_were_replaced():
    prose = STATEMENT.split(">>>", maxsplit=1)[0]
    assert convicted(function_candidate(statement=prose + "trips({3, 4, 5}, 7) => 2")).score == 1.0


def test_a_statement_hidden_in_a_docstring_is_found():
    reference = f'def f(a):\n    """{STATEMENT}"""\n    return a\n'
    assert convicted(function_candidate(reference=reference)).method == "statement_10gram"


def test_renamed_and_restyled_code_is_found_with_the_copied_piece():
    record = convicted(function_candidate(statement="Pack parts into boxes.", reference=RENAMED))
    assert (record.benchmark, record.nearest_item, record.method) == ("rivers", "ferry", "code_window_alpha")
    assert record.score == 1.0
    assert "if filled + part > size:" in record.span


def test_shared_examples_are_found_whatever_the_wording():
    candidate = function_candidate(statement="Boxes.", reference="def g(a, b): ...", pairs=EXAMPLES)
    record = convicted(candidate)
    assert (record.nearest_item, record.method) == ("ferry", "io_fingerprint")
    assert "[3,4,5] -> 2" in record.span


def test_two_shared_examples_or_two_distinct_outputs_do_not_convict():
    assert nearest(function_candidate(pairs=EXAMPLES[:2]))["rivers"].score == pytest.approx(0.6667)
    same = tuple((encode_call(([number], 5), {}), encode_text(1)) for number in range(1, 6))
    index = BenchmarkIndex.build([BenchmarkItem(benchmark="b", item_id="i", io_pairs=same)], SETTINGS)
    assert nearest(function_candidate(pairs=same), index)["b"].score == pytest.approx(0.3333)
    assert convicted(function_candidate(pairs=same), index) is None


def test_a_partial_copy_below_the_threshold_is_reported_and_not_convicted():
    words = STATEMENT.split()
    candidate = function_candidate(statement=" ".join(words[:20]) + " something else entirely")
    record = nearest(candidate)["rivers"]
    assert record.nearest_item == "ferry"
    assert 0.2 < record.score < 0.5
    assert record.span.startswith("A ferry carries")
    assert convicted(candidate) is None


def test_a_stranger_has_an_empty_record_for_every_benchmark():
    candidate = function_candidate(
        statement="Sort a list of words by their last letter.", reference="def f(a): return a"
    )
    assert check(candidate, INDEX) == (
        ContaminationRecord(benchmark="ponds", nearest_item="", score=0.0, method="statement_10gram"),
        ContaminationRecord(benchmark="rivers", nearest_item="", score=0.0, method="statement_10gram"),
    )


def test_boilerplate_that_many_items_share_convicts_nobody():
    opening = "You are given a list of integers and have to write a function that returns "
    endings = ("red kites", "blue mice", "old trains", "warm bread", "cold tea", "tall trees")
    items = [BenchmarkItem(benchmark="b", item_id=ending, statement=opening + ending) for ending in endings]
    index = BenchmarkIndex.build(items, SETTINGS)
    assert convicted(function_candidate(statement=opening + "new stars"), index) is None


def test_trivial_solutions_are_too_short_to_convict():
    item = BenchmarkItem(benchmark="b", item_id="i", solutions=("def add(x, y):\n    return x + y\n",))
    index = BenchmarkIndex.build([item], SETTINGS)
    assert convicted(function_candidate(reference="def plus(a, b):\n    return a + b\n"), index) is None


def test_an_idiom_inside_a_longer_solution_does_not_convict():
    idiom = "def group(pairs):\n    out = defaultdict(list)\n    for k, v in pairs:\n        out[k].append(v)\n    return out\n"
    index = BenchmarkIndex.build([BenchmarkItem(benchmark="b", item_id="i", solutions=(idiom,))], SETTINGS)
    longer = RENAMED + idiom.replace("out", "graph") + SOLUTION.replace("used", "w").replace("+=", "-=")
    assert convicted(function_candidate(reference=longer), index) is None
    assert 0 < nearest(function_candidate(reference=longer), index)["b"].score < 0.6
    assert convicted(function_candidate(reference=idiom.replace("out", "graph")), index).score == 1.0


def test_a_short_statement_convicts_only_when_it_is_equal_as_a_whole():
    item = BenchmarkItem(benchmark="b", item_id="i", statement="Return the median of three given numbers.")
    index = BenchmarkIndex.build([item], SETTINGS)
    assert convicted(function_candidate(statement="return the MEDIAN of three given numbers"), index).score == 1.0
    assert convicted(function_candidate(statement="Return the median of three given numbers, rounded."), index) is None
    tiny = BenchmarkIndex.build([BenchmarkItem(benchmark="b", item_id="i", statement="Reverse a string.")], SETTINGS)
    assert convicted(function_candidate(statement="Reverse a string."), tiny) is None


def test_origin_convicts_before_everything_else():
    item = BenchmarkItem(benchmark="swe", item_id="psf__requests-1", repo="psf/requests", statement=STATEMENT)
    index = BenchmarkIndex.build([item], SETTINGS)
    record = convicted(proven_bug("b", bug_patch="x", repository="requests").candidate, index)
    assert (record.method, record.score, record.span) == ("provenance", 1.0, "psf/requests")


def test_the_added_lines_of_a_fix_are_compared_as_code():
    fix = "--- a/f.py\n+++ b/f.py\n@@ -1 +1,9 @@\n-old\n" + "".join(f"+{line}\n" for line in RENAMED.splitlines())
    record = convicted(proven_bug("b", bug_patch="x", fix_patch=fix).candidate)
    assert (record.nearest_item, record.method) == ("ferry", "code_window_alpha")


def test_the_smallest_id_wins_between_equal_items():
    twins = [BenchmarkItem(benchmark="b", item_id=name, statement=STATEMENT) for name in ("z", "a", "m")]
    index = BenchmarkIndex.build(twins, SETTINGS)
    assert convicted(function_candidate(statement=STATEMENT), index).nearest_item == "a"


def test_without_benchmarks_there_is_nothing_to_report():
    assert check(function_candidate(statement=STATEMENT), BenchmarkIndex.build([], SETTINGS)) == ()
    assert is_contaminated([], SETTINGS) is None


def test_the_thresholds_come_from_the_config():
    strict = Decontamination(statement_overlap=0.2)
    candidate = function_candidate(statement=" ".join(STATEMENT.split()[:20]))
    records = check(candidate, BenchmarkIndex.build([FERRY], strict))
    assert is_contaminated(records, strict) is not None
    assert is_contaminated(records, SETTINGS) is None


def test_an_index_survives_pickling():
    candidate = function_candidate(statement=STATEMENT, reference=RENAMED)
    assert check(candidate, pickle.loads(pickle.dumps(INDEX))) == check(candidate, INDEX)


def test_the_order_of_items_does_not_matter():
    items = [FERRY, *OTHERS]
    random.Random(3).shuffle(items)
    candidate = function_candidate(statement=STATEMENT, source=bank_ref(7))
    assert check(candidate, BenchmarkIndex.build(items, SETTINGS)) == check(candidate, INDEX)


@settings(max_examples=40)
@given(st.lists(st.sampled_from(STATEMENT.split()), max_size=60).map(" ".join))
def test_a_span_is_a_piece_of_the_candidates_own_text(text):
    span = find_span(text, word_windows(text, 3), word_windows(STATEMENT, 3).unique())
    assert span in text
    assert bool(span) == bool(
        set(word_windows(text, 3).hashes.tolist()) & set(word_windows(STATEMENT, 3).hashes.tolist())
    )
