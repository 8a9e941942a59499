"""Container engines that tests start for themselves and stop again, with nothing of theirs left behind.

Nothing of the machine is touched: own socket and data folder, no bridge, no firewall rules.
"""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from sandbox.backends.container.engine import Engine
from schemas.errors import SandboxError

START_S = 200.0
STOP_S = 60.0
RUNSC_ARGS = ("--network=none", "--platform=ptrace", "--oci-seccomp")


class EngineMissing(Exception):
    """The engine can't be started here; the message says why."""


@contextmanager
def running_docker() -> Iterator[str]:
    """Start a Docker daemon of our own and give its socket; see `EngineMissing`."""
    with started_docker() as (url, _):
        yield url


@contextmanager
def started_docker(*options: str) -> Iterator[tuple[str, int]]:
    """Start a Docker daemon of our own, with further options, and give its socket and its process id."""
    _require("dockerd", "docker.io")
    with _own_folder() as folder:
        config = folder / "daemon.json"
        runsc = {"path": shutil.which("runsc") or "/usr/bin/runsc", "runtimeArgs": list(RUNSC_ARGS)}
        config.write_text(json.dumps({"runtimes": {"runsc": runsc} if shutil.which("runsc") else {}}))
        command = ["dockerd", "--config-file", str(config), "--iptables=false", "--bridge=none"]
        command += ["--data-root", str(folder / "data"), "--exec-root", str(folder / "run")]
        command += ["--pidfile", str(folder / "pid"), "--host", f"unix://{folder}/sock", *options]
        with _running(command, folder) as process_id:
            yield f"unix://{folder}/sock", process_id


@contextmanager
def running_podman() -> Iterator[str]:
    """Start a Podman service of our own and give its socket; see `EngineMissing`."""
    _require("podman", "podman")
    with _own_folder() as folder:
        command = ["podman", "--cgroup-manager", "cgroupfs", "--runtime", shutil.which("runc") or "runc"]
        command += ["--root", str(folder / "data"), "--runroot", str(folder / "run"), "--tmpdir", str(folder / "tmp")]
        command += ["--storage-driver", "overlay", "system", "service", "--time=0", f"unix://{folder}/sock"]
        with _running(command, folder):
            yield f"unix://{folder}/sock"


def _require(binary: str, package: str) -> None:
    if shutil.which(binary) is None:
        raise EngineMissing(f"{binary} isn't installed (Debian: {package})")
    if os.geteuid() != 0:
        raise EngineMissing(f"{binary} is started as root only")


@contextmanager
def _own_folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="tf-", dir="/tmp"))  # sockets have short paths
    try:
        yield folder
    finally:
        _unmount_below(folder)
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _running(command: Sequence[str], folder: Path) -> Iterator[int]:
    log = folder / "log"
    with log.open("wb") as sink:
        engine = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=sink, stderr=sink, start_new_session=True, cwd=folder
        )
    try:
        _await_answer(engine, f"unix://{folder}/sock", log)
        yield engine.pid
    finally:
        engine.terminate()
        try:
            engine.wait(STOP_S)
        except subprocess.TimeoutExpired:
            engine.kill()
            engine.wait()
        _kill_leftovers(folder)


def _await_answer(engine: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and engine.poll() is None:
        with suppress(SandboxError):
            Engine(url).describe()
            return
        time.sleep(0.1)
    raise EngineMissing(f"{engine.args[0]} doesn't start: {log.read_text(errors='replace')[-500:]}")


def _kill_leftovers(folder: Path) -> None:
    """Kill what a stopped engine may leave: processes whose command line names its folder."""
    for entry in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            if entry.name.isdigit() and os.fsencode(folder) in (entry / "cmdline").read_bytes():
                os.kill(int(entry.name), signal.SIGKILL)


def _unmount_below(folder: Path) -> None:
    points = [line.split()[1] for line in Path("/proc/self/mounts").read_text().splitlines()]
    for point in reversed(points):
        if Path(point).is_relative_to(folder):
            subprocess.run(["umount", "-l", point], check=False, capture_output=True)
