"""Runs of built programs: what is asked of the fork server, and how an end is told.

Follows `sandbox.languages.builds`, under evaluators and the service alike. Method: own.
"""

from collections.abc import Mapping
from dataclasses import replace

from sandbox.answers import Answer, End, classify_end
from sandbox.backends.rootfs import DEFAULT_ENV
from sandbox.base import State
from sandbox.inside.requests import Task, program_task
from sandbox.languages.recipes import Recipe, Toolchain
from schemas.limits import Limits

_NO_ENV: Mapping[str, str] = {}


def write_run(
    toolchain: Toolchain,
    recipe: Recipe,
    limits: Limits,
    *,
    cpu_s: float | None = None,
    env: Mapping[str, str] = _NO_ENV,
) -> Task:
    """Return the run of a built program.

    Args:
        cpu_s: other seconds of CPU time than the limits say; more of them stretch the wall-clock limit likewise.
        env: set beside what toolchain and recipe need.
    """
    seconds = limits.cpu_s if cpu_s is None else cpu_s
    return program_task(
        recipe.run,
        {**DEFAULT_ENV, **toolchain.env, "LC_ALL": "C.UTF-8", **env, **recipe.env},
        cpu_s=seconds,
        wall_s=limits.wall_s * max(1.0, seconds / limits.cpu_s),
        output_bytes=int(limits.stdout_mb * 2**20),
    )


def explain_end(answer: Answer, recipe: Recipe, limits: Limits, *, cpu_s: float | None = None) -> End:
    """Return how a run ended; ``MLE`` also where the language's runtime itself gave up for want of memory.

    Args:
        cpu_s: as in `write_run`.
    """
    end = classify_end(answer, limits, limits.cpu_s if cpu_s is None else cpu_s)
    if end.state is State.RE and any(words in answer.stderr for words in recipe.memory_words):
        return replace(end, state=State.MLE)
    return end
