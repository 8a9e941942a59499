"""The ``container`` backend: one container of Docker or Podman around one process tree.

Process 1 of the container is the program that is talked to, so a session with a fork server in it is a warm container
in which every case is one ``fork``. With ``runtime="runsc"`` the same containers run on gVisor's kernel. Method: own;
options and figures in docs/backends.md.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from sandbox.backends.container.engine import Engine, find_socket
from sandbox.backends.container.image import pack_image
from sandbox.backends.container.partner import Confinement
from sandbox.backends.container.session import ContainerSession, Plan
from sandbox.backends.container.settings import LABEL, describe_host, is_gvisor, list_mounts
from sandbox.backends.forked import with_runner
from sandbox.backends.gvisor_platform import choose_slowdown, read_platform
from sandbox.backends.identity import Identity
from sandbox.backends.layout import Layout, describe_layout
from sandbox.backends.leftovers import is_orphan, reap_folders
from sandbox.backends.probed import PROBE_LIMITS, ProbedBackend, try_conversation
from sandbox.backends.staging import check_mounts
from sandbox.base import ALL_LIMITS, Capability, Job
from schemas.errors import SandboxError

_INSTALL = {
    "docker": "install it (Debian: docker.io) and start its daemon, or give base_url=",
    "podman": "install it (Debian: podman) and run `podman system service --time=0`, or give base_url=",
}


class ContainerBackend(ProbedBackend):
    """See `sandbox.base.Backend`.

    Args:
        engine: ``docker``, which falls back to a running Podman, or ``podman``.
        base_url: the engine's socket; ``None`` looks at the usual places.
        runtime: the engine's name of an OCI runtime; empty takes its default. ``runsc`` is gVisor.
        image: name of an image that brings its own ``/usr`` and a Python at ``PYTHON``; empty makes one from the host.
        name: what outcomes call the backend; ``None`` derives it.
        slowdown: what the time limits of a run are multiplied by; ``None`` takes `PTRACE_SLOWDOWN` where gVisor's
            platform is ``ptrace``, and 1 otherwise.
    """

    def __init__(
        self,
        *,
        engine: str = "docker",
        base_url: str | None = None,
        runtime: str = "",
        image: str = "",
        name: str | None = None,
        slowdown: float | None = None,
    ) -> None:
        super().__init__()
        self._slowdown = slowdown
        gvisor = is_gvisor(runtime)
        self._engine_name, self._base_url, self._runtime, self._image = engine, base_url, runtime, image
        self.isolation = "gvisor" if gvisor else "container"
        self.name = name or (f"gvisor-{engine}" if gvisor else {"docker": "container"}.get(engine, engine))

    def open(self, job: Job) -> ContainerSession:
        """Return a session.

        Raises:
            SandboxError: no engine answers, a mount of the job can't be made, or its filter isn't known.
        """
        job = with_runner(job)
        check_mounts(job.mounts)
        layout: Layout | None = None if self._image else describe_layout(network=job.limits.network)
        engine = self._engine
        image = engine.ensure_image(pack_image(layout)) if layout else self._image
        host = describe_host(
            job,
            binds=list_mounts(layout, job.mounts),
            runtime=self._runtime,
            is_podman=engine.is_podman,
        )
        gvisor = is_gvisor(self._runtime)
        identity = Identity(
            backend=self.name,
            isolation=self.isolation,
            limits_enforced=ALL_LIMITS,
            slowdown=self.slowdown,
            is_clocked_outside=gvisor,
        )
        confinement = Confinement(limits=job.limits, identity=identity, gvisor=gvisor)
        return ContainerSession(engine, job, Plan(image=image, host=host, confinement=confinement))

    @cached_property
    def slowdown(self) -> float:
        """What the time limits of a run are multiplied by.

        Raises:
            SandboxError: no engine answers.
        """
        if self._slowdown is not None or not is_gvisor(self._runtime):
            return self._slowdown or 1.0
        runtimes = self._engine.describe().get("Runtimes") or {}
        return choose_slowdown(read_platform(runtimes.get(self._runtime) or {}))

    @cached_property
    def _engine(self) -> Engine:
        """The engine, once one was found and what dead owners left there is removed."""
        url = self._base_url or find_socket(self._engine_name)
        if url is None:
            raise SandboxError(f"no {self._engine_name} answers: {_INSTALL[self._engine_name]}")
        engine = Engine(url)
        reap_folders()
        reap_containers(engine)
        return engine

    def _try_out(self) -> Capability:
        try:
            info = self._engine.describe()
            refusal = self._refuse(info)
            if refusal:
                return self._unavailable(refusal)
            with self.open(Job(limits=PROBE_LIMITS)) as session:
                try_conversation(session)
        except SandboxError as error:
            return self._unavailable(str(error))
        version = str(info.get("ServerVersion", ""))
        parts = (self._runtime or info.get("DefaultRuntime", ""), info.get("Driver", ""), info.get("CgroupDriver", ""))
        return Capability(
            backend=self.name,
            available=True,
            reason=f"{self._engine.base_url}, {version}, {', '.join(filter(None, parts))}",
            isolation=self.isolation,
            version=version,
            limits_enforced=ALL_LIMITS,
            slowdown=self.slowdown,
        )

    def _refuse(self, info: Mapping[str, Any]) -> str:
        """Return why an engine that answers is of no use, or nothing."""
        if info.get("Driver") == "vfs":
            return "its storage driver vfs copies the image for every container; use overlay2 or fuse-overlayfs"
        if self._runtime and self._runtime not in (info.get("Runtimes") or {}):
            return (
                f"the engine has no runtime {self._runtime!r}; install it (Debian: runsc) and name it under "
                '"runtimes" in daemon.json with runtimeArgs --network=none --platform=ptrace --oci-seccomp'
            )
        return ""


def reap_containers(engine: Engine) -> int:
    """Remove the containers of owners that are gone, and return how many that were.

    Raises:
        SandboxError: the engine doesn't answer.
    """
    orphans = [container for container, owner in engine.list_labelled(LABEL).items() if is_orphan(owner)]
    for container in orphans:
        engine.remove(container)
    return len(orphans)
