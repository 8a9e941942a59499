"""Cgroups of version 2 for real: a guest has them, so the checks of delegation run in one that is booted for them."""

import gzip
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from sandbox.backends.descriptors import Descriptors
from sandbox.backends.rootfs import PYTHON
from sandbox.backends.vm.contents import AGENT
from sandbox.backends.vm.emulator import Emulator, find_qemu
from sandbox.backends.vm.image import DEFAULT_RECIPE, Image, build_image, default_store
from sandbox.backends.vm.initramfs import find_busybox
from sandbox.backends.vm.machine import MICROVM, Shape, list_boot
from sandbox.backends.vm.toolchains import make_empty_disk
from schemas.errors import ConfigError, SandboxError
from tests.sandbox.backends import delegation_checks

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("machines"), pytest.mark.timeout(2400)]
_MEMORY_MB = 512
_START_S = 120.0
_CHECKS_S = 1800.0
_INIT = f"""#!/bin/busybox sh
end='PYTHONPATH={AGENT} {PYTHON} -S -P /run/checks.py; echo o > /proc/sysrq-trigger; sleep 60'
/bin/busybox sed "s|^exec.*|\\$b cp /checks.py /disk/run; exec \\$b switch_root /disk /bin/sh -c '$end'|" /init > /other
exec /bin/busybox sh /other
"""
"""Goes the way of the guest's own start up to the root disk, and runs the checks there instead of the agent."""


def test_a_guest_delegates_its_groups(tmp_path: Path) -> None:
    try:
        find_qemu()
        image = build_image(DEFAULT_RECIPE, default_store())
    except (ConfigError, SandboxError) as error:
        pytest.skip(str(error))
    said = _boot(image, _add_checks(image, tmp_path))
    assert delegation_checks.HOLDS in said, said


def _add_checks(image: Image, folder: Path) -> Path:
    """Return the image's first file system with another start and the checks."""
    added = folder / "added"
    added.mkdir()
    (added / "start").write_text(_INIT)
    (added / "start").chmod(0o755)
    shutil.copyfile(str(delegation_checks.__file__), added / "checks.py")
    command = [str(find_busybox()), "cpio", "-o", "-H", "newc"]
    archive = subprocess.run(command, cwd=added, input=b"start\nchecks.py\n", capture_output=True, check=True).stdout
    (folder / "initrd").write_bytes(image.initrd.read_bytes() + gzip.compress(archive))
    return folder / "initrd"


def _boot(image: Image, initrd: Path) -> str:
    """Return the end of what a guest says on its console."""
    with Descriptors() as opened:
        memory = opened.adopt(os.memfd_create("guest", os.MFD_CLOEXEC))
        os.ftruncate(memory, _MEMORY_MB << 20)
        kernel, first, root = (opened.open(path, os.O_RDONLY) for path in (image.kernel, initrd, image.root))
        start = list_boot(kernel, first, "tcg")
        machine = Emulator(
            Shape(kind=MICROVM, accelerator="tcg", memory_mb=_MEMORY_MB),
            memory=memory,
            root=root,
            toolchain=opened.adopt(make_empty_disk()),
            start=[*start[:-1], f"{start[-1]} rdinit=/start"],
            passed=(kernel, first),
            is_shared=True,
            deadline_s=_START_S,
        )
        try:
            deadline = time.monotonic() + _CHECKS_S
            while not (ended := machine.describe_end()) and time.monotonic() < deadline:
                time.sleep(0.1)
            return ended or machine.last_words()
        finally:
            machine.kill()
