"""The matrix: every attack in every language on every backend that is asked for, one after the other. Method: own."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from sandbox.attacks.bait import Bait, lay_out_bait
from sandbox.attacks.base import Attack, Cell
from sandbox.attacks.catalogue import ATTACKS
from sandbox.attacks.traces import PATIENCE_S, adopting_orphans
from sandbox.attacks.trials import Stage
from sandbox.backends import BACKENDS
from sandbox.backends.container.backend import ContainerBackend
from sandbox.backends.container.engine import Engine, find_socket
from sandbox.base import Backend, Capability

CONTAINERS = {"container": ("docker", ""), "podman": ("podman", ""), "gvisor-docker": ("docker", "runsc")}
"""Backends that make containers: their engine and its runtime."""


@dataclass(slots=True, kw_only=True)
class Column:
    """What one backend was found to be, and its cells."""

    capability: Capability
    toolchains: dict[str, str] = field(default_factory=dict)
    """Versions of the languages that ran."""
    cells: list[Cell] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """What is to be tried."""

    backends: Sequence[str]
    languages: Sequence[str]
    attacks: Sequence[Attack] = ATTACKS
    sockets: dict[str, str] = field(default_factory=dict)
    """Sockets of container engines by engine (``docker``, ``podman``); the usual places where there is none."""
    patience_s: float = PATIENCE_S
    """How long after the end of a sandbox something of it may be left."""

    def run(self) -> Iterator[tuple[Column, Cell]]:
        """Yield every cell as soon as it is known, with the column that it has been added to."""
        with adopting_orphans(), lay_out_bait() as bait:
            for name in self.backends:
                backend, engine = self._make(name)
                column = Column(capability=replace(backend.probe(), backend=name))
                for language in self.languages:
                    for cell in self._try_language(column, backend, language, bait, engine):
                        column.cells.append(cell)
                        yield column, cell

    def _make(self, name: str) -> tuple[Backend, Engine | None]:
        if name not in CONTAINERS:
            return BACKENDS.get(name).make(), None
        engine, runtime = CONTAINERS[name]
        url = self.sockets.get(engine) or find_socket(engine)
        backend = ContainerBackend(engine=engine, base_url=url, runtime=runtime)
        return backend, Engine(url) if url and backend.probe().available else None

    def _try_language(
        self, column: Column, backend: Backend, language: str, bait: Bait, engine: Engine | None
    ) -> Iterator[Cell]:
        stage = Stage.prepare(
            column.capability, backend, language, bait=bait, engine=engine, patience_s=self.patience_s
        )
        if isinstance(stage, Cell):
            yield from (replace(stage, attack=attack.name) for attack in self.attacks)
            return
        column.toolchains[language] = stage.toolchain
        yield from map(stage.attack, self.attacks)
