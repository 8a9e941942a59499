"""A real `taskfoundry serve` for tests: started on a free port, stopped at the end."""

import os
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager


@contextmanager
def running_server(*options, token="", cwd=None):
    """Yield the process and its address."""
    env = {**os.environ, "TASKFOUNDRY_TOKEN": token}
    argv = [
        sys.executable,
        "-c",
        "from pipelines.cli import main; main()",
        "serve",
        "--port",
        "0",
        "--backend",
        "process",
        *options,
    ]
    process = subprocess.Popen(argv, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        yield process, _await_address(process)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.wait(60)
        process.stdout.close()


def _await_address(process):
    deadline = time.monotonic() + 60
    said = ""
    while time.monotonic() < deadline:
        line = process.stdout.readline()
        said += line
        if found := re.search(r"running on (http://\S+)", line):
            return found.group(1)
        if not line:
            break
    raise AssertionError(f"the server didn't start: {said}")
