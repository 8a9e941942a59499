"""Where cgroups can be made, what a group does, and how orphans go."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from sandbox.backends.cgroup import list_members
from sandbox.backends.cgroups import HierarchyV1, HierarchyV2, detect_hierarchy, reap_groups
from schemas.errors import SandboxError


@pytest.fixture(scope="module")
def hierarchy():
    found = detect_hierarchy()
    if found is None:
        pytest.skip("no cgroup can be made here")
    return found


def enter(meter, command: str) -> subprocess.Popen[bytes]:
    joins = "".join(f"echo 0 > {path}; " for path in meter.join_paths)
    return subprocess.Popen(["/bin/sh", "-c", f"{joins} {command}"], stderr=subprocess.DEVNULL)


def test_a_new_group_counts_from_zero_and_then_what_enters(hierarchy):
    meter = hierarchy.make(memory_mb=64, processes=10)
    before = meter.read()
    enter(
        meter, f"exec {sys.executable} -I -S -c 'b = bytes(range(256)) * 4 * 20480; [0 for _ in range(10**6)]'"
    ).wait()
    after = meter.read()
    meter.close()
    assert (before.cpu_s, before.memory_exceeded, before.processes_exceeded) == (0, False, 0)
    assert after.cpu_s > 0.005
    assert 20 < after.peak_memory_mb <= 64
    assert not after.memory_exceeded


def test_a_group_kills_for_memory_and_counts_it(hierarchy):
    meter = hierarchy.make(memory_mb=32, processes=10)
    code = enter(meter, f"exec {sys.executable} -I -S -c 'b = bytes(range(256)) * 4 * 102400'").wait()
    usage = meter.read()
    meter.close()
    assert code == -9
    assert usage.memory_exceeded
    assert usage.peak_memory_mb <= 32


def test_a_group_refuses_processes_and_counts_it(hierarchy):
    meter = hierarchy.make(memory_mb=64, processes=5)
    enter(meter, "for i in 1 2 3 4 5 6 7 8; do sleep 0.2 & done; wait").wait()
    usage = meter.read()
    meter.close()
    assert usage.processes_exceeded >= 1


def test_closing_a_group_kills_what_is_inside_and_removes_it(hierarchy):
    meter = hierarchy.make(memory_mb=64, processes=10)
    running = enter(meter, "exec sleep 60")
    folders = tuple(path.parent for path in meter.join_paths)
    while running.pid not in list_members(folders):
        time.sleep(0.01)
    meter.close()
    meter.close()
    assert running.wait(timeout=60) == -9
    assert not any(folder.exists() for folder in folders)


def test_groups_of_a_dead_owner_are_reaped_with_what_is_inside(hierarchy, tmp_path):
    script = """
import os, subprocess, sys, time
from sandbox.backends.cgroups import detect_hierarchy
meter = detect_hierarchy().make(memory_mb=64, processes=10)
joins = "".join(f"echo 0 > {path}; " for path in meter.join_paths)
subprocess.Popen(["/bin/sh", "-c", f"{joins} echo $$ > {sys.argv[1]}; exec sleep 200"], stdout=subprocess.DEVNULL)
while not os.path.exists(sys.argv[1]) or not open(sys.argv[1]).read().endswith("\\n"): time.sleep(0.01)
print(meter.join_paths[0].parent, flush=True)
os._exit(0)
"""
    command = [sys.executable, "-c", script, tmp_path / "pid"]
    group = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    orphan = int((tmp_path / "pid").read_text())
    mine = hierarchy.make(memory_mb=64, processes=10)
    assert Path(group).is_absolute()
    reap_groups(hierarchy)  # any other process of ours that starts just now does the same
    assert not Path(group).exists()
    assert all(path.parent.exists() for path in mine.join_paths)
    mine.close()
    deadline = time.monotonic() + 60
    while is_alive(orphan):
        assert time.monotonic() < deadline, "the orphan is still alive"
        time.sleep(0.02)


def is_alive(process_id: int) -> bool:
    try:
        return ") Z " not in Path(f"/proc/{process_id}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_nothing_is_found_where_nothing_is_mounted(tmp_path):
    own = tmp_path / "own"
    own.write_text("0::/user.slice\n")
    assert detect_hierarchy(mount=tmp_path / "none", own=own) is None
    assert detect_hierarchy(mount=tmp_path, own=tmp_path / "missing") is None


def test_a_version_two_mount_without_memory_is_not_taken(tmp_path):
    (tmp_path / "cgroup.controllers").write_text("hugetlb\n")
    own = tmp_path / "own"
    own.write_text("0::/\n")
    (tmp_path / "cgroup.subtree_control").write_text("")
    assert detect_hierarchy(mount=tmp_path, own=own) is None
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("taskfoundry")] == []


def test_a_refused_group_leaves_nothing(tmp_path):
    with pytest.raises(SandboxError, match="can't make a cgroup"):
        HierarchyV2(parent=tmp_path / "missing").make(memory_mb=64, processes=4)
    with pytest.raises(SandboxError, match="can't make a cgroup"):
        HierarchyV1(memory=tmp_path, pids=tmp_path / "missing", cpuacct=tmp_path).make(memory_mb=64, processes=4)
    assert list(tmp_path.iterdir()) == []
