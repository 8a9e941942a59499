"""What asking costs, and the end of the money.

Used by the live client: each request reserves what it may cost at most before it's sent, and settles what it did cost.
A budget counts what this process spends; replies from the store are free. Method: own.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from schemas.config import Model
from schemas.errors import ModelError
from schemas.model import ModelReply, ModelRequest

_BYTES_PER_TOKEN = 2  # a careful guess for code and prose; real tokenizers give 3 to 4
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """What a client has done so far."""

    calls: int = 0
    """Requests that the endpoint answered."""
    reused: int = 0
    """Requests answered from the store or from recorded replies."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float = 0.0


class Budget:
    """Reserves and counts money.

    Args:
        section: prices and limit; without prices only what the endpoint itself bills is counted.
    """

    def __init__(self, section: Model) -> None:
        self._limit = section.budget_usd
        self._price_in = section.usd_per_mtok_in / _MILLION
        self._price_out = section.usd_per_mtok_out / _MILLION
        self._reserved = 0.0
        self._spent = Spending()
        self._lock = threading.Lock()

    @property
    def spending(self) -> Spending:
        """What was spent so far."""
        return self._spent

    def price(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Return US dollars by the configured prices."""
        return prompt_tokens * self._price_in + completion_tokens * self._price_out

    @contextmanager
    def reserve(self, request: ModelRequest) -> Iterator[None]:
        """Hold the most that a request may cost while it is under way.

        Raises:
            ModelError: ``budget_exhausted``, retriable with more money.
        """
        prompt_bytes = sum(len(message.content.encode("utf-8", "replace")) for message in request.messages)
        most = self.price((prompt_bytes + len(request.schema_json)) // _BYTES_PER_TOKEN, request.max_tokens)
        with self._lock:
            if self._spent.cost_usd + self._reserved + most > self._limit:
                raise ModelError(
                    f"the budget of {self._limit:g} USD is used up: {self._spent.cost_usd:.4f} spent, "
                    f"the next request may cost {most:.4f}; raise model.budget_usd",
                    reason="budget_exhausted",
                    retriable=True,
                )
            self._reserved += most
        try:
            yield
        finally:
            with self._lock:
                self._reserved -= most

    def count_call(self, reply: ModelReply) -> None:
        """Count an answered request."""
        with self._lock:
            self._spent = Spending(
                calls=self._spent.calls + 1,
                reused=self._spent.reused,
                prompt_tokens=self._spent.prompt_tokens + reply.prompt_tokens,
                completion_tokens=self._spent.completion_tokens + reply.completion_tokens,
                cost_usd=self._spent.cost_usd + reply.cost_usd,
            )

    def count_reuse(self) -> None:
        """Count a request that cost nothing."""
        with self._lock:
            self._spent = Spending(
                calls=self._spent.calls,
                reused=self._spent.reused + 1,
                prompt_tokens=self._spent.prompt_tokens,
                completion_tokens=self._spent.completion_tokens,
                cost_usd=self._spent.cost_usd,
            )
