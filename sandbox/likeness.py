"""In which harmless way two different outputs are alike: order, last digits, blanks, letter case.

Used for refusals: a task whose right answers differ only so has the wrong checker. Method: own.
"""

from sandbox.checkers import compare
from schemas.candidate import Checker, CheckerName, TaskStyle
from schemas.errors import SchemaError

_CLOSE = 1e-6
_LOOSER = {
    TaskStyle.FUNCTION: (
        (Checker(name=CheckerName.UNORDERED), "equal but for the order of items"),
        (Checker(name=CheckerName.FLOAT, rel_tol=_CLOSE, abs_tol=_CLOSE), "equal within 1e-6"),
        (Checker(name=CheckerName.TOKENS_CASELESS), "equal but for blanks and letter case"),
    ),
    TaskStyle.STDIN: (
        (Checker(name=CheckerName.TOKENS), "equal but for blanks"),
        (Checker(name=CheckerName.TOKENS_FLOAT, rel_tol=_CLOSE, abs_tol=_CLOSE), "equal within 1e-6"),
        (Checker(name=CheckerName.TOKENS_CASELESS), "equal but for blanks and letter case"),
        (Checker(name=CheckerName.UNORDERED), "equal but for the order of lines"),
    ),
}


def describe_likeness(style: TaskStyle, expected: str, actual: str) -> str:
    """Return in words under which looser comparison two different outputs are equal; empty for none."""
    try:
        return next(
            (words for checker, words in _LOOSER.get(style, ()) if compare(checker, style, expected, actual)), ""
        )
    except SchemaError:
        return ""
