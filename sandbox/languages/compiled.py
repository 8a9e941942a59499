"""Programs in languages that are built first: one build per content, one sandbox per program, one process per case.

Function tasks get a driver, generated from the signature, that reads calls and writes records in the form of
`sandbox.languages.wire`. Everything that comes back is untrusted. Method: own.
"""

from collections.abc import Sequence

from sandbox.answers import DETAIL_CHARS, Answer, End
from sandbox.base import Backend, Job, State
from sandbox.closing import Closing
from sandbox.judging import CaseOutcome, Perturbation, Program
from sandbox.languages.builds import BuildCache, Built
from sandbox.languages.recipes import Language, Recipe, Toolchain
from sandbox.languages.runs import explain_end, write_run
from sandbox.languages.types import CallType, read_call_type
from sandbox.languages.wire import Reader, encode_calls
from sandbox.masking import mask_addresses
from sandbox.runner import ForkServer
from schemas.candidate import TaskStyle
from schemas.canonical import rng_for
from schemas.errors import ConfigError, SchemaError
from schemas.limits import Limits
from schemas.values import EncodingError, encode_exception, encode_text

SOURCE_CHARS = 2 * 2**20
"""A longer source is a compile error that no compiler sees."""
_UNPERTURBED = Perturbation()


class CompiledEvaluators:
    """Opens evaluators of programs in one language.

    Args:
        language: the language.
        backend: where they are built and run.
        limits: per program run; builds have `BUILD_LIMITS`.
        style: ``FUNCTION`` or ``STDIN``.
        cache: of builds; None takes one of its own.
    """

    def __init__(
        self,
        language: Language,
        backend: Backend,
        limits: Limits,
        *,
        style: TaskStyle,
        cache: BuildCache | None = None,
    ) -> None:
        if style not in {TaskStyle.FUNCTION, TaskStyle.STDIN}:
            raise ConfigError(f"evaluators run function and stdin tasks, not {style.value!r}")
        self._language, self._backend, self._limits, self._style = language, backend, limits, style
        self._toolchain = language.find_toolchain()
        self._cache = BuildCache() if cache is None else cache

    @property
    def toolchain(self) -> str:
        """Name and version of what builds and runs the programs."""
        return self._toolchain.version

    def open(self, perturbation: Perturbation = _UNPERTURBED) -> "CompiledEvaluator":
        """Return an evaluator; its sandbox starts with its first program."""
        return CompiledEvaluator(
            self._language, self._toolchain, self._backend, self._limits, self._style, perturbation, self._cache
        )


class CompiledEvaluator(Closing):
    """The sandboxes of one task; made by `CompiledEvaluators.open`."""

    def __init__(
        self,
        language: Language,
        toolchain: Toolchain,
        backend: Backend,
        limits: Limits,
        style: TaskStyle,
        perturbation: Perturbation,
        cache: BuildCache,
    ) -> None:
        self._language, self._toolchain, self._backend = language, toolchain, backend
        self._limits, self._style, self._perturbation, self._cache = limits, style, perturbation, cache
        self._server: ForkServer | None = None
        self._inside: Program | None = None

    @property
    def toolchain(self) -> str:
        """Name and version of what builds and runs the programs."""
        return self._toolchain.version

    def evaluate(
        self,
        program: Program,
        inputs: Sequence[str],
        *,
        isolate: bool = True,
        cpu_s: float | None = None,
    ) -> tuple[CaseOutcome, ...]:
        """Return one outcome per input, in the order of the inputs; see `sandbox.judging.Evaluator`.

        Raises:
            ConfigError: the signature or the entry point can't be used in this language.
            SandboxError: the sandbox failed; nothing is said about the program.
            SchemaError: an input doesn't fit the signature, or is too long.
        """
        types = self._call_type(program)
        size = len(program.preamble) + len(program.source)
        if size > SOURCE_CHARS:
            detail = f"the source is {size} characters long; at most {SOURCE_CHARS} are compiled"
            return (_outcome(State.CE, detail=detail),) * len(inputs)
        recipe = self._language.write_recipe(program, types, self._limits)
        built = self._cache.build(self._backend, self._language.name, self._toolchain, recipe)
        if built.failure:
            return (_outcome(State.CE, detail=built.failure),) * len(inputs)
        order = list(range(len(inputs)))
        if self._perturbation.order_seed:
            rng_for(self._perturbation.order_seed, "", "input order").shuffle(order)
        batch = not isolate and types is not None
        groups = [order] if batch else [[index] for index in order]
        self._enter(program)
        placed: dict[int, CaseOutcome] = {}
        for group in groups:
            taken = [inputs[index] for index in group]
            placed |= zip(group, self._run_group(recipe, built, types, taken, cpu_s), strict=True)
        return tuple(placed[index] for index in range(len(inputs)))

    def close(self) -> None:
        """Kill the sandbox; idempotent."""
        if self._server is not None:
            self._server.close()

    def _call_type(self, program: Program) -> CallType | None:
        if self._style is TaskStyle.STDIN:
            return None
        if program.signature is None:
            raise ConfigError(f"a function task in {self._language.name} needs a signature with types")
        return read_call_type(program.signature)

    def _enter(self, program: Program) -> None:
        """Give the program a sandbox of its own: none is shared with another solution."""
        if self._inside != program:
            self.close()
            self._inside = program

    def _start(self) -> ForkServer:
        if self._server is None or not self._server.is_open:
            env = {**self._toolchain.env, "TZ": self._perturbation.time_zone}
            job = Job(limits=self._limits, mounts=self._toolchain.mounts, env=env, language=self._language.name)
            self._server = ForkServer.open(self._backend, job)
        return self._server

    def _run_group(
        self,
        recipe: Recipe,
        built: Built,
        types: CallType | None,
        inputs: Sequence[str],
        cpu_s: float | None,
    ) -> tuple[CaseOutcome, ...]:
        if not inputs:
            return ()
        stdin = inputs[0].encode("utf-8", "surrogatepass") if types is None else encode_calls(inputs, types)
        if len(stdin) > self._limits.stdin_mb * 2**20:
            raise SchemaError(f"a test input is longer than stdin_mb = {self._limits.stdin_mb}")
        server = self._start()
        server.lay(built.files, executable=recipe.executable)
        env = {"TZ": self._perturbation.time_zone}
        answer = server.ask(write_run(self._toolchain, recipe, self._limits, cpu_s=cpu_s, env=env), stdin)
        end = explain_end(answer, recipe, self._limits, cpu_s=cpu_s)
        if types is None:
            text = answer.stdout.decode("utf-8", "surrogateescape")
            return (_outcome(end.state, output=text, detail=end.detail),)
        return _read_records(answer, end, len(inputs))


def _read_records(answer: Answer, end: End, count: int) -> tuple[CaseOutcome, ...]:
    """Return one outcome per call: records that are there count, all other calls get how the program ended."""
    reader = Reader(answer.record)
    done: list[CaseOutcome] = []
    detail = "ended without a result"
    try:
        while not reader.is_at_end() and len(done) <= count:
            done.append(_read_record(reader))
    except EncodingError as error:
        detail = f"a malformed record: {error}"
        done = []
    if len(done) > count:
        done, detail = [], "more records than calls"
    if end.state is not State.OK:
        detail = end.detail
        done = [] if count == 1 else done
    state = State.RE if end.state is State.OK else end.state
    return (*done, *((_outcome(state, detail=detail),) * (count - len(done))))


def _read_record(reader: Reader) -> CaseOutcome:
    tag = reader.take(1)
    payload = reader.take(reader.size(b";"))
    if tag == b"V":
        inner = Reader(payload)
        value = inner.read_value()
        if not inner.is_at_end():
            raise EncodingError("bytes after a result")
        return _outcome(State.OK, output=encode_text(value))
    text = payload.decode("utf-8", "replace")
    if tag == b"X":
        name, _, message = text.partition("\n")
        return _outcome(State.OK, output=encode_exception(name[:100]), detail=f"{name}: {message}")
    if tag == b"E":
        return _outcome(State.RE, detail=text)
    raise EncodingError(f"an unknown record {tag!r}")


def _outcome(state: State, *, output: str = "", detail: str = "") -> CaseOutcome:
    return CaseOutcome(state=state, output=output, detail=mask_addresses(detail)[:DETAIL_CHARS])
