"""What a candidate needs before its proof starts a sandbox.

First step of proving function and stdin tasks. Method: own.
"""

from sandbox.checkers import compare
from sandbox.clocks import find_clock_reads
from sandbox.refusal import Refusal
from schemas.candidate import Candidate, TaskStyle, TestCase
from schemas.canonical import canonical_json
from schemas.errors import ConfigError, SchemaError
from schemas.limits import Limits
from schemas.rejection import Stage
from schemas.values import EncodingError, decode_call, decode_text

MAX_REFERENCE_CHARS = 50_000
"""Mutants of such a reference take half a minute to find; solutions that people write have some thousand."""


def check_candidate(candidate: Candidate, limits: Limits) -> tuple[TestCase, ...]:
    """Return the tests, none of them twice.

    Raises:
        Refusal: the candidate can't be proven by calling its reference and comparing what comes out.
    """
    if candidate.style not in {TaskStyle.FUNCTION, TaskStyle.STDIN}:
        raise Refusal(Stage.PROVE, "unsupported_style", f"{candidate.style.value} tasks are proven by their suite")
    if not candidate.reference.strip():
        raise Refusal(Stage.PROVE, "no_reference", "the record has no reference solution")
    if len(candidate.reference) > MAX_REFERENCE_CHARS:
        detail = f"the reference has {len(candidate.reference):,} characters; the limit is {MAX_REFERENCE_CHARS:,}"
        raise Refusal(Stage.PROVE, "reference_too_large", detail)
    if candidate.style is TaskStyle.FUNCTION and candidate.signature is None:
        raise Refusal(Stage.PROVE, "no_signature", "nothing says which function to call")
    if not candidate.tests:
        raise Refusal(Stage.PROVE, "no_tests", "an empty suite proves nothing")
    reads = find_clock_reads(candidate.reference)
    if reads:
        raise Refusal(Stage.PROVE, "reference_reads_clock", f"the reference calls {', '.join(reads)}")
    tests = tuple({(test.input, test.expected): test for test in reversed(candidate.tests)}.values())[::-1]
    for test in tests:
        _check_test(candidate, test, limits)
    return tests


def _check_test(candidate: Candidate, test: TestCase, limits: Limits) -> None:
    if len(test.input.encode("utf-8", "surrogatepass")) > limits.stdin_mb * 2**20:
        raise Refusal(Stage.PROVE, "test_input_too_large", f"an input of more than {limits.stdin_mb} MiB")
    try:
        if candidate.style is TaskStyle.FUNCTION:
            decode_call(test.input)
            decode_text(test.expected)
        compare(candidate.checker, candidate.style, test.expected, test.expected)
    except (EncodingError, SchemaError, ConfigError) as error:
        raise Refusal(Stage.PROVE, "invalid_test", f"{show_test(test)}: {error}") from error


def show_test(test: TestCase) -> str:
    """Return a test in words, by its input."""
    return quote_input(test.input)


def quote_input(test_input: str) -> str:
    """Return an input in words, cut at 300 characters."""
    return f"input {canonical_json(test_input[:300])}"
