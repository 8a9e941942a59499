"""The fork server: process 1 of a sandbox, which forks a fresh child for every input.

A child runs a Python program in the warm interpreter, which takes a millisecond instead of fifty, or becomes another
program. The server speaks length-prefixed JSON and blobs on its standard input and output, which children never hold,
and it never reads what a child wrote: the trusted side does. After each child everything else in the process
namespace is killed and reaped, and all writable folders are emptied. Imports the standard library and the modules that
are mounted beside it. Method: own.

Started as ``python -S -s -P -B fork_server.py [FOLDER-OF-PACKAGES [MODULE...]]``; refuses to run unless it is process
1, since it kills all others.
"""

import contextlib
import ctypes
import gc
import importlib
import math
import os
import re
import resource
import signal
import site
import sys
import time
import traceback
from functools import cache
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))

from sandbox.inside.frames import SEAL, read_frame, write_frame
from sandbox.inside.guard import Guard
from sandbox.inside.program_child import become_program
from sandbox.inside.python_child import add_packages, prepare, run_functions, run_program, warm_up
from sandbox.inside.requests import RECORD_FD, STDERR_TAIL, Task
from sandbox.inside.scratch import collect_files, empty_folders, is_disk_full, lay_files
from sandbox.inside.watching import Case, Stream, children_cpu, kill_everything, watch_case

_WARM = """abc array bisect collections copy dataclasses datetime decimal enum fractions functools hashlib heapq
itertools math operator random re statistics string textwrap time typing"""
"""Modules that the server imports itself when a program asks for them, so that its children find them loaded."""
_IMPORT = re.compile(r"^[ \t]*(?:from|import)[ \t]+([\w., \t]+)", re.MULTILINE)
_SEED = 20_240_229
_STACK_BYTES = 64 * 2**20
_PR_SET_DUMPABLE, _PR_SET_NAME = 4, 15


def serve() -> None:
    """Answer requests until the standard input ends."""
    wake = _become_init()
    if not _guard().is_accepted():
        sys.exit("the kernel doesn't take the fork server's system call filter")
    warm_up()
    if refusal := add_packages(sys.argv[1:]):
        write_frame({"refused": refusal}, ())
        sys.exit("a module can't be imported ahead")
    gc.freeze()
    write_frame({"ready": sys.version.split()[0]}, ())
    files: dict[str, tuple[int, bytes]] = {}
    while (frame := read_frame()) is not None:
        request, blobs = frame
        if "lay" in request:
            files = {path: (mode, blob) for (path, mode), blob in zip(request["lay"], blobs, strict=True)}
            write_frame({"laid": len(files)}, ())
            continue
        if "key" in request:
            SEAL.receive(0)
            continue
        if "stop" in request:  # the child has ended meanwhile
            continue
        task: Task = request["task"]
        if task["style"] != "program":
            _load_modules(task)
        stdin = blobs[0] if blobs else b""
        answer, parts = _run_case(task, stdin, files, wake, is_stoppable=request.get("stoppable", False))
        write_frame(answer, parts)


def _load_modules(task: Task) -> None:
    asked = {
        name
        for text in (task["preamble"], task["source"])
        for line in _IMPORT.findall(text)
        for name in line.replace(",", " ").split()
    }
    new = asked.intersection(_WARM.split()) - sys.modules.keys()
    for name in sorted(new):
        importlib.import_module(name)
    if new:
        gc.freeze()


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None)


@cache
def _guard() -> Guard:
    return Guard()


def _become_init() -> int:
    """Make this process a quiet, unreadable process 1 and return the descriptor that SIGCHLD wakes."""
    if os.getpid() != 1:
        sys.exit("the fork server must be process 1 of its own process namespace")
    _libc().prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    _libc().prctl(_PR_SET_NAME, b"init", 0, 0, 0)
    _, hard = resource.getrlimit(resource.RLIMIT_STACK)
    soft = _STACK_BYTES if hard == resource.RLIM_INFINITY else min(hard, _STACK_BYTES)
    resource.setrlimit(resource.RLIMIT_STACK, (soft, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for extend in (site.setquit, site.setcopyright, site.sethelper):
        extend()
    sys.path.remove(str(Path(__file__).parent))
    for name in [name for name in sys.modules if name.partition(".")[0] in {"sandbox", "schemas"}]:
        del sys.modules[name]
    wake_read, wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # process 1 ignores signals that have no handler
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
    return wake_read


def _run_case(
    task: Task, stdin: bytes, files: dict[str, tuple[int, bytes]], wake: int, *, is_stoppable: bool
) -> tuple[dict[str, object], tuple[bytes, ...]]:
    own_before = time.process_time()
    laid = lay_files(files)
    case = _start(task, stdin, is_stoppable=is_stoppable)
    if not laid:
        case.verdict = "DLE"
    try:
        watch_case(case, task, wake)
    finally:
        kill_everything(case)
    for fd, stream in case.streams.items():
        while stream.drain(fd):
            pass
        os.close(fd)
    case.cpu_s = max(case.cpu_s, children_cpu() - case.cpu_before)
    if not case.verdict and max(stream.total for stream in case.streams.values()) > task["output_bytes"]:
        case.verdict = "OLE"
    disk_full = is_disk_full()
    collected = collect_files(task["collect"], task["collect_bytes"])
    clean = empty_folders()
    answer = {
        "verdict": case.verdict,
        "status": -1 if case.status is None else case.status,
        "disk_full": disk_full,
        "cpu_s": case.cpu_s,
        "wall_s": time.monotonic() - case.started,
        "own_cpu_s": time.process_time() - own_before,
        "peak_kib": case.peak_kib,
        "crowded": case.is_crowded,
        "clean": clean,
        "collected": [path for path, _ in collected],
    }
    kept = tuple(bytes(stream.kept) for stream in case.streams.values())
    return answer, (*kept, *(data for _, data in collected))


def _start(task: Task, stdin_data: bytes, *, is_stoppable: bool) -> Case:
    pipes = [os.pipe2(os.O_CLOEXEC) for _ in range(3)]
    stdin = _stdin_of(stdin_data)
    before = children_cpu()
    pid = os.fork()
    if pid == 0:
        _be_child(task, stdin, [write for _, write in pipes])
    os.close(stdin)
    for read, write in pipes:
        os.close(write)
        os.set_blocking(read, False)
    cap = task["output_bytes"]
    errors = cap if task["style"] == "program" else -STDERR_TAIL
    keeps = (cap, 0 if task["style"] == "function" else cap, errors)
    streams = {read: Stream(keep) for (read, _), keep in zip(pipes, keeps, strict=True)}
    return Case(pid, streams, before, is_stoppable=is_stoppable)


def _stdin_of(content: bytes) -> int:
    if not content:
        return os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC)
    fd = os.memfd_create("stdin")
    data = memoryview(content)
    while data:
        data = data[os.write(fd, data) :]
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def _be_child(task: Task, stdin: int, pipes: list[int]) -> None:
    """Give the control descriptors away, run the program, and never come back."""
    code = 1
    SEAL.forget()
    try:
        spare = [os.dup(fd) for fd in (stdin, *pipes[1:], pipes[0])]
        for number, fd in enumerate(spare):
            os.dup2(fd, number, inheritable=number != RECORD_FD or task["style"] == "program")
        os.setsid()
        _libc().prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0)
        with contextlib.suppress(OSError):
            os.write(os.open("/proc/self/oom_score_adj", os.O_WRONLY | os.O_CLOEXEC), b"1000")
        seconds = math.ceil(task["cpu_s"]) + 1
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        if hard == resource.RLIM_INFINITY or hard > seconds:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        os.closerange(RECORD_FD + 1, max(spare) + 2)
        _guard().put_on()
        if task["style"] == "program":
            become_program(task)
        prepare(_SEED)
        code = run_program(task) if task["style"] == "stdin" else run_functions(task)
    except BaseException:  # noqa: BLE001  # signal handlers of untrusted code may raise anywhere
        traceback.print_exc()
    finally:
        os._exit(code)


if __name__ == "__main__":
    serve()
