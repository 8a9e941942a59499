"""Which tests run with both tools of the process level, and a folder of packages to show to programs."""

from pathlib import Path

import pytest

from tests.package_samples import copy_numpy

SHARED = {"test_attacks", "test_channel", "test_process", "test_secrets"}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run the tests of both tools once with each."""
    if metafunc.module.__name__.rpartition(".")[2] in SHARED and "backend" in metafunc.fixturenames:
        metafunc.parametrize("backend", ["process", "nsjail"], indirect=True, scope="session")


@pytest.fixture(scope="session")
def numpy_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with numpy in it."""
    folder = tmp_path_factory.mktemp("packages") / "site"
    copy_numpy(folder)
    return folder
