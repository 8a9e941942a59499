"""What went wrong with a call, and what to do about it.

Used by the live client; here the SDK's exceptions become ours. The key never enters a message: the text that an
endpoint sends along with 401 is left out, since some of them repeat a part of it. Method: own.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from enum import StrEnum
from time import time

from openai import APIConnectionError, APIError, APIStatusError, APITimeoutError

_STOP_STATUSES = (401, 402, 403, 404)
_RETRY_STATUSES = (408, 409, 425, 429)
_WORDS = 300


class Action(StrEnum):
    """What a fault calls for."""

    STOP = "stop"
    """The user must change the config or the account."""
    REFUSE = "refuse"
    """This request is wrong, others may be fine."""
    RETRY = "retry"


class HalfReplyError(Exception):
    """The endpoint answered 200 with something that isn't a chat completion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One failed call."""

    action: Action
    reason: str
    words: str
    status: int = 0
    """HTTP status; 0 when none arrived."""
    code: str | None = None
    parameter: str | None = None
    retry_after_s: float | None = None
    """Seconds that the endpoint asks to wait."""


def read_fault(error: APIError | HalfReplyError | ValueError) -> Fault:
    """Return what a failed call means."""
    if isinstance(error, APIStatusError):
        return _read_status(error)
    if isinstance(error, APITimeoutError):
        return Fault(action=Action.RETRY, reason="timed_out", words="no answer within model.timeout_s")
    if isinstance(error, APIConnectionError):
        cause = error.__cause__
        words = f"{type(cause).__name__}: {cause}" if cause else str(error)
        return Fault(action=Action.RETRY, reason="connection_failed", words=words[:_WORDS])
    return Fault(action=Action.RETRY, reason="half_reply", words=f"half a reply: {error}"[:_WORDS])


def _read_status(error: APIStatusError) -> Fault:
    status, code = error.status_code, error.code
    if status in _STOP_STATUSES or code == "insufficient_quota":
        action, reason = Action.STOP, "refused_by_endpoint"
    elif status == 429:
        action, reason = Action.RETRY, "rate_limited"
    elif status in _RETRY_STATUSES or status >= 500:
        action, reason = Action.RETRY, "endpoint_failed"
    else:
        action, reason = Action.REFUSE, "bad_request"
    secret = status in {401, 403}
    return Fault(
        action=action,
        reason=reason,
        words=f"HTTP {status}" + ("" if secret else f": {error.message[:_WORDS]}"),
        status=status,
        code=code,
        parameter=error.param,
        retry_after_s=read_retry_after(error.response.headers),
    )


def read_retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of ``retry-after-ms`` or ``retry-after`` (seconds or an HTTP date); None when neither says."""
    for name, divisor in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        text = headers.get(name, "")
        try:
            return max(0.0, float(text) / divisor)
        except ValueError:
            continue
    try:
        return max(0.0, parsedate_to_datetime(headers.get("retry-after", "")).timestamp() - time())
    except (ValueError, TypeError):
        return None
