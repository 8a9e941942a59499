"""What must hold of a version 2 group on a real hierarchy: asserted by the tests, and in a guest, which has no pytest.

``python delegation_checks.py GROUP CONTROLLER`` joins a group and says what came of stepping aside; without arguments it
makes groups of its own, checks all, and says ``all checks hold``.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from sandbox.backends.cgroup import remove_groups
from sandbox.backends.delegation import LEAF, hand_down, step_aside

MOUNTS = (Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/unified"))
HOLDS = "all checks hold"


def make_group() -> tuple[Path, str] | None:
    """Return a new group that has a controller, and that controller's name, or ``None`` if there can't be one."""
    for mount in MOUNTS:
        folder = mount / f"delegation-test-{os.getpid()}"
        if not (mount / "cgroup.subtree_control").exists():
            continue
        hand_down(mount)
        try:
            folder.mkdir()
        except OSError:
            continue
        if controllers := (folder / "cgroup.controllers").read_text().split():
            # Only a controller of whole groups minds processes in them; that of memory is one.
            return folder, "memory" if "memory" in controllers else controllers[0]
        remove_group(folder)
    return None


def remove_group(folder: Path) -> None:
    """Remove a group and its leaf, with all that is in them."""
    remove_groups(tuple(path for path in (folder / LEAF, folder) if path.exists()))


def check_that_an_empty_group_hands_its_controllers_down(folder: Path, controller: str) -> None:
    """Raise an assertion error if it doesn't."""
    assert hand_down(folder, needed=(controller,))
    assert hand_down(folder, needed=(controller,))
    assert controller in (folder / "cgroup.subtree_control").read_text().split()


def check_that_a_process_steps_aside_with_all_it_has_started(folder: Path, controller: str) -> None:
    """Raise an assertion error if it doesn't."""
    said = _run_inside(folder, controller)
    assert said == ["True", LEAF, LEAF], said
    assert controller in (folder / "cgroup.subtree_control").read_text().split()


def check_that_a_group_with_processes_of_others_is_left_as_it_was(folder: Path, controller: str) -> None:
    """Raise an assertion error if it isn't."""
    with subprocess.Popen(["/bin/sleep", "60"]) as stranger:
        (folder / "cgroup.procs").write_text(str(stranger.pid))
        said = _run_inside(folder, controller)
        assert said == ["False", folder.name, folder.name], said
        assert not (folder / LEAF).exists()
        assert str(stranger.pid) in (folder / "cgroup.procs").read_text().split()
        stranger.kill()


CHECKS: tuple[Callable[[Path, str], None], ...] = (
    check_that_an_empty_group_hands_its_controllers_down,
    check_that_a_process_steps_aside_with_all_it_has_started,
    check_that_a_group_with_processes_of_others_is_left_as_it_was,
)


def _run_inside(folder: Path, controller: str) -> list[str]:
    """Return what a process in the group says about stepping aside: whether it worked, and where it and its child are."""
    command = [sys.executable, "-S", "-P", __file__, str(folder), controller]
    paths = os.pathsep.join(path for path in sys.path if path)
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": paths})
    return done.stdout.split()


def _join(group: Path, controller: str) -> None:
    (group / "cgroup.procs").write_text(str(os.getpid()))
    child = os.fork()
    if child == 0:
        time.sleep(60)
        os._exit(0)
    done = step_aside(group, needed=(controller,))
    places = (Path(f"/proc/{process}/cgroup").read_text() for process in ("self", child))
    words = [place.strip().rpartition("::")[2].rpartition("/")[2] for place in places]
    sys.stdout.write(f"{done} {' '.join(words)}\n")
    os.kill(child, 9)


def main() -> None:
    """Check everything in groups of our own."""
    for check in CHECKS:
        made = make_group()
        assert made is not None, "no version 2 group with a controller can be made here"
        try:
            check(*made)
        finally:
            remove_group(made[0])
        sys.stdout.write(f"{check.__name__} holds\n")
    sys.stdout.write(f"{HOLDS}\n")


if __name__ == "__main__":
    if sys.argv[1:]:
        _join(Path(sys.argv[1]), sys.argv[2])
    else:
        main()
