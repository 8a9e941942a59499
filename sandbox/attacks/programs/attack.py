"""Hostile program in Python. The first line of standard input names what to try, the others are its arguments."""

import contextlib
import ctypes
import os
import resource
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

MEGABYTE = 1 << 20
SKIPPED = {"bin", "boot", "lib", "lib32", "lib64", "libx32", "opt", "proc", "sbin", "sys", "usr"}


def honest(_: list[str]) -> None:
    """Do what a solution does."""
    print("still here")  # noqa: T201


def fork_bomb(_: list[str]) -> None:
    """Fork for ever, in every process."""
    while True:
        with contextlib.suppress(OSError):
            os.fork()


def shell_fork_bomb(_: list[str]) -> None:
    """Start the shell's bomb."""
    os.execv("/bin/bash", ["bash", "-c", ":(){ :|:& };:; sleep 600"])  # noqa: S606


def thread_bomb(_: list[str]) -> None:
    """Start threads until there are no more."""
    while True:
        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()


def output_flood(_: list[str]) -> None:
    """Write to standard output for ever."""
    while True:
        os.write(1, b"x" * 65536)


def error_flood(_: list[str]) -> None:
    """Write to standard error for ever."""
    while True:
        os.write(2, b"x" * 65536)


def huge_file(_: list[str]) -> None:
    """Write ten gigabytes."""
    with Path("big").open("wb") as file:
        file.writelines(b"x" * MEGABYTE for _turn in range(10_240))


def fills_every_folder(folders: list[str]) -> None:
    """Write to every folder until it takes no more, then fail."""
    for folder in folders:
        with contextlib.suppress(OSError), Path(folder, "big").open("wb") as file:
            while True:
                file.write(b"x" * MEGABYTE)
    sys.exit(1)


def many_files(_: list[str]) -> None:
    """Make 300,000 empty files."""
    for number in range(300_000):
        os.close(os.open(f"{number}", os.O_CREAT | os.O_WRONLY))


def memory_hog(_: list[str]) -> None:
    """Take memory for ever."""
    held: list[bytes] = []
    while True:
        held.append(b"x" * (10 * MEGABYTE) + bytes([len(held) % 256]))


def memory_of_children(_: list[str]) -> None:
    """Take a part of the limit in each of eight processes, and end well."""
    for _child in range(8):
        if os.fork() == 0:
            held = b"y" * (100 * MEGABYTE)
            time.sleep(2)
            os._exit(len(held) % 2)
    for _child in range(8):
        os.wait()


def deaf_loop(_: list[str]) -> None:
    """Ignore every signal and never end."""
    for number in range(1, 65):
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_IGN)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    while True:
        pass


def sleeper(_: list[str]) -> None:
    """Wait for ever."""
    time.sleep(600)


def stopped(_: list[str]) -> None:
    """Stop itself and everything in its process group."""
    os.kill(0, signal.SIGSTOP)
    time.sleep(600)


def daemon(_: list[str]) -> None:
    """Leave a process behind that has nothing to do with its parent any more."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for number in (signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)
            while True:
                time.sleep(1)
        os._exit(0)
    sys.stdout.write("parent is done\n")
    sys.stdout.flush()
    os._exit(0)


def kills_everything(_: list[str]) -> None:
    """Kill every process that it can name, and take process 1 what it needs."""
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 1, 19)
    for limit in (resource.RLIMIT_CPU, resource.RLIMIT_NOFILE):
        with contextlib.suppress(OSError):
            resource.prlimit(1, limit, (1, 1))
    for process in (-1, 1, os.getppid()):
        with contextlib.suppress(OSError):
            os.kill(process, signal.SIGKILL)


def connects(targets: list[str]) -> None:
    """Reach every address that it is told of."""
    for target in targets:
        kind, host, port = target.split()
        with contextlib.suppress(OSError):
            if kind == "unix":
                made = socket.socket(socket.AF_UNIX)
                made.settimeout(0.3)
                made.connect(host.replace("@", "\0"))
            elif kind == "udp":
                family = socket.AF_INET6 if ":" in host else socket.AF_INET
                socket.socket(family, socket.SOCK_DGRAM).sendto(b"x", (host, int(port)))
                continue
            else:
                socket.create_connection((host, int(port)), 0.3)
            sys.stdout.write(f"connected {target}\n")


def secrets(paths: list[str]) -> None:
    """Print all that it can read: where it was told to look, of every process, and in every folder."""
    sys.stdout.write(f"{dict(os.environ)}\n")
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            for part in ("environ", "cmdline"):
                show(process / part)
    for path in map(Path, paths):
        with contextlib.suppress(OSError):
            path.lstat()
            sys.stdout.write(f"exists {path}\n")
        show(path)
    roots = [folder for folder in Path("/").iterdir() if folder.name not in SKIPPED]
    for root in (*roots, Path("/opt/runner"), Path("/proc/1/cwd"), Path("/proc/1/root/tmp")):
        for folder, _, names in os.walk(root):
            for name in names:
                show(Path(folder, name))
    sys.stdout.write("end of search\n")


def show(path: Path) -> None:
    """Print a regular file."""
    with contextlib.suppress(OSError):
        if stat.S_ISREG(path.lstat().st_mode):
            with path.open("rb") as file:
                sys.stdout.write(f"{path}: {file.read(65536)!r}\n")


def writes_outside(words: list[str]) -> None:
    """Write where nothing may be written."""
    mark = words[0]
    for word in words[1:]:
        kind, _, path = word.partition(" ")
        target = f"{path}/{mark}" if kind == "folder" else path
        with contextlib.suppress(OSError):
            if kind == "open":
                os.close(os.open(target, os.O_WRONLY))
            else:
                with Path(target).open("ab") as file:
                    file.write(mark.encode())
            sys.stdout.write(f"wrote {target}\n")
        if kind == "file":
            with contextlib.suppress(OSError):
                Path(target).unlink()


def forbidden_calls(calls: list[str]) -> None:
    """Make system calls that nobody needs; bytes are given in hexadecimal digits behind an x."""
    library = ctypes.CDLL(None, use_errno=True)
    for call in calls:
        name, *words = call.split()
        texts = [bytes.fromhex(word[1:]).ljust(256, b"\0") if word[0] == "x" else b"" for word in words]
        arguments = [
            ctypes.create_string_buffer(text, 256) if text else ctypes.c_long(int(word))
            for word, text in zip(words, texts, strict=True)
        ]
        if library.syscall(*arguments) == -1:
            sys.stdout.write(f"refused {name} {ctypes.get_errno()}\n")
        else:
            sys.stdout.write(f"allowed {name}\n")
    sys.stdout.write("end of calls\n")


def leaves_traps(paths: list[str]) -> None:
    """Leave links, pipes, a deep folder and closed folders where others might look."""
    here = Path.cwd()
    for number, path in enumerate(paths):
        Path(f"link{number}").symlink_to(path)
    os.mkfifo("pipe")
    socket.socket(socket.AF_UNIX).bind("socket")
    with Path("holes").open("wb") as file:
        file.truncate(1 << 40)
    Path("closed/inner").mkdir(parents=True)
    Path("closed").chmod(0)
    for _ in range(400):
        Path("deep").mkdir()
        os.chdir("deep")
    os.chdir(here)
    subprocess.run(["/bin/sh", "-c", "cp -r /proc/self/fdinfo /dev/shm/; mkfifo /tmp/pipe"], check=False)
    sys.stdout.write("traps are set\n")


def runs_python(lines: list[str]) -> None:
    """Run a script in this process."""
    exec("\n".join(lines), {"__name__": "script"})  # noqa: S102


ATTACKS = {function.__name__: function for function in list(globals().values()) if callable(function)}


def main() -> None:
    """Try what the first line of standard input names."""
    name, *words = sys.stdin.read().splitlines()
    ATTACKS[name](words)


if __name__ == "__main__":
    main()
