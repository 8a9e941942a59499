"""Installed packages are found, named by their content, and refused when no solution could import them."""

from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.packages import PLACE, describe_toolchain, find_configured, find_named, find_packages, require_packages
from schemas.config import Sandbox
from schemas.errors import ConfigError
from schemas.ground_truth import read_ground_truth, write_ground_truth
from tests.builders import make_candidate, make_proven
from tests.package_samples import TAG, lay_package


@pytest.fixture
def site(tmp_path) -> Path:
    folder = tmp_path / "site"
    lay_package(folder, "lemon", "TASTE = 'sour'", records="lemon.py,sha256=abc,14\nlemon-1.0.dist-info/RECORD,,\n")
    lay_package(folder, "Big_Apple", "TASTE = 'sweet'", version="2.1")
    return folder


def test_packages_are_named_with_their_versions_and_a_digest(site):
    found = find_packages(site, ["lemon"])
    assert found.names == ("big-apple 2.1", "lemon 1.0")
    assert found.preload == ("lemon",)
    assert (found.mount.source, found.mount.target) == (site, PLACE)
    toolchain = describe_toolchain("cpython 3.11.7", found)
    assert toolchain == f"cpython 3.11.7, big-apple 2.1, lemon 1.0, packages {found.digest[:16]}"
    assert describe_toolchain("cpython 3.11.7", None) == "cpython 3.11.7"


def test_a_virtual_environment_stands_for_its_packages(site, tmp_path):
    environment = tmp_path / "environment"
    place = environment / "lib" / f"python3.{TAG.removeprefix('cp3')}" / "site-packages"
    place.parent.mkdir(parents=True)
    site.rename(place)
    (environment / "pyvenv.cfg").touch()
    assert find_packages(environment).folder == place


def test_the_digest_follows_content_and_not_the_place(site, tmp_path):
    before = find_packages(site).digest
    moved = site.rename(tmp_path / "moved")
    (moved / "__pycache__").mkdir()
    (moved / "__pycache__" / "lemon.pyc").write_bytes(b"compiled")
    (moved / "lemon-1.0.dist-info" / "INSTALLER").write_text("somebody")
    assert find_packages(moved).digest == before
    (moved / "Big_Apple.py").write_text("TASTE = 'bitter'")  # which no record names
    changed = find_packages(moved).digest
    assert changed != before
    (moved / "lemon-1.0.dist-info" / "RECORD").write_text("lemon.py,sha256=other,14\n")
    assert find_packages(moved).digest not in {before, changed}


def test_many_packages_are_counted_and_not_all_named(tmp_path):
    for number in range(40):
        lay_package(tmp_path, f"p{number:02}", "")
    toolchain = find_packages(tmp_path).describe("cpython 3")
    assert ", p29 1.0, 40 in all, packages " in toolchain


@pytest.mark.parametrize(
    ("tag", "is_taken"),
    [
        (f"{TAG}-{TAG}-manylinux_2_17_x86_64", True),
        ("cp311-abi3-manylinux_2_17_x86_64", True),
        ("py3-none-any", True),
        ("cp39-cp39-manylinux_2_17_x86_64", False),
        ("cp399-abi3-manylinux_2_17_x86_64", False),
    ],
)
def test_packages_of_another_python_are_refused(tmp_path, tag, is_taken):
    lay_package(tmp_path, "lemon", "", tag=tag)
    if is_taken:
        assert find_packages(tmp_path).names == ("lemon 1.0",)
    else:
        with pytest.raises(ConfigError, match=r"lemon 1\.0 was installed for cp\d+, and solutions run on"):
            find_packages(tmp_path)


def test_what_is_not_there_is_said(site, tmp_path):
    with pytest.raises(ConfigError, match=r"nowhere is no folder. Make one with `pip install --target"):
        find_packages(tmp_path / "nowhere")
    with pytest.raises(ConfigError, match="there is no module 'pear'"):
        find_packages(site, ["pear.core"])
    with pytest.raises(ConfigError, match="'-c' is no name of a module"):
        find_packages(site, ["-c"])
    (site / "pyvenv.cfg").touch()
    with pytest.raises(ConfigError, match="is no environment of Python"):
        find_packages(site)


def test_a_config_and_the_environment_name_packages(site):
    section = Sandbox(packages="site", preload=("lemon",))
    found = find_configured(section, site.parent)
    assert found == find_packages(site, ["lemon"])
    assert find_configured(Sandbox(), site.parent) is None
    assert find_named({"TASKFOUNDRY_PACKAGES": str(site), "TASKFOUNDRY_PRELOAD": " lemon, "}) == found
    assert find_named({"TASKFOUNDRY_PRELOAD": "lemon"}) is None
    with pytest.raises(ValueError, match="'preload' names modules of 'packages'"):
        Sandbox(preload=("lemon",))


def test_a_task_proven_with_packages_is_not_judged_without_any(site):
    found = find_packages(site)
    plain = make_proven(make_candidate("task-1"))
    evidence = replace(plain.evidence, toolchain=found.describe("cpython 3.11.7"))
    task = replace(plain, evidence=evidence)
    read = read_ground_truth(write_ground_truth(task), task_id="task-1")
    for each in (task, read):
        with pytest.raises(ConfigError, match=r"'task-1' was proven with cpython 3.11.7, big-apple 2.1, lemon 1.0"):
            require_packages(each, None)
        require_packages(each, found)
    require_packages(plain, None)
    require_packages(plain, found)
    assert "toolchain" not in write_ground_truth(plain)
