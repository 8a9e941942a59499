"""The suite of a healthy tree: how it's called, in which environment, and which of its tests can be trusted.

Runs before any mutant of a repository. The environment ladder stops at the first rung on which the suite works, so
a repository without requirements needs no network. Three runs over hash seed, order and time zone then tell the stable
tests from those whose result or id varies. Method: own.
"""

import configparser
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sandbox.base import Backend, State
from sandbox.environments import Environment, build_environment
from sandbox.judging import Perturbation
from sandbox.requirement_ladder import declared_requirements, missing_requirements
from sandbox.suite_results import BAD_OUTCOMES, SuiteRun
from sandbox.suites import SuitePlan, SuiteRunner
from schemas.errors import SeedError
from schemas.limits import Limits
from schemas.snapshot import Snapshot, is_test_path

MAX_FAILING_SHARE = 0.2
"""A healthy tree may fail this share of its tests; they are left out. More says that the environment is wrong."""
USUAL_REPEATS = 3
"""Runs of a suite where nobody says how many."""
MAX_RETRIES = 5
CONFIG_NAMES = ("pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")
PERTURBATIONS = (
    Perturbation(hash_seed=0, time_zone="UTC", order_seed=0),
    Perturbation(hash_seed=17, time_zone="Asia/Kathmandu", order_seed=101),
    Perturbation(hash_seed=4242, time_zone="America/St_Johns", order_seed=202),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanSuite:
    """What the healthy tree's suite showed."""

    plan: SuitePlan
    environment: Environment
    stable: tuple[str, ...]
    """Ids that passed in every run, sorted."""
    unstable: tuple[str, ...]
    """Ids whose result or existence varied between the runs, sorted."""
    failing: tuple[str, ...]
    """Ids that failed in every run, sorted; no task rests on them."""
    test_files: tuple[str, ...]
    """Trusted files: tests, their data, and the pinned configuration."""
    cpu_s: float
    """CPU seconds of the slowest run."""


def perturbations(repeats: int) -> tuple[Perturbation, ...]:
    """Return that many perturbations; the first is none at all."""
    more = [
        Perturbation(hash_seed=5000 + number, time_zone="UTC", order_seed=300 + number)
        for number in range(len(PERTURBATIONS), repeats)
    ]
    return (*PERTURBATIONS, *more)[:repeats]


def trusted_files(tree: Path) -> tuple[str, ...]:
    """Return the sorted paths that are restored before judging: tests, ``conftest.py`` and pytest configuration."""
    paths = [place.relative_to(tree).as_posix() for place in tree.rglob("*") if place.is_file()]
    return tuple(sorted(path for path in paths if is_test_path(path) or path in CONFIG_NAMES))


def find_plan(tree: Path) -> SuitePlan:
    """Return how pytest finds its configuration and the code of a tree, by its files alone."""
    config = next((name for name in CONFIG_NAMES if _configures_pytest(tree / name)), "")
    paths = [path for path in ("src", "lib") if (tree / path).is_dir() and not (tree / path / "__init__.py").exists()]
    return SuitePlan(config_path=config, import_paths=(*paths, ""))


def _configures_pytest(path: Path) -> bool:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    if path.name == "pyproject.toml":
        try:
            tool = tomllib.loads(text).get("tool", {})
        except tomllib.TOMLDecodeError:
            return False
        return isinstance(tool, dict) and "pytest" in tool
    section = {"tox.ini": "pytest", "setup.cfg": "tool:pytest"}.get(path.name, "pytest")
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return False
    return path.name.endswith("pytest.ini") or parser.has_section(section)


class CleanSuiteFinder:
    """Climbs the ladder for one snapshot.

    Args:
        limits: of one run of the suite.
        install: whether requirements may be fetched from a package index.
    """

    def __init__(self, snapshot: Snapshot, backend: Backend, cache: Path, *, limits: Limits, install: bool) -> None:
        self._snapshot = snapshot
        self._backend = backend
        self._cache = cache
        self._limits = limits
        self._install = install
        self._tar = snapshot.tar.read_bytes()
        self._runners: dict[tuple[SuitePlan, str], SuiteRunner] = {}

    def find(self, repeats: int = USUAL_REPEATS) -> CleanSuite:
        """Return the healthy suite.

        Raises:
            SeedError: ``repository_without_tests``, ``missing_dependency``, ``install_failed``, ``suite_too_slow``,
                ``suite_fails_on_clean_checkout`` or ``suite_crashes``; the message names the tests.
            SandboxError: the sandbox failed.
        """
        try:
            plan, environment, first = self._climb()
            runner = self._runner(plan, environment)
            runs = [first, *(runner.run({}, perturbation=each) for each in perturbations(repeats)[1:])]
        finally:
            while self._runners:
                self._runners.popitem()[1].close()
        for run in runs:
            self._require_end(run)
        return self._compare(runs, plan, environment)

    def _runner(self, plan: SuitePlan, environment: Environment) -> SuiteRunner:
        key = (plan, environment.digest)
        if key not in self._runners:
            self._runners[key] = SuiteRunner(self._backend, environment, self._tar, plan=plan, limits=self._limits)
        return self._runners[key]

    def _try(self, plan: SuitePlan, requirements: Sequence[str]) -> tuple[SuitePlan, Environment, SuiteRun]:
        environment = build_environment(requirements, self._cache)
        run = self._runner(plan, environment).run({})
        if run.exit_code in {3, 4} and not plan.drop_addopts:
            bare = replace(plan, drop_addopts=True)
            second = self._runner(bare, environment).run({})
            if second.exit_code not in {3, 4}:
                return bare, environment, second
        return plan, environment, run

    def _climb(self) -> tuple[SuitePlan, Environment, SuiteRun]:
        """Return the first rung on which the suite works, or the last one tried."""
        plan = find_plan(self._snapshot.tree)
        requirements: tuple[str, ...] = ()
        plan, environment, run = self._try(plan, requirements)
        if _is_healthy(run):
            return plan, environment, run
        declared = declared_requirements(self._snapshot.tree)
        for _ in range(MAX_RETRIES):
            wanted = tuple(sorted({*requirements, *declared, *self._missing(run)}))
            if wanted == requirements or not self._install:
                break
            requirements = wanted
            plan, environment, run = self._try(plan, requirements)
            if _is_healthy(run):
                break
        self._require_end(run)
        self._require_modules(run)
        return plan, environment, run

    def _missing(self, run: SuiteRun) -> tuple[str, ...]:
        messages = [*(item.message for item in run.broken_modules), *(item.message for item in run.results), run.said]
        tree = self._snapshot.tree
        own = {
            place.stem for folder in (tree, tree / "src", tree / "lib", tree / "tests") for place in folder.glob("*")
        }
        return missing_requirements(messages, own)

    def _require_modules(self, run: SuiteRun) -> None:
        missing = self._missing(run)
        if missing and (run.broken_modules or run.exit_code not in {0, 1}):
            why = "nothing provides them" if self._install else "the source's `install` is false"
            raise SeedError(
                f"{self._snapshot.name}: the suite needs {', '.join(missing)}; {why}", reason="missing_dependency"
            )

    def _require_end(self, run: SuiteRun) -> None:
        name = self._snapshot.name
        if run.state in {State.TLE_CPU, State.TLE_WALL}:
            raise SeedError(
                f"{name}: the healthy suite runs past {self._limits.cpu_s:g} CPU seconds or"
                f" {self._limits.wall_s:g} s{' in ' + run.running if run.running else ''}",
                reason="suite_too_slow",
            )
        if run.state is not State.OK:
            raise SeedError(
                f"{name}: the healthy suite doesn't come to its end: {run.detail}; {run.said[-400:]}",
                reason="suite_crashes",
            )
        if run.exit_code in {2, 3, 4} and not run.results:
            self._require_modules(run)
        if run.exit_code == 5 or (not run.collected and not run.broken_modules and run.exit_code != 4):
            raise SeedError(f"{name}: pytest finds no tests", reason="repository_without_tests")
        if run.exit_code in {2, 3, 4}:
            broken = ", ".join(f"{item.node_id}: {item.message[-160:]}" for item in run.broken_modules[:5])
            raise SeedError(
                f"{name}: pytest can't start on a clean checkout: {broken or run.said[-400:]}",
                reason="suite_fails_on_clean_checkout",
            )

    def _compare(self, runs: Sequence[SuiteRun], plan: SuitePlan, environment: Environment) -> CleanSuite:
        outcomes = [run.outcomes for run in runs]
        known = sorted({node_id for each in outcomes for node_id in each})
        tests = set(trusted_files(self._snapshot.tree))
        known = [node_id for node_id in known if node_id.split("::", 1)[0] in tests]
        alike = [node_id for node_id in known if len({each.get(node_id) for each in outcomes}) == 1]
        unstable = sorted(set(known) - set(alike))
        failing = [node_id for node_id in alike if outcomes[0][node_id] in BAD_OUTCOMES]
        failing += sorted({module.node_id for run in runs for module in run.broken_modules})
        stable = [node_id for node_id in alike if outcomes[0][node_id] == "passed"]
        if not stable or len(failing) > MAX_FAILING_SHARE * (len(failing) + len(stable)):
            if not failing and not unstable:
                raise SeedError(
                    f"{self._snapshot.name}: no test passes on a clean checkout, all are skipped",
                    reason="repository_without_tests",
                )
            named = ", ".join((failing or unstable)[:10])
            raise SeedError(
                f"{self._snapshot.name}: {len(failing)} of {len(known)} tests fail on a clean checkout: {named}",
                reason="suite_fails_on_clean_checkout",
            )
        return CleanSuite(
            plan=replace(plan, targets=tuple(sorted({node_id.split("::", 1)[0] for node_id in stable}))),
            environment=environment,
            stable=tuple(stable),
            unstable=tuple(unstable),
            failing=tuple(failing),
            test_files=tuple(sorted(tests)),
            cpu_s=max(run.cpu_s for run in runs),
        )


def _is_healthy(run: SuiteRun) -> bool:
    return run.state is State.OK and run.exit_code in {0, 5} and not run.broken_modules
