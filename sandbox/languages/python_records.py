"""What the fork server's answers mean: raw bytes of an untrusted child become outcomes.

Trusted side. Limits and signals speak first, then records; a record counts only when it's there once, in order and
with a canonical result, and anything else is a runtime error of the program. Method: own.
"""

import json
import os
import signal
from dataclasses import dataclass, replace
from functools import lru_cache

from sandbox.base import State, Usage
from sandbox.judging import CaseOutcome
from sandbox.masking import mask_addresses
from schemas.canonical import canonical_json
from schemas.errors import SandboxError
from schemas.limits import Limits
from schemas.values import EncodingError, check_encoded, decode_value, parse_json

_DETAIL_CHARS = 1000
_MEMORY_SHARE = 0.6
"""Share of the memory limit from which a foreign SIGKILL is taken for the memory limit's."""
_SHORT = 1000
"""Characters of results that are remembered, since programs of one task answer the same again and again."""
_HASHED = ("$set", "$frozenset", "$map")
_CLAIMS = {State.OK, State.RE, State.MLE, State.DLE, State.PLE}
"""States that a child may claim for itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The fork server's answer to one request."""

    verdict: str
    """State that the server enforced, or empty."""
    status: int
    """Wait status of the child, -1 when it was killed by the server."""
    disk_full: bool
    cpu_s: float
    own_cpu_s: float
    """What the server itself spent."""
    peak_kib: int
    clean: bool
    """Whether all writable folders are empty again."""
    record: bytes
    stdout: bytes
    stderr: bytes
    """The end of standard error."""
    memory_exceeded: bool = False
    """Whether the kernel killed something for memory."""
    processes_exceeded: bool = False
    """Whether the kernel refused a new process."""

    @classmethod
    def parse(cls, header: dict[str, object], blobs: list[bytes]) -> "Answer":
        """Return a typed answer.

        Raises:
            SandboxError: the server didn't speak the protocol.
        """
        try:
            record, stdout, stderr = blobs
            return cls(record=record, stdout=stdout, stderr=stderr, **header)  # type: ignore[arg-type]
        except (TypeError, ValueError) as error:
            raise SandboxError(f"malformed answer: {error}") from error

    @classmethod
    def out_of_memory(cls) -> "Answer":
        """Return the answer of a server that the kernel killed at the memory limit, together with the program."""
        header = {"verdict": State.MLE.value, "status": -1, "disk_full": False, "clean": False, "peak_kib": 0}
        return cls.parse({**header, "cpu_s": 0.0, "own_cpu_s": 0.0, "memory_exceeded": True}, [b"", b"", b""])

    def counted(self, before: Usage, after: Usage) -> "Answer":
        """Return the answer with what the backend counted meanwhile; it also sees what escaped being waited for."""
        spent = after.cpu_s - before.cpu_s - self.own_cpu_s
        return replace(
            self,
            cpu_s=max(self.cpu_s, spent),
            memory_exceeded=_kills(after) > _kills(before),
            processes_exceeded=after.processes_exceeded > before.processes_exceeded,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _End:
    """How the child as a whole ended."""

    state: State
    detail: str


def read_functions(answer: Answer, limits: Limits, cpu_s: float, count: int) -> tuple[CaseOutcome, ...]:
    """Return one outcome per input of a function program.

    When the child ended badly, inputs with a record keep it if there were several, and all others get how it ended.
    """
    end = _classify_end(answer, limits, cpu_s)
    records = _parse_records(answer.record, count)
    if end.state is State.OK:
        detail = records if isinstance(records, str) else "ended without a result"
        end = _End(state=State.PLE if answer.processes_exceeded else State.RE, detail=detail)
    elif count == 1:
        records = ()
    if isinstance(records, str):
        records = ()
    rest = _outcome(end.state, detail=end.detail)
    done = tuple(_read_record(record) for record in records)
    return done + (rest,) * (count - len(done))


def read_program(answer: Answer, limits: Limits, cpu_s: float) -> CaseOutcome:
    """Return the outcome of a stdin program; its output is kept whatever the state."""
    end = _classify_end(answer, limits, cpu_s)
    text = answer.stdout.decode("utf-8", "surrogateescape")
    state, detail = end.state, end.detail
    records = _parse_records(answer.record, 1)
    if state is State.RE and records and not isinstance(records, str):
        claim = _read_record({**records[0], "output": "null"})
        state = claim.state if claim.state is not State.OK else state
        detail = claim.detail or detail
    return _outcome(state, output=text, detail=detail)


def _classify_end(answer: Answer, limits: Limits, cpu_s: float) -> _End:
    if answer.memory_exceeded:
        return _End(state=State.MLE, detail=f"the kernel killed a process at memory_mb = {limits.memory_mb}")
    if answer.verdict:
        return _End(state=State(answer.verdict), detail=f"stopped: {answer.verdict}")
    code = os.waitstatus_to_exitcode(answer.status)
    if answer.cpu_s > cpu_s or code == -signal.SIGXCPU:
        return _End(state=State.TLE_CPU, detail=f"used up cpu_s = {cpu_s:g}")
    if code == 0:
        return _End(state=State.OK, detail="")
    note = answer.stderr.decode("utf-8", "replace").strip()[-_DETAIL_CHARS:]
    if code < 0:
        note = f"killed by signal {-code}"
    return _End(state=_failure_state(answer, limits, code), detail=note or f"exit code {code}")


def _failure_state(answer: Answer, limits: Limits, code: int) -> State:
    """Return the limit that most likely ended a child that failed on its own."""
    if code == -signal.SIGKILL and answer.peak_kib >= _MEMORY_SHARE * limits.memory_mb * 1024:
        return State.MLE
    if answer.processes_exceeded:
        return State.PLE
    return State.DLE if answer.disk_full else State.RE


def _kills(usage: Usage) -> int:
    return sum(usage.counters.get(name, 0) for name in ("oom_kill", "watchdog_memory"))


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
    text = mask_addresses(detail)[:_DETAIL_CHARS]
    return CaseOutcome(state=state, output=output, detail=text)
