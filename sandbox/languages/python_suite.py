"""The inside half of suite running: a fork server that has pytest loaded and runs one tree per forked child.

Its source text goes into the sandbox as it stands, with that of `python_suite_child`, so both import the standard
library and pytest only. The trusted half is `sandbox/suites.py`. Frames are 4 bytes of length (big-endian) and JSON.
Method: own; costs in docs/repositories.md.
"""

import base64
import contextlib
import ctypes
import gc
import importlib
import importlib.metadata
import json
import os
import resource
import select
import shutil
import signal
import struct
import sys
import time
from pathlib import Path
from typing import NoReturn, TypedDict

import _pytest.config
import pytest

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))

from sandbox.inside.guard import Guard
from sandbox.inside.scratch import empty_folders
from sandbox.languages.python_suite_child import PR_SET_DUMPABLE, Request, run_child
from sandbox.languages.python_suite_tree import Template

RESULT_BYTES = 64 * 1024 * 1024


class Answer(TypedDict):
    """What one run gave."""

    lines: str
    """The reporter's JSON lines."""
    status: int
    """Wait status of the child."""
    timed_out: bool
    cpu_s: float
    said: str
    """The end of what pytest printed, for a run that didn't come to a normal end."""


class Server:
    """Keeps a template tree and a loaded pytest; forks a child for every request."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.run_folder = self.folder / "run"
        self.plugins = _entry_points()
        self.guard = Guard()

    def prepare(self) -> dict[str, str]:
        """Unpack the tree and load every plugin that pytest starts with."""
        self.template = Template(self.folder / "tree.tar", self.folder / "template")
        _wipe()
        for name in _pytest.config.default_plugins:
            importlib.import_module(f"_pytest.{name}")
        return {"python": "{}.{}.{}".format(*sys.version_info), "pytest": pytest.__version__}

    def run(self, request: Request) -> Answer:
        """Return what the suite did with the template plus the files of the request."""
        tree = self._lay(request)
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            self.guard.put_on()
            run_child(tree, writer, request, self.plugins)
        os.close(writer)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        data, status, timed_out = _collect(reader, child, request["wall_s"])
        _kill_children()
        said = _tail(self.run_folder / "output")
        if request["keep_bytecode"]:
            self._keep_bytecode(tree)
        _wipe()
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu_s = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
        return {
            "lines": data.decode("utf-8", "replace"),
            "status": status,
            "timed_out": timed_out,
            "cpu_s": cpu_s,
            "said": said,
        }

    def _lay(self, request: Request) -> Path:
        tree = self.run_folder / "tree"
        for name in ("tmp", "home"):
            (self.run_folder / name).mkdir(parents=True)
        self.template.lay(tree)
        for path in request["remove"]:
            place = tree / path
            if place.is_dir() and not place.is_symlink():
                shutil.rmtree(place)
            else:
                place.unlink(missing_ok=True)
        for path, content in request["files"].items():
            _lay_file(tree, path, base64.b64decode(content))
        return tree

    def _keep_bytecode(self, tree: Path) -> None:
        """Copy the bytecode of a healthy run into the template: unchanged files needn't be compiled again."""
        paths: list[Path] = []
        for cache in sorted(tree.rglob("__pycache__")):
            if self.template.holds_folder(str(cache.parent.relative_to(tree))) and not cache.is_symlink():
                paths += (cache, *sorted(cache.iterdir()))
        self.template.keep(tree, paths)


def _lay_file(tree: Path, path: str, data: bytes) -> None:
    place = tree / path
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.is_symlink():
        place.unlink()
    place.write_bytes(data)
    for stale in place.parent.glob(f"__pycache__/{place.stem}.*.pyc"):
        stale.unlink()


def _entry_points() -> list[str]:
    """Return the pytest plugins of the environment; those of the tree are never loaded by themselves."""
    return sorted({point.value for point in importlib.metadata.entry_points(group="pytest11")})


def _collect(reader: int, child: int, wall_s: float) -> tuple[bytes, int, bool]:
    """Return the child's lines, its wait status, and whether the deadline passed."""
    deadline = time.monotonic() + wall_s
    data = bytearray()
    os.set_blocking(reader, False)
    listening = [reader]
    timed_out = False
    while True:
        ready, _, _ = select.select(listening, [], [], 0.02 if listening else 0.002)
        if ready and _drain(reader, data):
            listening = []
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        if time.monotonic() > deadline or len(data) >= RESULT_BYTES:
            timed_out = True
            os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
            break
    _drain(reader, data)
    os.close(reader)
    return bytes(data[:RESULT_BYTES]), status, timed_out


def _drain(reader: int, data: bytearray) -> bool:
    """Read what is there; return whether the other end is closed."""
    while len(data) < RESULT_BYTES:
        try:
            block = os.read(reader, 1 << 16)
        except BlockingIOError:
            return False
        if not block:
            return True
        data += block
    return False


def _tail(path: Path) -> str:
    """Return the last 4,000 bytes of a plain file."""
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(max(0, size - 4000))
            return file.read(4000).decode("utf-8", "replace")
    except OSError:
        return ""


def _kill_children() -> None:
    """Kill and reap every other process of the sandbox; this one is process 1."""
    with contextlib.suppress(ChildProcessError):
        while True:
            with contextlib.suppress(ProcessLookupError):
                os.kill(-1, signal.SIGKILL)
            os.waitpid(-1, 0)


def _wipe() -> None:
    """Empty every writable folder; end the server where that can't be done, so that nothing meets what is left."""
    if not empty_folders():
        sys.exit("the folders can't be emptied")


def _read_exact(descriptor: int, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        block = os.read(descriptor, size - len(data))
        if not block:
            raise SystemExit(0)
        data += block
    return bytes(data)


def _serve(server: Server, reader: int, writer: int) -> NoReturn:
    while True:
        (size,) = struct.unpack(">I", _read_exact(reader, 4))
        request = json.loads(_read_exact(reader, size))
        _answer(writer, {**server.run(request), "nonce": request["nonce"]})


def _answer(writer: int, answer: object) -> None:
    data = json.dumps(answer).encode("ascii")
    data = struct.pack(">I", len(data)) + data
    while data:
        data = data[os.write(writer, data) :]


def _forget_own_modules() -> None:
    """Leave the names of our packages to the code under test, which may have others of the same name."""
    sys.path.remove(str(Path(__file__).parent))
    for name in [name for name in sys.modules if name.partition(".")[0] == "sandbox"]:
        del sys.modules[name]


def main(folder: Path) -> NoReturn:
    """Prepare, tell the versions, and serve requests on standard input until it closes."""
    if os.getpid() != 1:
        sys.exit("the suite server must be process 1 of its own process namespace")  # it kills all others
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    _forget_own_modules()
    reader, writer = os.dup(0), os.dup(1)
    os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
    os.dup2(2, 1)
    server = Server(folder)
    versions = server.prepare()
    gc.collect()
    gc.freeze()
    _answer(writer, versions)
    _serve(server, reader, writer)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
