"""What a build will read, run and ask: no key, no network, nothing written.

Behind `taskfoundry plan` and `validate`; the checks are also the first step of `build`, so that what can be known to
be wrong is said before hours of work. Method: own; figures are upper estimates, and say so.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from pathlib import Path

from rich.console import Console

from mutators.registry import OPERATORS as MUTATIONS
from mutators.rewriting import OPERATORS as REWRITINGS
from pipelines.funnel import plain_table
from sandbox.backends import BACKENDS, LEVELS
from sandbox.packages import find_configured
from sandbox.seccomp import load_filter
from schemas.config import (
    BankSource,
    Config,
    CuratedSource,
    EvolveSource,
    RepositorySource,
    Sandbox,
    Source,
    TopicsSource,
)
from schemas.errors import ConfigError, SandboxError, suggest_name
from schemas.rejection import Rejection
from schemas.store import ContentStore
from seeds.banks.reading import check_bank, read_bank_items
from seeds.benchmarks import read_benchmark
from seeds.curated import check_curated, read_curated_items
from seeds.models import open_client
from seeds.repositories import check_repository
from seeds.topics import build_request, list_topics

_CHARS_PER_TOKEN = 4
_REWRITING_PROMPT_CHARS = 6000
_PROGRAMS_PER_TASK = 100
"""Programs that proving one function task starts: reference, stub, solvers and mutants."""
_EXPLOITS_PER_TASK = 100
"""Programs that the battery starts on one task, at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePlan:
    """What one source will take; numbers are upper estimates, None is unknown before reading."""

    source: str
    kind: str
    records: int | None
    programs: int | None
    """Programs to run in sandboxes."""
    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What the whole run will take."""

    sources: tuple[SourcePlan, ...]
    benchmark_items: int
    packages: tuple[str, ...]
    """What Python solutions may import beside the standard library."""
    mode: str
    """How models are asked: ``live``, ``replay`` or ``off``."""
    cost_usd: float
    """Upper estimate from the prices in the config, before stored replies are counted off."""


def _check_sandbox(section: Sandbox) -> None:
    if section.backend != "auto":
        BACKENDS.get(section.backend)
    if section.min_isolation not in LEVELS:
        raise ConfigError(
            f"sandbox.min_isolation is {section.min_isolation!r}.{suggest_name(section.min_isolation, LEVELS)}"
        )
    for limits in (section.limits, section.suite_limits):
        try:
            load_filter(limits.syscall_filter, network=limits.network == "host")
        except SandboxError as error:
            raise ConfigError(f"sandbox: syscall_filter is {limits.syscall_filter!r}: {error}") from error


def _check_source(source: Source, base_dir: Path) -> None:
    if isinstance(source, BankSource):
        check_bank(source, base_dir)
    elif isinstance(source, CuratedSource):
        check_curated(source, base_dir)
    elif isinstance(source, RepositorySource):
        check_repository(source, base_dir)
        for name in source.operators:
            MUTATIONS.get(name)
    elif isinstance(source, TopicsSource):
        list_topics(source, base_dir)
    else:
        for name in source.operators:
            REWRITINGS.get(name)


def check_config(config: Config, base_dir: Path) -> None:
    """Check that everything the config names is there, without reading it.

    Raises:
        ConfigError: a file, a format, an operator, a sandbox or the recorded replies are missing or unknown.
    """
    _check_sandbox(config.sandbox)
    find_configured(config.sandbox, base_dir)
    for source in config.sources:
        try:
            _check_source(source, base_dir)
        except ConfigError as error:
            place = "" if repr(source.name) in str(error) else f"source {source.name!r}: "
            raise ConfigError(f"{place}{error}") from error
    for section in config.benchmarks:
        next(iter(read_benchmark(section, base_dir)), None)
    open_client(config.model, ContentStore("memory://taskfoundry-plan"), base_dir)
    if config.store:
        ContentStore(config.store)


def _count_exploits(records: int, config: Config) -> int:
    return ceil(config.prove.exploits.share * records) * _EXPLOITS_PER_TASK


def _count_programs(records: int, config: Config) -> int:
    return records * _PROGRAMS_PER_TASK + _count_exploits(records, config)


def _plan_bank(section: BankSource, base_dir: Path, config: Config) -> SourcePlan:
    records = sum(1 for _ in read_bank_items(section, base_dir)) if section.path else None
    if records is not None and section.limit:
        records = min(records, section.limit)
    programs = None if records is None else _count_programs(records, config)
    return SourcePlan(source=section.name, kind=section.kind, records=records, programs=programs)


def _plan_curated(section: CuratedSource, base_dir: Path, config: Config) -> SourcePlan:
    records = sum(1 for _ in read_curated_items(section, base_dir))
    programs = _count_programs(records, config)
    return SourcePlan(source=section.name, kind=section.kind, records=records, programs=programs)


def _plan_repository(section: RepositorySource, _: Path, config: Config) -> SourcePlan:
    runs = (section.max_candidates + 1) * config.prove.repeats + _count_exploits(section.max_candidates, config)
    return SourcePlan(source=section.name, kind=section.kind, records=section.max_candidates, programs=runs)


def _plan_topics(section: TopicsSource, base_dir: Path, config: Config) -> SourcePlan:
    topics = list_topics(section, base_dir)
    good = [topic for topic in topics if not isinstance(topic, Rejection)]
    chars = sum(len(message.content) for topic in good for message in build_request(topic, 0).messages)
    requests = len(good) * section.samples
    return SourcePlan(
        source=section.name,
        kind=section.kind,
        records=requests + len(topics) - len(good),
        programs=_count_programs(requests, config),
        requests=requests,
        tokens_in=chars * section.samples // _CHARS_PER_TOKEN,
        tokens_out=requests * config.model.max_tokens,
    )


def _plan_evolve(section: EvolveSource, _: Path, config: Config) -> SourcePlan:
    return SourcePlan(
        source=section.name,
        kind=section.kind,
        records=section.count,
        programs=_count_programs(section.count, config),
        requests=section.count,
        tokens_in=section.count * _REWRITING_PROMPT_CHARS // _CHARS_PER_TOKEN,
        tokens_out=section.count * config.model.max_tokens,
    )


_PLANNERS: dict[type, Callable[[Source, Path, Config], SourcePlan]] = {
    BankSource: _plan_bank,  # type: ignore[dict-item]  # each planner takes the section it's filed under
    CuratedSource: _plan_curated,  # type: ignore[dict-item]
    RepositorySource: _plan_repository,  # type: ignore[dict-item]
    TopicsSource: _plan_topics,  # type: ignore[dict-item]
    EvolveSource: _plan_evolve,  # type: ignore[dict-item]
}


def make_plan(config: Config, base_dir: Path) -> Plan:
    """Return what a build will take.

    Raises:
        ConfigError: what `check_config` raises.
    """
    check_config(config, base_dir)
    sources = tuple(_PLANNERS[type(source)](source, base_dir, config) for source in config.sources)
    items = sum(1 for section in config.benchmarks for _ in read_benchmark(section, base_dir))
    asked = [source for source in sources if source.requests]
    cost_in = sum(source.tokens_in for source in asked) * config.model.usd_per_mtok_in
    cost_out = sum(source.tokens_out for source in asked) * config.model.usd_per_mtok_out
    packages = find_configured(config.sandbox, base_dir)
    return Plan(
        sources=sources,
        packages=packages.names if packages else (),
        benchmark_items=items,
        mode=config.model.mode,
        cost_usd=(cost_in + cost_out) / 1e6 if config.model.mode == "live" else 0.0,
    )


def print_plan(plan: Plan, console: Console) -> None:
    """Print the plan."""
    table = plain_table("Plan (upper estimates)", ("source", "kind"))
    for name in ("records", "programs", "requests", "tokens in", "tokens out"):
        table.add_column(name, justify="right", no_wrap=True)
    for source in plan.sources:
        numbers = (source.records, source.programs, source.requests, source.tokens_in, source.tokens_out)
        table.add_row(source.source, source.kind, *("?" if number is None else str(number) for number in numbers))
    console.print(table)
    console.print("\nprograms are those that run in sandboxes; requests and tokens are those of models")
    console.print(f"benchmark items to stay clear of: {plan.benchmark_items}")
    if plan.packages:
        console.print(f"packages that Python solutions may import: {', '.join(plan.packages)}", markup=False)
    console.print(f"models: {plan.mode}; at most {plan.cost_usd:.2f} USD by the prices in the config")
