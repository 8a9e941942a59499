"""Code as tokens, without a parser: comments and docstrings go, every token knows where it stood.

Below shingles, which hash the tokens. A regular expression reads any language well enough for comparison and gives
the same tokens on every Python version, also for code that doesn't parse. Method: own.
"""

import re
from dataclasses import dataclass

_LEXEME = r"""
 (?P<string>[rRbBuUfF]{0,2}(?:
    \"\"\"(?:\\.|[^\\])*?\"\"\"|'''(?:\\.|[^\\])*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'))
|(?P<word>[^\W\d]\w*)|(?P<number>\d[\w.]*)|(?P<symbol>[^\s\w])
"""
_HASH_COMMENTS = re.compile(r"(?P<comment>\#[^\n]*)|" + _LEXEME, re.VERBOSE | re.DOTALL)
_SLASH_COMMENTS = re.compile(r"(?P<comment>//[^\n]*|/\*.*?\*/)|" + _LEXEME, re.VERBOSE | re.DOTALL)
_PIECE = re.compile(r"[^\W\d]\w*|\d[\w.]*|[^\s\w]")
_PYTHON_HINT = re.compile(
    r"^\s*(?:def|class)\s+\w+.*:|^\s*(?:from\s+\S+\s+)?import\s+\w+\s*(?:,.*|as.*)?$", re.MULTILINE
)
_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+[\w.]+[ \t]+import[ \t]*(?:\([^)]*\)|[^\n(]*)|import[ \t]+[\w., \t]+)$", re.MULTILINE
)
_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeTokens:
    """Tokens in order; token ``i`` stood at ``source[starts[i]:ends[i]]``."""

    texts: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def select(self, keep: list[int]) -> "CodeTokens":
        """Return the tokens at these indices, in the given order."""
        return CodeTokens(
            texts=tuple(self.texts[i] for i in keep),
            starts=tuple(self.starts[i] for i in keep),
            ends=tuple(self.ends[i] for i in keep),
        )


def has_hash_comments(source: str) -> bool:
    """Return whether the source looks like a language whose comments start with ``#``."""
    if _PYTHON_HINT.search(source):
        return True
    return not ("{" in source and ";" in source)


def _is_docstring(source: str, match: re.Match[str], previous: str) -> bool:
    """Return whether a string literal is a statement of its own that does nothing."""
    line_start = source.rfind("\n", 0, match.start()) + 1
    line_end = source.find("\n", match.end())
    rest = source[match.end() : line_end if line_end >= 0 else len(source)]
    if source[line_start : match.start()].strip() or rest.strip().partition("#")[0]:
        return False
    return match.group().lstrip("rRbBuUfF").startswith(('"""', "'''")) or previous in {"", ":"}


def lex_code(source: str) -> CodeTokens:
    """Return the tokens of a source text in any language, without comments and docstrings.

    A string literal becomes a quote, the words and symbols inside it, and a quote, so that a change of quotes or of
    the literal's prefix changes nothing.

    Cost: linear, about one microsecond a token.
    """
    texts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []

    def put(text: str, start: int, end: int) -> None:
        texts.append(text)
        starts.append(start)
        ends.append(end)

    pattern = _HASH_COMMENTS if has_hash_comments(source) else _SLASH_COMMENTS
    for match in pattern.finditer(source):
        if match.lastgroup == "comment":
            continue
        if match.lastgroup != "string":
            put(match.group(), match.start(), match.end())
            continue
        if _is_docstring(source, match, texts[-1] if texts else ""):
            continue
        literal = match.group()
        body = literal.lstrip("rRbBuUfF")
        width = 3 if len(body) >= 6 and body[:3] in {'"""', "'''"} else 1
        inner_start = match.end() - len(body) + width
        put('"', match.start(), inner_start)
        for piece in _PIECE.finditer(source, inner_start, match.end() - width):
            put(piece.group(), piece.start(), piece.end())
        put('"', match.end() - width, match.end())
    return CodeTokens(texts=tuple(texts), starts=tuple(starts), ends=tuple(ends))


def _end_of_annotation(texts: tuple[str, ...], index: int, stop: frozenset[str]) -> int:
    """Return the index of the first stop token outside of brackets, from ``index`` on."""
    depth = 0
    while index < len(texts):
        text = texts[index]
        if depth == 0 and text in stop:
            return index
        depth += (text in _OPEN) - (text in _CLOSE)
        index += 1
    return index


def _header_tokens(texts: tuple[str, ...], index: int, keep: list[int]) -> int:
    """Keep a ``def`` header that starts at ``index`` without its annotations; return the index behind it."""
    depth = 0
    while index < len(texts):
        text = texts[index]
        if text == ":" and depth == 1:
            index = _end_of_annotation(texts, index + 1, frozenset(",=)"))
            continue
        keep.append(index)
        depth += (text in _OPEN) - (text in _CLOSE)
        index += 1
        if depth == 0 and text == ")":
            break
    if texts[index : index + 2] == ("-", ">"):
        return _end_of_annotation(texts, index + 2, frozenset(":"))
    return index


def plain_tokens(tokens: CodeTokens) -> CodeTokens:
    """Return the tokens without the annotations in ``def`` headers, which a copy drops or adds at will."""
    keep: list[int] = []
    index, texts = 0, tokens.texts
    while index < len(texts):
        keep.append(index)
        index += 1
        if texts[index - 1] == "def" and texts[index + 1 : index + 2] == ("(",):
            keep.append(index)
            index = _header_tokens(texts, index + 1, keep)
    return tokens.select(keep)


def blank_imports(source: str) -> str:
    """Return the source with Python import statements overwritten by blanks; every offset stays the same."""
    return _IMPORT.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), source)


def count_code_lines(source: str) -> int:
    """Return the number of lines that hold code: neither blank, nor comment, nor docstring."""
    tokens = lex_code(source)
    lines: set[int] = set()
    line, at = 0, 0
    for start, end in zip(tokens.starts, tokens.ends, strict=True):
        line += source.count("\n", at, start)
        at = start
        lines.update(range(line, line + source.count("\n", start, end) + 1))
    return len(lines)
