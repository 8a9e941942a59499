import pytest

from sandbox.backends import select_backend
from sandbox.backends.rootfs import PYTHON
from sandbox.base import Job
from sandbox.inside.requests import program_task, python_task
from sandbox.runner import ForkServer
from schemas.limits import Limits

USUAL = {"cpu_s": 2, "wall_s": 10, "output_bytes": 1000}


@pytest.fixture(scope="module")
def server():
    with ForkServer.open(select_backend("process"), Job(limits=Limits(disk_mb=8))) as opened:
        yield opened


@pytest.mark.parametrize(
    "files",
    [{"a": b"", "a/b": b""}, {"x" * 256: b""}, {"big": bytes(7 * 2**20)}, {"\ud800": b""}],
    ids=["a folder too", "too long", "too big", "no name"],
)
def test_nothing_runs_without_its_files(server, files):
    server.lay(files)
    task = program_task((PYTHON, "-c", "print(1)"), {}, **USUAL)
    for asked in (task, python_task("stdin", source="print(1)", **USUAL)):
        answer = server.ask(asked)
        assert (answer.verdict, answer.clean) == ("DLE", True)
    server.lay({"a": b"1"})
    assert server.ask(python_task("stdin", source="print(open('a').read())", **USUAL)).stdout == b"1\n"
