"""The line grammar of a task's standard input, inferred from its examples.

A text is a row of lines; a line has fixed fields, or as many tokens as an earlier number says, or a word of that
length; a number may also count the following lines or the test cases. What fits all examples is the grammar; when
nothing fits there is none, and the caller falls back on changing the examples. Method: own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from sandbox.fuzzing.domains import Domain, observe_domain
from sandbox.fuzzing.preconditions import NO_PRECONDITIONS, Preconditions

MIN_EXAMPLES = 2
_MANY_TOKENS = 3  # a row of at least so many tokens is taken as counted when a number says so
_MOST_ATTEMPTS = 200
_BOUND_SAMPLES = 4  # values that must agree before "never above n" is believed


class Token(StrEnum):
    """What a token is."""

    INT = "int"
    FLOAT = "float"
    WORD = "word"


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One token."""

    token: Token
    domain: Domain
    length_of: int | None = None
    """The variable that says how many characters a word has."""
    below: tuple[int, ...] = ()
    """The variables that the number never exceeds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of fixed fields; each integer of it becomes a variable where `binds` is set."""

    fields: tuple[Field, ...]
    binds: bool = False
    rising: bool = False
    """Whether its numbers never fall from left to right."""
    distinct: bool = False
    """Whether its tokens all differ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A line with as many tokens as a variable says."""

    item: Field
    count_of: int
    ordered: bool = False
    unique: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat:
    """Nodes that come as often as a variable says."""

    count_of: int
    body: tuple["Node", ...]


Node = Line | Row | Repeat
Environment = tuple[int, ...]
"""Values of the variables bound so far."""
_Sample = tuple[list[str], Environment]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """How much the examples and the statement say."""

    examples: int
    stated: Preconditions


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cursor:
    """Where one example has been read to."""

    stated: Preconditions
    lines: tuple[list[str], ...]
    place: int
    variables: Environment

    @property
    def rest(self) -> int:
        return len(self.lines) - self.place

    def ahead(self, count: int) -> list[_Sample]:
        return [(line, self.variables) for line in self.lines[self.place : self.place + count]]

    def step(self, count: int, bound: Environment = ()) -> "_Cursor":
        return _Cursor(stated=self.stated, lines=self.lines, place=self.place + count, variables=self.variables + bound)


def infer_grammar(texts: Sequence[str], *, stated: Preconditions = NO_PRECONDITIONS) -> tuple[Node, ...]:
    """Return the grammar that all texts follow; empty when there are fewer than two or none fits."""
    distinct = sorted(set(texts))
    cursors = [
        _Cursor(stated=stated, lines=tuple(line.split() for line in text.rstrip().split("\n")), place=0, variables=())
        for text in distinct
    ]
    if len(cursors) < MIN_EXAMPLES or any(not line for cursor in cursors for line in cursor.lines):
        return ()
    return _fit(cursors, _Attempts()) or ()


def _seen_by(cursors: Sequence[_Cursor]) -> _Seen:
    return _Seen(examples=len(cursors), stated=cursors[0].stated)


class _Attempts:
    """Counts the ways that were tried: among lines of equal numbers their number grows without bound."""

    def __init__(self) -> None:
        self._left = _MOST_ATTEMPTS

    def take(self) -> bool:
        """Return whether one more is allowed."""
        self._left -= 1
        return self._left >= 0


def _fit(cursors: Sequence[_Cursor], attempts: _Attempts) -> tuple[Node, ...] | None:
    rests = {cursor.rest for cursor in cursors}
    if rests == {0}:
        return ()
    for node, moved in _options(cursors):
        if not attempts.take():
            return None
        tail = _fit(moved, attempts)
        if tail is not None:
            return (node, *tail)
    return None


def _options(cursors: Sequence[_Cursor]) -> Iterator[tuple[Node, list[_Cursor]]]:
    variables = len(cursors[0].variables)
    for index in reversed(range(variables)):
        counts = [cursor.variables[index] for cursor in cursors]
        if all(0 <= count <= cursor.rest for count, cursor in zip(counts, cursors, strict=True)) and max(counts) > 1:
            samples = [sample for count, cursor in zip(counts, cursors, strict=True) for sample in cursor.ahead(count)]
            line = _fit_line(samples, _seen_by(cursors))
            if line is not None:
                moved = [cursor.step(count) for count, cursor in zip(counts, cursors, strict=True)]
                yield Repeat(count_of=index, body=(line,)), moved
    if variables == 1 and all(cursor.place == 1 for cursor in cursors):
        yield from _fit_cases(cursors)
    if all(cursor.rest for cursor in cursors):
        samples = [sample for cursor in cursors for sample in cursor.ahead(1)]
        line = _fit_line(samples, _seen_by(cursors))
        if isinstance(line, Row):
            yield line, [cursor.step(1) for cursor in cursors]
        elif line is not None:
            bound = [tuple(int(token) for token in tokens if is_int(token)) for tokens, _ in samples]
            if len({len(values) for values in bound}) == 1:
                moved = [cursor.step(1, values) for cursor, values in zip(cursors, bound, strict=True)]
                yield Line(fields=line.fields, binds=True, rising=line.rising, distinct=line.distinct), moved


def _fit_line(samples: Sequence[_Sample], seen: _Seen) -> Line | Row | None:
    """Return the line form of all samples, None when they have none in common."""
    if not samples:
        return None
    sizes = {len(tokens) for tokens, _ in samples}
    variables = min(len(env) for _, env in samples)
    for index in reversed(range(variables)):
        if all(len(tokens) == env[index] for tokens, env in samples) and (len(sizes) > 1 or min(sizes) >= _MANY_TOKENS):
            flat = [([token], env) for tokens, env in samples for token in tokens]
            numbers = [[_number(token) for token in tokens] for tokens, _ in samples]
            rows = observe_domain(numbers, seen.examples, stated=seen.stated)
            item = _fit_field(flat, seen)
            return Row(item=item, count_of=index, ordered=rows.ordered, unique=rows.unique)
    if len(sizes) > 1:
        return None
    columns = range(sizes.pop())
    fields = tuple(_fit_field([([tokens[column]], env) for tokens, env in samples], seen) for column in columns)
    several = len(columns) > 1 and len(samples) >= _BOUND_SAMPLES
    whole = all(field.token is Token.INT for field in fields)
    rising = several and whole and all(_is_rising(tokens) for tokens, _ in samples)
    distinct = several and all(len(set(tokens)) == len(tokens) for tokens, _ in samples)
    return Line(fields=fields, rising=rising, distinct=distinct)


def _fit_field(samples: Sequence[_Sample], seen: _Seen) -> Field:
    tokens = [tokens[0] for tokens, _ in samples]
    variables = min(len(env) for _, env in samples)
    if all(is_int(token) for token in tokens):
        values = [int(token) for token in tokens]
        below = tuple(
            index
            for index in range(variables)
            if len(values) >= _BOUND_SAMPLES
            and all(0 <= value <= env[index] for value, (_, env) in zip(values, samples, strict=True))
        )
        return Field(token=Token.INT, domain=observe_domain(values, seen.examples), below=below)
    if all(_is_number(token) for token in tokens):
        floats = [float(token) for token in tokens]
        return Field(token=Token.FLOAT, domain=observe_domain(floats, seen.examples))
    length_of = None
    for index in reversed(range(variables)):
        if all(len(sample[0]) == env[index] for sample, env in samples):
            length_of = index
            break
    return Field(token=Token.WORD, domain=observe_domain(tokens, seen.examples), length_of=length_of)


@dataclass(frozen=True, slots=True, kw_only=True)
class _CaseForm:
    """One way in which a test case may go on after its header line."""

    rows: int = 0
    """Lines with as many tokens as the header's number says."""
    lines: bool = False
    """As many lines as the number says."""


_CASE_FORMS = (_CaseForm(rows=1), _CaseForm(rows=2), _CaseForm(lines=True))


def _fit_cases(cursors: Sequence[_Cursor]) -> Iterator[tuple[Node, list[_Cursor]]]:
    """Yield the grammars in which the first number counts test cases of a header and what it announces."""
    for form in _CASE_FORMS:
        for field in range(2):
            split = [_split_cases(cursor, form, field) for cursor in cursors]
            cases = [case for part in split if part is not None for case in part]
            if any(part is None for part in split) or not cases:
                continue
            body = _fit_case_body(cases, form, field, _seen_by(cursors))
            if body is not None:
                yield Repeat(count_of=0, body=body), [cursor.step(cursor.rest) for cursor in cursors]


_Case = tuple[Environment, list[list[str]]]


def _split_cases(cursor: _Cursor, form: _CaseForm, field: int) -> list[_Case] | None:
    place, cases = cursor.place, []
    for _ in range(cursor.variables[0]):
        if place >= len(cursor.lines):
            return None
        header = cursor.lines[place]
        if len(header) <= field or not all(is_int(token) for token in header):
            return None
        count = int(header[field])
        height = form.rows or count
        body = list(cursor.lines[place + 1 : place + 1 + height])
        if len(body) != height or (form.rows and any(len(line) not in {count, 1} for line in body)):
            return None
        if form.rows and any(len(line) != count and len(line[0]) != count for line in body):
            return None
        cases.append((cursor.variables, [header, *body]))
        place += 1 + height
    return cases if place == len(cursor.lines) else None


def _fit_case_body(cases: Sequence[_Case], form: _CaseForm, field: int, seen: _Seen) -> tuple[Node, ...] | None:
    header = _fit_line([(lines[0], env) for env, lines in cases], seen)
    if not isinstance(header, Line):
        return None
    head = Line(fields=header.fields, binds=True, rising=header.rising, distinct=header.distinct)
    local = [(env + tuple(int(token) for token in lines[0]), lines[1:]) for env, lines in cases]
    if form.lines:
        line = _fit_line([(tokens, env) for env, lines in local for tokens in lines], seen)
        return None if line is None else (head, Repeat(count_of=1 + field, body=(line,)))
    body: list[Node] = [head]
    for place in range(form.rows):
        line = _fit_line([(lines[place], env) for env, lines in local], seen)
        if line is None:
            return None
        body.append(line)
    return tuple(body)


def is_int(token: str) -> bool:
    """Return whether a token is an integer in its plain spelling, of at most 19 digits."""
    digits = token.removeprefix("-")
    return digits.isascii() and digits.isdigit() and len(digits) <= 19 and (digits == "0" or digits[0] != "0")


def _is_number(token: str) -> bool:
    whole, _, fraction = token.removeprefix("-").partition(".")
    return (whole + fraction).isascii() and (whole + fraction).isdigit() and whole != "" and len(token) <= 24


def _number(token: str) -> object:
    return int(token) if is_int(token) else token


def _is_rising(tokens: Sequence[str]) -> bool:
    values = [int(token) for token in tokens]
    return values == sorted(values)
