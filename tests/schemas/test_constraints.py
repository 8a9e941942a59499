import pytest

from schemas.candidate import Constraint, Parameter
from schemas.canonical import canonical_json
from schemas.constraints import check_constraint, describe_constraints, find_violation
from schemas.errors import SchemaError
from schemas.values import encode_value


def _row(path, rule, value=None):
    return Constraint(path=path, rule=rule, value_json=canonical_json(value))


def _parameter(*rows):
    return Parameter(name="p", constraints=rows)


@pytest.mark.parametrize(
    ("row", "fits", "breaks"),
    [
        (_row("", "min", 2), 2, 1),
        (_row("", "max", 2.5), 2.5, 3),
        (_row("", "min_length", 1), "x", ""),
        (_row("", "max_length", 1), [1], [1, 2]),
        (_row("[]", "alphabet", "ab"), ["ab", ""], ["ab", "c"]),
        (_row("", "choices", ["x", 1]), 1, 2),
        (_row("", "choices", [[1, 2]]), [1, 2], (1, 2)),
        (_row("", "unique"), [1, 2], [1, 1]),
        (_row("", "unique"), [1, True], [[1], [1]]),
        (_row("", "sorted"), [1, 1, 2], [2, 1]),
        (_row("", "nonempty"), {1}, set()),
        (_row("[][]", "max", 3), [(1, 3)], [(1, 3), (4, 1)]),
        (_row("{k}", "alphabet", "ab"), {"a": 9}, {"c": 9}),
        (_row("{v}[]", "min", 0), {"a": [0]}, {"a": [0, -1]}),
    ],
)
def test_each_rule_tells_values_apart(row, fits, breaks):
    check_constraint(row)
    assert find_violation(fits, _parameter(row)) == ""
    assert row.rule in find_violation(breaks, _parameter(row))


def test_sorted_refuses_items_that_have_no_order():
    assert find_violation([1, "a"], _parameter(_row("", "sorted")))


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (_row("[0]", "min", 1), "path"),
        (_row("", "between", 1), "rule 'between' is none of"),
        (_row("", "min", "1"), "can't have the bound"),
        (_row("", "min", True), "can't have the bound"),
        (_row("", "max_length", -1), "can't have the bound"),
        (_row("", "max_length", 1.5), "can't have the bound"),
        (_row("", "alphabet", ""), "can't have the bound"),
        (_row("", "choices", []), "can't have the bound"),
    ],
)
def test_row_that_cant_be_understood_is_refused(row, words):
    with pytest.raises(SchemaError, match=words):
        check_constraint(row)


def test_bounds_are_put_into_words():
    rows = [_row("", "max_length", 9), _row("[]", "min", 1), _row("[]", "max", 5), _row("", "unique")]
    assert (
        describe_constraints((_parameter(*rows), Parameter(name="q")))
        == "- `p`: length 0 to 9, unique; each item: 1 to 5"
    )
    assert describe_constraints((Parameter(name="q"),)) == ""


def test_choices_are_encoded_values_and_described_as_plain_ones():
    row = _row("", "choices", [encode_value(0.5), encode_value(2**60)])
    assert find_violation(0.5, _parameter(row)) == find_violation(2**60, _parameter(row)) == ""
    assert "choices" in find_violation(1.5, _parameter(row))
    assert describe_constraints((_parameter(row),)) == f"- `p`: one of [0.5,{2**60}]"
    with pytest.raises(SchemaError):
        check_constraint(_row("", "choices", [0.5]))


def test_a_value_that_nobody_can_write_breaks_a_bound_like_any_other():
    assert "must be max 9" in find_violation(7**6000, _parameter(_row("", "max", 9)))
