import os
import subprocess
import sys
from pathlib import Path

import pytest

from sandbox.fuzzing.calls import draw_calls
from schemas.candidate import Parameter, Signature
from schemas.constraints import find_violation
from schemas.values import decode_call, encode_call
from tests.task_builders import constraint

ROOT = Path(__file__).parents[3]


def signature(**annotations):
    return Signature(
        entry_point="solve",
        parameters=tuple(Parameter(name=name, annotation=text) for name, text in annotations.items()),
    )


def examples(*calls):
    return [encode_call(args, {}) for args in calls]


def draw(signed, shown, reference="", *, count=60, seed=3):
    drawn = draw_calls(signed, shown, reference, count=count, seed=seed)
    return [decode_call(one.text)[0] for one in drawn.inputs]


def test_draws_are_distinct_and_none_is_an_example():
    shown = examples(([1, 2],), ([0],))
    drawn = draw_calls(signature(xs="list[int]"), shown, "", count=60, seed=1)
    texts = [one.text for one in drawn.inputs]
    assert len(set(texts)) == len(texts) > 30
    assert not set(texts) & set(shown)


def test_edge_cases_come_first_and_are_marked():
    drawn = draw_calls(signature(xs="list[int]"), examples(([],), ([4, 5],)), "", count=60, seed=1)
    marks = [one.boundary for one in drawn.inputs]
    assert marks == sorted(marks, reverse=True)
    assert any(marks)


def test_declared_constraints_hold_for_every_draw():
    parameter = Parameter(
        name="xs",
        annotation="list[int]",
        constraints=(
            constraint("min_length", 2),
            constraint("max_length", 5),
            constraint("unique"),
            constraint("sorted"),
            constraint("min", -3, "[]"),
            constraint("max", 9, "[]"),
        ),
    )
    signed = Signature(entry_point="solve", parameters=(parameter,))
    values = [args[0] for args in draw(signed, [])]
    assert len(values) > 20
    assert not any(find_violation(value, parameter) for value in values)


def test_constants_of_the_reference_are_drawn_with_their_neighbours():
    numbers = {args[0] for args in draw(signature(n="int"), examples((1,), (90,)), "def solve(n): return n < 137")}
    assert {136, 137, 138} & numbers


def test_strings_keep_the_alphabet_of_the_examples():
    texts = [args[0] for args in draw(signature(s="str"), examples(("()",), ("([])",)))]
    assert set("".join(texts)) <= set("()[]")


def test_lists_of_equal_length_stay_equal_in_length():
    shown = examples(([1, 2], [3, 4]), ([1], [9]), ([4, 5, 6], [7, 8, 1]))
    calls = draw(signature(a="list[int]", b="list[int]"), shown)
    assert calls
    assert all(len(a) == len(b) for a, b in calls)


def test_an_index_stays_inside_its_list():
    shown = examples(([1, 2], 1), ([5], 0), ([4, 5, 6], 2))
    assert all(0 <= place < len(xs) for xs, place in draw(signature(xs="list[int]", k="int"), shown))


def test_edges_stay_below_the_number_of_nodes():
    shown = examples((3, [[0, 1], [1, 2]]), (2, [[1, 0]]), (5, [[0, 4], [2, 3]]))
    calls = draw(signature(n="int", edges="list[list[int]]"), shown)
    assert calls
    assert all(0 <= node < n for n, edges in calls for edge in edges for node in edge)


def test_matrices_stay_rectangular():
    shown = examples(([[1, 2], [3, 4]],), ([[1, 2, 3], [4, 5, 6]],))
    assert all(len({len(row) for row in rows}) <= 1 for (rows,) in draw(signature(rows="list[list[int]]"), shown))


def test_words_of_one_length_stay_of_one_length():
    shown = examples((["foo", "bar"],), (["word", "good", "best"],))
    assert all(len({len(word) for word in words}) <= 1 for (words,) in draw(signature(words="list[str]"), shown))


def test_two_words_are_sometimes_made_of_each_other():
    calls = draw(signature(a="str", b="str"), examples(("abc", "abd"), ("xy", "yx")))
    assert any(a == b for a, b in calls)
    assert any(a == b[::-1] and a != b for a, b in calls)


def test_a_parameter_without_annotation_is_inferred_from_the_examples():
    assert all(isinstance(args[0], dict) for args in draw(signature(m=""), examples(({"a": 1},), ({"b": 2},))))


def test_keyword_calls_stay_keyword_calls():
    shown = [encode_call((), {"n": 3}), encode_call((), {"n": 8})]
    drawn = draw_calls(signature(n="int"), shown, "", count=10, seed=1)
    assert all(decode_call(one.text)[0] == () for one in drawn.inputs)
    assert all(set(decode_call(one.text)[1]) == {"n"} for one in drawn.inputs)


def test_parameters_are_read_from_the_reference_when_the_signature_has_none():
    signed = Signature(entry_point="Solution().solve")
    reference = "class Solution:\n    def solve(self, n: int, k: int = 2):\n        return n\n"
    assert all(len(args) == 1 for args in draw(signed, examples((1,), (4,)), reference))


@pytest.mark.parametrize(
    ("signed", "shown", "why"),
    [
        (signature(root="TreeNode"), [], "root"),
        (signature(), [], "no parameters"),
        (signature(xs="list"), examples(([],)), "xs"),
    ],
)
def test_what_cannot_be_drawn_is_said(signed, shown, why):
    drawn = draw_calls(signed, shown, "", count=10, seed=1)
    assert drawn.inputs == ()
    assert why in drawn.why


def test_another_seed_gives_other_draws():
    shown = examples(([1, 2],), ([3],))
    assert draw(signature(xs="list[int]"), shown, seed=1) != draw(signature(xs="list[int]"), shown, seed=2)


def test_draws_depend_on_neither_hash_seed_nor_imported_modules():
    code = (
        "from tests.sandbox.fuzzing import test_calls as t\n"
        "from sandbox.fuzzing.calls import draw_calls\n"
        "s = t.signature(xs='list[int]', words='dict[str, set[str]]', x='float')\n"
        "shown = t.examples(([1, 2], {'ab': {'b', 'c'}}, 0.5), ([3], {}, 2.5))\n"
        "print([one.text for one in draw_calls(s, shown, 'x = [7, \"abc\"]', count=90, seed=5).inputs])\n"
    )
    crowd = "import sandbox.hardening, mutators.python, seeds.banks\nLOCAL = [123456, 'zebra', 0.1234]\n"
    runs = [(code, "1"), (code, "99"), (crowd + code, "1")]
    outputs = {
        subprocess.run(
            [sys.executable, "-c", text],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for text, seed in runs
    }
    assert len(outputs) == 1
