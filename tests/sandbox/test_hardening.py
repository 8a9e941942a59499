from dataclasses import replace

from sandbox.fuzzing.draws import Drawn
from sandbox.hardening import Hardened, WrongProgram, choose_public, draw_inputs
from sandbox.labelling import Labelled, Labels
from schemas.candidate import TestCase, TestOrigin
from schemas.config import Prove
from tests.task_builders import function_task

TESTS = tuple(TestCase.make(name, "1", origin=TestOrigin.EXAMPLE, public=name == "a") for name in ("a", "b", "c"))
TASK = function_task("def solve(n):\n    return n\n", {"n": "int"}, [((n,), n) for n in range(5)], public=0)


def hardened(wrong, *, valid=0):
    labels = Labels(valid=tuple(Labelled(input=str(place), expected="1") for place in range(valid)))
    return Hardened(tests=TESTS, wrong=tuple(wrong), drawn=Drawn(), labels=labels)


def mutant(name, kills):
    return WrongProgram(name=name, diff=f"-{name}", kills=frozenset(kills))


def solver(name, kills):
    return WrongProgram(name=name, kills=frozenset(kills), trivial=True)


def test_survivors_are_suspected_equivalent_only_after_many_drawn_inputs():
    wrong = [mutant("kept", {"a"}), mutant("quiet", {})]
    assert [one.suspected_equivalent for one in hardened(wrong).survivors(TESTS)] == [False]
    assert [one.suspected_equivalent for one in hardened(wrong, valid=30).survivors(TESTS)] == [True]


def test_a_mutant_that_only_an_unused_input_notices_is_no_suspect():
    survivor = hardened([mutant("late", {"unused"})], valid=30).survivors(TESTS)[0]
    assert not survivor.suspected_equivalent


def test_suspects_excuse_at_most_a_third_of_the_mutants():
    wrong = [mutant("kept", {"a"}), *(mutant(f"quiet {place}", {}) for place in range(5))]
    assert hardened(wrong, valid=30).score(TESTS) == 1 / 4


def test_no_mutants_give_a_full_score():
    assert hardened([]).score(TESTS) == 1.0


def test_probes_are_judged_by_hidden_tests_alone():
    probes = hardened([solver("none", {"a"}), solver("echo", {"b"})]).probes(TESTS)
    assert [(probe.name, probe.accepted) for probe in probes] == [("none", True), ("echo", False)]


def test_the_baseline_counts_hidden_failures():
    assert hardened([solver("none", {"a", "b", "c"})]).baseline_failures(TESTS) == 2


def test_shown_tests_are_public():
    assert choose_public(TESTS) == {"a"}


def test_the_first_two_of_many_hidden_tests_become_public():
    hidden = [replace(test, public=False) for test in TESTS]
    assert choose_public(hidden) == {"a", "b"}
    assert choose_public(hidden[:2]) == frozenset()


def test_long_tests_never_become_public():
    hidden = [replace(test, public=False, input=test.input * 400) for test in TESTS]
    assert choose_public(hidden) == frozenset()


def test_draws_belong_to_the_run_and_the_record():
    first = draw_inputs(TASK, TASK.tests, Prove(), 0)
    assert draw_inputs(TASK, TASK.tests, Prove(), 0) == first
    assert draw_inputs(TASK, TASK.tests, Prove(), 1) != first
    assert draw_inputs(replace(TASK, record_id="other"), TASK.tests, Prove(), 0) != first


def test_a_promise_stops_drawing_unless_a_second_solution_can_object():
    promising = replace(TASK, statement="It is guaranteed that n is prime.")
    assert "guaranteed" in draw_inputs(promising, TASK.tests, Prove(), 0).why
    second = replace(promising, alternatives=("def solve(n):\n    return n\n",))
    assert draw_inputs(second, TASK.tests, Prove(), 0).inputs
