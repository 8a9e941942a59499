"""A registry never loses an entry and helps with spelling."""

import pytest

from schemas.errors import ConfigError, SchemaError, boundary, suggest_name
from schemas.registry import Registry


def make() -> Registry[int]:
    registry: Registry[int] = Registry("operator")
    registry.register("negate", 1)
    registry.register("swap", 2)
    return registry


def test_entries_come_back_by_name_and_in_order() -> None:
    registry = make()
    assert registry.get("swap") == 2
    assert registry.names() == ("negate", "swap")
    assert list(registry) == [("negate", 1), ("swap", 2)]
    assert "swap" in registry


def test_a_second_entry_of_one_name_is_an_error() -> None:
    with pytest.raises(SchemaError, match="operator 'swap' is registered twice"):
        make().register("swap", 3)


def test_an_unknown_name_offers_the_nearest_one() -> None:
    with pytest.raises(ConfigError, match=r"unknown operator 'negat'. Did you mean 'negate'"):
        make().get("negat")


def test_when_nothing_is_near_all_names_are_listed() -> None:
    assert suggest_name("qqq", ["b", "a"]) == " Known: a, b."
    assert suggest_name("x", []) == ""


def test_foreign_errors_are_translated_once() -> None:
    with (
        pytest.raises(ConfigError, match="no file") as caught,
        boundary(lambda error: ConfigError(f"no file: {error}"), FileNotFoundError),
    ):
        raise FileNotFoundError("gone")
    assert isinstance(caught.value.__cause__, FileNotFoundError)


def test_our_own_errors_pass_a_boundary_unchanged() -> None:
    with pytest.raises(SchemaError), boundary(lambda error: ConfigError(str(error)), Exception):
        raise SchemaError("bug")
