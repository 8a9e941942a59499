"""A real HTTP server that speaks chat.completions, and misbehaves on request."""

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from schemas.config import Model
from schemas.model import Message, ModelRequest
from schemas.store import ContentStore
from seeds.models.live import LiveClient
from seeds.models.recorded import RecordedReplies
from seeds.models.stored import StoredReplies


@dataclass
class Answer:
    """What the server does with one request."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    hang_s: float = 0.0
    released: threading.Event = field(default_factory=threading.Event)
    """Ends the hanging when it's set."""
    claimed_length: int | None = None


def completion(
    text: str | None = "fine",
    *,
    finish: str = "stop",
    usage: dict[str, Any] | None = None,
    message: dict[str, Any] | None = None,
) -> Answer:
    body = {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": text, **(message or {})},
            }
        ],
        "usage": {"prompt_tokens": 10, "completion_tokens": 20, "total_tokens": 30, **(usage or {})},
    }
    return Answer(body=json.dumps(body).encode())


def failure(
    status: int, *, words: str = "no", code: str | None = None, param: str | None = None, **headers: str
) -> Answer:
    body = {"error": {"message": words, "type": "error", "code": code, "param": param}}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status=status, body=json.dumps(body).encode(), headers=named)


class Endpoint:
    """Answers from a list first and then from a rule, and remembers what was asked."""

    def __init__(self) -> None:
        self.script: list[Answer] = []
        self.rule: Callable[[dict[str, Any]], Answer] = lambda _: completion()
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def next_answer(self, body: dict[str, Any], key: str) -> Answer:
        with self._lock:
            self.asked.append(body)
            self.keys.append(key)
            return self.script.pop(0) if self.script else self.rule(body)

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _handler(endpoint) -> type[BaseHTTPRequestHandler]:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                answer = endpoint.next_answer(body, self.headers.get("Authorization", ""))
                answer.released.wait(answer.hang_s)
                self.send_response(answer.status)
                for name, value in {"Content-Type": "application/json", **answer.headers}.items():
                    self.send_header(name, value)
                length = answer.claimed_length
                self.send_header("Content-Length", str(len(answer.body) if length is None else length))
                self.end_headers()
                with contextlib.suppress(OSError):
                    self.wfile.write(answer.body)
                if length is not None:
                    self.close_connection = True

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                pass

        return Handler


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    server = Endpoint()
    yield server
    server.close()


@pytest.fixture
def open_live(endpoint: Endpoint, tmp_path: Path) -> Iterator[Callable[..., LiveClient]]:
    clients: list[LiveClient] = []

    def build(
        *,
        recorded: RecordedReplies | None = None,
        failures_to_open: int = 5,
        cooldown_s: float = 30,
        patience_s: float = 5,
        **settings: Any,
    ) -> LiveClient:
        section = Model.model_validate(
            {
                "mode": "live",
                "name": "m",
                "base_url": endpoint.url,
                "timeout_s": 30,
                "max_retries": 2,
                "api_key_env": "TASKFOUNDRY_TEST_KEY",
                **settings,
            }
        )
        stored = StoredReplies(ContentStore(str(tmp_path / "store")), "m")
        client = LiveClient(
            section,
            stored,
            recorded or RecordedReplies(),
            backoff_s=0.01,
            failures_to_open=failures_to_open,
            cooldown_s=cooldown_s,
            patience_s=patience_s,
        )
        clients.append(client)
        return client

    yield build
    for client in clients:
        client.close()


@pytest.fixture
def ask_for() -> Callable[..., ModelRequest]:
    def build(text: str = "hello", *, schema: str = "", sample: int = 0) -> ModelRequest:
        return ModelRequest(
            purpose="topic_spec",
            messages=(Message(role="system", content="be exact"), Message(role="user", content=text)),
            schema_json=schema,
            sample=sample,
            subject="t",
        )

    return build


@pytest.fixture
def answers() -> type:
    """The builders of answers, for tests that can't import this file by name."""

    class Answers:
        ok = staticmethod(completion)
        fail = staticmethod(failure)
        raw = Answer

    return Answers
