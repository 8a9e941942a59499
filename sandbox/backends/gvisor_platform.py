"""How gVisor takes system calls, and what that does to processor time.

Stands beside both ways to run it, the bundle of our own and an engine's runtime. Method: own, figures of
``python -m benchmarks.slowdown``.
"""

import subprocess
from collections.abc import Mapping
from typing import Any

PTRACE_SLOWDOWN = 4.0
"""What time limits are multiplied by under ``ptrace``, where every system call is stopped at twice; see
docs/backends.md."""
_OPTION = "--platform="
_READ_S = 10


def detect_platform(binary: str) -> str:
    """Return the best platform that the binary knows: ``systrap``, or else ``ptrace``; each is its version's default.

    Raises:
        OSError: it can't be run.
        subprocess.SubprocessError: it doesn't answer.
    """
    flags = subprocess.run([binary, "flags"], env={}, capture_output=True, text=True, timeout=_READ_S, check=False)
    return "systrap" if "systrap" in flags.stdout + flags.stderr else "ptrace"


def read_platform(runtime: Mapping[str, Any]) -> str:
    """Return the platform of an engine's runtime, as the engine describes it: named, or the default of the binary.

    One that can't be found out counts as ``ptrace``.
    """
    for word in reversed(runtime.get("runtimeArgs") or []):
        if word.startswith(_OPTION):
            return str(word).removeprefix(_OPTION)
    try:
        return detect_platform(str(runtime.get("path") or "runsc"))
    except (OSError, subprocess.SubprocessError):
        return "ptrace"


def choose_slowdown(platform: str) -> float:
    """Return what time limits are multiplied by on a platform."""
    return PTRACE_SLOWDOWN if platform == "ptrace" else 1.0
