"""Statements of repository tasks."""

from pathlib import Path

import pytest

from sandbox.failure_text import describe_failure, holds_secret
from sandbox.suite_results import TestOutcome, TestResult

PATCH = "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-    return alpha + beta\n+    return alpha - beta\n"


def failed(node_id: str, message: str = "") -> TestResult:
    return TestResult(node_id=node_id, outcome=TestOutcome.FAILED, message=message)


def test_names_become_sentences(tmp_path: Path) -> None:
    text = describe_failure("shop", [failed("tests/test_cart.py::TestCart::test_totalIsRounded[1 2-a]")], tmp_path)
    assert "- **cart**: total is rounded (case `1 2-a`)\n" in text


def test_one_line_per_test_function_and_the_rest_is_counted(tmp_path: Path) -> None:
    failures = [failed(f"test_a.py::test_{name}[{case}]") for name in "abcdefg" for case in range(2)]
    text = describe_failure("shop", failures, tmp_path)
    assert [line for line in text.splitlines() if line.startswith("- **")] == [
        f"- **a**: {name} (case `0`)" for name in "abcde"
    ]
    assert "- and 9 further checks" in text


def test_addresses_and_places_are_masked(tmp_path: Path) -> None:
    message = "assert <C object at 0x7f00deadbeef> == 1\n src/shop/prices.py:17: KeyError\nline 12 of the file"
    text = describe_failure("shop", [failed("test_a.py::test_a", message)], tmp_path)
    assert "0x..." in text
    assert not any(secret in text for secret in ("deadbeef", "prices.py", "line 12"))


def test_symptoms_and_calls_that_hold_the_patch_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text("def test_a():\n    return alpha + beta\n")
    text = describe_failure(
        "shop", [failed("test_a.py::test_a", "got 'return alpha - beta'")], tmp_path, secrets=(PATCH,)
    )
    assert "alpha" not in text
    assert "**a**" in text


def test_failing_call_is_shown_when_it_is_short(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text('def test_a():\n    """Adds."""\n    assert add(1, 2) == 3\n')
    text = describe_failure("shop", [failed("test_a.py::test_a")], tmp_path)
    assert "```python\nassert add(1, 2) == 3\n```" in text
    (tmp_path / "test_a.py").write_text("def test_a():\n" + "    assert add(1, 2) == 3\n" * 20)
    assert "```" not in describe_failure("shop", [failed("test_a.py::test_a")], tmp_path)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("return alpha - beta", True), ("alpha", False), ("a/x.py", False), ("0123456789abcdef", True)],
)
def test_secrets_are_changed_lines_and_ids(text: str, expected: bool) -> None:
    assert holds_secret(f"... {text} ...", (PATCH, "0123456789abcdef")) is expected
