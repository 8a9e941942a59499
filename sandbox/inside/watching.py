"""A running child of the fork server: what it writes and uses, the limits that it is held to, and its end.

Runs inside the sandbox, in process 1. What a child wrote is counted and passed on, never read. Imports the standard
library and the modules beside it. Method: own.
"""

import contextlib
import os
import resource
import select
import signal
import time
from pathlib import Path

from sandbox.inside.frames import read_frame
from sandbox.inside.requests import Task
from sandbox.inside.scratch import holds_too_many_files

_POLL_S = 0.05
_STOPPABLE_POLL_S = 0.2
"""Where the trusted side counts processor time, less is looked for inside, and looking is dear."""
WALL_STRETCH = 3
_CHUNK = 65_536


class Stream:
    """What a child wrote to one pipe.

    Args:
        keep: how many bytes of the start are kept; of the end when negative.
    """

    def __init__(self, keep: int) -> None:
        self.keep = keep
        self.kept = bytearray()
        self.total = 0

    def drain(self, fd: int) -> bool:
        """Read once and return whether more may come."""
        try:
            data = os.read(fd, _CHUNK)
        except BlockingIOError:
            return False
        self.total += len(data)
        if self.keep < 0:
            self.kept = (self.kept + data)[self.keep :]
        else:
            self.kept += data[: max(0, self.keep - len(self.kept))]
        return bool(data)


class Case:
    """A running child and all that is known of it."""

    def __init__(self, pid: int, streams: dict[int, Stream], cpu_before: float, *, is_stoppable: bool) -> None:
        self.pid = pid
        self.is_stoppable = is_stoppable
        self.streams = streams
        self.started = time.monotonic()
        self.cpu_before = cpu_before
        self.cpu_s = 0.0
        self.peak_kib = 0
        self.is_crowded = False
        self.status: int | None = None
        self.verdict = ""


def watch_case(case: Case, task: Task, wake: int) -> None:
    """Return when the child has ended or must end; the reason stands in ``case.verdict``."""
    poller = select.poll()
    for fd in (*case.streams, wake):
        poller.register(fd, select.POLLIN)
    if case.is_stoppable:
        poller.register(0, select.POLLIN)
    pause_s = _STOPPABLE_POLL_S if case.is_stoppable else _POLL_S
    next_look = case.started + pause_s
    while not case.verdict:
        for fd, _ in poller.poll(max(0.0, next_look - time.monotonic()) * 1000 + 1):
            if fd == wake:
                with contextlib.suppress(BlockingIOError):
                    os.read(wake, _CHUNK)
            elif not (case.streams[fd].drain(fd) if fd else _hear_stop(case)):
                poller.unregister(fd)
            elif fd and case.streams[fd].total > task["output_bytes"]:
                case.verdict = "OLE"
        if _reap(case, os.WNOHANG):
            return
        now = time.monotonic()
        if now >= next_look:
            next_look = now + pause_s
            _look(case, task, now)


def _hear_stop(case: Case) -> bool:
    """Take the verdict of the trusted side and return whether there was one, not the end of the input."""
    frame = read_frame()
    if frame is not None:
        case.verdict = str(frame[0]["stop"])
    return frame is not None


def _look(case: Case, task: Task, now: float) -> None:
    cpu_s, resident_kib, threads = _living_usage()
    most, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    case.is_crowded = case.is_crowded or threads + 1 >= most != resource.RLIM_INFINITY
    case.cpu_s = max(case.cpu_s, cpu_s + children_cpu() - case.cpu_before)
    case.peak_kib = max(case.peak_kib, resident_kib)
    if case.cpu_s > task["cpu_s"]:
        case.verdict = "TLE_CPU"
    elif now - case.started > task["wall_s"] and _is_overdue(case, task, now):
        case.verdict = "TLE_WALL"
    elif holds_too_many_files():
        case.verdict = "DLE"


def _is_overdue(case: Case, task: Task, now: float) -> bool:
    """Return whether the wall limit is passed even without the time spent waiting for a busy processor.

    A process has waited as long as the one of its threads that waited longest: a JVM's first thread never works.
    """
    elapsed = now - case.started
    waited_ns = 0
    for folder in _living():
        with contextlib.suppress(OSError, ValueError, IndexError):
            threads = [path.read_text(encoding="ascii") for path in folder.glob("task/*/schedstat")]
            waited_ns += max(int(text.split()[1]) for text in threads)
    return elapsed - waited_ns / 1e9 > task["wall_s"] or elapsed > WALL_STRETCH * task["wall_s"]


def _living() -> list[Path]:
    return [folder for folder in Path("/proc").iterdir() if folder.name.isdigit() and folder.name != "1"]


def _living_usage() -> tuple[float, int, int]:
    """Return CPU seconds and resident KiB of every other process, with their waited-for children, and all threads."""
    ticks = os.sysconf("SC_CLK_TCK")
    page_kib = os.sysconf("SC_PAGE_SIZE") // 1024
    cpu, resident, threads = 0, 0, 0
    for folder in _living():
        with contextlib.suppress(OSError, ValueError, IndexError):
            text = (folder / "stat").read_bytes()
            fields = text[text.rindex(b")") + 2 :].split()
            cpu += sum(map(int, fields[11:15]))
            threads += int(fields[17])
            resident += int(fields[21]) * page_kib
    return cpu / ticks, resident, threads


def children_cpu() -> float:
    """Return the CPU seconds of all children that have been waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _reap(case: Case, flags: int) -> bool:
    """Reap what has ended and return whether the child itself has; raises `ChildProcessError` when none is left."""
    while case.status is None:
        if not _reap_one(case, flags):
            return False
    return True


def _reap_one(case: Case, flags: int) -> bool:
    pid, status, usage = os.wait4(-1, flags)
    case.peak_kib = max(case.peak_kib, usage.ru_maxrss)
    if pid == case.pid:
        case.status = status
    return pid != 0


def kill_everything(case: Case) -> None:
    """Kill every other process of the namespace, and reap until none is left.

    On gVisor, a process that is killed may still have started another one: so all are killed again after each.
    """
    with contextlib.suppress(ChildProcessError):
        while True:
            with contextlib.suppress(ProcessLookupError):
                os.kill(-1, signal.SIGKILL)
            _reap_one(case, 0)
