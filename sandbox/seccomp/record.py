"""Prints the system calls that a command and all it starts make: the raw material of ``strict``'s lists.

Run as ``python -m sandbox.seccomp.record -- ARGV...`` for one command, or with ``--corpus FOLDER`` for a folder with
one folder a language, each with its programs and a file ``commands`` of shell lines; that prints
`sandbox.seccomp.recorded`'s table. Needs strace, a package that only developers need to have, and the toolchains on
``PATH``. Nothing here is used when programs are judged. Method: own; strace follows every child.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path

from schemas.errors import ConfigError

_CALL = re.compile(r"^(?:\[pid +\d+\] |\d+ +)?(?:<\.\.\. )?([a-z_][a-z0-9_]*)(?:\(| resumed>)", re.MULTILINE)
_WIDTH = 100


def record_calls(argv: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the system calls that a command and its children make, sorted.

    The command's own output goes where ours goes. Its end isn't judged: a program that fails makes calls too.

    Raises:
        ConfigError: strace isn't there, or can't follow a process here.
    """
    strace = shutil.which("strace")
    if strace is None:
        raise ConfigError("strace isn't installed; on Debian and Ubuntu: apt-get install strace")
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "log")
        command = [strace, "-f", "-qq", "-s", "0", "-e", "signal=none", "-o", str(log), "--", *argv]
        done = subprocess.run(command, check=False)
        calls = parse_log(log.read_text(errors="replace")) if log.exists() else ()
    if not calls:
        raise ConfigError(
            f"strace saw no call of {argv[0]!r} and ended with {done.returncode}; is tracing allowed here?"
        )
    return calls


def parse_log(text: str) -> tuple[str, ...]:
    """Return the names of the calls in a log of strace, sorted."""
    return tuple(sorted(set(_CALL.findall(text))))


def record_corpus(folder: Path) -> tuple[str, ...]:
    """Return the names of the calls that a folder's commands make in a copy of it, sorted.

    Raises:
        ConfigError: as `record_calls`, or there is no file ``commands``.
    """
    lines = folder / "commands"
    if not lines.is_file():
        raise ConfigError(f"{folder} has no file 'commands'")
    calls: set[str] = set()
    with tempfile.TemporaryDirectory() as copy:
        shutil.copytree(folder, copy, dirs_exist_ok=True)
        for line in lines.read_text().splitlines():
            calls.update(record_calls(("/bin/bash", "-c", f"cd {shlex.quote(copy)} && {{ {line}; }} >&2")))
    return tuple(sorted(calls))


def write_table(recorded: Mapping[str, Sequence[str]]) -> str:
    """Return the source text of the table, in lines that the formatter leaves alone."""
    lines = ["RECORDED: dict[str, tuple[str, ...]] = {"]
    for language, calls in recorded.items():
        wrapped = textwrap.wrap(" ".join(f'"{name}",' for name in calls), _WIDTH)
        lines += [f'    "{language}": (', *(f"        *({_trim(line)})," for line in wrapped)]
        lines.append("    ),")
    return "\n".join([*lines, "}", ""])


def _trim(line: str) -> str:
    """Return the names of a line as the inside of a tuple."""
    return line if line.count(",") == 1 else line.rstrip(",")


def main(arguments: Sequence[str]) -> int:
    """Print the calls of a command, one a line, or the table of a corpus, and return the exit code."""
    try:
        if len(arguments) == 2 and arguments[0] == "--corpus":
            folders = sorted(path for path in Path(arguments[1]).iterdir() if path.is_dir())
            sys.stdout.write(write_table({folder.name: record_corpus(folder) for folder in folders}))
        elif len(arguments) > 1 and arguments[0] == "--":
            sys.stdout.write("".join(f"{name}\n" for name in record_calls(arguments[1:])))
        else:
            sys.stderr.write("usage: python -m sandbox.seccomp.record -- ARGV... | --corpus FOLDER\n")
            return os.EX_USAGE
    except (ConfigError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return os.EX_USAGE
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
