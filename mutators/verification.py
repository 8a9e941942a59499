"""The static check of a mutant: it compiles, and it isn't the original in other words.

Runs for selected sites only. Compiling the top-level definition that holds the change is enough, and many times faster
than compiling the file; a change that isn't inside one, or a file that isn't in UTF-8, is compiled whole.
Method: own; see `mutators/compilation.py`.
"""

from bisect import bisect_right
from collections.abc import Sequence

import tree_sitter_python
from tree_sitter import Language, Parser

from mutators.compilation import bytecode_key, compile_quietly
from mutators.splice import Edit, splice

_LANGUAGE = Language(tree_sitter_python.language())


class MutantCheck:
    """Checks mutants of one file.

    Args:
        source: the healthy bytes; they compile.
    """

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._chunks = _top_level_chunks(source)
        self._starts = [start for start, _ in self._chunks]
        self._keys: dict[tuple[int, int], object] = {}

    def accepts(self, edits: Sequence[Edit]) -> bool:
        """Whether the mutant compiles to something else than the original."""
        start, end = self._range(edits)
        moved = [Edit(start=edit.start - start, end=edit.end - start, replacement=edit.replacement) for edit in edits]
        code = compile_quietly(splice(self._source[start:end], moved))
        return code is not None and bytecode_key(code) != self._key(start, end)

    def _range(self, edits: Sequence[Edit]) -> tuple[int, int]:
        """Return the range that must be compiled."""
        first, last = edits[0].start, max(edit.end for edit in edits)
        index = bisect_right(self._starts, first) - 1
        if index >= 0 and last <= self._chunks[index][1]:
            return self._chunks[index]
        return 0, len(self._source)

    def _key(self, start: int, end: int) -> object:
        if (start, end) not in self._keys:
            code = compile_quietly(self._source[start:end])
            self._keys[start, end] = None if code is None else bytecode_key(code)
        return self._keys[start, end]


def _top_level_chunks(source: bytes) -> list[tuple[int, int]]:
    """Return the ranges of the functions and classes that may be compiled alone; none when that isn't safe."""
    try:
        source.decode("utf-8")
    except UnicodeDecodeError:
        return []
    tree = Parser(_LANGUAGE).parse(source)
    chunks = []
    for node in tree.root_node.named_children:
        whole_lines = node.start_point.column == 0 and source[node.end_byte : node.end_byte + 1] in {b"\n", b""}
        if node.type in {"function_definition", "class_definition", "decorated_definition"} and whole_lines:
            chunks.append((node.start_byte, node.end_byte))
    return chunks
