import pytest

from sandbox.fuzzing.grammar import infer_grammar
from sandbox.fuzzing.preconditions import Preconditions
from sandbox.fuzzing.streams import draw_streams


def texts(*examples, count=40, **options):
    return [one.text for one in draw_streams(examples, "", count=count, seed=4, **options).inputs]


def lines(text):
    return [line.split() for line in text.rstrip("\n").split("\n")]


def test_a_number_counts_the_tokens_of_the_next_line():
    for text in texts("3\n1 2 3\n", "5\n5 1 4 1 9\n"):
        head, row = lines(text)
        assert int(head[0]) == len(row)


def test_a_number_counts_the_lines_that_follow():
    for text in texts("2 5\n1 2\n3 4\n", "3 7\n1 1\n2 2\n9 8\n"):
        head, *rest = lines(text)
        assert int(head[0]) == len(rest)
        assert all(len(line) == 2 for line in rest)


def test_a_matrix_has_its_height_and_width():
    for text in texts("2 3\n1 2 3\n4 5 6\n", "3 2\n1 0\n4 5\n7 7\n", "1 1\n9\n"):
        (height, width), *rows = lines(text)
        assert len(rows) == int(height)
        assert {len(row) for row in rows} == {int(width)}


def test_a_grid_of_characters_keeps_width_and_alphabet():
    for text in texts("2 3\n#.#\n..#\n", "3 2\n..\n##\n.#\n"):
        (height, width), *rows = lines(text)
        assert len(rows) == int(height)
        assert all(len(row[0]) == int(width) and set(row[0]) <= set("#.") for row in rows)


def test_test_cases_are_counted():
    for text in texts("2\n3\n1 2 3\n2\n5 6\n", "1\n4\n1 2 3 4\n", "3\n1\n7\n1\n8\n2\n1 1\n"):
        head, *rest = lines(text)
        assert len(rest) == 2 * int(head[0])
        assert all(int(size[0]) == len(row) for size, row in zip(rest[::2], rest[1::2], strict=True))


def test_edges_name_existing_nodes():
    for text in texts("4 3\n1 2\n2 3\n3 4\n", "5 2\n1 5\n2 4\n"):
        (nodes, _), *edges = lines(text)
        assert all(1 <= int(end) <= int(nodes) for edge in edges for end in edge)


def test_lone_words_are_drawn_from_their_alphabet():
    assert all(text.strip().isalpha() for text in texts("abcdefg\n", "hello\n"))


def test_a_stated_order_of_sorted_rows_is_kept():
    drawn = texts("3\n1 2 3\n", "2\n4 9\n", stated=Preconditions(ordered=True))
    rows = [list(map(int, lines(text)[1])) for text in drawn]
    assert all(row == sorted(row) for row in rows)


def test_draws_are_distinct_and_none_is_an_example():
    drawn = texts("3\n1 2 3\n", "1\n5\n")
    assert len(set(drawn)) == len(drawn) == 40
    assert "3\n1 2 3\n" not in drawn


def test_one_example_is_changed_carefully():
    for text in texts("3\n2 2 3\n4 3 7\n10 1 9\n"):
        head, *rest = lines(text)
        assert head == ["3"]
        assert [len(line) for line in rest] == [3, 3, 3]


def test_counts_in_the_middle_of_a_text_stay():
    for text in texts("2\n1 5\n3\n9 8 7\n"):
        parsed = lines(text)
        assert (parsed[0], parsed[2]) == (["2"], ["3"])


@pytest.mark.parametrize("example", ["1\n", "7\n"])
def test_a_lone_number_cannot_be_changed_safely(example):
    drawn = draw_streams([example], "", count=20, seed=1)
    assert drawn.inputs == ()
    assert "grammar" in drawn.why


def test_no_example_means_no_input():
    assert "no example" in draw_streams([], "", count=5, seed=1).why


def test_blank_lines_show_no_grammar():
    assert infer_grammar(["a\n\nb\n", "c\n\nd\n"]) == ()


def test_one_example_shows_no_grammar():
    assert infer_grammar(["1 2\n"]) == ()


def test_streams_are_the_same_for_the_same_seed():
    assert texts("3\n1 2 3\n", "1\n5\n") == texts("3\n1 2 3\n", "1\n5\n")
