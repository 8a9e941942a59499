import ast

import pytest
from mutmut.mutation.mutators import mutation_operators

from mutators.document import Document
from mutators.python import mutate_source
from mutators.registry import OPERATORS, find_operators
from mutators.sites import enumerate_sites
from mutators.splice import splice
from schemas.errors import ConfigError, MutationError, SchemaError

NAMES = OPERATORS.names()

WITNESSES = {
    "break_chain": "f(1, 2, 4)",
    "call_relative": "f([1, 2])",
    "change_default": "f(1)",
    "dedent_from_loop": "printed(f, [1, 2])",
    "drop_bound": "f([1, 2, 3])",
    "drop_copy": "f([1])",
    "drop_filter": "f([0, 1])",
    "drop_handler": "f('a'), f(0)",
    "drop_keyword": "f([1, 2])",
    "drop_normalizer": "f('A')",
    "drop_operand": "f(1, 0)",
    "flip_comparison": "f(1, 2)",
    "indent_into_loop": "printed(f, [1, 2])",
    "lower_integer": "f(1)",
    "mutmut_arg_removal": "f(pow)",
    "mutmut_assignment": "f(0)",
    "mutmut_augmented_assignment": "f(1)",
    "mutmut_dict_arguments": "f(0)",
    "mutmut_if_exp": "f(1)",
    "mutmut_keywords": "f([1])",
    "mutmut_lambda": "f(0)()",
    "mutmut_match": "f(1)",
    "mutmut_name": "f(0)",
    "mutmut_number": "f(0)",
    "mutmut_remove_unary_ops": "f(1)",
    "mutmut_string": "f(0)",
    "mutmut_swap_op": "f(1)",
    "mutmut_symmetric_string_methods_swap": "f('axbx')",
    "mutmut_unsymmetrical_string_methods_swap": "f('axbxc')",
    "narrow_except": "f(ValueError())",
    "negate_condition": "f(5)",
    "remove_assignment": "f(1)",
    "remove_branch": "f(0)",
    "remove_call": "f([2, 1])",
    "remove_delete": "f([1])",
    "remove_guard": "f(0)",
    "remove_loop": "f([1])",
    "shift_index": "f([1, 2], 1)",
    "shift_range": "f(3)",
    "shift_slice": "f([1, 2, 3])",
    "shorten_comparison": "f(10)",
    "swallow_error": "f(OSError())",
    "swap_arguments": "f(7, 2)",
    "swap_branches": "f(1)",
    "swap_elements": "f(1, 2)",
    "swap_operands": "f(1, 2)",
    "swap_pair": "f([(1, 2)])",
    "swap_statements": "f([2])",
    "unwrap_call": "f([2, 1])",
    "weaken_strip": "f(' a ')",
    "widen_except": "f(KeyError())",
    "wrong_attribute": "C(1, 2).f()",
    "wrong_variable": "f(1)",
}

ENDINGS = {
    "mutmut_assignment": "    return a\n",
    "mutmut_augmented_assignment": "    return a\n",
}
"""What the mutated statements of some examples need to show their effect."""


def observe(source: str, expression: str) -> str:
    """Return what an expression gives in a program, an error included."""
    shown: list[object] = []

    def g(error):
        raise error

    def printed(function, argument):
        function(argument)
        return shown

    space: dict[str, object] = {"g": g, "print": shown.append, "printed": printed}
    exec(compile(source, "<test>", "exec"), space)
    try:
        return repr(eval(expression, space))
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        NameError,
        OSError,
        RuntimeError,
        TypeError,
        ValueError,
    ) as error:
        return repr(error)


def mutants(source: str, name: str) -> list[str]:
    data = source.encode()
    sites = enumerate_sites("m.py", data, [name], module_level=True)
    return [splice(data, site.edits).decode() for site in sites]


@pytest.mark.parametrize("name", NAMES)
def test_the_example_of_an_operator_is_what_it_does(name):
    operator = OPERATORS.get(name)
    ending = ENDINGS.get(name, "")
    assert operator.after + ending in mutants(operator.before + ending, name)


@pytest.mark.parametrize("name", NAMES)
def test_a_mutant_behaves_differently_on_a_witness(name):
    operator = OPERATORS.get(name)
    ending = ENDINGS.get(name, "")
    healthy = observe(operator.before + ending, WITNESSES[name])
    assert observe(operator.after + ending, WITNESSES[name]) != healthy


@pytest.mark.parametrize("name", NAMES)
def test_an_operator_leaves_the_text_around_alone_and_is_deterministic(name):
    before = OPERATORS.get(name).before + ENDINGS.get(name, "")
    above, below = "# caf\u00e9 \u2028 \x0c\n'''flush\nleft'''\n\n\n", "\n\n# end\r\n'no newline'"
    plain = mutants(before, name)
    padded = mutants(above + before + below, name)
    assert padded == [above + mutant + below for mutant in plain]
    assert padded == mutants(above + before + below, name)


INDENTED = "class Outer:\n    class Inner:\n        @decorate(1)\n        async def method(self, a=1):\n{}\n"


@pytest.mark.parametrize("name", [name for name, operator in OPERATORS if operator.theme != "mutmut"])
def test_own_operators_reach_decorated_async_methods_and_nested_functions(name):
    before = OPERATORS.get(name).before
    deep = INDENTED.format("\n".join(f"            {line}" for line in before.splitlines()))
    sites = enumerate_sites("m.py", deep.encode(), [name])
    assert sites
    assert all(site.scope.startswith("Outer.Inner.method") for site in sites)
    for site in sites:
        ast.parse(splice(deep.encode(), site.edits))


@pytest.mark.parametrize("name", NAMES)
def test_every_mutant_of_an_example_parses(name):
    for mutant in mutants(OPERATORS.get(name).before, name):
        ast.parse(mutant)


def test_at_least_eight_operators_are_our_own():
    themes = [operator.theme for _, operator in OPERATORS]
    assert sum(theme != "mutmut" for theme in themes) >= 8
    assert themes.count("mutmut") == 15


def test_every_operator_of_mutmut_is_adapted():
    kinds = {function.__name__.replace("operator_", "mutmut_") for _, function in mutation_operators}
    assert kinds == {name for name in NAMES if name.startswith("mutmut_")}


def test_an_operator_cannot_be_registered_twice():
    with pytest.raises(SchemaError, match="mutation operator 'remove_loop' is registered twice"):
        OPERATORS.register("remove_loop", OPERATORS.get("remove_loop"))


def test_an_unknown_operator_offers_the_nearest_name():
    with pytest.raises(ConfigError, match=r"unknown mutation operator 'remove_lop'\. Did you mean 'remove_loop'\?"):
        find_operators(["remove_lop"])
    with pytest.raises(ConfigError, match="Did you mean 'swap_branches'"):
        mutate_source("x = 1", operators=["swap_branch"], limit=1, run_seed=0, record_id="r")


@pytest.mark.parametrize(
    ("name", "source", "expected"),
    [
        ("lower_integer", "x = 0x1F\n", "x = 0x1e\n"),
        ("lower_integer", "x = 0o17\n", "x = 0o16\n"),
        ("shift_slice", "x = a[:n - 1]\n", "x = a[:n - 2]\n"),
        ("shift_slice", "x = a[:-2]\n", "x = a[:-1]\n"),
        (
            "remove_branch",
            "if a:\n    x = 1\nelif b:\n    x = 2\nelse:\n    x = 3\n",
            "if a:\n    x = 1\nelse:\n    x = 3\n",
        ),
        ("remove_branch", "for i in a:\n    pass\nelse:\n    x = 3\n", "for i in a:\n    pass\n"),
        ("remove_guard", "def f(x):\n    if x: return 1\n", "def f(x):\n    pass\n"),
        ("remove_assignment", "x = 1\nx: int = 2\n", "x = 1\n"),
        ("remove_assignment", "self.x = 1; y = 2\n", "pass; y = 2\n"),
        ("remove_call", "async def f(x):\n    await g(x)\n    return 1\n", "async def f(x):\n    return 1\n"),
        ("unwrap_call", "x = sorted(i for i in a)\n", "x = list(i for i in a)\n"),
        ("negate_condition", "x = [i for i in a if i > 1]\n", "x = [i for i in a if not (i > 1)]\n"),
        ("negate_condition", "match a:\n    case b if b > 1: x = 2\n", "match a:\n    case b if not (b > 1): x = 2\n"),
        ("change_default", "def f(x=3): pass\n", "def f(x=2): pass\n"),
        ("drop_keyword", "f(a=1, b=2)\n", "f(b=2)\n"),
        ("drop_keyword", "f(a=1)\n", "f()\n"),
        ("swap_elements", "a, b = c\n", "b, a = c\n"),
        ("drop_copy", "a = b[:]\n", "a = b\n"),
        ("drop_copy", "a = copy.deepcopy(b)\n", "a = b\n"),
        ("flip_comparison", "while (n := f()) < 4: pass\n", "while (n := f()) > 4: pass\n"),
        ("swap_arguments", "s = f'{f(a, \"b\")!r:>{w}}'\n", "s = f'{f(\"b\", a)!r:>{w}}'\n"),
    ],
)
def test_forms_of_syntax_are_understood(name, source, expected):
    assert expected in mutants(source, name)


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("lower_integer", "x = 3j\n"),
        ("negate_condition", "if not a:\n    x = 1\n"),
        ("negate_condition", "if a == 1:\n    x = 1\n"),
        ("remove_assignment", "x = 1\n"),
        ("swap_statements", "def f(a):\n    b = a\n    c = b\n"),
        ("swap_statements", "x = 1\ny = 2\n"),
        ("shift_index", "x = table[name]\n"),
        ("swap_arguments", "f(a, a)\n"),
        ("swap_elements", "x = [1, 2, 3, 4, 5]\n"),
        ("swap_elements", "x = y in (1, 2) or isinstance(y, (int, str))\n"),
        ("drop_handler", "try:\n    x = 1\nexcept OSError:\n    x = 2\n"),
        ("indent_into_loop", "for i in a: x = 1\ny = 2\n"),
    ],
)
def test_changes_that_would_be_noise_are_left_out(name, source):
    assert mutants(source, name) == []


@pytest.mark.parametrize(
    "source",
    [
        "def f(a):\n    'return 1 + 1'\n",
        "def f(a: 'int' = None, *b: tuple[1, 2]) -> list[3]:\n    x: dict[4, 5]\n",
        "import a.b as c\nfrom d import e\n__all__ = ['a', 'b']\n__version__ = '1.2'\nversion = 3\n",
        "if TYPE_CHECKING:\n    x = 1 + 2\n",
        "@decorate(1, 2, key=True)\nclass A(B, metaclass=M): ...\n",
        "logger.debug('%s', 1, 2)\nself.log.info('a', 1)\nwarnings.warn('a', stacklevel=2)\n",
        "x = 1 + 2  # pragma: no mutate\n",
        "type X = list[1, 2]\n" if hasattr(ast, "TypeAlias") else "x: list[1]\n",
    ],
)
def test_protected_code_has_no_sites(source):
    assert enumerate_sites("m.py", source.encode(), module_level=True) == ()


def test_code_outside_functions_is_left_alone_in_a_library_and_not_in_a_script():
    source = b"LIMIT = 3 + 4\nclass A:\n    size = 5\nif __name__ == '__main__':\n    print(LIMIT + 1)\n"
    assert enumerate_sites("m.py", source) == ()
    lines = {site.line for site in enumerate_sites("m.py", source, module_level=True)}
    assert lines == {1, 3, 5}


def test_a_document_names_its_scopes():
    source = b"class A:\n    def f(self):\n        def g():\n            return 1\n"
    document = Document("m.py", source)
    assert [scope.name for scope in document.scopes] == ["A", "A.f", "A.f.g"]
    assert [scope.in_function for scope in document.scopes] == [False, True, True]


def test_an_integer_that_nobody_can_write_is_said():
    with pytest.raises(MutationError, match="more digits than Python writes"):
        mutate_source(f"def f(x):\n    return x + 0x{'f' * 9000}\n", limit=4, run_seed=1, record_id="x")


@pytest.mark.parametrize("name", ["rot13", "nonsense", "utf-7"])
def test_a_text_that_names_an_encoding_is_mutated_like_any_other(name):
    source = f"# -*- coding: {name} -*-\ndef f(x):\n    return x + 1\n"
    assert mutate_source(source, limit=4, run_seed=1, record_id="x")
