"""Text and code as sets of 64-bit shingle hashes.

Deduplication and decontamination compare these sets. Three kinds: word n-grams of prose, n-grams of code tokens, and
code windows whose identifiers are numbered inside each window, so that renaming changes nothing and an inserted name
disturbs only the windows that hold it. Hashes are XXH3 of tokens combined by a polynomial, the same on every machine.
Method: own; n-gram overlap after GPT-3 (arXiv 2005.14165, appendix C), shingles after Broder 1997.
"""

import keyword
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import xxhash

from transforms.curation.lexing import blank_imports, lex_code, plain_tokens

Hashes = npt.NDArray[np.uint64]

WORD_NGRAM = 10
CODE_WINDOW = 7

_IDEOGRAPHS = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af"
_WORD = re.compile(f"[{_IDEOGRAPHS}]|[^\\W_{_IDEOGRAPHS}]+")
_SYMBOL = re.compile(r"\w+|[^\w\s]")
_TRAILING_BLANKS = re.compile(r"[ \t]+$", re.MULTILINE)
_BUILTINS = (
    "abs all any bin bool bytes callable chr dict dir divmod enumerate filter float format frozenset getattr hasattr "
    "hash hex id input int isinstance issubclass iter len list map max min next object oct open ord pow print range "
    "repr reversed round set setattr slice sorted str sum super tuple type zip Exception ValueError TypeError KeyError "
    "IndexError StopIteration RuntimeError self cls"
)
_FIXED_NAMES = frozenset(keyword.kwlist) | frozenset(_BUILTINS.split())
_METHODS = (
    "add append appendleft clear copy count discard endswith extend find get index insert isalnum isalpha isdigit "
    "islower isupper items join keys lower lstrip pop popitem popleft remove replace reverse rstrip setdefault "
    "sort split splitlines startswith strip title union update upper values"
)
_FIXED_METHODS = frozenset(_METHODS.split())
_POWERS: Hashes = np.array([pow(0x9E3779B97F4A7C15, k + 1, 1 << 64) for k in range(64)], dtype=np.uint64)
_IDENTIFIER_SALT = np.uint64(0x1D0_0000_0001)


@dataclass(frozen=True, slots=True, kw_only=True)
class Windows:
    """Every n-gram of a text in order; window ``i`` covers ``text[starts[i]:ends[i]]``."""

    hashes: Hashes
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def unique(self) -> Hashes:
        """Return the hashes sorted, each once."""
        return np.unique(self.hashes)


@lru_cache(maxsize=1 << 16)
def hash_token(token: str) -> int:
    """Return the 64-bit hash of one token."""
    return xxhash.xxh3_64_intdigest(token.encode("utf-8", "surrogatepass"))


def hash_text(text: str) -> str:
    """Return the 128-bit XXH3 of a text, 32 hex digits."""
    return xxhash.xxh3_128_hexdigest(text.encode("utf-8", "surrogatepass"))


def mix64(values: Hashes) -> Hashes:
    """Return the values stirred by the 64-bit finaliser of MurmurHash3 (a bijection)."""
    mixed = (values ^ (values >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    mixed = (mixed ^ (mixed >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    result: Hashes = mixed ^ (mixed >> np.uint64(33))
    return result


def normalise_text(text: str) -> str:
    """Return the text with Unicode composed, line ends unified, and blanks at line and text ends removed."""
    composed = unicodedata.normalize("NFC", text).replace("\r\n", "\n").replace("\r", "\n")
    return _TRAILING_BLANKS.sub("", composed).strip()


def split_words(text: str) -> tuple[tuple[str, ...], tuple[int, ...], tuple[int, ...]]:
    """Return the case-folded words of a text, and where each starts and ends.

    A word is a run of letters and digits; an ideograph, kana or Hangul syllable is a word of its own.
    """
    matches = list(_WORD.finditer(text))
    words = tuple(unicodedata.normalize("NFKC", match.group()).casefold() for match in matches)
    return words, tuple(match.start() for match in matches), tuple(match.end() for match in matches)


def split_symbols(text: str) -> tuple[str, ...]:
    """Return the case-folded words and the single symbols of a text, without blanks."""
    return tuple(unicodedata.normalize("NFKC", token).casefold() for token in _SYMBOL.findall(text))


def _hash_tokens(tokens: Sequence[str]) -> Hashes:
    return np.fromiter(map(hash_token, tokens), dtype=np.uint64, count=len(tokens))


def _combine(windows: Hashes) -> Hashes:
    """Return one hash per row of an (n, width) array."""
    if len(windows) == 0:
        return np.empty(0, dtype=np.uint64)
    weighted = windows * _POWERS[: windows.shape[1]]
    return mix64(weighted.sum(axis=1, dtype=np.uint64))


def _slide(values: npt.NDArray[np.generic], size: int) -> npt.NDArray[np.generic]:
    if len(values) < size:
        return np.empty((0, size), dtype=values.dtype)
    return np.lib.stride_tricks.sliding_window_view(values, size)


def hash_ngrams(tokens: Sequence[str], size: int) -> Hashes:
    """Return the hash of every n-gram in order, shape ``(max(0, len(tokens) - size + 1),)``."""
    return _combine(_slide(_hash_tokens(tokens), size).astype(np.uint64, copy=False))


def _windows(hashes: Hashes, starts: Sequence[int], ends: Sequence[int], size: int) -> Windows:
    count = len(hashes)
    return Windows(hashes=hashes, starts=tuple(starts[:count]), ends=tuple(ends[size - 1 : size - 1 + count]))


def word_windows(text: str, size: int = WORD_NGRAM) -> Windows:
    """Return the word n-grams of a text."""
    words, starts, ends = split_words(text)
    return _windows(hash_ngrams(words, size), starts, ends, size)


def _free_names(texts: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Return which tokens are names that the author was free to choose."""
    free = np.zeros(len(texts), dtype=np.bool_)
    previous = ""
    for index, text in enumerate(texts):
        if (text[0].isalpha() or text[0] == "_") and text not in _FIXED_NAMES:
            free[index] = not (previous == "." and text in _FIXED_METHODS)
        previous = text
    return free


def alpha_windows(source: str, size: int = CODE_WINDOW) -> Windows:
    """Return code windows in which each free name is replaced by the place of its first use in that window.

    Imports and the annotations of ``def`` headers don't count either. A name keeps its spelling when renaming can't
    change it: keywords, builtins, methods of builtin types.
    """
    tokens = plain_tokens(lex_code(blank_imports(source)))
    raw = _slide(_hash_tokens(tokens.texts), size).astype(np.uint64)
    free = _slide(_free_names(tokens.texts), size).astype(np.bool_)
    numbered = raw.copy()
    for column in range(size):
        first = np.full(len(raw), column, dtype=np.uint64)
        for earlier in range(column - 1, -1, -1):
            first = np.where(raw[:, earlier] == raw[:, column], np.uint64(earlier), first)
        numbered[:, column] = np.where(free[:, column], first + _IDENTIFIER_SALT, raw[:, column])
    return _windows(_combine(numbered), tokens.starts, tokens.ends, size)


def union_hashes(parts: Iterable[Hashes]) -> Hashes:
    """Return the union of hash arrays, sorted, each hash once."""
    arrays = tuple(parts)
    return np.unique(np.concatenate(arrays)) if arrays else np.empty(0, dtype=np.uint64)


def pack_hashes(hashes: Hashes) -> bytes:
    """Return the array as little-endian bytes, 8 per hash."""
    return hashes.astype("<u8").tobytes()


def unpack_hashes(data: bytes) -> Hashes:
    """Return the array that `pack_hashes` packed."""
    return np.frombuffer(data, dtype="<u8").astype(np.uint64, copy=False)


def jaccard(left: Hashes, right: Hashes) -> float:
    """Return the exact Jaccard similarity of two sorted unique arrays; 1.0 for two empty ones."""
    if len(left) == 0 and len(right) == 0:
        return 1.0
    shared = len(np.intersect1d(left, right, assume_unique=True))
    return shared / (len(left) + len(right) - shared)
