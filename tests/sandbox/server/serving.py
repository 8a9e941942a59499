"""A real `taskfoundry serve` for tests: started on a free port, stopped at the end."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import uvicorn

from sandbox.backends.process import ProcessBackend
from sandbox.server.app import make_app


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
    reader = threading.Thread(target=process.stdout.read, daemon=True)  # or the server would wait for room to log
    try:
        address = _await_address(process)
        reader.start()
        yield process, address
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.wait(100)
        if reader.ident is not None:
            reader.join(100)
        process.stdout.close()


def _await_address(process):
    deadline = time.monotonic() + 200
    said = ""
    while time.monotonic() < deadline:
        line = process.stdout.readline()
        said += line
        if found := re.search(r"running on (http://\S+)", line):
            return found.group(1)
        if not line:
            break
    raise AssertionError(f"the server didn't start: {said}")


@contextmanager
def serving_here(settings, **options):
    """Yield the port of a service on a thread of this process, for what the command line doesn't have."""
    config = uvicorn.Config(make_app(ProcessBackend(), settings), port=0, log_level="error", **options)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()
