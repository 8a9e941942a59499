"""What `taskfoundry doctor` prints: each finding at once, and whether a build is possible."""

import io

import pytest
from rich.console import Console

from pipelines.doctor import Finding, print_findings

GOOD = Finding(what="python", good=True, needed=True, says="3.12.1")
SPARE = Finding(what="sandbox podman", good=False, needed=False, says="no [podman] answers")
MISSING = Finding(what="a sandbox", good=False, needed=True, says="none works on this machine")


def print_all(findings):
    said = io.StringIO()
    return print_findings(findings, Console(file=said, width=100)), said.getvalue()


@pytest.mark.parametrize(("findings", "possible"), [((GOOD, SPARE), True), ((GOOD, MISSING), False), ((), True)])
def test_only_what_is_needed_makes_a_build_impossible(findings, possible):
    assert print_all(findings)[0] is possible


def test_words_in_brackets_stay_as_they_are():
    assert print_all([SPARE])[1].split() == ["no", "sandbox", "podman", "no", "[podman]", "answers"]


def test_a_finding_is_printed_before_the_next_one_is_looked_for():
    said = io.StringIO()

    def look():
        yield GOOD
        assert "3.12.1" in said.getvalue()
        yield MISSING

    assert not print_findings(look(), Console(file=said, width=100))
