"""Tasks that clients send, as rows or ground truths: refused with the name of the column that is none of ours.

What nobody could judge is the client's to mend, so it is told here and not found out by a sandbox that fails: a suite
without tests, a path that leads elsewhere, an entry point that is no expression. Method: own.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import Any

from schemas.candidate import Candidate, Suite, TaskStyle
from schemas.canonical import is_unicode
from schemas.errors import SchemaError
from schemas.ground_truth import read_ground_truth
from schemas.proven import Proven
from schemas.row_reading import from_row
from schemas.syntax import parse_expression, parse_source

MOST_CASES = 10_000
"""Test cases of a task; the answer has a line for each."""
_WORDS = 300
_LEVELS = 8
_PATH_BYTES, _PART_BYTES = 1024, 255


class _Columns(Mapping[str, Any]):
    """A row that remembers which column was read last, since that is the one at fault."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self._row = row
        self.last = "schema_version"

    def __getitem__(self, name: str) -> Any:
        self.last = name
        return self._row[name]

    def get(self, name: str, default: Any = None) -> Any:
        """Return a column without remembering it: messages name the task so."""
        return self._row.get(name, default)

    def __iter__(self) -> Iterator[str]:
        return iter(self._row)

    def __len__(self) -> int:
        return len(self._row)


def read_row(row: Mapping[str, Any]) -> Proven:
    """Return the task of a row.

    Raises:
        SchemaError: it isn't one of ours; the message names the column.
    """
    if deep := [name for name, value in row.items() if _is_deep(value)]:
        raise SchemaError(f"column {deep[0]!r:.80} is nested too deeply")
    columns = _Columns(row)
    try:
        return from_row(columns).proven
    except (SchemaError, TypeError, OverflowError, RecursionError) as error:
        raise SchemaError(f"column {columns.last!r}: {str(error)[:_WORDS]}") from error


def _is_deep(value: Any) -> bool:
    """Return whether lists and objects of a JSON value lie in one another deeper than those of any column."""
    level = [value]
    for _ in range(_LEVELS):
        level = [inner for each in level if isinstance(each, list | dict) for inner in _list_parts(each)]
    return bool(level)


def _list_parts(value: list[Any] | dict[str, Any]) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value


def read_truth(text: str, task_id: str) -> Proven:
    """Return the task of a ground truth.

    Raises:
        SchemaError: it wasn't written by us.
    """
    try:
        return read_ground_truth(text, task_id=task_id)
    except (SchemaError, TypeError, OverflowError, RecursionError) as error:
        raise SchemaError(f"ground_truth: {str(error)[:_WORDS]}") from error


def check_parts(task: Proven) -> None:
    """Accept a task, with fields of the right types, that somebody could solve.

    Raises:
        SchemaError: nobody could; the message names the field.
    """
    candidate = task.candidate
    if len(task.tests) > MOST_CASES:
        raise SchemaError(
            f"public_tests and hidden_tests: {len(task.tests):,} cases; at most {MOST_CASES:,} are judged"
        )
    if candidate.style is TaskStyle.SUITE:
        if candidate.suite is None:
            raise SchemaError("suite_json: a suite task without a suite")
        _check_suite(candidate.suite)
        _check_python("reference_solution", candidate.reference)
    elif candidate.style is TaskStyle.FUNCTION:
        _check_entry(candidate)
    if candidate.signature is not None and candidate.language == "python":
        _check_python("signature_json: preamble", candidate.signature.preamble or "pass")


def _check_suite(suite: Suite) -> None:
    paths = [*(file.path for file in suite.files), suite.solution_path]
    for path in paths:
        _check_path(path)
    if len(set(paths)) < len(paths):
        raise SchemaError("suite_json: a path stands there twice")
    folders = {str(parent) for path in paths for parent in PurePosixPath(path).parents}
    if both := sorted(folders.intersection(paths)):
        raise SchemaError(f"suite_json: {both[0]!r:.100} is a folder and a file")
    code = [file for file in suite.files if file.path.endswith(".py") and not file.path.endswith("conftest.py")]
    if not code:
        raise SchemaError("suite_json: files hold no test module")
    for file in code:
        _check_python(f"suite_json: {file.path[:100]!r}", file.content)


def _check_path(path: str) -> None:
    parts = path.split("/")
    is_inside = not {"", ".", ".."}.intersection(parts) and "\0" not in path and is_unicode(path)
    if not is_inside or len(path.encode()) > _PATH_BYTES or max(len(part.encode()) for part in parts) > _PART_BYTES:
        raise SchemaError(f"suite_json: {path[:100]!r} is no path of a file beside the solution")


def _check_entry(candidate: Candidate) -> None:
    if candidate.signature is None:
        raise SchemaError("signature_json: a function task without a signature")
    if candidate.language == "python":
        with _naming("signature_json: entry_point"):
            parse_expression(candidate.signature.entry_point)


def _check_python(name: str, source: str) -> None:
    """Accept a module that Python can parse and that does something."""
    with _naming(name):
        body = parse_source(source).body
    if not body:
        raise SchemaError(f"{name} is empty")


@contextmanager
def _naming(name: str) -> Iterator[None]:
    """Say of source that Python can't parse where it stands.

    Raises:
        SchemaError: it can't.
    """
    try:
        yield
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise SchemaError(f"{name} is no Python: {str(error)[:_WORDS]}") from error
