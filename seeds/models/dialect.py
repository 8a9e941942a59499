"""What the endpoint at hand understands: which way of asking for JSON, and which parameter names.

Used by the live client. The first request is the probe: it starts at the strongest rung (``json_schema``) and steps
down to ``json_object`` and to a fenced block when the endpoint refuses; what worked is kept for the client's life.
Method: own; servers that answer 500 to ``json_schema`` are common, so a repeated 500 counts as a refusal too.
"""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import IntEnum

from openai.types.chat import ChatCompletionMessageParam
from openai.types.chat.completion_create_params import ResponseFormat

from schemas.model import ModelRequest


class Rung(IntEnum):
    """Ways of asking for JSON, strongest first."""

    JSON_SCHEMA = 0
    JSON_OBJECT = 1
    FENCED = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Spelling:
    """How a request names its parameters."""

    short_token_name: bool = True
    """Whether the limit is called ``max_tokens`` and not ``max_completion_tokens``."""
    has_temperature: bool = True


_ASK_FOR_OBJECT = "\n\nAnswer with one JSON object that fits this JSON Schema:\n{schema}"
_ASK_FOR_FENCE = (
    "\n\nAnswer with one fenced ```json block and nothing else. "
    "It holds one object that fits this JSON Schema:\n{schema}"
)
_OWN_FAULT = ("context_length_exceeded", "content_policy_violation", "string_above_max_length")


class Dialect:
    """What one endpoint was found to understand.

    Args:
        patience_s: how long a probe may hold up the other requests. Refusals come at once; what takes longer is an
            answer, or a request that hangs.
    """

    def __init__(self, *, patience_s: float = 5.0) -> None:
        self._patience_s = patience_s
        self._changed = threading.Condition()
        self._probing_since: float | None = None
        self._rung = Rung.JSON_SCHEMA
        self._proven = False
        self._lock = threading.RLock()
        self._spelling = Spelling()

    @property
    def rung(self) -> Rung:
        """The rung that the next request uses."""
        return self._rung

    @property
    def spelling(self) -> Spelling:
        """How the next request names its parameters."""
        return self._spelling

    @contextmanager
    def turn(self, request: ModelRequest) -> Iterator[None]:
        """Let one request at a time do the probing until the rung is known; the others wait for it, but not long."""
        if self._proven or not request.schema_json or not self._take_turn():
            yield
            return
        try:
            yield
        finally:
            with self._changed:
                self._probing_since = None
                self._changed.notify_all()

    def _take_turn(self) -> bool:
        """Return whether the caller does the probing; False when it needn't, or when a probe takes too long."""
        with self._changed:
            now = time.monotonic()
            left_s = self._patience_s - (now - (self._probing_since or now))
            self._changed.wait_for(lambda: self._proven or self._probing_since is None, max(left_s, 0.0))
            if self._proven or self._probing_since is not None:
                return False
            self._probing_since = time.monotonic()
            return True

    def prove(self, rung: Rung) -> None:
        """Keep a rung that worked."""
        with self._lock:
            if not self._proven:
                self._rung, self._proven = rung, True
        with self._changed:
            self._changed.notify_all()

    def step_down(self, rung: Rung, status: int, code: str | None) -> bool:
        """Return whether another rung is worth trying after the endpoint refused this one.

        Args:
            rung: the rung that was refused.
            status: HTTP status of the refusal.
            code: error code in its body; some speak of the request and not of the format.
        """
        with self._lock:
            if status not in {400, 422, 500, 501} or code in _OWN_FAULT:
                return False
            if self._proven:
                return rung is not self._rung  # what works was found out while this request was under way
            if rung is Rung.FENCED:
                self._rung = Rung.JSON_SCHEMA
                return False
            self._rung = Rung(max(self._rung, rung + 1))  # others may have found out more meanwhile
            return True

    def rename(self, sent: Spelling, parameter: str | None, words: str) -> bool:
        """Return whether an unsupported parameter was found and is spelled otherwise, or left out, from now on.

        Args:
            sent: how the refused request named them; another one may have found out more meanwhile.
            parameter: what the endpoint complains of, if it says so.
            words: its message.
        """
        with self._lock:
            if sent.short_token_name and (parameter == "max_tokens" or "max_completion_tokens" in words):
                self._spelling = replace(self._spelling, short_token_name=False)
                return True
            if sent.has_temperature and parameter == "temperature":
                self._spelling = replace(self._spelling, has_temperature=False)
                return True
            return False


def build_messages(request: ModelRequest, rung: Rung) -> list[ChatCompletionMessageParam]:
    """Return the chat messages; below the top rung the schema stands in the last one as text."""
    suffix = ""
    if request.schema_json and rung is not Rung.JSON_SCHEMA:
        template = _ASK_FOR_OBJECT if rung is Rung.JSON_OBJECT else _ASK_FOR_FENCE
        suffix = template.format(schema=request.schema_json)
    messages: list[ChatCompletionMessageParam] = []
    last = len(request.messages) - 1
    for number, message in enumerate(request.messages):
        content = message.content + (suffix if number == last else "")
        if message.role == "system":
            messages.append({"role": "system", "content": content})
        elif message.role == "assistant":
            messages.append({"role": "assistant", "content": content})
        else:
            messages.append({"role": "user", "content": content})
    return messages


def build_format(request: ModelRequest, rung: Rung) -> ResponseFormat | None:
    """Return the ``response_format`` of a rung; None asks for plain text."""
    if not request.schema_json or rung is Rung.FENCED:
        return None
    if rung is Rung.JSON_OBJECT:
        return {"type": "json_object"}
    return {
        "type": "json_schema",
        "json_schema": {"name": request.purpose, "schema": json.loads(request.schema_json), "strict": True},
    }
