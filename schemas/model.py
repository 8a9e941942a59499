"""What is asked of a model and what came back, and the protocol of whoever does the asking.

Stands before `Candidate` on the road: topics and parents become requests, replies become candidates. The client
lives in `seeds/models/`; operators get it through this protocol. Method: own.
"""

from dataclasses import dataclass
from typing import Protocol

from schemas.canonical import canonical_json, digest_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One chat message."""

    role: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """Everything that determines a reply."""

    purpose: str
    """Which stage asks, for instance ``topic_spec`` or ``evolve``."""
    messages: tuple[Message, ...]
    schema_json: str = ""
    """Canonical JSON Schema of the wanted answer; empty for free text."""
    temperature: float = 0.7
    max_tokens: int = 4096
    sample: int = 0
    """Index of the sample, so that n samples of one prompt are n requests."""
    subject: str = ""
    """What it is about, for people and for recorded replies without a key; no part of the key."""

    def key(self) -> str:
        """Return the request's content address (64 hex digits); the model's name isn't part of it."""
        parts = [
            self.purpose,
            [[m.role, m.content] for m in self.messages],
            self.schema_json,
            self.temperature,
            self.max_tokens,
            self.sample,
        ]
        return digest_text(canonical_json(parts))


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply:
    """One stored answer."""

    request_key: str
    model: str
    """Name of the model that answered; ``recorded`` for replies that people wrote as test material."""
    text: str
    reasoning: str = ""
    """Reasoning text when the endpoint gave one."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float = 0.0
    finish_reason: str = "stop"


class ModelClient(Protocol):
    """Asks a model, or a store of its replies."""

    def ask(self, request: ModelRequest) -> ModelReply:
        """Return the reply.

        Raises:
            ModelError: no reply; ``reason`` says why and ``retriable`` whether asking again may help.
        """
        ...
