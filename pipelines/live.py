"""The terminal while a run goes on: a line per step with done, waiting, rejected, rate and time left.

Tails the heartbeat file from a thread of its own, since a local run blocks until it has ended. On a terminal the lines
are redrawn, elsewhere (a log) a line is printed now and then and at the end. Method: own, with rich.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.live import Live
from rich.table import Table

from transforms import dedup, write
from transforms.progress import ProgressReader, StageProgress

_REDRAW_S = 0.5
_LOG_EVERY_S = 10.0
_LAST_STEPS = (dedup.STEP, write.STEP)
"""Stand below all others, though refused records wait for being written from the start."""


class RateMeter:
    """Rate and time left of one step, from when it first did something until it last did."""

    def __init__(self) -> None:
        self._since: float | None = None
        self._until = 0.0
        self._first = 0
        self._done = 0

    def describe(self, progress: StageProgress, now: float) -> tuple[str, str]:
        """Return the rate (``3.1/s``) and the time left (``12 s``), empty while unknown.

        Args:
            now: seconds of a clock that only goes forward.
        """
        if progress.done != self._done:
            self._done, self._until = progress.done, now
        if self._since is None:
            self._first = progress.done
            self._since = now if progress.done else None
        waiting = max(progress.queued - progress.done, 0)
        if self._since is None or self._until <= self._since:
            return "", "" if waiting or not progress.done else "done"
        rate = (progress.done - self._first) / (self._until - self._since)
        return f"{rate:.1f}/s", f"{waiting / rate:.0f} s" if waiting else "done"


class ProgressView:
    """Turns what a reader has read into a table or a line."""

    def __init__(self, reader: ProgressReader) -> None:
        self._reader = reader
        self._meters: dict[str, RateMeter] = {}

    def _rows(self, now: float) -> list[tuple[str, ...]]:
        rows: list[tuple[str, ...]] = []
        stages = self._reader.update().stages
        for name in sorted(stages, key=lambda name: _LAST_STEPS.index(name) if name in _LAST_STEPS else -1):
            progress = stages[name]
            rate, left = self._meters.setdefault(name, RateMeter()).describe(progress, now)
            total = str(progress.queued) if progress.queued else "?"
            rows.append((name, f"{progress.done}/{total}", str(progress.rejected), rate, left))
        return rows

    def table(self, now: float) -> Table:
        """Return the steps as a table."""
        table = Table(box=None, pad_edge=False)
        for heading in ("step", "done", "rejected", "rate", "left"):
            table.add_column(heading, justify="left" if heading == "step" else "right")
        for row in self._rows(now) or [("starting", "", "", "", "")]:
            table.add_row(*row)
        return table

    def line(self, now: float) -> str:
        """Return the steps as one line."""
        steps = []
        for name, done, _, rate, left in self._rows(now):
            ahead = f"{left} left" if left.endswith("s") else left
            steps.append(" ".join(part for part in (name, done, rate, ahead) if part))
        return "; ".join(steps) or "starting"


def _redraw(view: ProgressView, console: Console, stop: threading.Event) -> None:
    with Live(view.table(time.monotonic()), console=console, auto_refresh=False, transient=True) as live:
        while not stop.wait(_REDRAW_S):
            live.update(view.table(time.monotonic()), refresh=True)


def _log(view: ProgressView, console: Console, stop: threading.Event) -> None:
    is_last = False
    while not is_last:
        is_last = stop.wait(_LOG_EVERY_S)
        console.print(view.line(time.monotonic()), highlight=False, markup=False, soft_wrap=True)


@contextmanager
def show_progress(path: Path, console: Console) -> Iterator[None]:
    """Show what heartbeats append to the file until the block ends."""
    view = ProgressView(ProgressReader(path))
    stop = threading.Event()
    target = _redraw if console.is_terminal else _log
    thread = threading.Thread(target=target, args=(view, console, stop), daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
