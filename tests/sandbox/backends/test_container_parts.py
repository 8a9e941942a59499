"""The parts of the container level that need no engine."""

import io
import itertools
import json
import os
import tarfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.backends.container.counters import find_process
from sandbox.backends.container.engine import find_socket, list_sockets
from sandbox.backends.container.image import name_image, pack_image
from sandbox.backends.container.settings import describe_container, describe_host
from sandbox.backends.container.streams import FrameReader
from sandbox.backends.conversation import Ear
from sandbox.backends.filters import describe_filter
from sandbox.backends.layout import describe_layout, list_folders, list_scratch
from sandbox.backends.rootfs import PYTHON_ROOT
from sandbox.base import Job
from schemas.errors import SandboxError
from schemas.limits import Limits


def frame(stream: int, content: bytes) -> bytes:
    return bytes([stream, 0, 0, 0]) + len(content).to_bytes(4, "big") + content


@given(
    pieces=st.lists(st.tuples(st.sampled_from([1, 2]), st.binary(max_size=40)), max_size=8),
    cuts=st.lists(st.integers(0, 400), max_size=8),
)
def test_frames_are_taken_apart_however_they_are_cut(pieces, cuts):
    stream = b"".join(frame(number, content) for number, content in pieces)
    places = sorted({0, len(stream), *(cut for cut in cuts if cut < len(stream))})
    ear = Ear(10_000)
    reader = FrameReader(-1, ear)
    for begin, end in itertools.pairwise(places):
        reader.feed(stream[begin:end])
    assert bytes(ear.stdout) == b"".join(content for number, content in pieces if number == 1)
    assert bytes(ear.stderr) == b"".join(content for number, content in pieces if number == 2)


def test_standard_error_is_kept_up_to_its_cap():
    ear = Ear(5)
    ear.hear_error(b"abcde")
    assert (bytes(ear.stderr), ear.overflowed) == (b"abcde", False)
    ear.hear_error(b"f")
    assert (bytes(ear.stderr), ear.overflowed) == (b"abcde", True)


def test_the_image_is_the_same_for_the_same_layout_and_small():
    first, second = (pack_image.__wrapped__(describe_layout(network=False)) for _ in range(2))
    assert first == second
    assert name_image(first) == name_image(second)
    assert len(first) < 4 << 20


def test_the_image_has_every_mount_point_and_nothing_of_the_host_s_own_etc():
    layout = describe_layout(network=False)
    with tarfile.open(fileobj=io.BytesIO(pack_image(layout))) as archive:
        members = {member.name: member for member in archive.getmembers()}
        accounts = archive.extractfile("etc/passwd").read()
    assert {"usr", "work", "tmp", "proc", "dev", "etc", "opt/python"} <= members.keys()
    assert accounts.count(b"\n") == 2
    assert "etc/shadow" not in members
    assert {member.uid for member in members.values()} == {0}
    assert {member.mtime for member in members.values()} == {0}
    assert members["opt"].mode == 0o755


def test_the_layout_shows_what_bubblewrap_shows_and_hides_installed_packages():
    layout = describe_layout(network=False)
    shown = {bind.target: bind.source for bind in layout.binds}
    assert {"/usr", PYTHON_ROOT} <= shown.keys()
    hidden = [target for target in shown if target.endswith("/site-packages")]
    assert hidden
    assert list(shown[hidden[0]].iterdir()) == []
    assert "/etc" not in shown


def test_folders_come_with_their_parents_first():
    assert list_folders(["/a/b/c", "/a/d"]) == ("/a", "/a/b", "/a/b/c", "/a/d")


def test_writable_folders_add_up_to_the_disk_limit():
    work, temporary, shared = list_scratch(Limits(disk_mb=64))
    assert work.size + temporary.size == 64 << 20
    assert shared.size == 8 << 20
    assert {work.inodes, temporary.inodes} == {32_768}


def test_limits_become_options_of_the_engine():
    job = Job(limits=Limits(memory_mb=100, processes=50))
    host = describe_host(job, binds=(), runtime="", is_podman=False)
    assert (host["Memory"], host["MemorySwap"], host["PidsLimit"]) == (100 << 20, 100 << 20, 51)
    assert (host["NetworkMode"], host["ReadonlyRootfs"], host["CapDrop"]) == ("none", True, ["ALL"])
    assert "no-new-privileges:true" in host["SecurityOpt"]
    assert (
        describe_host(Job(limits=Limits(network=True)), binds=(), runtime="", is_podman=False)["NetworkMode"]
        == "bridge"
    )


def test_gvisor_gets_room_for_its_own_kernel():
    job = Job(limits=Limits(memory_mb=100, processes=50))
    host = describe_host(job, binds=(), runtime="runsc", is_podman=False)
    assert host["Memory"] == 164 << 20
    assert host["PidsLimit"] == 700
    assert {"Name": "nproc", "Soft": 51, "Hard": 51} in host["Ulimits"]


def test_podman_takes_the_filter_as_a_file_and_no_number_of_files():
    host = describe_host(Job(limits=Limits()), binds=(), runtime="", is_podman=True)
    path = next(option for option in host["SecurityOpt"] if option.startswith("seccomp=")).removeprefix("seccomp=")
    assert json.loads(Path(path).read_text())["defaultAction"] == "SCMP_ACT_ERRNO"
    assert "nr_inodes" not in host["Tmpfs"]["/work"]


def test_gvisor_s_kernel_answers_calls_that_a_c_library_can_do_without():
    rules = describe_filter(Job(limits=Limits()), is_gvisor=True)["syscalls"]
    assert {rule["action"] for rule in rules if "clone3" in rule["names"]} == {"SCMP_ACT_ALLOW"}
    assert all(rule.get("errnoRet") != 38 for rule in rules)
    plain = describe_filter(Job(limits=Limits()), is_gvisor=False)["syscalls"]
    assert {rule["action"] for rule in plain if "clone3" in rule["names"]} == {"SCMP_ACT_ERRNO"}


@pytest.mark.parametrize("name", ["", "A=B", "A\0B"])
def test_a_name_that_can_not_be_in_an_environment_is_refused(name):
    with pytest.raises(SandboxError, match="can't be the name of an environment variable"):
        describe_container(argv=("/bin/true",), env={name: "x"}, image="i", name="n")


def test_a_program_without_a_name_is_refused():
    with pytest.raises(SandboxError, match="doesn't start with a program name"):
        describe_container(argv=(), env={}, image="i", name="n")


@pytest.mark.parametrize("process_id", [0, -1, None, 2**22 + 1], ids=["zero", "minus one", "our own", "none such"])
def test_a_process_that_is_not_the_container_s_is_left_alone(process_id):
    assert find_process(os.getpid() if process_id is None else process_id, "d3adbeef" * 8) is None


def test_the_socket_is_looked_for_where_the_environment_says(monkeypatch, tmp_path):
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/docker.sock")
    assert list_sockets("docker")[0] == f"unix://{tmp_path}/docker.sock"
    monkeypatch.setenv("CONTAINER_HOST", f"unix://{tmp_path}/none.sock")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert find_socket("podman") in {None, "unix:///run/podman/podman.sock"}
