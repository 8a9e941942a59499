import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.backends import select_backend
from sandbox.base import State
from sandbox.judging import Perturbation, Program
from sandbox.languages import LANGUAGES
from sandbox.languages.python import PythonEvaluators
from schemas.candidate import TaskStyle
from schemas.errors import ConfigError, SchemaError
from schemas.limits import Limits
from schemas.values import decode_text, encode_call

LIMITS = Limits(cpu_s=5, wall_s=60, memory_mb=256, disk_mb=16, stdout_mb=1.0, processes=40)
"""Time enough, also on a busy machine, for whatever isn't to meet a limit of time."""
SPINNER_CPU_S = 0.6


@pytest.fixture(scope="module")
def functions():
    return PythonEvaluators(select_backend("process"), LIMITS, style=TaskStyle.FUNCTION)


@pytest.fixture(scope="module")
def shared(functions):
    with functions.open() as evaluator:
        yield evaluator


@pytest.fixture(scope="module")
def programs():
    factory = PythonEvaluators(select_backend("process"), LIMITS, style=TaskStyle.STDIN)
    with factory.open() as evaluator:
        yield evaluator


def call(evaluator, source, *args, entry_point="f", **options):
    program = Program(source=source, entry_point=entry_point)
    (outcome,) = evaluator.evaluate(program, [encode_call(args, {})], **options)
    return outcome


def value_of(evaluator, source, *args, **options):
    outcome = call(evaluator, source, *args, **options)
    assert outcome.state is State.OK, outcome
    return decode_text(outcome.output)


@pytest.mark.parametrize(
    ("source", "entry_point", "args", "value"),
    [
        ("def f(x): return x * 2", "f", (21,), 42),
        ("class S:\n    def twice(self, x): return [x, x]", "S().twice", ("é",), ["é", "é"]),
        ("f = lambda *a, **k: (a, k)", "f", (1, (2,), {3}), ((1, (2,), {3}), {})),
        ("def f(x):\n    x.append(1)\n    return x", "f", ([],), [1]),
        ("from __future__ import annotations\ndef f(x: Nope) -> Nope: return x", "f", (1.5,), 1.5),
        ("import dataclasses\n@dataclasses.dataclass\nclass P:\n    x: int\ndef f(x): return P(x).x", "f", (3,), 3),
        ("import pickle\nclass P: pass\ndef f(): return type(pickle.loads(pickle.dumps(P()))).__name__", "f", (), "P"),
        ("def f():\n    print('noise', flush=True)\n    return None", "f", (), None),
        ("import subprocess\ndef f(): return subprocess.check_output(['/bin/echo', 'a'])", "f", (), b"a\n"),
        ("import os\ndef f(): return os.getcwd(), os.listdir('.'), os.listdir('/tmp')", "f", (), ("/work", [], [])),
        ("import sys\ndef f(): return sys.argv, __name__, sys.getrecursionlimit()", "f", (),
         (["/work/solution.py"], "solution", 1000)),
        ("import os\ndef f(): return sorted(n for n in os.listdir('/proc/self/fd') if int(n) < 4)", "f", (),
         ["0", "1", "2", "3"]),
        ("import sys\ndef f(): return sys.stdin.read()", "f", (), ""),
        (("import multiprocessing as m\ndef g(x): return x * x\ndef f():\n    with m.get_context('fork').Pool(2) as p:\n"
         "        return p.map(g, [1, 2])"), "f", (), [1, 4]),
        (("import threading\ndef f():\n    r = []\n    t = threading.Thread(target=r.append, args=(1,))\n    t.start()\n"
         "    t.join()\n    return r"), "f", (), [1]),
        ("import atexit\natexit.register(print, 'x')\ndef f(): return 1", "f", (), 1),
        ("import sys, threading\nsys.setrecursionlimit(10**6)\ndef f(n): return 0 if n == 0 else 1 + f(n - 1)", "f",
         (50_000,), 50_000),
        ("import os, time\ndef f():\n    if os.fork() == 0:\n        time.sleep(60)\n    return 'parent'", "f", (), "parent"),
    ],
)  # fmt: skip
def test_ordinary_solutions_return_their_value(shared, source, entry_point, args, value):
    assert value_of(shared, source, *args, entry_point=entry_point) == value


def test_keyword_arguments_and_the_preamble_arrive(shared):
    program = Program(source="def f(a, *, b): return sqrt(a) + b", entry_point="f", preamble="from math import *")
    (outcome,) = shared.evaluate(program, [encode_call((4.0,), {"b": 1})])
    assert decode_text(outcome.output) == 3.0


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("def f(): raise ValueError('no')", "ValueError"),
        ("class Own(Exception): pass\ndef f(): raise Own", "Own"),
        ("def f(): return {}['x']", "KeyError"),
        ("def f(): return open('/nowhere')", "FileNotFoundError"),
        ("class E(Exception):\n    def __str__(self): raise SystemExit\ndef f(): raise E", "E"),
        ("def f(a): return a", "TypeError"),
    ],
)
def test_an_exception_of_the_call_is_an_output(shared, source, name):
    outcome = call(shared, source)
    assert (outcome.state, outcome.output) == (State.OK, f'{{"$raises":"{name}"}}')
    assert name in outcome.detail


@pytest.mark.parametrize(
    ("source", "state", "detail"),
    [
        ("def f(:", State.RE, "SyntaxError"),
        ("1 / 0", State.RE, "ZeroDivisionError: division by zero (line 1)"),
        ("def g(): pass", State.RE, "NameError: name 'f' is not defined"),
        ("f = 3", State.OK, "TypeError: 'int' object is not callable"),
        ("import sys\nsys.exit(0)", State.RE, "SystemExit"),
        ("import sys\ndef f(): sys.exit(0)", State.RE, "SystemExit"),
        ("def f(): raise KeyboardInterrupt", State.RE, "KeyboardInterrupt"),
        ("import os\ndef f(): os._exit(0)", State.RE, "ended without a result"),
        ("import os\ndef f(): os._exit(3)", State.RE, "exit code 3"),
        ("import os\ndef f(): os.kill(os.getpid(), 11)", State.RE, "killed by signal 11"),
        ("import os\ndef f(): os.kill(os.getpid(), 9)", State.RE, "killed by signal 9"),
        ("import ctypes\ndef f(): ctypes.string_at(0)", State.RE, "killed by signal 11"),
        ("def f(): return f()", State.RE, "RecursionError"),
        ("def f(): return object()", State.RE, "type object has no encoding"),
        ("def f(): return (i for i in [1])", State.RE, "type generator has no encoding"),
        ("def f():\n    a = []\n    a.append(a)\n    return a", State.RE, "contains itself"),
        ("import os\ndef f():\n    os.close(3)\n    return 1", State.RE, "OSError"),
        ("def f():\n    while True: pass", State.TLE_CPU, "TLE_CPU"),
        ("import subprocess, sys\ndef f():\n    subprocess.run([sys.executable, '-c', 'while True: pass'])",
         State.TLE_CPU, "TLE_CPU"),
        ("def f():\n    while True: print('x' * 9999)", State.OLE, "OLE"),
        ("import sys\ndef f():\n    while True: sys.stderr.write('x' * 9999)", State.OLE, "OLE"),
        ("def f(): return 'x' * 5_000_000", State.OLE, "OLE"),
        ("def f():\n    with open('/tmp/big', 'wb') as file:\n        while True: file.write(b'x' * 65536)",
         State.DLE, "No space left"),
        ("def f():\n    a = []\n    while True: a.append(bytearray(1 << 20))", State.MLE, ""),
        ("import os, time\ndef f():\n    for _ in range(200):\n        if os.fork() == 0: time.sleep(60)",
         State.PLE, "Resource temporarily unavailable"),
    ],
)  # fmt: skip
def test_every_failure_has_its_state(shared, source, state, detail):
    outcome = call(shared, source, cpu_s=SPINNER_CPU_S if state is State.TLE_CPU else None)
    assert (outcome.state, detail in outcome.detail) == (state, True), outcome


def test_a_sleeper_that_ignores_every_signal_ends_at_the_wall_limit():
    source = (
        "import signal, time\nfor n in range(1, 65):\n    try: signal.signal(n, signal.SIG_IGN)\n"
        "    except (OSError, ValueError): pass\ndef f(): time.sleep(60)"
    )
    limits = replace(LIMITS, wall_s=0.5)
    with PythonEvaluators(select_backend("process"), limits, style=TaskStyle.FUNCTION).open() as evaluator:
        outcome = call(evaluator, source)
    assert (outcome.state, outcome.detail) == (State.TLE_WALL, "stopped: TLE_WALL")


def test_memory_of_several_processes_counts_together_although_the_parent_ends_well(shared):
    source = (
        "import os, time\ndef f():\n    for _ in range(4):\n        if os.fork() == 0:\n"
        "            x = bytearray(b'x') * (150 << 20)\n            time.sleep(2)\n            os._exit(0)\n"
        "    for _ in range(4): os.wait()\n    return 1"
    )
    assert call(shared, source).state is State.MLE


def test_cpu_time_hides_nowhere(shared):
    source = (
        "import os, signal\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\ndef f():\n    for _ in range(30):\n"
        "        pid = os.fork()\n        if pid == 0:\n            for _ in range(10**6): pass\n            os._exit(0)\n"
        "        try: os.waitpid(pid, 0)\n        except ChildProcessError: pass\n    return 1"
    )
    outcome = call(shared, source, cpu_s=0.3)
    assert outcome.state is State.TLE_CPU, outcome


def test_a_case_starts_with_nothing_of_the_case_before(shared):
    leave = (
        "import os, time\ndef f(x):\n    os.makedirs('/tmp/a/b'); os.chmod('/tmp/a', 0); os.symlink('/usr', '/tmp/s')\n"
        "    open('/dev/shm/x', 'w').close(); open('y', 'w').close(); os.mkfifo('z')\n"
        "    if os.fork() == 0:\n        os.setsid()\n        time.sleep(60)\n    return x"
    )
    look = (
        "import os\ndef f():\n    pids = [p for p in os.listdir('/proc') if p.isdigit()]\n"
        "    return [os.listdir(d) for d in ('/tmp', '/dev/shm', '.')], len(pids)"
    )
    assert value_of(shared, leave, 1) == 1
    assert value_of(shared, look) == ([[], [], []], 2)


@pytest.mark.parametrize(
    ("source", "states"),
    [
        ("import os\ndef f():\n    while True: os.fork()", {State.PLE}),
        (
            "import os\ndef f():\n    while True:\n        try: os.fork()\n        except OSError: pass",
            {State.PLE},
        ),
        (
            "import threading\ndef f():\n    while True: threading.Thread(target=threading.Event().wait).start()",
            {State.PLE},
        ),
        ("def f(): open('/dev/shm/x', 'wb').write(bytes(10**8))", {State.DLE}),
        ("import os\ndef f():\n    while True: os.write(3, b'x' * 9999)", {State.OLE}),
        ("import os\ndef f():\n    for n in range(1, 65): os.kill(1, n)\n    os.kill(-1, 9)", {State.OK}),
    ],
)
def test_an_attack_is_over_with_its_case(shared, source, states):
    assert call(shared, source, cpu_s=SPINNER_CPU_S if "while True" in source else None).state in states
    look = "import os\ndef f(): return len([name for name in os.listdir('/proc') if name.isdigit()])"
    assert value_of(shared, look) == 2


def test_a_very_deep_folder_is_removed(shared):
    source = (
        "import os\ndef f():\n    for _ in range(3000):\n        os.mkdir('d')\n        os.chdir('d')\n    return 1"
    )
    assert value_of(shared, source) == 1
    assert value_of(shared, "import os\ndef f(): return os.listdir('/work')") == []


def test_random_numbers_and_hashes_are_the_same_in_every_case(functions, shared):
    source = "import random\ndef f(): return random.random(), hash('text'), list({'a', 'b', 'c'})"
    first = value_of(shared, source)
    assert value_of(shared, source) == first
    with functions.open(Perturbation(hash_seed=7)) as other:
        assert value_of(other, source)[1] != first[1]


def test_a_perturbation_changes_zone_and_order_and_nothing_else(functions):
    source = "import time\ndef f(x): return x, time.localtime(0).tm_hour"
    inputs = [encode_call((number,), {}) for number in range(9)]
    perturbation = Perturbation(time_zone="Asia/Tokyo", order_seed=5)
    with functions.open(perturbation) as evaluator:
        outcomes = evaluator.evaluate(Program(source=source, entry_point="f"), inputs)
    assert [decode_text(outcome.output) for outcome in outcomes] == [(number, 9) for number in range(9)]


def test_inputs_run_in_another_order_under_an_order_seed(functions):
    source = "seen = []\ndef f(x):\n    seen.append(x)\n    return list(seen)"
    inputs = [encode_call((number,), {}) for number in range(9)]
    program = Program(source=source, entry_point="f")
    with functions.open() as evaluator:
        straight = evaluator.evaluate(program, inputs, isolate=False)
    with functions.open(Perturbation(order_seed=5)) as evaluator:
        shuffled = evaluator.evaluate(program, inputs, isolate=False)
    assert decode_text(straight[8].output) == list(range(9))
    longest = max((decode_text(outcome.output) for outcome in shuffled), key=len)
    assert longest != list(range(9))
    assert sorted(longest) == list(range(9))


def test_a_batch_stops_at_the_input_that_doesn_t_end(shared):
    source = "def f(x):\n    if x == 3:\n        while True: pass\n    return x"
    inputs = [encode_call((number,), {}) for number in range(6)]
    outcomes = shared.evaluate(Program(source=source, entry_point="f"), inputs, isolate=False, cpu_s=0.3)
    assert [outcome.state for outcome in outcomes] == [State.OK] * 3 + [State.TLE_CPU] * 3


def test_a_batch_goes_on_after_an_exit(shared):
    source = "import sys\ndef f(x):\n    if x == 1: sys.exit()\n    return x"
    inputs = [encode_call((number,), {}) for number in range(3)]
    outcomes = shared.evaluate(Program(source=source, entry_point="f"), inputs, isolate=False)
    assert [outcome.state for outcome in outcomes] == [State.OK, State.RE, State.OK]


def test_no_inputs_give_no_outcomes(shared):
    assert shared.evaluate(Program(source="", entry_point="f"), []) == ()


@pytest.mark.parametrize(
    ("source", "text", "state", "output"),
    [
        ("print(sum(map(int, input().split())))", "1 2\n", State.OK, "3\n"),
        ("import sys\nprint(sys.stdin.buffer.read())", "é", State.OK, "b'\\xc3\\xa9'\n"),
        ("import sys\nfor line in sys.stdin: print(line, end='')", "a\r\nb", State.OK, "a\nb"),
        ("import os\nos.write(1, os.read(0, 100))", "raw", State.OK, "raw"),
        ("print(open(0).read())", "x", State.OK, "x\n"),
        ("if __name__ == '__main__': print('main')", "", State.OK, "main\n"),
        ("import sys\nsys.stdout.write('no newline')", "", State.OK, "no newline"),
        ("print('é\\U0001f600')", "", State.OK, "é\U0001f600\n"),
        ("import os\nos.write(1, b'\\xff')", "", State.OK, "\udcff"),
        ("print(1)\nexit()", "", State.OK, "1\n"),
        ("import sys\nprint(1)\nsys.exit(0)", "", State.OK, "1\n"),
        ("import sys\nprint(1)\nsys.exit('sorry')", "", State.RE, "1\n"),
        ("print(1)\nquit(2)", "", State.RE, "1\n"),
        ("print(1)\n1 / 0", "", State.RE, "1\n"),
        ("print(input(), input())", "one\n", State.RE, ""),
        ("import os\nprint(1, flush=True)\nos._exit(0)", "", State.OK, "1\n"),
        ("import os\nprint(1)\nos._exit(0)", "", State.OK, ""),
        ("import atexit\natexit.register(print, 'bye')\nprint('hi')", "", State.OK, "hi\nbye\n"),
        ("import threading\nthreading.Thread(target=print, args=('t',)).start()", "", State.OK, "t\n"),
        (("import sys, threading\ndef main(): print(len(input()))\nsys.setrecursionlimit(10**6)\n"
         "threading.stack_size(1 << 26)\nt = threading.Thread(target=main)\nt.start()\nt.join()"), "abc\n", State.OK, "3\n"),
        ("def f(n): return 0 if n == 0 else 1 + f(n - 1)\nimport sys\nsys.setrecursionlimit(10**6)\nprint(f(90_000))", "",
         State.OK, "90000\n"),
        ("import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'print(input())'])", "in\n", State.OK, "in\n"),
        ("import sys\nsys.stdout.close()", "", State.OK, ""),
        ("while True: print('x' * 9999)", "", State.OLE, None),
        ("while True: pass", "", State.TLE_CPU, ""),
        ("a = []\nwhile True: a.append(bytearray(1 << 20))", "", State.MLE, ""),
        ("open('f', 'wb').write(b'x' * (100 << 20))", "", State.DLE, ""),
    ],
)  # fmt: skip
def test_stdin_programs_run_like_under_a_plain_interpreter(programs, source, text, state, output):
    cpu_s = SPINNER_CPU_S if state is State.TLE_CPU else None
    (outcome,) = programs.evaluate(Program(source=source), [text], cpu_s=cpu_s)
    assert outcome.state is state, outcome
    assert output is None or outcome.output == output


PLAIN = [
    "print(1)",
    "print(1)\nexit()",
    "import sys\nsys.exit(3)",
    "import sys\nsys.exit('x')",
    "1 / 0",
    "import sys\nsys.stdout.close()",
    "import atexit\natexit.register(lambda: 1 / 0)\nprint(2)",
    "import threading\nthreading.Thread(target=lambda: 1 / 0).start()",
    "import os\nos._exit(256)",
    "import sys\nsys.exit(256)",
    "import sys\nsys.exit(-1)",
    "raise SystemExit(True)",
    "raise KeyboardInterrupt",
    "print(repr(input()))",
    "import sys\nprint(sys.stdin.encoding, sys.stdout.encoding, sys.stdin.isatty(), sys.stdout.isatty())",
]


@pytest.mark.parametrize("source", PLAIN)
def test_exit_codes_and_output_agree_with_a_plain_interpreter(programs, source):
    env = {"LC_ALL": "C.UTF-8"}
    plain = subprocess.run([sys.executable, "-c", source], input=b"a\tb\n", capture_output=True, env=env, check=False)
    (outcome,) = programs.evaluate(Program(source=source), ["a\tb\n"])
    assert outcome.output == plain.stdout.decode()
    assert (outcome.state is State.OK) == (plain.returncode == 0), outcome


def test_inputs_that_aren_t_encoded_or_too_long_are_our_error(shared, programs):
    with pytest.raises(SchemaError, match="is no encoded call"):
        shared.evaluate(Program(source="", entry_point="f"), ["[1]"])
    with pytest.raises(SchemaError, match="longer than stdin_mb"):
        programs.evaluate(Program(source=""), ["x" * 2_000_000])


def test_the_toolchain_is_the_interpreter_inside(functions):
    assert functions.toolchain == f"cpython {sys.version.split()[0]}"


def test_another_interpreter_can_run_the_solutions():
    factory = PythonEvaluators(select_backend("process"), LIMITS, style=TaskStyle.FUNCTION, python=Path(sys.executable))
    with factory.open() as evaluator:
        assert value_of(evaluator, "import json\ndef f(): return json.loads('[1]')") == [1]


@pytest.mark.parametrize(
    ("python", "style", "message"),
    [
        (Path("/nowhere/python"), TaskStyle.FUNCTION, "is no working Python"),
        (Path("/bin/true"), TaskStyle.FUNCTION, "is no working Python"),
        (None, TaskStyle.SUITE, "run function and stdin tasks, not 'suite'"),
    ],
)
def test_what_can_t_run_python_is_refused(python, style, message):
    with pytest.raises(ConfigError, match=message):
        PythonEvaluators(select_backend("process"), LIMITS, style=style, python=python)


def test_python_is_registered_and_unknown_languages_are_refused():
    maker = LANGUAGES.get("python")
    with maker(select_backend("process"), LIMITS, style=TaskStyle.FUNCTION).open() as evaluator:
        assert value_of(evaluator, "def f(): return 1") == 1
    with pytest.raises(ConfigError, match="Did you mean 'python'"):
        LANGUAGES.get("pyhton")


def test_closing_twice_is_fine(functions):
    evaluator = functions.open()
    evaluator.close()
    evaluator.close()


@pytest.mark.slow
def test_no_false_time_limit_under_load():
    spinners = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(8)]
    source = "import time\ndef f():\n    while time.process_time() < 0.3: pass\n    return 1"
    limits = Limits(cpu_s=2.0, wall_s=30.0)
    factory = PythonEvaluators(select_backend("process"), limits, style=TaskStyle.FUNCTION)
    until = time.monotonic() + 100
    try:
        with factory.open() as evaluator:
            states = []
            while len(states) < 40 and time.monotonic() < until:
                states.append(call(evaluator, source).state)
    finally:
        for spinner in spinners:
            spinner.kill()
            spinner.wait()
    assert set(states) == {State.OK}
    assert len(states) >= 5


def test_a_program_that_fills_the_memory_with_files_takes_the_server_along_and_is_judged():
    source = "def f(n):\n    with open('/work/big', 'wb') as file:\n        while n < 10: file.write(bytes(1 << 20))\n    return n\n"
    limits = Limits(cpu_s=20, wall_s=100, memory_mb=40, disk_mb=160)
    with PythonEvaluators(select_backend("process"), limits, style=TaskStyle.FUNCTION).open() as evaluator:
        assert call(evaluator, source, 0).state is State.MLE
        assert call(evaluator, source, 30).output == "30"


def test_a_program_that_makes_files_for_ever_is_stopped_for_the_disk():
    source = "def f(n):\n    while True:\n        open(f'/tmp/{n}', 'w').close()\n        n += 1\n"
    limits = Limits(cpu_s=20, wall_s=100, disk_mb=16)
    with PythonEvaluators(select_backend("process"), limits, style=TaskStyle.FUNCTION).open() as evaluator:
        assert call(evaluator, source, 0).state is State.DLE
        assert call(evaluator, "def f(n):\n    return n\n", 3).output == "3"


@pytest.mark.parametrize(
    "act",
    [
        "resource.prlimit(1, resource.RLIMIT_NOFILE, (3, 3))",
        "resource.prlimit(1, resource.RLIMIT_CPU, (0, 0))",
        "os.setpriority(os.PRIO_PROCESS, 1, 19)",
        "os.setpriority(os.PRIO_USER, 0, 19)",
        "os.sched_setaffinity(1, [0])",
        "os.kill(1, signal.SIGSTOP)",
        "os.kill(-1, signal.SIGKILL)",
        "os.mknod('/work/disk', stat.S_IFBLK | 0o600, os.makedev(7, 0))",
    ],
)
def test_process_one_is_out_of_reach(functions, act):
    source = f"import os, resource, signal, stat\ndef f():\n    {act}\n"
    with functions.open() as evaluator:
        assert "PermissionError" in call(evaluator, source).output
        assert value_of(evaluator, "import os\ndef f(): os.mkfifo('pipe'); os.kill(os.getpid(), 0); return 1") == 1
