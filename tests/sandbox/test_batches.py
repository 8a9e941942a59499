from dataclasses import replace

import pytest

from sandbox.batches import Answer, BatchRunner
from sandbox.judging import Perturbation
from schemas.candidate import TaskStyle
from schemas.values import encode_call
from tests.task_builders import evaluators, function_task, stdin_task

FUNCTION = function_task("def solve(n):\n    return n + 1\n", {"n": "int"}, [((1,), 2)])
STREAM = stdin_task("print(int(input()) + 1)\n", [("1\n", "2\n")])
CALLS = [encode_call((number,), {}) for number in range(4)]


@pytest.fixture(scope="module")
def evaluator():
    with evaluators(TaskStyle.FUNCTION).open() as opened:
        yield opened


@pytest.fixture
def functions(evaluator):
    return BatchRunner(candidate=FUNCTION, evaluator=evaluator)


@pytest.fixture
def streams(evaluator):
    return BatchRunner(candidate=STREAM, evaluator=evaluator)


def answers(outcomes):
    return [outcome.answer for outcome in outcomes]


def test_values_and_exceptions_are_told_apart(functions):
    found = functions.run("def solve(n):\n    return 10 // n\n", CALLS)
    assert answers(found) == [Answer.RAISED, Answer.VALUE, Answer.VALUE, Answer.VALUE]
    assert found[0].output == '{"$raises":"ZeroDivisionError"}'


def test_a_hanging_call_fails_and_the_next_one_runs(functions):
    found = functions.run("def solve(n):\n    while n == 1: pass\n    return n\n", CALLS, limit=500)
    assert answers(found) == [Answer.VALUE, Answer.FAILED, Answer.VALUE, Answer.VALUE]


def test_after_three_hanging_calls_the_rest_is_unknown(functions):
    found = functions.run("def solve(n):\n    while True: pass\n", CALLS, limit=500)
    assert answers(found) == [Answer.FAILED] * 3 + [Answer.UNKNOWN]


def test_what_does_not_parse_fails_everywhere(functions):
    assert answers(functions.run("def solve(", CALLS)) == [Answer.FAILED] * 4


def test_another_entry_point_can_be_called(functions):
    assert functions.run("def other(n):\n    return 7\n", CALLS[:1], entry_point="other")[0].output == "7"


def test_steps_of_functions_are_counted(functions):
    source = "def solve(n):\n    for _ in range(10 * n): pass\n"
    assert functions.count_steps(source, CALLS, limit=25) == (1, 11, 21, None)


def test_streams_run_in_one_process_and_give_text(streams):
    found = streams.run(STREAM.reference, ["1\n", "41\n"])
    assert [outcome.output for outcome in found] == ["2\n", "42\n"]


@pytest.mark.parametrize(
    "source",
    [
        "import sys\nsys.stdout.write(str(int(sys.stdin.readline()) + 1) + '\\n')\n",
        "import sys\nsys.stdout.buffer.write(b'%d\\n' % (int(sys.stdin.buffer.read()) + 1))\n",
        "import sys\nfor line in sys.stdin:\n    print(int(line) + 1)\nsys.exit()\n",
        "import threading\n\ndef main():\n    print(int(input()) + 1)\n\nthreading.Thread(target=main).start()\n",
        "print(int(open(0).read()) + 1)\n",
        "import os\nos.write(1, b'%d\\n' % (int(os.read(0, 9)) + 1))\n",
        "if __name__ == '__main__':\n    print(int(input()) + 1)\n",
    ],
)
def test_usual_ways_of_reading_and_writing_work(streams, source):
    assert streams.run(source, ["5\n"])[0].output == "6\n"


def test_a_crash_or_bad_exit_of_a_stream_fails(streams):
    assert answers(streams.run("print(1)\nraise ValueError\n", ["1\n"])) == [Answer.FAILED]
    assert answers(streams.run("import sys\nprint(1)\nsys.exit(3)\n", ["1\n"])) == [Answer.FAILED]


def test_hanging_streams_are_skipped_after_three(streams):
    found = streams.run("while True: pass\n", ["1\n"] * 5, limit=500)
    assert answers(found) == [Answer.FAILED] * 3 + [Answer.UNKNOWN] * 2


def test_steps_of_streams_are_counted(streams):
    assert streams.count_steps("for _ in range(int(input())): pass\n", ["3\n", "50\n"], limit=20) == (3, None)


def test_isolated_runs_agree_with_batches():
    with evaluators(TaskStyle.STDIN).open() as opened:
        runner = BatchRunner(candidate=STREAM, evaluator=opened, isolated=True)
        assert runner.run(STREAM.reference, ["1\n"])[0].output == "2\n"


def test_no_inputs_give_no_outcomes(functions):
    assert functions.run(FUNCTION.reference, []) == ()


BREAKERS = {
    "exits": "import os\n\ndef solve(n):\n    os._exit(0)\n",
    "segfaults": "import ctypes\n\ndef solve(n):\n    return ctypes.string_at(0)\n",
    "eats_memory": "def solve(n):\n    return len([bytearray(2**20) for _ in range(4000)])\n",
    "hangs_in_c": "def solve(n):\n    return pow(3, 10**9 + n) & 1\n",
    "floods": "def solve(n):\n    return 'x' * 4_000_000\n",
    "recurses": "import sys\nsys.setrecursionlimit(10**9)\n\ndef solve(n):\n    return solve(n + 1)\n",
    "does_not_load": "raise KeyError('never')\n",
    "does_not_parse": "def solve(",
}
DEPTH = """
def depth():
    try:
        return 1 + depth()
    except RecursionError:
        return 0

"""
SOUND = ["def solve(n):\n    return n + 1\n", "def solve(n):\n    return 6 // n\n", "def solve(n):\n    return [n]\n"]


@pytest.fixture
def sharing(evaluator, monkeypatch):
    """A runner that lets every program share a process, so that only the fallback keeps them apart."""
    monkeypatch.setattr("sandbox.batches.is_contained", lambda *_: True)
    monkeypatch.setattr("sandbox.batches.BATCH_CPU_S", 0.5)
    return BatchRunner(candidate=FUNCTION, evaluator=evaluator)


@pytest.mark.parametrize("name", BREAKERS)
def test_a_member_that_ends_the_shared_process_changes_no_outcome(sharing, name):
    sources = [*SOUND[:2], BREAKERS[name], *SOUND]
    expected = tuple(sharing.run(source, CALLS[:2]) for source in sources)
    assert sharing.run_many(sources, CALLS[:2]) == expected


def test_a_member_that_breaks_is_run_alone_whatever_its_place(sharing):
    for place in range(3):
        sources = [*SOUND[:place], BREAKERS["exits"], *SOUND[place:]]
        assert sharing.run_many(sources, CALLS) == tuple(sharing.run(source, CALLS) for source in sources)


def test_members_find_what_they_would_find_alone(functions):
    sources = [
        "import random\n\ndef solve(n):\n    return random.random()\n",
        "import sys\nsys.setrecursionlimit(3000)\n\ndef solve(n):\n    return n\n",
        "def deep(n):\n    return n and 1 + deep(n - 1)\n\ndef solve(n):\n    return deep(960 + 10 * n)\n",
        DEPTH + "def solve(n):\n    return depth()\n",
        "import random\nseen = []\n\ndef solve(n):\n    seen.append(random.randrange(9))\n    return seen\n",
        "from dataclasses import dataclass\n\n@dataclass\nclass One:\n    n: 'int'\n\ndef solve(n):\n    return One(n).n\n",
    ]
    sources += sources[:1]
    assert functions.run_many(sources, CALLS) == tuple(functions.run(source, CALLS) for source in sources)


def test_what_a_member_changes_for_others_keeps_it_out_of_the_group(functions):
    sources = [
        "import math\nmath.pi = 3\n\ndef solve(n):\n    return math.pi\n",
        "import math\n\ndef solve(n):\n    return math.pi\n",
        "import builtins\nbuiltins.len = lambda _: 7\n\ndef solve(n):\n    return len([])\n",
        "def solve(n):\n    return len([])\n",
        "from collections import Counter\nCounter.total = None\n\ndef solve(n):\n    return n\n",
        "from collections import Counter\n\ndef solve(n):\n    return Counter('aa').total()\n",
    ]
    assert functions.run_many(sources, CALLS) == tuple(functions.run(source, CALLS) for source in sources)


def test_hanging_members_use_up_their_own_budget_only(functions):
    sources = ["def solve(n):\n    while True: pass\n", *SOUND, "def solve(n):\n    while n: pass\n    return 0\n"]
    found = functions.run_many(sources, CALLS, limit=500)
    assert found == tuple(functions.run(source, CALLS, limit=500) for source in sources)
    assert answers(found[0]) == [Answer.FAILED] * 3 + [Answer.UNKNOWN]


def test_streams_share_a_process_too(streams):
    texts = ["1\n", "41\n"]
    sources = [
        STREAM.reference,
        "import sys\nprint(sys.stdin.read(), end='')\n",
        "while True: pass\n",
        "import sys\nsys.exit(3)\n",
        "print(1 / 0)\n",
        "print(open(0).read())\n",
        "import threading\nthreading.Thread(target=lambda: print(input())).start()\n",
    ]
    found = streams.run_many(sources, texts, limit=500)
    assert found == tuple(streams.run(source, texts, limit=500) for source in sources)
    assert [one.output for one in found[0]] == ["2\n", "42\n"]


def test_a_shuffling_evaluator_runs_every_program_alone():
    with evaluators(TaskStyle.FUNCTION).open(Perturbation(order_seed=1)) as opened:
        runner = BatchRunner(candidate=FUNCTION, evaluator=opened, shuffled=True)
        assert runner.run_many(SOUND, CALLS) == tuple(runner.run(source, CALLS) for source in SOUND)


def test_many_programs_without_inputs_give_no_outcomes(functions):
    assert functions.run_many(SOUND, []) == ((), (), ())
    assert functions.run_many([], CALLS) == ()


def test_the_preamble_of_a_task_does_not_run_before_a_solver_that_knows_nothing_of_it(evaluator):
    hostile = (
        "import os, sys\ndef look(event, args):\n    if 'other' in str(args): os._exit(1)\nsys.addaudithook(look)\n"
    )
    task = replace(FUNCTION, signature=replace(FUNCTION.signature, preamble=hostile))
    runner = BatchRunner(candidate=task, evaluator=evaluator)
    sources = ["def other(n):\n    return 7\n", "def other(n):\n    return 8\n"]
    assert [runner.run(one, CALLS[:1], entry_point="other")[0].output for one in sources] == ["7", "8"]
    assert [found[0].output for found in runner.run_many(sources, CALLS[:1], entry_point="other")] == ["7", "8"]
