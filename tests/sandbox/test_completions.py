"""What counts as the answer in a completion."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.completions import FENCE_TAGS, extract_solution
from schemas.errors import ConfigError


def test_the_only_block_of_the_language_is_the_solution():
    found = extract_solution("Here:\n```python\nx = 1\n```\nDone.", "python")
    assert (found.solution, found.is_clean) == ("x = 1\n", True)


def test_blocks_of_other_languages_do_not_count():
    found = extract_solution("```text\n1 2\n```\n~~~py\nx = 1\n~~~\n```\nraw\n```\n", "python")
    assert (found.solution, found.blocks) == ("x = 1\n", 1)


def test_of_two_blocks_the_last_is_taken_and_the_format_is_not_clean():
    found = extract_solution("```python\na\n```\n```python\nb\n```", "python")
    assert (found.solution, found.is_clean) == ("b\n", False)


def test_thoughts_are_no_answer():
    found = extract_solution("<think>\n```python\nwrong\n```\n</think>\n```python\nright\n```", "python")
    assert (found.solution, found.is_clean) == ("right\n", True)


@pytest.mark.parametrize(
    "completion",
    [
        "",
        "x = 1",
        "```python\nx = 1",
        "```\nx = 1\n```",
        "``python\nx\n``",
        "```python\nx = 1\n```</think>",
        "    ```python\n    x\n    ```",
    ],
)
def test_what_is_no_block_gives_no_solution(completion):
    found = extract_solution(completion, "python")
    assert (found.solution, found.is_clean) == (None, False)


def test_a_longer_fence_holds_shorter_ones():
    found = extract_solution('````python\ns = """\n```\n"""\n````', "python")
    assert found.solution == 's = """\n```\n"""\n'


def test_carriage_returns_before_line_ends_do_not_hide_a_fence():
    assert extract_solution("```python\r\nx = 1\r\n```\r\n", "python").solution == "x = 1\r\n"


@pytest.mark.parametrize(
    ("language", "tag"), [(language, tag) for language, tags in FENCE_TAGS.items() for tag in sorted(tags)]
)
def test_every_tag_names_its_language(language, tag):
    assert extract_solution(f"```{tag.upper()}\nx\n```", language).solution == "x\n"


def test_an_unknown_language_is_a_mistake_of_the_caller():
    with pytest.raises(ConfigError, match=r"unknown language 'pyton'.*'python'"):
        extract_solution("", "pyton")


@given(st.text(st.characters(exclude_characters="`~<", exclude_categories=("Cs",))))
def test_any_text_comes_out_as_it_was_fenced(text):
    body = text if text.endswith("\n") else text + "\n"
    assert extract_solution(f"```python\n{body}```", "python").solution == body
