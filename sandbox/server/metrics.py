"""What the service counts, for Prometheus. Method: own, over prometheus_client."""

from collections.abc import Callable, Iterable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from sandbox.pool import PoolCounts

_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)


class Metrics:
    """The numbers of one service, in a registry of its own.

    Args:
        pool: gives the counts of the pool.
        queue: gives the requests at work and waiting.
        sessions: gives the sessions of remote clients that are open.
    """

    def __init__(
        self, pool: Callable[[], PoolCounts], queue: Callable[[], tuple[int, int]], sessions: Callable[[], int]
    ) -> None:
        self._registry = CollectorRegistry()
        self.requests = Counter(
            "taskfoundry_requests", "Requests by endpoint and answer", ("endpoint", "answer"), registry=self._registry
        )
        self.seconds = Histogram(
            "taskfoundry_request_seconds",
            "Seconds from a request to its answer, waiting included",
            ("endpoint",),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self.audit_lost = Gauge(
            "taskfoundry_audit_lines_lost", "Lines that the audit log could not be given", registry=self._registry
        )
        self._registry.register(_Levels(pool, queue, sessions))

    def render(self) -> bytes:
        """Return everything in Prometheus's text format."""
        return generate_latest(self._registry)


class _Levels(Collector):
    """Reads levels when they are asked for."""

    def __init__(
        self, pool: Callable[[], PoolCounts], queue: Callable[[], tuple[int, int]], sessions: Callable[[], int]
    ) -> None:
        self._pool, self._queue, self._sessions = pool, queue, sessions

    def collect(self) -> Iterable[Metric]:
        """Return the levels of this moment."""
        counts = self._pool()
        working, waiting = self._queue()
        levels = {
            "working": ("Requests at work", working),
            "waiting": ("Requests that wait", waiting),
            "sessions": ("Open sessions of remote clients", self._sessions()),
            "sandboxes_ready": ("Warm sandboxes", counts.ready),
            "sandbox_hits": ("Sandboxes that were warm when asked for", counts.hits),
            "sandbox_misses": ("Sandboxes that had to be started when asked for", counts.misses),
            "sandbox_start_failures": ("Sandboxes that could not be started ahead", counts.failures),
        }
        for name, (words, value) in levels.items():
            yield GaugeMetricFamily(f"taskfoundry_{name}", words, value=value)
