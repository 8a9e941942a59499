"""The end of a run that failed or was asked to stop by Ctrl-C or SIGTERM.

Stands around the run. Work in flight is given up, since all that was finished lies in the store; what can't be given up
in time (a request to a model, say) is left behind with the process. Method: own.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from rich.console import Console

_PATIENCE_S = 3.0
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interruption(BaseException):
    """Somebody asked the run to stop; no error, so that nothing on the way takes it for one.

    Args:
        number: the signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__(f"interrupted by {signal.Signals(number).name}; run again, finished work is kept")
        self.exit_code = 128 + number
        self._is_told = False

    def tell(self) -> None:
        """Print the message, once, and give a terminal its cursor back."""
        if not self._is_told:
            self._is_told = True
            Console().show_cursor()
            print(str(self), file=sys.stderr, flush=True)  # noqa: T201 - the last words of the command


def _see_out(interruption: Interruption, end_work: Callable[[], None]) -> None:
    end_work()
    time.sleep(_PATIENCE_S)
    interruption.tell()
    os._exit(interruption.exit_code)


def hurry(code: int) -> None:
    """End this process with that code 3 s from now, if threads still hold it that do what nobody wants any more."""
    timer = threading.Timer(_PATIENCE_S, os._exit, (code,))
    timer.daemon = True
    timer.start()


@contextmanager
def stop_on_signals(end_work: Callable[[], None]) -> Iterator[None]:
    """Let SIGINT and SIGTERM end the block; the process ends 3 s later even if the block doesn't.

    Args:
        end_work: ends what the block is waiting for; called from another thread.

    Raises:
        Interruption: a signal came, whatever else the block raised because of it.
    """
    received: list[Interruption] = []

    def stop(number: int, _: FrameType | None) -> None:
        for each in _SIGNALS:
            signal.signal(each, signal.SIG_IGN)
        received.append(Interruption(number))
        # Another thread, since the main one may hold the locks of the pool right now.
        threading.Thread(target=_see_out, args=(received[0], end_work), daemon=True).start()
        raise received[0]

    before = {number: signal.signal(number, stop) for number in _SIGNALS}
    try:
        yield
    finally:
        if received:
            raise received[0]
        for number, handler in before.items():
            signal.signal(number, handler)
