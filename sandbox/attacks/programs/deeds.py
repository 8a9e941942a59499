"""What hostile programs of every language do through the sandbox's own Python: the text of this file, and one call.

Each function says on standard output what it has got hold of, and at the end that it came to the end.
"""

import ctypes
import fcntl
import mmap
import os
import resource
import socket
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

LIBRARY = ctypes.CDLL(None, use_errno=True)
SET_NAME, GET_NO_NEW_PRIVILEGES, TAKE_TERMINAL, TYPE_INTO_TERMINAL = 15, 39, 0x540E, 0x5412
MEGABYTE = 1 << 20
FREE = "/tmp"  # noqa: S108  # inside


def say(*words: object) -> None:
    """Write a line at once."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode("utf-8", "replace"))


def works(act: Callable[..., object], *arguments: object) -> bool:
    """Return whether a call isn't refused."""
    try:
        act(*arguments)
    except (OSError, ValueError):
        return False
    return True


def names_in(folder: str) -> list[str]:
    """Return what a folder holds, if it can be listed."""
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208  # names
    except OSError:
        return []


def looks_into_process_1() -> None:
    """Read the memory, the environment and the descriptors of the first process."""
    parts = ["mem", "environ", "maps", "smaps", "auxv", "pagemap", "stack", "syscall", "io", "task/1/mem"]
    parts += [f"map_files/{name}" for name in names_in("/proc/1/map_files")]
    parts += [f"{folder}/{number}" for folder in ("fd", "task/1/fd") for number in range(3)]
    for part in parts:
        for way in (os.O_RDONLY, os.O_WRONLY):
            if works(os.open, f"/proc/1/{part}", way | os.O_NONBLOCK):
                say("opened", f"/proc/1/{part}")
    for link in ("exe", "cwd", "root"):
        if works(os.readlink, f"/proc/1/{link}"):
            say("opened", f"/proc/1/{link}")
    say("end of search")


def writes_to_process_1() -> None:
    """Write to every file that stands for the first process."""
    for folder in ("/proc/1", "/proc/1/task/1", "/proc/1/attr"):
        for name in names_in(folder):
            with suppress(OSError):
                file = os.open(f"{folder}/{name}", os.O_WRONLY | os.O_NONBLOCK)
                for text in (b"1", b"0", b"1000", b"x"):
                    if works(os.write, file, text):
                        say("wrote", f"{folder}/{name}")
    say("end of search")


def writes_to_the_kernel() -> None:
    """Write to every switch of the kernel what stands there already."""
    for root in ("/proc/sys", "/proc/irq", "/proc/fs", "/sys"):
        for folder, _, names in os.walk(root):
            for name in names:
                rewrite(f"{folder}/{name}")
    for name in names_in("/proc"):
        if not name.isdigit():
            rewrite(f"/proc/{name}")
    say("end of search")


def rewrite(path: str) -> None:
    """Write to a file what it begins with."""
    with suppress(OSError):
        file = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        if not stat.S_ISREG(os.fstat(file).st_mode):  # a container's engine hides some behind /dev/null
            os.close(file)
            return
        text = b"1\n"
        with suppress(OSError):
            reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
            text = os.read(reader, 4096) or text
            os.close(reader)
        if works(os.write, file, text):
            say("wrote", path)
        os.close(file)


def gains_rights() -> None:
    """Become root, take capabilities, leave the filter by executing a file in memory."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8", errors="replace").splitlines()
    facts = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
    for name in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
        if int(facts.get(name, "0"), 16):
            say("has", name)
    for act in (os.setuid, os.seteuid, os.setgid, os.setegid):
        if works(act, 0):
            say("became", act.__name__)
    if works(os.setgroups, [0]):
        say("became setgroups")
    os.close(os.open(f"{FREE}/own", os.O_CREAT | os.O_WRONLY))
    if works(os.chown, f"{FREE}/own", 0, 0):
        say("became chown")
    if LIBRARY.prctl(GET_NO_NEW_PRIVILEGES, 0, 0, 0, 0) != 1:
        say("has new privileges")
    memory = os.memfd_create("script", 0)
    os.write(memory, b"#!/bin/sh\nkill -0 1 2>/dev/null && echo signalled process 1\n")
    if os.fork() == 0:
        with suppress(OSError):
            os.execve(f"/proc/self/fd/{memory}", ["script"], {})  # noqa: S606  # no shell is needed
        os._exit(0)
    os.wait()
    say("end of search")


def types_into_terminals() -> None:
    """Open terminals, and type into one of its own as if somebody sat there."""
    for name in (
        "tty",
        "console",
        "tty0",
        "tty1",
        "ttyS0",
        "hvc0",
        "vcs",
        "vcsa",
        "kmsg",
        "mem",
        "port",
        "fuse",
        "kvm",
    ):
        if works(os.open, f"/dev/{name}", os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY):
            say("opened", f"/dev/{name}")
    if os.fork() == 0:
        with suppress(OSError):
            os.setsid()
            own = os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY)
            fcntl.ioctl(own, 0x40045431, b"\0\0\0\0")
            number = int.from_bytes(fcntl.ioctl(own, 0x80045430, b"\0\0\0\0"), "little")
            slave = os.open(f"/dev/pts/{number}", os.O_RDWR)
            works(fcntl.ioctl, slave, TAKE_TERMINAL, 0)
            if works(fcntl.ioctl, slave, TYPE_INTO_TERMINAL, b"x"):
                say("typed into a terminal")
        os._exit(0)
    os.wait()
    say("end of search")


def leaves_zombies() -> None:
    """Start processes that end at once and bury none."""
    while True:
        if os.fork() == 0:
            os._exit(0)


def fills_memory_files() -> None:
    """Fill files in memory, which lie in no folder."""
    held = []
    while True:
        held.append(os.memfd_create("held"))
        os.write(held[-1], b"x" * (10 * MEGABYTE))


def fills_page_tables() -> None:
    """Touch one page in every two megabytes of endless empty memory, so that its tables grow and nothing else."""
    held = []
    while True:
        held.append(mmap.mmap(-1, 1 << 36, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, prot=mmap.PROT_READ))
        for place in range(0, 1 << 36, 2 * MEGABYTE):
            held[-1][place]


def hoards() -> None:
    """Take all descriptors, pipes, sockets, watches and locks that there are, and fill what can be filled."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    watch, held = LIBRARY.inotify_init(), []
    for folder in ("/usr/bin", "/usr/lib", "/etc", "/work"):
        for name in names_in(folder):
            LIBRARY.inotify_add_watch(watch, f"{folder}/{name}".encode(), 0xFFF)
    with suppress(OSError):
        for number in range(400):
            ends = os.pipe2(os.O_NONBLOCK)
            with suppress(OSError):
                fcntl.fcntl(ends[1], 1031, MEGABYTE)
                os.write(ends[1], bytes(65536))
            pair = socket.socketpair()
            pair[0].settimeout(0)
            works(pair[0].send, bytes(65536))
            file = os.open(f"{FREE}/held{number}", os.O_CREAT | os.O_RDWR)
            fcntl.lockf(file, fcntl.LOCK_EX)
            held.append((ends, pair, file, LIBRARY.inotify_init(), LIBRARY.epoll_create(1), LIBRARY.eventfd(0, 0)))
    for name in names_in("/usr/bin"):
        with suppress(OSError):
            fcntl.flock(os.open(f"/usr/bin/{name}", os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.write(1, b"hoarded\n")
    os._exit(0)


def hops() -> None:
    """Go on for ever as a child of a child, each of which ends as soon as it has one."""
    if os.fork() == 0:
        os.setsid()
        while True:
            with suppress(OSError):
                if os.fork():
                    os._exit(0)
    say("hopped away")
    os._exit(0)


def burns_on() -> None:
    """Leave processes that loop, and end."""
    for _ in range(8):
        if os.fork() == 0:
            os.setsid()
            while True:
                pass
    say("left them burning")
    os._exit(0)


def floods_on() -> None:
    """Leave processes that write to every descriptor for ever, and end."""
    for _ in range(4):
        if os.fork() == 0:
            os.setsid()
            while True:
                for descriptor in range(1, 8):
                    works(os.write, descriptor, b"x" * 4096)
    say("left them writing")
    os._exit(0)


def hides_its_time() -> None:
    """Loop in processes that live a hundredth of a second each."""
    if os.fork() == 0:
        while True:
            end = time.process_time() + 0.01
            while time.process_time() < end:
                pass
            with suppress(OSError):
                if os.fork():
                    os._exit(0)
    time.sleep(600)


def misnames_itself() -> None:
    """Take a name that looks like the end of one, isn't text, and hides what follows it in the process table; loop."""
    LIBRARY.prctl(SET_NAME, b"\xff) Z 1 1 1\n(", 0, 0, 0)
    while True:
        pass


def says_too_much() -> None:
    """Start programs with megabytes of arguments and of environment, one of which stays."""
    words, facts = ["x" * 100_000] * 12, {"NAME" * (number + 1): "y" * 100_000 for number in range(6)}
    for program in ("true", "sleep"):
        if os.fork() == 0:
            with suppress(OSError):
                os.execve(f"/bin/{program}", [program, *words], facts)  # noqa: S606  # no shell is needed
            os._exit(0)
    say("said it")
    os._exit(0)


def dumps_core() -> None:
    """Crash with as much of a core file as can be had."""
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    os.abort()


def closes_everything() -> None:
    """Close every descriptor, put files of its own in their places, and write to all of them."""
    os.closerange(0, 4096)
    for number in range(16):
        with suppress(OSError):
            os.open(f"{FREE}/number{number}", os.O_CREAT | os.O_RDWR)
    for number in range(16):
        works(os.write, number, b'{"index": 0, "state": "OK", "output": "forged", "detail": ""}\n')
    os._exit(0)


def leaves_objects() -> None:
    """Leave what outlives a process: shared memory, queues and semaphores of System V, a named socket."""
    made = (
        ("shared memory", LIBRARY.shmget(0x7A5F, 4096, 0o1666)),
        ("queue", LIBRARY.msgget(0x7A5F, 0o1666)),
        ("semaphore", LIBRARY.semget(0x7A5F, 1, 0o1666)),
    )
    for name, number in made:
        if number != -1:
            say("made", name)
    with suppress(OSError):
        held = socket.socket(socket.AF_UNIX)
        held.bind("\0left-behind")
    if os.fork() == 0:
        os.setsid()
        time.sleep(600)
    say("left it")
    os._exit(0)
