import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.answers import extract_object, is_apology
from schemas.errors import ModelError

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), _JSON, max_size=4), st.booleans())
def test_object_survives_any_wrapping(data, indented):
    data["a"] = 1
    text = json.dumps(data, indent=1 if indented else None)
    for wrapped in (text, f"\ufeff{text}", f"Sure!\n```json\n{text}\n```\nDone.", f"Here: {text} That's it."):
        assert extract_object(wrapped) == data


def test_empty_object_alone_is_an_empty_answer():
    with pytest.raises(ModelError) as caught:
        extract_object("{}")
    assert caught.value.reason == "empty_answer"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": [1, 2,], "b": "x,]",}', {"a": [1, 2], "b": "x,]"}),
        ('{"a": "two\nlines"}', {"a": "two\nlines"}),
        ('```\n{"a": 1}\n```', {"a": 1}),
        ('First ```python\nx = {}\n``` then\n```json\n{"a": 1}\n```', {"a": 1}),
        ('{"code": "```\\nx\\n```"}', {"code": "```\nx\n```"}),
        ('I am sorry for the delay: {"a": 1}', {"a": 1}),
    ],
)
def test_harmless_slips_are_repaired(text, found):
    assert extract_object(text) == found


@pytest.mark.parametrize(
    ("text", "reason", "words"),
    [
        ("", "empty_answer", "empty"),
        (" ...\n", "empty_answer", "empty"),
        ("I'm sorry, but I can't help with that.", "refused", "sorry"),
        ("The answer is 42.", "broken_json", "no JSON object"),
        ('{"a": "cut in the mid', "broken_json", "Unterminated string"),
        ('```json\n{"a": [1, 2', "broken_json", "character"),
        ('{"a": 1, "a": 2}', "broken_json", "stands twice"),
        ('{"a": NaN}', "broken_json", "NaN"),
        ('{"a":' * 20_000, "broken_json", "broken"),
        ('{"a": "' + "x" * 300_000 + '"}', "broken_json", "300009 characters"),
    ],
)
def test_other_answers_are_refused_with_a_reason(text, reason, words):
    with pytest.raises(ModelError, match=words) as caught:
        extract_object(text)
    assert (caught.value.reason, caught.value.retriable) == (reason, False)


def test_long_text_that_opens_politely_is_no_apology():
    assert is_apology("Sorry, I cannot do this.")
    assert not is_apology("Sorry " + "word " * 100)
    assert not is_apology("Sorting is what the task asks for.")
