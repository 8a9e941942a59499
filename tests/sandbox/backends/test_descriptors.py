"""Groups of descriptors."""

import os

import pytest

from sandbox.backends.descriptors import Descriptors


def is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def test_leaving_the_block_closes_what_is_still_open(tmp_path):
    with Descriptors() as group:
        opened = [*group.pipe(), group.open(tmp_path, os.O_RDONLY), group.hold("x", b"y")]
        assert list(group) == sorted(opened)
        group.drop(opened[0])
        group.drop(opened[0])
        assert [is_open(descriptor) for descriptor in opened] == [False, True, True, True]
    assert not any(is_open(descriptor) for descriptor in opened)


def test_held_content_is_read_from_its_start_and_can_not_be_changed():
    content = os.urandom(300_000)
    with Descriptors() as group:
        reader = group.hold("name", content)
        with open(reader, "rb", closefd=False) as file:
            assert file.read() == content
        with pytest.raises(PermissionError):
            os.write(os.open(f"/proc/self/fd/{reader}", os.O_RDWR), b"x")


def test_nothing_of_a_group_is_inherited():
    with Descriptors() as group:
        opened = [*group.pipe(), group.hold("x", b"y")]
        assert not any(os.get_inheritable(descriptor) for descriptor in opened)
