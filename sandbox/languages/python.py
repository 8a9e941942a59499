"""Python programs on any backend: one sandbox per task, one fork server in it, one fresh process per input.

Stands between the judge, the prover and the probes (`sandbox.judging.EvaluatorFactory`) and a backend. Everything that
comes back is untrusted: records are parsed here, and results must be canonical encodings. A function's `Exception`
is an output (``{"$raises": ...}``, state ``OK``); exits, crashes, endless recursion and missing records are ``RE``.
Method: own.
"""

import json
import os
import py_compile
import shutil
import struct
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

import schemas.values
from sandbox.backends.leftovers import state_folder
from sandbox.backends.rootfs import PYTHON
from sandbox.base import Backend, Channel, Job, Mount, Outcome, Run, Session, State, Usage
from sandbox.closing import Closing
from sandbox.judging import CaseOutcome, Perturbation, Program
from sandbox.languages import python_child, python_scratch, python_zygote
from sandbox.languages.python_child import Task
from sandbox.languages.python_records import Answer, read_functions, read_program
from schemas.candidate import TaskStyle
from schemas.canonical import rng_for
from schemas.errors import ConfigError, SandboxError, SchemaError
from schemas.limits import Limits
from schemas.values import EncodingError, decode_call

_UNPERTURBED = Perturbation()
_RUNNER = "/opt/runner"
_PREFIX = "/opt/interpreter"
_START_S = 60.0
_GRACE_S = 60.0
"""Seconds beyond the wall limit after which the fork server counts as dead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpreter:
    """The Python that runs solutions, as the sandbox sees it."""

    executable: str
    mounts: tuple[Mount, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)

    @property
    def server(self) -> str:
        """File name of the fork server: compiled for the interpreter that runs us, source for any other."""
        return "python_zygote.pyc" if self.executable == PYTHON else "python_zygote.py"

    @classmethod
    def find(cls, python: Path | None) -> "Interpreter":
        """Return the interpreter behind a path; ``None`` is the one that every sandbox has, which also runs us.

        Raises:
            ConfigError: the path is no working Python 3.11 or newer.
        """
        if python is None:
            return cls(executable=PYTHON)
        base, version, is_shared = _describe_interpreter(python)
        env = {"PATH": f"{_PREFIX}/bin:/usr/bin:/bin"}
        if is_shared:
            env["LD_LIBRARY_PATH"] = f"{_PREFIX}/lib"
        mount = Mount(source=base, target=_PREFIX)
        return cls(executable=f"{_PREFIX}/bin/python{version}", mounts=(mount,), env=env)


def _describe_interpreter(python: Path) -> tuple[Path, str, bool]:
    """Return the installation folder, the version ``X.Y``, and whether it needs a shared library."""
    code = (
        "import json, os, sys, sysconfig; print(json.dumps([os.path.realpath(sys.base_prefix),"
        "'%d.%d' % sys.version_info[:2], bool(sysconfig.get_config_var('Py_ENABLE_SHARED'))]))"
    )
    try:
        done = subprocess.run([python, "-I", "-c", code], capture_output=True, check=True, timeout=_START_S)
        base, version, is_shared = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise ConfigError(f"{python} is no working Python: {error}") from error
    if tuple(map(int, version.split("."))) < (3, 11):
        raise ConfigError(f"{python} is Python {version}; solutions run on 3.11 or newer")
    return Path(base), version, is_shared


@cache
def _stage_runner(process_id: int) -> Path:
    """Return a folder with nothing but the modules that run inside, also compiled, made once per process."""
    folder = state_folder() / f"python-{process_id}"
    modules = {
        "python_zygote.py": python_zygote.__file__,
        "sandbox/languages/python_child.py": python_child.__file__,
        "sandbox/languages/python_scratch.py": python_scratch.__file__,
        "schemas/values.py": schemas.values.__file__,
    }
    for name, source in modules.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        tagged = target.parent / "__pycache__" / f"{target.stem}.{sys.implementation.cache_tag}.pyc"
        compiled = target.with_suffix(".pyc") if target.parent == folder else tagged
        py_compile.compile(
            str(target),
            str(compiled),
            f"{_RUNNER}/{name}",
            invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
        )
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return folder


class PythonEvaluators:
    """Opens evaluators of Python programs.

    Args:
        backend: where they run.
        limits: per program run.
        style: ``FUNCTION`` or ``STDIN``.
        python: interpreter that runs the solutions; ``None`` takes the one that runs us.
    """

    def __init__(self, backend: Backend, limits: Limits, *, style: TaskStyle, python: Path | None = None) -> None:
        if style not in {TaskStyle.FUNCTION, TaskStyle.STDIN}:
            raise ConfigError(f"Python evaluators run function and stdin tasks, not {style.value!r}")
        self._backend = backend
        self._limits = limits
        self._style = style
        self._interpreter = Interpreter.find(python)

    def open(self, perturbation: Perturbation = _UNPERTURBED) -> "PythonEvaluator":
        """Return an evaluator whose sandbox is running.

        Raises:
            SandboxError: no sandbox can be had, or Python doesn't start in it.
        """
        evaluator = PythonEvaluator(self._backend, self._limits, self._style, self._interpreter, perturbation)
        evaluator.start()
        return evaluator

    @cached_property
    def toolchain(self) -> str:
        """Name and version of the interpreter inside the sandbox, for instance ``cpython 3.11.7``."""
        with self.open() as evaluator:
            return evaluator.toolchain


class PythonEvaluator(Closing):
    """One sandbox of one task; made by `PythonEvaluators.open`."""

    def __init__(
        self,
        backend: Backend,
        limits: Limits,
        style: TaskStyle,
        interpreter: Interpreter,
        perturbation: Perturbation,
    ) -> None:
        self._backend = backend
        self._limits = limits
        self._style = style
        self._interpreter = interpreter
        self._perturbation = perturbation
        self._session: Session | None = None
        self._channel: Channel | None = None
        self._usage = Usage()
        self._checked: set[str] = set()
        self.toolchain = ""

    def start(self) -> Channel:
        """Return the channel to a running fork server, started now if there is none.

        Raises:
            SandboxError: no sandbox can be had, or Python doesn't start in it.
        """
        if self._channel is not None:
            return self._channel
        self._session = self._backend.open(self._job())
        try:
            argv = (self._interpreter.executable, "-S", "-s", "-P", "-B", f"{_RUNNER}/{self._interpreter.server}")
            self._channel = self._session.converse(Run(argv=argv))
            header, _ = _receive(self._channel, deadline_s=_START_S)
        except SandboxError as error:
            raise SandboxError(f"Python doesn't start in the sandbox: {error}{_describe_end(self._end())}") from error
        self._usage = self._channel.usage()
        self.toolchain = f"cpython {header.get('ready', '')}"
        return self._channel

    def evaluate(
        self,
        program: Program,
        inputs: Sequence[str],
        *,
        isolate: bool = True,
        cpu_s: float | None = None,
    ) -> tuple[CaseOutcome, ...]:
        """Return one outcome per input, in the order of the inputs; see `sandbox.judging.Evaluator`."""
        self._check_inputs(inputs)
        order = list(range(len(inputs)))
        if self._perturbation.order_seed:
            rng_for(self._perturbation.order_seed, "", "input order").shuffle(order)
        shuffled = [inputs[index] for index in order]
        batch = not isolate and self._style is TaskStyle.FUNCTION
        groups = [shuffled] if batch else [[text] for text in shuffled]
        outcomes = [outcome for group in groups if group for outcome in self._run_group(program, group, cpu_s)]
        placed = dict(zip(order, outcomes, strict=True))
        return tuple(placed[index] for index in range(len(inputs)))

    def close(self) -> None:
        """Kill the sandbox; idempotent."""
        channel, session = self._channel, self._session
        self._channel = self._session = None
        if channel is not None:
            channel.close()
        if session is not None:
            session.close()

    def _job(self) -> Job:
        runner = Mount(source=_stage_runner(os.getpid()), target=_RUNNER)
        env = {
            **self._interpreter.env,
            "LC_ALL": "C.UTF-8",
            "TZ": self._perturbation.time_zone,
            "PYTHONHASHSEED": str(self._perturbation.hash_seed % 2**32),
        }
        return Job(limits=self._limits, mounts=(*self._interpreter.mounts, runner), env=env)

    def _check_inputs(self, inputs: Sequence[str]) -> None:
        for text in inputs:
            if len(text.encode("utf-8", "surrogatepass")) > self._limits.stdin_mb * 2**20:
                raise SchemaError(f"a test input is longer than stdin_mb = {self._limits.stdin_mb}")
            if self._style is TaskStyle.FUNCTION and text not in self._checked:
                try:
                    decode_call(text)
                except EncodingError as error:
                    raise SchemaError(f"test input {text[:80]!r} is no encoded call: {error}") from error
                self._checked.add(text)

    def _run_group(self, program: Program, inputs: Sequence[str], cpu_s: float | None) -> tuple[CaseOutcome, ...]:
        limit = self._limits.cpu_s if cpu_s is None else cpu_s
        stretch = 1.0 if cpu_s is None else max(1.0, cpu_s / self._limits.cpu_s)
        wall_s = self._limits.wall_s * stretch
        task = Task(
            style=self._style.value,
            preamble=program.preamble,
            source=program.source,
            entry_point=program.entry_point,
            inputs=list(inputs),
            cpu_s=limit,
            wall_s=wall_s,
            output_bytes=int(self._limits.stdout_mb * 2**20),
        )
        answer = self._ask(task, deadline_s=wall_s * python_zygote.WALL_STRETCH + _GRACE_S)
        if self._style is TaskStyle.STDIN:
            return (read_program(answer, self._limits, limit),)
        return read_functions(answer, self._limits, limit, len(inputs))

    def _ask(self, task: Task, *, deadline_s: float) -> Answer:
        channel = self.start()
        before = self._usage
        data = json.dumps(task).encode("ascii")
        try:
            channel.send(struct.pack("!I", len(data)) + data)
            header, blobs = _receive(channel, deadline_s=deadline_s)
            self._usage = channel.usage()
            answer = Answer.parse(header, blobs).counted(before, self._usage)
        except SandboxError as error:
            end = self._end()
            if end is not None and end.state is State.MLE:  # only the program can use so much, in memory or in files
                return Answer.out_of_memory()
            raise SandboxError(f"the fork server is gone: {error}{_describe_end(end)}") from error
        if not answer.clean:
            self.close()
        return answer

    def _end(self) -> Outcome | None:
        """Close everything and return how the fork server ended; None when there was none."""
        channel = self._channel
        outcome = channel.close() if channel is not None else None
        self.close()
        return outcome


def _describe_end(end: Outcome | None) -> str:
    if end is None:
        return ""
    note = end.stderr.decode("utf-8", "replace").strip()[-500:]
    return f" ({end.state.value}{f', {end.detail}' if end.detail else ''}{f': {note}' if note else ''})"


def _receive(channel: Channel, *, deadline_s: float) -> tuple[dict[str, object], list[bytes]]:
    size = struct.unpack("!I", channel.receive_exact(4, deadline_s=deadline_s))[0]
    header = json.loads(channel.receive_exact(size, deadline_s=deadline_s))
    blobs = [channel.receive_exact(length, deadline_s=deadline_s) for length in header.pop("blobs")]
    return header, blobs
