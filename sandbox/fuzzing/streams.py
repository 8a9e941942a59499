"""Inputs for stdin tasks: texts drawn from an inferred grammar, or careful changes of the examples.

Used by hardening before the reference labels them. Method: own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from hypothesis import strategies as st

from sandbox.fuzzing.constants import Constants, find_constants
from sandbox.fuzzing.domains import Domain
from sandbox.fuzzing.draws import MAX_INPUT_CHARS, Drawn, DrawnInput, choose_examples
from sandbox.fuzzing.grammar import Environment, Field, Line, Node, Repeat, Row, Token, infer_grammar
from sandbox.fuzzing.preconditions import NO_PRECONDITIONS, Preconditions
from sandbox.fuzzing.providers import draw_examples
from sandbox.fuzzing.shapes import Kind, Shape
from sandbox.fuzzing.strategies import build_strategy, integer_range
from sandbox.fuzzing.stream_changes import list_changes

_MOST_REPEATS = 10
"""Lines, tokens or test cases that a drawn text repeats at most; half as many inside a repetition."""
_KINDS = {Token.INT: Kind.INT, Token.FLOAT: Kind.FLOAT, Token.WORD: Kind.STR}


def draw_streams(
    examples: Sequence[str], reference: str, *, count: int, seed: int, stated: Preconditions = NO_PRECONDITIONS
) -> Drawn:
    """Return distinct standard inputs that look like the examples, none of which is an example.

    Args:
        examples: standard inputs; with two different ones a grammar is looked for.
        count: most inputs to return.
        stated: what the statement says of its inputs.
    """
    if not examples:
        return Drawn(why="there is no example input")
    shown = choose_examples(examples)
    if not shown:
        return Drawn(why="the example inputs are too long to learn from")
    grammar = infer_grammar(shown, stated=stated)
    if grammar and _least_tokens(grammar, [])[0] > MAX_INPUT_CHARS:
        return Drawn(why="the inputs are too long to be drawn")
    if grammar:
        texts = _draw_from_grammar(grammar, find_constants(reference), count, seed)
    else:
        texts = draw_examples(list_changes(shown), count + count // 2, seed)
    ending = "\n" if examples[0].endswith("\n") else ""
    taken = {text.rstrip() for text in examples}
    kept: list[DrawnInput] = []
    for text in texts:
        if len(kept) < count and text not in taken and 0 < len(text) <= MAX_INPUT_CHARS:
            taken.add(text)
            kept.append(DrawnInput(text=text + ending, boundary=bool(grammar) and len(kept) < 2))
    why = "" if kept else "the examples show no grammar, and nothing in them can be changed safely"
    return Drawn(inputs=tuple(kept), why=why)


def _draw_from_grammar(grammar: Sequence[Node], constants: Constants, count: int, seed: int) -> list[str]:
    @st.composite
    def document(draw: Callable[[st.SearchStrategy[object]], object]) -> str:
        writer = _Writer(draw=draw, constants=constants)
        return "\n".join(writer.write(grammar, ()))

    return draw_examples(document(), count + count // 5, seed)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Writer:
    """Writes one text of a grammar."""

    draw: Callable[[st.SearchStrategy[object]], object]
    constants: Constants
    most: int = _MOST_REPEATS

    def write(self, nodes: Sequence[Node], variables: Environment) -> list[str]:
        """Return the lines of the nodes; variables that they bind are known to the nodes after them."""
        lines: list[str] = []
        counted = _counting(nodes)
        for node in nodes:
            if isinstance(node, Repeat):
                inner = replace(self, most=self.most // 2)
                for _ in range(variables[node.count_of]):
                    lines += inner.write(node.body, variables)
            elif isinstance(node, Row):
                lines.append(" ".join(self._row(node, variables)))
            else:
                tokens = self._line(node, variables, counted)
                lines.append(" ".join(tokens))
                if node.binds:
                    variables += tuple(
                        int(token) for token, field in zip(tokens, node.fields, strict=True) if field.token is Token.INT
                    )
        return lines

    def _line(self, node: Line, variables: Environment, counted: frozenset[int]) -> list[str]:
        tokens: list[str] = []
        place = len(variables)
        for field in node.fields:
            counts = node.binds and place in counted
            tokens.append(self._token(field, variables, counts=counts))
            place += field.token is Token.INT
        if node.distinct and not node.binds and len(set(tokens)) < len(tokens):
            tokens = [self._token(field, variables, counts=False) for field in node.fields]
        return sorted(tokens, key=int) if node.rising else tokens

    def _row(self, node: Row, variables: Environment) -> list[str]:
        size = variables[node.count_of]
        tokens = [self._token(node.item, variables, counts=False) for _ in range(size)]
        if node.unique and node.item.token is Token.INT:
            return self._distinct_row(node, variables, size)
        return sorted(tokens, key=float) if node.ordered and node.item.token is not Token.WORD else tokens

    def _distinct_row(self, node: Row, variables: Environment, size: int) -> list[str]:
        low, high = integer_range(node.item.domain)
        high = min((variables[index] for index in node.item.below), default=high)
        low = min(low, max(high - size + 1, 0))
        pool = list(range(low, max(high, low + size - 1) + 1)[: 4 * size + 8])
        mixed = self.draw(st.permutations(pool))
        row = list(mixed)[:size] if isinstance(mixed, list) else pool[:size]
        return [str(value) for value in (sorted(row) if node.ordered else row)]

    def _token(self, field: Field, variables: Environment, *, counts: bool) -> str:
        domain = field.domain
        if counts:
            low, high = integer_range(domain)
            return str(self.draw(st.integers(low, max(low, min(high, low + self.most)))))
        if field.below:
            top = min(variables[index] for index in field.below)
            return str(self.draw(st.integers(min(max(0, integer_range(domain)[0]), top), top)))
        if field.length_of is not None:
            size = variables[field.length_of]
            domain = Domain(alphabet=domain.alphabet, min_size=size, max_size=size)
        elif field.token is Token.WORD and not domain.choices:
            domain = Domain(alphabet=domain.alphabet, min_size=max(1, domain.min_size or 1), max_size=domain.max_size)
        value = self.draw(_strategy_of(field.token, domain, self.constants))
        return f"{value:.3f}" if isinstance(value, float) else str(value)


@lru_cache(maxsize=1024)
def _strategy_of(token: Token, domain: Domain, constants: Constants) -> st.SearchStrategy[object]:
    return build_strategy(Shape(kind=_KINDS[token]), {"": domain}, constants)


def _counting(nodes: Sequence[Node]) -> frozenset[int]:
    """Return the variables that count something."""
    found: set[int] = set()
    for node in nodes:
        if isinstance(node, Repeat):
            found.add(node.count_of)
            found |= _counting(node.body)
        elif isinstance(node, Row):
            found.add(node.count_of)
            found |= {node.item.length_of} if node.item.length_of is not None else set()
        else:
            found |= {field.length_of for field in node.fields if field.length_of is not None}
    return frozenset(found)


def _least_tokens(nodes: Sequence[Node], least: Sequence[int]) -> tuple[int, list[int]]:
    """Return the tokens of the shortest text, and the least value of each variable after it.

    Args:
        least: the same of the variables before it.
    """
    total, known = 0, list(least)
    for node in nodes:
        if isinstance(node, Repeat):
            total += max(0, known[node.count_of]) * _least_tokens(node.body, known)[0]
        elif isinstance(node, Row):
            total += max(0, known[node.count_of])
        else:
            total += len(node.fields)
            if node.binds:
                known += [integer_range(field.domain)[0] for field in node.fields if field.token is Token.INT]
    return total, known
