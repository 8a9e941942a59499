"""An output stream of which no more than a cap is kept."""

import os
from collections.abc import Iterator

import pytest

from sandbox.backends.reader import CappedStream


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    yield reading, writing
    os.close(reading)


@pytest.mark.parametrize(
    ("cap", "kept", "overflowed"), [(8, b"abcdef", False), (6, b"abcdef", False), (5, b"abcde", True), (0, b"", True)]
)
def test_what_passes_the_cap_is_dropped_and_told(
    pipe: tuple[int, int], cap: int, kept: bytes, overflowed: bool
) -> None:
    stream = CappedStream(pipe[0], cap)
    for piece in (b"abc", b"def"):
        os.write(pipe[1], piece)
        assert stream.pull()
    os.close(pipe[1])
    assert not stream.pull()
    assert (stream.content(), stream.overflowed) == (kept, overflowed)


def test_a_stream_without_news_stays_open(pipe: tuple[int, int]) -> None:
    stream = CappedStream(pipe[0], 10)
    assert stream.pull()
    os.close(pipe[1])
    assert not stream.pull()
    assert (stream.content(), stream.overflowed) == (b"", False)
