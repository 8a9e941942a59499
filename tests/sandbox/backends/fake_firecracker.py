"""A process that speaks Firecracker's documented API, for tests: checks the order and the bodies of requests, keeps a
log of them, and joins the vsock to a real agent, which it starts as a process of this machine.

Usage: ``fake_firecracker.py LOG --api-sock PATH [--id NAME]``, or ``--version``.
"""

import http.server
import json
import os
import socket
import socketserver
import subprocess
import sys
import threading
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
BODIES: dict[str, dict[str, type]] = {
    "/machine-config": {"vcpu_count": int, "mem_size_mib": int, "smt": bool, "track_dirty_pages": bool},
    "/boot-source": {"kernel_image_path": str, "boot_args": str, "initrd_path": str},
    "/drives/root": {"drive_id": str, "path_on_host": str, "is_root_device": bool, "is_read_only": bool},
    "/drives/toolchain": {"drive_id": str, "path_on_host": str, "is_root_device": bool, "is_read_only": bool},
    "/vsock": {"guest_cid": int, "uds_path": str},
    "/actions": {"action_type": str},
    "/vm": {"state": str},
    "/snapshot/create": {"snapshot_type": str, "snapshot_path": str, "mem_file_path": str},
    "/snapshot/load": {"snapshot_path": str, "mem_backend": dict, "resume_vm": bool},
}
BEFORE_START = {"/machine-config", "/boot-source", "/drives/root", "/drives/toolchain", "/vsock"}
METHODS = {"/vm": "PATCH"}


class Machine:
    """What the process has been told."""

    def __init__(self) -> None:
        self.told: dict[str, dict[str, object]] = {}
        self.state = "Not started"

    def take(self, method: str, place: str, body: dict[str, object]) -> str:
        """Carry a request out; return what is wrong with it, or nothing."""
        known = BODIES.get(place)
        if known is None or method != METHODS.get(place, "PUT"):
            return f"Invalid request method and/or path: {method} {place}"
        wrong = [name for name, value in body.items() if name not in known or type(value) is not known[name]]
        if wrong:
            return f"unknown field or type: {wrong}"
        return self._carry_out(place, body)

    def _carry_out(self, place: str, body: dict[str, object]) -> str:
        if place in BEFORE_START:
            return self._configure(place, body)
        if place == "/actions":
            return self._start(body)
        if place == "/vm":
            self.state = str(body["state"])
            return ""
        return self._save(body) if place == "/snapshot/create" else self._load(body)

    def _configure(self, place: str, body: dict[str, object]) -> str:
        if self.state != "Not started":
            return "The requested operation is not supported after starting the microVM."
        files = [body[name] for name in ("kernel_image_path", "initrd_path", "path_on_host") if name in body]
        absent = [name for name in files if not Path(str(name)).is_file()]
        self.told[place] = body
        return f"No such file: {absent}" if absent else ""

    def _start(self, body: dict[str, object]) -> str:
        missing = BEFORE_START - self.told.keys()
        if body != {"action_type": "InstanceStart"} or missing or self.state != "Not started":
            return f"Cannot start: {missing or self.state}"
        self.state = "Running"
        serve_vsock(str(self.told["/vsock"]["uds_path"]))
        return ""

    def _save(self, body: dict[str, object]) -> str:
        if self.state != "Paused":
            return "save/restore is only possible while paused"
        Path(str(body["snapshot_path"])).write_text(json.dumps(self.told))
        Path(str(body["mem_file_path"])).write_bytes(b"memory")
        return ""

    def _load(self, body: dict[str, object]) -> str:
        if self.told or self.state != "Not started":
            return "Loading a microVM snapshot not allowed after configuring boot-specific resources."
        backend = body["mem_backend"]
        if not isinstance(backend, dict) or backend.get("backend_type") != "File":
            return "mem_backend must be a file"
        if not Path(str(backend["backend_path"])).is_file():
            return "no memory file"
        self.told = json.loads(Path(str(body["snapshot_path"])).read_text())
        drives = (self.told[f"/drives/{name}"]["path_on_host"] for name in ("root", "toolchain"))
        if not all(Path(str(drive)).is_file() for drive in drives):
            return "the drive of the snapshot isn't there"
        self.state = "Running" if body["resume_vm"] else "Paused"
        serve_vsock(str(self.told["/vsock"]["uds_path"]))
        return ""


def serve_vsock(path: str) -> None:
    """Accept connections at the vsock's socket and join each to an agent."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(path)
    listener.listen()

    def accept() -> None:
        while True:
            connection, _ = listener.accept()
            line = b""
            while not line.endswith(b"\n"):
                line += connection.recv(1)
            if line == b"CONNECT 5000\n":
                connection.sendall(b"OK 1073741824\n")
                command = [sys.executable, "-m", "sandbox.guest.agent", "stdio"]
                environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(REPOSITORY)}
                subprocess.Popen(command, stdin=connection.fileno(), stdout=connection.fileno(), env=environment)
            connection.close()

    threading.Thread(target=accept, daemon=True).start()


class Server(socketserver.ThreadingUnixStreamServer):
    """HTTP over the API socket."""

    machine = Machine()
    log = Path(os.devnull)


class Handler(http.server.BaseHTTPRequestHandler):
    """One request."""

    server: Server

    def do_GET(self) -> None:
        """Describe the process."""
        self._answer(200, {"id": "x", "state": self.server.machine.state, "vmm_version": "1.7.0"})

    def do_PUT(self) -> None:
        """Carry a request out."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.log.open("a") as file:
            file.write(json.dumps([self.command, self.path, body]) + "\n")
        fault = self.server.machine.take(self.command, self.path, body)
        if fault:
            self._answer(400, {"fault_message": fault})
        else:
            self._answer(204, None)

    do_PATCH = do_PUT

    def _answer(self, status: int, body: object) -> None:
        data = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        if body is not None:
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def address_string(self) -> str:
        """Return a name, since a Unix socket has no address."""
        return "local"

    def log_message(self, *_: object) -> None:
        """Stay silent."""


def main() -> None:
    """Serve until killed."""
    if "--version" in sys.argv:
        sys.stdout.write("Firecracker v1.7.0\n")
        return
    with Server(sys.argv[sys.argv.index("--api-sock") + 1], Handler) as server:
        server.log = Path(sys.argv[1])
        server.serve_forever()


if __name__ == "__main__":
    main()
