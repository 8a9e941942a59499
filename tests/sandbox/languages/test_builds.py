"""What the cache of builds keeps: the last ones used, so many and so many bytes of them."""

from dataclasses import replace

import pytest

from sandbox.backends import select_backend
from sandbox.languages import builds
from sandbox.languages.builds import BuildCache
from sandbox.languages.recipes import Recipe, Toolchain

TOOLCHAIN = Toolchain(version="sh 1")
RECIPE = Recipe(
    files={"size": b"400000"},
    build=("/bin/sh", "-c", "head -c $(cat size) /dev/zero > program"),
    artefacts=("program",),
    run=("./program",),
)


class Counted:
    """A backend that counts the sandboxes it opens."""

    def __init__(self):
        self._inner = select_backend("process")
        self.name = self._inner.name
        self.opened = 0

    def probe(self):
        return self._inner.probe()

    def open(self, job):
        self.opened += 1
        return self._inner.open(job)


@pytest.fixture
def backend():
    return Counted()


def build(cache, backend, size):
    recipe = replace(RECIPE, files={"size": b"%d" % size})
    return cache.build(backend, "sh", TOOLCHAIN, recipe)


def test_a_build_is_made_once_and_kept(backend):
    cache = BuildCache()
    assert build(cache, backend, 1000).files["program"] == bytes(1000)
    assert build(cache, backend, 1000).size == 1000
    assert backend.opened == 1


def test_builds_are_kept_up_to_a_number_of_bytes_the_last_ones_used_longest(backend, monkeypatch):
    monkeypatch.setattr(builds, "_KEPT_BYTES", 1_000_000)
    cache = BuildCache()
    for size in (400_000, 400_001, 400_000, 400_002):
        build(cache, backend, size)
    assert backend.opened == 3
    build(cache, backend, 400_000)
    assert backend.opened == 3
    build(cache, backend, 400_001)
    assert backend.opened == 4


def test_a_build_larger_than_all_that_is_kept_is_given_and_not_kept(backend, monkeypatch):
    monkeypatch.setattr(builds, "_KEPT_BYTES", 1000)
    cache = BuildCache()
    for _ in range(2):
        assert build(cache, backend, 2000).size == 2000
    assert backend.opened == 2
