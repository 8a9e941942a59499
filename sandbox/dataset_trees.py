"""Judges of the repository tasks of a dataset folder: the trees come from it, environments from the cache.

Stands between a row and `RepositoryJudge`, for `taskfoundry verify` and for rewards. Environments aren't in a dataset:
they come from the cache, or are installed again. Method: own.
"""

import re
import shutil
import tarfile
import tempfile
import threading
from contextlib import ExitStack
from pathlib import Path

from sandbox.base import Backend
from sandbox.clean_suites import USUAL_REPEATS, CleanSuite, CleanSuiteFinder
from sandbox.closing import Closing
from sandbox.environments import BASE_PACKAGES
from sandbox.repository_judging import RepositoryJudge
from sandbox.trees import extract_within
from schemas.artifact_paths import environment_path, tree_path
from schemas.candidate import RepositoryMutation
from schemas.errors import SchemaError, SeedError
from schemas.limits import Limits
from schemas.proven import Proven
from schemas.snapshot import Snapshot

_Key = tuple[str, str, Limits]
_DIGEST = re.compile(r"[0-9a-f]{1,128}")


class DatasetTrees(Closing):
    """Judges of the trees of one dataset, each made once per thread; safe from several threads.

    Args:
        folder: the dataset.
        cache: folder of environments.
    """

    def __init__(self, folder: Path, backend: Backend, cache: Path) -> None:
        self._folder = folder
        self._backend = backend
        self._cache = cache
        self._suites: dict[_Key, tuple[Snapshot, CleanSuite]] = {}
        self._own = threading.local()
        self._lock = threading.Lock()
        self._open = ExitStack()
        self._scratch: Path | None = None

    def close(self) -> None:
        """Close what stayed open between tasks; idempotent."""
        self._open.close()

    def judge_of(self, task: Proven) -> RepositoryJudge:
        """Return this thread's judge of a task's tree: a judge's sandbox serves one caller at a time.

        Raises:
            SeedError: the suite can't be used here, or only in another environment than the row's.
            SandboxError: the sandbox failed.
        """
        mutation = task.candidate.mutation
        if mutation is None:
            raise SchemaError(f"{task.candidate.record_id} is no repository task")
        judges: dict[_Key, RepositoryJudge] = self._own.__dict__.setdefault("judges", {})
        key = _key_of(task, mutation)
        if key not in judges:
            with self._lock:
                if key not in self._suites:
                    self._suites[key] = self._find_suite(task, mutation)
                snapshot, clean = self._suites[key]
                judges[key] = RepositoryJudge(snapshot, clean, self._backend, limits=task.evidence.limits)
                self._open.callback(judges[key].close)
        return judges[key]

    def open_tree(self, task: Proven) -> tuple[RepositoryJudge, Snapshot, CleanSuite]:
        """Return the judge of a task's tree, the healthy tree and its suite; raises as `judge_of`."""
        judge = self.judge_of(task)
        assert task.candidate.mutation is not None
        return judge, *self._suites[_key_of(task, task.candidate.mutation)]

    def _find_suite(self, task: Proven, mutation: RepositoryMutation) -> tuple[Snapshot, CleanSuite]:
        """Return the tree of the dataset and its healthy suite, in the environment of the row where it can be had."""
        snapshot = self._restore(task, mutation)
        listed = self._read(environment_path(mutation.environment_digest)).decode("utf-8")
        names = {line.partition("==")[0] for line in listed.splitlines() if not line.startswith("#")}
        finder = CleanSuiteFinder(
            snapshot,
            self._backend,
            self._cache,
            limits=task.evidence.limits,
            install=not names <= set(BASE_PACKAGES),
        )
        clean = finder.find(task.evidence.repeats or USUAL_REPEATS)  # a ground truth doesn't tell
        if clean.environment.digest != mutation.environment_digest:
            raise SeedError(
                f"the environment here is {clean.environment.digest[:12]}, the row's is "
                f"{mutation.environment_digest[:12]}: other versions of Python or packages",
                reason="other_environment",
            )
        return snapshot, clean

    def _read(self, path: str) -> bytes:
        try:
            return (self._folder / path).read_bytes()
        except OSError as error:
            raise SeedError(f"{self._folder}: {path} can't be read: {error}", reason="missing_artifact") from error

    def _restore(self, task: Proven, mutation: RepositoryMutation) -> Snapshot:
        if self._scratch is None:
            self._scratch = Path(tempfile.mkdtemp(prefix="taskfoundry-trees-"))
            self._scratch.chmod(0o755)
            self._open.callback(shutil.rmtree, self._scratch, ignore_errors=True)
        place = self._scratch / mutation.tree_digest
        place.mkdir(exist_ok=True)
        (place / "tree.tar").write_bytes(self._read(tree_path(mutation.tree_digest)))
        try:
            with tarfile.open(place / "tree.tar") as archive:
                extract_within(archive, place / "tree", keeps_links_within=True)
        except (tarfile.TarError, OSError) as error:
            path = self._folder / tree_path(mutation.tree_digest)
            raise SeedError(f"{path} can't be unpacked: {error}", reason="broken_artifact") from error
        return Snapshot(
            name=mutation.repository,
            url=mutation.url,
            commit=mutation.base_commit,
            tree_digest=mutation.tree_digest,
            license=task.candidate.source.license,
            folder=place,
        )


def _key_of(task: Proven, mutation: RepositoryMutation) -> _Key:
    """Return what tasks share a judge by: a row with other limits must not change the verdicts on the others.

    Raises:
        SchemaError: a digest is none, so that it could lead to any path.
    """
    digests = (mutation.tree_digest, mutation.environment_digest)
    if not all(_DIGEST.fullmatch(digest) for digest in digests):
        raise SchemaError(f"{task.candidate.record_id} names its tree and environment by no digests: {digests!r:.200}")
    return *digests, task.evidence.limits
