"""What every level above `process` must do with the same programs; used by one test module per engine."""

from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.base import Backend, Job, Run, State
from sandbox.judging import CaseOutcome, Program
from sandbox.languages.python import PythonEvaluators
from sandbox.packages import find_packages
from schemas.candidate import TaskStyle
from schemas.limits import Limits
from schemas.values import encode_call

LIMITS = Limits(cpu_s=5.0, wall_s=60.0, memory_mb=192, disk_mb=16, stdout_mb=1.0, processes=12)
"""Time enough, also on a busy machine, for whatever isn't to meet a limit of time."""
SPINNER_CPU_S, SLEEPER_WALL_S = 0.75, 0.5
NUMPY_LIMITS = Limits(cpu_s=30.0, wall_s=100.0)
SECRET = "planted-secret-9f2c"

ENDINGS = (
    ("def f(): return 6 * 7", State.OK),
    ("def f():\n    while True: pass", State.TLE_CPU),
    ("import time\ndef f(): time.sleep(60)", State.TLE_WALL),
    ("def f():\n    while True: print('x' * 9999)", State.OLE),
    ("def f():\n    with open('/tmp/big', 'wb') as file:\n        while True: file.write(b'x' * 65536)", State.DLE),
    ("def f():\n    held = []\n    while True: held.append(bytearray(1 << 20))", State.MLE),
    (
        "import os, time\ndef f():\n    for _ in range(30):\n        if os.fork() == 0: time.sleep(60)",
        State.PLE,
    ),
    ("import os\ndef f(): os._exit(3)", State.RE),
    ("def f(): return 'still here'", State.OK),
)
ENDING_NAMES = ("value", "spinner", "sleeper", "talker", "writer", "hog", "breeder", "quitter", "value again")

QUICK = tuple(one for one in ENDINGS if one[1] in {State.OK, State.MLE, State.PLE, State.DLE})
"""Those that take no limit's time."""

SLEEPER = "import time\ndef f(): time.sleep(300)"
SLEEPER_LIMITS = replace(LIMITS, wall_s=300.0)
"""For a sandbox that is killed meanwhile, long before any limit."""

FORK_BOMB_LIMITS = replace(LIMITS, cpu_s=SPINNER_CPU_S)
FORK_BOMB = "import os\ndef f():\n    while True:\n        try: os.fork()\n        except OSError: pass"

FILLER = """
def f():
    for path in ('/work/a', '/tmp/a'):
        try:
            with open(path, 'wb') as file:
                while True: file.write(b'x' * (1 << 20))
        except OSError: pass
"""
FILLED_LIMITS = replace(LIMITS, memory_mb=64, disk_mb=160)
"""The files that fit on the disk don't fit into memory, which takes the fork server along."""

LOOK_AROUND = """
import os, socket
def status(name):
    with open('/proc/self/status') as file:
        return next((line.split(':')[1].split() for line in file if line.startswith(name)), [])
def can(act):
    try: act()
    except OSError: return False
    return True
print({
    'ids': (os.getuid(), os.getgid()),
    'capabilities': int(status('CapEff')[0], 16) | int(status('CapBnd')[0], 16),
    'filtered': status('Seccomp') == ['2'],
    'packages': os.listdir(os.path.dirname(os.__file__) + '/site-packages'),
    'writable': [path for path in ('/', '/usr', '/etc', '/dev', '/proc/sys/kernel', '/opt/python', '/opt', '/root',
                 '/run', '/var/tmp')
                 if os.access(path, os.W_OK)],
    'socket': can(lambda: socket.socket(socket.AF_INET)),
    'engine': [path for path in ('/var/run/docker.sock', '/run/docker.sock', '/run/podman') if os.path.exists(path)],
    'shadow': can(lambda: open('/etc/shadow')),
    'mqueue': can(lambda: open('/dev/mqueue/left', 'w')),
    'secret': [name for name in os.environ if os.environ[name].startswith('planted')],
})
"""
AROUND = {
    "ids": (65534, 65534),
    "capabilities": 0,
    "filtered": True,
    "packages": [],
    "writable": [],
    "socket": False,
    "engine": [],
    "shadow": False,
    "mqueue": False,
    "secret": [],
}


def evaluate(backend: Backend, source: str, limits: Limits = LIMITS) -> CaseOutcome:
    """Return what one call of ``f`` leads to in a fresh sandbox."""
    factory = PythonEvaluators(backend, limits, style=TaskStyle.FUNCTION)
    with factory.open() as evaluator:
        return evaluate_in(evaluator, source)


def evaluate_in(evaluator, source: str, *, cpu_s: float | None = None) -> CaseOutcome:
    """Return what one call of ``f`` leads to."""
    (outcome,) = evaluator.evaluate(Program(source=source, entry_point="f"), [encode_call((), {})], cpu_s=cpu_s)
    return outcome


def end_of(backend: Backend, evaluator, source: str, state: State) -> State:
    """Return how a program of `ENDINGS` ends: only one that is to meet a limit of time gets little of it."""
    if state is State.TLE_WALL:
        return evaluate(backend, source, replace(LIMITS, wall_s=SLEEPER_WALL_S)).state
    return evaluate_in(evaluator, source, cpu_s=SPINNER_CPU_S if state is State.TLE_CPU else None).state


def look_around(backend: Backend) -> object:
    """Return what a program finds out about its confinement."""
    with backend.open(Job(limits=LIMITS)) as session:
        outcome = session.run(Run(argv=("/opt/python/bin/python3", "-I", "-S", "-c", LOOK_AROUND)))
    assert outcome.state is State.OK, outcome
    return eval(outcome.stdout)


NUMPY_SOURCE = """
import os, sys
ahead = 'numpy' in sys.modules
import numpy as np
def f():
    return [ahead, (np.arange(6).reshape(2, 3) @ np.ones(3)).tolist(), os.access('/opt/packages/numpy', os.W_OK)]
"""


def check_numpy(backend: Backend, site: Path) -> None:
    """Accept a level on which programs find numpy loaded, under the strict filter."""
    packages = find_packages(site, ["numpy"])
    factory = PythonEvaluators(backend, NUMPY_LIMITS, style=TaskStyle.FUNCTION, packages=packages)
    with factory.open() as evaluator:
        outcome = evaluate_in(evaluator, NUMPY_SOURCE)
        assert outcome.output == '[true,[{"$float":"3.0"},{"$float":"12.0"}],false]', outcome
        assert ", numpy " in evaluator.toolchain


def skip_unless_available(backend: Backend) -> Backend:
    """Return the backend, or skip the test with the probe's reason."""
    capability = backend.probe()
    if not capability.available:
        pytest.skip(capability.reason)
    return backend
