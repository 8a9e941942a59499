"""The backend under test, and the one-line way to run Python source in it."""

from collections.abc import Callable

import pytest

from sandbox.backends.nsjail import NsjailBackend
from sandbox.backends.process import ProcessBackend
from sandbox.backends.rootfs import PYTHON
from sandbox.base import Job, Outcome, Run
from schemas.limits import Limits

RunSource = Callable[..., Outcome]


@pytest.fixture(scope="session")
def backend(request: pytest.FixtureRequest) -> ProcessBackend:
    """The process backend with everything this machine offers; its sibling where a test asks for that."""
    made = NsjailBackend() if getattr(request, "param", "process") == "nsjail" else ProcessBackend()
    capability = made.probe()
    if not capability.available:
        pytest.skip(capability.reason)
    return made


@pytest.fixture(scope="session")
def full_backend(backend: ProcessBackend) -> ProcessBackend:
    """The same, where the kernel enforces every limit."""
    if backend.probe().degraded:
        pytest.skip(f"not every limit can be enforced: {backend.probe().reason}")
    return backend


@pytest.fixture(scope="session")
def watched_backend() -> ProcessBackend:
    """The process backend in its degraded mode."""
    made = ProcessBackend(use_cgroups=False)
    if not made.probe().available:
        pytest.skip(made.probe().reason)
    return made


@pytest.fixture
def run_source(backend: ProcessBackend) -> RunSource:
    """Return how a Python program ends; keywords are limits, and ``stdin`` and ``files``."""

    def run(
        source: str,
        *,
        stdin: bytes = b"",
        files: dict[str, bytes] | None = None,
        on: ProcessBackend = backend,
        **limits: float,
    ) -> Outcome:
        job = Job(limits=Limits(**{"wall_s": 60.0, **limits}), files=files or {})
        with on.open(job) as session:
            return session.run(Run(argv=(PYTHON, "-I", "-S", "-c", source), stdin=stdin))

    return run
