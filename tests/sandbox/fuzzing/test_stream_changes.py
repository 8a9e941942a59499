"""Changed example inputs keep the form of the examples."""

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from sandbox.fuzzing.draws import MAX_INPUT_CHARS
from sandbox.fuzzing.stream_changes import list_changes

TABLE = "3\n5 10\n6 20\n9 30"


@settings(max_examples=50)
@given(list_changes([TABLE]))
def test_counts_and_the_number_of_lines_and_tokens_stay(text):
    lines = text.split("\n")
    assert lines[0] == "3"
    assert [len(line.split(" ")) for line in lines] == [1, 2, 2, 2]


@settings(max_examples=50)
@given(list_changes([TABLE]))
def test_numbers_stay_inside_their_column(text):
    columns = zip(*(map(int, line.split(" ")) for line in text.split("\n")[1:]), strict=True)
    assert [low >= 5 and high <= 9 for low, high in [(min(column), max(column)) for column in columns][:1]] == [True]


def test_words_keep_their_characters():
    drawn = {find(list_changes(["abc"]), lambda text, want=want: text == want) for want in ("cba", "bca", "cab", "aaa")}
    assert drawn == {"cba", "bca", "cab", "aaa"}


@pytest.mark.parametrize("text", ["3\n4\n5", "2 1\nx", "7", "", "1  2\n3  4", "-\n- 1 -"])
def test_an_input_of_which_nothing_may_be_changed_stays_or_changes_in_its_words_only(text):
    @settings(max_examples=20)
    @given(list_changes([text]))
    def check(changed):
        assert len(changed.split("\n")) == len(text.split("\n"))
        assert changed.split("\n")[0] == text.split("\n")[0]

    check()


def test_there_are_no_changes_of_no_examples_and_of_too_long_ones():
    for examples in ([], ["x" * (MAX_INPUT_CHARS + 1)]):
        assert list_changes(examples).is_empty


@settings(max_examples=30)
@given(st.lists(st.text("ab 01\n", max_size=12), max_size=4).flatmap(lambda texts: list_changes([*texts, "a"])))
def test_any_examples_give_texts(text):
    assert isinstance(text, str)
