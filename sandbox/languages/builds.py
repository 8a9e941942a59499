"""Builds of programs: in a sandbox of their own, once per content, with what the compiler said when it refused.

A build runs on the backend that will run the program, with limits of its own, so hostile source meets the same walls.
Only regular files come out. Method: own.
"""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field

from sandbox.answers import Answer, classify_end
from sandbox.backends.rootfs import DEFAULT_ENV
from sandbox.base import Backend, Job, State
from sandbox.inside.requests import collecting, program_task
from sandbox.languages.recipes import Recipe, Toolchain
from sandbox.masking import mask_addresses
from sandbox.runner import ForkServer
from schemas.canonical import canonical_json
from schemas.limits import Limits

BUILD_LIMITS = Limits(cpu_s=30, wall_s=120, memory_mb=2048, disk_mb=512, stdin_mb=16, stdout_mb=4, processes=256)
"""Limits of every build, whatever the program's own are."""
MESSAGE_CHARS = 4000
"""Characters kept of what the compiler said."""
_ARTEFACT_BYTES = 256 * 2**20
_KEPT = 64
_KEPT_BYTES = 256 * 2**20
"""A program with a large array in it is as large: so many bytes of builds are kept together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """What a build led to."""

    files: Mapping[str, bytes] = field(default_factory=dict)
    """Content of the artefacts, by path relative to ``/work``."""
    failure: str = ""
    """What the compiler said when it refused, at most `MESSAGE_CHARS`."""

    @property
    def size(self) -> int:
        """Bytes of all artefacts."""
        return sum(map(len, self.files.values()))


class BuildCache:
    """Builds by content, the last ones used; safe to use from several threads."""

    def __init__(self) -> None:
        self._built: OrderedDict[str, Built] = OrderedDict()
        self._lock = threading.Lock()

    def build(self, backend: Backend, language: str, toolchain: Toolchain, recipe: Recipe) -> Built:
        """Return the build of a recipe, from memory if it was there before.

        Raises:
            SandboxError: the sandbox failed; nothing is said about the program.
        """
        key = _digest(language, toolchain, recipe)
        with self._lock:
            if key in self._built:
                self._built.move_to_end(key)
                return self._built[key]
        built = build(backend, language, toolchain, recipe)
        with self._lock:
            self._built[key] = built
            while len(self._built) > _KEPT or sum(each.size for each in self._built.values()) > _KEPT_BYTES:
                self._built.popitem(last=False)
        return built


def build(backend: Backend, language: str, toolchain: Toolchain, recipe: Recipe) -> Built:
    """Return what a fresh build leads to.

    Raises:
        SandboxError: the sandbox failed; nothing is said about the program.
    """
    task = program_task(
        recipe.build,
        {**DEFAULT_ENV, "TMPDIR": "/work", "LC_ALL": "C.UTF-8", **toolchain.env},
        cpu_s=BUILD_LIMITS.cpu_s,
        wall_s=BUILD_LIMITS.wall_s,
        output_bytes=int(BUILD_LIMITS.stdout_mb * 2**20),
    )
    mounts = (*toolchain.mounts, *toolchain.build_mounts)
    job = Job(limits=BUILD_LIMITS, mounts=mounts, env=toolchain.env, language=f"{language}-build")
    with ForkServer.open(backend, job) as server:
        server.lay(recipe.files)
        answer = server.ask(collecting(task, recipe.artefacts, _ARTEFACT_BYTES))
    failure = _describe_failure(answer)
    return Built(failure=failure) if failure else Built(files=dict(answer.collected))


def _describe_failure(answer: Answer) -> str:
    end = classify_end(answer, BUILD_LIMITS, BUILD_LIMITS.cpu_s)
    if end.state is State.OK:
        return "" if answer.collected else "the build left no program"
    said = (answer.stderr or answer.stdout).decode("utf-8", "replace").strip()
    if end.state is not State.RE:
        said = f"the build ended as {end.state.value}: {end.detail}\n{said}"
    return mask_addresses(said or end.detail)[:MESSAGE_CHARS]


def _digest(language: str, toolchain: Toolchain, recipe: Recipe) -> str:
    files = {path: hashlib.sha256(content).hexdigest() for path, content in recipe.files.items()}
    described = [language, toolchain.version, dict(toolchain.env), files, recipe.build, recipe.artefacts]
    return hashlib.sha256(canonical_json(described).encode()).hexdigest()
