"""The audit log: who asked for what and how it ended, without programs, inputs, tokens or outputs.

Requests are answered even when the log can't be written; the lines that are lost are counted. Method: own.
"""

import errno
import hashlib
import json
import logging
import os
import threading
import time
from pathlib import Path

_LOGGER = logging.getLogger(__name__)


class AuditLog:
    """Adds one line of JSON per request to a file; a line is written whole, whoever else writes.

    Args:
        path: the file; None keeps no log.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._fd = -1 if path is None else _open(path)
        self._lock = threading.Lock()
        self._ends_within_line = False
        self.lost = 0
        """Lines that couldn't be written."""

    def add(self, **facts: str | float | None) -> None:
        """Add a line with the time (UTC, RFC 3339) and the facts."""
        if self._path is None or self._fd < 0:
            return
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        line = (json.dumps({"time": now, **facts}, ensure_ascii=True) + "\n").encode("ascii")
        with self._lock:
            try:
                self._follow(self._path)
                self._write(line)
            except OSError as error:
                self.lost += 1
                _LOGGER.error("a line of the audit log %s is lost: %s", self._path, error)

    def _follow(self, path: Path) -> None:
        """Open the file again if another one, or none, stands in its place: logs are moved away when they are long."""
        if path.exists() and os.path.samestat(path.stat(), os.fstat(self._fd)):
            return
        opened, old = _open(path), self._fd
        self._fd, self._ends_within_line = opened, False
        os.close(old)

    def _write(self, line: bytes) -> None:
        if self._ends_within_line:
            line = b"\n" + line
        written = os.write(self._fd, line)
        self._ends_within_line = written < len(line) if written else self._ends_within_line
        if written < len(line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def close(self) -> None:
        """Close the file; idempotent."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def _open(path: Path) -> int:
    return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)


def fingerprint(program: str) -> str:
    """Return what stands for a program in the log: enough to find it again, nothing to read."""
    return hashlib.sha256(program.encode("utf-8", "surrogatepass")).hexdigest()[:16]
