"""The ``gvisor`` backend: gVisor's own kernel between the programs and the host's, without a daemon.

``runsc`` runs a bundle of ours in the foreground, inside a cgroup of ours, since it's told to leave cgroups alone. A
session is one sandbox whose process 1 is the program that is talked to. Method: own; options and figures in
docs/backends.md.
"""

import shutil
import subprocess
from functools import cached_property

from sandbox.backends.caretaker import start_caretaker
from sandbox.backends.cgroups import Hierarchy, detect_hierarchy, reap_groups
from sandbox.backends.container.settings import count_memory, count_processes
from sandbox.backends.entry import Privilege, detect_privilege
from sandbox.backends.forked import with_runner
from sandbox.backends.gvisor_bundle import describe_bundle, make_root, write_bundle
from sandbox.backends.gvisor_partner import GvisorPartner
from sandbox.backends.gvisor_platform import choose_slowdown, detect_platform
from sandbox.backends.identity import Identity
from sandbox.backends.layout import Bind, describe_layout
from sandbox.backends.leftovers import make_folder, name_owned, reap_folders
from sandbox.backends.partner_session import PartnerSession
from sandbox.backends.probed import PROBE_LIMITS, ProbedBackend, try_conversation
from sandbox.backends.staging import check_mounts
from sandbox.base import ALL_LIMITS, Capability, Job, Run
from schemas.errors import SandboxError


class GvisorBackend(ProbedBackend):
    """See `sandbox.base.Backend`.

    Args:
        runsc: path of the binary; ``None`` looks for it.
        platform: how gVisor takes system calls; empty takes ``systrap`` where the binary knows it, else ``ptrace``.
        slowdown: what the time limits of a run are multiplied by; ``None`` takes `PTRACE_SLOWDOWN` under ``ptrace``,
            and 1 otherwise.
    """

    name = "gvisor"
    isolation = "gvisor"

    def __init__(self, *, runsc: str | None = None, platform: str = "", slowdown: float | None = None) -> None:
        super().__init__()
        self._slowdown = slowdown
        self._binary = runsc or shutil.which("runsc")
        self._asked = platform

    def open(self, job: Job) -> "GvisorSession":
        """Return a session.

        Raises:
            SandboxError: gVisor isn't there, or the job asks for what it can't give.
        """
        job = with_runner(job)
        check_mounts(job.mounts)
        if job.limits.network:
            raise SandboxError("gvisor gives no network; use another backend for jobs that need it")
        start_caretaker(self._hierarchy.parents())
        identity = Identity(
            backend=self.name,
            isolation=self.isolation,
            limits_enforced=ALL_LIMITS,
            slowdown=self.slowdown,
            is_clocked_outside=True,
        )
        return GvisorSession(job, identity, self)

    @property
    def slowdown(self) -> float:
        """What the time limits of a run are multiplied by."""
        return choose_slowdown(self._platform) if self._slowdown is None else self._slowdown

    @property
    def command(self) -> tuple[str, ...]:
        """How ``runsc`` is called, up to its subcommand, without the place of its state."""
        if self._binary is None:
            raise SandboxError("runsc isn't installed (Debian: runsc)")
        options = ("--network=none", "--ignore-cgroups", f"--platform={self._platform}", "--oci-seccomp")
        return (self._binary, *options)

    @cached_property
    def _platform(self) -> str:
        if self._asked or self._binary is None:
            return self._asked
        return detect_platform(self._binary)

    @cached_property
    def _hierarchy(self) -> Hierarchy:
        """Where cgroups are made; looked for once, after removing what dead owners left."""
        reap_folders()
        hierarchy = detect_hierarchy()
        if hierarchy is None:
            raise SandboxError("no cgroup can be made here, and gVisor limits neither memory nor processes by itself")
        reap_groups(hierarchy)
        return hierarchy

    def start(self, job: Job, identity: Identity, run: Run) -> GvisorPartner:
        """Return a started sandbox with the program as its process 1.

        Raises:
            SandboxError: it can't be started.
        """
        layout = describe_layout(network=False)
        shown = (Bind(source=layout.etc, target="/etc"), *layout.binds)
        binds = (*shown, *(Bind(source=mount.source, target=mount.target) for mount in job.mounts))
        config = describe_bundle(job, binds, run.argv, run.env)
        root = make_root(layout, binds)
        folder = make_folder()
        write_bundle(folder, config, root)
        name = name_owned()
        command = [*self.command, "--root", str(folder / "state"), "run", "--bundle", str(folder), name]
        meter = self._hierarchy.make(
            memory_mb=count_memory(job.limits, gvisor=True),
            processes=count_processes(job.limits, gvisor=True),
        )
        return GvisorPartner(command, limits=job.limits, identity=identity, meter=meter, folder=folder)

    def _try_out(self) -> Capability:
        try:
            if self._binary is None:
                return self._unavailable("runsc isn't installed (Debian: runsc)")
            if detect_privilege() is not Privilege.ROOT:
                return self._unavailable("gVisor without root isn't supported here; run as root")
            version = subprocess.run(
                [self._binary, "--version"], env={}, capture_output=True, text=True, timeout=30, check=True
            ).stdout.split("\n")[0]
            with self.open(Job(limits=PROBE_LIMITS)) as session:
                try_conversation(session)
        except (SandboxError, OSError, subprocess.SubprocessError) as error:
            return self._unavailable(str(error))
        return Capability(
            backend=self.name,
            available=True,
            reason=f"{version}, {self._platform}, time limits x {self.slowdown:g}, {self._hierarchy.label}",
            isolation=self.isolation,
            version=version,
            limits_enforced=ALL_LIMITS,
            slowdown=self.slowdown,
        )


class GvisorSession(PartnerSession):
    """See `sandbox.base.Session`. Conversations may go on in several threads at once."""

    def __init__(self, job: Job, identity: Identity, backend: GvisorBackend) -> None:
        super().__init__(job, identity)
        self._backend = backend

    def _start_partner(self, run: Run) -> GvisorPartner:
        return self._backend.start(self._job, self._identity, run)
