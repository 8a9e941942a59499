"""What the fork server's answers mean: raw bytes of an untrusted child become outcomes.

Trusted side. Limits and signals speak first, then records; a record counts only when it's there once, in order and
with a canonical result, and anything else is a runtime error of the program. Method: own.
"""

import json
from functools import lru_cache

from sandbox.answers import DETAIL_CHARS, Answer, End, classify_end
from sandbox.base import State
from sandbox.judging import CaseOutcome
from sandbox.masking import mask_addresses
from schemas.canonical import canonical_json
from schemas.limits import Limits
from schemas.values import EncodingError, check_encoded, decode_value, parse_json

_SHORT = 1000
"""Characters of results that are remembered, since programs of one task answer the same again and again."""
_HASHED = ("$set", "$frozenset", "$map")
_CLAIMS = {State.OK, State.RE, State.MLE, State.DLE, State.PLE}
"""States that a child may claim for itself."""


def read_functions(answer: Answer, limits: Limits, cpu_s: float, count: int) -> tuple[CaseOutcome, ...]:
    """Return one outcome per input of a function program.

    When the child ended badly, inputs with a record keep it if there were several, and all others get how it ended.
    """
    end = classify_end(answer, limits, cpu_s)
    records = _parse_records(answer.record, count)
    if end.state is State.OK:
        detail = records if isinstance(records, str) else "ended without a result"
        end = End(state=State.PLE if answer.processes_exceeded else State.RE, detail=detail)
    elif count == 1:
        records = ()
    if isinstance(records, str):
        records = ()
    rest = _outcome(end.state, detail=end.detail)
    done = tuple(_read_record(record) for record in records)
    return done + (rest,) * (count - len(done))


def read_program(answer: Answer, limits: Limits, cpu_s: float) -> CaseOutcome:
    """Return the outcome of a stdin program; its output is kept whatever the state."""
    end = classify_end(answer, limits, cpu_s)
    text = answer.stdout.decode("utf-8", "surrogateescape")
    state, detail = end.state, end.detail
    records = _parse_records(answer.record, 1)
    if state is State.RE and records and not isinstance(records, str):
        claim = _read_record({**records[0], "output": "null"})
        state = claim.state if claim.state is not State.OK else state
        detail = claim.detail or detail
    return _outcome(state, output=text, detail=detail)


def _parse_records(data: bytes, count: int) -> tuple[dict[str, object], ...] | str:
    """Return the records in order, or what is wrong with them."""
    lines = data.split(b"\n")
    if lines.pop():
        return "an incomplete record"
    records = []
    for index, line in enumerate(lines):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            return "a malformed record"
        if type(record) is not dict or record.get("index") != index or index >= count:
            return "a record out of turn"
        records.append(record)
    return tuple(records)


def _read_record(record: dict[str, object]) -> CaseOutcome:
    state, output, detail = (record.get(key) for key in ("state", "output", "detail"))
    if not (type(state) is str and type(output) is str and type(detail) is str) or state not in _CLAIMS:
        return _outcome(State.RE, detail="a malformed record")
    if state != State.OK:
        return _outcome(State(state), detail=detail)
    try:
        canonical = _canonical_of_short(output) if len(output) <= _SHORT else _canonical_of(output)
    except EncodingError as error:
        return _outcome(State.RE, detail=f"result: {error}")
    return _outcome(State.OK, output=canonical, detail=detail)


def _canonical_of(output: str) -> str:
    encoded = parse_json(output)
    check_encoded(encoded)
    canonical = canonical_json(encoded)
    if any(tag in canonical for tag in _HASHED):
        decode_value(encoded)  # a forged one may hold what no set and no mapping can
    return canonical


_canonical_of_short = lru_cache(maxsize=4096)(_canonical_of)


def _outcome(state: State, *, output: str = "", detail: str = "") -> CaseOutcome:
    """Return an outcome whose detail holds no memory address, since those differ between runs."""
    text = mask_addresses(detail)[:DETAIL_CHARS]
    return CaseOutcome(state=state, output=output, detail=text)
