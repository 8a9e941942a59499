"""What backends that prove themselves have in common: a probe whose answer is cached, and a program to try out.

Base of the backends; each says only how it is tried out. Method: own.
"""

import threading
from abc import ABC, abstractmethod

from sandbox.backends.rootfs import PYTHON
from sandbox.base import Capability, Run, Session
from schemas.errors import SandboxError
from schemas.limits import Limits

PROBE_LIMITS = Limits(cpu_s=10, wall_s=60, memory_mb=256, disk_mb=8, processes=32)
"""Limits of a sandbox that is opened to be tried out, where starting one takes a while."""
_ANSWER_S = 60.0
_PROGRAM = (
    "import os, sys; print(f'{os.getpid()} {os.getuid()} {os.access(chr(47), os.W_OK)}', end='', flush=True);"
    "sys.stdin.read()"
)
_EXPECTED = b"1 65534 False"


class ProbedBackend(ABC):
    """Base of `sandbox.base.Backend`."""

    name: str
    isolation: str

    def __init__(self) -> None:
        self._probing = threading.Lock()
        self._capability: Capability | None = None

    def probe(self) -> Capability:
        """Return what works here, after running something real; the answer is cached."""
        with self._probing:
            if self._capability is None:
                self._capability = self._try_out()
            return self._capability

    @abstractmethod
    def _try_out(self) -> Capability:
        """Return what works here."""

    def _unavailable(self, reason: str) -> Capability:
        return Capability(backend=self.name, available=False, reason=reason, isolation=self.isolation)


def try_conversation(session: Session) -> None:
    """Look whether a program is process 1, user 65534, and can't write to the root folder.

    Raises:
        SandboxError: it isn't so, or no program can be talked to.
    """
    channel = session.converse(Run(argv=(PYTHON, "-I", "-S", "-c", _PROGRAM)))
    said = channel.receive_exact(len(_EXPECTED), deadline_s=_ANSWER_S)
    if said != _EXPECTED:
        raise SandboxError(f"the sandbox isn't set up as asked: {said!r}, not {_EXPECTED!r}")
