"""One trial: a hostile program in a fresh sandbox, then what it left, then an honest program.

Programs go the way of solutions: the evaluators of `sandbox.languages.LANGUAGES` build and run them. Method: own.
"""

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from sandbox.attacks.bait import Bait
from sandbox.attacks.base import LIMITS, WAITING_LIMITS, Attack, Cell, Verdict
from sandbox.attacks.traces import PATIENCE_S, find_traces, wait_until_gone
from sandbox.backends.container.engine import Engine
from sandbox.base import Backend, Capability, State
from sandbox.judging import CaseOutcome, EvaluatorFactory, Program
from sandbox.languages import ENDINGS, LANGUAGES
from schemas.candidate import TaskStyle
from schemas.errors import ConfigError, SandboxError

PROGRAMS = Path(__file__).parent / "programs"
EXTENSIONS = {**ENDINGS, "typescript": ENDINGS["javascript"]}
"""Of the programs; those for TypeScript are the JavaScript ones, which the compiler checks and translates."""
HONEST = "honest\n"
_ANSWER = "still here\n"
_REASON_CHARS = 300


@cache
def read_program(language: str) -> Program:
    """Return the hostile program of a language."""
    return Program(source=(PROGRAMS / f"attack.{EXTENSIONS[language]}").read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One language on one backend."""

    capability: Capability
    """Of the backend."""
    language: str
    factory: EvaluatorFactory
    waiting: EvaluatorFactory
    """With `WAITING_LIMITS`."""
    bait: Bait
    engine: Engine | None = None
    """The engine whose containers the backend makes."""
    patience_s: float = PATIENCE_S
    """How long after the end something may be left."""

    @classmethod
    def prepare(
        cls,
        capability: Capability,
        backend: Backend,
        language: str,
        *,
        bait: Bait,
        engine: Engine | None = None,
        patience_s: float = PATIENCE_S,
    ) -> "Stage | Cell":
        """Return a stage on which an honest program has run, or why there can't be one.

        Args:
            capability: what the backend's probe said.
        """
        absent = Cell(attack="", backend=capability.backend, language=language, verdict=Verdict.ABSENT, reason="")
        if not capability.available:
            return replace(absent, reason=capability.reason)
        try:
            factory, waiting = (
                LANGUAGES.get(language)(backend, limits, style=TaskStyle.STDIN) for limits in (LIMITS, WAITING_LIMITS)
            )
        except ConfigError as error:
            return replace(absent, reason=str(error))
        stage = cls(
            capability=capability,
            language=language,
            factory=factory,
            waiting=waiting,
            bait=bait,
            engine=engine,
            patience_s=patience_s,
        )
        complaint = stage.greet()
        return replace(absent, verdict=Verdict.WRONG, reason=complaint) if complaint else stage

    @property
    def toolchain(self) -> str:
        """What builds and runs the programs."""
        return str(getattr(self.factory, "toolchain", ""))

    def greet(self) -> str:
        """Return what is wrong with an honest program in a sandbox of its own, or nothing."""
        try:
            with self.factory.open() as evaluator:
                (outcome,) = evaluator.evaluate(read_program(self.language), [HONEST])
        except SandboxError as error:
            return f"the next program: INFRA: {error}"
        return "" if _is_answer(outcome) else f"the next program: {outcome.state.value} {outcome.detail}"

    def attack(self, attack: Attack) -> Cell:
        """Return what one attack led to."""
        if self.language in attack.left_out:
            return self._conclude(attack, Verdict.INAPPLICABLE, reason=attack.left_out[self.language])
        before = find_traces(self.engine)
        stdin = "".join(f"{line}\n" for line in (attack.called, *attack.arguments(self.bait)))
        try:
            with (self.waiting if attack.waits else self.factory).open() as evaluator:
                program = read_program(self.language)
                (outcome,) = evaluator.evaluate(program, [stdin], cpu_s=attack.cpu_s)
                (following,) = evaluator.evaluate(program, [HONEST])
        except SandboxError as error:
            return self._conclude(attack, Verdict.WRONG, state=State.INFRA.value, reason=str(error))
        left = wait_until_gone(before, self.engine, patience_s=self.patience_s)
        states = attack.states_of(self.language, self.capability.isolation)
        complaints = [
            "" if outcome.state in states else f"{outcome.state.value}: {outcome.detail}",
            attack.judge(outcome.output, self.bait, self.capability.isolation) if outcome.state is State.OK else "",
            "" if _is_answer(following) else f"the next case: {following.state.value} {following.detail}",
            f"left behind: {', '.join(left)}" if left else "",
            self.greet(),
        ]
        reason = "; ".join(filter(None, complaints))
        return self._conclude(
            attack, Verdict.WRONG if reason else Verdict.RIGHT, state=outcome.state.value, reason=reason
        )

    def _conclude(self, attack: Attack, verdict: Verdict, *, state: str = "", reason: str = "") -> Cell:
        return Cell(
            attack=attack.name,
            backend=self.capability.backend,
            language=self.language,
            verdict=verdict,
            state=state,
            reason=reason[:_REASON_CHARS],
        )


def _is_answer(outcome: CaseOutcome) -> bool:
    return outcome.state is State.OK and outcome.output == _ANSWER
