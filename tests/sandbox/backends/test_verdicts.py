"""From what was seen of a run to its state."""

import pytest

from sandbox.backends.verdicts import Evidence, decide_state, read_signal
from sandbox.base import State, Usage
from schemas.limits import Limits

LIMITS = Limits(cpu_s=2)


def state(
    *,
    forced: State | None = None,
    exit_code: int | None = 0,
    cpu_s: float = 0.1,
    overflowed: bool = False,
    disk_full: bool = False,
    complains: bool = False,
    **counters: int,
) -> State:
    evidence = Evidence(
        forced=forced,
        exit_code=exit_code,
        usage=Usage(cpu_s=cpu_s, counters=counters),
        output_overflowed=overflowed,
        disk_full=disk_full,
        complains_of_disk=complains,
    )
    return decide_state(evidence, LIMITS)


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        ({}, State.OK),
        ({"exit_code": 1}, State.RE),
        ({"exit_code": 139}, State.RE),
        ({"exit_code": None}, State.INFRA),
        ({"oom_kill": 1}, State.MLE),
        ({"oom_kill": 1, "exit_code": None}, State.MLE),
        ({"oom_kill": 1, "forced": State.TLE_WALL}, State.MLE),
        ({"watchdog_memory": 1}, State.MLE),
        ({"overflowed": True}, State.OLE),
        ({"overflowed": True, "forced": State.OLE, "exit_code": 137}, State.OLE),
        ({"disk_full": True}, State.DLE),
        ({"disk_full": True, "forced": State.TLE_CPU, "exit_code": None}, State.DLE),
        ({"complains": True, "exit_code": 1}, State.DLE),
        ({"complains": True}, State.OK),
        ({"complains": True, "exit_code": 1, "pids_max": 1}, State.PLE),
        ({"pids_max": 3}, State.OK),
        ({"pids_max": 3, "exit_code": 1}, State.PLE),
        ({"pids_max": 3, "forced": State.TLE_WALL, "exit_code": None}, State.PLE),
        ({"watchdog_processes": 1, "exit_code": 1}, State.PLE),
        ({"forced": State.TLE_WALL, "exit_code": 137}, State.TLE_WALL),
        ({"forced": State.TLE_CPU, "exit_code": None}, State.TLE_CPU),
        ({"forced": State.OK, "exit_code": 137}, State.OK),
        ({"forced": State.OK, "exit_code": 1}, State.RE),
        ({"forced": State.OK, "exit_code": 0}, State.OK),
        ({"cpu_s": 2.01}, State.TLE_CPU),
        ({"cpu_s": 2.0}, State.OK),
        ({"exit_code": 128 + 24}, State.TLE_CPU),
        ({"exit_code": 128 + 31}, State.POLICY),
    ],
)
def test_the_state_follows_from_the_evidence(seen, expected):
    assert state(**seen) is expected


@pytest.mark.parametrize(
    ("exit_code", "expected"), [(None, None), (0, None), (127, None), (128, None), (129, 1), (137, 9), (255, None)]
)
def test_a_signal_is_read_from_an_exit_code(exit_code, expected):
    assert read_signal(exit_code) == expected
