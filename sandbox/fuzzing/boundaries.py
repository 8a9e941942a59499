"""Values at the edges of a domain: empty, one item, equal items, both ends of every bound, sorted and reversed.

Beside random draws these find most off-by-one mistakes; they're drawn for every task, without chance. Method: own.
"""

from collections.abc import Mapping, Sequence

from sandbox.fuzzing.constants import Constants
from sandbox.fuzzing.domains import Domain
from sandbox.fuzzing.shapes import Kind, Shape
from sandbox.fuzzing.strategies import DEFAULT_TEXT, integer_range, nearest_float
from schemas.python_text import show_value

LONG_SIZE = 60
"""Items of the long value that stands for large inputs, when the domain allows so many."""
_NESTED_SIZES = (LONG_SIZE, LONG_SIZE, 8, 2)
"""Most items of a value that isn't bound to have more, by the number of containers around it; 1 further inside."""
_FREE = Domain()
_PLAIN: dict[Kind, tuple[object, ...]] = {
    Kind.BOOL: (False, True),
    Kind.NONE: (None,),
    Kind.BYTES: (b"", b"\x00", b"\xff\xff"),
}
_PARTS_TAKEN = 4


def list_boundaries(shape: Shape, domains: Mapping[str, Domain], constants: Constants, path: str = "") -> list[object]:
    """Return the edge values of a shape, without repeats, plainest first."""
    domain = domains.get(path, _FREE)
    if domain.choices or shape.kind is Kind.LITERAL:
        return list(domain.choices or shape.literals)
    if shape.kind is Kind.UNION:
        return [value for part in shape.parts for value in list_boundaries(part, domains, constants, path)]
    if shape.kind in _PLAIN:
        return list(_PLAIN[shape.kind])
    if shape.kind in {Kind.INT, Kind.FLOAT}:
        return _numbers(shape, domain)
    return _list_compound(shape, domains, constants, path)


def _list_compound(shape: Shape, domains: Mapping[str, Domain], constants: Constants, path: str) -> list[object]:
    if shape.kind is Kind.STR:
        return _texts(domains.get(path, _FREE), constants)
    if shape.kind is Kind.TUPLE:
        return _tuples(shape, domains, constants, path)
    if shape.kind is Kind.DICT:
        return _mappings(shape, domains, constants, path)
    make = {Kind.LIST: list, Kind.ROW: tuple, Kind.SET: set, Kind.FROZENSET: frozenset}[shape.kind]
    return [make(row) for row in _rows(shape, domains, constants, path)]


def _numbers(shape: Shape, domain: Domain) -> list[object]:
    low, high = integer_range(domain)
    near_zero = [value for value in (0, 1, -1, 2) if low <= value <= high]
    numbers = list(dict.fromkeys([*near_zero, low, high, low + 1, high - 1]))
    inside = [value for value in numbers if low <= value <= high]
    return [nearest_float(value) for value in inside] if shape.kind is Kind.FLOAT else list(inside)


def _texts(domain: Domain, constants: Constants) -> list[object]:
    alphabet = domain.alphabet or DEFAULT_TEXT
    first, last = alphabet[0], alphabet[-1]
    long_size = domain.limit_size(LONG_SIZE)
    texts = ["", first, first * 2, first + last, first + last + first, alphabet[:12], first * long_size]
    texts.append((alphabet * LONG_SIZE)[:long_size])
    texts += [text for text in constants.texts if set(text) <= set(alphabet)]
    return [text for text in dict.fromkeys(texts) if domain.limit_size(len(text)) == len(text)]


def _rows(shape: Shape, domains: Mapping[str, Domain], constants: Constants, path: str) -> list[list[object]]:
    domain = domains.get(path, _FREE)
    items = list_boundaries(shape.parts[0], domains, constants, path + "[]")
    few = items[:_PARTS_TAKEN]
    rows: list[list[object]] = [[], *([item] for item in items[: 2 * _PARTS_TAKEN])]
    rows += [few[:1] * 2, few[:2], few, few[::-1], few + few]
    most = _nested_size(path)
    long_size = domain.limit_size(most)
    rows += [(items * LONG_SIZE)[:long_size], items[:1] * long_size]
    if domain.min_size:
        rows += [(items * domain.min_size)[: domain.min_size], items[-1:] * domain.min_size]
    fit = [row for row in rows if domain.limit_size(len(row)) == len(row) and len(row) <= max(most, long_size)]
    return list({show_value(row): row for row in fit}.values())


def _nested_size(path: str) -> int:
    depth = path.count("[]") + path.count("{")
    return _NESTED_SIZES[depth] if depth < len(_NESTED_SIZES) else 1


def _tuples(shape: Shape, domains: Mapping[str, Domain], constants: Constants, path: str) -> list[object]:
    columns = [list_boundaries(part, domains, constants, path + "[]") for part in shape.parts]
    return list(zip_longest_cycled(columns))


def _mappings(shape: Shape, domains: Mapping[str, Domain], constants: Constants, path: str) -> list[object]:
    domain = domains.get(path, _FREE)
    keys = list_boundaries(shape.parts[0], domains, constants, path + "{k}")
    values = list_boundaries(shape.parts[1], domains, constants, path + "{v}")
    if not keys or not values:
        return [{}]
    whole = {key: values[index % len(values)] for index, key in enumerate(keys)}
    same = dict.fromkeys(keys, values[0])
    mappings: list[dict[object, object]] = [{}, {keys[0]: values[0]}, whole, same]
    return [mapping for mapping in mappings if domain.limit_size(len(mapping)) == len(mapping)]


def zip_longest_cycled(columns: Sequence[Sequence[object]]) -> list[tuple[object, ...]]:
    """Return one tuple per item of the longest column; shorter columns start over, an empty one gives nothing."""
    if not columns or not all(columns):
        return []
    longest = max(len(column) for column in columns)
    return [tuple(column[index % len(column)] for column in columns) for index in range(longest)]
