"""The ``process`` backend: namespaces, a system call filter and a cgroup around one process tree.

The default of a fresh machine: needs neither root nor a daemon. Without a cgroup it still runs and says that memory
and processes aren't enforced; without user namespaces (and without root) it says why it can't. Method: own; measured
in docs/sandbox.md.
"""

import subprocess
import sys
from functools import cached_property
from pathlib import Path

from sandbox.backends.bubblewrap import BubblewrapJail, find_bubblewrap, list_sandbox_arguments
from sandbox.backends.caretaker import start_caretaker
from sandbox.backends.cgroups import Hierarchy, detect_hierarchy, reap_groups
from sandbox.backends.entry import Entry, detect_privilege
from sandbox.backends.identity import Identity
from sandbox.backends.jail import Jail
from sandbox.backends.launch import Plan, limit_user, pick_sandbox_user, pick_slot_user
from sandbox.backends.leftovers import reap_folders, remove_folder
from sandbox.backends.meter import Meter
from sandbox.backends.probed import ProbedBackend
from sandbox.backends.rootfs import PYTHON
from sandbox.backends.scopes import detect_scopes
from sandbox.backends.session import ProcessSession
from sandbox.backends.staging import check_mounts, stage_files
from sandbox.backends.watchdog import Watchdog
from sandbox.base import ALL_LIMITS, Capability, Job, Outcome, Run, State
from sandbox.seccomp import load_filter
from sandbox.seccomp.policy import resolve_policy
from schemas.errors import SandboxError
from schemas.limits import Limits

_COUNTED = ("memory", "processes")
_PROBE_LIMITS = Limits(cpu_s=4, wall_s=20, memory_mb=256, disk_mb=8, processes=16)
_FIXES = (
    ("No permissions to create", "allow user namespaces: sysctl user.max_user_namespaces=15000"),
    ("setting up uid map", "let AppArmor allow them: sysctl kernel.apparmor_restrict_unprivileged_userns=0"),
    ("Creating new namespace failed", "run on a host or in a container that may create namespaces, or as root"),
)


class ProcessBackend(ProbedBackend):
    """See `sandbox.base.Backend`.

    Args:
        use_cgroups: False leaves the kernel's counters aside even where they can be had, and is then degraded.
    """

    name = "process"
    isolation = "process"

    def __init__(self, *, use_cgroups: bool = True) -> None:
        super().__init__()
        self._use_cgroups = use_cgroups
        self._privilege = detect_privilege()

    def open(self, job: Job) -> ProcessSession:
        """Return a session.

        Raises:
            SandboxError: a file or mount of the job can't be laid out, or its filter isn't known.
        """
        if self._hierarchy is not None and (parents := self._hierarchy.parents()):
            start_caretaker(parents)
        check_mounts(job.mounts)
        resolve_policy(job.limits.syscall_filter, network=job.limits.network, language=job.language)
        stage = stage_files(job.files, disk_mb=job.limits.disk_mb) if job.files else None
        try:
            jail = self.make_jail(job, stage, self._make_entry(job, stage))
        except SandboxError:
            if stage is not None:
                remove_folder(stage)
            raise
        plan = Plan(limits=job.limits, env=job.env, jail=jail, make_meter=self._make_meter)
        identity = Identity(backend=self.name, isolation=self.isolation, limits_enforced=self._enforced)
        return ProcessSession(plan, identity, stage=stage)

    @cached_property
    def _hierarchy(self) -> Hierarchy | None:
        """Where cgroups are made; looked for once, after removing what dead owners left."""
        reap_folders()
        hierarchy = (detect_hierarchy() or detect_scopes()) if self._use_cgroups else None
        if hierarchy is not None:
            reap_groups(hierarchy)
        return hierarchy

    @property
    def _enforced(self) -> tuple[str, ...]:
        if self._hierarchy is not None:
            return ALL_LIMITS
        return tuple(name for name in ALL_LIMITS if name not in _COUNTED)

    def find_version(self) -> str:
        """Return name and version of the tool.

        Raises:
            OSError, SubprocessError: it can't be run.
        """
        command = [str(find_bubblewrap()), "--version"]
        return subprocess.run(command, env={}, capture_output=True, text=True, timeout=20, check=True).stdout.strip()

    def make_jail(self, job: Job, stage: Path | None, entry: Entry) -> Jail:
        """Return what starts the programs of a session.

        Args:
            stage: folder with the files of the job.

        Raises:
            SandboxError: the tool can't hold the filter here.
        """
        limits = job.limits
        return BubblewrapJail(
            arguments=list_sandbox_arguments(limits, job.mounts, stage=stage, privilege=entry.privilege),
            syscall_filter=load_filter(limits.syscall_filter, network=limits.network, language=job.language),
            entry=entry,
        )

    def _make_entry(self, job: Job, stage: Path | None) -> Entry:
        kernel_counts = self._hierarchy is not None
        return Entry(
            staged=stage is not None,
            privilege=self._privilege,
            pick_user=pick_sandbox_user if kernel_counts else pick_slot_user,
            processes=None if kernel_counts else limit_user(job.limits),
        )

    def _make_meter(self, limits: Limits) -> Meter:
        if self._hierarchy is None:
            return Watchdog(memory_mb=limits.memory_mb, processes=limits.processes + 1)
        # The tool's own two processes are counted as well; the watchdog sees the one of them that is inside.
        return self._hierarchy.make(memory_mb=limits.memory_mb, processes=limits.processes + 2)

    def _try_out(self) -> Capability:
        try:
            version = self.find_version()
            with self.open(Job(limits=_PROBE_LIMITS)) as session:
                outcome = session.run(Run(argv=(PYTHON, "-I", "-S", "-c", "import sys; print(sys.version)")))
        except (SandboxError, OSError, subprocess.SubprocessError) as error:
            return self._unavailable(str(error))
        if outcome.state is not State.OK:
            return self._unavailable(explain_failure(outcome))
        if outcome.stdout.decode().strip() != sys.version.strip():
            return self._unavailable(f"another Python runs inside: {outcome.stdout!r}, not {sys.version!r}")
        how = self._hierarchy.label if self._hierarchy else "no cgroup, so memory and processes are only watched"
        return Capability(
            backend=self.name,
            available=True,
            reason=f"{version} as {self._privilege}, {how}",
            isolation=self.isolation,
            version=version,
            limits_enforced=self._enforced,
        )


def explain_failure(outcome: Outcome) -> str:
    """Return why a trial run failed, and what to do about it where that is known."""
    words = outcome.stderr.decode(errors="replace").strip() or outcome.detail or f"it ended as {outcome.state}"
    fixes = [fix for sign, fix in _FIXES if sign in words]
    return f"{words}; {fixes[0]}" if fixes else words
