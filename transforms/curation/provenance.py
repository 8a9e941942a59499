"""Whether a candidate comes from the same place as a benchmark item.

The cheapest look of decontamination, and the only certain one. A repository counts by its name, whoever owns the copy,
since a fork holds the same code. Method: own.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from schemas.benchmark import BenchmarkItem
from schemas.candidate import Candidate

_SEPARATORS = re.compile(r"[^a-z0-9]+")
_TELLING_LETTERS = 4


def name_repository(location: str) -> str:
    """Return the bare name of a repository given by name, ``owner/name``, URL or ``local:name``, in lower case."""
    last = location.strip().rstrip("/").replace(":", "/").rsplit("/", 1)[-1]
    return last.casefold().removesuffix(".git").replace("_", "-")


def _fold(text: str) -> str:
    """Return an id or URL in lower case with one blank for every run of separators."""
    return _SEPARATORS.sub(" ", text.casefold()).strip()


def is_telling(item: BenchmarkItem) -> bool:
    """Return whether an item's id is so special that nobody else uses it by chance.

    It is when it has a number and names its benchmark (``HumanEval/12``) or its repository
    (``astropy__astropy-12907``). A bare number or a slug such as ``two-sum`` isn't.
    """
    squeezed = _fold(item.item_id).replace(" ", "")
    names = {_fold(item.benchmark).replace(" ", ""), _fold(item.benchmark).split(" ")[0]}
    names.add(_fold(item.repo).replace(" ", ""))
    named = any(len(name) >= _TELLING_LETTERS and name in squeezed for name in names)
    return named and any(sign.isdigit() for sign in squeezed)


def _is_kin(url: str, benchmark: str) -> bool:
    """Return whether a URL names the site from which a benchmark takes its problems."""
    site = _fold(url).replace(" ", "")
    return any(len(word) >= _TELLING_LETTERS and word in site for word in _fold(benchmark).split(" "))


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvenanceIndex:
    """Benchmark items by repository and by id; values are item numbers."""

    repositories: Mapping[str, tuple[int, ...]]
    ids: Mapping[str, tuple[int, ...]]
    telling: frozenset[int]
    benchmarks: tuple[str, ...]
    """Benchmark of each item."""

    @classmethod
    def build(cls, items: Iterable[BenchmarkItem]) -> "ProvenanceIndex":
        """Return the index of items in the given order."""
        ordered = tuple(items)
        repositories: defaultdict[str, list[int]] = defaultdict(list)
        ids: defaultdict[str, list[int]] = defaultdict(list)
        for number, item in enumerate(ordered):
            ids[_fold(item.item_id)].append(number)
            if item.repo:
                repositories[name_repository(item.repo)].append(number)
        return cls(
            repositories={name: tuple(numbers) for name, numbers in repositories.items()},
            ids={name: tuple(numbers) for name, numbers in ids.items()},
            telling=frozenset(number for number, item in enumerate(ordered) if is_telling(item)),
            benchmarks=tuple(item.benchmark for item in ordered),
        )

    def find(self, candidate: Candidate) -> tuple[int, ...]:
        """Return the items that are the candidate's original or share its repository, ordered.

        An id counts when it's telling, or when the candidate's URL names both the id and the benchmark's site.
        """
        found: set[int] = set()
        if candidate.mutation is not None:
            for place in (candidate.mutation.repository, candidate.mutation.url):
                found.update(self.repositories.get(name_repository(place), ()))
        source = candidate.source
        if source.original_id:
            found.update(set(self.ids.get(_fold(source.original_id), ())) & self.telling)
        if source.url:
            slug = _fold(source.url.rstrip("/").rsplit("/", 1)[-1])
            numbers = self.ids.get(slug, ())
            found.update(number for number in numbers if _is_kin(source.url, self.benchmarks[number]))
        return tuple(sorted(found))
