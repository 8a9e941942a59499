"""How controllers of version 2 are handed down, on a real hierarchy where there is one (`test_vm_cgroups.py` has one)."""

from pathlib import Path

import pytest

from sandbox.backends.cgroups import detect_hierarchy
from sandbox.backends.delegation import LEAF, hand_down, step_aside
from tests.sandbox.backends.delegation_checks import CHECKS, make_group, remove_group


@pytest.mark.parametrize("check", CHECKS)
def test_a_group_of_the_real_hierarchy_is_delegated(check):
    made = make_group()
    if made is None:
        pytest.skip("no version 2 group with a controller can be made here")
    try:
        check(*made)
    finally:
        remove_group(made[0])


def test_a_folder_that_is_no_group_hands_nothing_down(tmp_path):
    assert not hand_down(tmp_path)
    assert not step_aside(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_process_that_has_stepped_aside_looks_above_its_leaf(tmp_path, monkeypatch):
    made = tmp_path / "service" / LEAF
    made.mkdir(parents=True)
    (tmp_path / "cgroup.controllers").write_text("memory pids")
    own = tmp_path / "own"
    own.write_text(f"0::/service/{LEAF}\n")
    asked: list[Path] = []
    monkeypatch.setattr("sandbox.backends.cgroups.hand_down", asked.append)
    assert detect_hierarchy(mount=tmp_path, own=own) is None
    assert asked == [tmp_path / "service"]
