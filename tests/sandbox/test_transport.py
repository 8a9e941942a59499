"""Messages and records that cross to a sandbox elsewhere: round trips, and what is refused."""

import io
import tarfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.base import Capability, Job, Mount, Outcome, Run, State, Usage
from sandbox.messages import Message, decode_message, read_message
from sandbox.transport import decode_error, decode_job, decode_record, encode_error, encode_job, encode_record
from sandbox.trees import pack_tree, unpack_tree
from schemas.errors import ConfigError, SandboxError
from schemas.limits import Limits

_FLOATS = st.floats(min_value=0, max_value=1e9)
_COUNTERS = st.dictionaries(st.text(max_size=8), st.integers(min_value=0, max_value=2**63), max_size=4)
_OUTCOMES = st.builds(
    Outcome,
    state=st.sampled_from(State),
    exit_code=st.none() | st.integers(0, 255),
    signal=st.none() | st.integers(1, 64),
    stdout=st.binary(max_size=64),
    stderr=st.binary(max_size=64),
    truncated=st.booleans(),
    cpu_s=_FLOATS,
    wall_s=_FLOATS,
    peak_memory_mb=_FLOATS,
    counters=_COUNTERS,
    backend=st.text(max_size=8),
    isolation=st.text(max_size=8),
    limits_enforced=st.lists(st.text(max_size=8), max_size=4).map(tuple),
    detail=st.text(max_size=8),
)


def _cross(message: Message) -> Message:
    return decode_message(message.encode())


@given(_OUTCOMES)
def test_an_outcome_comes_back_as_it_went(outcome: Outcome) -> None:
    message = Message({})
    message.header["outcome"] = encode_record(outcome, message)
    received = _cross(message)
    assert decode_record(Outcome, received.header["outcome"], received) == outcome


@pytest.mark.parametrize(
    "record",
    [
        Run(argv=("a", "b"), stdin=b"\0x", env={"A": "é"}),
        Usage(cpu_s=1.5, peak_memory_mb=2, counters={"oom_kill": 1}),
        Capability(backend="b", available=True, reason="r", limits_enforced=("cpu",)),
        Limits(cpu_s=1, network=True),
    ],
)
def test_every_record_comes_back_as_it_went(record: object) -> None:
    message = Message({})
    message.header["record"] = encode_record(record, message)
    received = _cross(message)
    assert decode_record(type(record), received.header["record"], received) == record


def test_a_job_comes_back_with_its_mounts_laid_out(tmp_path: Path) -> None:
    (tmp_path / "tree" / "sub").mkdir(parents=True)
    (tmp_path / "tree" / "sub" / "run.sh").write_text("x")
    (tmp_path / "tree" / "sub" / "run.sh").chmod(0o755)
    (tmp_path / "tree" / "link").symlink_to("sub/run.sh")
    job = Job(
        limits=Limits(memory_mb=64),
        files={"a/b": b"\0\1"},
        env={"LC_ALL": "C"},
        language="cpp",
        mounts=(Mount(source=tmp_path / "tree", target="/opt/x"), Mount(source=Path("/usr/bin"), target="/opt/y")),
    )
    message = Message({})
    places = {Path("/usr/bin"): "/usr/bin"}
    message.header["job"] = encode_job(job, message, known=lambda mount: places.get(mount.source))
    received = _cross(message)
    decoded = decode_job(received.header["job"], received, lambda digest, data: unpack_tree(data, tmp_path / digest))
    assert (decoded.limits, decoded.files, decoded.env) == (job.limits, job.files, job.env)
    assert decoded.language == "cpp"
    laid, named = decoded.mounts
    assert (laid.source / "link").read_text() == "x"
    assert (laid.source / "sub" / "run.sh").stat().st_mode & 0o777 == 0o755
    assert (laid.target, named) == ("/opt/x", job.mounts[1])


def test_equal_trees_pack_to_equal_bytes(tmp_path: Path) -> None:
    for name, order in (("one", "ab"), ("two", "ba")):
        (tmp_path / name).mkdir()
        for letter in order:
            (tmp_path / name / letter).write_text(letter)
            (tmp_path / name / letter).touch()
    packed = {pack_tree(tmp_path / name) for name in ("one", "two")}
    assert len({len(data) for data in packed}) == 1


def test_a_single_file_packs_and_unpacks(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"content")
    laid = unpack_tree(pack_tree(tmp_path / "file"), tmp_path / "laid")
    assert laid.read_bytes() == b"content"


def test_an_archive_that_leaves_its_folder_is_refused(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("../outside"))
    with pytest.raises(SandboxError, match="can't be unpacked"):
        unpack_tree(buffer.getvalue(), tmp_path / "laid")


@pytest.mark.parametrize("error", [SandboxError("broken"), ConfigError("yours")])
def test_an_error_keeps_its_family_and_words(error: SandboxError | ConfigError) -> None:
    received = decode_error(encode_error(error))
    assert (type(received), str(received)) == (type(error), str(error))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\xff\xff\xff\xff", "isn't one of ours"),
        (b"\0\0\0\0", "isn't one of ours"),
        (b"\0\0\0\2[]", "header of a message is list"),
        (b"\0\0\0\1{", "no JSON"),
        (b"\0\0\0\2{}", "lengths of its blobs"),
        (b'\0\0\0\x0c{"blobs":[1]', "no JSON"),
        (b'\0\0\0\x0d{"blobs":[1]}', "1 bytes early"),
        (b'\0\0\0\x0e{"blobs":[-1]}', "lengths of its blobs"),
        (b'\0\0\0\x0e{"blobs":[9e9]', "no JSON"),
        (b'\0\0\0\x10{"blobs":[99999]', "no JSON"),
        (b'\0\0\0\x11{"blobs":[999999]}'[:4] + b'{"blobs":[9999]} ', "over the limit"),
        (b"\0\0", "isn't one of ours"),
        (b"", "aren't one message"),
    ],
)
def test_bytes_that_are_no_message_are_refused(data: bytes, words: str) -> None:
    with pytest.raises(SandboxError, match=words):
        decode_message(data, max_bytes=1000)


def test_the_end_of_a_stream_is_no_error() -> None:
    assert read_message(io.BytesIO().read) is None


@pytest.mark.parametrize(
    ("given_data", "words"),
    [
        ({"state": "FINE"}, "no State"),
        ({"state": "OK", "cpu_s": "1"}, "cpu_s of a message is str, not float"),
        ({"state": "OK", "exit_code": True}, "exit_code of a message is bool, not int"),
        ({"state": "OK", "stdout": 3}, "names blob 3"),
        ({"state": "OK", "colour": 1}, "unknown colour"),
        ({"state": "OK", "counters": {"a": "b"}}, "counters of a message is str"),
        ({}, "lacks state"),
        ([], "Outcome of a message is list"),
    ],
)
def test_a_record_of_other_types_is_refused(given_data: object, words: str) -> None:
    with pytest.raises(SandboxError, match=words):
        decode_record(Outcome, given_data, Message({}))
