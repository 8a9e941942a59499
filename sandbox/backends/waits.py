"""How long threads have waited for a processor that was busy with others, as this host's kernel counts it.

For sandboxes with a kernel of their own, in which that can't be seen. Method: own, after the kernel's document on
scheduler statistics.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path


def read_waits(process_ids: Iterable[int]) -> dict[int, float]:
    """Return the seconds that every thread of these processes has waited since it was started, by its id."""
    found: dict[int, float] = {}
    for process_id in process_ids:
        with suppress(OSError):
            for folder in Path(f"/proc/{process_id}/task").iterdir():
                with suppress(OSError, ValueError, IndexError):
                    waited_ns = (folder / "schedstat").read_text(encoding="ascii").split()[1]
                    found[int(folder.name)] = int(waited_ns) / 1e9
    return found


def add_longest(before: Mapping[int, float], after: Mapping[int, float]) -> float:
    """Return the seconds of the two threads together that have waited longest meanwhile: a program's, and the one of
    its kernel that serves it, which take turns."""
    return sum(sorted(waited_s - before.get(thread, 0.0) for thread, waited_s in after.items())[-2:])
