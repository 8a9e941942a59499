"""How controllers of version 2 are handed down, on a real hierarchy where there is one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sandbox.backends.cgroup import remove_groups
from sandbox.backends.cgroups import detect_hierarchy
from sandbox.backends.delegation import LEAF, hand_down, step_aside

MOUNTS = (Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/unified"))
INSIDE = """
import os, sys, time
from pathlib import Path
from sandbox.backends.delegation import step_aside
group, controller = Path(sys.argv[1]), sys.argv[2]
(group / "cgroup.procs").write_text(str(os.getpid()))
child = os.fork()
if child == 0:
    time.sleep(60)
done = step_aside(group, needed=(controller,))
print(done, *(Path(f"/proc/{process}/cgroup").read_text().rsplit("/")[-1].strip() for process in ("self", child)))
os.kill(child, 9)
"""


@pytest.fixture
def group():
    """A new group with at least one controller, and that controller's name."""
    for mount in MOUNTS:
        folder = mount / f"delegation-test-{os.getpid()}"
        try:
            folder.mkdir()
        except OSError:
            continue
        controllers = (folder / "cgroup.controllers").read_text().split() if mount_is_v2(mount) else []
        if controllers:
            yield folder, controllers[0]
        remove_groups(tuple(path for path in (folder / LEAF, folder) if path.exists()))
        if controllers:
            return
    pytest.skip("no version 2 group with a controller can be made here")


def mount_is_v2(mount: Path) -> bool:
    return (mount / "cgroup.subtree_control").exists()


def run_inside(folder: Path, controller: str) -> list[str]:
    """Return what a process in the group says about stepping aside: whether it worked, and where it and its child are."""
    command = [sys.executable, "-c", INSIDE, str(folder), controller]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
    )
    return done.stdout.split()


def test_an_empty_group_hands_its_controllers_down(group):
    folder, controller = group
    assert hand_down(folder, needed=(controller,))
    assert hand_down(folder, needed=(controller,))
    assert controller in (folder / "cgroup.subtree_control").read_text().split()


def test_a_process_steps_aside_with_all_it_has_started(group):
    folder, controller = group
    assert run_inside(folder, controller) == ["True", LEAF, LEAF]
    assert controller in (folder / "cgroup.subtree_control").read_text().split()


def test_a_group_with_processes_of_others_is_left_as_it_was(group):
    folder, controller = group
    with subprocess.Popen(["/bin/sleep", "60"]) as stranger:
        (folder / "cgroup.procs").write_text(str(stranger.pid))
        assert run_inside(folder, controller) == ["False", folder.name, folder.name]
        assert not (folder / LEAF).exists()
        assert str(stranger.pid) in (folder / "cgroup.procs").read_text().split()
        stranger.kill()


def test_a_folder_that_is_no_group_hands_nothing_down(tmp_path):
    assert not hand_down(tmp_path)
    assert not step_aside(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_process_that_has_stepped_aside_looks_above_its_leaf(tmp_path, monkeypatch):
    made = tmp_path / "service" / LEAF
    made.mkdir(parents=True)
    (tmp_path / "cgroup.controllers").write_text("memory pids")
    own = tmp_path / "own"
    own.write_text(f"0::/service/{LEAF}\n")
    asked: list[Path] = []
    monkeypatch.setattr("sandbox.backends.cgroups.hand_down", asked.append)
    assert detect_hierarchy(mount=tmp_path, own=own) is None
    assert asked == [tmp_path / "service"]
