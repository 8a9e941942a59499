"""Strangers at the WebSocket of a real service: what they may not have, and that nothing they send hurts it."""

import io
import json
import socket
import struct
import tarfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from sandbox.messages import Message, decode_message
from sandbox.server.session_agent import check_limits
from sandbox.server.settings import ServerSettings
from sandbox.trees import digest_of
from schemas.limits import Limits
from tests.sandbox.server.serving import running_server, serving_here

TOKEN = "a-token-for-tests"
HEADERS = {"Authorization": f"Bearer {TOKEN}"}
LIMITS = asdict(Limits(cpu_s=5, wall_s=20, memory_mb=128, disk_mb=8, processes=16))


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    log = tmp_path_factory.mktemp("audit") / "audit.jsonl"
    options = ("--sessions", "8", "--max-body-mb", "1", "--cache-mb", "8", "--audit", str(log))
    with running_server(*options, token=TOKEN) as (_, address):
        yield address, log


@contextmanager
def connected(address: str) -> Iterator[ClientConnection]:
    with connect(f"{address.replace('http', 'ws')}/sandbox", additional_headers=HEADERS, compression=None) as opened:
        yield opened


@pytest.fixture
def wire(service: tuple[str, Path]) -> Iterator[ClientConnection]:
    """A connection; behind every test the service still works."""
    with connected(service[0]) as opened:
        yield opened
    with connected(service[0]) as honest:
        assert ask(honest, "open", job=make_job()).header["session"] == 1
        answer = ask(honest, "run", session=1, run={"argv": ["/bin/echo", "fine"]})
        assert answer.part("outcome")["state"] == "OK"


def ask(wire: ClientConnection, order: object, *blobs: bytes, **values: object) -> Message:
    wire.send(Message({"order": order, "id": 1, **values}, list(blobs)).encode())
    data = wire.recv(timeout=100)
    assert isinstance(data, bytes)
    return decode_message(data)


def await_no_session(address: str) -> None:
    """Wait until the service has forgotten all sessions: it does so after their connections have been closed."""
    until = time.monotonic() + 100
    while "taskfoundry_sessions 0.0" not in (text := httpx.get(f"{address}/metrics", headers=HEADERS, timeout=60).text):
        assert time.monotonic() < until, text
        time.sleep(0.02)


def refused(answer: Message) -> str:
    words = answer.part("error")["words"]
    assert isinstance(words, str)
    return words


def make_job(**changes: object) -> dict[str, object]:
    return {
        "limits": LIMITS, "files": {}, "env": {}, "language": "python", "mounts": [], "stored": {}, **changes
    }  # fmt: skip


def store(wire: ClientConnection, content: bytes, kind: str = "tree") -> tuple[str, Message]:
    key = f"{kind}-{digest_of(content)}"
    return key, ask(wire, "store", content, key=key, offset=0, size=len(content))


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic !"}])
def test_without_the_token_there_is_no_connection(service: tuple[str, Path], headers: dict[str, str]) -> None:
    url = f"{service[0].replace('http', 'ws')}/sandbox"
    with pytest.raises(InvalidStatus) as caught, connect(url, additional_headers=headers):
        pass
    assert caught.value.response.status_code == 401
    assert caught.value.response.headers["X-Request-Id"]


def test_every_other_path_needs_the_token_too(service: tuple[str, Path]) -> None:
    with pytest.raises(InvalidStatus) as caught, connect(f"{service[0].replace('http', 'ws')}/nowhere"):
        pass
    assert caught.value.response.status_code == 401


def test_one_session_too_many_is_told_to_come_again(service: tuple[str, Path]) -> None:
    await_no_session(service[0])
    opened = [connect(f"{service[0].replace('http', 'ws')}/sandbox", additional_headers=HEADERS) for _ in range(8)]
    wires = [one.__enter__() for one in opened]
    with pytest.raises(InvalidStatus) as caught, connected(service[0]):
        pass
    for one in wires:
        one.__exit__(None, None, None)
    await_no_session(service[0])
    assert caught.value.response.status_code == 429
    assert caught.value.response.headers["Retry-After"] == "1"
    assert b"8 sessions" in (caught.value.response.body or b"")


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"\xff" * 100,
        struct.pack("!I", 5) + b"{]}!!",
        struct.pack("!I", 2) + b"[]",
        struct.pack("!I", 100_000) + b"[" * 100_000,
        Message({"order": "open"}).encode() + b"more",
        Message({"order": "send", "line": []}).encode(),
        Message({"order": ["open"]}).encode(),
        Message({"line": 1}).encode(),
        "text",
    ],
)
def test_garbage_ends_the_connection_that_sends_it(wire: ClientConnection, frame: bytes | str) -> None:
    wire.send(frame)
    with pytest.raises(ConnectionClosed):
        wire.recv(timeout=100)


def test_a_huge_message_is_refused_at_its_first_bytes(wire: ClientConnection) -> None:
    wire.socket.sendall(b"\x82\xff" + struct.pack("!Q", 1 << 30) + b"mask" + b"x" * 1000)
    with pytest.raises(ConnectionClosed) as caught:
        wire.recv(timeout=100)
    assert caught.value.rcvd is not None
    assert caught.value.rcvd.code == 1009


def test_half_a_message_holds_up_nobody(wire: ClientConnection, service: tuple[str, Path]) -> None:
    wire.socket.sendall(b"\x82\xff" + struct.pack("!Q", 1 << 19) + b"mask" + b"x" * 1000)
    assert httpx.get(f"{service[0]}/healthz", timeout=60).status_code == 200


@pytest.mark.parametrize("order", ["dance", "hello", "wake", "__init__", ""])
def test_unknown_orders_are_refused(wire: ClientConnection, order: object) -> None:
    assert refused(ask(wire, order))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"mounts": [{"target": "/opt/x", "place": "/etc"}]}, "mount of a message is dict, not list"),
        ({"mounts": [["/opt/x"]]}, "isn't a target and a key"),
        ({"mounts": [["/opt/x", 5]]}, "key of a message is int"),
        ({"stored": []}, "stored of a message is list"),
        ({"files": {"../x": 0}}, "can't be the name of a file"),
        ({"files": {"x": 7}}, "names blob 7"),
        ({"files": {"\ud800": 0}}, "can't be carried out"),
        ({"env": {"A": 1}}, "env of a message is int"),
        ({"language": 5}, "language of a message is int"),
        ({"limits": {}}, None),
        ({"limits": {**LIMITS, "cpu_s": float("nan")}}, "cpu_s is nan"),
        ({"limits": {**LIMITS, "wall_s": float("inf")}}, "wall_s is inf"),
        ({"limits": {**LIMITS, "memory_mb": -1}}, "memory_mb is -1"),
        ({"limits": {**LIMITS, "memory_mb": 10**12}}, "doesn't give memory_mb"),
        ({"limits": {**LIMITS, "disk_mb": 10**12}}, "doesn't give disk_mb"),
        ({"limits": {**LIMITS, "stdout_mb": 10**12}}, "doesn't give stdout_mb"),
        ({"limits": {**LIMITS, "processes": 10**12}}, "doesn't give processes"),
        ({"limits": {**LIMITS, "network": True}}, "doesn't give a network"),
        ({"limits": {**LIMITS, "network": 1}}, "network of a message is int"),
        ({"limits": {**LIMITS, "syscall_filter": "../../none"}}, "../../none"),
        ({"limits": {**LIMITS, "root": True}}, "unknown root"),
    ],
)
def test_jobs_that_are_none_are_refused(wire: ClientConnection, changes: dict[str, object], words: str | None) -> None:
    answer = ask(wire, "open", b"x", job=make_job(**changes))
    if "session" in answer.header:  # what only a start can find out comes with the first one
        answer = ask(wire, "run", session=1, run={"argv": ["/bin/true"]})
    assert words is None or words in refused(answer)


@pytest.mark.parametrize(
    "run",
    [
        {},
        {"argv": "x"},
        {"argv": []},
        {"argv": ["a\0b"]},
        {"argv": ["\ud800"]},
        {"argv": ["/bin/true"], "env": {"A=B": "\0"}},
        {"argv": ["/bin/true"], "stdin": 9},
        {"argv": [1]},
    ],
)
def test_runs_that_are_none_are_answered(wire: ClientConnection, run: dict[str, object]) -> None:
    ask(wire, "open", job=make_job())
    answer = ask(wire, "run", session=1, run=run)
    assert "error" in answer.header or answer.part("outcome")["state"] != "OK"
    answer = ask(wire, "converse", session=1, run=run)
    assert "error" in answer.header or ask(wire, "hang_up", line=answer.header["line"]).part("outcome")


def test_numbers_of_others_and_of_nobody_are_refused(wire: ClientConnection, service: tuple[str, Path]) -> None:
    assert ask(wire, "open", job=make_job()).header["session"] == 1
    line = ask(wire, "converse", session=1, run={"argv": ["/bin/cat"]}).header["line"]
    with connected(service[0]) as other:
        for session in (1, 2, -1, 2**70):
            assert refused(ask(other, "run", session=session, run={"argv": ["/bin/true"]}))
            assert refused(ask(other, "close", session=session))
        for order in ("send", "usage", "hang_up"):
            assert refused(ask(other, order, b"x", line=line))
        assert refused(ask(other, "receive", line=line, size=1, deadline_s=1))
    ask(wire, "send", b"mine", line=line)
    assert ask(wire, "receive", line=line, size=4, deadline_s=20).blob(0) == b"mine"


def test_one_connection_has_one_session_and_a_few_conversations(wire: ClientConnection) -> None:
    ask(wire, "open", job=make_job())
    assert "one session" in refused(ask(wire, "open", job=make_job()))
    for _ in range(8):
        assert "line" in ask(wire, "converse", session=1, run={"argv": ["/bin/cat"]}).header
    assert "at most 8" in refused(ask(wire, "converse", session=1, run={"argv": ["/bin/cat"]}))
    for deadline_s in (float("inf"), float("nan"), -1.0, 1e9):
        assert refused(ask(wire, "receive", line=2, size=1, deadline_s=deadline_s))
    assert refused(ask(wire, "receive", line=2, size=1 << 40, deadline_s=1))


def test_a_silent_client_loses_its_session() -> None:
    with serving_here(ServerSettings(session_idle_s=3)) as port, connected(f"http://127.0.0.1:{port}") as wire:
        ask(wire, "open", job=make_job())
        ask(wire, "converse", session=1, run={"argv": ["/bin/cat"]})
        with pytest.raises(ConnectionClosed) as caught:
            wire.recv(timeout=100)
        assert caught.value.rcvd is not None
        assert caught.value.rcvd.reason == "idle"
        await_no_session(f"http://127.0.0.1:{port}")


def test_a_session_ends_with_its_time_however_busy_its_client_is() -> None:
    with serving_here(ServerSettings(most_session_s=3)) as port, connected(f"http://127.0.0.1:{port}") as wire:
        with pytest.raises(ConnectionClosed) as caught:
            be_busy(wire)
        assert caught.value.rcvd is not None
        assert caught.value.rcvd.reason == "over"


def be_busy(wire: ClientConnection) -> None:
    """Run programs in a session for ever."""
    ask(wire, "open", job=make_job())
    while True:
        ask(wire, "run", session=1, run={"argv": ["/bin/true"]})


def test_a_run_that_ends_at_the_service_s_seconds_is_no_verdict() -> None:
    with serving_here(ServerSettings(most_timeout_s=2)) as port, connected(f"http://127.0.0.1:{port}") as wire:
        ask(wire, "open", job=make_job())
        assert ask(wire, "run", session=1, run={"argv": ["/bin/true"]}).part("outcome")["state"] == "OK"
        spin = {"argv": ["/bin/sh", "-c", "while :; do :; done"]}
        assert "at the service's limit of seconds" in refused(ask(wire, "run", session=1, run=spin))


def test_seconds_beyond_the_service_s_are_no_verdict() -> None:
    settings = ServerSettings(most_timeout_s=2)
    given, is_clamped = check_limits(Limits(cpu_s=100, wall_s=100), settings)
    assert (given.cpu_s, given.wall_s, is_clamped) == (2, 10, True)
    assert check_limits(Limits(cpu_s=1, wall_s=5), settings) == (Limits(cpu_s=1, wall_s=5), False)


def make_archive(*entries: tuple[str, bytes, str]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name, kind, said in entries:
            entry = tarfile.TarInfo(name)
            entry.type = kind
            if kind == tarfile.REGTYPE:
                entry.size = len(said)
                archive.addfile(entry, io.BytesIO(said.encode()))
            else:
                entry.linkname = said
                archive.addfile(entry)
    return buffer.getvalue()


TREE = ("tree", tarfile.DIRTYPE, "")


@pytest.mark.parametrize(
    "entries",
    [
        [],
        [("tree", tarfile.SYMTYPE, "/")],
        [("other", tarfile.DIRTYPE, "")],
        [TREE, ("tree/../../x", tarfile.REGTYPE, "x")],
        [TREE, ("/etc/x", tarfile.REGTYPE, "x")],
        [TREE, ("tree/a", tarfile.SYMTYPE, "/etc"), ("tree/a/x", tarfile.REGTYPE, "x")],
        [TREE, ("tree/a", tarfile.SYMTYPE, "/etc/passwd"), ("tree/a", tarfile.REGTYPE, "x")],
        [TREE, ("tree/a", tarfile.LNKTYPE, "/etc/passwd")],
        [TREE, ("tree/a", tarfile.CHRTYPE, "")],
        [TREE, ("tree/a", tarfile.BLKTYPE, "")],
        [TREE, ("tree/a", tarfile.FIFOTYPE, "")],
        [TREE, ("tree/a", tarfile.XHDTYPE, "")],
        [TREE, TREE],
    ],
)
def test_archives_that_lead_elsewhere_are_refused(
    wire: ClientConnection, entries: list[tuple[str, bytes, str]]
) -> None:
    key, answer = store(wire, make_archive(*entries))
    assert "archive" in refused(answer)
    assert ask(wire, "open", job=make_job(mounts=[["/opt/x", key]])).header["missing"] == [key]


def test_a_link_out_of_a_mount_leads_into_the_sandbox_not_into_the_service(wire: ClientConnection) -> None:
    archive = make_archive(TREE, ("tree/a", tarfile.SYMTYPE, "/etc"), ("tree/b", tarfile.REGTYPE, "b"))
    key, answer = store(wire, archive)
    assert "error" not in answer.header
    assert "session" in ask(wire, "open", job=make_job(mounts=[["/opt/x", key]])).header
    script = "cat /opt/x/b; cat /opt/x/a/shadow"
    answer = ask(wire, "run", session=1, run={"argv": ["/bin/sh", "-c", script]})
    assert answer.blob(answer.part("outcome")["stdout"]) == b"b"


def test_contents_come_in_order_with_their_digest_and_within_bounds(wire: ClientConnection) -> None:
    key = f"file-{digest_of(b'abc')}"
    assert "isn't the next" in refused(ask(wire, "store", b"abcd", key=key, offset=0, size=3))
    assert "isn't the next" in refused(ask(wire, "store", b"b", key=key, offset=1, size=3))
    assert "another digest" in refused(ask(wire, "store", b"abd", key=key, offset=0, size=3))
    assert "nothing that was begun" in refused(ask(wire, "store", b"c", key=key, offset=2, size=3))
    assert "over the" in refused(ask(wire, "store", b"a", key=key, offset=0, size=1 << 30))
    assert "no content of ours" in refused(ask(wire, "store", b"a", key="file-../../x", offset=0, size=3))
    assert "no content of ours" in refused(ask(wire, "store", b"", key=key, offset=0, size=-1))
    assert "error" not in ask(wire, "store", b"ab", key=key, offset=0, size=3).header
    assert "error" not in ask(wire, "store", b"c", key=key, offset=2, size=3).header
    assert "session" in ask(wire, "open", job=make_job(stored={"x": key})).header
    answer = ask(wire, "run", session=1, run={"argv": ["/bin/cat", "x"]})
    assert answer.blob(answer.part("outcome")["stdout"]) == b"abc"


def test_a_flood_of_requests_is_answered_in_the_end(wire: ClientConnection) -> None:
    for _ in range(2000):
        wire.send(Message({"order": "usage", "id": 1, "line": 5}, [b"x" * 1000]).encode())
    for _ in range(2000):
        assert wire.recv(timeout=100)


def test_who_hangs_up_at_once_leaves_no_session(service: tuple[str, Path]) -> None:
    for _ in range(20):
        with connected(service[0]) as wire:
            wire.send(Message({"order": "open", "id": 1, "job": make_job()}).encode())
            wire.socket.shutdown(socket.SHUT_RDWR)
    await_no_session(service[0])


def test_sessions_are_counted_and_logged(service: tuple[str, Path]) -> None:
    with connected(service[0]) as wire:
        ask(wire, "open", job=make_job())
        ask(wire, "run", session=1, run={"argv": ["/bin/true"]})
    await_no_session(service[0])
    until, ends = time.monotonic() + 20, []
    while ("closed", 1) not in ends and time.monotonic() < until:
        lines = [json.loads(line) for line in service[1].read_text().splitlines()]
        ends = [(line["answer"], line["runs"]) for line in lines if line["endpoint"] == "sandbox"]
    assert ("closed", 1) in ends
    assert all(line["request"] for line in lines)
    assert TOKEN not in service[1].read_text()
