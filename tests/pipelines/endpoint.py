"""A model endpoint that behaves badly: a real server on a local port."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import yaml

SPECIFICATION = {
    "title": "Bright hours",
    "entry_point": "bright",
    "parameters": [
        {"name": "light", "type": "list[int]", "constraints": []},
        {"name": "limit", "type": "int", "constraints": []},
    ],
    "returns": "list[int]",
    "examples": [
        {"call": "bright([1, 5], 3)", "result": "[1]"},
        {"call": "bright([], 3)", "result": "[]"},
        {"call": "bright([4, 4], 3)", "result": "[0, 1]"},
    ],
    "checker": "exact",
    "tags": [],
    "reference": "def bright(light, limit):\n    return [h for h, x in enumerate(light) if x > limit]\n",
    "second_solution": "",
}
HANG_S = 600


class _Behaviour(BaseHTTPRequestHandler):
    """Behaves as the first word of the topic says; ``once-N`` fails with status N the first time only."""

    asked: list[str]
    released: threading.Event

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        topic = body["messages"][1]["content"].split("Topic: ", 1)[1].split()[0]
        self.asked.append(topic)
        kind, _, number = topic.partition("-")
        if kind == "status" or (kind == "once" and self.asked.count(topic) == 1):
            self._answer(int(number), {"error": {"message": f"no, says {self.headers['Authorization']}"}})
        elif kind == "hang":
            self.released.wait(HANG_S)
        elif kind == "half":
            text = json.dumps(_completion(topic))
            whole = number == "whole"
            self._send(200, text[: len(text) // 2].encode(), len(text) // 2 if whole else len(text))
        else:
            self._answer(200, _completion(topic))

    def _answer(self, status: int, content: object) -> None:
        data = json.dumps(content).encode()
        self._send(status, data, len(data))

    def _send(self, status: int, data: bytes, promised: int) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(promised))
        self.end_headers()
        self.wfile.write(data)
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        pass


def _completion(topic: str) -> dict[str, object]:
    statement = f"Topic {topic}. Return the hours, counted from 0, at which the light is brighter than the limit."
    message = {"role": "assistant", "content": json.dumps({**SPECIFICATION, "statement": statement})}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": "toy",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 20, "total_tokens": 30},
    }


@contextmanager
def serve() -> Iterator[tuple[str, list[str]]]:
    """Give the base URL of a running endpoint, and the topics that it has been asked for."""
    asked: list[str] = []
    released = threading.Event()
    behaviour = type("Endpoint", (_Behaviour,), {"asked": asked, "released": released})
    server = ThreadingHTTPServer(("127.0.0.1", 0), behaviour)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", asked
    finally:
        released.set()
        server.shutdown()
        server.server_close()
        thread.join()


def list_topics(*words: str) -> str:
    """Return a topic file whose topics make the endpoint behave as the words say."""
    entries = [{"id": word, "topic": f"{word} behaves the endpoint when it is asked for this topic"} for word in words]
    return yaml.safe_dump({"topics": entries})
