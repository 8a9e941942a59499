import pytest

from transforms.curation.lexing import blank_imports, count_code_lines, has_hash_comments, lex_code, plain_tokens


def texts(source):
    return " ".join(lex_code(source).texts)


def test_comments_and_docstrings_are_no_tokens():
    source = '"""Module."""\ndef f(x):\n    "Doc."\n    # why\n    return x  # so\n'
    assert texts(source) == "def f ( x ) : return x"


def test_a_hash_inside_a_string_is_no_comment():
    assert texts("x = '# not' + y") == 'x = " # not " + y'


def test_quotes_and_prefixes_of_a_literal_do_not_count():
    assert texts("x = 'ab c'") == texts('x = "ab c"') == texts('x = r"""ab c"""')


def test_a_string_that_is_used_stays():
    assert texts('f("""long\ntext""")') == 'f ( " long text " )'


def test_slash_comments_go_where_the_language_has_them():
    source = "int f(int a) { // sum\n  /* two\n lines */ return a; }"
    assert texts(source) == "int f ( int a ) { return a ; }"


def test_floor_division_is_no_comment_in_python():
    assert has_hash_comments("def f(a):\n    return a // 2\n")
    assert texts("def f(a):\n    return a // 2\n").endswith("a / / 2")


def test_tokens_know_where_they_stood():
    source = "x = 'ab'  # c\ny"
    tokens = lex_code(source)
    assert [source[a:b] for a, b in zip(tokens.starts, tokens.ends, strict=True)] == ["x", "=", "'", "ab", "'", "y"]


@pytest.mark.parametrize(
    "annotated",
    [
        "def f(a: int, b: dict[str, int] = {1: 2}, *c: int) -> dict[str, int]:\n    return a",
        "def f(a, b: 'x' = {1: 2}, *c):\n    return a",
        "def f(a: Callable[[int], str], b={1: 2}, *c) -> None: return a",
    ],
)
def test_annotations_of_headers_are_left_out(annotated):
    assert " ".join(plain_tokens(lex_code(annotated)).texts) == "def f ( a , b = { 1 : 2 } , * c ) : return a"


def test_an_unfinished_header_ends_with_the_text():
    assert plain_tokens(lex_code("def f(a: int")).texts == ("def", "f", "(", "a")


def test_imports_become_blanks_of_equal_length():
    source = "import os\nfrom a.b import (c,\n  d)\nx = 1\nimportant = 2\n"
    blanked = blank_imports(source)
    assert len(blanked) == len(source)
    assert blanked.split() == ["x", "=", "1", "important", "=", "2"]


def test_code_lines_are_neither_blank_nor_comment_nor_docstring():
    source = 'def f(x):\n    """Two\n    lines."""\n\n    # why\n    y = (x +\n         1)\n    return y\n'
    assert count_code_lines(source) == 4
