"""What judging takes and gives: programs, how they're perturbed, and what each input led to.

`Evaluator` is the one door through which the judge, the prover, the fuzzer and the probes run programs; the expected
values stay on this side of it. Method: own; the split design is measured in docs/sandbox.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

from sandbox.base import State
from schemas.candidate import Signature


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A solution to run: source text and what to call."""

    source: str
    entry_point: str = ""
    """Expression that yields the callable; empty for a stdin program."""
    preamble: str = ""
    """Imports run before the source."""
    signature: Signature | None = None
    """Types of the entry point, which other languages than Python need for function tasks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Perturbation:
    """What is varied between repeats, so that luck doesn't prove a task."""

    hash_seed: int = 0
    time_zone: str = "UTC"
    order_seed: int = 0
    """0 keeps the order of the inputs; any other value shuffles the order in which they run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseOutcome:
    """What one program did with one input."""

    state: State
    output: str = ""
    """Function style: canonical JSON of the encoded value or exception. Stdin style: standard output as text."""
    detail: str = ""
    """Exception text or limit, for people, at most 1,000 characters."""


class Evaluator(Protocol):
    """Runs programs of one trust domain (one task) in one sandbox."""

    @property
    def toolchain(self) -> str:
        """Name and version of what builds and runs the programs, for instance ``g++ 12.2.0``."""
        ...

    def evaluate(
        self,
        program: Program,
        inputs: Sequence[str],
        *,
        isolate: bool = True,
        cpu_s: float | None = None,
    ) -> tuple[CaseOutcome, ...]:
        """Return one outcome per input, in the order of the inputs.

        Args:
            inputs: encoded calls (function style) or standard inputs (stdin style).
            isolate: a fresh process per input. False runs all inputs in one fresh process and stops at the first
                that doesn't end (later ones get the same state): for programs that we made ourselves.
            cpu_s: CPU limit per input (isolated) or for all of them; None takes the job's.

        Raises:
            SandboxError: the sandbox failed (INFRA); nothing is said about the program.
        """
        ...

    def close(self) -> None:
        """Kill the sandbox; idempotent."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


class EvaluatorFactory(Protocol):
    """Opens evaluators: one language on one backend."""

    def open(self, perturbation: Perturbation = Perturbation()) -> Evaluator:
        """Return a fresh evaluator.

        Raises:
            SandboxError: no sandbox can be had.
        """
        ...
