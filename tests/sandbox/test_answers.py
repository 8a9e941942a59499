"""How the end of a child is classified, by what was enforced, counted and reported."""

import signal
from dataclasses import replace

import pytest

from sandbox.answers import DETAIL_CHARS, Answer, classify_end
from sandbox.base import State, Usage
from schemas.errors import SandboxError
from schemas.limits import Limits

LIMITS = Limits(cpu_s=2, wall_s=10, memory_mb=100)
HEADER = {
    "verdict": "", "status": 0, "disk_full": False, "cpu_s": 0.1, "wall_s": 0.2, "own_cpu_s": 0.01, "peak_kib": 10,
    "clean": True, "collected": [],
}  # fmt: skip
FINE = Answer.parse(dict(HEADER), [b"", b"", b""])
FAILED = 3 << 8
KILLED = int(signal.SIGKILL)
NEARLY_FULL = 90 * 1024


def changed(**fields: object) -> Answer:
    return replace(FINE, **fields)


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        (FINE, State.OK),
        (changed(disk_full=True), State.OK),
        (changed(processes_exceeded=True), State.OK),
        (changed(memory_exceeded=True), State.MLE),
        (changed(memory_exceeded=True, verdict="OLE"), State.MLE),
        (changed(verdict="OLE"), State.OLE),
        (changed(verdict="TLE_WALL"), State.TLE_WALL),
        (changed(verdict="TLE_WALL", processes_exceeded=True), State.PLE),
        (changed(verdict="TLE_CPU", processes_exceeded=True), State.PLE),
        (changed(verdict="OLE", processes_exceeded=True), State.OLE),
        (changed(cpu_s=2.5), State.TLE_CPU),
        (changed(cpu_s=2.5, processes_exceeded=True), State.TLE_CPU),
        (changed(cpu_s=2.5, processes_exceeded=True, status=FAILED), State.PLE),
        (changed(status=int(signal.SIGXCPU)), State.TLE_CPU),
        (changed(status=FAILED), State.RE),
        (changed(status=FAILED, disk_full=True), State.DLE),
        (changed(status=FAILED, disk_full=True, processes_exceeded=True), State.PLE),
        (changed(status=KILLED), State.RE),
        (changed(status=KILLED, peak_kib=NEARLY_FULL), State.MLE),
        (changed(status=FAILED, peak_kib=NEARLY_FULL), State.RE),
        (changed(status=int(signal.SIGSEGV)), State.RE),
    ],
)
def test_the_end_of_a_child_has_one_state(answer: Answer, state: State) -> None:
    assert classify_end(answer, LIMITS, LIMITS.cpu_s).state is state


@pytest.mark.parametrize(
    ("answer", "detail"),
    [
        (FINE, ""),
        (changed(status=FAILED), "exit code 3"),
        (changed(status=FAILED, stderr=b" why \n"), "why"),
        (changed(status=FAILED, stderr=b"x" * 5000), "x" * DETAIL_CHARS),
        (changed(status=FAILED, stderr=b"\xff"), "\ufffd"),
        (changed(status=int(signal.SIGSEGV), stderr=b"why"), "killed by signal 11"),
        (changed(verdict="OLE"), "stopped: OLE"),
        (changed(cpu_s=3.0), "used up cpu_s = 2"),
        (changed(memory_exceeded=True), "the kernel killed a process at memory_mb = 100"),
    ],
)
def test_the_detail_says_why_in_words(answer: Answer, detail: str) -> None:
    assert classify_end(answer, LIMITS, LIMITS.cpu_s).detail == detail


def test_other_seconds_of_processor_time_than_the_limits_may_hold() -> None:
    assert classify_end(changed(cpu_s=2.5), LIMITS, 3.0).state is State.OK


def test_what_the_backend_counted_outranks_what_the_server_saw() -> None:
    before = Usage(cpu_s=1.0, counters={"oom_kill": 1, "pids_max": 2})
    after = Usage(cpu_s=4.0, counters={"oom_kill": 1, "watchdog_memory": 1, "pids_max": 2})
    counted = changed(own_cpu_s=0.5).counted(before, after)
    assert counted.cpu_s == 2.5
    assert counted.memory_exceeded
    assert not counted.processes_exceeded
    assert changed(cpu_s=9.0).counted(before, after).cpu_s == 9.0


@pytest.mark.parametrize("limit", [State.MLE, State.PLE])
def test_a_server_that_went_down_with_its_child_gives_the_limits_state(limit: State) -> None:
    answer = Answer.taken_along(limit)
    assert classify_end(answer, LIMITS, LIMITS.cpu_s).state is limit
    assert not answer.clean


@pytest.mark.parametrize(
    ("header", "blobs"),
    [
        ({}, [b"", b"", b""]),
        ({**HEADER, "extra": 1}, [b"", b"", b""]),
        (HEADER, [b"", b""]),
        ({**HEADER, "collected": ["a"]}, [b"", b"", b""]),
        ({**HEADER, "collected": 5}, [b"", b"", b""]),
    ],
)
def test_an_answer_that_is_none_is_a_failure_of_the_sandbox(header: dict[str, object], blobs: list[bytes]) -> None:
    with pytest.raises(SandboxError, match="malformed answer"):
        Answer.parse(dict(header), blobs)


def test_collected_files_come_with_their_names() -> None:
    answer = Answer.parse({**HEADER, "collected": ["a", "b/c"]}, [b"r", b"o", b"e", b"1", b"2"])
    assert (answer.record, answer.stdout, answer.stderr) == (b"r", b"o", b"e")
    assert answer.collected == (("a", b"1"), ("b/c", b"2"))


@pytest.mark.parametrize(
    "change",
    [
        {"verdict": "FINE"}, {"verdict": 1}, {"status": "0"}, {"status": 0x7F}, {"status": 2**70}, {"status": -2},
        {"disk_full": 1}, {"cpu_s": "x"}, {"cpu_s": float("nan")}, {"cpu_s": float("inf")}, {"wall_s": -5.0},
        {"own_cpu_s": None}, {"peak_kib": 10.5}, {"peak_kib": 2**80}, {"clean": []}, {"collected": ["name"]},
        {"collected": [7]}, {"collected": None}, {"odd": 1}, {"memory_exceeded": True},
    ],
)  # fmt: skip
def test_an_answer_with_values_that_are_none_is_no_verdict(change: dict[str, object]) -> None:
    blobs = [b""] * (4 if change.get("collected") == [7] else 3)
    with pytest.raises(SandboxError, match="malformed answer"):
        Answer.parse({**HEADER, **change}, blobs)
    missing = {name: value for name, value in HEADER.items() if name not in change}
    if missing != HEADER:
        with pytest.raises(SandboxError, match="malformed answer"):
            Answer.parse(missing, blobs)
