"""The chat messages that a trainer sends: statement, what to write, and the public examples.

Made when a task becomes a row. Nothing hidden enters it: no hidden test, no reference, no patch. Method: own.
"""

import json

from schemas.candidate import Candidate, Signature, TaskStyle, TestCase
from schemas.errors import SchemaError
from schemas.model import Message
from schemas.proven import Proven
from schemas.python_text import show_value
from schemas.values import decode_call, decode_value

_SHOWN = 3
_FORMAT = {
    TaskStyle.FUNCTION: "Write a Python 3 function `{entry}`. Answer with one fenced Python code block.",
    TaskStyle.SUITE: "Write the Python 3 module that the statement asks for. Answer with one fenced Python code block.",
    TaskStyle.STDIN: (
        "Write a Python 3 program that reads standard input and writes standard output. "
        "Answer with one fenced Python code block."
    ),
    TaskStyle.REPOSITORY: "Fix the repository. Answer with one unified diff that `git apply` takes, in a fenced block.",
}


def render_signature(signature: Signature) -> str:
    """Return ``def name(a: int, b: int = 0) -> int`` for a signature."""
    parts = []
    for parameter in signature.parameters:
        text = parameter.name + (f": {parameter.annotation}" if parameter.annotation else "")
        if parameter.default:
            text += f" = {parameter.default}" if parameter.annotation else f"={parameter.default}"
        parts.append(text)
    name = signature.entry_point.rsplit(".", 1)[-1]
    arrow = f" -> {signature.returns}" if signature.returns else ""
    return f"def {name}({', '.join(parts)}){arrow}"


def render_call(case: TestCase, entry_point: str) -> str:
    """Return a function-style case as a person writes it: ``f(1, key=2) -> 3``."""
    args, kwargs = decode_call(case.input)
    shown = [show_value(value) for value in args] + [f"{name}={show_value(value)}" for name, value in kwargs.items()]
    expected = decode_value(json.loads(case.expected)) if case.expected else None
    return f"{entry_point}({', '.join(shown)}) -> {show_value(expected)}"


def _render_examples(candidate: Candidate, cases: tuple[TestCase, ...]) -> str:
    shown = cases[:_SHOWN]
    if not shown:
        return ""
    if candidate.style is TaskStyle.STDIN:
        blocks = [f"Input:\n```\n{c.input.rstrip()}\n```\nOutput:\n```\n{c.expected.rstrip()}\n```" for c in shown]
        return "\n\n## Examples\n\n" + "\n\n".join(blocks)
    entry = candidate.signature.entry_point if candidate.signature else "solve"
    lines = "\n".join(render_call(case, entry) for case in shown)
    return f"\n\n## Examples\n\n```\n{lines}\n```"


def build_prompt(proven: Proven) -> tuple[Message, ...]:
    """Return the messages for one task: a single user message.

    Raises:
        SchemaError: a function task has no signature.
    """
    candidate = proven.candidate
    if candidate.style is TaskStyle.FUNCTION and candidate.signature is None:
        raise SchemaError(f"{candidate.record_id}: a function task needs a signature")
    entry = candidate.signature.entry_point if candidate.signature else ""
    text = candidate.statement.strip()
    if candidate.style in {TaskStyle.FUNCTION, TaskStyle.SUITE} and candidate.signature is not None:
        code = candidate.starter_code.rstrip() or render_signature(candidate.signature) + ":"
        text += f"\n\n```python\n{code}\n```"
    text += _render_examples(candidate, tuple(case for case in proven.tests if case.public))
    text += "\n\n" + _FORMAT[candidate.style].format(entry=entry)
    return (Message(role="user", content=text),)
