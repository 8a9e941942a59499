"""The template tree of the suite server, kept where code under test can't reach it, and laid out anew for every run.

Runs inside the sandbox: its source text lies beside the server's. The content is in sealed files in memory, since the
server's children are the same user and could change a folder. Method: own.
"""

import fcntl
import os
import shutil
import stat
import tarfile
from dataclasses import dataclass
from pathlib import Path

_SEALS = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One file, link or folder."""

    mode: int
    """Kind and permissions."""
    times_ns: tuple[int, int]
    """Last access and last change: bytecode names the time of its source."""
    memory: int
    """Descriptor of the file in memory that holds the content of a file or the target of a link."""
    place: int
    """Where it begins there."""
    size: int


class Template:
    """A tree in memory.

    Args:
        packed: a tar file.
        scratch: a folder that isn't there, used meanwhile.
    """

    def __init__(self, packed: Path, scratch: Path) -> None:
        self._entries: dict[str, Entry] = {}
        scratch.mkdir()
        with tarfile.open(packed) as tar:
            if hasattr(tarfile, "tar_filter"):
                tar.extractall(scratch, filter="tar")
            else:  # Python before 3.11.4
                tar.extractall(scratch)  # noqa: S202  # ours
        self.keep(scratch, sorted(scratch.rglob("*")))
        shutil.rmtree(scratch)

    def keep(self, root: Path, paths: list[Path]) -> None:
        """Take files, links and folders into the template as they are, by their paths below a root."""
        memory, place = os.memfd_create("template", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING), 0
        for path in paths:
            facts = path.lstat()
            content = b""
            if stat.S_ISLNK(facts.st_mode):
                content = os.fsencode(path.readlink())
            elif stat.S_ISREG(facts.st_mode):
                content = path.read_bytes()
            elif not stat.S_ISDIR(facts.st_mode):
                continue
            times = (facts.st_atime_ns, facts.st_mtime_ns)
            entry = Entry(mode=facts.st_mode, times_ns=times, memory=memory, place=place, size=len(content))
            self._entries[str(path.relative_to(root))] = entry
            place += len(content)
            while content:
                content = content[os.write(memory, content) :]
        fcntl.fcntl(memory, fcntl.F_ADD_SEALS, _SEALS)

    def holds_folder(self, path: str) -> bool:
        """Return whether the template has a folder at a path relative to it."""
        entry = self._entries.get(path)
        return path == "." or (entry is not None and stat.S_ISDIR(entry.mode))

    def lay(self, root: Path) -> None:
        """Make a folder with all of it."""
        root.mkdir(parents=True)
        folders = []
        for path in sorted(self._entries):
            entry, target = self._entries[path], root / path
            content = os.pread(entry.memory, entry.size, entry.place)
            if stat.S_ISDIR(entry.mode):
                target.mkdir()
                folders.append((target, entry))
            elif stat.S_ISLNK(entry.mode):
                target.symlink_to(os.fsdecode(content))
            else:
                target.write_bytes(content)
                _settle(target, entry)
        for folder, entry in reversed(folders):
            _settle(folder, entry)


def _settle(path: Path, entry: Entry) -> None:
    path.chmod(stat.S_IMODE(entry.mode))
    os.utime(path, ns=entry.times_ns)
