"""The ``gvisor`` backend: gVisor's own kernel between the programs and the host's, without a daemon.

``runsc`` runs a bundle of ours in the foreground, inside a cgroup of ours, since it's told to leave cgroups alone. A
session is one sandbox whose process 1 is the program that is talked to. Method: own; options and figures in
docs/backends.md.
"""

import shutil
import subprocess
import threading
from functools import cached_property

from sandbox.backends.caretaker import start_caretaker
from sandbox.backends.cgroups import Hierarchy, detect_hierarchy, reap_groups
from sandbox.backends.container.conversation import Conversation
from sandbox.backends.container.layout import Bind, describe_layout
from sandbox.backends.container.settings import count_memory, count_processes
from sandbox.backends.entry import Privilege, detect_privilege
from sandbox.backends.forked import ForkedSession, with_runner
from sandbox.backends.gvisor_bundle import describe_bundle, make_root, write_bundle
from sandbox.backends.gvisor_partner import GvisorPartner
from sandbox.backends.identity import Identity
from sandbox.backends.leftovers import make_folder, name_owned, reap_folders
from sandbox.backends.rootfs import PYTHON
from sandbox.backends.staging import check_mounts
from sandbox.base import ALL_LIMITS, Capability, Job, Run
from schemas.errors import SandboxError
from schemas.limits import Limits

_PROBE_S = 20.0
_PROBE_LIMITS = Limits(cpu_s=10, wall_s=20, memory_mb=256, disk_mb=8, processes=16)
_PROBE = (
    "import os, sys; print(f'{os.getpid()} {os.getuid()} {os.access(chr(47), os.W_OK)}', end='', flush=True);"
    "sys.stdin.read()"
)
_EXPECTED = b"1 65534 False"


class GvisorBackend:
    """See `sandbox.base.Backend`.

    Args:
        runsc: path of the binary; ``None`` looks for it.
        platform: how gVisor takes system calls; empty takes ``systrap`` where the binary knows it, else ``ptrace``.
    """

    name = "gvisor"
    isolation = "gvisor"

    def __init__(self, *, runsc: str | None = None, platform: str = "") -> None:
        self._binary = runsc or shutil.which("runsc")
        self._asked = platform
        self._probing = threading.Lock()
        self._capability: Capability | None = None

    def probe(self) -> Capability:
        """Return what works here, after running a program; the answer is cached."""
        with self._probing:
            if self._capability is None:
                self._capability = self._try_out()
            return self._capability

    def open(self, job: Job) -> "GvisorSession":
        """Return a session.

        Raises:
            SandboxError: gVisor isn't there, or the job asks for what it can't give.
        """
        job = with_runner(job)
        check_mounts(job.mounts)
        if job.limits.network:
            raise SandboxError("gvisor gives no network; use another backend for jobs that need it")
        if any(mount.writable for mount in job.mounts):
            raise SandboxError("gvisor gives read-only mounts; use the process backend for writable ones")
        start_caretaker(self._hierarchy.parents())
        return GvisorSession(
            job, Identity(backend=self.name, isolation=self.isolation, limits_enforced=ALL_LIMITS), self
        )

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
        flags = subprocess.run([self._binary, "flags"], env={}, capture_output=True, text=True, timeout=10, check=False)
        return "systrap" if "systrap" in flags.stdout + flags.stderr else "ptrace"

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
                [self._binary, "--version"], env={}, capture_output=True, text=True, timeout=10, check=True
            ).stdout.split("\n")[0]
            with self.open(Job(limits=_PROBE_LIMITS)) as session:
                channel = session.converse(Run(argv=(PYTHON, "-I", "-S", "-c", _PROBE)))
                said = channel.receive_exact(len(_EXPECTED), deadline_s=_PROBE_S)
        except (SandboxError, OSError, subprocess.SubprocessError) as error:
            return self._unavailable(str(error))
        if said != _EXPECTED:
            return self._unavailable(f"a sandbox isn't set up as asked: {said!r}, not {_EXPECTED!r}")
        return Capability(
            backend=self.name,
            available=True,
            reason=f"{version}, {self._platform}, {self._hierarchy.label}",
            isolation=self.isolation,
            version=version,
            limits_enforced=ALL_LIMITS,
        )

    def _unavailable(self, reason: str) -> Capability:
        return Capability(backend=self.name, available=False, reason=reason, isolation=self.isolation)


class GvisorSession(ForkedSession):
    """See `sandbox.base.Session`. Conversations may go on in several threads at once."""

    def __init__(self, job: Job, identity: Identity, backend: GvisorBackend) -> None:
        super().__init__(job, identity)
        self._backend = backend
        self._lock = threading.Lock()
        self._is_closed = False
        self._channels: list[Conversation] = []

    def converse(self, run: Run) -> Conversation:
        """Return a channel to a started program, which is process 1 inside; see `sandbox.base.Session.converse`."""
        channel = Conversation(self._backend.start(self._job, self._identity, run))
        with self._lock:
            is_refused = self._is_closed
            if not is_refused:
                self._channels.append(channel)
        if is_refused:
            channel.close()
            raise SandboxError("the session is closed")
        return channel

    def close(self) -> None:
        """Kill every sandbox and remove every trace; idempotent."""
        with self._lock:
            self._is_closed = True
            channels, self._channels = self._channels, []
        for channel in channels:
            channel.close()
        super().close()
