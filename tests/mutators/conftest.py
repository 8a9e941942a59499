"""Files that trip mutation tools (line ends, encodings, odd white space, new syntax), and a folder for git."""

import subprocess
from pathlib import Path

import pytest

PLAIN = '''import sys


class Stack(list):
    """A stack."""

    limit = 0b101

    def push(self, item, *, times=1):
        text = """first
flush-left line
    indented line
"""
        for _ in range(times):
            if len(self) >= self.limit or item is None:
                raise ValueError("full: " + text.strip())
            self.append(item)
        return len(self), self.limit

    @property
    def top(self):
        return self[-1] if self else None

    @staticmethod
    async def drain(source, limit=0o17):
        taken = []
        async for item in source:
            if (size := len(taken)) >= limit:
                break
            taken.append(f"{item!r:>{size + 1}}")
        return taken[1:-1]


def classify(value, default="none"):
    match value:
        case [first, *rest] if first > 0:
            kind = "list"
        case {"kind": str(kind)} | (kind, _):
            kind = kind.lower()
        case _:
            kind = default

    def inner(step=2):
        nonlocal kind
        kind = kind + "x" * step
        return kind

    try:
        return inner(), {k: v for k, v in enumerate(kind) if v != "a"}
    except (TypeError, KeyError) as error:
        raise RuntimeError(kind) from error
    finally:
        value = None
'''

_LATIN = "# -*- coding: latin-1 -*-\n# caf\u00e9\n" + PLAIN.replace("full: ", "pl\u00e9in: ")

CORPUS = {
    "plain.py": PLAIN.encode(),
    "crlf.py": PLAIN.replace("\n", "\r\n").encode(),
    "no_final_newline.py": PLAIN.rstrip("\n").encode(),
    "ends_in_comment.py": (PLAIN + "# the end").encode(),
    "form_feed.py": PLAIN.replace("\n\nclass", "\n\n\x0c\nclass").replace("\ndef ", "\n\x0cdef ").encode(),
    "line_separator.py": PLAIN.replace("full: ", "full\u2028\u0085\x0b\x1c: ").encode(),
    "bom.py": b"\xef\xbb\xbf" + PLAIN.encode(),
    "bom_crlf.py": b"\xef\xbb\xbf" + PLAIN.replace("\n", "\r\n").encode(),
    "latin_1.py": _LATIN.encode("latin-1"),
    "latin_1_crlf.py": _LATIN.replace("\n", "\r\n").encode("latin-1"),
    "shift_jis.py": ("# coding: shift_jis\n# \u65e5\u672c\n" + PLAIN.replace("full", "\u65e5\u672c\u8a9e")).encode(
        "shift_jis"
    ),
    "wide.py": PLAIN.replace("full", "\U0001f40d\u00e9\u65e5").encode(),
    "tabs.py": PLAIN.replace("    ", "\t").encode(),
    "with blanks/\u00fc n.py": PLAIN.encode(),
}
"""Bytes by path; each compiles."""


class Tree:
    """A folder that real `git apply` runs in."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def write(self, path: str, data: bytes) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)

    def read(self, path: str) -> bytes:
        return (self.root / path).read_bytes()

    def apply(self, patch: str, *options: str) -> None:
        done = subprocess.run(
            ["git", "apply", "--whitespace=nowarn", *options, "-"],
            input=patch.encode("utf-8"),
            cwd=self.root,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode("utf-8", "replace")


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


@pytest.fixture
def plain() -> str:
    """The text that all files of the corpus share."""
    return PLAIN


@pytest.fixture
def corpus() -> dict[str, bytes]:
    return CORPUS


@pytest.fixture(params=list(CORPUS))
def nasty(request: pytest.FixtureRequest) -> tuple[str, bytes]:
    """One file of the corpus after the other: path and bytes."""
    return request.param, CORPUS[request.param]
