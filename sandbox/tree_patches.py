"""Edits and patches of a tree, checked with git itself: what is stored is what was run.

Used once per proven repository task and when a foreign solution comes as a patch. Method: own; `git apply`.
"""

import io
import subprocess
import tarfile
import tempfile
from collections.abc import Container, Iterable, Mapping
from pathlib import Path

from schemas.candidate import FileEdit, RepositoryMutation
from schemas.errors import MutationError, SandboxError

_MOST_COPIED_BYTES = 32 * 2**20
_GIT = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "PATH": "/usr/local/bin:/usr/bin:/bin"}


def apply_edits(tree: Path, edits: Iterable[FileEdit]) -> dict[str, bytes]:
    """Return the bytes of every edited file after its splices.

    Raises:
        MutationError: a path leaves the tree or isn't there, or splices overlap or lie outside the file.
    """
    by_path: dict[str, list[FileEdit]] = {}
    for edit in edits:
        by_path.setdefault(edit.path, []).append(edit)
    changed = {}
    for path, group in sorted(by_path.items()):
        data = _read_inside(tree, path)
        limit = len(data)
        for edit in sorted(group, key=lambda item: item.start, reverse=True):
            if not 0 <= edit.start <= edit.end <= limit:
                raise MutationError(f"{path}: splice {edit.start}:{edit.end} overlaps another or lies outside")
            data = data[: edit.start] + bytes.fromhex(edit.replacement_hex) + data[edit.end :]
            limit = edit.start
        changed[path] = data
    return changed


def _read_inside(tree: Path, path: str) -> bytes:
    place = (tree / path).resolve()
    if not place.is_relative_to(tree.resolve()) or not place.is_file():
        raise MutationError(f"{path!r} is no file of the tree")
    return place.read_bytes()


def apply_patch(tree: Mapping[str, bytes], patch: str) -> dict[str, bytes | None]:
    """Return what a patch makes of some files: new bytes, or None for a file that it removes.

    Args:
        tree: the files that the patch may touch, by path; files it creates needn't be there.

    Raises:
        MutationError: `git apply` refuses the patch, or it could become much larger than it is: binary content comes
            compressed, and a copied file costs a line.
        SandboxError: git can't be started.
    """
    _check_growth(tree, patch)
    with tempfile.TemporaryDirectory(prefix="taskfoundry-") as name:
        folder = Path(name)
        for path, data in tree.items():
            place = folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        _git_apply(folder, patch)
        after = {
            place.relative_to(folder).as_posix(): place.read_bytes()
            for place in sorted(folder.rglob("*"))
            if place.is_file() and not place.is_symlink()
        }
    gone: dict[str, bytes | None] = {path: None for path in tree if path not in after}
    changed = {path: data for path, data in after.items() if tree.get(path) != data}
    return {**gone, **changed}


def _check_growth(tree: Mapping[str, bytes], patch: str) -> None:
    lines = patch.split("\n")
    if any(line.startswith("GIT binary patch") for line in lines):
        raise MutationError("a patch with binary content isn't taken")
    largest = max((len(patch), *map(len, tree.values())))
    sources = [line.removeprefix("copy from ").rstrip("\r") for line in lines if line.startswith("copy from ")]
    copied = sum(len(tree[path]) if path in tree else largest for path in sources)
    if copied > _MOST_COPIED_BYTES:
        raise MutationError(f"the patch copies files of {copied:,} bytes; at most {_MOST_COPIED_BYTES:,} may be")


def _git_apply(folder: Path, patch: str) -> None:
    command = ["git", "apply", "--whitespace=nowarn", "-"]
    ceiling = {"GIT_CEILING_DIRECTORIES": str(folder.parent), "HOME": str(folder)}
    try:
        done = subprocess.run(
            command,
            input=patch.encode("utf-8", "surrogateescape"),
            cwd=folder,
            env=_GIT | ceiling,
            capture_output=True,
            check=False,
            timeout=60,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise SandboxError(f"git can't be run: {error}") from error
    if done.returncode:
        raise MutationError(f"git apply: {done.stderr.decode('utf-8', 'replace').strip()[:500]}")


def check_patches(tree: Path, mutation: RepositoryMutation) -> dict[str, bytes]:
    """Return the broken files after checking that both patches do what they say.

    Raises:
        MutationError: the bug patch doesn't give the spliced bytes, or the fix patch doesn't restore the healthy ones.
    """
    broken = apply_edits(tree, mutation.edits)
    healthy = {path: _read_inside(tree, path) for path in broken}
    if {**healthy, **apply_patch(healthy, mutation.bug_patch)} != broken:
        raise MutationError("the bug patch doesn't give the bytes of the edits")
    if {**broken, **apply_patch(broken, mutation.fix_patch)} != healthy:
        raise MutationError("the fix patch doesn't restore the healthy bytes")
    return broken


def repack(packed: Path, changed: Mapping[str, bytes | None], *, without: Container[str]) -> bytes:
    """Return the tar of a tree with other files in it; symbolic links and modes stay.

    Args:
        changed: whole files by path, new ones included; None removes a file.
        without: paths to leave out.
    """
    buffer = io.BytesIO()
    with tarfile.open(packed) as old, tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as new:
        known = set()
        for member in old:
            known.add(member.name)
            if member.name in without or member.name in changed:
                if member.name not in without:
                    _add_file(new, member.name, changed[member.name], mode=member.mode)
            else:
                new.addfile(member, old.extractfile(member) if member.isreg() else None)
        for path in sorted(set(changed) - known):
            if path not in without:
                _add_file(new, path, changed[path])
    return buffer.getvalue()


def pack_files(files: Mapping[str, bytes]) -> bytes:
    """Return the tar of some files, sorted by path."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path in sorted(files):
            _add_file(tar, path, files[path])
    return buffer.getvalue()


def _add_file(tar: tarfile.TarFile, path: str, data: bytes | None, *, mode: int = 0o644) -> None:
    if data is not None:
        member = tarfile.TarInfo(path)
        member.size, member.mode = len(data), mode
        tar.addfile(member, io.BytesIO(data))
