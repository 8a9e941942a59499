"""What the endpoint at hand understands: which way of asking for JSON, and which parameter names.

Used by the live client. The first request is the probe: it starts at the strongest rung (``json_schema``) and steps
down to ``json_object`` and to a fenced block when the endpoint refuses; what worked is kept for the client's life.
Method: own; servers that answer 500 to ``json_schema`` are common, so a repeated 500 counts as a refusal too.
"""

import json
import threading
from contextlib import AbstractContextManager, nullcontext
from enum import IntEnum

from openai.types.chat import ChatCompletionMessageParam
from openai.types.chat.completion_create_params import ResponseFormat

from schemas.model import ModelRequest


class Rung(IntEnum):
    """Ways of asking for JSON, strongest first."""

    JSON_SCHEMA = 0
    JSON_OBJECT = 1
    FENCED = 2


_ASK_FOR_OBJECT = "\n\nAnswer with one JSON object that fits this JSON Schema:\n{schema}"
_ASK_FOR_FENCE = (
    "\n\nAnswer with one fenced ```json block and nothing else. "
    "It holds one object that fits this JSON Schema:\n{schema}"
)
_OWN_FAULT = ("context_length_exceeded", "content_policy_violation", "string_above_max_length")


class Dialect:
    """What one endpoint was found to understand."""

    def __init__(self) -> None:
        self._rung = Rung.JSON_SCHEMA
        self._proven = False
        self._lock = threading.RLock()
        self._turn = threading.Lock()
        self.short_token_name = True
        """Whether the limit is called ``max_tokens`` and not ``max_completion_tokens``."""
        self.takes_temperature = True

    @property
    def rung(self) -> Rung:
        """The rung that the next request uses."""
        return self._rung

    def turn(self, request: ModelRequest) -> AbstractContextManager[object]:
        """Return a lock until the rung is known, so that one request at a time does the probing."""
        return nullcontext() if self._proven or not request.schema_json else self._turn

    def prove(self, rung: Rung) -> None:
        """Keep a rung that worked."""
        with self._lock:
            if not self._proven:
                self._rung, self._proven = rung, True

    def step_down(self, rung: Rung, status: int, code: str | None) -> bool:
        """Return whether another rung is worth trying after the endpoint refused this one.

        Args:
            rung: the rung that was refused.
            status: HTTP status of the refusal.
            code: error code in its body; some speak of the request and not of the format.
        """
        with self._lock:
            if self._proven or status not in {400, 422, 500, 501} or code in _OWN_FAULT:
                return False
            if rung is Rung.FENCED:
                self._rung = Rung.JSON_SCHEMA
                return False
            self._rung = Rung(rung + 1)
            return True

    def rename(self, parameter: str | None, words: str) -> bool:
        """Return whether an unsupported parameter was found and is spelled otherwise, or left out, from now on."""
        with self._lock:
            if self.short_token_name and (parameter == "max_tokens" or "max_completion_tokens" in words):
                self.short_token_name = False
                return True
            if self.takes_temperature and parameter == "temperature":
                self.takes_temperature = False
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
