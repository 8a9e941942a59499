"""Environments and the ladder of requirements."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sandbox.environments import build_environment, normalise_name
from sandbox.requirement_ladder import declared_requirements, missing_requirements
from schemas.errors import SeedError
from tests.repository_samples import shared_cache


def test_base_layer_runs_pytest_without_our_own_environment(tmp_path: Path) -> None:
    environment = build_environment((), shared_cache(tmp_path))
    (tmp_path / "test_a.py").write_text("def test_a():\n    assert 1 == 1\n")
    command = [sys.executable, "-S", "-s", "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    done = subprocess.run(
        command, env={"PYTHONPATH": str(environment.folder)}, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert "1 passed" in done.stdout, done.stderr
    assert [package.split("==")[0] for package in environment.packages] == [
        "iniconfig", "packaging", "pluggy", "pygments", "pytest",
    ]  # fmt: skip


def test_equal_requirements_share_one_environment_also_when_asked_at_once(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        built = list(pool.map(lambda _: build_environment((), tmp_path), range(4)))
    assert len(set(built)) == 1
    assert sum(1 for place in (tmp_path / "environments").iterdir() if place.is_dir()) == 1


def test_digest_names_no_place(tmp_path: Path) -> None:
    assert build_environment((), tmp_path).digest == build_environment((), shared_cache(tmp_path)).digest


def test_requirement_that_no_index_has_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(SeedError, match="pip can't install nothing-like-it") as caught:
        build_environment(("nothing-like-it",), tmp_path)
    assert caught.value.reason == "install_failed"
    assert not [place for place in (tmp_path / "environments").iterdir() if place.is_dir()]


@pytest.mark.network
def test_wheels_are_installed_beside_the_base_layer(tmp_path: Path) -> None:
    try:
        environment = build_environment(("text-unidecode==1.3", "pytest"), tmp_path)
    except SeedError as error:
        pytest.skip(f"no package index answers: {error}")
    assert "text-unidecode==1.3" in environment.packages
    assert (environment.folder / "text_unidecode" / "__init__.py").is_file()
    assert f"pytest=={pytest.__version__}" in environment.packages


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            {
                "pyproject.toml": '[project]\ndependencies = ["attrs>=20", "six ; python_version < \'4\'"]\n'
                '[project.optional-dependencies]\ntest = ["pytest", "hypothesis"]\ndocs = ["sphinx"]\n'
                '[dependency-groups]\ndev = ["freezegun", {include-group = "x"}, "ruff"]\n'
            },
            ("attrs>=20", "freezegun", "hypothesis", "six ; python_version < '4'"),
        ),
        ({"setup.cfg": "[options]\ninstall_requires =\n    a\n    b>1\n[options.extras_require]\ntest = c\n"}, ("a", "b>1", "c")),
        ({"tox.ini": "[testenv]\ndeps =\n    pytest\n    py311: d\n    -r requirements.txt\n    {[x]y}\n"}, ("d",)),
        ({"requirements-test.txt": "# none\nmock==5.0 # why\n-r other.txt\ngit+https://x/y\nz @ https://x/z\n", "requirements.txt": "ignored\n"}, ("mock==5.0",)),
        ({"pyproject.toml": "broken ["}, ()),
        ({}, ()),
    ],
)  # fmt: skip
def test_declared_requirements(files: dict[str, str], expected: tuple[str, ...], tmp_path: Path) -> None:
    for path, text in files.items():
        (tmp_path / path).write_text(text)
    assert declared_requirements(tmp_path) == expected


def test_missing_modules_become_distributions_and_own_ones_do_not() -> None:
    messages = [
        "ModuleNotFoundError: No module named 'yaml'",
        "No module named 'shop.x'",
        "No module named 'mock.mock'",
    ]
    assert missing_requirements(messages, {"shop"}) == ("mock", "pyyaml")


@pytest.mark.parametrize(
    ("requirement", "name"), [("Foo.Bar_baz[x]>=1", "foo-bar-baz"), ("a", "a"), ("-r x", ""), ("", "")]
)
def test_names_are_normalised(requirement: str, name: str) -> None:
    assert normalise_name(requirement) == name
