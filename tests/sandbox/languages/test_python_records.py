import json
import signal

import pytest

from sandbox.answers import Answer
from sandbox.base import State, Usage
from sandbox.languages.python_records import read_functions, read_program
from schemas.errors import SandboxError
from schemas.limits import Limits

LIMITS = Limits(cpu_s=2.0, memory_mb=100)
HEADER = {
    "verdict": "",
    "status": 0,
    "disk_full": False,
    "cpu_s": 0.01,
    "wall_s": 0.01,
    "own_cpu_s": 0.0,
    "peak_kib": 10_000,
    "clean": True,
    "collected": [],
}


def answer(record=b"", stdout=b"", stderr=b"", **changes):
    return Answer.parse({**HEADER, **changes}, [record, stdout, stderr])


def line(output="1", *, index=0, state="OK", detail=""):
    return json.dumps({"index": index, "state": state, "output": output, "detail": detail}).encode() + b"\n"


def read_one(given):
    (outcome,) = read_functions(given, LIMITS, LIMITS.cpu_s, 1)
    return outcome.state, outcome.output, outcome.detail


@pytest.mark.parametrize(
    ("record", "detail"),
    [
        (b"", "ended without a result"),
        (line()[:-1], "an incomplete record"),
        (line() + b"x", "an incomplete record"),
        (line() + line(), "a record out of turn"),
        (line() + line(index=1), "a record out of turn"),
        (line(index=1), "a record out of turn"),
        (b"[]\n", "a record out of turn"),
        (b"1\n", "a record out of turn"),
        (b"{\n", "a malformed record"),
        (b"\xff\n", "a malformed record"),
        (b"[" * 50_000 + b"\n", "a malformed record"),
        (b"9" * 10_000 + b"\n", "a malformed record"),
        (b'{"index":0}\n', "a malformed record"),
        (line(state="PASS"), "a malformed record"),
        (line(state="INFRA"), "a malformed record"),
        (line(state="TLE_CPU"), "a malformed record"),
        (line("1.5"), "result: a float is written"),
        (line("{"), "result: not JSON"),
        (line('{"$set":[[]]}'), "result: $set holds a value that can't be hashed"),
        (line(r'{"\u0024set":[[]]}'), "result: $set holds a value that can't be hashed"),
        (line('[{"$map":[[{"$set":[]},1]]}]'), "result: $map holds a value that can't be hashed"),
    ],
)
def test_a_record_that_isn_t_there_exactly_once_is_a_runtime_error(record, detail):
    state, output, got = read_one(answer(record))
    assert (state, output) == (State.RE, "")
    assert detail in got


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ({"verdict": "TLE_CPU", "status": -1}, State.TLE_CPU),
        ({"verdict": "TLE_WALL", "status": -1}, State.TLE_WALL),
        ({"verdict": "OLE"}, State.OLE),
        ({"cpu_s": 2.5}, State.TLE_CPU),
        ({"status": int(signal.SIGXCPU)}, State.TLE_CPU),
        ({"status": int(signal.SIGKILL), "peak_kib": 90_000}, State.MLE),
        ({"status": int(signal.SIGKILL)}, State.RE),
        ({"status": int(signal.SIGSEGV)}, State.RE),
        ({"status": 1 << 8}, State.RE),
        ({"status": 1 << 8, "disk_full": True}, State.DLE),
    ],
)
def test_how_the_child_ended_overrules_what_it_wrote(changes, state):
    assert read_one(answer(line(), **changes))[:2] == (state, "")


def test_a_kill_for_memory_counts_although_the_child_ended_well():
    given = answer(line()).counted(Usage(), Usage(counters={"oom_kill": 1}))
    assert read_one(given)[0] is State.MLE


def test_refused_processes_count_only_when_the_child_failed():
    refused = Usage(counters={"pids_max": 3})
    assert read_one(answer(line()).counted(Usage(), refused))[0] is State.OK
    assert read_one(answer(status=1 << 8).counted(Usage(), refused))[0] is State.PLE


def test_cpu_time_that_nobody_waited_for_is_counted_by_the_backend():
    given = answer(line(), own_cpu_s=0.5).counted(Usage(cpu_s=1.0), Usage(cpu_s=4.0))
    assert given.cpu_s == 2.5
    assert read_one(given)[0] is State.TLE_CPU


def test_a_batch_keeps_the_records_before_the_end():
    given = answer(line("1") + line("2", index=1), verdict="TLE_CPU", status=-1)
    outcomes = read_functions(given, LIMITS, LIMITS.cpu_s, 4)
    assert [outcome.state for outcome in outcomes] == [State.OK, State.OK, State.TLE_CPU, State.TLE_CPU]
    assert [outcome.output for outcome in outcomes] == ["1", "2", "", ""]


def test_memory_addresses_are_taken_out_of_details():
    given = answer(line(state="RE", detail="<object at 0x7f12ab34cd56> 0xff"))
    assert read_one(given)[2] == "<object at 0x...> 0xff"


def test_a_stdin_program_keeps_its_output_and_explains_its_failure():
    outcome = read_program(
        answer(line(state="MLE", detail="MemoryError"), b"a\xff\n", status=1 << 8), LIMITS, LIMITS.cpu_s
    )
    assert (outcome.state, outcome.output, outcome.detail) == (State.MLE, "a\udcff\n", "MemoryError")


def test_a_stdin_program_can_t_claim_success_after_a_bad_exit():
    outcome = read_program(answer(line(state="OK"), b"7\n", status=3 << 8), LIMITS, LIMITS.cpu_s)
    assert outcome.state is State.RE


@pytest.mark.parametrize(
    ("header", "blobs"),
    [(HEADER, []), ({"verdict": ""}, [b"", b"", b""]), ({**HEADER, "passed": True}, [b"", b"", b""])],
)
def test_a_malformed_answer_is_a_sandbox_failure(header, blobs):
    with pytest.raises(SandboxError, match="malformed answer"):
        Answer.parse(header, blobs)
