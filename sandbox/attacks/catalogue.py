"""Every attack of the matrix.

To add one: an entry here and a function of its name in each program of `sandbox.attacks.programs`; or, where one
program does for all languages, see `sandbox.attacks.deeds`. Method: own.
"""

import pwd
import re

from sandbox.attacks.bait import FOLDERS, Bait
from sandbox.attacks.base import Attack
from sandbox.attacks.calls import list_calls
from sandbox.attacks.deeds import DEEDS
from sandbox.base import State

_WRITABLE = ("/work", "/tmp", "/dev/shm")  # noqa: S108  # inside
_TOOLS = ("/etc/shadow", "/etc/gshadow", "/var/run/docker.sock", "/run/docker.sock", "/run/podman")
"""What must not even be there."""
_OPENED = (
    "/proc/sys/kernel/core_pattern",
    "/proc/sysrq-trigger",
    "/proc/1/mem",
    "/dev/mem",
    "/dev/kmsg",
    "/etc/passwd",
)
"""What may not be opened for writing."""
_SAID = re.compile(r"^(?:connected|exists|wrote|allowed|refused) (.+)$", re.MULTILINE)


def _tell_targets(bait: Bait) -> tuple[str, ...]:
    return bait.listeners.targets()


def _tell_secrets(bait: Bait) -> tuple[str, ...]:
    return (*map(str, bait.secret_paths), *_TOOLS, f"{pwd.getpwuid(0).pw_dir}/.ssh")


def _tell_places(bait: Bait) -> tuple[str, ...]:
    canaries = (f"file {path}" for path in bait.canaries)
    return (bait.mark, *canaries, *(f"folder {path}" for path in FOLDERS), *(f"open {path}" for path in _OPENED))


def _tell_links(bait: Bait) -> tuple[str, ...]:
    return (*map(str, bait.secret_paths), "/dev/zero", "/proc/self/mem", "..")


def _check_connections(output: str, bait: Bait) -> str:
    seen = bait.listeners.count()
    if seen:
        return f"reached the host {seen} times"
    return "; ".join(line for line in output.splitlines() if line.startswith("connected"))


def _check_secrets(output: str, bait: Bait) -> str:
    if bait.secret in output:
        return "found the secret"
    found = [line for line in output.splitlines() if line.startswith("exists ")]
    return "; ".join(found) or _expect_end(output, "end of search")


def _check_writing(output: str, bait: Bait) -> str:
    outside = [path for path in _SAID.findall(output) if not path.startswith(_WRITABLE)]
    return "; ".join([f"wrote {path}" for path in outside] + [f"{path} changed on the host" for path in bait.spoilt()])


def _check_calls(output: str, bait: Bait) -> str:  # noqa: ARG001
    allowed = [line for line in output.splitlines() if line.startswith("allowed")]
    if len(allowed) + sum(line.startswith("refused") for line in output.splitlines()) != len(list_calls()):
        return f"not every call was made: {output[-200:]!r}"
    return "; ".join(allowed)


def _check_daemon(output: str, bait: Bait) -> str:  # noqa: ARG001
    return _expect_end(output, "parent is done")


def _check_traps(output: str, bait: Bait) -> str:  # noqa: ARG001
    return _expect_end(output, "traps are set")


def _expect_end(output: str, words: str) -> str:
    return "" if output.endswith(f"{words}\n") else f"the program didn't get to the end: {output[-200:]!r}"


_UNSEEN = {"gvisor": (State.TLE_CPU, State.TLE_WALL, State.MLE)}
"""gVisor refuses processes itself, which nobody outside sees; it is noticed when as many as allowed are seen, if no
other limit is met before."""

_THREADS = {"javascript": (State.MLE,), "typescript": (State.MLE,), "gvisor": (State.RE, State.MLE)}
"""A worker of Node.js is an interpreter of its own; for gVisor see above: the program's own end is told, and Java takes
a thread that it is refused for a lack of memory."""

ATTACKS = (
    Attack(name="fork_bomb", tries="forks for ever, in every process", states=(State.PLE,), also=_UNSEEN),
    Attack(name="shell_fork_bomb", tries="becomes bash with `:(){ :|:& };:`", states=(State.PLE,), also=_UNSEEN),
    Attack(
        name="thread_bomb",
        tries="starts threads until it is refused one",
        states=(State.PLE,),
        also=_THREADS,
    ),
    Attack(name="output_flood", tries="writes to standard output for ever", states=(State.OLE,)),
    Attack(name="error_flood", tries="writes to standard error for ever", states=(State.OLE,)),
    Attack(name="huge_file", tries="writes a file of 10 GB, fails when it can't", states=(State.DLE,)),
    Attack(
        name="fills_every_folder",
        tries="fills every folder that takes a file, then fails",
        states=(State.DLE,),
        arguments=lambda _: ("/work", *FOLDERS),
    ),
    Attack(
        name="many_files",
        tries="makes 300,000 empty files",
        states=(State.DLE,),
        also={"gvisor": (State.TLE_CPU, State.TLE_WALL, State.MLE)},  # its kernel doesn't tell how many files there are
    ),
    Attack(name="memory_hog", tries="takes memory for ever", states=(State.MLE,)),
    Attack(
        name="memory_of_children",
        tries="takes 100 MB in each of 8 processes; their parent waits and exits with 0",
        states=(State.MLE,),
        also={"gvisor": (State.TLE_CPU,)},  # where new memory costs processor time
        cpu_s=12,
    ),
    Attack(
        name="deaf_loop",
        tries="ignores every signal, lifts its own CPU limit, loops",
        states=(State.TLE_CPU,),
        cpu_s=0.5,
    ),
    Attack(name="sleeper", tries="waits for ever", states=(State.TLE_WALL,)),
    Attack(name="stopped", tries="stops its process group with SIGSTOP", states=(State.TLE_WALL,)),
    Attack(
        name="daemon",
        tries="leaves a process behind in a session of its own, deaf to SIGTERM and SIGHUP, and ends",
        states=(State.OK,),
        check=_check_daemon,
    ),
    Attack(
        name="kills_everything",
        tries="kills all processes it can name; lowers the limits and the priority of process 1",
        states=(State.OK, State.RE),
    ),
    Attack(
        name="connects",
        tries="connects to the host by TCP, UDP and local sockets, on every address that may be the host's",
        states=(State.OK,),
        holds="the listeners on the host see nothing",
        arguments=_tell_targets,
        check=_check_connections,
    ),
    Attack(
        name="secrets",
        tries="prints every environment, command line and file it can read, and looks where the secrets are",
        states=(State.OK,),
        holds="none of them is in the output; no shadow file, no engine's socket",
        arguments=_tell_secrets,
        check=_check_secrets,
    ),
    Attack(
        name="writes_outside",
        tries="makes files in every folder, overwrites files of the host, opens what rules the kernel",
        states=(State.OK,),
        holds="nothing but /work, /tmp and /dev/shm takes a file; the host's files are as they were",
        arguments=_tell_places,
        check=_check_writing,
    ),
    Attack(
        name="forbidden_calls",
        tries="makes system calls that no solution needs",
        states=(State.OK,),
        holds="every one is refused",
        arguments=lambda _: list_calls(),
        check=_check_calls,
    ),
    Attack(
        name="leaves_traps",
        tries="leaves links to the host's files, pipes, a hollow file of 1 TiB, 400 nested folders, closed ones",
        states=(State.OK,),
        cpu_s=6,
        holds="the next case of the same sandbox ends well",
        arguments=_tell_links,
        check=_check_traps,
    ),
    *DEEDS,
)
