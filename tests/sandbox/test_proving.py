import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.proving import SandboxFacts
from sandbox.proving import prove as prove_candidate
from schemas.candidate import CheckerName, TestOrigin, TestTier
from schemas.codec import decode_record, encode_record
from schemas.config import Prove
from schemas.errors import SandboxError
from schemas.limits import Limits
from schemas.proven import Proven, VerdictStrength
from schemas.rejection import Rejection, Stage
from schemas.source import SourceKind
from tests.task_builders import constraint, evaluators, function_task, mutants_of, prove, stdin_task

MAX_SUBARRAY = """n = int(input())
numbers = list(map(int, input().split()))
best = current = numbers[0]
for number in numbers[1:]:
    current = max(number, current + number)
    best = max(best, current)
print(best)
"""
BALANCED = """def solve(text):
    stack = []
    for char in text:
        if char in "([{":
            stack.append(char)
        elif not stack or stack.pop() + char not in ("()", "[]", "{}"):
            return False
    return not stack
"""
BRACKETS = ("str", [constraint("alphabet", "()[]{}"), constraint("max_length", 16)])
NUMBERS = (
    "list[int]",
    [
        constraint("min_length", 1),
        constraint("max_length", 12),
        constraint("min", -50, "[]"),
        constraint("max", 50, "[]"),
    ],
)

FUNCTION_TASKS = {
    "balanced": function_task(BALANCED, {"text": BRACKETS}, [(("()",), True), (("(]",), False), (("([])",), True)]),
    "second_largest": function_task(
        "def solve(xs):\n    kinds = sorted(set(xs))\n    return kinds[-2] if len(kinds) > 1 else None\n",
        {"xs": NUMBERS},
        [(([1, 2, 3],), 2), (([5, 5],), None), (([4, 9, 9],), 4)],
    ),
    "running_maximum": function_task(
        "def solve(xs):\n    out = []\n    for x in xs:\n        out.append(x if not out else max(out[-1], x))\n    return out\n",
        {"xs": NUMBERS},
        [(([1, 3, 2],), [1, 3, 3]), (([2],), [2]), (([5, 1, 7],), [5, 5, 7])],
    ),
    "digit_root": function_task(
        "def solve(n):\n    while n >= 10:\n        n = sum(int(d) for d in str(n))\n    return n\n",
        {"n": ("int", [constraint("min", 0), constraint("max", 100_000)])},
        [((38,), 2), ((0,), 0), ((99,), 9)],
    ),
    "run_length": function_task(
        "from itertools import groupby\n\ndef solve(s):\n    return [(c, len(list(g))) for c, g in groupby(s)]\n",
        {"s": "str"},
        [(("aab",), [("a", 2), ("b", 1)]), (("",), []), (("abba",), [("a", 1), ("b", 2), ("a", 1)])],
    ),
    "clamp": function_task(
        "def solve(x, low, high):\n    return max(low, min(x, high))\n",
        {"x": "int", "low": "int", "high": "int"},
        [((5, 0, 3), 3), ((-2, 0, 3), 0), ((2, 0, 3), 2), ((7, 1, 9), 7)],
    ),
    "word_counts": function_task(
        "def solve(words):\n    counts = {}\n    for word in words:\n        counts[word] = counts.get(word, 0) + 1\n    return counts\n",
        {"words": "list[str]"},
        [((["a", "b", "a"],), {"a": 2, "b": 1}), (([],), {}), ((["b"],), {"b": 1})],
    ),
    "transpose": function_task(
        "def solve(rows):\n    return [list(column) for column in zip(*rows)]\n",
        {"rows": "list[list[int]]"},
        [(([[1, 2], [3, 4]],), [[1, 3], [2, 4]]), (([[1, 2, 3], [0, 5, 6]],), [[1, 0], [2, 5], [3, 6]])],
    ),
    "divide": function_task(
        "def solve(a, b):\n    if b == 0:\n        raise ZeroDivisionError('no')\n    return a // b\n",
        {
            "a": ("int", [constraint("min", -40), constraint("max", 40)]),
            "b": ("int", [constraint("min", 1), constraint("max", 9)]),
        },
        [((7, 2), 3), ((-7, 2), -4), ((0, 5), 0)],
    ),
    "mean": function_task(
        "def solve(xs):\n    return sum(xs) / len(xs)\n",
        {
            "xs": (
                "list[float]",
                [
                    constraint("nonempty"),
                    constraint("max_length", 6),
                    constraint("min", -9, "[]"),
                    constraint("max", 9, "[]"),
                ],
            )
        },
        [(([1.0, 2.0],), 1.5), (([4.0],), 4.0)],
        checker=CheckerName.FLOAT,
    ),
}
STDIN_TASKS = {
    "max_subarray": stdin_task(MAX_SUBARRAY, [("3\n1 -2 3\n", "3\n"), ("5\n-1 -1 4 4 -9\n", "8\n"), ("1\n5\n", "5\n")]),
    "grid": stdin_task(
        "import sys\nrows = sys.stdin.read().split()[2:]\nprint(sum(row.count('#') for row in rows))\n",
        [("2 3\n#.#\n..#\n", "3\n"), ("3 2\n..\n##\n.#\n", "3\n"), ("1 1\n.\n", "0\n")],
    ),
    "cases": stdin_task(
        "t = int(input())\nfor _ in range(t):\n    n = int(input())\n    xs = list(map(int, input().split()))\n    print(max(xs) - min(xs))\n",
        [("2\n3\n1 2 9\n2\n5 6\n", "8\n1\n"), ("1\n4\n4 2 7 1\n", "6\n"), ("1\n1\n3\n", "0\n")],
    ),
}


def reason_of(result):
    assert isinstance(result, Rejection), result
    return result.reason


@pytest.mark.parametrize("name", FUNCTION_TASKS)
def test_an_honest_function_task_is_proven(name):
    proven = prove(FUNCTION_TASKS[name])
    assert isinstance(proven, Proven), proven
    evidence = proven.evidence
    assert evidence.repeats == 3
    assert evidence.baseline == "stub"
    assert evidence.baseline_failed > 0
    assert evidence.mutants_killed > 0
    assert not any(probe.accepted for probe in evidence.probes)


@pytest.mark.parametrize("name", STDIN_TASKS)
def test_an_honest_stdin_task_is_proven(name):
    proven = prove(STDIN_TASKS[name])
    assert isinstance(proven, Proven), proven
    assert proven.evidence.fuzz_valid > 10
    assert any(test.origin is TestOrigin.FUZZED for test in proven.tests)


def test_public_tests_come_first_and_are_the_shown_examples():
    proven = prove(FUNCTION_TASKS["balanced"])
    assert [test.public for test in proven.tests] == sorted((test.public for test in proven.tests), reverse=True)
    assert [test.input for test in proven.tests if test.public] == ['{"args":["()"],"kwargs":{}}']


def test_evidence_names_the_sandbox_and_the_strongest_verdict():
    evidence = prove(FUNCTION_TASKS["clamp"]).evidence
    assert evidence.verdict_strength is VerdictStrength.SPLIT
    assert evidence.backend == "process"
    assert "cpu" in evidence.limits_enforced


def test_a_wrong_expected_value_is_rejected_with_the_case():
    task = function_task("def solve(n):\n    return n * n\n", {"n": "int"}, [((2,), 4), ((3,), 8)])
    rejection = prove(task)
    assert reason_of(rejection) == "reference_fails_tests"
    assert rejection.stage is Stage.PROVE
    assert "expected 8" in rejection.detail
    assert "reference 9" in rejection.detail


def test_a_model_example_that_disagrees_has_its_own_reason():
    task = function_task(
        "def solve(n):\n    return n * n\n", {"n": "int"}, [((2,), 5), ((3,), 9)], origin=TestOrigin.MODEL
    )
    assert reason_of(prove(task)) == "example_disagrees"


def test_the_detail_says_when_only_the_order_differs():
    task = function_task("def solve(xs):\n    return sorted(xs)\n", {"xs": "list[int]"}, [(([2, 1],), [2, 1])])
    assert "order of items" in prove(task).detail


@pytest.mark.parametrize(
    "body",
    ["import random\n    return random.SystemRandom().random()", "return list(set(words))", "return hash(words[0])"],
)
def test_a_flaky_reference_is_rejected(body):
    reference = f"def solve(words):\n    {body}\n"
    task = function_task(reference, {"words": "list[str]"}, [((["a", "b", "c", "d", "e"],), None)])
    assert reason_of(prove(task)) in {"flaky_reference", "reference_fails_tests"}


def test_hash_order_shows_on_drawn_inputs_when_the_examples_hide_it():
    reference = "def solve(words):\n    return ''.join(set(words))\n"
    task = function_task(reference, {"words": "list[str]"}, [((["a", "a"],), "a"), ((["bc"],), "bc"), (([],), "")])
    assert reason_of(prove(task)) == "flaky_reference"


def test_a_reference_that_follows_the_time_zone_is_flaky():
    reference = "import os\n\ndef solve(n):\n    return n if n < 9 else os.environ['TZ']\n"
    task = function_task(reference, {"n": "int"}, [((1,), 1), ((20,), "UTC"), ((2,), 2)])
    assert reason_of(prove(task)) == "flaky_reference"


def test_an_order_free_checker_makes_hash_order_harmless():
    reference = "def solve(words):\n    return list({word[0] for word in words if word})\n"
    task = function_task(
        reference,
        {"words": "list[str]"},
        [((["ab", "cd", "ax"],), ["c", "a"]), ((["b"],), ["b"]), ((["dd", "ee", "ff"],), ["d", "e", "f"])],
        checker=CheckerName.UNORDERED,
    )
    assert isinstance(prove(task), Proven)


def test_a_reference_that_reads_the_clock_is_rejected():
    reference = "from datetime import date\n\ndef solve(year):\n    return date.today().year - year\n"
    rejection = prove(function_task(reference, {"year": "int"}, [((2000,), 26)]))
    assert reason_of(rejection) == "reference_reads_clock"
    assert "datetime.date.today" in rejection.detail


def test_an_endless_reference_is_too_slow():
    task = function_task("def solve(n):\n    while n: pass\n    return n\n", {"n": "int"}, [((1,), 1)])
    assert reason_of(prove(task)) == "reference_too_slow"


def test_a_reference_that_exits_crashes():
    task = function_task("import os\n\ndef solve(n):\n    os._exit(0)\n", {"n": "int"}, [((1,), 1)])
    assert reason_of(prove(task)) == "reference_crashes"


def test_a_reference_that_raises_fails_its_tests():
    task = function_task("def solve(n):\n    raise ValueError(n)\n", {"n": "int"}, [((1,), 1)])
    rejection = prove(task)
    assert reason_of(rejection) == "reference_fails_tests"
    assert "ValueError" in rejection.detail


def test_raising_inside_the_declared_bounds_is_a_finding():
    reference = "def solve(n):\n    if n == 13:\n        raise ValueError(n)\n    return n * 2\n"
    bounds = ("int", [constraint("min", 0), constraint("max", 30)])
    rejection = prove(function_task(reference, {"n": bounds}, [((1,), 2), ((4,), 8)], kind=SourceKind.TOPICS))
    assert reason_of(rejection) == "reference_rejects_valid_input"
    assert '{"args":[13],"kwargs":{}}' in rejection.detail


def test_no_tests_prove_nothing():
    assert reason_of(prove(function_task("def solve(n):\n    return n\n", {"n": "int"}, []))) == "no_tests"


def test_tests_that_a_constant_passes_are_rejected_with_its_name():
    task = function_task(
        "def solve(n):\n    return n > 10**12\n",
        {"n": ("int", [constraint("min", 0), constraint("max", 50)])},
        [((1,), False), ((2,), False), ((3,), False)],
    )
    rejection = prove(task)
    assert reason_of(rejection) == "trivial_solver_accepted"
    assert "constant_0" in rejection.detail


def test_a_task_that_one_builtin_solves_is_rejected():
    task = function_task(
        "def solve(xs):\n    return sorted(xs)\n", {"xs": "list[int]"}, [(([2, 1],), [1, 2]), (([3, 1, 2],), [1, 2, 3])]
    )
    assert "sorted" in prove(task).detail


def test_few_tests_without_drawn_ones_are_too_few():
    task = function_task("def solve(t):\n    return t\n", {"t": ""}, [((None,), None)])
    assert reason_of(prove(task, Prove(fuzz_inputs=0))) == "too_few_hidden_tests"


def test_weak_tests_are_rejected_with_the_surviving_mutants():
    task = function_task(
        BALANCED, {"text": BRACKETS}, [(("()",), True), (("(",), False), (("[]",), True), ((")",), False)]
    )
    rejection = prove(task, Prove(fuzz_inputs=0, min_mutation_score=0.95))
    assert reason_of(rejection) == "weak_tests"
    assert rejection.stage is Stage.HARDEN


def test_alternatives_that_differ_in_order_make_the_output_ambiguous():
    task = function_task(
        "def solve(n):\n    return list(range(n))\n",
        {"n": "int"},
        [((3,), [0, 1, 2]), ((1,), [0]), ((2,), [0, 1])],
        alternatives=["def solve(n):\n    return list(range(n))[::-1]\n"],
    )
    assert reason_of(prove(task)) == "ambiguous_output"


def test_a_wrong_alternative_is_recorded_and_a_right_one_is_not():
    task = function_task(
        "def solve(n):\n    return n * n\n",
        {"n": "int"},
        [((2,), 4), ((3,), 9), ((5,), 25)],
        alternatives=["def solve(n):\n    return n ** 2\n", "def solve(n):\n    return n + n\n"],
    )
    assert prove(task).evidence.failed_alternatives == ("alternative_1",)


def test_inputs_on_which_right_solutions_disagree_are_left_out():
    task = function_task(
        "def solve(n):\n    return n if n < 6 else 0\n",
        {"n": "int"},
        [((2,), 2), ((3,), 3), ((5,), 5), ((1,), 1)],
        alternatives=["def solve(n):\n    return n\n"],
    )
    result = prove(task, Prove(min_mutation_score=0))
    assert reason_of(result) == "trivial_solver_accepted"  # only inputs below 6 are left, so an echo passes


def test_a_failing_sandbox_is_no_verdict():
    class Broken:
        def open(self, perturbation=None):
            raise SandboxError("no sandbox can be had")

    facts = SandboxFacts(backend="process", isolation="process", limits=Limits(), limits_enforced=())
    result = prove_candidate(
        FUNCTION_TASKS["clamp"], lambda _: Broken(), Prove(), run_seed=0, facts=facts, mutants_of=mutants_of
    )
    assert reason_of(result) == "sandbox_infra"
    assert result.retriable


def test_every_rejection_holds_its_record():
    rejection = prove(function_task("", {"n": "int"}, [((1,), 1)]))
    assert reason_of(rejection) == "no_reference"
    assert '"record_id":"task-1"' in rejection.payload_json


def test_an_unstable_test_is_left_out_and_named():
    reference = "import os\n\ndef solve(n):\n    return os.environ['TZ'] if n == 9 else n * n\n"
    task = function_task(reference, {"n": ""}, [*(((n,), n * n) for n in range(8)), ((9,), "UTC")])
    proven = prove(task, Prove(fuzz_inputs=0, min_mutation_score=0))
    assert isinstance(proven, Proven), proven
    assert proven.evidence.flaky_tests == (task.tests[-1].case_id,)
    assert len(proven.tests) == 8


def test_an_outvoted_alternative_blocks_no_inputs():
    task = function_task(
        "def solve(n):\n    return n % 3\n",
        {"n": "int"},
        [((4,), 1), ((6,), 0), ((20,), 2)],
        alternatives=[
            "def solve(n):\n    return n - n // 3 * 3\n",
            "def solve(n):\n    return {4: 1, 6: 0}.get(n, 2)\n",
        ],
    )
    evidence = prove(task).evidence
    assert evidence.failed_alternatives == ("alternative_1",)
    assert evidence.fuzz_valid > 10


def test_no_inputs_are_drawn_against_a_promise_of_the_statement():
    task = replace(
        function_task("def solve(n):\n    return n * n\n", {"n": "int"}, [((n,), n * n) for n in range(8)]),
        statement="You may assume that n is even.",
    )
    proven = prove(task)
    assert proven.evidence.fuzz_inputs == 0


def test_a_reference_that_behaves_otherwise_in_a_batch_is_run_in_isolation():
    reference = "calls = []\n\ndef solve(n):\n    calls.append(n)\n    return n * n if len(calls) < 2 else -1\n"
    proven = prove(
        function_task(reference, {"n": "int"}, [((n,), n * n) for n in range(5)]), Prove(min_mutation_score=0)
    )
    assert isinstance(proven, Proven), proven
    assert 0 < proven.evidence.fuzz_inputs <= 24
    assert all(test.expected != "-1" for test in proven.tests)


def test_a_stream_that_needs_a_process_of_its_own_is_proven_too():
    reference = "import os\nn = int(input())\nprint(n * n if os.getppid() == 1 else 0, flush=True)\nos._exit(0)\n"
    task = stdin_task(reference, [("3\n", "9\n"), ("1\n", "1\n"), ("5\n", "25\n"), ("8\n", "64\n")])
    assert isinstance(prove(task, Prove(min_mutation_score=0)), Proven)


def test_edge_inputs_are_edge_tests():
    proven = prove(FUNCTION_TASKS["running_maximum"])
    assert TestTier.EDGE in {test.tier for test in proven.tests}


def test_a_proof_survives_its_codec():
    proven = prove(FUNCTION_TASKS["digit_root"])
    assert decode_record(Proven, encode_record(proven)) == proven


def test_another_run_seed_draws_other_tests():
    first, second = prove(FUNCTION_TASKS["digit_root"]), prove(FUNCTION_TASKS["digit_root"], run_seed=1)
    assert [test.input for test in first.tests] != [test.input for test in second.tests]


def test_equal_tasks_give_equal_bytes_whatever_the_hash_seed():
    code = (
        "from tests.sandbox import test_proving as t; from schemas.codec import encode_record\n"
        "for task in (t.FUNCTION_TASKS['word_counts'], t.STDIN_TASKS['cases']):\n"
        "    print(encode_record(t.prove(task, t.Prove(fuzz_inputs=30, max_mutants=8))))"
    )
    root = Path(__file__).parents[2]
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=root,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "77")
    }
    assert len(outputs) == 1
    assert b'"mutants_killed"' in outputs.pop()


def test_evaluators_are_real():
    assert type(evaluators(FUNCTION_TASKS["clamp"].style)).__name__ == "PythonEvaluators"
