"""What a virtual machine must be told when it goes on from a saved state: the time, and randomness of its own.

Without the second, every machine that goes on from one state would draw the same numbers. Method: own; the kernel's
``random(4)``.
"""

import fcntl
import os
import struct
import time

_RNDADDENTROPY = 0x40085203
_RNDRESEEDCRNG = 0x5207


def wake_up(time_s: float, randomness: bytes) -> None:
    """Set the clock and stir randomness into the kernel's pool.

    Args:
        time_s: seconds since the epoch.

    Raises:
        OSError: we aren't root, or the kernel refused.
    """
    time.clock_settime(time.CLOCK_REALTIME, time_s)
    request = struct.pack("ii", 8 * len(randomness), len(randomness)) + randomness
    device = os.open("/dev/urandom", os.O_WRONLY | os.O_CLOEXEC)
    try:
        fcntl.ioctl(device, _RNDADDENTROPY, request)
        fcntl.ioctl(device, _RNDRESEEDCRNG)
    finally:
        os.close(device)
