"""Which tests run with both tools of the process level."""

import pytest

SHARED = {"test_attacks", "test_channel", "test_process", "test_secrets"}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run the tests of both tools once with each."""
    if metafunc.module.__name__.rpartition(".")[2] in SHARED and "backend" in metafunc.fixturenames:
        metafunc.parametrize("backend", ["process", "nsjail"], indirect=True, scope="session")
