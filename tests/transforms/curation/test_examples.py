from schemas.values import encode_call, encode_text
from transforms.curation.examples import print_examples


def pairs(*examples):
    return {item.pair for item in print_examples(examples)}


def call(expected, *args, **kwargs):
    return encode_call(args, kwargs), encode_text(expected)


def test_a_call_by_name_equals_one_by_position():
    assert pairs(call(3, [1, 2], 7)) == pairs(call(3, [1, 2], k=7)) == pairs(call(3, k=7, nums=[1, 2]))


def test_types_that_a_translation_changes_do_not_count():
    assert pairs(call((1, 2.0), (3, 4), {1: 2})) == pairs(call([1, 2], [3, 4.0], {1: 2}))


def test_other_values_are_other_examples():
    assert not pairs(call(3, [1, 2])) & pairs(call(4, [1, 2]), call(3, [2, 1]), call("3", [1, 2]))


def test_standard_input_counts_by_its_words():
    assert pairs(("3\n1 2 3\n", "6\n")) == pairs(("3\r\n1  2 3", "6"))


def test_an_output_that_repeats_the_input_says_nothing():
    assert print_examples([call(5, 5), call([1], [1]), ("7\n", "7\n")]) == ()


def test_equal_examples_count_once_and_are_shown():
    (example,) = print_examples([call(3, [1, 2], 7), call(3, [1, 2], k=7)])
    assert example.text == "7, [1,2] -> 3"


def test_integers_that_python_does_not_write_are_compared_too():
    assert pairs(call(7**6000, [7**6001])) == pairs(call(7**6000, (7**6001,)))
    assert not pairs(call(7**6000, 1)) & pairs(call(7**6000 + 1, 1))
