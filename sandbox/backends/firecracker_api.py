"""The documented API of a Firecracker process: HTTP over a Unix socket, one JSON object a request; and its vsock.

Method: own, after Firecracker's ``docs/getting-started.md``, ``docs/snapshotting`` and ``docs/vsock.md``.
"""

import http.client
import json
import socket
import time
from collections.abc import Mapping
from pathlib import Path

from schemas.errors import SandboxError

_POLL_S = 0.02
_LINE_BYTES = 64


class _SocketConnection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: Path, *, deadline_s: float) -> None:
        super().__init__("localhost", timeout=deadline_s)
        self._path = path

    def connect(self) -> None:
        """Connect to the socket."""
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))


class Api:
    """A client of one process.

    Args:
        path: of its socket on this machine.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def await_socket(self, *, deadline_s: float) -> None:
        """Return once the process answers.

        Raises:
            SandboxError: it doesn't in time.
        """
        until = time.monotonic() + deadline_s
        while True:
            try:
                self.call("GET", "/", {}, deadline_s=deadline_s)
            except SandboxError:
                if time.monotonic() > until:
                    raise
                time.sleep(_POLL_S)
            else:
                return

    def call(self, method: str, place: str, body: Mapping[str, object], *, deadline_s: float) -> None:
        """Send one request that must succeed.

        Raises:
            SandboxError: it is refused, with Firecracker's words, or isn't answered in time.
        """
        connection = _SocketConnection(self._path, deadline_s=deadline_s)
        headers = {"Accept": "application/json", "Content-Type": "application/json"}
        try:
            connection.request(method, place, json.dumps(body) if body else None, headers)
            answer = connection.getresponse()
            said = answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise SandboxError(f"Firecracker doesn't answer {method} {place}: {error}") from error
        finally:
            connection.close()
        if answer.status not in {200, 204}:
            raise SandboxError(f"Firecracker refuses {method} {place}: {_read_fault(said)}")

    def configure(self, *, memory_mb: int, boot_args: str, vsock: str, deadline_s: float) -> None:
        """Describe a machine whose files lie in the process's folder.

        They are ``vmlinux``, ``initrd`` and the disks ``root.ext4`` and ``toolchain.ext4``, in this order.
        """
        disks: tuple[tuple[str, dict[str, object]], ...] = tuple((f"/drives/{name}", {
            "drive_id": name, "path_on_host": f"{name}.ext4", "is_root_device": False, "is_read_only": True,
        }) for name in ("root", "toolchain"))  # fmt: skip
        requests: tuple[tuple[str, dict[str, object]], ...] = (
            ("/machine-config", {"vcpu_count": 1, "mem_size_mib": memory_mb, "smt": False}),
            ("/boot-source", {"kernel_image_path": "vmlinux", "initrd_path": "initrd", "boot_args": boot_args}),
            *disks,
            ("/vsock", {"guest_cid": 3, "uds_path": vsock}),
        )
        for place, body in requests:
            self.call("PUT", place, body, deadline_s=deadline_s)

    def start(self, *, deadline_s: float) -> None:
        """Boot the machine."""
        self.call("PUT", "/actions", {"action_type": "InstanceStart"}, deadline_s=deadline_s)

    def save(self, *, state: str, memory: str, deadline_s: float) -> None:
        """Pause the machine and write a full snapshot."""
        self.call("PATCH", "/vm", {"state": "Paused"}, deadline_s=deadline_s)
        body = {"snapshot_type": "Full", "snapshot_path": state, "mem_file_path": memory}
        self.call("PUT", "/snapshot/create", body, deadline_s=deadline_s)

    def resume(self, *, state: str, memory: str, deadline_s: float) -> None:
        """Have a process without a machine go on from a snapshot."""
        body = {
            "snapshot_path": state,
            "mem_backend": {"backend_type": "File", "backend_path": memory},
            "resume_vm": True,
        }
        self.call("PUT", "/snapshot/load", body, deadline_s=deadline_s)


def _read_fault(said: bytes) -> str:
    try:
        return str(json.loads(said)["fault_message"])
    except (ValueError, KeyError, TypeError):
        return said[:200].decode(errors="replace")


def connect_vsock(path: Path, port: int, *, deadline_s: float) -> socket.socket:
    """Return a stream to a port in the guest, as soon as somebody listens there.

    Raises:
        SandboxError: nobody does in time.
    """
    until = time.monotonic() + deadline_s
    while True:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.settimeout(max(0.1, until - time.monotonic()))
            connection.connect(str(path))
            connection.sendall(f"CONNECT {port}\n".encode("ascii"))
            said = _read_line(connection)
        except OSError as error:
            said = str(error).encode()
        if said.startswith(b"OK "):
            connection.settimeout(None)
            return connection
        connection.close()
        if time.monotonic() > until:
            raise SandboxError(f"nobody in the guest listens at port {port}: {said.decode(errors='replace')!r}")
        time.sleep(_POLL_S)


def _read_line(connection: socket.socket) -> bytes:
    """Return the answer's line; byte by byte, since what follows is the guest's."""
    line = bytearray()
    while len(line) < _LINE_BYTES and (piece := connection.recv(1)) not in {b"", b"\n"}:
        line += piece
    return bytes(line)
