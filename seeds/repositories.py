"""Repositories as a source: a git address, a folder, a bundle or a source archive becomes a healthy, pinned snapshot.

Stands at the start of the road of repository tasks. Git history is used to find the commit and then left behind: a
snapshot holds no object from which the answer could be read. Method: own, on GitPython.
"""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import git
from filelock import FileLock
from git.exc import GitCommandError, InvalidGitRepositoryError, NoSuchPathError, ODBError

from schemas.canonical import digest_bytes, digest_text
from schemas.config import RepositorySource
from schemas.errors import ConfigError, SeedError, suggest_name
from schemas.snapshot import Snapshot
from seeds.repository_code import detect_license
from seeds.repository_trees import (
    ARCHIVE_SUFFIXES,
    FileTree,
    holds_tree,
    pack_tree,
    read_archive_tree,
    read_commit_tree,
    write_tree,
)

CLONE_TIMEOUT_S = 600
_NO_TRANSPORT = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "safe.directory",
    "GIT_CONFIG_VALUE_0": "*",
}
"""A local repository is only read, whoever owns it; its configuration must not make git fetch or run anything."""
_QUIET_GIT = {"GIT_TERMINAL_PROMPT": "0", "GIT_LFS_SKIP_SMUDGE": "1", "GIT_ASKPASS": "true"}


def take_snapshot(source: RepositorySource, base_dir: Path, cache: Path) -> Snapshot:
    """Return the snapshot of the pinned commit, from the cache when it's already there.

    Args:
        base_dir: folder that a relative location starts from.
        cache: folder for clones and snapshots; made when missing.

    Raises:
        SeedError: the location can't be read, or the commit isn't in it; the message offers branches and tags.
    """
    location = source.location
    local = _find_local(source, base_dir)
    if location.endswith(ARCHIVE_SUFFIXES) and not _is_remote(location):
        if not local.is_file():
            raise SeedError(f"repository {source.name!r}: no file {location!r}", reason="missing_repository")
        return _store(source, "", f"local:{local.name}", read_archive_tree(local), cache)
    with _open_repository(source, local, cache) as repository:
        commit = _resolve(repository, source)
        tree = read_commit_tree(commit)
        url = location if _is_remote(location) else f"local:{local.name.removesuffix('.bundle')}"
        return _store(source, commit.hexsha, _without_credentials(url), tree, cache)


def check_repository(source: RepositorySource, base_dir: Path) -> None:
    """Do nothing for a repository on another machine or one that is there; for `plan` and `validate`.

    Raises:
        ConfigError: the location is neither.
    """
    if not _is_remote(source.location) and not _find_local(source, base_dir).exists():
        raise ConfigError(f"source {source.name!r}: location {source.location!r} doesn't exist")


def _find_local(source: RepositorySource, base_dir: Path) -> Path:
    return base_dir / Path(source.location).expanduser()


def _is_remote(location: str) -> bool:
    return "://" in location or (":" in location.split("/", 1)[0] and "@" in location)


def _without_credentials(url: str) -> str:
    if "://" not in url:
        return url
    scheme, rest = url.split("://", 1)
    host, slash, path = rest.partition("/")
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{path}"


@contextmanager
def _open_repository(source: RepositorySource, local: Path, cache: Path) -> Iterator[git.Repo]:
    location = source.location
    try:
        if _is_remote(location):
            repository = _mirror(source, location, digest_text(location), cache)
        elif local.is_dir():
            repository = git.Repo(local)
            repository.git.update_environment(**_QUIET_GIT, **_NO_TRANSPORT)
        elif local.is_file():
            repository = _mirror(source, str(local.resolve()), digest_bytes(local.read_bytes()), cache)
        else:
            raise SeedError(f"repository {source.name!r}: no folder or file {location!r}", reason="missing_repository")
    except (InvalidGitRepositoryError, NoSuchPathError) as error:
        raise SeedError(
            f"repository {source.name!r}: {location!r} isn't a git repository", reason="not_a_repository"
        ) from error
    try:
        yield repository
    finally:
        repository.close()


def _mirror(source: RepositorySource, origin: str, key: str, cache: Path) -> git.Repo:
    """Return a bare clone in the cache; a remote that lacks the wanted commit is fetched once more."""
    place = cache / "clones" / f"{key[:32]}.git"
    place.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{place}.lock"):
        try:
            if not place.exists():
                part = Path(tempfile.mkdtemp(prefix=".clone-", dir=place.parent))
                git.Repo.clone_from(
                    origin, part / "clone", bare=True, env=_QUIET_GIT, kill_after_timeout=CLONE_TIMEOUT_S
                ).close()
                (part / "clone").replace(place)
                part.rmdir()
            repository = git.Repo(place)
            if _is_remote(origin) and not _has_commit(repository, source.commit):
                with repository.git.custom_environment(**_QUIET_GIT):
                    repository.git.fetch("--tags", "--prune", "origin", "+refs/heads/*:refs/heads/*")
        except GitCommandError as error:
            raise _clone_error(source, error) from error
    return repository


def _clone_error(source: RepositorySource, error: GitCommandError) -> SeedError:
    said = str(error.stderr).strip().removeprefix("stderr: ").strip("'\n ").splitlines()
    last = said[-1] if said else "git gave no reason"
    where = _without_credentials(source.location)
    return SeedError(
        f"repository {source.name!r}: {where!r} can't be cloned: {last}",
        reason="clone_failed",
        retriable=_is_remote(source.location),
    )


def _has_commit(repository: git.Repo, revision: str) -> bool:
    try:
        return repository.commit(revision).tree is not None
    except (ODBError, git.GitError, ValueError, IndexError, KeyError):
        return False


def _resolve(repository: git.Repo, source: RepositorySource) -> git.Commit:
    revision = source.commit
    names = sorted({*(head.name for head in repository.heads), *(tag.name for tag in repository.tags)})
    if revision == "HEAD" and not repository.head.is_valid() and repository.heads:
        revision = "main" if "main" in names else repository.heads[0].name
    if revision.startswith("-") or not _has_commit(repository, revision):
        offered = suggest_name(revision, names) if names else " It has no branches or tags."
        raise SeedError(
            f"repository {source.name!r}: commit {revision!r} isn't in {_without_credentials(source.location)!r}."
            f"{offered} Branches and tags: {', '.join(names[:12]) or 'none'}",
            reason="missing_commit",
        )
    return repository.commit(revision)


def _is_intact(folder: Path, packed: bytes, tree: FileTree) -> bool:
    """Return whether the cache still holds the snapshot as it was written."""
    try:
        return (folder / "tree.tar").read_bytes() == packed and holds_tree(tree, folder / "tree")
    except OSError:
        return False


def _store(source: RepositorySource, commit: str, url: str, tree: FileTree, cache: Path) -> Snapshot:
    if not tree.files:
        raise SeedError(f"repository {source.name!r}: the tree is empty", reason="empty_repository")
    packed = pack_tree(tree)
    digest = hashlib.sha256(packed).hexdigest()
    folder = cache / "trees" / digest
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        if not _is_intact(folder, packed, tree):
            part = Path(tempfile.mkdtemp(prefix=".tree-", dir=folder.parent))
            try:
                shutil.rmtree(folder, ignore_errors=True)
                part.chmod(0o755)
                (part / "tree.tar").write_bytes(packed)
                (part / "omitted.json").write_text(json.dumps(tree.omitted), encoding="utf-8")
                write_tree(tree, part / "tree")
                part.replace(folder)
            except OSError as error:
                shutil.rmtree(part, ignore_errors=True)
                raise SeedError(
                    f"repository {source.name!r}: the snapshot can't be written: {error}",
                    reason="cache_unwritable",
                    retriable=True,
                ) from error
    given = source.license
    return Snapshot(
        name=source.name,
        url=url,
        commit=commit or digest[:40],
        tree_digest=digest,
        license=given if given != "NOASSERTION" else detect_license(tree),
        folder=folder,
        omitted=tree.omitted,
    )
