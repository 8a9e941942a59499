"""Runs one of our own programs on many inputs at once: mutants, trivial solvers, the reference on drawn inputs.

All inputs of a program share one fresh process, and a budget of steps takes the place of the clock, so that the
result depends on the program alone. A program that reads standard input is called as a function with replaced streams.
Verdicts about solutions never rest on this; the final suite is run again in isolation. Method: own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from sandbox.base import State
from sandbox.groups import END_CALL, GROUP_CHARS, GROUP_SIZE, is_contained, join_programs
from sandbox.judging import CaseOutcome, Evaluator, Program
from sandbox.stepping import MAX_LIMIT_HITS, STEP_LIMIT, STEP_SKIP, instrument_source, make_prelude
from schemas.candidate import Candidate, TaskStyle
from schemas.values import EncodingError, decode_text, encode_call

BATCH_CPU_S = 3.0
"""The clock behind the step budget, for what steps don't count: a huge power, a regular expression gone wild."""
UNCOUNTED = 10**9
_ISOLATED_SHARE = 20

_STREAM_RUNNER = """
import io, os, sys, threading
_PRELUDE = compile({prelude!r}, "prelude.py", "exec")
_CODE = compile({source!r}, "solution.py", "exec")
_hits = 0
class {skip_name}(BaseException): pass
def run_stream(text):
    return _run(text)[0]
def count_stream(text):
    return _run(text)[1]["__steps__"].taken
def _open(number, data):
    store = os.memfd_create("stream")
    with open(store, "wb", closefd=False) as file:
        file.write(data)
    os.lseek(store, 0, os.SEEK_SET)
    os.dup2(store, number)
    return store
def _run(text):
    global _hits
    if _hits >= {hits}:
        raise {skip_name}("too many runs ran out of steps")
    kept = sys.stdin, sys.stdout
    stores = [_open(0, text.encode("utf-8", "surrogateescape")), _open(1, b"")]
    sys.stdin = io.TextIOWrapper(open(0, "rb", closefd=False), "utf-8", "surrogateescape")
    sys.stdout = out = io.TextIOWrapper(open(1, "wb", closefd=False), "utf-8", "surrogateescape")
    space = {{"__name__": "__main__"}}
    try:
        exec(_PRELUDE, space)
        exec(_CODE, space)
        for thread in threading.enumerate():
            if thread is not threading.current_thread() and not thread.daemon:
                thread.join()
    except SystemExit as stop:
        if stop.code not in (None, 0):
            raise RuntimeError("exit code " + str(stop.code)) from None
    except BaseException as error:
        _hits += type(error).__name__ == {limit_name!r}
        raise
    finally:
        sys.stdin, sys.stdout = kept
        try:
            out.flush()
            os.lseek(stores[1], 0, os.SEEK_SET)
            with open(stores[1], "rb", closefd=False) as file:
                written = file.read()
        finally:
            for store in stores:
                os.close(store)
    return written.decode("utf-8", "surrogateescape"), space
"""


class Answer(StrEnum):
    """How one call of a batch ended."""

    VALUE = "value"
    RAISED = "raised"
    FAILED = "failed"
    """Ended without a value: a crash, a limit, no encoding, or more steps than allowed."""
    UNKNOWN = "unknown"
    """Not run, since the program had failed too often before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchOutcome:
    """What one of our programs answered to one input."""

    answer: Answer
    output: str = ""
    """Function style: encoded value or exception. Stdin style: text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchRunner:
    """Runs programs of one task through one evaluator.

    With `isolated` set every input gets a process of its own, for tasks whose reference behaves otherwise in a batch.
    """

    candidate: Candidate
    evaluator: Evaluator
    """Function style, unless isolated."""
    isolated: bool = False
    shuffled: bool = False
    """Whether the evaluator runs the inputs in another order than they're given."""

    def run(
        self,
        source: str,
        inputs: Sequence[str],
        *,
        entry_point: str = "",
        limit: int = UNCOUNTED,
        max_hits: int = MAX_LIMIT_HITS,
    ) -> tuple[BatchOutcome, ...]:
        """Return one outcome per input, in order; all of them failed when the source doesn't parse.

        Args:
            entry_point: what to call instead of the task's entry point; then the task's preamble doesn't run either,
                since its code could make a solver fail.
            limit: steps that one call may take.
            max_hits: calls that may run out of steps before the rest is left unknown.

        Raises:
            SandboxError: the sandbox failed.
        """
        return self._answer(self._program(source, entry_point, limit=limit, max_hits=max_hits, counted=False), inputs)

    def run_many(
        self,
        sources: Sequence[str],
        inputs: Sequence[str],
        *,
        entry_point: str = "",
        limit: int = UNCOUNTED,
    ) -> tuple[tuple[BatchOutcome, ...], ...]:
        """Return what `run` returns for each of the sources, in order.

        Programs that can't disturb each other share processes. When one of them ends such a process or meets a
        limit in it, it's run alone, and those after it share a process again.

        Raises:
            SandboxError: the sandbox failed.
        """
        found: dict[int, tuple[BatchOutcome, ...]] = {}
        waiting: list[tuple[int, Program]] = []
        for place, source in enumerate(sources):
            program = self._program(source, entry_point, limit=limit, max_hits=MAX_LIMIT_HITS, counted=False)
            if program is None or not inputs or not self._may_share(source):
                found[place] = self._answer(program, inputs)
            else:
                waiting.append((place, program))
        size = max(1, min(GROUP_SIZE, GROUP_CHARS // max(1, sum(map(len, inputs)))))
        while waiting:
            group = waiting[:size]
            answers = self._run_group([program for _, program in group], inputs)
            alone = group[len(answers) : len(answers) + 1] if answers else group
            answers += [self._answer(program, inputs) for _, program in alone]
            found |= zip((place for place, _ in group), answers, strict=False)
            waiting = waiting[len(answers) :]
        return tuple(found[place] for place in range(len(sources)))

    def count_steps(self, source: str, inputs: Sequence[str], *, limit: int) -> tuple[int | None, ...]:
        """Return the steps that each call takes, None for calls that fail or take more than ``limit``.

        The steps of an isolated stream can't be told from its output; a share of the limit stands for those that end.

        Raises:
            SandboxError: the sandbox failed.
        """
        if self.isolated and self.candidate.style is TaskStyle.STDIN:
            outcomes = self.run(source, inputs, limit=limit, max_hits=len(inputs))
            return tuple(limit // _ISOLATED_SHARE if one.answer is Answer.VALUE else None for one in outcomes)
        program = self._program(source, "", limit=limit, max_hits=len(inputs), counted=True)
        if program is None:
            return (None,) * len(inputs)
        return tuple(
            int(one.output) if one is not None and one.state is State.OK and one.output.isdigit() else None
            for one in self._evaluate(program, inputs)
        )

    def _program(self, source: str, entry_point: str, *, limit: int, max_hits: int, counted: bool) -> Program | None:
        """Return the instrumented program, None when the source doesn't parse."""
        try:
            instrumented = instrument_source(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        prelude = make_prelude(limit=limit, max_hits=max_hits)
        signature = self.candidate.signature
        if self.candidate.style is not TaskStyle.STDIN:
            assert signature is not None
            wrapper = "__counted__" if counted else "__bounded__"
            entry = f"{wrapper}({entry_point or signature.entry_point})"
            preamble = "" if entry_point else signature.preamble
            return Program(source=instrumented, entry_point=entry, preamble=f"{preamble}\n{prelude}")
        if self.isolated:
            return Program(source=instrumented, preamble=prelude)
        runner = _STREAM_RUNNER.format(
            prelude=prelude, source=instrumented, hits=max_hits, skip_name=STEP_SKIP, limit_name=STEP_LIMIT
        )
        return Program(source=runner, entry_point="count_stream" if counted else "run_stream")

    def _may_share(self, source: str) -> bool:
        if self.isolated or self.shuffled:
            return False
        preamble = self.candidate.signature.preamble if self.candidate.signature else ""
        return all(is_contained(text, self.candidate.style) for text in (preamble, source))

    def _run_group(self, programs: Sequence[Program], inputs: Sequence[str]) -> list[tuple[BatchOutcome, ...]]:
        """Return the outcomes of the first programs, up to one that met a limit or ended the process."""
        if len(programs) < 2:
            return []
        calls = [*self._calls(inputs), END_CALL] * len(programs)
        joined = join_programs(programs, len(inputs))
        outcomes = self.evaluator.evaluate(joined, calls, isolate=False, cpu_s=BATCH_CPU_S)
        answers = []
        for place in range(len(programs)):
            *mine, end = outcomes[place * (len(inputs) + 1) :][: len(inputs) + 1]
            if end.state is not State.OK or any(one.state in _ENDS_BATCH for one in mine):
                break
            answers.append(tuple(map(self._read, mine)))
        return answers

    def _answer(self, program: Program | None, inputs: Sequence[str]) -> tuple[BatchOutcome, ...]:
        if program is None:
            return (BatchOutcome(answer=Answer.FAILED),) * len(inputs)
        return tuple(self._read(outcome) for outcome in self._evaluate(program, inputs))

    def _evaluate(self, program: Program, inputs: Sequence[str]) -> Sequence[CaseOutcome | None]:
        if not inputs:
            return ()
        if self.isolated:
            return self.evaluator.evaluate(program, inputs, isolate=True, cpu_s=BATCH_CPU_S)
        outcomes = self.evaluator.evaluate(program, self._calls(inputs), isolate=False, cpu_s=BATCH_CPU_S)
        return _blank_repeats(outcomes)

    def _calls(self, inputs: Sequence[str]) -> list[str]:
        is_stream = self.candidate.style is TaskStyle.STDIN
        return [encode_call((text,), {}) for text in inputs] if is_stream else list(inputs)

    def _read(self, outcome: CaseOutcome | None) -> BatchOutcome:
        if outcome is None or (outcome.state is State.RE and STEP_SKIP in outcome.detail):
            return BatchOutcome(answer=Answer.UNKNOWN)
        if outcome.state is not State.OK:
            return BatchOutcome(answer=Answer.FAILED)
        if self.candidate.style is not TaskStyle.STDIN:
            raised = outcome.output.startswith('{"$raises":')
            return BatchOutcome(answer=Answer.RAISED if raised else Answer.VALUE, output=outcome.output)
        text = outcome.output if self.isolated else _decode_stream(outcome.output)
        if text is None:
            return BatchOutcome(answer=Answer.FAILED)
        return BatchOutcome(answer=Answer.VALUE, output=text)


def _decode_stream(output: str) -> str | None:
    """Return the text that a stream runner returned, None for an exception."""
    try:
        text = decode_text(output)
    except EncodingError:
        return None
    return text if isinstance(text, str) else None


_ENDS_BATCH = (State.TLE_CPU, State.TLE_WALL, State.MLE, State.OLE, State.DLE, State.PLE, State.POLICY)


def _blank_repeats(outcomes: Sequence[CaseOutcome]) -> tuple[CaseOutcome | None, ...]:
    """Return the outcomes with None for all after the first that ended the whole process."""
    ended = False
    kept: list[CaseOutcome | None] = []
    for outcome in outcomes:
        kept.append(None if ended else outcome)
        ended = ended or outcome.state in _ENDS_BATCH
    return tuple(kept)
