"""The guard's filter refuses exactly what its table says."""

import os
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.inside import guard

_NAMES = {number: name for name, (number, _) in guard._NUMBERS.items()}
_NUMBERS = st.one_of(st.sampled_from(sorted(number for number in _NAMES if number >= 0)), st.integers(0, 500))
_VALUES = st.one_of(
    st.integers(0, 4), st.sampled_from([2**32 - 1, 0o060644, 0o020644, 0o100644]), st.integers(0, 2**32 - 1)
)


def run_filter(program: bytes, number: int, architecture: int, arguments: list[int]) -> int:
    """Return what a filter of our four kinds of instructions answers."""
    data = struct.pack("<IIQ6Q", number, architecture, 0, *arguments)
    lines = list(struct.iter_unpack("<HBBI", program))
    at = register = 0
    while True:
        code, if_true, if_false, constant = lines[at]
        at += 1
        if code == guard._LOAD:
            (register,) = struct.unpack_from("<I", data, constant)
        elif code == guard._AND:
            register &= constant
        elif code == guard._EQUAL:
            at += if_true if register == constant else if_false
        else:
            assert code == guard._RETURN
            return constant


@pytest.fixture(scope="module")
def x86_filter():
    if os.uname().machine != "x86_64":
        pytest.skip("the table is read for x86_64")
    return guard._write_program()


@given(number=_NUMBERS, arguments=st.lists(_VALUES, min_size=6, max_size=6))
def test_calls_are_refused_as_the_table_says(x86_filter, number, arguments):
    refused = any(
        name == _NAMES.get(number) and arguments[argument] & bits in values
        for name, argument, bits, values in guard._REFUSED
    )
    expected = guard._REFUSE if refused else guard._ALLOW
    assert run_filter(x86_filter, number, 0xC000003E, arguments) == expected


def test_another_architecture_is_left_to_the_sandbox_s_own_filter(x86_filter):
    assert run_filter(x86_filter, 62, 0x40000003, [1, 0, 0, 0, 0, 0]) == guard._ALLOW


def test_a_child_puts_it_on():
    assert guard.Guard().is_accepted()
