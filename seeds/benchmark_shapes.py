"""The published shapes of benchmark rows, and the item that each row is.

A shape is recognised by the fields that it requires, the first that fits. Calls in tests are encoded as in test cases,
arguments by position, so that equal examples are equal text. Sources: the papers of HumanEval, MBPP, CRUXEval,
MultiPL-E, SWE-bench, APPS, TACO and LeetCodeDataset; the exercise repositories of Exercism; own.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from schemas.benchmark import BenchmarkItem
from schemas.candidate import Parameter
from schemas.syntax import parse_expression
from schemas.values import EncodingError, encode_call, encode_text
from seeds.assert_shapes import AssertedCall
from seeds.asserts import called_functions, defined_functions, parse_asserts
from seeds.examples import encode_pending, read_call
from seeds.fields import Fields
from seeds.literals import NotLiteralError, evaluate
from seeds.own_format import read_case
from seeds.python_source import find_function, parse_module, read_header, read_parameters


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """One kind of benchmark row."""

    name: str
    required: tuple[str, ...]
    """Fields by which it is recognised."""
    read: Callable[[Fields], Iterator[BenchmarkItem]]
    """Items of a row; ``benchmark`` is filled in by the reader."""


def _item(
    item_id: str,
    statement: str = "",
    *,
    solutions: tuple[str, ...] = (),
    io_pairs: tuple[tuple[str, str], ...] = (),
    repo: str = "",
) -> BenchmarkItem:
    kept = tuple(source for source in solutions if source.strip())
    return BenchmarkItem(
        benchmark="", item_id=item_id, statement=statement, solutions=kept, io_pairs=io_pairs, repo=repo
    )


def _asserted_pairs(code: str, entry_point: str, solution: str) -> tuple[tuple[str, str], ...]:
    """Return the encoded calls and values of assert-style test code; nothing when it can't be parsed."""
    module = parse_module(solution)
    node = find_function(module, entry_point) if module else None
    parameters = read_parameters(node) if node else ()
    parsed = parse_asserts(code, entry_point)
    return tuple(pair for call in parsed.calls if (pair := _encode_pair(call, parameters)) is not None)


def _encode_pair(call: AssertedCall, parameters: tuple[Parameter, ...]) -> tuple[str, str] | None:
    try:
        return encode_pending(call.call, parameters), encode_text(call.expected)
    except EncodingError:
        return None


def _humaneval(fields: Fields) -> Iterator[BenchmarkItem]:
    prompt, entry_point = fields.text("prompt"), fields.text("entry_point")
    solution = prompt + fields.text("canonical_solution")
    pairs = _asserted_pairs(fields.text("test"), entry_point, solution)
    yield _item(fields.label("task_id"), prompt, solutions=(solution,), io_pairs=pairs)


def _mbpp(fields: Fields) -> Iterator[BenchmarkItem]:
    code, asserts = fields.text("code"), fields.texts("test_list")
    tests = "\n".join([*asserts, *fields.texts("challenge_test_list", [])])
    module = parse_module(code)
    called = called_functions(tests, defined_functions(module)) if module else ()
    pairs = _asserted_pairs(tests, called[0], code) if called else ()
    statement = fields.text("text" if fields.has("text") else "prompt")
    yield _item(fields.label("task_id"), statement, solutions=(code,), io_pairs=pairs)


def _cruxeval(fields: Fields) -> Iterator[BenchmarkItem]:
    call = read_call(f"f({fields.text('input')})", "f", ())
    pairs: tuple[tuple[str, str], ...] = ()
    try:
        expected = encode_text(evaluate(parse_expression(fields.text("output"))))
        pairs = ((call, expected),) if call else ()
    except (SyntaxError, ValueError, NotLiteralError):
        pairs = ()
    yield _item(fields.label("id"), solutions=(fields.text("code"),), io_pairs=pairs)


def _multipl_e(fields: Fields) -> Iterator[BenchmarkItem]:
    yield _item(f"{fields.label('name')}.{fields.text('language')}", fields.text("prompt"))


def _poly_humaneval(fields: Fields) -> Iterator[BenchmarkItem]:
    language = fields.text("key")
    for name, source in fields.nested("solutions").row.items():
        if not isinstance(source, str):
            raise fields.wrong_type(f"solutions.{name}", source, "text")
        yield _item(f"{name}.{language}", solutions=(source,))


def _rephrased(fields: Fields) -> Iterator[BenchmarkItem]:
    text = fields.text("text")
    yield _item(f"{fields.label('task_id')}.{fields.text('rephrase')}", text, solutions=(text,))


def _swebench(fields: Fields) -> Iterator[BenchmarkItem]:
    patch = (fields.text("patch", ""),)
    statement, repo = fields.text("problem_statement"), fields.text("repo")
    yield _item(fields.label("instance_id"), statement, solutions=patch, repo=repo)


def _apps_io(fields: Fields) -> Iterator[BenchmarkItem]:
    """Rows with APPS's JSON of inputs and outputs; the other fields of the full rows are taken when there."""
    content = fields.json_text("input_output")
    tests = fields.wrap("input_output", content) if content else None
    solutions = fields.json_text("solutions") if fields.has("solutions") else []
    sources = Fields({"solutions": solutions or []}, fields.place).texts("solutions")
    pairs = _stream_pairs(tests) if tests else ()
    yield _item(fields.label("problem_id"), fields.text("question", ""), solutions=sources[:4], io_pairs=pairs)


def _stream_pairs(tests: Fields) -> tuple[tuple[str, str], ...]:
    called = tests.has("fn_name")
    pairs = []
    for given, wanted in zip(tests.items("inputs", []), tests.items("outputs", []), strict=False):
        if isinstance(given, str) and isinstance(wanted, str) and not called:
            pairs.append((given, wanted))
        elif called and isinstance(given, list):
            unwrapped = wanted[0] if isinstance(wanted, list) and len(wanted) == 1 else wanted
            try:
                pairs.append((encode_call(given, {}), encode_text(unwrapped)))
            except EncodingError:
                continue
    return tuple(pairs)


def _leetcode(fields: Fields) -> Iterator[BenchmarkItem]:
    entry_point, starter = fields.text("entry_point"), fields.text("starter_code", "")
    node = read_header(starter, entry_point)
    parameters = read_parameters(node) if node else ()
    parsed = parse_asserts(fields.text("test", ""), entry_point)
    pairs = tuple(pair for call in parsed.calls if (pair := _encode_pair(call, parameters)) is not None)
    statement, solution = fields.text("problem_description"), fields.text("completion")
    yield _item(fields.label("task_id"), statement, solutions=(solution,), io_pairs=pairs)


def _statement_only(fields: Fields) -> Iterator[BenchmarkItem]:
    yield _item(fields.label("task_id"), fields.text("question"))


def _exercism_practice(fields: Fields) -> Iterator[BenchmarkItem]:
    example = _texts_of(fields.nested("example", {}).row)
    item_id = f"{fields.text('track')}/{fields.text('slug')}"
    yield _item(item_id, fields.text("instructions"), solutions=example)


def _texts_of(files: Mapping[str, object]) -> tuple[str, ...]:
    return tuple(str(files[name]) for name in sorted(files))


def _exercism_canonical(fields: Fields) -> Iterator[BenchmarkItem]:
    """The data of one exercise: its cases are inputs by name and the value that is expected."""
    data = fields.nested("canonical_data")
    pairs: list[tuple[str, str]] = []
    _collect_cases(data.items("cases", []), pairs)
    yield _item(fields.text("slug"), io_pairs=tuple(pairs))


def _collect_cases(cases: list[object], pairs: list[tuple[str, str]]) -> None:
    for case in cases:
        if not isinstance(case, dict):
            continue
        inner, given = case.get("cases"), case.get("input")
        if isinstance(inner, list):
            _collect_cases(inner, pairs)
        elif isinstance(given, dict) and "expected" in case:
            try:
                pairs.append((encode_call((), given), encode_text(case["expected"])))
            except EncodingError:
                continue


def _own(fields: Fields) -> Iterator[BenchmarkItem]:
    """Rows ``{id, statement, solution | solutions, tests, io}`` of docs/bank-format.md."""
    solutions = fields.texts("solutions", [])
    if fields.has("solution"):
        solutions = (fields.text("solution"), *solutions)
    pairs = _own_pairs(fields)
    tests = "\n".join(fields.texts("tests", []))
    module = parse_module(solutions[0]) if solutions else None
    called = called_functions(tests, defined_functions(module)) if module else ()
    if called:
        pairs += _asserted_pairs(tests, called[0], solutions[0])
    yield _item(fields.label("id"), fields.text("statement"), solutions=solutions, io_pairs=pairs)


def _own_pairs(fields: Fields) -> tuple[tuple[str, str], ...]:
    pairs = []
    for index, item in enumerate(fields.items("io", [])):
        row = fields.wrap(f"io[{index}]", item)
        pair = (row.text("input"), row.text("output")) if row.has("input") else _encode_pair(read_case(row), ())
        if pair is not None:
            pairs.append(pair)
    return tuple(pairs)


SHAPES = (
    Shape(
        name="humaneval", required=("task_id", "prompt", "entry_point", "canonical_solution", "test"), read=_humaneval
    ),
    Shape(name="mbpp", required=("task_id", "code", "test_list"), read=_mbpp),
    Shape(name="cruxeval", required=("id", "code", "input", "output"), read=_cruxeval),
    Shape(name="multipl_e", required=("name", "language", "prompt", "tests"), read=_multipl_e),
    Shape(name="poly_humaneval", required=("key", "solutions"), read=_poly_humaneval),
    Shape(name="humaneval_rephrased", required=("task_id", "rephrase", "text"), read=_rephrased),
    Shape(name="swebench", required=("instance_id", "repo", "problem_statement"), read=_swebench),
    Shape(name="apps", required=("problem_id", "input_output"), read=_apps_io),
    Shape(name="leetcode", required=("task_id", "problem_description", "entry_point", "completion"), read=_leetcode),
    Shape(name="exercism_practice", required=("track", "slug", "instructions"), read=_exercism_practice),
    Shape(name="exercism_canonical", required=("slug", "canonical_data"), read=_exercism_canonical),
    Shape(name="statements", required=("task_id", "question"), read=_statement_only),
    Shape(name="taskfoundry", required=("id", "statement"), read=_own),
)
"""In the order in which they are tried."""
