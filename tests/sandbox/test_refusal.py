"""What becomes of a proof's attempt: proven, refused, or tried again."""

from collections.abc import Callable

from sandbox.refusal import Refusal, conclude
from schemas.errors import SandboxError
from schemas.proven import Proven
from schemas.rejection import Rejection, Stage
from tests.builders import make_candidate, make_proven

CANDIDATE = make_candidate("task-1")
PROVEN = make_proven(CANDIDATE)


def attempts(*results: Proven | Exception) -> tuple[Callable[[], Proven], list[Proven | Exception]]:
    """Return a proof that ends in one result after the other, and the results that are left."""
    left = list(results)

    def attempt() -> Proven:
        result = left.pop(0)
        if isinstance(result, Exception):
            raise result
        return result

    return attempt, left


def test_a_failing_sandbox_is_tried_again() -> None:
    attempt, left = attempts(SandboxError("no room"), PROVEN)
    assert (conclude(CANDIDATE, attempt), left) == (PROVEN, [])


def test_a_sandbox_that_fails_every_time_is_a_retriable_rejection() -> None:
    attempt, left = attempts(SandboxError("first"), SandboxError("second"), PROVEN)
    result = conclude(CANDIDATE, attempt)
    assert isinstance(result, Rejection)
    assert (result.reason, result.retriable, left) == ("sandbox_infra", True, [PROVEN])
    assert result.detail == "the sandbox failed twice: first; then second"


def test_a_refusal_is_a_verdict_and_ends_the_proof() -> None:
    attempt, left = attempts(Refusal(Stage.HARDEN, "weak_tests", "half of the mutants live"), PROVEN)
    result = conclude(CANDIDATE, attempt)
    assert isinstance(result, Rejection)
    assert (result.stage, result.reason, result.retriable, left) == (Stage.HARDEN, "weak_tests", False, [PROVEN])
