"""What this machine can do: interpreter, sandbox levels and limits, languages, git, and whether our names are ours.

Behind `taskfoundry doctor`. Every answer comes from running something. Method: own.
"""

import shutil
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import packages_distributions
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from sandbox.backends import probe_all, select_backend
from sandbox.languages import BUILT, find_language
from sandbox.languages.python import try_packages
from sandbox.packages import find_configured
from schemas.config import Sandbox
from schemas.errors import ConfigError, SandboxError

_WHAT_WIDTH = 21
_PACKAGES = ("pipelines", "transforms", "seeds", "mutators", "schemas", "sandbox")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was looked at."""

    what: str
    good: bool
    needed: bool
    """Whether a build is impossible without it."""
    says: str


def _check_names() -> Finding:
    owners = packages_distributions()
    foreign = sorted(
        f"{name} ({', '.join(sorted(set(owners[name]) - {'taskfoundry'}))})"
        for name in _PACKAGES
        if set(owners.get(name, [])) - {"taskfoundry"}
    )
    says = f"also owned by: {'; '.join(foreign)}; uninstall these" if foreign else "owned by taskfoundry alone"
    return Finding(what="package names", good=not foreign, needed=True, says=says)


def _check_python() -> Finding:
    version = sys.version_info
    good = (3, 11) <= version[:2] < (3, 14)
    return Finding(what="python", good=good, needed=True, says=f"{sys.version.split()[0]}; 3.11 to 3.13 are supported")


def _check_git() -> Finding:
    path = shutil.which("git")
    return Finding(
        what="git", good=path is not None, needed=False, says="found" if path else "missing; repositories need it"
    )


def _check_backends() -> Iterator[Finding]:
    usable = False
    for capability in probe_all():
        says = " ".join(capability.reason.split())
        if capability.available:
            missing = ", ".join(capability.missing_limits)
            says += f"; degraded, doesn't hold: {missing}" if missing else "; holds all limits"
        usable = usable or capability.available
        yield Finding(what=f"sandbox {capability.backend}", good=capability.available, needed=False, says=says)
    says = "usable" if usable else "none works on this machine"
    yield Finding(what="a sandbox", good=usable, needed=True, says=says)


def _check_languages() -> Iterator[Finding]:
    for name in BUILT:
        try:
            version = find_language(name).find_toolchain().version
            yield Finding(what=f"language {name}", good=True, needed=False, says=version)
        except ConfigError as error:
            yield Finding(what=f"language {name}", good=False, needed=False, says=str(error))


def _check_packages(section: Sandbox, base_dir: Path) -> list[Finding]:
    """Import what a config wants imported ahead, in the sandbox that it asks for."""
    if not section.packages:
        return []
    try:
        packages = find_configured(section, base_dir)
        assert packages is not None
        backend = select_backend(section.backend, min_isolation=section.min_isolation, strict=section.strict)
        toolchain = try_packages(backend, section.limits.to_limits(), packages)
    except (ConfigError, SandboxError) as error:
        return [Finding(what="packages", good=False, needed=True, says=str(error))]
    ahead = f"; imported ahead: {', '.join(packages.preload)}" if packages.preload else "; none imported ahead"
    return [Finding(what="packages", good=True, needed=True, says=f"{toolchain}{ahead}")]


def examine(section: Sandbox | None = None, base_dir: Path = Path()) -> Iterator[Finding]:
    """Yield all findings as they are found, in the order in which a person wants to read them.

    Args:
        section: what a config asks for; its packages are tried.
        base_dir: folder that the config's relative paths start from.
    """
    yield from (_check_python(), _check_names(), _check_git())
    yield from _check_backends()
    yield from _check_languages()
    if section:
        yield from _check_packages(section, base_dir)


def print_findings(findings: Iterable[Finding], console: Console) -> bool:
    """Print the findings as they come; return whether a build is possible."""
    possible = True
    with console.status("trying what comes next; a virtual machine may take minutes the first time"):
        for finding in findings:
            bad = "[red]no[/red]" if finding.needed else "[yellow]no[/yellow]"
            row = Table.grid(padding=(0, 1))
            row.add_column(width=2)
            row.add_column(width=_WHAT_WIDTH)
            row.add_column()
            row.add_row("[green]ok[/green]" if finding.good else bad, finding.what, escape(finding.says))
            console.print(row)
            possible = possible and (finding.good or not finding.needed)
    return possible
