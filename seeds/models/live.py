"""The client that asks an OpenAI-compatible endpoint over ``chat.completions``.

Stands where topics and parents become specifications. Order of one request: store, recorded rows, budget, breaker,
gate, endpoint, store. Retries belong to the request, never to a batch, so that one refusal can't re-send (and re-bill)
its neighbours. Method: own, on the ``openai`` SDK with its own retries switched off since it can't tell a refused
``response_format`` from a broken server.
"""

import os
import threading
import time

from openai import APIError, OpenAI, omit
from openai.types.chat import ChatCompletion

from schemas.canonical import uniform_for
from schemas.config import Model
from schemas.errors import ConfigError, ModelError
from schemas.model import ModelReply, ModelRequest
from seeds.models.budget import Budget, Spending
from seeds.models.completion import Completion, CompletionUsage
from seeds.models.dialect import Dialect, Rung, Spelling, build_format, build_messages
from seeds.models.faults import Action, Fault, HalfReplyError, read_fault
from seeds.models.recorded import RecordedReplies
from seeds.models.stored import StoredReplies, refuse_unfinished, settle_request
from seeds.models.throttle import AdaptiveGate, CircuitBreaker

_LONGEST_BACKOFF_S = 8.0
_LONGEST_RETRY_AFTER_S = 120.0
_KEYLESS = "no-key"  # local servers take any key


class LiveClient:
    """Asks an endpoint, and nothing twice. Safe to share between threads.

    Args:
        section: the ``model`` section of the config.
        stored: replies of earlier runs; new ones are kept there before they are used.
        recorded: rows that answer before the endpoint does.
        backoff_s: first pause before a retry when the endpoint names none; doubles up to 8 s.
        failures_to_open: failed requests in a row after which the endpoint counts as down.
        cooldown_s: seconds until an endpoint that is down is tried again.
        patience_s: seconds that other requests wait while the first one finds out how to ask for JSON.
    """

    def __init__(
        self,
        section: Model,
        stored: StoredReplies,
        recorded: RecordedReplies,
        *,
        backoff_s: float = 0.5,
        failures_to_open: int = 5,
        cooldown_s: float = 30.0,
        patience_s: float = 5.0,
    ) -> None:
        self._section = section
        self._stored = stored
        self._recorded = recorded
        self._backoff_s = backoff_s
        self._budget = Budget(section)
        self._gate = AdaptiveGate(section.concurrency)
        self._breaker = CircuitBreaker(threshold=failures_to_open, cooldown_s=cooldown_s)
        self._dialect = Dialect(patience_s=patience_s)
        self._sdk: OpenAI | None = None
        self._opening = threading.Lock()

    @property
    def spending(self) -> Spending:
        """Calls, tokens and money so far."""
        return self._budget.spending

    @property
    def rung(self) -> Rung:
        """How JSON is asked for now."""
        return self._dialect.rung

    def ask(self, request: ModelRequest) -> ModelReply:
        """Return the reply; a new one is in the store when this returns.

        Raises:
            ModelError: ``timed_out``, ``connection_failed``, ``rate_limited``, ``endpoint_failed``, ``half_reply``,
                ``endpoint_down`` and ``budget_exhausted`` are retriable; ``bad_request``, ``truncated`` and
                ``filtered`` aren't.
            ConfigError: no key, a refused key or account (401, 402, 403), an unknown model or path (404), a store that
                can't be written.
        """
        settled = settle_request(request, self._section)
        key = settled.key()
        reply = self._stored.find(key) or self._recorded.find(settled)
        if reply is not None:
            self._budget.count_reuse()
            return refuse_unfinished(reply, settled)
        with self._budget.reserve(settled):
            reply = self._ask_patiently(settled, key)
            self._budget.count_call(reply)
        self._stored.keep(reply)
        return refuse_unfinished(reply, settled)

    def close(self) -> None:
        """Close the connections; idempotent."""
        with self._opening:
            if self._sdk is not None:
                self._sdk.close()
                self._sdk = None

    def _ask_patiently(self, request: ModelRequest, key: str) -> ModelReply:
        attempt = 0
        while True:
            self._breaker.check()
            with self._dialect.turn(request), self._gate.enter() as epoch:
                rung, spelling = self._dialect.rung, self._dialect.spelling
                try:
                    reply = self._send(request, key, rung, spelling)
                except (APIError, HalfReplyError, ValueError) as error:
                    fault = read_fault(error)
                    is_adapted = self._adapt(fault, request, (rung, spelling), attempt)
                else:
                    self._note_success(request, rung)
                    return reply
            if is_adapted:
                continue
            if fault.status == 429:
                self._gate.narrow(epoch)
            pause_s = self._pause_before_retry(fault, request, key, attempt)
            attempt += 1
            time.sleep(pause_s)

    def _note_success(self, request: ModelRequest, rung: Rung) -> None:
        self._breaker.note_success()
        self._gate.widen()
        if request.schema_json:
            self._dialect.prove(rung)

    def _adapt(self, fault: Fault, request: ModelRequest, sent: tuple[Rung, Spelling], attempt: int) -> bool:
        """Return whether the same request can be put in other words at once."""
        rung, spelling = sent
        if fault.status == 400 and self._dialect.rename(spelling, fault.parameter, fault.words):
            return True
        first_500 = fault.status >= 500 and attempt == 0
        if not request.schema_json or not fault.status or first_500:
            return False
        return self._dialect.step_down(rung, fault.status, fault.code)

    def _pause_before_retry(self, fault: Fault, request: ModelRequest, key: str, attempt: int) -> float:
        """Return the seconds to wait, or raise what ends the request."""
        about = f"{request.purpose} {request.subject!r}: {fault.words}"
        if fault.action is Action.STOP:
            raise ConfigError(f"model endpoint refuses: {fault.words}.{self._advise(fault.status)}")
        if fault.action is Action.REFUSE:
            self._breaker.note_success()
            raise ModelError(about, reason=fault.reason)
        wait_s = fault.retry_after_s or 0.0
        if attempt >= self._section.max_retries or wait_s > _LONGEST_RETRY_AFTER_S:
            self._breaker.note_failure(fault.words)
            raise ModelError(f"{about} ({attempt + 1} tries)", reason=fault.reason, retriable=True)
        backoff_s = min(_LONGEST_BACKOFF_S, self._backoff_s * 2.0**attempt)
        return max(wait_s, backoff_s * (0.5 + uniform_for(attempt, key, "backoff") / 2))

    def _advise(self, status: int) -> str:
        if status == 404:
            return f" Check model.base_url and model.name ({self._section.name!r})"
        name = self._section.api_key_env
        state = "is set" if os.environ.get(name) else "is not set"
        return f" Check the key in the environment variable {name} (it {state}) and the account"

    def _open(self) -> OpenAI:
        """Return the SDK's client; the key is read here, at the first call."""
        with self._opening:
            if self._sdk is None:
                key = os.environ.get(self._section.api_key_env, "")
                if not key and not self._section.base_url:
                    raise ConfigError(
                        f"no key: set the environment variable {self._section.api_key_env}, or use model.mode: replay"
                    )
                self._sdk = OpenAI(
                    api_key=key or _KEYLESS,
                    base_url=self._section.base_url or None,
                    timeout=self._section.timeout_s,
                    max_retries=0,
                )
            return self._sdk

    def _send(self, request: ModelRequest, key: str, rung: Rung, spelling: Spelling) -> ModelReply:
        short = spelling.short_token_name
        completion = self._open().chat.completions.create(
            model=self._section.name,
            messages=build_messages(request, rung),
            max_tokens=request.max_tokens if short else omit,
            max_completion_tokens=omit if short else request.max_tokens,
            temperature=request.temperature if spelling.has_temperature else omit,
            response_format=build_format(request, rung) or omit,
        )
        return self._read(completion, key)

    def _read(self, completion: object, key: str) -> ModelReply:
        if not isinstance(completion, ChatCompletion):
            raise HalfReplyError("no JSON object")
        read = Completion.model_validate(completion.to_dict(warnings=False))
        usage = read.usage or CompletionUsage()
        text, reasoning = read.choices[0].message.split()
        priced = self._budget.price(usage.prompt_tokens, usage.completion_tokens)
        return ModelReply(
            request_key=key,
            model=self._section.name,
            text=text,
            reasoning=reasoning,
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            cost_usd=priced if usage.cost is None else usage.cost,
            finish_reason=read.choices[0].finish_reason or "stop",
        )
