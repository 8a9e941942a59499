"""The rate of this machine's time-stamp counter, which an emulated guest sees as its own.

A guest finds the rate out by comparing with another clock, and on a busy machine it fails: QEMU's microvm then never
gets a timer going and hangs. So the guest is told. Method: own.
"""

import ctypes
import mmap
import time

_READ_COUNTER = bytes.fromhex("0f3148c1e2204809d0c3")
"""``rdtsc; shl rdx, 32; or rax, rdx; ret``"""
_SPAN_S = 0.1


def measure_counter_khz() -> int:
    """Return the counter's rate in kHz; 0 where memory can't be executed."""
    try:
        page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    except OSError:
        return 0
    page.write(_READ_COUNTER)
    code = ctypes.c_char.from_buffer(page)
    read = ctypes.CFUNCTYPE(ctypes.c_uint64)(ctypes.addressof(code))
    begin, begin_ns = read(), time.monotonic_ns()
    time.sleep(_SPAN_S)
    end, end_ns = read(), time.monotonic_ns()
    del read, code
    page.close()
    return int((end - begin) * 1_000_000 // (end_ns - begin_ns))
