"""What a running step tells the terminal: lines in a file that the command tails.

Beam's counters are final only when a run has ended, and a local run blocks until then; so the expensive steps append
to a file what they've done, and whoever shows progress reads it. Nothing of it enters a row. Method: own.
"""

import json
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

_EVERY_S = 0.25


@dataclass
class _Unsaid:
    queued: int = 0
    done: int = 0
    rejected: int = 0


class Heartbeat:
    """Appends what happened to a local file, at most four times a second and step.

    Args:
        path: the file; None tells nobody. It travels to workers by name, each opens it when it first speaks.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._unsaid: dict[str, _Unsaid] = {}
        self._said_at = 0.0

    def __getstate__(self) -> tuple[Path | None]:
        return (self._path,)  # a state of None would never be set

    def __setstate__(self, state: tuple[Path | None]) -> None:
        self.__init__(*state)  # type: ignore[misc]

    def beat(self, stage: str, *, queued: int = 0, done: int = 0, rejected: int = 0) -> None:
        """Add to a step's numbers; safe from any thread."""
        if self._path is None:
            return
        with self._lock:
            unsaid = self._unsaid.setdefault(stage, _Unsaid())
            unsaid.queued += queued
            unsaid.done += done
            unsaid.rejected += rejected
            if time.monotonic() - self._said_at >= _EVERY_S:
                self._say()

    def flush(self) -> None:
        """Say what hasn't been said."""
        with self._lock:
            self._say()

    def _say(self) -> None:
        if self._path is None or not self._unsaid:
            return
        lines = "".join(
            json.dumps({"stage": stage, "queued": u.queued, "done": u.done, "rejected": u.rejected}) + "\n"
            for stage, u in sorted(self._unsaid.items())
        )
        # A disk without room is for those to tell who must write to it.
        with suppress(OSError), self._path.open("a", encoding="utf-8") as file:
            file.write(lines)
        self._unsaid.clear()
        self._said_at = time.monotonic()


@dataclass
class StageProgress:
    """Running sums of one step."""

    queued: int = 0
    done: int = 0
    rejected: int = 0


@dataclass
class ProgressReader:
    """Reads what heartbeats have appended so far; call `update` as often as you like."""

    path: Path
    stages: dict[str, StageProgress] = field(default_factory=dict)
    _offset: int = 0

    def update(self) -> Self:
        """Take in the complete lines that were added since the last call."""
        if not self.path.exists():
            return self
        with self.path.open("rb") as file:
            file.seek(self._offset)
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        self._offset += len(whole)
        for line in whole.splitlines():
            beat = json.loads(line)
            stage = self.stages.setdefault(beat["stage"], StageProgress())
            stage.queued += beat["queued"]
            stage.done += beat["done"]
            stage.rejected += beat["rejected"]
        return self
