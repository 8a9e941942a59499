"""Rewards of completions, for trainers: from a row, from its ground truth, in verl's shape and in TRL's.

The end of the road: a completion goes in, the solution is taken out of it, judged in a sandbox and rewarded. No
reward is 0 because a sandbox failed: `score` gives None there. Method: own; verl 0.9 calls ``compute_score(data_source,
solution_str, ground_truth, extra_info)``, TRL 1 calls ``reward_func(completions=..., **columns)``.
"""

import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any

from sandbox.backends import select_backend
from sandbox.base import Backend
from sandbox.checkers import compare
from sandbox.closing import Closing
from sandbox.completions import Extraction, extract_solution
from sandbox.environments import default_cache
from sandbox.once import once_per_process
from sandbox.packages import Packages, find_named
from sandbox.rewards import Measures, PassMode, Reward, RewardConfig, reward_nothing, reward_share, reward_verdict
from sandbox.task_judging import TaskJudge, TaskVerdict
from schemas.candidate import Candidate, TaskStyle
from schemas.errors import ConfigError, SandboxError, suggest_name
from schemas.ground_truth import read_ground_truth
from schemas.proven import Proven
from schemas.row_reading import from_row

DATASET_VARIABLE = "TASKFOUNDRY_DATASET"
"""Environment variable that names the dataset's folder, for trainers that can't pass it; only repository tasks need
it."""
_HUNK = re.compile(r"@@ -\d{1,9}(?:,(?P<old>\d{1,9}))? \+\d{1,9}(?:,(?P<new>\d{1,9}))? @@")
_DEFAULTS = RewardConfig()


class Scorer(Closing):
    """Scores completions; safe from several threads.

    Args:
        backend: where solutions run; None takes the best that works here.
        dataset: folder with the trees of repository tasks; None asks the environment variable.
        packages: what Python solutions may import; None asks the environment variables.
    """

    def __init__(
        self,
        backend: Backend | None = None,
        *,
        config: RewardConfig = _DEFAULTS,
        dataset: Path | None = None,
        packages: Packages | None = None,
    ) -> None:
        named = os.environ.get(DATASET_VARIABLE)
        folder = dataset or (Path(named) if named else None)
        self._config = config
        found = packages or find_named(os.environ)
        self._judge = TaskJudge(backend or select_backend(), default_cache(), dataset=folder, packages=found)

    def close(self) -> None:
        """Close what stayed open between tasks; idempotent."""
        self._judge.close()

    def score(self, row: Mapping[str, Any], completion: str, *, coverage: float | None = None) -> Reward:
        """Return the reward of a completion for a row of the dataset.

        Args:
            coverage: share covered, in [0, 1], when the caller has measured it.

        Raises:
            ConfigError: the task can't be judged here.
            SchemaError: the row isn't one of ours.
            SeedError: the tree or the environment of a repository task can't be had.
        """
        return self.score_task(from_row(row).proven, completion, coverage=coverage)

    def score_task(self, task: Proven, completion: str, *, coverage: float | None = None) -> Reward:
        """Return the reward of a completion for a task; raises as `score`."""
        found = extract_solution(completion, language_of(task.candidate))
        return judge_extraction(self._judge, task, found, self._config, coverage=coverage)[1]


def judge_extraction(
    judge: TaskJudge, task: Proven, found: Extraction, config: RewardConfig, *, coverage: float | None = None
) -> tuple[TaskVerdict | None, Reward]:
    """Return the verdict on what was found in a completion, None without a solution or with a failing sandbox, and the
    reward; raises as `TaskJudge.judge`, but never `SandboxError`."""
    if found.solution is None or (config.strict_format and not found.is_clean):
        detail = f"{found.blocks} fenced blocks of {language_of(task.candidate)} instead of one"
        return None, reward_nothing("no_solution", config, detail=detail)
    try:
        verdict = judge.judge(task, found.solution)
    except SandboxError as error:
        return None, reward_nothing("no_verdict", config, detail=str(error))
    return verdict, reward_task(verdict, measure(task, found, coverage=coverage), config)


def reward_task(verdict: TaskVerdict, measures: Measures, config: RewardConfig) -> Reward:
    """Return the reward of a verdict on a task of any style."""
    if verdict.cases is None:
        reward = reward_share(verdict.passed, verdict.share, config, measures=measures, floor=verdict.floor)
        return replace(reward, detail=verdict.detail)
    return reward_verdict(
        verdict.cases,
        verdict.tests,
        config,
        measures=measures,
        baseline_share=verdict.floor,
        accepts=partial(compare, verdict.checker, verdict.style),
    )


def language_of(candidate: Candidate) -> str:
    """Return the language of the fenced block that a task is answered in: ``diff`` for repository tasks."""
    return "diff" if candidate.style is TaskStyle.REPOSITORY else candidate.language


def measure(task: Proven, found: Extraction, *, coverage: float | None = None) -> Measures:
    """Return what is known of a solution beside its verdict."""
    solution = found.solution or ""
    if task.candidate.mutation is not None:
        return Measures(
            clean_format=found.is_clean,
            coverage=coverage,
            patch_lines=count_changed_lines(solution),
            reference_patch_lines=count_changed_lines(task.candidate.mutation.fix_patch),
        )
    return Measures(
        clean_format=found.is_clean,
        coverage=coverage,
        solution_chars=len(solution),
        reference_chars=len(task.candidate.reference),
    )


def count_changed_lines(patch: str) -> int:
    """Return how many lines a unified diff adds and removes, and lines of binary content; only what stands in a hunk
    counts, whatever it looks like."""
    changed = old = new = 0
    is_binary = False
    for line in patch.split("\n"):
        if old > 0 or new > 0:
            is_added, is_removed = line.startswith("+"), line.startswith("-")
            changed += is_added or is_removed
            if not line.startswith("\\"):
                old, new = old - (not is_added), new - (not is_removed)
        elif match := _HUNK.match(line):
            old, new = (int(match[side] or "1") for side in ("old", "new"))
        else:
            is_binary = (is_binary and not line.startswith("diff --git ")) or line == "GIT binary patch"
            changed += is_binary and bool(line)
    return changed


def score(
    row: Mapping[str, Any],
    completion: str,
    *,
    config: RewardConfig = _DEFAULTS,
    dataset: Path | None = None,
    coverage: float | None = None,
) -> Reward:
    """Return the reward of one completion for a row; `Scorer` is the way to score many. Raises as `Scorer.score`."""
    with Scorer(config=config, dataset=dataset) as scorer:
        return scorer.score(row, completion, coverage=coverage)


@once_per_process
def _shared_scorer(options: tuple[tuple[str, Any], ...]) -> Scorer:
    """Return the one scorer of a process for some reward options."""
    known = {field.name for field in fields(RewardConfig)}
    for name, _ in options:
        if name not in known:
            raise ConfigError(f"unknown reward option {name!r}.{suggest_name(name, known)}")
    given = dict(options)
    if "mode" in given:
        if given["mode"] not in list(PassMode):
            raise ConfigError(f"reward: mode is {given['mode']!r}.{suggest_name(str(given['mode']), PassMode)}")
        given["mode"] = PassMode(given["mode"])
    return Scorer(config=RewardConfig(**given))


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: Mapping[str, Any] | None = None,
    **reward_kwargs: Any,
) -> dict[str, float]:
    """Return the reward as verl's custom reward function: ``score`` and the terms, all of them numbers.

    Args:
        data_source: ``taskfoundry/<style>``.
        reward_kwargs: what verl's config says: fields of `RewardConfig`, and ``infra_score``, the number to give when a
            sandbox failed twice. verl has no way to say "no verdict", so without it the failure is raised.

    Raises:
        SandboxError: no verdict, and no ``infra_score``.
        ConfigError: a data source that isn't ours, or an unknown or bad option.
        SchemaError: the ground truth isn't one of ours.
    """
    if not data_source.startswith("taskfoundry/"):
        raise ConfigError(f"data source {data_source!r} isn't one of taskfoundry's")
    infra_score = reward_kwargs.pop("infra_score", None)
    if infra_score is not None and not (isinstance(infra_score, int | float) and math.isfinite(infra_score)):
        raise ConfigError(f"reward: infra_score is {infra_score!r:.40}; it must be a finite number")
    task = read_ground_truth(ground_truth, task_id=str((extra_info or {}).get("task_id", "")))
    scorer = _shared_scorer(tuple(sorted(reward_kwargs.items())))
    reward = scorer.score_task(task, solution_str)
    total = reward.total if reward.total is not None else infra_score
    if total is None:
        raise SandboxError(f"no verdict on a completion of {task.candidate.record_id}: {reward.detail}")
    return {
        "score": float(total),
        "passed": float(reward.reason == "solved"),
        "pass_share": reward.pass_share or 0.0,
        "has_verdict": float(reward.total is not None),
    }


def reward_completions(
    completions: Sequence[str | Sequence[Mapping[str, str]]],
    reward_model: Sequence[Mapping[str, str]],
    **_columns: object,
) -> list[float | None]:
    """Return one reward per completion, as a reward function of TRL; None where the sandbox gave no verdict.

    Args:
        completions: texts, or lists of messages of which the last is the answer.
        reward_model: the column of that name.
    """
    scorer = _shared_scorer(())
    texts = [answer if isinstance(answer, str) else answer[-1]["content"] for answer in completions]
    return [
        scorer.score_task(read_ground_truth(model["ground_truth"]), text).total
        for text, model in zip(texts, reward_model, strict=True)
    ]
