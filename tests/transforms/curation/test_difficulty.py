import pytest

from schemas.candidate import Generation
from tests.transforms.curation.records import proven_bug, proven_function
from transforms.curation.difficulty import COMPONENTS, count_cyclomatic, score_difficulty

ONE_LINE_FIX = """\
diff --git a/cart.py b/cart.py
--- a/cart.py
+++ b/cart.py
@@ -1,4 +1,4 @@
 def total(items):
-    if items and items[0]:
+    if items or items[0]:
         return 1
     return 0
"""
TWO_FILES = ONE_LINE_FIX + ONE_LINE_FIX.replace("cart", "shop")


@pytest.mark.parametrize(
    ("source", "complexity"),
    [
        ("", 1),
        ("x = 1", 1),
        ("def f(a):\n    return 1 if a else 2", 2),
        ("def f(a):\n    if a and b or c:\n        pass\n    elif d:\n        pass", 5),
        ("for x in y:\n    while x:\n        x -= 1", 3),
        ("z = [x for x in y if x if y]", 4),
        ("try:\n    pass\nexcept A:\n    pass\nexcept B:\n    pass", 3),
        ("match x:\n    case 1:\n        pass\n    case _:\n        pass", 3),
        ("int f() { if (a) { for (;;) {} } }", 3),
    ],
)
def test_cyclomatic_complexity_counts_decisions(source, complexity):
    assert count_cyclomatic(source) == complexity


def test_a_function_task_is_measured_by_its_reference():
    reference = '"""Doc."""\ndef f(a):\n    # why\n    if a:\n        return 1\n\n    return 2\n'
    difficulty = score_difficulty(proven_function(reference=reference, hidden=4))
    assert (difficulty.solution_lines, difficulty.files_touched, difficulty.cyclomatic) == (4, 1, 2)
    assert (difficulty.tests_needed, difficulty.phase, difficulty.provenance) == (4, 1, "structural")


def test_a_repository_task_is_measured_by_its_fix():
    difficulty = score_difficulty(proven_bug("b", bug_patch="x", fix_patch=ONE_LINE_FIX, failing=("t::a", "t::b")))
    assert (difficulty.solution_lines, difficulty.files_touched, difficulty.cyclomatic) == (1, 1, 3)
    assert (difficulty.tests_needed, difficulty.phase) == (2, 2)


def test_a_fix_of_two_files_is_phase_three():
    difficulty = score_difficulty(proven_bug("b", bug_patch="x", fix_patch=TWO_FILES))
    assert (difficulty.files_touched, difficulty.phase) == (2, 3)


@pytest.mark.parametrize(("lines", "phase"), [(1, 1), (30, 1), (31, 2)])
def test_function_tasks_of_more_than_thirty_lines_leave_phase_one(lines, phase):
    reference = "".join(f"x{number} = {number}\n" for number in range(lines))
    assert score_difficulty(proven_function(reference=reference)).phase == phase


def test_scores_lie_between_zero_and_one_and_grow_with_every_count():
    small = proven_function(reference="x = 1\n", hidden=1)
    lines = proven_function(reference="x = 1\n" * 20, hidden=1)
    branches = proven_function(reference="x = 1 if a else 2 if b else 3\n", hidden=1)
    tests = proven_function(reference="x = 1\n", hidden=9)
    huge = proven_function(reference="if a and b: pass\n" * 500, hidden=500)
    base = score_difficulty(small).score
    assert all(base < score_difficulty(record).score < 1 for record in (lines, branches, tests))
    assert base < score_difficulty(huge).score <= 1
    assert score_difficulty(proven_function()).score >= 0


def test_reasoning_counts_only_when_a_model_gave_some():
    def with_reasoning(chars):
        generation = Generation(model="recorded", request_key="k", reasoning_chars=chars)
        return score_difficulty(proven_function(reference="x = 1\n", generation=generation))

    without = score_difficulty(proven_function(reference="x = 1\n"))
    assert with_reasoning(0).score == without.score
    assert with_reasoning(40_000).score > without.score
    assert with_reasoning(40_000).reasoning_chars == 40_000


def test_a_measured_cover_replaces_the_number_of_hidden_tests():
    assert score_difficulty(proven_function(hidden=9), tests_needed=2).tests_needed == 2


def test_the_weights_sum_to_one():
    assert sum(item.weight for item in COMPONENTS) == pytest.approx(1.0)
