"""Bounds of numbers in a statement."""

import pytest

from schemas.candidate import Constraint, Parameter
from seeds.statement_bounds import read_bounds

PARAMETERS = (Parameter(name="nums"), Parameter(name="k"))


def bounds(line: str, *, heading: str = "Constraints:\n\n") -> dict[str, list[tuple[str, str, str]]]:
    found = read_bounds(f"Text 1 <= k <= 3\n{heading}{line}\n", PARAMETERS)
    return {p.name: [(c.path, c.rule, c.value_json) for c in p.constraints] for p in found if p.constraints}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("1 <= k <= 8", {"k": [("", "min", "1"), ("", "max", "8")]}),
        (" - `-5 <= nums[i] <= 50`", {"nums": [("[]", "min", "-5"), ("[]", "max", "50")]}),
        ("0 ≤ nums[i][j] ≤ 9", {"nums": [("[][]", "min", "0"), ("[][]", "max", "9")]}),
        (
            "0 <= nums[i], k <= 7",
            {"nums": [("[]", "min", "0"), ("[]", "max", "7")], "k": [("", "min", "0"), ("", "max", "7")]},
        ),
    ],
)
def test_narrow_ranges_of_parameters_are_taken(line: str, expected: object) -> None:
    assert bounds(line) == expected


@pytest.mark.parametrize(
    "line",
    [
        "1 <= nums.length <= 50",
        "-231 <= k <= 231 - 1",
        "0 <= k <= 1000000",
        "1 <= k < 5",
        "1 <= k <= nums.length",
        "5 <= k <= 2",
        "1 <= other <= 5",
        "1 <= m + k <= 5",
        "k is at least 1",
    ],
)
def test_everything_else_is_left_open(line: str) -> None:
    assert bounds(line) == {}


def test_only_the_list_of_constraints_counts() -> None:
    assert bounds("1 <= k <= 8", heading="Notes\n") == {}


def test_declared_constraints_stay_in_front() -> None:
    declared = Constraint(path="", rule="choices", value_json="[1]")
    (found,) = read_bounds("Constraints:\n1 <= k <= 2", (Parameter(name="k", constraints=(declared,)),))
    assert [c.rule for c in found.constraints] == ["choices", "min", "max"]


@pytest.mark.timeout(60)
@pytest.mark.parametrize("line", ["1 <= k <= " + "9" * 5000, "1 <= k" + " " * 500_000 + "x"])
def test_absurd_lines_are_no_bounds_and_cost_nothing(line: str) -> None:
    assert bounds(line) == {}
