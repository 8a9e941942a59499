"""The second try after a failing sandbox."""

import pytest

from sandbox.retrying import try_twice
from schemas.errors import ConfigError, SandboxError


def attempt_of(*results):
    left = iter(results)

    def attempt():
        result = next(left)
        if isinstance(result, Exception):
            raise result
        return result

    return attempt


@pytest.mark.parametrize("results", [("verdict",), (SandboxError("gone"), "verdict")])
def test_the_first_or_the_second_attempt_counts(results):
    assert try_twice(attempt_of(*results)) == "verdict"


def test_two_failures_are_told_together():
    with pytest.raises(SandboxError, match="failed twice: gone; then full"):
        try_twice(attempt_of(SandboxError("gone"), SandboxError("full"), "never asked for"))


def test_other_errors_are_not_tried_again():
    with pytest.raises(ConfigError, match="yours"):
        try_twice(attempt_of(ConfigError("yours"), "never asked for"))
