"""The issue text of a repository task, written from what its tests say and from nothing else.

Symptom level: which behaviours fail, how, and one failing call. The patch, the commit and the place of the bug are
never named; a sentence that holds a line of the patch is left out. Method: own.
"""

import ast
import re
import textwrap
from collections.abc import Sequence
from pathlib import Path

from sandbox.masking import mask_addresses
from sandbox.suite_results import TestResult
from schemas.syntax import parse_source

MAX_BEHAVIOURS = 5
MAX_CALL_LINES = 12
MIN_LEAK_CHARS = 12
_PLACE = re.compile(r"\S*/\S+\.py(:\d+)?|[\w.-]+\.py:\d+|line \d+")
_TASK = (
    "Find the cause in the source code and fix it, so that all of this works again and nothing else breaks. The tests "
    "are right as they are; don't change them.\n"
)
_HINT = "Use -v to get more diff"


def describe_failure(
    repository: str, failures: Sequence[TestResult], tree: Path, *, secrets: Sequence[str] = ()
) -> str:
    """Return the statement of a task whose failing tests are known.

    Args:
        repository: the name that the text uses.
        failures: failing tests in a stable order, with their messages.
        tree: healthy tree, for the source of the failing tests.
        secrets: patches and ids; no line of them of 12 characters or more stands in the text.
    """
    shown = _pick(failures)
    lines = [f"Something in `{repository}` doesn't behave as its tests describe.", "", "What goes wrong:", ""]
    lines += [f"- {_behaviour(failure.node_id)}{_symptom(failure, secrets)}" for failure in shown]
    if len(failures) > len(shown):
        lines.append(f"- and {len(failures) - len(shown)} further checks of the same kind")
    call = next(filter(None, (_failing_call(failure, tree, secrets) for failure in shown)), "")
    if call:
        lines += ["", "One of the calls that fail:", "", "```python", call, "```"]
    return "\n".join([*lines, "", _TASK])


def holds_secret(text: str, secrets: Sequence[str]) -> bool:
    """Return whether a text holds a changed line (12 characters or more) of a patch, or an id of 12 or more."""
    return any(line in text for secret in secrets for line in _secret_lines(secret))


def _secret_lines(secret: str) -> list[str]:
    lines = secret.splitlines()
    changed = [line[1:] for line in lines if line[:1] in {"+", "-"} and not line.startswith(("+++", "---"))]
    return [line.strip() for line in (changed if len(lines) > 1 else lines) if len(line.strip()) >= MIN_LEAK_CHARS]


def _pick(failures: Sequence[TestResult]) -> list[TestResult]:
    """Return up to five failures of different test functions, in their order."""
    by_function: dict[str, TestResult] = {}
    for failure in failures:
        by_function.setdefault(failure.node_id.split("[", 1)[0], failure)
    return list(by_function.values())[:MAX_BEHAVIOURS]


def _behaviour(node_id: str) -> str:
    path, _, rest = node_id.partition("::")
    function, bracket, parameters = rest.partition("[")
    topic = Path(path).stem.removeprefix("test_").removesuffix("_test").replace("_", " ")
    name = function.rsplit("::", 1)[-1]
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).removeprefix("test").strip("_").replace("_", " ").lower()
    case = f" (case `{parameters.removesuffix(']')}`)" if bracket else ""
    return f"**{topic}**: {words or 'its only check'}{case}"


def _symptom(failure: TestResult, secrets: Sequence[str]) -> str:
    kept = []
    for line in failure.message.splitlines():
        clean = _PLACE.sub("...", mask_addresses(line)).rstrip()
        if clean.strip() and _HINT not in clean:
            kept.append(clean)
    text = "\n".join(kept[:6])
    if not text or holds_secret(text, secrets):
        return ""
    return ":\n\n" + textwrap.indent(text, "      ") + "\n"


def _failing_call(failure: TestResult, tree: Path, secrets: Sequence[str]) -> str:
    """Return the body of the test function up to its first check, or nothing when it can't be shown."""
    path, _, rest = failure.node_id.partition("::")
    try:
        module = parse_source((tree / path).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return ""
    name = rest.split("[", 1)[0].rsplit("::", 1)[-1]
    found = [node for node in ast.walk(module) if isinstance(node, ast.FunctionDef) and node.name == name]
    if len(found) != 1:
        return ""
    statements = [node for node in found[0].body if not _is_docstring(node)]
    text = "\n".join(ast.unparse(node) for node in statements)
    if text.count("\n") >= MAX_CALL_LINES or holds_secret(text, secrets):
        return ""
    return text


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
