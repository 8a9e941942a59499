import pytest

from sandbox.batches import BatchRunner
from sandbox.fuzzing.draws import DrawnInput
from sandbox.labelling import declares_bounds, label_inputs
from schemas.candidate import TaskStyle
from schemas.source import SourceKind
from schemas.values import encode_call
from tests.task_builders import constraint, evaluators, function_task, stdin_task


@pytest.fixture(scope="module")
def evaluator():
    with evaluators(TaskStyle.FUNCTION).open() as opened:
        yield opened


def label(evaluator, task, inputs):
    drawn = [DrawnInput(text=text if isinstance(text, str) else encode_call(text, {})) for text in inputs]
    return label_inputs(BatchRunner(candidate=task, evaluator=evaluator), drawn, task.tests)


def outputs(labels):
    return [one.expected for one in labels.valid]


def test_inputs_get_the_reference_output(evaluator):
    task = function_task("def solve(n):\n    return n * 2\n", {"n": "int"}, [((1,), 2)])
    assert outputs(label(evaluator, task, [(3,), (4,)])) == ["6", "8"]


@pytest.mark.parametrize(
    "body",
    [
        "raise ValueError(n)",
        "return None",
        "return -1",
        "return []",
        "return 'x'",
        "return object()",
        "while True: pass",
        "return 'x' * 9000",
    ],
)
def test_unfit_inputs_are_left_out(evaluator, body):
    reference = f"def solve(n):\n    if n == 3:\n        {body}\n    return n\n"
    task = function_task(reference, {"n": "int"}, [((1,), 1)])
    labels = label(evaluator, task, [(3,), (4,)])
    assert outputs(labels) == ["4"]
    assert labels.refused == ""


def test_an_answer_that_the_examples_show_is_fit(evaluator):
    task = function_task("def solve(n):\n    return -1 if n > 2 else n\n", {"n": "int"}, [((1,), 1), ((9,), -1)])
    assert outputs(label(evaluator, task, [(3,), (2,)])) == ["-1", "2"]


def test_declared_bounds_make_every_type_of_answer_fit_and_a_raise_a_finding(evaluator):
    reference = "def solve(n):\n    if n == 3:\n        raise ValueError(n)\n    return None\n"
    task = function_task(reference, {"n": ("int", [constraint("min", 0)])}, [((1,), 1)], kind=SourceKind.TOPICS)
    labels = label(evaluator, task, [(3,), (4,)])
    assert outputs(labels) == ["null"]
    assert labels.refused == '{"args":[3],"kwargs":{}} -> {"$raises":"ValueError"}'
    assert declares_bounds(task)


def test_bounds_of_a_bank_do_not_count_as_declared():
    bounded = {"n": ("int", [constraint("min", 0)])}
    assert not declares_bounds(function_task("def solve(n): return n\n", bounded, [((1,), 1)]))


def test_empty_output_of_a_stream_is_unfit_unless_shown(evaluator):
    task = stdin_task("n = int(input())\nif n > 2: print(n)\n", [("3\n", "3\n")])
    assert outputs(label(evaluator, task, ["1\n", "5\n"])) == ["5\n"]


def test_mostly_illegal_draws_are_all_left_out(evaluator):
    reference = "def solve(n):\n    if n > 2:\n        raise ValueError(n)\n    return n\n"
    task = function_task(reference, {"n": "int"}, [((1,), 1)])
    labels = label(evaluator, task, [(2,), (3,), (4,), (5,)])
    assert labels.valid == ()
    assert labels.why.startswith("3 of 4 drawn inputs")
