import pytest

from sandbox.batches import Answer, BatchRunner
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
