import pytest

from sandbox.fuzzing.preconditions import read_preconditions


@pytest.mark.parametrize(
    "words",
    [
        "You may assume that each input has exactly one solution.",
        "It is guaranteed that the answer exists.",
        "The graph is a tree with n nodes.",
        "An array rotated at an unknown pivot.",
        "a permutation of 1 to n",
        "Such a way always exists.",
    ],
)
def test_promises_are_recognised(words):
    assert read_preconditions(words).promise


@pytest.mark.parametrize("words", ["Return the sum.", "Plant one tree per row.", "Print all permutations."])
def test_plain_statements_promise_nothing(words):
    assert not read_preconditions(words).promise


def test_order_and_distinctness_are_read():
    stated = read_preconditions("Given a sorted array of distinct integers")
    assert stated.ordered
    assert stated.distinct
