"""`POST /judge`: a task and a solution go in, the verdict case by case and the reward come out. Method: own."""

import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from pydantic import BaseModel, model_validator

from sandbox.base import Backend
from sandbox.closing import Closing
from sandbox.completions import Extraction, extract_solution
from sandbox.environments import default_cache
from sandbox.rewards import Reward, RewardConfig, reward_nothing
from sandbox.scoring import judge_extraction, language_of
from sandbox.server.bounds import check_task
from sandbox.server.rows import read_row, read_truth
from sandbox.server.settings import ServerSettings
from sandbox.server.timing import check_time
from sandbox.task_judging import TaskJudge, TaskVerdict
from schemas.codec import decode_record
from schemas.errors import ConfigError, SandboxError, SchemaError, suggest_name
from schemas.proven import Proven


class JudgeRequest(BaseModel):
    """One of ``row`` and ``ground_truth``, and one of ``completion`` and ``solution``."""

    row: dict[str, Any] | None = None
    """A row of the dataset."""
    ground_truth: str | None = None
    """``reward_model.ground_truth`` of a row."""
    task_id: str = ""
    completion: str | None = None
    """What a model wrote; the solution is its fenced block."""
    solution: str | None = None
    """The solution itself: source text, or a unified diff for a repository task."""
    reward: dict[str, Any] = {}
    """Fields of `RewardConfig` other than the defaults."""

    @model_validator(mode="after")
    def _check_choice(self) -> "JudgeRequest":
        if (self.row is None) == (self.ground_truth is None):
            raise ValueError("give one of row and ground_truth")
        if (self.completion is None) == (self.solution is None):
            raise ValueError("give one of completion and solution")
        return self


class CaseReport(BaseModel):
    """What one test case led to; the output of the solution isn't repeated."""

    case_id: str
    passed: bool
    state: str
    public: bool
    detail: str = ""


class JudgeResponse(BaseModel):
    """The verdict and the reward."""

    task_id: str
    passed: bool | None
    """None when the sandbox failed twice, or the time of the request is over."""
    reward: float | None
    """None for the same reasons, never 0 for them."""
    reason: str
    terms: dict[str, float | None]
    cases: list[CaseReport] = []
    detail: str = ""
    toolchain: str = ""
    """Name and version of what built and ran the solution of a function or stdin task."""
    backend: str
    isolation: str
    limits_enforced: list[str]


class JudgeDesk(Closing):
    """Judges requests; safe from several threads.

    Args:
        settings: the largest limits that a task is given, the folder with the trees of repository tasks, and packages.
    """

    def __init__(self, backend: Backend, settings: ServerSettings) -> None:
        self._capability, self._settings = backend.probe(), settings
        self._judge = TaskJudge(backend, default_cache(), dataset=settings.dataset, packages=settings.packages)

    def judge(self, request: JudgeRequest) -> JudgeResponse:
        """Return the verdict and the reward; a sandbox that fails twice gives neither, nor does a request whose time
        is over.

        Raises:
            ConfigError: the task can't be judged here or under its limits, or the reward's options are wrong.
            SchemaError: the row or the ground truth isn't one of ours.
            SeedError: the environment or the tree of a repository task can't be had.
        """
        config = read_reward_config(request.reward)
        task = check_task(read_task(request), self._settings)
        found = find_solution(request, task)
        verdict, reward = judge_extraction(self._judge, task, found, config)
        try:
            check_time()
        except SandboxError as error:
            verdict, reward = None, reward_nothing("no_verdict", config, detail=str(error))
        return self._respond(task, verdict, reward)

    def close(self) -> None:
        """Close what stayed open between tasks; idempotent."""
        self._judge.close()

    def _respond(self, task: Proven, verdict: TaskVerdict | None, reward: Reward) -> JudgeResponse:
        no_verdict = reward.total is None
        terms = {name: value for name, value in asdict(reward).items() if name.endswith(("_term", "_share"))}
        return JudgeResponse(
            task_id=task.candidate.record_id,
            passed=None if no_verdict else bool(verdict and verdict.passed),
            reward=reward.total,
            reason=reward.reason,
            terms=terms,
            cases=list_cases(verdict),
            detail=reward.detail or (verdict.detail if verdict else ""),
            toolchain=verdict.cases.toolchain if verdict and verdict.cases else "",
            backend=self._capability.backend,
            isolation=self._capability.isolation,
            limits_enforced=list(self._capability.limits_enforced),
        )


def read_task(request: JudgeRequest) -> Proven:
    """Return the task of a request.

    Raises:
        SchemaError: it isn't one of ours.
    """
    if request.row is not None:
        return read_row(request.row)
    return read_truth(request.ground_truth or "", request.task_id)


def find_solution(request: JudgeRequest, task: Proven) -> Extraction:
    """Return the solution of a request."""
    if request.solution is not None:
        return Extraction(solution=request.solution, blocks=1)
    return extract_solution(request.completion or "", language_of(task.candidate))


def read_reward_config(options: Mapping[str, Any]) -> RewardConfig:
    """Return the reward's options.

    Raises:
        ConfigError: an option isn't known, or a value is none.
    """
    known = {field.name for field in fields(RewardConfig)}
    for name in options:
        if name not in known:
            raise ConfigError(f"unknown reward option {name!r}.{suggest_name(name, known)}")
    try:
        return decode_record(RewardConfig, json.dumps(dict(options)))
    except (SchemaError, RecursionError) as error:
        raise ConfigError(f"reward options: {error}") from error


def list_cases(verdict: TaskVerdict | None) -> list[CaseReport]:
    """Return the cases of a verdict, for a function or stdin task."""
    if verdict is None or verdict.cases is None:
        return []
    return [
        CaseReport(
            case_id=result.case_id,
            passed=result.passed,
            state=result.outcome.state.value,
            public=case.public,
            detail=result.outcome.detail,
        )
        for result, case in zip(verdict.cases.results, verdict.tests, strict=True)
    ]
