import pytest

from sandbox.likeness import describe_likeness
from schemas.candidate import TaskStyle

FUNCTION, STDIN = TaskStyle.FUNCTION, TaskStyle.STDIN


@pytest.mark.parametrize(
    ("style", "left", "right", "words"),
    [
        (FUNCTION, "[1,2]", "[2,1]", "order of items"),
        (FUNCTION, '{"$float":"0.3"}', '{"$float":"0.30000000000000004"}', "1e-6"),
        (FUNCTION, '"Yes"', '"yes"', "letter case"),
        (FUNCTION, "1", "2", ""),
        (FUNCTION, "1", "broken", ""),
        (STDIN, "1 2\n", "1\n2\n", "blanks"),
        (STDIN, "0.50\n", "0.5\n", "1e-6"),
        (STDIN, "a\nb\n", "b\na\n", "order of lines"),
        (STDIN, "a\n", "b\n", ""),
    ],
)
def test_harmless_differences_are_named(style, left, right, words):
    found = describe_likeness(style, left, right)
    assert words in found
    assert bool(found) == bool(words)
