"""Where every engine is installed by script, no level and no language may be skipped unseen."""

import os

import pytest

from sandbox.backends import select_backend
from sandbox.backends.container.backend import ContainerBackend
from sandbox.languages import BUILT, find_language
from tests.engines import running_docker, running_podman

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif("CI" not in os.environ, reason="CI isn't set, so engines and toolchains may be missing"),
]


@pytest.mark.parametrize("name", ["process", "nsjail", "gvisor", "qemu-microvm", "qemu"])
def test_levels_without_a_daemon_work(name):
    assert select_backend(name).probe().available


def test_docker_podman_and_gvisor_in_docker_work():
    with running_docker() as url:
        assert ContainerBackend(base_url=url).probe().available
        assert ContainerBackend(base_url=url, runtime="runsc").probe().available
    with running_podman() as url:
        assert ContainerBackend(engine="podman", base_url=url).probe().available


@pytest.mark.parametrize("name", BUILT)
def test_every_language_has_its_toolchain(name):
    assert find_language(name).find_toolchain().version
