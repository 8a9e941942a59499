"""Virtual machines as a user without root: image, boot, saved state and sessions."""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.backends.vm.emulator import find_qemu
from sandbox.backends.vm.image import default_store
from schemas.errors import SandboxError
from tests.sandbox.backends.test_unprivileged import SYSTEM_PYTHON, as_user, can_run

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("machines"), pytest.mark.timeout(2400)]
_USER = 12345
PROGRAM = """
import json, os, sys
from pathlib import Path
from sandbox.backends.rootfs import PYTHON
from sandbox.backends.vm.backend import QemuMicrovmBackend
from sandbox.backends.vm.image import Recipe
from sandbox.base import Job, Run
from schemas.limits import Limits

backend = QemuMicrovmBackend(
    store=Path(sys.argv[1]), recipe=Recipe(toolchains=("python",)), accelerator="tcg", boot_s=900
)
capability = backend.probe()
answers = {"host": os.getuid(), "reason": capability.reason, "enforced": capability.limits_enforced}
if capability.available:
    limits = Limits(cpu_s=1, wall_s=10, memory_mb=128, disk_mb=8)
    code = "import os; print(os.getuid(), open('a').read()); x = bytearray(1 << 29)"
    with backend.open(Job(limits=limits, files={"a": b"A"})) as session:
        outcome = session.run(Run(argv=(PYTHON, "-S", "-u", "-c", code)))
        answers["run"] = [outcome.state, outcome.stdout.decode(), outcome.isolation]
    answers["states"] = len(list(Path(sys.argv[1], "states").glob("*/memory")))
print(json.dumps(answers))
"""


@pytest.fixture
def store() -> Iterator[Path]:
    """A folder of the user's with the kernel that we have fetched, if we have, since that takes a network."""
    folder = Path(tempfile.mkdtemp(prefix="machines-"))
    if (default_store() / "kernels").is_dir():
        shutil.copytree(default_store() / "kernels", folder / "kernels")
    for path in (folder, *folder.rglob("*")):
        os.chown(path, _USER, _USER)
    yield folder
    shutil.rmtree(folder)


def test_a_user_without_root_builds_boots_and_judges(store: Path) -> None:
    if not can_run():
        pytest.skip("needs root, setpriv and a system Python of 3.11 or newer that may read this checkout")
    try:
        find_qemu()
    except SandboxError as error:
        pytest.skip(str(error))
    command = [*as_user(), SYSTEM_PYTHON, "-c", PROGRAM, str(store)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/")
    assert done.returncode == 0, done.stderr
    answers = json.loads(done.stdout)
    assert answers["host"] == _USER
    assert answers.get("run") == ["MLE", "65534 A\n", "microvm"], answers
    assert {"memory", "processes", "network", "syscalls"} <= set(answers["enforced"])
    assert answers["states"] == 1
