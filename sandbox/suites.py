"""Runs the pytest suite of a tree in a sandbox, once per mutant, on a warm interpreter.

The trusted half: it composes the files (whole, from outside), sends them to the fork server of
`sandbox/languages/python_suite.py`, and reads structured results back. One server per hash seed; a server that dies is
opened again for the next run. Method: own.
"""

import base64
import json
import secrets
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from sandbox.backends.rootfs import PYTHON
from sandbox.base import Backend, Channel, Job, Mount, Outcome, Run, Session, State
from sandbox.closing import Closing
from sandbox.environments import Environment
from sandbox.judging import Perturbation
from sandbox.suite_results import SuiteRun, read_answer
from schemas.errors import SandboxError
from schemas.limits import Limits

SITE_FOLDER = "/opt/environment"
START_TIMEOUT_S = 90.0
WALL_FLOOR_S = 60.0
"""A busy machine stretches wall time; only programs that wait for nothing come near this."""
_UNPERTURBED = Perturbation()


@dataclass(frozen=True, slots=True, kw_only=True)
class SuitePlan:
    """How pytest is called for one repository; found out on the healthy tree."""

    config_path: str = ""
    """Pinned configuration file in the tree; empty pins none."""
    import_paths: tuple[str, ...] = ("",)
    """Folders of the tree that go onto the module path; the empty text is the tree itself."""
    drop_addopts: bool = False
    """Whether the configured extra options were unusable and are left out."""
    targets: tuple[str, ...] = ()
    """Test files; empty collects what the configuration says."""

    def arguments(self, targets: Sequence[str] = ()) -> list[str]:
        """Return pytest's arguments; ``{tree}`` stands for the tree's folder."""
        config = f"{{tree}}/{self.config_path}" if self.config_path else "/dev/null"
        pinned = ["-p", "no:cacheprovider", "-c", config, "--rootdir={tree}", "-q", "--tb=no", "--color=no"]
        pinned.append("--continue-on-collection-errors")
        dropped = ["-o", "addopts=", "-o", "required_plugins="] if self.drop_addopts else []
        return [*pinned, *dropped, *(targets or self.targets)]

    def command(self) -> str:
        """Return the command that a person would type in the tree."""
        parts = ["python -m pytest -p no:cacheprovider"]
        parts.append(f"-c {self.config_path}" if self.config_path else "-c /dev/null --rootdir=.")
        if self.drop_addopts:
            parts.append("-o addopts=")
        paths = ":".join(path or "." for path in self.import_paths)
        return f"PYTHONPATH={paths} " + " ".join(parts)


@cache
def _read_scripts() -> dict[str, bytes]:
    """Return the modules of the suite server, by their place in the sandbox."""
    folder = Path(__file__).parent
    names = ("inside/guard", "inside/scratch", "languages/python_suite_child", "languages/python_suite_tree")
    return {
        "suite/server.py": (folder / "languages" / "python_suite.py").read_bytes(),
        **{f"suite/sandbox/{package}__init__.py": b"" for package in ("", "inside/", "languages/")},
        **{f"suite/sandbox/{name}.py": (folder / f"{name}.py").read_bytes() for name in names},
    }


class SuiteServer:
    """One open sandbox with a loaded pytest and a template tree."""

    def __init__(
        self, backend: Backend, environment: Environment, tree_tar: bytes, *, limits: Limits, hash_seed: int
    ) -> None:
        job = Job(
            limits=limits,
            files={**_read_scripts(), "suite/tree.tar": tree_tar},
            mounts=(Mount(source=environment.folder, target=SITE_FOLDER),),
            env={
                "PYTHONPATH": SITE_FOLDER,
                "PYTHONHASHSEED": str(hash_seed),
                "PYTHONDONTWRITEBYTECODE": "1",
                "PYTHONNOUSERSITE": "1",
            },
        )
        self._session: Session = backend.open(job)
        self._channel: Channel | None = None
        self._ended: Outcome | None = None
        try:
            argv = (PYTHON, "-S", "-s", "-P", "/work/suite/server.py", "/work/suite")
            self._channel = self._session.converse(Run(argv=argv))
            self.versions = self._receive(START_TIMEOUT_S)
        except SandboxError as error:
            outcome = self.close()
            said = outcome.stderr[-800:].decode("utf-8", "replace") if outcome else ""
            raise SandboxError(f"suite server can't start: {error} {said}".strip()) from error

    def ask(self, request: Mapping[str, object], *, deadline_s: float) -> dict[str, object]:
        """Return the answer to one request.

        Raises:
            SandboxError: the server is gone or silent; `close` tells how it ended.
        """
        if self._channel is None:
            raise SandboxError("the suite server is closed")
        nonce = secrets.token_hex(16)
        data = json.dumps({**request, "nonce": nonce}).encode("ascii")
        self._channel.send(struct.pack(">I", len(data)) + data)
        while True:  # where a test can write to the server's output, what it wrote may wait here
            answer = self._receive(deadline_s)
            if answer.pop("nonce", "") == nonce:
                return answer

    def _receive(self, deadline_s: float) -> dict[str, object]:
        if self._channel is None:
            raise SandboxError("the suite server is closed")
        (size,) = struct.unpack(">I", self._channel.receive_exact(4, deadline_s=deadline_s))
        try:
            answer = json.loads(self._channel.receive_exact(size, deadline_s=30.0))
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise SandboxError("the suite server answered nonsense")
        return answer

    def close(self) -> Outcome | None:
        """Kill the sandbox and return how the server ended; idempotent."""
        if self._channel is not None:
            self._ended = self._channel.close()
            self._channel = None
        self._session.close()
        return self._ended


class SuiteRunner(Closing):
    """Runs one tree's suite, over and over, with different files laid over it.

    Args:
        tree_tar: the template tree. For judging foreign solutions it must not hold the answer.
        limits: of one sandbox; ``cpu_s`` and ``wall_s`` hold for one run of the suite.
    """

    def __init__(
        self, backend: Backend, environment: Environment, tree_tar: bytes, *, plan: SuitePlan, limits: Limits
    ) -> None:
        self._backend = backend
        self._environment = environment
        self._tar = tree_tar
        self.plan = plan
        self.limits = limits
        self._servers: dict[int, SuiteServer] = {}

    def run(
        self,
        files: Mapping[str, bytes],
        *,
        remove: Sequence[str] = (),
        node_ids: Sequence[str] | None = None,
        targets: Sequence[str] = (),
        perturbation: Perturbation = _UNPERTURBED,
        keep_bytecode: bool = False,
        cpu_s: float | None = None,
    ) -> SuiteRun:
        """Return what the suite did with the template plus these files.

        Args:
            files: whole files by relative path; they replace or add.
            remove: paths taken away before the files are laid.
            node_ids: tests to run; None runs all that is collected.
            targets: test files to collect instead of the plan's.
            keep_bytecode: keep the bytecode of this run for later ones; only for the healthy tree.
            cpu_s: CPU seconds of this run when fewer than the runner's; the wall limit shrinks alike.

        Raises:
            SandboxError: the sandbox failed; nothing is said about the tree.
        """
        request = {
            "files": {path: base64.b64encode(data).decode("ascii") for path, data in files.items()},
            "remove": list(remove),
            "args": self.plan.arguments(targets),
            "select": None if node_ids is None else list(node_ids),
            "import_paths": list(self.plan.import_paths),
            "order_seed": perturbation.order_seed,
            "time_zone": perturbation.time_zone,
            "keep_bytecode": keep_bytecode,
            **self._run_limits(min(cpu_s or self.limits.cpu_s, self.limits.cpu_s)),
        }
        server = self._server(perturbation.hash_seed)
        try:
            answer = server.ask(request, deadline_s=self.limits.wall_s + 30.0)
        except SandboxError as error:
            del self._servers[perturbation.hash_seed]
            return _lost_run(server.close(), error)
        return read_answer(answer)

    def _run_limits(self, cpu_s: float) -> dict[str, float]:
        """Return what one run may use; the sandbox around it has room for the server too."""
        limits = self.limits
        wall_s = max(WALL_FLOOR_S, limits.wall_s * cpu_s / limits.cpu_s)
        return {"cpu_s": cpu_s, "wall_s": min(wall_s, limits.wall_s), "memory_mb": max(64, limits.memory_mb * 3 // 4)}

    def _server(self, hash_seed: int) -> SuiteServer:
        if hash_seed not in self._servers:
            self._servers[hash_seed] = SuiteServer(
                self._backend, self._environment, self._tar, limits=self._server_limits(), hash_seed=hash_seed
            )
        return self._servers[hash_seed]

    def _server_limits(self) -> Limits:
        """The server lives for many runs: its own clock limits are those of a long session."""
        limits = self.limits
        return Limits(
            cpu_s=limits.cpu_s * 10_000,
            wall_s=limits.wall_s * 10_000,
            memory_mb=limits.memory_mb + limits.disk_mb,
            disk_mb=limits.disk_mb,
            stdin_mb=limits.stdin_mb,
            stdout_mb=limits.stdout_mb,
            processes=limits.processes,
            network=False,
            syscall_filter=limits.syscall_filter,
        )

    def close(self) -> None:
        """Kill every server; idempotent."""
        for server in self._servers.values():
            server.close()
        self._servers.clear()


def _lost_run(outcome: Outcome | None, error: SandboxError) -> SuiteRun:
    """A server that the code under test took down says something about that code, unless the sandbox failed."""
    if outcome is None or outcome.state is State.INFRA:
        raise SandboxError(f"suite server lost: {error}") from error
    state = State.RE if outcome.state is State.OK else outcome.state
    return SuiteRun(state=state, detail=f"the sandbox ended during the run: {outcome.detail or error}")
