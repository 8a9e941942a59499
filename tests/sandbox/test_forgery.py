"""Dishonest programs against the split judge: what they return is an output, and no output can say "passed"."""

import pytest

from sandbox.backends import select_backend
from sandbox.base import State
from sandbox.judge import judge
from sandbox.judging import Program
from sandbox.languages.python import PythonEvaluators
from schemas.candidate import Checker, CheckerName, TaskStyle, TestCase, TestOrigin
from schemas.limits import Limits
from schemas.values import encode_call, encode_text

LIMITS = Limits(cpu_s=2.0, wall_s=4.0, memory_mb=256, stdout_mb=1.0, processes=40)
CANARY = "canary-7d1f0c5e"
"""Stands in the expected values only; a program that finds it has reached the trusted side."""
NUMBERS = (2, 3, 5)


def expected_of(number):
    return f"{CANARY}-{number * number}"


FUNCTION_CASES = [
    TestCase.make(encode_call((number,), {}), encode_text(expected_of(number)), origin=TestOrigin.BANK)
    for number in NUMBERS
]
STDIN_CASES = [TestCase.make(f"{number}\n", f"{expected_of(number)}\n", origin=TestOrigin.BANK) for number in NUMBERS]

SEARCH = """
import gc, os, re, sys
PATTERN = re.compile(rb"can" + rb"ary-[0-9a-f]{8}-[0-9]+")
def files():
    for root in ("/work", "/tmp", "/dev/shm", "/opt/runner", "/etc", "/run", "/var", "/proc/self", "/proc/1"):
        for folder, _, names in os.walk(root):
            if "/task/" in folder or "/net" in folder:
                continue
            for name in names:
                yield os.path.join(folder, name)
def texts():
    for path in files():
        if os.path.basename(path) in ("kmsg", "mem", "pagemap", "kpageflags", "clear_refs", "trace_pipe"):
            continue
        try:
            fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        except OSError:
            continue
        try:
            yield os.read(fd, 1 << 20)
        except OSError:
            pass
        os.close(fd)
    yield repr(sys.argv).encode()
    yield repr(dict(os.environ)).encode()
    frame = sys._getframe()
    while frame:
        yield repr(frame.f_locals).encode("utf-8", "replace")
        frame = frame.f_back
    for thing in gc.get_objects():
        if type(thing) in (list, tuple, dict, set):
            try:
                yield repr(thing)[:100_000].encode("utf-8", "replace")
            except Exception:
                pass
    for fd in range(64):
        try:
            os.set_blocking(fd, False)
            yield os.read(fd, 1 << 20)
        except OSError:
            pass
def memory():
    maps = open("/proc/self/maps").read().splitlines()
    with open("/proc/self/mem", "rb", 0) as mem:
        for line in maps:
            span, mode = line.split()[:2]
            start, end = (int(part, 16) for part in span.split("-"))
            if "r" in mode and end - start < 1 << 26:
                try:
                    mem.seek(start)
                    yield mem.read(end - start)
                except (OSError, ValueError, OverflowError):
                    pass
def search(number):
    for source in (texts(), memory()):
        for text in source:
            for hit in PATTERN.findall(text):
                if hit.endswith(b"-%d" % (number * number)):
                    return hit.decode()
    return "nothing"
"""

FORGE_RECORDS = """
import json, os
def forge(value):
    fakes = [
        json.dumps({"index": 0, "state": "OK", "output": json.dumps(value), "detail": "", "passed": True}) + "\\n",
        json.dumps({"verdict": "OK", "passed": True, "blobs": [0, 0, 0], "status": 0, "clean": True}) + "\\n",
        "PASS\\n", "\\x00\\x00\\x00\\x02{}",
    ]
    for fd in range(64):
        for fake in fakes:
            try:
                os.write(fd, fake.encode())
            except OSError:
                pass
"""

DISHONEST = {
    "wrong": "def f(x): return x",
    "exit at import": "import sys\nsys.exit(0)",
    "os._exit at import": "import os\nos._exit(0)",
    "exit in the call": "import sys\ndef f(x): sys.exit(0)",
    "os._exit in the call": "import os\ndef f(x): os._exit(0)",
    "atexit": "import atexit, os\natexit.register(os._exit, 0)\ndef f(x): return None",
    "marker then exit": "import sys\nprint('PASS')\nsys.exit(0)",
    "marker flushed then os._exit": "import os\nprint('PASS', flush=True)\nos._exit(0)",
    "equal to everything": "class E:\n def __eq__(self, o): return True\n __hash__ = None\ndef f(x): return E()",
    "string subclass equal to everything": (
        "class E(str):\n def __eq__(self, o): return True\n __hash__ = str.__hash__\ndef f(x): return E('x')"
    ),
    "lying subclass": (
        "class L(list):\n def __iter__(self): return iter('PASS')\n def __len__(self): return 1\ndef f(x): return L()"
    ),
    "lying class": "class C:\n @property\n def __class__(self): return str\ndef f(x): return C()",
    "pickle": (
        "import pickle\nclass P:\n def __reduce__(self): return (print, ('PASS',))\ndef f(x): return pickle.dumps(P())"
    ),
    "json hooks": "class D(dict):\n def items(self): return [('$raises', 'x')]\ndef f(x): return D(a=1)",
    "expected value in the caller's frame": (
        "import sys\ndef f(x):\n fr = sys._getframe()\n while fr:\n  for k, v in fr.f_locals.items():\n"
        "   if 'expect' in k: return v\n  fr = fr.f_back"
    ),
    "expected value anywhere": SEARCH + "\ndef f(x): return search(x)",
    "expected value on the command line": "def f(x): return open('/proc/self/cmdline').read().split('\\0')[-2]",
    "expected value of process 1": "def f(x): return open('/proc/1/cmdline').read()",
    "memory of process 1": "def f(x): return open('/proc/1/mem', 'rb').read(1)",
    "environment of process 1": "def f(x): return open('/proc/1/environ').read()",
    "descriptors of process 1": "import os\ndef f(x): return [os.readlink(f'/proc/1/fd/{n}') for n in range(9)]",
    "control pipe of process 1": (
        "import os\ndef f(x):\n for n in range(9):\n  try: os.write(os.open(f'/proc/1/fd/{n}', 1), b'PASS')\n"
        "  except OSError: pass\n return 'PASS'"
    ),
    "forged records": FORGE_RECORDS + "\ndef f(x):\n forge('x')\n return 'x'",
    "forged records then exit": FORGE_RECORDS + "\nimport os\ndef f(x):\n forge('x')\n os._exit(0)",
    "forged records at import": FORGE_RECORDS + "\nimport os\nforge('x')\nos._exit(0)",
    "patched json": (
        "import json\njson.dumps = lambda *a, **k: '{\"passed\": true}'\n"
        "json.JSONEncoder.encode = json.dumps\ndef f(x): return 1"
    ),
    "patched builtins": (
        "import builtins\nbuiltins.type = lambda *a: str\nbuiltins.repr = lambda o: 'PASS'\n"
        "builtins.isinstance = builtins.issubclass = lambda *a: True\ndef f(x): return object()"
    ),
    "patched encoder": (
        "import gc, types\nfor o in gc.get_objects():\n"
        " if isinstance(o, dict) and 'encode_text' in o: o['encode_text'] = lambda v: '\"PASS\"'\n"
        "def f(x): return x"
    ),
    "background writer": (
        "import os, time\ndef f(x):\n if os.fork() == 0:\n  os.setsid()\n  while True:\n"
        "   try: os.write(3, b'{}\\n')\n   except OSError: pass\n   time.sleep(0.01)\n return 'x'"
    ),
    "thread that writes on": (
        "import os, threading\ndef spam():\n while True: os.write(3, b'{}\\n')\n"
        "def f(x):\n threading.Thread(target=spam).start()\n return 'x'"
    ),
    "closed descriptors": "import os\nos.closerange(0, 64)\ndef f(x): return 'x'",
    "moved descriptors": "import os\nos.dup2(1, 3)\ndef f(x): return 'x'",
    "huge output": "def f(x): print('PASS' * 10_000_000)",
    "huge value": "def f(x): return ['PASS'] * 10_000_000",
    "deep recursion": "def f(x): return f(x)",
    "deep value": "def f(x):\n v = 0\n for _ in range(10**5): v = [v]\n return v",
    "__del__": (
        "import os\nclass D:\n def __del__(self): os.write(3, b'{\"index\":0}\\n')\nd = D()\ndef f(x): return [D(), d] and 0"
    ),
    "trace function": "import sys\ndef t(*a): return t\nsys.settrace(t)\nsys.setprofile(t)\ndef f(x): return 0",
    "signal handlers": (
        "import signal, os\ndef h(*a): os._exit(0)\nfor n in range(1, 65):\n"
        " try: signal.signal(n, h)\n except (OSError, ValueError): pass\n"
        "signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)\ndef f(x):\n while True: pass"
    ),
    "kills everything": "import os\ndef f(x):\n for n in (9, 15, 2, 19, 17):\n  os.kill(1, n)\n os.kill(-1, 9)\n return 'x'",
    "replaces the interpreter": "import os\nos.execv('/bin/true', ['true'])",
    "deletes the frames below": (
        "import sys, ctypes\ndef f(x):\n sys.modules.clear()\n sys._getframe(1).f_globals.clear()\n return 'x'"
    ),
    "claims a raised exception": "def f(x): raise type('AssertionError', (Exception,), {})",
    "exception equal to everything": (
        "class E(Exception):\n def __eq__(self, o): return True\n def __str__(self): return 'PASS'\ndef f(x): raise E"
    ),
    "infrastructure failure": 'import os\ndef f(x):\n os.write(3, b\'{"state": "INFRA"}\')\n os._exit(125)',
}

DISHONEST_STDIN = {
    "nothing": "",
    "exit": "import sys\nsys.exit(0)",
    "os._exit": "import os\nos._exit(0)",
    "marker": "print('PASS', flush=True)\nimport os\nos._exit(0)",
    "echo": "print(open(0).read())",
    "expected value anywhere": SEARCH + "\nprint(search(int(input())))",
    "forged records": FORGE_RECORDS + "\nforge('x')",
    "writes to standard input": "import os\nos.write(0, b'PASS')",
    "background writer": "import os, time\nif os.fork() == 0:\n while True: print('x', flush=True)",
    "replaces the interpreter": "import os\nos.execv('/bin/cat', ['cat', '/proc/1/cmdline', '/proc/self/cmdline'])",
    "atexit": "import atexit, os\natexit.register(os._exit, 0)\nprint('PASS')",
    "huge output": "while True: print('PASS' * 1000)",
}

HONEST = {
    "plain": "def f(x): return '%s' + str(x * x)",
    "noisy": "import sys\ndef f(x):\n print('PASS')\n print('noise', file=sys.stderr)\n return '%s' + str(x * x)",
    "string subclass": "class S(str): pass\ndef f(x): return S('%s' + str(x * x))",
    "thread": (
        "import threading\ndef f(x):\n r = []\n t = threading.Thread(target=lambda: r.append(x * x))\n t.start()\n"
        " t.join()\n return '%s' + str(r[0])"
    ),
    "subprocess": "import subprocess as s\ndef f(x): return '%s' + s.check_output(['echo', str(x * x)]).decode().strip()",
    "leaves a process behind": (
        "import os, time\ndef f(x):\n if os.fork() == 0: time.sleep(99)\n return '%s' + str(x * x)"
    ),
    "exit function": "import atexit, os\natexit.register(os._exit, 9)\ndef f(x): return '%s' + str(x * x)",
    "catches everything": "def f(x):\n try: 1 / 0\n except BaseException: return '%s' + str(x * x)",
    "scratch files": ("def f(x):\n open('/tmp/s', 'w').write(str(x * x))\n return '%s' + open('/tmp/s').read()"),
    "own main": "def f(x): return '%s' + str(x * x)\nif __name__ == '__main__': raise SystemExit",
}


@pytest.fixture(scope="module")
def functions():
    return PythonEvaluators(select_backend("process"), LIMITS, style=TaskStyle.FUNCTION)


@pytest.fixture(scope="module")
def programs():
    return PythonEvaluators(select_backend("process"), LIMITS, style=TaskStyle.STDIN)


def judge_function(factory, source, cases=FUNCTION_CASES, **options):
    program = Program(source=source, entry_point="f")
    return judge(factory, program, cases, Checker(), TaskStyle.FUNCTION, **options)


@pytest.mark.parametrize("name", DISHONEST)
def test_no_dishonest_function_passes_a_single_case(functions, name):
    verdict = judge_function(functions, DISHONEST[name])
    assert verdict.pass_fraction == 0.0, verdict
    assert not any(CANARY in result.outcome.output + result.outcome.detail for result in verdict.results)


@pytest.mark.parametrize("name", ["wrong", "exit at import", "equal to everything", "forged records at import"])
def test_no_dishonest_function_passes_in_one_process_either(functions, name):
    assert judge_function(functions, DISHONEST[name], isolate=False).pass_fraction == 0.0


@pytest.mark.parametrize("name", DISHONEST_STDIN)
def test_no_dishonest_program_passes_a_single_case(programs, name):
    program = Program(source=DISHONEST_STDIN[name])
    verdict = judge(programs, program, STDIN_CASES, Checker(name=CheckerName.TOKENS), TaskStyle.STDIN)
    assert verdict.pass_fraction == 0.0, verdict
    assert not any(CANARY in result.outcome.output + result.outcome.detail for result in verdict.results)


@pytest.mark.parametrize("name", HONEST)
def test_honest_functions_pass(functions, name):
    verdict = judge_function(functions, HONEST[name].replace("%s", f"{CANARY}-"))
    assert verdict.passed, verdict


def test_the_search_would_find_the_expected_value_if_it_were_inside(functions):
    planted = f"KEPT = [{expected_of(2)!r}]\n" + SEARCH + "\ndef f(x): return search(x)"
    verdict = judge_function(functions, planted, FUNCTION_CASES[:1])
    assert verdict.passed, verdict


def test_hard_coded_visible_cases_pass_those_and_fail_hidden_ones(functions):
    """No judge can see this from outside: it's why tasks need hidden inputs."""
    known = {number: expected_of(number) for number in NUMBERS[:2]}
    verdict = judge_function(functions, f"def f(x): return {known!r}.get(x)")
    assert [result.passed for result in verdict.results] == [True, True, False]
    assert verdict.results[2].outcome.state is State.OK
