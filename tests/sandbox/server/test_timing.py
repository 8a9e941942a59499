import dataclasses
import json
import time

import httpx
import pytest

from sandbox.base import Job, Run
from sandbox.server.settings import ServerSettings
from sandbox.server.timing import Clock, TimedBackend, running
from schemas.candidate import Suite, SuiteFile, TaskStyle
from schemas.errors import ConfigError, SandboxError
from schemas.limits import Limits
from schemas.row import to_row
from tests.builders import make_task
from tests.sandbox.server.serving import serving_here

TASK = make_task("t")
ROW = json.loads(json.dumps(to_row(TASK), default=str))
SLEEPS = "import time\ndef double(n):\n    time.sleep(1000)\n"
TESTS = "from solution import double\ndef test_two():\n    assert double(2) == 4\n"


def make_suite_row():
    """Return a suite task as a row."""
    suite = Suite(files=(SuiteFile(path="test_it.py", content=TESTS),))
    candidate = dataclasses.replace(TASK.proven.candidate, style=TaskStyle.SUITE, suite=suite, tests=())
    proven = dataclasses.replace(TASK.proven, candidate=candidate, tests=())
    return json.loads(json.dumps(to_row(dataclasses.replace(TASK, proven=proven)), default=str))


@pytest.fixture(scope="module")
def address():
    with serving_here(ServerSettings(most_request_s=1, concurrency=1)) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.mark.parametrize("row", [ROW, make_suite_row()], ids=["function", "suite"])
def test_a_request_whose_time_is_over_gets_no_verdict(address, row):
    row = {**row, "limits_json": json.dumps({**json.loads(row["limits_json"]), "wall_s": 200})}
    answer = httpx.post(f"{address}/judge", json={"row": row, "solution": SLEEPS}, timeout=300).json()
    assert (answer["passed"], answer["reward"], answer["reason"]) == (None, None, "no_verdict")
    assert "longer than 1 s" in answer["detail"]


def test_so_does_a_run(address):
    body = {"code": "import time; time.sleep(1000)", "language": "python", "run_timeout": 100}
    answer = httpx.post(f"{address}/run_code", json=body, timeout=300).json()
    assert answer["status"] == "SandboxError"
    assert "longer than 1 s" in answer["message"]


def test_the_sandboxes_of_a_client_that_hangs_up_are_closed_and_its_turn_is_over():
    with serving_here(ServerSettings(concurrency=1)) as port:
        base = f"http://127.0.0.1:{port}"
        body = {"code": "import time; time.sleep(1000)", "language": "python", "run_timeout": 110}
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(f"{base}/run_code", json=body, timeout=httpx.Timeout(300, read=2))
        deadline = time.monotonic() + 300
        while 'answer="gone"' not in httpx.get(f"{base}/metrics", timeout=300).text and time.monotonic() < deadline:
            time.sleep(0.05)
        answer = httpx.post(f"{base}/run_code", json={"code": "print(1)", "language": "python"}, timeout=300)
        assert answer.json()["run_result"]["stdout"] == "1\n"
        assert 'answer="gone"' in httpx.get(f"{base}/metrics", timeout=300).text


def test_a_session_opened_after_the_time_is_closed_and_nothing_ends_after_the_request(backend):
    timed, clock = TimedBackend(backend), Clock()
    with running(clock):
        session = timed.open(Job(limits=Limits()))
        clock.end("too long")
        with pytest.raises(SandboxError, match="too long"):
            timed.open(Job(limits=Limits()))
        with pytest.raises(SandboxError, match="closed"):
            session.converse(Run(argv=("true",)))
    stopped = Clock()
    with running(stopped):
        kept = timed.open(Job(limits=Limits()))
    stopped.end("too late")
    assert stopped.why_over == ""
    kept.close()


def test_seconds_must_be_positive_and_finite():
    for options in ({"most_request_s": 0}, {"most_session_s": float("inf")}, {"most_request_s": float("nan")}):
        with pytest.raises(ConfigError, match="positive and finite"):
            ServerSettings(**options)
