"""How the steps of a proof refuse a candidate, and what becomes of an attempt that refuses or meets a failing sandbox.

Shared by all provers: a refusal is a verdict and ends the proof, a failure of the sandbox is none and is tried again.
Method: own.
"""

from collections.abc import Callable

from sandbox.retrying import try_twice
from schemas.candidate import Candidate
from schemas.errors import SandboxError
from schemas.proven import Proven
from schemas.rejection import Rejection, Stage, reject_candidate


class Refusal(Exception):  # noqa: N818  # a verdict on its way to a record, not an error
    """Carries the reason why a candidate isn't proven out of the proof's steps.

    Args:
        stage: where it was found.
        reason: one snake_case word.
        detail: what a person needs to understand it.
    """

    def __init__(self, stage: Stage, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.stage = stage
        self.reason = reason
        self.detail = detail


def conclude(candidate: Candidate, attempt: Callable[[], Proven]) -> Proven | Rejection:
    """Return what the attempt proves, or its refusal; a sandbox that fails every time gives ``sandbox_infra``.

    Args:
        attempt: one whole proof, started afresh each time; called twice at most.
    """
    try:
        return try_twice(attempt)
    except Refusal as refusal:
        return reject_candidate(candidate, refusal.stage, refusal.reason, refusal.detail)
    except SandboxError as error:
        return reject_candidate(candidate, Stage.PROVE, "sandbox_infra", str(error), retriable=True)
