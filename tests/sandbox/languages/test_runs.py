"""What is asked for to run a built program, and how a runtime that gave up for want of memory is told."""

from dataclasses import replace

import pytest

from sandbox.answers import Answer
from sandbox.base import State
from sandbox.languages.recipes import Recipe, Toolchain
from sandbox.languages.runs import explain_end, write_run
from schemas.limits import Limits

LIMITS = Limits(cpu_s=2, wall_s=10, memory_mb=100, stdout_mb=0.5)
TOOLCHAIN = Toolchain(version="x 1", env={"PATH": "/opt/x:/usr/bin", "BOTH": "toolchain"})
RECIPE = Recipe(
    files={}, build=(), artefacts=(), run=("./program", "x"), env={"BOTH": "recipe"}, memory_words=(b"no memory",)
)
FAILED = Answer(
    verdict="", status=1 << 8, disk_full=False, cpu_s=0.1, wall_s=0.1, own_cpu_s=0.0, peak_kib=1, clean=True,
    record=b"", stdout=b"", stderr=b"fatal: no memory\n",
)  # fmt: skip


@pytest.mark.parametrize(("cpu_s", "wall_s"), [(None, 10.0), (2.0, 10.0), (1.0, 10.0), (6.0, 30.0)])
def test_more_processor_time_stretches_the_wall_clock_limit_and_less_does_not_shrink_it(cpu_s, wall_s):
    task = write_run(TOOLCHAIN, RECIPE, LIMITS, cpu_s=cpu_s)
    assert (task["cpu_s"], task["wall_s"]) == (cpu_s or 2, wall_s)


def test_a_run_has_the_command_of_the_recipe_and_the_output_limit_in_bytes():
    task = write_run(TOOLCHAIN, RECIPE, LIMITS)
    assert (task["style"], task["argv"], task["output_bytes"]) == ("program", ["./program", "x"], 2**19)


def test_the_recipe_outranks_the_run_and_that_the_toolchain():
    env = write_run(TOOLCHAIN, RECIPE, LIMITS, env={"BOTH": "run", "PATH": "/own"})["env"]
    assert (env["BOTH"], env["PATH"], env["LC_ALL"]) == ("recipe", "/own", "C.UTF-8")


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        (FAILED, State.MLE),
        (replace(FAILED, stderr=b"other"), State.RE),
        (replace(FAILED, status=0), State.OK),
        (replace(FAILED, disk_full=True), State.DLE),
        (replace(FAILED, verdict="TLE_WALL"), State.TLE_WALL),
        (replace(FAILED, status=6), State.MLE),
    ],
)
def test_words_of_the_runtime_count_only_where_the_program_failed_for_no_other_reason(answer, state):
    assert explain_end(answer, RECIPE, LIMITS).state is state
