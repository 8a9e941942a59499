import base64
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from contextlib import suppress

import httpx
import pytest

from sandbox.server.settings import ServerSettings
from schemas.errors import ConfigError
from schemas.row import to_row
from tests.builders import make_task
from tests.sandbox.server.serving import running_server

TOKEN = "a-token-for-tests"
RIGHT = "def double(n):\n    return n + n\n"
WRONG = "def double(n):\n    return n * n\n"


@pytest.fixture(scope="module")
def row():
    return json.loads(json.dumps(to_row(make_task("t")), default=str))


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    log = tmp_path_factory.mktemp("audit") / "audit.jsonl"
    options = ("--max-body-mb", "0.5", "--concurrency", "2", "--audit", str(log))
    with running_server(*options, token=TOKEN) as (_, found):
        yield found, log


@pytest.fixture
def client(address):
    with httpx.Client(base_url=address[0], headers={"Authorization": f"Bearer {TOKEN}"}, timeout=60) as opened:
        yield opened


def run(client, code, **more):
    return client.post("/run_code", json={"code": code, "language": "python", **more})


def test_a_right_and_a_wrong_solution_are_judged_and_rewarded(client, row):
    right = client.post("/judge", json={"row": row, "solution": RIGHT}).json()
    wrong = client.post("/judge", json={"row": row, "solution": WRONG}).json()
    assert (right["passed"], right["reward"], right["reason"]) == (True, 1.0, "solved")
    assert (wrong["passed"], wrong["reward"], wrong["reason"]) == (False, 0.0, "tests_fail")
    assert not all(case["passed"] for case in wrong["cases"])
    assert right["isolation"] == "process"
    assert right["toolchain"].startswith("cpython 3.")


def test_a_completion_is_judged_by_its_block_and_the_ground_truth_is_enough(client, row):
    truth = row["reward_model"]["ground_truth"]
    body = {"ground_truth": truth, "completion": f"Here:\n```python\n{RIGHT}```"}
    assert client.post("/judge", json=body).json()["reward"] == 1.0
    body["completion"] = "I don't know."
    answer = client.post("/judge", json=body).json()
    assert (answer["reward"], answer["reason"]) == (0.0, "no_solution")


def test_the_expected_values_are_not_told(client, row):
    answer = client.post("/judge", json={"row": row, "solution": WRONG})
    assert "expected" not in answer.text


@pytest.mark.parametrize(
    ("code", "more", "status", "run_status", "return_code"),
    [
        ("print(int(input()) * 2)", {"stdin": "21"}, "Success", "Finished", 0),
        ("raise SystemExit(3)", {}, "Failed", "Finished", 3),
        ("while True: pass", {"run_timeout": 1}, "Failed", "TimeLimitExceeded", None),
        ("x = bytearray(10**9)", {"memory_limit_MB": 100}, "Failed", "Finished", 1),
        ("import os; os.kill(os.getpid(), 9)", {}, "Failed", "Finished", 137),
    ],
)
def test_run_code_answers_as_its_clients_expect(client, code, more, status, run_status, return_code):
    answer = run(client, code, **more).json()
    assert (answer["status"], answer["run_result"]["status"]) == (status, run_status)
    if "memory_limit_MB" in more:
        assert answer["run_result"]["return_code"] != 0
    else:
        assert answer["run_result"]["return_code"] == return_code


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js")
def test_a_runtime_that_gives_up_for_want_of_memory_is_at_the_memory_limit(client):
    code = "const kept = []; for (;;) kept.push(new Array(100000).fill(kept.length));"
    answer = run(client, code, language="javascript", memory_limit_MB=200).json()
    assert answer["status"] == "Failed"
    assert answer["message"].startswith("MLE")


@pytest.mark.skipif(shutil.which("go") is None, reason="there is no Go")
def test_a_built_program_gets_the_environment_of_its_language(client):
    code = 'package main\nimport ("fmt"; "os")\nfunc main() { fmt.Print(os.Getenv("GOMEMLIMIT")) }'
    assert run(client, code, language="go", memory_limit_MB=200).json()["run_result"]["stdout"] == "180MiB"


def test_files_go_in_and_come_out(client):
    code = "text = open('in/a.txt').read()\nopen('b.txt', 'w').write(text * 2)"
    files = {"in/a.txt": base64.b64encode(b"ab").decode()}
    answer = run(client, code, files=files, fetch_files=["b.txt"]).json()
    assert base64.b64decode(answer["files"]["b.txt"]) == b"abab"


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (b"{", 422, "json"),
        (json.dumps({"code": "1"}).encode(), 422, "language"),
        (json.dumps({"code": "1", "language": "cobol"}).encode(), 422, "cobol"),
        (json.dumps({"code": "1", "language": "python", "files": {"../x": ""}}).encode(), 422, "isn't inside"),
        (json.dumps({"code": "1", "language": "python", "files": {"x": "*"}}).encode(), 422, "base64"),
        (json.dumps({"code": "1", "language": "python", "run_timeout": -1}).encode(), 422, "run_timeout"),
        (b'{"code": "' + b"x" * 600_000 + b'"}', 413, "over the limit"),
    ],
)
def test_bad_requests_are_refused_with_the_reason(client, body, status, words):
    answer = client.post("/run_code", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == status
    assert words in answer.text.lower()


def test_a_body_of_untold_length_meets_the_limit_too(client):
    answer = client.post("/run_code", content=(b"x" * 100_000 for _ in range(10)))
    assert answer.status_code == 413


@pytest.mark.parametrize(
    "body",
    [
        {"solution": "x"},
        {"row": {}, "solution": "x"},
        {"row": {"task_id": "x"}, "completion": "a", "solution": "b"},
        {"ground_truth": "{}", "solution": "x"},
    ],
)
def test_what_is_no_task_of_ours_is_refused(client, body):
    assert client.post("/judge", json=body).status_code == 422


def test_an_unknown_reward_option_is_refused_with_its_name(client, row):
    answer = client.post("/judge", json={"row": row, "solution": RIGHT, "reward": {"colour": 1}})
    assert answer.status_code == 422
    assert "colour" in answer.text


def test_a_token_is_needed_except_for_health(address, row):
    base = address[0]
    for path in ("/judge", "/run_code"):
        answer = httpx.post(base + path, json={"row": row, "solution": RIGHT}, timeout=60)
        assert (answer.status_code, answer.json()) == (401, {"detail": "a token is needed"})
        assert answer.headers["WWW-Authenticate"] == "Bearer"
    wrong = httpx.get(base + "/metrics", headers={"Authorization": "Bearer wrong"}, timeout=60)
    assert (wrong.status_code, wrong.json()) == (401, {"detail": "the token isn't the service's"})
    assert httpx.get(base + "/healthz", timeout=60).json() == {"status": "ok"}
    assert httpx.get(base + "/readyz", timeout=60).status_code == 200


def test_basic_authentication_serves_clients_that_only_take_an_address(address):
    secret = address[0].replace("http://", f"http://any:{TOKEN}@")
    answer = httpx.post(f"{secret}/run_code", json={"code": "print(1)", "language": "python"}, timeout=60)
    assert answer.json()["run_result"]["stdout"] == "1\n"


def test_everything_is_counted_and_logged_without_programs_and_tokens(client, address):
    marker = "print('a program that must not be logged')"
    answer = run(client, marker)
    metrics = client.get("/metrics").text
    assert 'taskfoundry_requests_total{answer="Success",endpoint="run_code"}' in metrics
    assert "taskfoundry_sandboxes_ready" in metrics
    log = address[1].read_text()
    last = json.loads(log.splitlines()[-1])
    assert (last["endpoint"], last["answer"], last["program_chars"]) == ("run_code", "Success", len(marker))
    assert last["request"] == answer.headers["X-Request-Id"]
    assert "must not be logged" not in log
    assert TOKEN not in log
    assert address[1].stat().st_mode & 0o777 == 0o600


def test_a_public_address_without_a_token_is_refused():
    argv = [sys.executable, "-c", "from pipelines.cli import main; main()", "serve", "--host", "0.0.0.0"]
    env = {name: value for name, value in os.environ.items() if name != "TASKFOUNDRY_TOKEN"}
    done = subprocess.run(argv, env=env, capture_output=True, text=True, check=False, timeout=200)
    assert done.returncode == 2
    assert "no token is set" in done.stderr


def test_a_dataset_that_is_not_there_is_refused_at_the_start(tmp_path):
    with pytest.raises(ConfigError, match="nowhere is no folder; name the output folder of a build"):
        ServerSettings(dataset=tmp_path / "nowhere")


def test_a_full_queue_turns_requests_away_and_says_when_to_come_again(row):
    with running_server("--concurrency", "1", "--waiting", "0") as (process, address):
        body = {"code": "import time; time.sleep(1000)", "language": "python", "run_timeout": 100}

        def keep_busy():
            with suppress(httpx.HTTPError):
                httpx.post(f"{address}/run_code", json=body, timeout=400)

        slow = threading.Thread(target=keep_busy)
        slow.start()
        while httpx.get(f"{address}/metrics", timeout=60).text.find("taskfoundry_working 1.0") < 0:
            pass
        answer = httpx.post(f"{address}/judge", json={"row": row, "solution": RIGHT}, timeout=60)
        clients = httpx.post(f"{address}/run_code", json={"code": "1", "language": "python"}, timeout=60)
        process.kill()
        slow.join()
    assert answer.status_code == 429
    assert int(answer.headers["Retry-After"]) >= 1
    assert clients.status_code == 504  # the one answer after which SandboxFusion's clients try again


def test_a_stopped_server_answers_what_it_has_accepted():
    answers = []
    with running_server() as (process, address):
        body = {"code": "import time; time.sleep(4); print('done')", "language": "python"}
        slow = threading.Thread(target=lambda: answers.append(httpx.post(f"{address}/run_code", json=body, timeout=60)))
        slow.start()
        while slow.is_alive() and httpx.get(f"{address}/metrics", timeout=60).text.find("taskfoundry_working 1.0") < 0:
            pass
        process.send_signal(signal.SIGTERM)
        slow.join()
        assert process.wait(100) == 0
    assert answers[0].json()["run_result"]["stdout"] == "done\n"
