"""`POST /run_code`: one program, its output and how it ended, in the words that SandboxFusion's clients expect.

Requests and answers have the names and meanings of SandboxFusion's ``/run_code``, which verl and others speak; what
its clients can't be told (a memory limit, a flood of output) comes as a run that failed, with the state in
``message``. Method: own, after the request and answer types of SandboxFusion (53a6341, 2025).
"""

import base64
import math
from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from pathlib import PurePosixPath

from pydantic import BaseModel, Field

from sandbox.answers import Answer, End, classify_end
from sandbox.base import Backend, Job, State
from sandbox.inside.requests import Task, collecting, python_task
from sandbox.interpreters import OWN_INTERPRETER
from sandbox.judging import Program
from sandbox.languages import find_language
from sandbox.languages.builds import BuildCache
from sandbox.languages.recipes import Recipe
from sandbox.languages.runs import explain_end, write_run
from sandbox.retrying import try_twice
from sandbox.runner import ForkServer
from sandbox.server.settings import ServerSettings
from sandbox.server.timing import check_time
from schemas.canonical import is_unicode
from schemas.errors import ConfigError, SandboxError, SchemaError
from schemas.limits import Limits

SANDBOXFUSION_NAMES = {
    "python": "python",
    "cpp": "cpp",
    "nodejs": "javascript",
    "javascript": "javascript",
    "typescript": "typescript",
    "go": "go",
    "java": "java",
    "rust": "rust",
}
"""Our languages by the names that requests use."""
_DEFAULT_MEMORY_MB = 1024
_OUTPUT_MB = 10
_WALL_GRACE_S = 5.0
"""Seconds of the wall clock beyond ``run_timeout``, at least: a busy service makes no program late. Clients wait 10."""
_FETCH_BYTES = 16 * 2**20
_NAME_BYTES, _PART_BYTES = 1024, 255
_OVER = {State.TLE_CPU, State.TLE_WALL}


class RunStatus(StrEnum):
    """How the whole request ended."""

    SUCCESS = "Success"
    FAILED = "Failed"
    SANDBOX_ERROR = "SandboxError"


class CommandStatus(StrEnum):
    """How one command ended."""

    FINISHED = "Finished"
    ERROR = "Error"
    TIME_LIMIT = "TimeLimitExceeded"


class CommandResult(BaseModel):
    """One command."""

    status: CommandStatus
    execution_time: float | None = None
    return_code: int | None = None
    stdout: str | None = None
    stderr: str | None = None


class RunCodeRequest(BaseModel):
    """A program to run."""

    code: str
    language: str
    stdin: str | None = None
    compile_timeout: float = Field(10, gt=0, allow_inf_nan=False)
    """Taken and passed over: builds have limits of their own."""
    run_timeout: float = Field(10, gt=0, allow_inf_nan=False)
    memory_limit_MB: int = -1  # noqa: N815  # the name that clients send
    files: dict[str, str | None] = {}
    """Content in base64 by path; laid beside the program."""
    fetch_files: list[str] = []


class RunCodeResponse(BaseModel):
    """What became of it."""

    status: RunStatus
    message: str = ""
    compile_result: CommandResult | None = None
    run_result: CommandResult | None = None
    executor_pod_name: str | None = None
    files: dict[str, str] = {}
    toolchain: str = ""
    """Name and version of what built and ran it; SandboxFusion's clients pass over it."""


class CodeRunner:
    """Runs programs of any language; safe from several threads.

    Args:
        backend: where they run.
        settings: the largest limits that a request is given, and packages.
    """

    def __init__(self, backend: Backend, settings: ServerSettings) -> None:
        self._backend, self._settings = backend, settings
        self._builds = BuildCache()
        self._python = OWN_INTERPRETER.with_packages(settings.packages)

    def run(self, request: RunCodeRequest) -> RunCodeResponse:
        """Return what became of a program; a sandbox that fails twice is a ``SandboxError``, and so is a request whose
        time is over.

        Raises:
            ConfigError: the language isn't known, or its toolchain isn't there.
            SchemaError: a path or a file of the request is none.
        """
        name = SANDBOXFUSION_NAMES.get(request.language)
        if name is None:
            raise ConfigError(f"language {request.language!r} isn't one of {', '.join(SANDBOXFUSION_NAMES)}")
        try:
            response = try_twice(lambda: self._attempt(name, request))
            check_time()
        except SandboxError as error:
            return RunCodeResponse(status=RunStatus.SANDBOX_ERROR, message=str(error))
        return response

    def _attempt(self, name: str, request: RunCodeRequest) -> RunCodeResponse:
        limits, files = self._limits(request), read_files(request.files)
        if name == "python":
            return self._run_python(request, limits, files)
        language = find_language(name)
        toolchain = language.find_toolchain()
        recipe = language.write_recipe(Program(source=request.code), None, limits)
        built = self._builds.build(self._backend, name, toolchain, recipe)
        if built.failure:
            refused = CommandResult(status=CommandStatus.FINISHED, return_code=1, stdout="", stderr=built.failure)
            return RunCodeResponse(status=RunStatus.FAILED, compile_result=refused)
        task = write_run(toolchain, recipe, limits)
        job = Job(limits=limits, mounts=toolchain.mounts, env=toolchain.env, language=name)
        laid = {**files, **built.files}
        done = CommandResult(status=CommandStatus.FINISHED, return_code=0, stdout="", stderr="")
        response = self._ask(job, task, request, laid, recipe)
        return response.model_copy(update={"compile_result": done, "toolchain": toolchain.version})

    def _run_python(self, request: RunCodeRequest, limits: Limits, files: Mapping[str, bytes]) -> RunCodeResponse:
        task = python_task(
            "stdin", source=request.code, cpu_s=limits.cpu_s, wall_s=limits.wall_s, output_bytes=_OUTPUT_MB * 2**20
        )
        return self._ask(Job(limits=limits), task, request, files)

    def _ask(
        self, job: Job, task: Task, request: RunCodeRequest, files: Mapping[str, bytes], recipe: Recipe | None = None
    ) -> RunCodeResponse:
        interpreter = OWN_INTERPRETER if recipe else self._python
        with ForkServer.open(self._backend, job, interpreter=interpreter) as server:
            server.lay(files, executable=recipe.executable if recipe else ())
            python = interpreter.describe(server.python_version)
            fetched = tuple(read_files(dict.fromkeys(request.fetch_files, "")))
            answer = server.ask(
                collecting(task, fetched, _FETCH_BYTES), (request.stdin or "").encode("utf-8", "surrogatepass")
            )
        limits = job.limits
        end = explain_end(answer, recipe, limits) if recipe else classify_end(answer, limits, limits.cpu_s)
        return RunCodeResponse(
            toolchain="" if recipe else python,
            status=RunStatus.SUCCESS if end.state is State.OK else RunStatus.FAILED,
            message="" if end.state in {State.OK, State.RE} else f"{end.state.value}: {end.detail}",
            run_result=_describe(answer, end),
            files={path: base64.b64encode(content).decode() for path, content in answer.collected},
        )

    def _limits(self, request: RunCodeRequest) -> Limits:
        seconds = min(request.run_timeout, self._settings.most_timeout_s)
        memory = request.memory_limit_MB if request.memory_limit_MB > 0 else _DEFAULT_MEMORY_MB
        return replace(
            Limits(),
            cpu_s=seconds,
            wall_s=max(seconds * 2, seconds + _WALL_GRACE_S),
            memory_mb=min(max(memory, 64), self._settings.most_memory_mb),
            stdin_mb=self._settings.most_body_mb,
            stdout_mb=_OUTPUT_MB,
        )


def read_files(files: Mapping[str, str | None]) -> dict[str, bytes]:
    """Return the content of the files of a request by their paths relative to the program's folder.

    Raises:
        SchemaError: a path leads out of it, can't be a file's or is a folder too, or a content is no base64.
    """
    read = {}
    for path, content in files.items():
        pure = PurePosixPath(path)
        if pure.is_absolute() or ".." in pure.parts or "\0" in path or not (pure.parts and is_unicode(path)):
            raise SchemaError(f"file {path!r} isn't inside the program's folder")
        if len(path.encode()) > _NAME_BYTES or max(len(part.encode()) for part in pure.parts) > _PART_BYTES:
            raise SchemaError(f"the name of file {path[:80]!r}... is too long")
        try:
            read[str(pure)] = base64.b64decode(content or "", validate=True)
        except ValueError as error:
            raise SchemaError(f"file {path!r} isn't in base64: {error}") from error
    folders = {str(parent) for path in read for parent in PurePosixPath(path).parents}
    if both := sorted(folders & read.keys()):
        raise SchemaError(f"file {both[0]!r} is a folder too")
    return read


def _describe(answer: Answer, end: End) -> CommandResult:
    over = end.state in _OVER
    status = answer.status if answer.status >= 0 else None
    code = None if status is None or over else _exit_code(status, end.state)
    return CommandResult(
        status=CommandStatus.TIME_LIMIT if over else CommandStatus.FINISHED,
        execution_time=round(answer.wall_s, 6) if math.isfinite(answer.wall_s) else None,
        return_code=code if code is not None or over else 1,
        stdout=answer.stdout.decode("utf-8", "replace"),
        stderr=answer.stderr.decode("utf-8", "replace"),
    )


def _exit_code(status: int, state: State) -> int:
    """Return a shell's exit code of a wait status; never 0 for what a limit has ended."""
    code = status >> 8 if status & 0x7F == 0 else 128 + (status & 0x7F)
    return code or (0 if state is State.OK else 1)
