"""Which sites become mutants when there are far more than can be run.

Files take turns, inside a file its functions, inside a function the operator that was used least so far; so that even a
few mutants differ from one another. Only what is picked gets compiled. The pick depends on the contents, the seed
and the record id, never on the order in which files arrive. Method: own.
"""

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from random import Random

from mutators.sites import Site, SurveyedFile
from mutators.verification import MutantCheck
from schemas.canonical import rng_for


def select_sites(files: Sequence[SurveyedFile], *, limit: int, run_seed: int, record_id: str) -> tuple[Site, ...]:
    """Return at most ``limit`` sites whose mutants compile and differ from the original, in the order of picking.

    A smaller limit gives a prefix of what a larger one gives.
    """
    chosen: list[Site] = []
    used: Counter[str] = Counter()
    turns = deque(
        _FileTurns(file, rng_for(run_seed, record_id, f"mutate:{file.path}"), used)
        for file in _shuffled(sorted(files, key=lambda file: file.path), rng_for(run_seed, record_id, "mutate"))
    )
    while turns and len(chosen) < limit:
        turn = turns.popleft()
        site = turn.take()
        if site is not None:
            chosen.append(site)
            used[site.operator] += 1
            turns.append(turn)
    return tuple(chosen)


def _shuffled(files: list[SurveyedFile], rng: Random) -> list[SurveyedFile]:
    rng.shuffle(files)
    return files


class _FileTurns:
    """The sites of one file, handed out one scope after the other."""

    def __init__(self, file: SurveyedFile, rng: Random, used: Counter[str]) -> None:
        self._check = MutantCheck(file.source)
        self._used = used
        grouped: dict[str, dict[str, list[Site]]] = {}
        for site in file.sites:
            grouped.setdefault(site.scope, {}).setdefault(site.operator, []).append(site)
        scopes = sorted(grouped)
        rng.shuffle(scopes)
        self._scopes = deque(_ScopeTurns(grouped[scope], rng) for scope in scopes)

    def take(self) -> Site | None:
        """Return the next site that passes the check; None when there is none left."""
        while self._scopes:
            scope = self._scopes.popleft()
            for site in scope.candidates(self._used):
                if self._check.accepts(site.edits):
                    self._scopes.append(scope)
                    return site
        return None


class _ScopeTurns:
    """The sites of one function, by operator."""

    def __init__(self, by_operator: dict[str, list[Site]], rng: Random) -> None:
        self._left = by_operator
        self._rank = {name: rng.random() for name in sorted(by_operator)}
        self._taken: Counter[str] = Counter()
        for name in sorted(by_operator):
            rng.shuffle(by_operator[name])

    def candidates(self, used: Counter[str]) -> Iterator[Site]:
        """Yield the sites left, those of the least used operator first; what is yielded is gone."""
        while self._left:
            name = min(
                self._left,
                key=lambda name: (used[name] + self._taken[name], self._rank[name]),
            )
            site = self._left[name].pop()
            if not self._left[name]:
                del self._left[name]
            self._taken[name] += 1
            yield site
