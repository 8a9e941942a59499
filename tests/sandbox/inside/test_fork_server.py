import os
import shutil
import subprocess
import sys
from pathlib import Path

from sandbox.inside import fork_server
from sandbox.inside.watching import Stream


def test_it_refuses_to_run_outside_of_a_process_namespace_of_its_own(tmp_path):
    """It kills every process that it may kill, so this refusal protects the host."""
    root = Path(fork_server.__file__).parents[2]
    inside = ("frames", "seal", "guard", "program_child", "python_child", "requests", "scratch", "watching")
    modules = (*(f"sandbox/inside/{name}.py" for name in inside), "schemas/values.py")
    for name in modules:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / name, tmp_path / name)
    script = tmp_path / "fork_server.py"
    shutil.copyfile(fork_server.__file__, script)
    argv = [sys.executable, "-S", "-s", "-P", script]
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert done.returncode == 1
    assert done.stderr.decode().strip() == "the fork server must be process 1 of its own process namespace"


def fill(stream, data):
    read, write = os.pipe()
    os.write(write, data)
    os.close(write)
    while stream.drain(read):
        pass
    os.close(read)
    return bytes(stream.kept), stream.total


def test_a_stream_keeps_its_start_its_end_or_nothing_and_counts_all():
    assert fill(Stream(4), b"abcdefgh") == (b"abcd", 8)
    assert fill(Stream(-4), b"abcdefgh") == (b"efgh", 8)
    assert fill(Stream(0), b"abcdefgh") == (b"", 8)
    assert fill(Stream(100), b"") == (b"", 0)
