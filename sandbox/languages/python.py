"""Python programs on any backend: one sandbox per task, one fork server in it, one fresh process per input.

Stands between the judge, the prover and the probes (`sandbox.judging.EvaluatorFactory`) and a backend. Everything that
comes back is untrusted: records are parsed here, and results must be canonical encodings. A function's `Exception`
is an output (``{"$raises": ...}``, state ``OK``); exits, crashes, endless recursion and missing records are ``RE``.
Method: own.
"""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from sandbox.base import Backend, Job
from sandbox.closing import Closing
from sandbox.inside.requests import python_task
from sandbox.interpreters import Interpreter
from sandbox.judging import CaseOutcome, Perturbation, Program
from sandbox.languages.python_records import read_functions, read_program
from sandbox.packages import Packages
from sandbox.runner import ForkServer
from schemas.candidate import TaskStyle
from schemas.canonical import rng_for
from schemas.errors import ConfigError, SchemaError
from schemas.limits import Limits
from schemas.values import EncodingError, decode_call

_UNPERTURBED = Perturbation()


class PythonEvaluators:
    """Opens evaluators of Python programs.

    Args:
        backend: where they run.
        limits: per program run.
        style: ``FUNCTION`` or ``STDIN``.
        python: interpreter that runs the solutions; ``None`` takes the one that runs us.
        packages: what solutions may import beside the standard library.
    """

    def __init__(
        self,
        backend: Backend,
        limits: Limits,
        *,
        style: TaskStyle,
        python: Path | None = None,
        packages: Packages | None = None,
    ) -> None:
        if style not in {TaskStyle.FUNCTION, TaskStyle.STDIN}:
            raise ConfigError(f"Python evaluators run function and stdin tasks, not {style.value!r}")
        self._backend = backend
        self._limits = limits
        self._style = style
        self._interpreter = Interpreter.find(python, packages)

    def open(self, perturbation: Perturbation = _UNPERTURBED) -> "PythonEvaluator":
        """Return an evaluator whose sandbox is running.

        Raises:
            SandboxError: no sandbox can be had, or Python doesn't start in it.
            ConfigError: a module of the packages can't be imported ahead.
        """
        evaluator = PythonEvaluator(self._backend, self._limits, self._style, self._interpreter, perturbation)
        evaluator.start()
        return evaluator

    @cached_property
    def toolchain(self) -> str:
        """Name and version of the interpreter inside the sandbox, for instance ``cpython 3.11.7``, and the packages."""
        with self.open() as evaluator:
            return evaluator.toolchain


def try_packages(backend: Backend, limits: Limits, packages: Packages) -> str:
    """Return the toolchain that solutions get, after all that is to be imported ahead was imported in a sandbox.

    Raises:
        ConfigError: a module can't be imported ahead.
        SandboxError: no sandbox can be had, or the modules take more than the limits allow.
    """
    return PythonEvaluators(backend, limits, style=TaskStyle.FUNCTION, packages=packages).toolchain


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
        self._server: ForkServer | None = None
        self._checked: set[str] = set()
        self.toolchain = ""

    def start(self) -> ForkServer:
        """Return a running fork server, started now if there is none.

        Raises:
            SandboxError: no sandbox can be had, or Python doesn't start in it.
            ConfigError: a module of the packages can't be imported ahead.
        """
        if self._server is None or not self._server.is_open:
            self._server = ForkServer.open(self._backend, self._job(), interpreter=self._interpreter)
            self.toolchain = self._interpreter.describe(self._server.python_version)
        return self._server

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
        if self._server is not None:
            self._server.close()

    def _job(self) -> Job:
        env = {
            "TZ": self._perturbation.time_zone,
            "PYTHONHASHSEED": str(self._perturbation.hash_seed % 2**32),
        }
        return Job(limits=self._limits, env=env)

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
        is_program = self._style is TaskStyle.STDIN
        task = python_task(
            self._style.value,
            preamble=program.preamble,
            source=program.source,
            entry_point=program.entry_point,
            inputs=() if is_program else tuple(inputs),
            cpu_s=limit,
            wall_s=self._limits.wall_s * stretch,
            output_bytes=int(self._limits.stdout_mb * 2**20),
        )
        stdin = inputs[0].encode("utf-8", "surrogatepass") if is_program else b""
        answer = self.start().ask(task, stdin)
        if is_program:
            return (read_program(answer, self._limits, limit),)
        return read_functions(answer, self._limits, limit, len(inputs))
