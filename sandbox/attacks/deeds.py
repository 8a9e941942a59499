"""Attacks that are one program for all languages: each has the sandbox's own Python run it, under its own filter.

To add one: an entry here and a function of its name in `sandbox.attacks.programs.deeds`. Method: own.
"""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from sandbox.attacks.bait import Bait
from sandbox.attacks.base import Attack
from sandbox.base import State

_SCRIPT = Path(__file__).parent / "programs" / "deeds.py"
_GOT = ("opened", "wrote", "has", "became", "signalled", "typed", "made")
"""What a line begins with that says that something wasn't refused."""


@cache
def _read_script() -> tuple[str, ...]:
    lines = _SCRIPT.read_text(encoding="utf-8").splitlines()
    return tuple(line for line in lines if line.strip())


def _call(name: str) -> Callable[[Bait], tuple[str, ...]]:
    return lambda _: (*_read_script(), f"{name}()")


def _check(ending: str) -> Callable[[str, Bait], str]:
    """Return the check of a program that says at the end that it came there, and before that only what it got."""

    def check(output: str, bait: Bait) -> str:
        got = [line for line in output.splitlines() if line.partition(" ")[0] in _GOT]
        spoilt = [f"{path} changed on the host" for path in bait.spoilt()]
        complaints = "; ".join([*got, *spoilt])
        if complaints or not ending or ending in output.splitlines():
            return complaints
        return f"the program didn't get to the end: {output[-200:]!r}"

    return check


def _deed(
    name: str,
    tries: str,
    *states: State,
    ending: str = "",
    holds: str = "",
    cpu_s: float | None = None,
    also: Mapping[str, tuple[State, ...]] | None = None,
    granted: Mapping[str, tuple[str, ...]] | None = None,
) -> Attack:
    return Attack(
        name=name,
        function="runs_python",
        tries=tries,
        states=states,
        cpu_s=cpu_s,
        holds=holds,
        arguments=_call(name),
        check=_check(ending),
        also=also or {},
        granted=granted or {},
    )


_UNSEEN = {"gvisor": (State.RE, State.TLE_CPU, State.TLE_WALL, State.MLE)}
"""gVisor refuses processes itself, which nobody outside sees."""
_DEAR = {"gvisor": (State.TLE_CPU, State.TLE_WALL)}
"""Where starting a process, or new memory, costs much processor time."""

_SEEN_IN_GVISOR = (
    *(f"/proc/1/{part}" for part in ("environ", "maps", "smaps", "auxv")),
    *(f"/proc/1/{folder}/{number}" for folder in ("fd", "task/1/fd") for number in range(3)),
)

DEEDS = (
    _deed(
        "looks_into_process_1",
        "reads memory, environment, maps and descriptors of process 1",
        State.OK,
        ending="end of search",
        holds="none of them opens; gvisor: environment and maps, which hold no secret, and the streams, whose answers "
        "have a tag",
        granted={"gvisor": _SEEN_IN_GVISOR},
    ),
    _deed(
        "writes_to_process_1",
        "writes to all files in /proc that stand for process 1",
        State.OK,
        ending="end of search",
        holds="none of them takes a byte",
    ),
    _deed(
        "writes_to_the_kernel",
        "writes to all files below /proc and /sys what they hold",
        State.OK,
        ending="end of search",
        holds="none of them takes a byte",
    ),
    _deed(
        "gains_rights",
        "becomes root, gives files to root, takes capabilities, executes a file in memory",
        State.OK,
        ending="end of search",
        holds="no capability, no new privileges",
    ),
    _deed(
        "types_into_terminals",
        "opens terminals and devices, pushes input into a terminal of its own",
        State.OK,
        ending="end of search",
        holds="nothing opens, nothing is pushed; gvisor: its own /dev/fuse",
        granted={"gvisor": ("/dev/fuse",)},  # to mount it takes a right that nobody has
    ),
    _deed(
        "leaves_objects",
        "makes shared memory, queues and semaphores of System V, an abstract socket, and a process that stays",
        State.OK,
        ending="left it",
        holds="no object is made",
    ),
    _deed("leaves_zombies", "starts processes that end at once, buries none", State.PLE, also=_UNSEEN),
    _deed("fills_memory_files", "fills files in memory that lie in no folder", State.MLE, also=_DEAR),
    _deed("fills_page_tables", "touches a page in every 2 MiB of endless empty memory", State.MLE, also=_DEAR, cpu_s=6),
    _deed(
        "hoards",
        "takes all descriptors, full pipes and sockets, watches, and locks on what all sandboxes share",
        State.OK,
        State.MLE,
        ending="hoarded",
        cpu_s=6,
    ),
    _deed("hops", "lives on as a child of a child, each of which ends at once", State.OK, ending="hopped away"),
    _deed("burns_on", "leaves 8 processes that loop, and ends", State.OK, ending="left them burning"),
    _deed(
        "floods_on",
        "leaves 4 processes that write to every descriptor for ever, and ends",
        State.OK,
        State.OLE,
        also={"python": (State.RE,)},  # on whose descriptor of records they write too
    ),
    _deed(
        "hides_its_time",
        "loops in processes that live 10 ms of processor time each",
        State.TLE_CPU,
        State.TLE_WALL,  # on a busy machine: how long the dead have waited for a processor isn't known
        cpu_s=0.5,
        also={"gvisor": (State.RE, State.MLE)},
    ),
    _deed(
        "misnames_itself", "takes a name of odd bytes that garbles the process table; loops", State.TLE_CPU, cpu_s=0.5
    ),
    _deed("says_too_much", "starts programs with 2 MB of arguments and environment", State.OK, ending="said it"),
    _deed("dumps_core", "asks for a core file without limit and crashes", State.RE),
    _deed(
        "closes_everything",
        "closes every descriptor, opens files in their places, writes forged records to all of them",
        State.OK,
        State.RE,
    ),
)
