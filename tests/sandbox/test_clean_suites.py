"""The healthy suite: how it's called and which tests can be trusted."""

from pathlib import Path

import pytest

from sandbox.backends import select_backend
from sandbox.clean_suites import CleanSuite, CleanSuiteFinder, find_plan, perturbations, trusted_files
from schemas.config import RepositorySource
from seeds.repositories import take_snapshot
from tests.repository_samples import SHOP, SUITE_LIMITS, make_snapshot, shared_cache

UNSTABLE = b"""\
import time

import pytest

SEEN = []


@pytest.mark.parametrize("letter", sorted({"a", "b", "c"}, key=hash))
@pytest.mark.parametrize("place", [0])
def test_steady(letter, place):
    assert letter


@pytest.mark.parametrize("letter", set("abcdefgh"), ids=lambda letter: "x")
def test_numbered_by_hash(letter):
    assert letter


@pytest.mark.parametrize("letter", [hash("a") % 1000])
def test_id_depends_on_the_hash_seed(letter):
    assert True


def test_1_first():
    SEEN.append(1)


def test_2_wants_the_first_before_it():
    assert SEEN == [1]


def test_3_wants_utc():
    assert time.tzname[0] == "UTC"


def test_4_always_fails():
    assert 1 == 2


@pytest.mark.parametrize("number", range(10))
def test_sound(number):
    assert number >= 0
"""


def find(folder: Path, files: dict[str, bytes]) -> CleanSuite:
    snapshot = make_snapshot(folder, files)
    return CleanSuiteFinder(snapshot, select_backend(), shared_cache(folder), limits=SUITE_LIMITS, install=False).find()


def test_unstable_and_failing_tests_are_set_apart(tmp_path: Path) -> None:
    clean = find(tmp_path, {"test_a.py": UNSTABLE})
    stable = {node_id.removeprefix("test_a.py::") for node_id in clean.stable}
    assert {f"test_sound[{number}]" for number in range(10)} | {"test_1_first"} <= stable
    assert clean.failing == ("test_a.py::test_4_always_fails",)
    unstable = {node_id.removeprefix("test_a.py::").split("[")[0] for node_id in clean.unstable}
    assert {"test_2_wants_the_first_before_it", "test_3_wants_utc", "test_id_depends_on_the_hash_seed"} <= unstable
    assert not unstable & {node_id.split("[")[0] for node_id in stable if not node_id.startswith("test_steady")}


def test_options_that_ask_for_absent_plugins_are_dropped(tmp_path: Path) -> None:
    config = b'[tool.pytest.ini_options]\naddopts = "--cov=shop --strict-markers"\npythonpath = ["src"]\n'
    clean = find(tmp_path, {**SHOP, "pyproject.toml": config})
    assert clean.plan.drop_addopts
    assert len(clean.stable) == 7


def test_healthy_shop_needs_no_network_and_pins_its_configuration(tmp_path: Path) -> None:
    clean = find(tmp_path, dict(SHOP))
    assert clean.environment.requirements == ()
    assert (clean.unstable, clean.failing) == ((), ())
    assert clean.plan.targets == ("tests/test_prices.py",)
    assert clean.test_files == ("pyproject.toml", "tests/conftest.py", "tests/test_prices.py")
    assert clean.plan.command() == "PYTHONPATH=src:. python -m pytest -p no:cacheprovider -c pyproject.toml"


def test_demo_repository_is_healthy(tmp_path: Path) -> None:
    bundle = Path(__file__).parents[2] / "examples" / "demo" / "quartermaster.bundle"
    source = RepositorySource(kind="repository", name="quartermaster", location=str(bundle))
    snapshot = take_snapshot(source, tmp_path, tmp_path / "cache")
    finder = CleanSuiteFinder(snapshot, select_backend(), shared_cache(tmp_path), limits=SUITE_LIMITS, install=False)
    clean = finder.find()
    assert (len(clean.stable), clean.unstable, clean.failing) == (106, (), ())


@pytest.mark.parametrize(
    ("files", "config", "paths"),
    [
        ({"pytest.ini": b"", "tox.ini": b"[pytest]\n"}, "pytest.ini", ("",)),
        ({"pyproject.toml": b"[project]\n", "tox.ini": b"[pytest]\n"}, "tox.ini", ("",)),
        ({"setup.cfg": b"[tool:pytest]\n", "src/a/__init__.py": b""}, "setup.cfg", ("src", "")),
        ({"setup.cfg": b"[metadata]\n", "lib/a.py": b""}, "", ("lib", "")),
        ({"pyproject.toml": b"not toml [", "src/__init__.py": b""}, "", ("",)),
    ],
)
def test_plan_is_read_off_the_files(
    files: dict[str, bytes], config: str, paths: tuple[str, ...], tmp_path: Path
) -> None:
    plan = find_plan(make_snapshot(tmp_path, files).tree)
    assert (plan.config_path, plan.import_paths) == (config, paths)


def test_trusted_files_are_tests_their_data_and_configuration(tmp_path: Path) -> None:
    files = {"a.py": b"", "tests/data/x.json": b"{}", "pkg/test_b.py": b"", "tox.ini": b"", "docs/tox.ini": b""}
    assert trusted_files(make_snapshot(tmp_path, files).tree) == ("pkg/test_b.py", "tests/data/x.json", "tox.ini")


def test_perturbations_differ_and_start_with_none() -> None:
    many = perturbations(6)
    assert len(set(many)) == 6
    assert (many[0].hash_seed, many[0].order_seed, many[0].time_zone) == (0, 0, "UTC")
    assert many[:3] == perturbations(3)
