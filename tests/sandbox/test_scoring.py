"""Completions in, rewards out: for rows, for verl and for TRL."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.backends import select_backend
from sandbox.base import Backend, Capability, Job, Session
from sandbox.judging import Program
from sandbox.rewards import PassMode, RewardConfig
from sandbox.scoring import Scorer, compute_score, count_changed_lines, reward_completions, score
from sandbox.task_judging import make_program
from schemas.candidate import Checker, CheckerName, TaskStyle, TestCase, TestOrigin
from schemas.errors import ConfigError, SandboxError, SchemaError
from schemas.proven import Proven
from schemas.row import Row, to_row
from schemas.task import Task
from tests.builders import make_candidate, make_proven, make_task

RIGHT = "```python\ndef double(n):\n    return n + n\n```"
WRONG = "```python\ndef double(n):\n    return n * n\n```"
CONSTANT = "```python\ndef double(n):\n    return 6\n```"


class BrokenBackend:
    """A backend whose sandboxes can't be set up."""

    name = "broken"

    def probe(self) -> Capability:
        return Capability(backend="broken", available=True, reason="")

    def open(self, job: Job) -> Session:
        raise SandboxError("no sandbox today")


@pytest.fixture(scope="module")
def row() -> Row:
    return to_row(make_task("t"))


@pytest.fixture(scope="module")
def scorer() -> Iterator[Scorer]:
    with Scorer(config=RewardConfig(mode=PassMode.SOFT, length_weight=0.2)) as made:
        yield made


def stdin_task() -> Task:
    tests = tuple(TestCase.make(f"{n}\n", f"{2 * n}\n", origin=TestOrigin.BANK, public=n < 1) for n in range(4))
    candidate = replace(
        make_candidate("t"),
        style=TaskStyle.STDIN,
        signature=None,
        checker=Checker(name=CheckerName.LINES),
        tests=tests,
        reference="print(2 * int(input()))",
    )
    return replace(make_task("t"), proven=make_proven(candidate))


def test_a_right_completion_gets_one(row: Row) -> None:
    reward = score(row, f"Think.\n{RIGHT}\nDone.")
    assert (reward.total, reward.reason, reward.format_term) == (1.0, "solved", 1.0)


def test_a_wrong_completion_gets_nothing_and_the_terms_say_why(row: Row) -> None:
    reward = score(row, WRONG)
    assert (reward.total, reward.reason, reward.pass_share) == (0.0, "tests_fail", 0.25)


def test_soft_rewards_and_side_terms_come_through(scorer: Scorer, row: Row) -> None:
    partly = "```python\ndef double(n):\n    return 2 * n if n < 5 else 0\n```"
    reward = scorer.score(row, partly)
    assert reward.total == pytest.approx((0.75 - 0.25) / 0.75, abs=0.2)
    padded = RIGHT.replace("    return", "    # " + "x" * 1000 + "\n    return")
    assert scorer.score(row, padded).total == pytest.approx(0.8)
    assert scorer.score(row, CONSTANT).total == 0.0


def test_a_stdin_task_is_judged_as_a_program() -> None:
    row = to_row(stdin_task())
    assert score(row, "```python\nprint(int(input()) * 2)\n```").total == 1.0
    assert score(row, "```python\nprint(2)\n```").total == 0.0


@pytest.mark.parametrize("completion", ["", "def double(n): return 2 * n", RIGHT + "\n" + RIGHT, "```java\nx\n```"])
def test_what_is_not_exactly_one_block_is_no_answer(row: Row, completion: str) -> None:
    reward = score(row, completion, config=RewardConfig(format_penalty=0.5))
    assert (reward.total, reward.reason) == (-0.5, "no_solution")


def test_a_lenient_format_takes_its_weight_off(row: Row) -> None:
    config = RewardConfig(strict_format=False, format_weight=0.1)
    assert score(row, WRONG + "\n" + RIGHT, config=config).total == pytest.approx(0.9)


def test_a_broken_sandbox_gives_none_and_never_zero(row: Row) -> None:
    backend: Backend = BrokenBackend()
    with Scorer(backend) as broken:
        reward = broken.score(row, RIGHT)
    assert (reward.total, reward.reason) == (None, "no_verdict")
    assert "no sandbox today" in reward.detail


def test_verl_gets_numbers(row: Row) -> None:
    call = {
        "data_source": row["data_source"],
        "ground_truth": row["reward_model"]["ground_truth"],
        "extra_info": row["extra_info"],
    }
    assert compute_score(solution_str=RIGHT, **call) == {
        "score": 1.0,
        "passed": 1.0,
        "pass_share": 1.0,
        "has_verdict": 1.0,
    }
    partly = "```python\ndef double(n):\n    return 2 * n if n < 5 else 0\n```"
    assert 0 < compute_score(solution_str=partly, mode="soft", **call)["score"] < 1
    assert compute_score(solution_str="nothing", format_penalty=1.0, **call)["score"] == -1.0


@pytest.mark.parametrize(
    ("options", "message"),
    [({"mod": "soft"}, "unknown reward option 'mod'.*'mode'"), ({"mode": "sofd"}, "'sofd'.*'soft'")],
)
def test_verl_options_are_checked(row: Row, options: dict[str, str], message: str) -> None:
    truth = row["reward_model"]["ground_truth"]
    with pytest.raises(ConfigError, match=message):
        compute_score("taskfoundry/function", RIGHT, truth, **options)


def test_a_foreign_data_source_is_refused() -> None:
    with pytest.raises(ConfigError, match="'openai/gsm8k'"):
        compute_score("openai/gsm8k", RIGHT, "42")
    with pytest.raises(SchemaError, match="can't be read"):
        compute_score("taskfoundry/function", RIGHT, "42")


def test_trl_gets_one_reward_per_completion(row: Row) -> None:
    completions = [RIGHT, [{"role": "assistant", "content": WRONG}], "nothing"]
    assert reward_completions(completions, [row["reward_model"]] * 3, task_id=["t"] * 3) == [1.0, 0.0, 0.0]


def test_a_repository_task_needs_the_folder_of_its_dataset(tmp_path: Path) -> None:
    task: Proven = make_proven(replace(make_candidate("t"), style=TaskStyle.REPOSITORY))
    with (
        Scorer(select_backend()) as made,
        pytest.raises(ConfigError, match=r"need the dataset's folder.*TASKFOUNDRY_DATASET"),
    ):
        made.score_task(task, "```diff\n+x\n```")


def test_changed_lines_are_those_of_hunks() -> None:
    assert count_changed_lines("--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n-a\n+b\n c\n+d\n") == 3


@pytest.mark.parametrize(
    ("patch", "lines"),
    [
        ("", 0),
        ("+not\n-in\n+a hunk\n", 0),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n--- a\n+++ b\n", 2),
        ("--- a/x\n+++ b/x\n@@ -0,0 +1,3 @@\n+++i;\n+a\x0c+b\u2028+c\n+\n", 3),
        ("@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n", 2),
        (
            "diff --git a/x b/x\nGIT binary patch\nliteral 9\nzcmV\n\nliteral 0\nHcmV\n\ndiff --git a/y b/y\nnew mode 1\n",
            5,
        ),
    ],
)
def test_every_line_of_a_hunk_counts_whatever_it_looks_like(patch, lines):
    assert count_changed_lines(patch) == lines


@pytest.mark.parametrize("number", [float("nan"), float("-inf"), "0"])
def test_the_number_for_a_failing_sandbox_must_be_one(number):
    with pytest.raises(ConfigError, match="infra_score"):
        compute_score("taskfoundry/function", "", "{}", infra_score=number)


def test_a_program_is_called_as_its_task_says() -> None:
    program = make_program(make_candidate("t"), "x = 1")
    assert isinstance(program, Program)
    assert (program.entry_point, program.source) == ("double", "x = 1")
