"""The audit log: who asked for what and how it ended, without programs, inputs, tokens or outputs. Method: own."""

import hashlib
import json
import os
import threading
import time
from pathlib import Path


class AuditLog:
    """Adds one line of JSON per request to a file; a line is written whole, whoever else writes.

    Args:
        path: the file; None keeps no log.
    """

    def __init__(self, path: Path | None) -> None:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        self._fd = -1 if path is None else os.open(path, flags, 0o600)
        self._lock = threading.Lock()

    def add(self, **facts: str | float | None) -> None:
        """Add a line with the time (UTC, RFC 3339) and the facts."""
        if self._fd < 0:
            return
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        line = json.dumps({"time": now, **facts}, ensure_ascii=True) + "\n"
        with self._lock:
            os.write(self._fd, line.encode("ascii"))

    def close(self) -> None:
        """Close the file; idempotent."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def fingerprint(program: str) -> str:
    """Return what stands for a program in the log: enough to find it again, nothing to read."""
    return hashlib.sha256(program.encode("utf-8", "surrogatepass")).hexdigest()[:16]
