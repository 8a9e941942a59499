"""The parts of a chat completion that are used, read from whatever an endpoint calls one.

Used by the live client. The SDK builds its objects without checking them; here a missing or wrong part is an error,
and parts that only some servers send (reasoning, billed cost) have a place. Method: own.
"""

import re
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

_THOUGHT = re.compile(r"\s*<think>(.*?)</think>\s*", re.DOTALL)


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class CompletionMessage(_Part):
    """What the model said."""

    content: str | None = None
    refusal: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None

    def split(self) -> tuple[str, str]:
        """Return answer and reasoning; a model that thinks aloud in front of its answer is taken apart."""
        text = self.content or self.refusal or ""
        match = _THOUGHT.match(text)
        thought = match[1].strip() if match else ""
        return text[match.end() :] if match else text, self.reasoning_content or self.reasoning or thought


class CompletionChoice(_Part):
    """One answer."""

    message: CompletionMessage
    finish_reason: str | None = None


class CompletionUsage(_Part):
    """What it took."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None
    """US dollars, from endpoints that bill per call."""


class Completion(_Part):
    """A whole reply."""

    choices: Annotated[list[CompletionChoice], Field(min_length=1)]
    usage: CompletionUsage | None = None
