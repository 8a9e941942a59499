"""Where a backend rightly gives another verdict than the corpus states, each with its reason."""

from dataclasses import dataclass

from tests.sandbox.corpus.behaviours import Behaviour


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One behaviour on some backends in some languages."""

    behaviour: str
    backends: tuple[str, ...]
    languages: tuple[str, ...]
    verdicts: frozenset[str]
    """All that may come out; more than one where two limits are met at about the same time."""
    reason: str


_GVISOR = ("gvisor", "gvisor-docker")
_CALL_PER_LINE = (
    "the language writes every line with a system call of its own, which takes so much processor time under ptrace that "
    "the limit of that comes before the limit of output"
)
DIFFERENCES: tuple[Difference, ...] = (
    *(
        Difference(
            behaviour=behaviour,
            backends=_GVISOR,
            languages=("java", "rust", "go"),
            verdicts=frozenset({"OLE", "TLE_CPU"}),
            reason=_CALL_PER_LINE,
        )
        for behaviour in ("flood", "endless_output")
    ),
)


def list_verdicts(behaviour: Behaviour, language: str, backend: str) -> frozenset[str]:
    """Return the verdicts that are right in one cell."""
    for one in DIFFERENCES:
        if one.behaviour == behaviour.name and backend in one.backends and language in one.languages:
            return one.verdicts
    return frozenset({behaviour.verdict_in(language)})
