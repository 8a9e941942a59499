from email.utils import formatdate
from time import time

import pytest

from seeds.models.faults import read_retry_after


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": ""}, None),
        ({}, None),
    ],
)
def test_both_headers_are_read(headers, seconds):
    assert read_retry_after(headers) == seconds


def test_http_date_becomes_seconds_from_now():
    seconds = read_retry_after({"retry-after": formatdate(time() + 1000, usegmt=True)})
    assert 900 < seconds <= 1000
    assert read_retry_after({"retry-after": formatdate(time() - 20, usegmt=True)}) == 0.0
