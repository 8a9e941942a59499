"""The operators of mutmut 3.8.1, as edits of byte ranges.

mutmut rewrites whole modules; here only the changed bytes are taken from it: each mutated node is rendered alone, at
the indentation of its block, and its difference from the text at the node's place becomes the edit. A rendering of
the *original* node that differs from the file proves that the place isn't understood, and the mutant is left out.

mutmut has no public interface, so everything that depends on its insides stands in this module. Its visitor is used
directly and not through ``create_mutations``, which forgets the operator's name and reads a configuration from the
current folder. Method: mutmut (BSD-3-Clause) for the operators, own for the edits.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import libcst as cst
from libcst import CSTNode
from libcst._nodes.internal import CodegenState
from libcst.metadata import (
    CodeRange,
    MetadataWrapper,
    ParentNodeProvider,
    WhitespaceInclusivePositionProvider,
)
from mutmut.mutation.file_mutation import MutationVisitor
from mutmut.mutation.mutators import mutation_operators
from mutmut.mutation.pragma_handling import IgnoredCode

from mutators.base import Edits, Operator
from mutators.document import Document
from mutators.splice import Edit, shared_prefix

_LINE_END = re.compile(r"\r\n?|\n")
_LEADING_FORM_FEED = re.compile(r"(?<![^\n])\f+(?=[^\s])")


TextEdit = tuple[int, int, str]
"""Start and end in characters, and the new text."""


@dataclass(frozen=True, slots=True)
class Found:
    """One mutation: the part of the operator's name behind ``mutmut_``, and the edit in UTF-8 offsets."""

    kind: str
    edit: Edit


class _Recorder:
    """mutmut's operators, each wrapped so that it's known which one made a node."""

    def __init__(self) -> None:
        self.kinds: dict[int, str] = {}
        self.made: list[CSTNode] = []
        self.operators = [(kind, self._wrap(function)) for kind, function in mutation_operators]

    def _wrap(self, function: Callable[[CSTNode], Iterable[CSTNode]]) -> Callable[[CSTNode], Iterator[CSTNode]]:
        kind = _kind(function)

        def mutate(node: CSTNode) -> Iterator[CSTNode]:
            for mutated in function(node):
                self.kinds[id(mutated)] = kind
                self.made.append(mutated)  # keeps the id from being given to another node
                yield mutated

        return mutate


def _kind(function: Callable[..., object]) -> str:
    return function.__name__.removeprefix("operator_")


class _Places:
    """Where the nodes of a module stand in its text."""

    def __init__(self, wrapper: MetadataWrapper, text: str) -> None:
        self._module = wrapper.module
        self._text = text
        self._ranges = wrapper.resolve(WhitespaceInclusivePositionProvider)
        self._parents = wrapper.resolve(ParentNodeProvider)
        self._line_starts = [0, *(match.end() for match in _LINE_END.finditer(text))]

    def edit(self, original: CSTNode, mutated: CSTNode) -> TextEdit | None:
        """Return the difference between two nodes; None when the place of the original isn't understood."""
        place = self._ranges.get(original)
        if not isinstance(place, CodeRange):
            return None
        start = self._line_starts[place.start.line - 1] + place.start.column
        end = self._line_starts[place.end.line - 1] + place.end.column
        indents = tuple(self._indents(original))
        old, new = self._render(original, indents), self._render(mutated, indents)
        if old != self._text[start:end] or old == new:
            return None
        ahead = shared_prefix(old, new)
        room = min(len(old), len(new)) - ahead
        behind = min(room, shared_prefix(old[::-1], new[::-1]))
        return start + ahead, end - behind, new[ahead : len(new) - behind]

    def _indents(self, node: CSTNode) -> Iterator[str]:
        """Yield the indentation of each block around a node, innermost first."""
        parent = self._parents.get(node)
        while isinstance(parent, CSTNode):
            if isinstance(parent, cst.IndentedBlock):
                yield self._module.default_indent if parent.indent is None else parent.indent
            parent = self._parents.get(parent)

    def _render(self, node: CSTNode, indents: Sequence[str]) -> str:
        state = CodegenState(default_indent=self._module.default_indent, default_newline=self._module.default_newline)
        for indent in reversed(indents):
            state.increase_indent(indent)
        node._codegen(state)  # noqa: SLF001 - Module.code_for_node knows no indentation
        return "".join(state.tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What mutmut sees in one text."""

    found: tuple[Found, ...]
    problem: str
    """Why libcst can't follow the text; empty when it can."""


@lru_cache(maxsize=2)  # every operator asks for the same text, one after another
def read_mutations(text: str) -> Reading:
    """Return every mutation of a text, in mutmut's order."""
    plain, removed = _without_form_feeds(text)
    try:
        module = cst.parse_module(plain)
        if module.code != plain:
            return Reading(found=(), problem="libcst doesn't write the same text that it read")
        edits = list(_list_edits(module, plain))
    except cst.ParserSyntaxError as error:
        return Reading(found=(), problem=f"libcst can't parse it: {str(error)[:200]}")
    except RecursionError:
        return Reading(found=(), problem="an expression is nested too deeply for libcst")
    restored = ((kind, _restore(edit, removed)) for kind, edit in edits)
    found = tuple(Found(kind, _to_utf8(text, edit)) for kind, edit in restored if edit is not None)
    return Reading(found=found, problem="")


def _list_edits(module: cst.Module, text: str) -> Iterator[tuple[str, TextEdit]]:
    """Yield kind and edit of every mutation whose place is understood."""
    wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
    recorder = _Recorder()
    nothing = IgnoredCode(no_mutate_lines=set(), ignore_node_lines=set(), ignore_pattern_lines=set())
    visitor = MutationVisitor(recorder.operators, nothing)
    wrapper.visit(visitor)
    places = _Places(wrapper, text)
    for mutation in visitor.mutations:
        edit = places.edit(mutation.original_node, mutation.mutated_node)
        if edit is not None:
            yield recorder.kinds[id(mutation.mutated_node)], edit


def _without_form_feeds(text: str) -> tuple[str, tuple[int, ...]]:
    """Return the text without form feeds at the start of lines, which libcst would lose, and where they stood."""
    removed = tuple(index for match in _LEADING_FORM_FEED.finditer(text) for index in range(match.start(), match.end()))
    return _LEADING_FORM_FEED.sub("", text), removed


def _restore(edit: TextEdit, removed: Sequence[int]) -> TextEdit | None:
    """Return the edit at its place in the full text; None when it spans something that was removed."""
    start, end, new = edit
    shift = 0
    for index in removed:
        if index - shift <= start:
            shift += 1
        elif index - shift < end:
            return None
    return start + shift, end + shift, new


def _to_utf8(text: str, edit: TextEdit) -> Edit:
    start, end, new = edit
    if not text.isascii():
        start, end = len(text[:start].encode("utf-8")), len(text[:end].encode("utf-8"))
    return Edit(start=start, end=end, replacement=new.encode("utf-8"))


def _find(kind: str, document: Document) -> Iterator[Edits]:
    for found in read_mutations(document.text).found:
        if found.kind == kind:
            yield (found.edit,)


_EXAMPLES = {
    "number": ("add one to a number", "return 1", "return 2"),
    "string": ("change a text: `XX` around it, upper case, lower case", "return 'a'", "return 'A'"),
    "name": ("exchange `True` and `False`, `deepcopy` and `copy`", "return True", "return False"),
    "assignment": ("assign `None` (or an empty text for `None`)", "a = 1", "a = None"),
    "augmented_assignment": ("assign where something was added", "a += 1", "a = 1"),
    "remove_unary_ops": ("remove `not` or `~`", "return not a", "return a"),
    "dict_arguments": ("rename a keyword of `dict(...)`", "return dict(a=1)", "return dict(aXX=1)"),
    "arg_removal": ("remove an argument or pass `None`", "return f(a, 1)", "return f(1)"),
    "symmetric_string_methods_swap": (
        "call the mirror image of a text method",
        "return a.find('x')",
        "return a.rfind('x')",
    ),
    "unsymmetrical_string_methods_swap": (
        "exchange `split` and `rsplit` where a maximum is given",
        "return a.split('x', 1)",
        "return a.rsplit('x', 1)",
    ),
    "lambda": ("return `None` from a lambda", "return lambda: 1", "return lambda: None"),
    "keywords": ("exchange `is`/`is not`, `in`/`not in`, `break`/`return`", "return 1 in a", "return 1 not in a"),
    "swap_op": ("exchange an operator for a related one", "return a + 1", "return a - 1"),
    "match": (
        "drop a `case`",
        "match a:\n        case 1:\n            return 2\n        case _:\n            return 3",
        "match a:\n        case _:\n            return 3",
    ),
    "if_exp": (
        "take always the same branch of a conditional expression",
        "return 1 if a else 2",
        "return 1 if (a) and False else 2",
    ),
}
"""For each kind: what it does, a statement, and the statement mutated."""

MUTMUT = tuple(
    Operator(
        name=f"mutmut_{kind}",
        theme="mutmut",
        summary=summary,
        before=f"def f(a):\n    {before}\n",
        after=f"def f(a):\n    {after}\n",
        find=partial(_find, kind),
    )
    for kind, (summary, before, after) in _EXAMPLES.items()
)
