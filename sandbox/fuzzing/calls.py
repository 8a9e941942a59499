"""Inputs for function tasks: encoded calls drawn from the signature, the constraints, the examples and the reference.

Used by hardening before the reference labels them. A parameter whose values can't be drawn (a class of the task's own,
a type that neither the annotation nor an example shows) makes the whole call undrawable, and the answer says so.
Method: own.
"""

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

from sandbox.fuzzing.boundaries import list_boundaries
from sandbox.fuzzing.constants import Constants, find_constants
from sandbox.fuzzing.couplings import couple
from sandbox.fuzzing.domains import Domain, build_domains
from sandbox.fuzzing.draws import MAX_INPUT_CHARS, Drawn, DrawnInput, choose_examples
from sandbox.fuzzing.preconditions import NO_PRECONDITIONS, Preconditions
from sandbox.fuzzing.providers import draw_examples
from sandbox.fuzzing.relations import (
    Call,
    Relation,
    find_relations,
    is_rectangular,
    is_square,
    repair_call,
    repair_value,
)
from sandbox.fuzzing.shapes import Shape, complete_shape, parse_annotation
from sandbox.fuzzing.strategies import build_strategy
from schemas.candidate import Parameter, Signature
from schemas.constraints import find_violation
from schemas.syntax import parse_source
from schemas.values import EncodingError, decode_call, encode_call

MAX_BOUNDARIES = 40
MAX_PARAMETERS = 32
"""More are never written by hand, and every pair of them is looked at."""
_WHY_CHARS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class _Slot:
    """A parameter with all that is known of its values."""

    parameter: Parameter
    shape: Shape
    domains: dict[str, Domain]
    square: bool
    rectangular: bool
    seen: tuple[object, ...]


def draw_calls(
    signature: Signature,
    examples: Sequence[str],
    reference: str,
    *,
    count: int,
    seed: int,
    stated: Preconditions = NO_PRECONDITIONS,
) -> Drawn:
    """Return distinct encoded calls, edge cases first, all within constraints and none among the examples.

    Args:
        examples: encoded calls.
        count: most calls to return, edge cases included.
        stated: what the statement says of its inputs.
    """
    parameters = signature.parameters or _parameters_of(signature.entry_point, reference)
    if not parameters:
        return Drawn(why="the signature has no parameters to vary")
    if len(parameters) > MAX_PARAMETERS:
        return Drawn(why=f"the signature has more than {MAX_PARAMETERS} parameters")
    shown = choose_examples(examples)
    if examples and not shown:
        return Drawn(why="the example calls are too long to learn from")
    try:
        return _draw_bound(parameters, shown, set(examples), find_constants(reference), count, seed, stated)
    except (ValueError, TypeError, ArithmeticError) as error:
        return Drawn(why=str(error)[:_WHY_CHARS])


def _draw_bound(
    parameters: Sequence[Parameter],
    shown: Sequence[str],
    taken: set[str],
    constants: Constants,
    count: int,
    seed: int,
    stated: Preconditions,
) -> Drawn:
    """Return the draws for parameters that the shown examples bound.

    Raises:
        ValueError: the values of a parameter can't be drawn.
        TypeError: the same.
        ArithmeticError: the same.
    """
    calls, by_name = _bind_examples(parameters, shown)
    slots = [_make_slot(parameter, index, calls, stated) for index, parameter in enumerate(parameters)]
    unknown = [slot.parameter.name for slot in slots if not slot.shape.is_known()]
    if unknown:
        return Drawn(why=f"nothing is known about the values of {', '.join(unknown)}")
    drawn = _draw(slots, constants, count, seed)
    edges = _edge_calls(slots, constants)
    collector = _Collector(slots=slots, relations=find_relations(calls), by_name=by_name, taken=taken)
    kept = [found for call in edges if (found := collector.take(call, boundary=True)) is not None]
    kept = kept[: min(MAX_BOUNDARIES, count // 3)]
    for call in drawn:
        if len(kept) < count and (found := collector.take(call, boundary=False)) is not None:
            kept.append(found)
    return Drawn(inputs=tuple(kept), why="" if kept else "every drawn call broke a constraint or was an example")


def _parameters_of(entry_point: str, reference: str) -> tuple[Parameter, ...]:
    """Return the parameters that the reference's own definition names, without ``self`` and defaults."""
    name = entry_point.rsplit(".", 1)[-1]
    try:
        tree = parse_source(reference)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == name:
            required = node.args.args[: len(node.args.args) - len(node.args.defaults)]
            return tuple(
                Parameter(name=arg.arg, annotation=ast.unparse(arg.annotation) if arg.annotation else "")
                for arg in required
                if arg.arg != "self"
            )
    return ()


def _bind_examples(parameters: Sequence[Parameter], examples: Sequence[str]) -> tuple[list[Call], bool]:
    """Return the examples' arguments by position, and whether the examples pass them by name."""
    names = [parameter.name for parameter in parameters]
    required = sum(1 for parameter in parameters if not parameter.default)
    calls: list[Call] = []
    by_name = 0
    for text in examples:
        try:
            args, kwargs = decode_call(text)
        except EncodingError:
            continue
        bound = dict(zip(names, args, strict=False)) | kwargs
        by_name += bool(kwargs)
        if len(args) <= len(names) and all(name in bound for name in names[:required]):
            calls.append(tuple(bound[name] for name in names if name in bound))
    return calls, 2 * by_name > len(calls)


def _make_slot(parameter: Parameter, index: int, calls: Sequence[Call], stated: Preconditions) -> _Slot:
    seen = [call[index] for call in calls if index < len(call)]
    return _Slot(
        parameter=parameter,
        shape=complete_shape(parse_annotation(parameter.annotation), seen),
        domains=build_domains(seen, parameter.constraints, stated=stated),
        square=is_square(seen),
        rectangular=is_rectangular(seen),
        seen=tuple(seen),
    )


def _draw(slots: Sequence[_Slot], constants: Constants, count: int, seed: int) -> list[Call]:
    strategies = [build_strategy(slot.shape, slot.domains, constants) for slot in slots]
    calls = couple(st.tuples(*strategies), [slot.shape for slot in slots])
    return draw_examples(calls, count + count // 2, seed)


def _edge_calls(slots: Sequence[_Slot], constants: Constants) -> list[Call]:
    """Return calls with all arguments at an edge, then with one at an edge and the others as in the first example."""
    columns = [list_boundaries(slot.shape, slot.domains, constants) for slot in slots]
    if not all(columns):
        return []
    plain = tuple(slot.seen[0] if slot.seen else column[0] for slot, column in zip(slots, columns, strict=True))
    calls = [tuple(column[0] for column in columns), tuple(column[-1] for column in columns)]
    for depth in range(max(len(column) for column in columns)):
        for index, column in enumerate(columns):
            if depth < len(column):
                calls.append((*plain[:index], column[depth], *plain[index + 1 :]))
    return calls


@dataclass(frozen=True, slots=True, kw_only=True)
class _Collector:
    """Repairs, checks and encodes calls, each only once."""

    slots: Sequence[_Slot]
    relations: Sequence[Relation]
    by_name: bool
    taken: set[str]

    def take(self, call: Call, *, boundary: bool) -> DrawnInput | None:
        """Return the encoded call, or None when it's known already, too long or outside a constraint."""
        values = [
            repair_value(value, slot.domains, square=slot.square, rectangular=slot.rectangular)
            for value, slot in zip(call, self.slots, strict=True)
        ]
        fixed = repair_call(tuple(values), self.relations)
        if any(find_violation(value, slot.parameter) for value, slot in zip(fixed, self.slots, strict=True)):
            return None
        if any(not _inside(slot, value) for value, slot in zip(fixed, self.slots, strict=True)):
            return None
        named = {slot.parameter.name: value for slot, value in zip(self.slots, fixed, strict=True)}
        text = encode_call((), named) if self.by_name else encode_call(fixed, {})
        if text in self.taken or len(text) > MAX_INPUT_CHARS:
            return None
        self.taken.add(text)
        return DrawnInput(text=text, boundary=boundary)


def _inside(slot: _Slot, value: object) -> bool:
    """Return whether a value still has an allowed size and magnitude after its repair."""
    domain = slot.domains.get("")
    if domain is None or domain.choices:
        return True
    if isinstance(value, int | float):
        return domain.admits(value)
    if isinstance(value, list | str | tuple):
        return len(value) >= (domain.min_size or 0)
    return True
