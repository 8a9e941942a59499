import gzip
import json
import re
import socket
from contextlib import suppress

import httpx
import pytest

from sandbox.server.audit import AuditLog
from sandbox.server.bounds import check_limits
from sandbox.server.judging import read_reward_config
from sandbox.server.settings import ServerSettings
from schemas.errors import ConfigError
from schemas.limits import Limits
from schemas.row import to_row
from tests.builders import make_task
from tests.sandbox.server.serving import running_server

ROW = json.loads(json.dumps(to_row(make_task("t")), default=str))
TRUTH = json.loads(ROW["reward_model"]["ground_truth"])
RIGHT = "def double(n):\n    return n + n\n"


@pytest.fixture(scope="module")
def address():
    with running_server("--concurrency", "1") as (_, found):
        yield found


def post(address, path, body):
    content = body if isinstance(body, str | bytes) else json.dumps(body)
    return httpx.post(address + path, content=content, timeout=60, headers={"Content-Type": "application/json"})


def with_limits(**changes):
    return {**ROW, "limits_json": json.dumps({**json.loads(ROW["limits_json"]), **changes})}


@pytest.mark.parametrize(
    "solution",
    [
        "def double(n):\n    raise ValueError('\\ud800')\n",
        "raise ValueError('\\ud800')\n",
        "class \\ud800x(Exception): pass\n",
        "text = '\ud800'\n",
    ],
)
def test_no_text_of_a_solution_can_keep_its_verdict_from_being_told(address, solution):
    answer = post(address, "/judge", {"row": ROW, "solution": solution})
    assert (answer.status_code, answer.json()["reward"]) == (200, 0.0)


def test_files_with_odd_names_are_fetched(address):
    code = "import os\nos.mkdir('out')\nopen(b'out/\\xff', 'w').write('x')\nopen('out/\\n', 'w').write('y')\n"
    answer = post(address, "/run_code", {"code": code, "language": "python", "fetch_files": ["out"]})
    assert answer.status_code == 200
    assert sorted(answer.json()["files"].values()) == ["eA==", "eQ=="]


@pytest.mark.parametrize(
    "trick",
    [
        "os.mkdir('out'); os.chmod('out', 0)",
        "os.symlink('/proc/self', 'out')",
        "os.symlink('/etc', 'out')",
        "os.symlink('out', 'out')",
        "os.mkdir('out'); os.mkfifo('out/mem')",
        "os.makedirs('out/mem'); os.chmod('out/mem', 0)",
    ],
)
def test_no_program_can_make_the_fetching_of_files_fail_the_sandbox_or_lead_out_of_its_folder(address, trick):
    body = {"code": f"import os\n{trick}\n", "language": "python", "fetch_files": ["out/mem", "out/passwd"]}
    answer = post(address, "/run_code", body).json()
    assert (answer["status"], answer["files"]) == ("Success", {})


@pytest.mark.parametrize(
    "body",
    [
        '{"code": "1", "language": "python", "run_timeout": NaN}',
        '{"code": "1", "language": "python", "run_timeout": 1e999}',
        '{"code": "1", "language": "python", "memory_limit_MB": 1e999}',
        '{"code": "1", "language": "\\ud800"}',
        '{"code": "1", "language": "python", "files": {"\\ud800": "*"}}',
        '{"code": "1", "language": "python", "files": {"x": "\\u00e9"}}',
        '{"code": "1", "language": "python", "files": {"a": "", "a/b": ""}}',
        json.dumps({"code": "1", "language": "python", "files": {"x" * 256: ""}}),
        json.dumps({"code": "1", "language": "python", "files": {"x/" * 600 + "x": ""}}),
        json.dumps({"code": "1", "language": "python", "fetch_files": ["x" * 256]}),
        json.dumps({"code": ["x" * 100_000], "language": "python"}),
    ],
)
def test_what_is_wrong_with_a_request_is_told_without_repeating_it(address, body):
    answer = post(address, "/run_code", body)
    assert answer.status_code == 422
    assert len(answer.text) < 2000


@pytest.mark.parametrize(
    "row",
    [
        with_limits(network=True),
        with_limits(syscall_filter="none"),
        with_limits(cpu_s=float("nan")),
        with_limits(cpu_s=1e18, wall_s=1e300),
        with_limits(memory_mb=0),
        with_limits(memory_mb=10**400),
        with_limits(disk_mb=-1),
        with_limits(stdout_mb=float("inf")),
        with_limits(processes=-5),
        {**ROW, "checker_rel_tol": -1.0},
        {**ROW, "checker_abs_tol": float("nan")},
        {**ROW, "baseline_failed": "x"},
        {**ROW, "baseline_failed": 10**400},
        {**ROW, "language": ["python"]},
        {**ROW, "language": "cobol"},
        {**ROW, "reference_solution": 7},
        {**ROW, "task_id": "\ud800"},
        {**ROW, "task_id": ["t"]},
        {**ROW, "hidden_tests": [{**test, "input": [1]} for test in ROW["hidden_tests"]]},
    ],
    ids=range(19),
)
def test_a_row_is_refused_when_it_asks_for_too_much_or_holds_values_of_other_types(address, row):
    assert post(address, "/judge", {"row": row, "solution": RIGHT}).status_code == 422


@pytest.mark.parametrize(
    "truth",
    [
        "[" * 100_000,
        json.dumps({**TRUTH, "reference_chars": 10**12}),
        json.dumps({**TRUTH, "reference_chars": -1}),
        json.dumps({**TRUTH, "limits": {**TRUTH["limits"], "network": True}}),
        "\ud800",
    ],
    ids=range(5),
)
def test_a_ground_truth_is_refused_likewise(address, truth):
    assert post(address, "/judge", {"ground_truth": truth, "solution": RIGHT}).status_code == 422


def test_where_no_token_is_asked_for_any_is_taken(address):
    for token in ("Bearer x", "Basic eDp5", "Basic \xe9"):
        answer = httpx.get(address + "/capability", headers={"Authorization": token.encode("latin-1")}, timeout=60)
        assert answer.status_code == 200


def test_a_token_is_compared_by_its_bytes_and_nothing_that_is_none_breaks_the_door():
    with running_server(token="käse") as (_, found):
        for borne, status in (
            ("Bearer käse", 200),
            ("Basic é", 401),
            ("Bearer kase", 401),
            ("Bearer", 401),
            ("é", 401),
        ):
            answer = httpx.get(found + "/capability", headers={"Authorization": borne.encode()}, timeout=60)
            assert answer.status_code == status


def exchange(address, *pieces):
    """Return what a server says to bytes of any kind until it hangs up."""
    host, _, port = address.removeprefix("http://").partition(":")
    said = b""
    with socket.create_connection((host, int(port)), timeout=60) as client, suppress(ConnectionError):
        for piece in pieces:
            client.sendall(piece)
        while piece := client.recv(65536):
            said += piece
    return said


def write_request(path, *headers, body=b"", method=b"POST"):
    length = b"Content-Length: %d" % len(body)
    return b"\r\n".join([method + b" " + path + b" HTTP/1.1", b"Host: x", length, *headers, b"", body])


def test_a_body_with_two_lengths_is_refused_and_the_connection_closed(address):
    body = b"0\r\n\r\nGET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"
    said = exchange(address, write_request(b"/run_code", b"Transfer-Encoding: chunked", body=body))
    assert said.startswith(b"HTTP/1.1 400")
    assert said.count(b"HTTP/1.1") == 1


def test_endless_headers_are_cut_off(address):
    said = exchange(address, b"GET /healthz HTTP/1.1\r\nX: ", *[b"x" * 2**20] * 16)
    assert b"200 OK" not in said
    assert httpx.get(address + "/healthz", timeout=60).status_code == 200


def test_requests_in_one_piece_are_answered_in_their_order(address):
    bodies = [json.dumps({"code": f"print({n})", "language": "python"}).encode() for n in range(3)]
    kind = b"Content-Type: application/json"
    last = write_request(b"/healthz", b"Connection: close", method=b"GET")
    said = exchange(address, b"".join(write_request(b"/run_code", kind, body=body) for body in bodies) + last)
    assert re.findall(rb'"stdout":"(.)', said) == [b"0", b"1", b"2"]


@pytest.mark.parametrize(
    "body",
    [
        b'{"row":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"row": {"a": ' + b"9" * 100_000 + b"}}",
        gzip.compress(b"{}"),
    ],
    ids=["deep", "long", "packed"],
)
def test_what_is_no_json_of_a_sane_size_is_refused(address, body):
    assert post(address, "/judge", body).status_code in {400, 422}


def test_reward_options_have_types():
    assert read_reward_config({"mode": "soft"}).mode.value == "soft"
    deep: object = "soft"
    for _ in range(2000):
        deep = [deep]
    for options in ({"mode": "half"}, {"strict_format": [1]}, {"length_free": "x"}, {"\ud800": 1}, {"mode": deep}):
        with pytest.raises(ConfigError, match="reward option"):
            read_reward_config(options)


def test_limits_up_to_the_settings_are_taken():
    settings = ServerSettings(most_memory_mb=1024, most_timeout_s=10)
    check_limits(Limits(memory_mb=1024, cpu_s=10, wall_s=20), settings)
    with pytest.raises(ConfigError, match=r"wall_s is 20\.5; this service gives more than 0 and at most 20"):
        check_limits(Limits(memory_mb=1024, cpu_s=10, wall_s=20.5), settings)


def test_the_network_is_given_only_where_the_service_allows_it():
    check_limits(Limits(network=True), ServerSettings(allow_network=True))
    with pytest.raises(ConfigError, match="network"):
        check_limits(Limits(network=True), ServerSettings())


def test_a_moved_audit_log_is_begun_again(tmp_path):
    log = AuditLog(tmp_path / "log")
    log.add(answer="one")
    (tmp_path / "log").rename(tmp_path / "log.1")
    log.add(answer="two")
    (tmp_path / "log").unlink()
    log.add(answer="three")
    log.close()
    assert [json.loads((tmp_path / name).read_text())["answer"] for name in ("log.1", "log")] == ["one", "three"]


def test_requests_are_answered_though_the_audit_log_is_full(address):
    with running_server("--audit", "/dev/full") as (_, found):
        assert post(found, "/run_code", {"code": "print(1)", "language": "python"}).json()["status"] == "Success"
        assert "taskfoundry_audit_lines_lost 1.0" in httpx.get(found + "/metrics", timeout=60).text
