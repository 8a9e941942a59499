"""The monitor of a QEMU process: commands and answers as JSON lines over a socket, every one under a deadline.

Method: own, after QEMU's ``qmp-spec``.
"""

import json
import socket
import time
from collections.abc import Sequence

from schemas.errors import SandboxError

_READ = 65536
_POLL_S = 0.01


class Monitor:
    """A monitor connection; its greeting is awaited at once.

    Args:
        deadline_s: for the greeting, which comes when the machine has been set up.

    Raises:
        SandboxError: there is no greeting.
    """

    def __init__(self, connection: socket.socket, *, deadline_s: float) -> None:
        self._connection = connection
        self._heard = bytearray()
        until = time.monotonic() + deadline_s
        self._next(until)
        self.ask("qmp_capabilities", deadline_s=deadline_s)

    def ask(
        self, command: str, *, deadline_s: float, descriptors: Sequence[int] = (), **arguments: object
    ) -> dict[str, object]:
        """Return what a command answers; an answer that is no object is empty.

        Args:
            descriptors: sent along.

        Raises:
            SandboxError: it is refused, or isn't answered in time.
        """
        until = time.monotonic() + deadline_s
        request = {"execute": command, "arguments": {name.replace("_", "-"): one for name, one in arguments.items()}}
        try:
            self._connection.settimeout(deadline_s)
            line = json.dumps(request).encode("ascii") + b"\n"
            sent = socket.send_fds(self._connection, [line], list(descriptors))
            if sent < len(line):
                self._connection.sendall(line[sent:])
        except OSError as error:
            raise SandboxError(f"the virtual machine is gone: {error}") from error
        while True:
            said = self._next(until)
            if "error" in said:
                raise SandboxError(f"the virtual machine refuses {command}: {said['error']}")
            if "return" in said:
                answer = said["return"]
                return answer if isinstance(answer, dict) else {}

    def save(self, descriptor: int, *, deadline_s: float) -> None:
        """Write the state of the stopped machine, without shared memory, to a file.

        Raises:
            SandboxError: it fails or takes too long.
        """
        until = time.monotonic() + deadline_s
        self._leave_memory_out(deadline_s)
        self.ask("getfd", fdname="state", descriptors=(descriptor,), deadline_s=deadline_s)
        self.ask("migrate", uri="fd:state", deadline_s=deadline_s)
        while (status := self.ask("query-migrate", deadline_s=deadline_s).get("status")) != "completed":
            if status in {"failed", "cancelled"} or time.monotonic() > until:
                raise SandboxError(f"the state of the virtual machine can't be saved: {status}")
            time.sleep(_POLL_S)

    def resume(self, descriptor: int, *, deadline_s: float) -> None:
        """Have a machine that was started with ``-incoming defer`` go on from a state that `save` has written.

        Raises:
            SandboxError: QEMU refuses.
        """
        self._leave_memory_out(deadline_s)
        self.ask("getfd", fdname="state", descriptors=(descriptor,), deadline_s=deadline_s)
        self.ask("migrate-incoming", uri="fd:state", deadline_s=deadline_s)

    def _leave_memory_out(self, deadline_s: float) -> None:
        capability = {"capability": "x-ignore-shared", "state": True}
        self.ask("migrate-set-capabilities", capabilities=[capability], deadline_s=deadline_s)

    def await_status(self, wanted: str, *, deadline_s: float) -> None:
        """Return once the machine has that status.

        Raises:
            SandboxError: it hasn't in time.
        """
        until = time.monotonic() + deadline_s
        while (status := self.ask("query-status", deadline_s=deadline_s).get("status")) != wanted:
            if time.monotonic() > until:
                raise SandboxError(f"the virtual machine is {status!r} after {deadline_s:g} s, not {wanted!r}")
            time.sleep(_POLL_S)

    def _next(self, until: float) -> dict[str, object]:
        """Return the next line that is no event."""
        while True:
            line, found, rest = self._heard.partition(b"\n")
            if not found:
                self._listen(until)
                continue
            self._heard = rest
            try:
                said = json.loads(line)
            except ValueError as error:
                raise SandboxError(f"the monitor of the virtual machine says {bytes(line[:80])!r}") from error
            if isinstance(said, dict) and "event" not in said:
                return said

    def _listen(self, until: float) -> None:
        left_s = until - time.monotonic()
        if left_s <= 0:
            raise SandboxError("the monitor of the virtual machine doesn't answer in time")
        self._connection.settimeout(left_s)
        try:
            piece = self._connection.recv(_READ)
        except OSError as error:
            raise SandboxError(f"the monitor of the virtual machine doesn't answer: {error}") from error
        if not piece:
            raise SandboxError("the virtual machine has ended")
        self._heard += piece
