"""Reading source text without running it."""

import ast

import pytest

from schemas.candidate import Parameter
from seeds.python_source import (
    bound_names,
    find_function,
    loaded_names,
    parse_module,
    read_header,
    read_parameters,
    read_returns,
    returned_container,
    returns_booleans,
    unify_line_ends,
)


def function(source: str, name: str = "f") -> ast.FunctionDef:
    module = parse_module(source)
    assert module is not None
    node = find_function(module, name)
    assert isinstance(node, ast.FunctionDef)
    return node


@pytest.mark.parametrize("source", ["print 'x'", "def f(:", "\x00", "(" * 300, "x = 1" + "9" * 5000])
def test_what_is_not_python_3_has_no_tree(source: str) -> None:
    assert parse_module(source) is None


def test_methods_and_functions_are_found_by_entry_point() -> None:
    source = "class Solution:\n    def f(self, a): pass\n\ndef f(b): pass\n"
    assert read_parameters(function(source, "Solution().f")) == (Parameter(name="a"),)
    assert read_parameters(function(source, "f")) == (Parameter(name="b"),)
    module = parse_module(source)
    assert module is not None
    assert find_function(module, "Solution().g") is None


def test_parameters_keep_annotations_defaults_and_stars() -> None:
    node = function("def f(a: List[int], b=2, /, *rest, c: str = 'x', **more) -> Optional[int]: pass")
    assert read_parameters(node) == (
        Parameter(name="a", annotation="List[int]"),
        Parameter(name="b", default="2"),
        Parameter(name="*rest"),
        Parameter(name="c", annotation="str", default="'x'"),
        Parameter(name="**more"),
    )
    assert read_returns(node) == "Optional[int]"


@pytest.mark.parametrize(
    "starter",
    [
        "class Solution:\n    def f(self, n: int) -> int:\n        ",
        "class Solution:\n    def f(self, n: int) -> int:",
        "# note\nclass Solution:\n    def f(self, n: int) -> int:\n        pass\n",
    ],
)
def test_headers_without_a_body_are_read(starter: str) -> None:
    node = read_header(starter, "Solution().f")
    assert node is not None
    assert read_parameters(node) == (Parameter(name="n", annotation="int"),)


def test_a_starter_code_of_something_else_has_no_header() -> None:
    assert read_header("what is this", "f") is None


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return a == 1", True),
        ("return True if a else not a", True),
        ("ok = a > 1 and a < 2\n    return ok", True),
        ("return all(a)", True),
        ("return a.startswith('x')", True),
        ("return a", False),
        ("return a and a == 1", False),
        ("return re.match('x', a)", False),
        ("ok = a\n    return ok", False),
        ("pass", False),
        ("def g(): return 1\n    return a == 1", True),
        ("if a: return True", True),
    ],
)
def test_evident_booleans_are_told_from_other_values(body: str, expected: bool) -> None:
    assert returns_booleans(function(f"def f(a):\n    {body}")) is expected


@pytest.mark.parametrize(
    ("head", "body", "expected"),
    [
        ("-> List[int]", "return x", list),
        ("-> tuple[int, int]", "return x", tuple),
        ("-> Set", "return x", set),
        ("", "return [1]", list),
        ("", "return sorted(x)", list),
        ("", "res = tuple(x)\n    return res", tuple),
        ("", "return (1, 2)", tuple),
        ("", "return x", None),
        ("", "if x: return []\n    return ()", None),
    ],
)
def test_evident_containers_are_told(head: str, body: str, expected: type | None) -> None:
    assert returned_container(function(f"def f(x) {head}:\n    {body}")) is expected


def test_names_that_code_binds_and_reads() -> None:
    module = parse_module("import a.b as c, d.e\nx = y\ndef f(p): return q\ntry: pass\nexcept E as err: pass")
    assert module is not None
    assert bound_names(module) == {"c", "d", "x", "f", "p", "err"}
    assert loaded_names(module) == {"y", "q", "E"}


def test_line_ends_become_newlines() -> None:
    assert unify_line_ends("a\r\nb\rc\n") == "a\nb\nc\n"
