"""File trees without history: read from a commit or a source archive, packed into a tar that depends on content only.

First step of the road of a repository task; the tar's SHA-256 names the healthy tree in every later record. Blobs are
read tolerantly, since filtered clones lack the large ones. Method: own.
"""

import io
import os
import posixpath
import stat
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import git
from git.exc import ODBError

from schemas.errors import SeedError

MAX_FILE_BYTES = 32 * 1024 * 1024
MAX_TREE_BYTES = 512 * 1024 * 1024
ARCHIVE_SUFFIXES = (".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar", ".zip")


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeFile:
    """One file of a tree."""

    data: bytes
    """Content; for a symbolic link its target."""
    executable: bool = False
    link: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FileTree:
    """Files by relative path, and what had to be left out."""

    files: Mapping[str, TreeFile] = field(default_factory=dict)
    omitted: tuple[str, ...] = ()


def stays_inside(path: str, target: str) -> bool:
    """Return whether a symbolic link at ``path`` with that target stays inside its tree."""
    if target.startswith("/") or "\0" in target:
        return False
    resolved = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    return resolved != ".." and not resolved.startswith("../")


def _is_plain_path(path: str) -> bool:
    parts = path.split("/")
    return bool(path) and not path.startswith("/") and not {"", ".", "..", ".git"}.intersection(parts)


def _collect(entries: Iterator[tuple[str, TreeFile | None]]) -> FileTree:
    files: dict[str, TreeFile] = {}
    omitted: list[str] = []
    total = 0
    for path, entry in entries:
        keeps = entry is not None and _is_plain_path(path)
        if entry is not None and keeps and entry.link:
            keeps = stays_inside(path, entry.data.decode("utf-8", "surrogateescape"))
        if entry is None or not keeps:
            omitted.append(path)
            continue
        total += len(entry.data)
        if total > MAX_TREE_BYTES:
            raise SeedError(
                f"the tree holds more than {MAX_TREE_BYTES >> 20} MiB; mutation needs a smaller repository",
                reason="repository_too_large",
            )
        files[path] = entry
    return FileTree(files=_without_links_through_links(files, omitted), omitted=tuple(sorted(omitted)))


def _without_links_through_links(files: dict[str, TreeFile], omitted: list[str]) -> dict[str, TreeFile]:
    """Drop what a link would shadow: an archive may place a file behind a symbolic link."""
    links = {path for path, entry in files.items() if entry.link}
    kept = {}
    for path, entry in files.items():
        parents = {path[:at] for at, letter in enumerate(path) if letter == "/"}
        if parents & links:
            omitted.append(path)
        else:
            kept[path] = entry
    return kept


def read_commit_tree(commit: git.Commit) -> FileTree:
    """Return the tree of a commit.

    Submodules, blobs over 32 MiB and blobs that the clone lacks are named in ``omitted``.

    Raises:
        SeedError: the tree itself can't be read or is too large.
    """
    try:
        return _collect(_walk_git_tree(commit.tree))
    except (ODBError, git.GitError, ValueError) as error:
        raise SeedError(
            f"commit {commit.hexsha}: the tree can't be read: {error}", reason="broken_repository"
        ) from error


def _walk_git_tree(tree: git.Tree) -> Iterator[tuple[str, TreeFile | None]]:
    for item in tree:
        path = str(item.path)
        if isinstance(item, git.Tree):
            yield from _walk_git_tree(item)
        elif isinstance(item, git.Blob):
            yield path, _read_blob(item)
        else:
            yield path, None


def _read_blob(blob: git.Blob) -> TreeFile | None:
    try:
        if blob.size > MAX_FILE_BYTES:
            return None
        data = blob.data_stream.read()
    except (ODBError, git.GitError, ValueError, OSError):
        return None
    return TreeFile(data=data, executable=bool(blob.mode & 0o111), link=stat.S_ISLNK(blob.mode))


def read_archive_tree(path: Path) -> FileTree:
    """Return the tree in a source archive, without the one folder around it.

    Raises:
        SeedError: it isn't an archive, is cut off, or is too large.
    """
    try:
        if path.name.endswith(".zip"):
            with zipfile.ZipFile(path) as archive:
                entries = list(_walk_zip(archive))
        else:
            with tarfile.open(path) as tar:
                entries = list(_walk_tar(tar))
    except (tarfile.TarError, zipfile.BadZipFile, EOFError, OSError, ValueError) as error:
        raise SeedError(f"archive {path.name!r} can't be read: {error}", reason="broken_archive") from error
    return _collect(iter(_strip_top_folder(entries)))


def _walk_zip(archive: zipfile.ZipFile) -> Iterator[tuple[str, TreeFile | None]]:
    total = 0
    for info in sorted(archive.infolist(), key=lambda entry: entry.filename):
        if info.is_dir():
            continue
        mode = info.external_attr >> 16
        total += info.file_size
        if info.file_size > MAX_FILE_BYTES or total > MAX_TREE_BYTES:
            yield info.filename, None
            continue
        yield (
            info.filename,
            TreeFile(data=archive.read(info), executable=bool(mode & 0o111), link=stat.S_ISLNK(mode)),
        )


def _walk_tar(tar: tarfile.TarFile) -> Iterator[tuple[str, TreeFile | None]]:
    total = 0
    for member in tar:
        name = member.name.removeprefix("./")
        if member.issym():
            yield name, TreeFile(data=member.linkname.encode("utf-8", "surrogateescape"), link=True)
        elif member.isreg():
            total += member.size
            stream = tar.extractfile(member)
            if stream is None or member.size > MAX_FILE_BYTES or total > MAX_TREE_BYTES:
                yield name, None
            else:
                yield name, TreeFile(data=stream.read(), executable=bool(member.mode & 0o111))
        elif not member.isdir():
            yield name, None


def _strip_top_folder(
    entries: list[tuple[str, TreeFile | None]],
) -> list[tuple[str, TreeFile | None]]:
    tops = {path.split("/", 1)[0] for path, _ in entries}
    if len(tops) == 1 and all("/" in path for path, _ in entries):
        return [(path.split("/", 1)[1], entry) for path, entry in entries]
    return entries


def pack_tree(tree: FileTree) -> bytes:
    """Return the tar of a tree: sorted paths, time 0, owner 0, two modes; equal trees give equal bytes."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path in sorted(tree.files):
            entry = tree.files[path]
            member = tarfile.TarInfo(path)
            member.mode = 0o755 if entry.executable else 0o644
            if entry.link:
                member.type = tarfile.SYMTYPE
                member.linkname = entry.data.decode("utf-8", "surrogateescape")
                tar.addfile(member)
            else:
                member.size = len(entry.data)
                tar.addfile(member, io.BytesIO(entry.data))
    return buffer.getvalue()


def holds_tree(tree: FileTree, folder: Path) -> bool:
    """Return whether a folder holds exactly what `write_tree` writes for a tree."""
    try:
        found = {path.relative_to(folder).as_posix(): path for path in _walk_files(folder)}
        return found.keys() == tree.files.keys() and all(
            _holds_file(tree.files[name], path) for name, path in found.items()
        )
    except OSError:
        return False


def _walk_files(folder: Path) -> Iterator[Path]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _walk_files(Path(entry.path))
            else:
                yield Path(entry.path)


def _holds_file(entry: TreeFile, path: Path) -> bool:
    mode = path.lstat().st_mode
    if entry.link:
        return stat.S_ISLNK(mode) and os.fsencode(path.readlink()) == entry.data
    executable = bool(mode & stat.S_IXUSR)
    return stat.S_ISREG(mode) and executable == entry.executable and path.read_bytes() == entry.data


def write_tree(tree: FileTree, folder: Path) -> None:
    """Write the files of a tree into an empty folder.

    Raises:
        OSError: the folder can't be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(tree.files):
        entry = tree.files[path]
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if entry.link:
            place.symlink_to(entry.data.decode("utf-8", "surrogateescape"))
        else:
            place.write_bytes(entry.data)
            place.chmod(0o755 if entry.executable else 0o644)
