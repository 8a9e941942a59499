"""YAML that nobody can handle is refused in words."""

import pytest

from schemas.yaml_text import YamlTextError, load_yaml

BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)
)


@pytest.mark.timeout(100)
@pytest.mark.parametrize(
    ("text", "words"),
    [
        (BOMB, "unfolds to more than"),
        ("a: &a [*a]", "unfolds to more than"),
        ("a: &a {b: *a}", "unfolds to more than"),
        ("a: 0x" + "f" * 20_000, "4,300 digits"),
        ("? 0x" + "f" * 20_000 + "\n: a", "4,300 digits"),
        ("a: " + "9" * 20_000, "4300"),
        ("a: 2020-99-99", "month"),
        ("a: !!python/object/apply:os.system [ls]", "could not determine a constructor"),
        ("a: " + "[" * 5000, "recursion"),
        (r'a: "\ud800"', "half of a character"),
        ("a: [", "expected the node content"),
    ],
)
def test_data_that_nobody_can_handle_is_refused(text, words):
    with pytest.raises(YamlTextError, match=words):
        load_yaml(text)


def test_aliases_of_few_values_are_kept():
    assert load_yaml("a: &a [1, 2]\nb: *a") == {"a": [1, 2], "b": [1, 2]}
