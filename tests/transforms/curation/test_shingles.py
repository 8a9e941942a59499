import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.curation.shingles import (
    alpha_windows,
    jaccard,
    normalise_text,
    pack_hashes,
    split_words,
    union_hashes,
    unpack_hashes,
    word_windows,
)

CODE = "def total(items, rate):\n    out = 0\n    for item in items:\n        out += item * rate\n    return out\n"
hash_sets = st.lists(st.integers(0, 2**64 - 1), max_size=60).map(
    lambda values: np.unique(np.array(values, dtype=np.uint64))
)


def alpha_likeness(left, right):
    return jaccard(alpha_windows(left).unique(), alpha_windows(right).unique())


def test_line_ends_and_trailing_blanks_do_not_count():
    assert normalise_text("a \r\nb\t\rc\n\n") == "a\nb\nc"


def test_words_are_case_folded_runs_and_single_ideographs():
    assert split_words("Straße, x_1 \u4e8c\u53c9\u6811ok")[0] == (
        "strasse", "x", "1", "\u4e8c", "\u53c9", "\u6811", "ok",
    )  # fmt: skip


def test_a_text_of_n_words_has_one_ngram_and_a_shorter_one_none():
    assert len(word_windows("a b c", 3).hashes) == 1
    assert len(word_windows("a b", 3).hashes) == 0
    assert len(word_windows("", 3).hashes) == 0


def test_a_window_covers_the_text_from_its_first_to_its_last_token():
    windows = word_windows("One, two; three four", 2)
    text = "One, two; three four"
    assert [text[a:b] for a, b in zip(windows.starts, windows.ends, strict=True)] == [
        "One, two",
        "two; three",
        "three four",
    ]


def test_equal_ngrams_have_equal_hashes_wherever_they_stand():
    first, second = word_windows("a b c d", 3).hashes.tolist(), word_windows("x a b c", 3).hashes.tolist()
    assert first[0] == second[1]
    assert first[1] != second[1]


def test_renaming_changes_nothing_for_alpha_windows():
    renamed = CODE.replace("total", "summe").replace("item", "thing").replace("out", "acc").replace("rate", "q")
    assert alpha_likeness(CODE, renamed) == 1.0


def test_restyling_changes_nothing_for_alpha_windows():
    restyled = "# mine\nfrom typing import List\n" + CODE.replace(
        "(items, rate):", '(items: List[int], rate: float) -> float:\n    """Doc."""'
    )
    assert alpha_likeness(CODE, restyled) == 1.0


def test_an_inserted_name_disturbs_only_its_own_windows():
    body = "".join(f"    v{n} = w{n} + u{n} * {n}\n" for n in range(40))
    assert alpha_likeness(f"def f():\n{body}", f"def f():\n    log = 1\n{body}") > 0.9


def test_builtins_and_builtin_methods_keep_their_names():
    assert alpha_likeness("a = sorted(b) + c.split(d) + e", "a = reversed(b) + c.split(d) + e") < 1.0
    assert alpha_likeness("a = z(b) + c.split(d) + e", "a = z(b) + c.strip(d) + e") < 1.0
    assert alpha_likeness("a = z(b) + c.mine(d) + e", "a = z(b) + c.yours(d) + e") == 1.0


@pytest.mark.parametrize("maker", [word_windows, alpha_windows])
def test_any_text_can_be_cut(maker):
    for text in ("", "\x00", "'", '"""', "\ud800 x", "a" * 10_000, "\n" * 50):
        assert len(maker(text).hashes) == len(maker(text).starts)


@given(hash_sets)
def test_packing_round_trips(hashes):
    assert np.array_equal(unpack_hashes(pack_hashes(hashes)), hashes)


@given(hash_sets, hash_sets)
def test_jaccard_equals_that_of_sets(left, right):
    first, second = set(left.tolist()), set(right.tolist())
    expected = len(first & second) / len(first | second) if first | second else 1.0
    assert jaccard(left, right) == expected
    assert set(union_hashes([left, right]).tolist()) == first | second


def test_hashes_do_not_depend_on_the_hash_seed():
    program = (
        "from transforms.curation.shingles import alpha_windows, word_windows\n"
        "print(alpha_windows('a = b + c * d - e').hashes.tolist(), word_windows('a b c', 2).hashes.tolist())"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
