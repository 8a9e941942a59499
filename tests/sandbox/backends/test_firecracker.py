"""Firecracker at the process boundary: a process that speaks its documented API, with a real agent behind the vsock."""

import json
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox.backends.firecracker import FirecrackerBackend
from sandbox.backends.firecracker_api import Api, connect_vsock
from sandbox.backends.firecracker_machine import FirecrackerMachine
from sandbox.backends.vm.image import Recipe
from sandbox.base import Job, Run, State
from schemas.errors import SandboxError
from schemas.limits import Limits

_FAKE = Path(__file__).with_name("fake_firecracker.py")
_LIMITS = Limits(cpu_s=5, wall_s=20, memory_mb=256, disk_mb=16, processes=32)
_JAILER = """#!/bin/sh
echo "$@" >> {log}
base=
name=
while [ "$1" != -- ]; do
  case "$1" in --id) name=$2 ;; --chroot-base-dir) base=$2 ;; esac
  shift
done
shift
cd "$base/firecracker/$name/root" && exec {program} "$@"
"""


class Installation:
    """Fake binaries in a folder, and what they were told."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "requests"
        self.jailed = folder / "jailed"
        self.program = self._write("firecracker", f'#!/bin/sh\nexec {sys.executable} {_FAKE} {self.log} "$@"\n')
        self.jailer = self._write("jailer", _JAILER.format(log=self.jailed, program=self.program))
        self.kernel = folder / "vmlinux"
        self.kernel.write_bytes(b"\x7fELF kernel")

    def _write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o755)
        return path

    def backend(self, kernel: Path | None = None) -> FirecrackerBackend:
        recipe = Recipe(toolchains=("python",), kernel=kernel or self.kernel)
        store = self.folder / "store"
        return FirecrackerBackend(
            program=self.program, jailer=self.jailer, store=store, recipe=recipe, needs_kvm=False
        )  # fmt: skip

    def requests(self) -> list[tuple[str, str]]:
        lines = [json.loads(line) for line in self.log.read_text().splitlines()]
        return [(method, place) for method, place, _ in lines]


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    return Installation(tmp_path_factory.mktemp("firecracker"))


@pytest.fixture(scope="module")
def backend(installation: Installation) -> FirecrackerBackend:
    return installation.backend()


def test_a_guest_is_booted_once_saved_and_resumed_for_every_session(
    backend: FirecrackerBackend, installation: Installation
) -> None:
    for _ in range(2):
        with backend.open(Job(limits=_LIMITS, files={"in": b"7"})) as session:
            outcome = session.run(Run(argv=("/bin/cat", "in")))
        assert (outcome.state, outcome.stdout, outcome.backend) == (State.OK, b"7", "firecracker")
        assert outcome.isolation == "microvm"
    assert installation.requests() == [
        ("PUT", "/machine-config"),
        ("PUT", "/boot-source"),
        ("PUT", "/drives/root"),
        ("PUT", "/drives/toolchain"),
        ("PUT", "/vsock"),
        ("PUT", "/actions"),
        ("PATCH", "/vm"),
        ("PUT", "/snapshot/create"),
        ("PUT", "/snapshot/load"),
        ("PUT", "/snapshot/load"),
    ]


def test_another_process_finds_the_snapshot(backend: FirecrackerBackend, installation: Installation) -> None:
    with backend.open(Job(limits=_LIMITS)):
        pass
    before = len(installation.requests())
    with installation.backend().open(Job(limits=_LIMITS)) as session:
        assert session.run(Run(argv=("/bin/echo", "hi"))).stdout == b"hi\n"
    assert installation.requests()[before:] == [("PUT", "/snapshot/load")]


@pytest.mark.skipif(os.geteuid() != 0, reason="the jailer is used as root only")
def test_as_root_the_jailer_starts_it_as_another_user(backend: FirecrackerBackend, installation: Installation) -> None:
    with backend.open(Job(limits=_LIMITS)):
        pass
    line = installation.jailed.read_text().splitlines()[-1]
    words = line.split()
    assert words[words.index("--uid") + 1] == "65534"
    assert words[words.index("--exec-file") + 1] == str(installation.program)
    assert words[words.index("--") :] == ["--", "--api-sock", "api.sock"]


def test_the_probe_runs_a_program(backend: FirecrackerBackend) -> None:
    capability = backend.probe()
    assert capability.available, capability.reason
    assert (capability.isolation, capability.version) == ("microvm", "Firecracker v1.7.0")


def test_a_killed_process_ends_a_run_at_once_and_leaves_no_folder(
    backend: FirecrackerBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    machines: list[FirecrackerMachine] = []
    connect = FirecrackerMachine.connect

    def note(machine: FirecrackerMachine, *, deadline_s: float) -> object:
        machines.append(machine)
        return connect(machine, deadline_s=deadline_s)

    monkeypatch.setattr(FirecrackerMachine, "connect", note)
    with backend.open(Job(limits=_LIMITS)) as session:
        process = machines[-1].process_id
        threading.Timer(0.5, os.kill, (process, signal.SIGKILL)).start()
        with pytest.raises(SandboxError, match="virtual machine"):
            session.run(Run(argv=("/bin/sleep", "15")))
    assert not machines[-1].folder.exists()


def test_a_compressed_kernel_is_refused_in_words(installation: Installation, tmp_path: Path) -> None:
    (tmp_path / "bzImage").write_bytes(b"MZ")
    capability = installation.backend(tmp_path / "bzImage").probe()
    assert not capability.available
    assert "uncompressed kernel" in capability.reason


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda folder: FirecrackerBackend(program=folder / "nothing"), "doesn't tell its version"),
        (lambda _: FirecrackerBackend(), "no firecracker on PATH"),
    ],
)
def test_the_probe_says_what_is_missing(
    make: Callable[[Path], FirecrackerBackend], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    capability = make(tmp_path).probe()
    assert not capability.available
    assert words in capability.reason


def test_a_job_that_is_too_large_is_refused(backend: FirecrackerBackend) -> None:
    with pytest.raises(SandboxError, match="no room for memory_mb = 4096"):
        backend.open(Job(limits=Limits(memory_mb=4096)))


def test_what_firecracker_refuses_is_told_in_its_words(installation: Installation) -> None:
    machine = FirecrackerMachine(installation.program, None, {})
    try:
        with pytest.raises(SandboxError, match="refuses PUT /actions: Cannot start"):
            machine.api.start(deadline_s=10)
    finally:
        machine.kill()


def _hang_up(listener: socket.socket) -> None:
    connection, _ = listener.accept()
    connection.close()


def test_nobody_at_the_port_is_an_error_in_time(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "v.sock"))
        listener.listen()
        threading.Thread(target=_hang_up, args=(listener,), daemon=True).start()
        with pytest.raises(SandboxError, match="listens at port 5000"):
            connect_vsock(tmp_path / "v.sock", 5000, deadline_s=0.2)


def test_no_process_at_the_socket_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match="doesn't answer GET"):
        Api(tmp_path / "none").await_socket(deadline_s=0.1)
