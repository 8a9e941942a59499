"""Honest programs that do unusual things pass the split judge, and what no judge can see stays unseen.

The dishonest ones are the exploit battery's: `tests/sandbox/exploits/test_python_programs.py`.
"""

import pytest

from sandbox.backends import select_backend
from sandbox.base import State
from sandbox.exploits.registry import exploits_for
from sandbox.judge import judge
from sandbox.judging import Program
from sandbox.languages.python import PythonEvaluators
from sandbox.task_judging import make_program
from schemas.candidate import Checker, TaskStyle, TestCase, TestOrigin
from schemas.limits import Limits
from schemas.values import encode_call, encode_text
from tests.sandbox.exploits.tasks import function_task

LIMITS = Limits(cpu_s=2.0, wall_s=60.0, memory_mb=256, stdout_mb=1.0, processes=40)
CANARY = "canary-7d1f0c5e"
"""Stands in the expected values only."""
NUMBERS = (2, 3, 5)


def expected_of(number):
    return f"{CANARY}-{number * number}"


FUNCTION_CASES = [
    TestCase.make(encode_call((number,), {}), encode_text(expected_of(number)), origin=TestOrigin.BANK)
    for number in NUMBERS
]

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


def judge_function(factory, source, cases=FUNCTION_CASES, **options):
    program = Program(source=source, entry_point="f")
    return judge(factory, program, cases, Checker(), TaskStyle.FUNCTION, **options)


@pytest.mark.parametrize("name", ["sys.exit at import", "equal to everything", "forged records at import"])
def test_no_dishonest_function_passes_in_one_process_either(functions, name):
    task = function_task()
    exploit = next(each for each in exploits_for(TaskStyle.FUNCTION, "python") if each.name == name)
    program = make_program(task.candidate, exploit.make(task))
    verdict = judge(functions, program, task.tests, Checker(), TaskStyle.FUNCTION, isolate=False)
    assert verdict.pass_fraction == 0.0


@pytest.mark.parametrize("name", HONEST)
def test_honest_functions_pass(functions, name):
    verdict = judge_function(functions, HONEST[name].replace("%s", f"{CANARY}-"))
    assert verdict.passed, verdict


def test_hard_coded_visible_cases_pass_those_and_fail_hidden_ones(functions):
    """No judge can see this from outside: it's why tasks need hidden inputs."""
    known = {number: expected_of(number) for number in NUMBERS[:2]}
    verdict = judge_function(functions, f"def f(x): return {known!r}.get(x)")
    assert [result.passed for result in verdict.results] == [True, True, False]
    assert verdict.results[2].outcome.state is State.OK
