import os
import signal
import threading
import time

import pytest

from sandbox.backends import select_backend
from sandbox.base import Job, Run
from sandbox.judge import judge
from sandbox.judging import Program
from sandbox.languages.python import PythonEvaluators
from sandbox.pool import WarmBackend
from schemas.candidate import Checker, TaskStyle, TestCase, TestOrigin
from schemas.errors import SandboxError
from schemas.limits import Limits
from schemas.values import encode_call
from tests.forking import in_child

LIMITS = Limits(cpu_s=2, wall_s=60)
LEAVES_A_MARK = Program(
    source="import os\ndef f():\n    open('/tmp/mark','a').write('x')\n    return os.listdir('/tmp')", entry_point="f"
)
CALL = encode_call((), {})


@pytest.fixture
def pool():
    with WarmBackend(select_backend("process"), per_job=2, jobs=2) as warm:
        yield warm


def await_ready(pool, count):
    deadline = time.monotonic() + 100
    while pool.counts().ready != count and time.monotonic() < deadline:
        time.sleep(0.01)
    assert pool.counts().ready == count


def judge_once(pool, limits=LIMITS):
    with PythonEvaluators(pool, limits, style=TaskStyle.FUNCTION).open() as evaluator:
        (outcome,) = evaluator.evaluate(LEAVES_A_MARK, (CALL,))
    return outcome.output


def test_the_second_solution_finds_a_started_sandbox_that_nobody_has_used(pool):
    assert judge_once(pool) == '["mark"]'
    await_ready(pool, 2)
    assert judge_once(pool) == '["mark"]'
    counts = pool.counts()
    assert (counts.hits, counts.misses, counts.failures) == (1, 1, 0)
    await_ready(pool, 2)


def test_the_jobs_not_asked_for_longest_lose_their_places(pool):
    for memory in (100, 200, 300):
        judge_once(pool, Limits(memory_mb=memory))
    await_ready(pool, 4)


def test_all_that_is_ready_together_is_bounded():
    with WarmBackend(select_backend("process"), per_job=2, jobs=8, most=3) as pool:
        for memory in (100, 200, 300):
            judge_once(pool, Limits(memory_mb=memory))
            await_ready(pool, 2)
        assert [shelf.job.limits.memory_mb for shelf in pool._stock().shelves.values()] == [300]


def test_closing_ends_what_is_ready_and_nothing_is_handed_out_after(pool):
    judge_once(pool)
    await_ready(pool, 2)
    pool.close()
    assert pool.counts().ready == 0
    with pytest.raises(SandboxError, match="closed"):
        judge_once(pool)


def test_plain_runs_go_through_and_a_closed_session_says_so(pool):
    with pool.open(Job(limits=LIMITS)) as session:
        assert session.run(Run(argv=("echo", "hi"))).stdout == b"hi\n"
    for use in (session.run, session.converse):
        with pytest.raises(SandboxError, match="closed"):
            use(Run(argv=("true",)))


class FailsOnce:
    """A backend whose first start ahead of time fails as no backend should."""

    def __init__(self):
        self._inner = select_backend("process")
        self.name = self._inner.name
        self._has_failed = False

    def probe(self):
        return self._inner.probe()

    def open(self, job):
        if threading.current_thread() is not threading.main_thread() and not self._has_failed:
            self._has_failed = True
            raise OSError("too many open files")
        return self._inner.open(job)


def test_a_place_is_filled_again_after_an_error_that_nobody_expected():
    with WarmBackend(FailsOnce(), per_job=1) as pool:
        judge_once(pool)
        deadline = time.monotonic() + 100
        while not pool.counts().failures and time.monotonic() < deadline:
            time.sleep(0.01)
        judge_once(pool)
        await_ready(pool, 1)
        assert pool.counts().failures == 1


def test_ready_sandboxes_that_were_killed_from_outside_cost_no_verdict(pool):
    factory = PythonEvaluators(pool, LIMITS, style=TaskStyle.FUNCTION)
    case = TestCase.make(CALL, '["mark"]', origin=TestOrigin.BANK)
    assert judge(factory, LEAVES_A_MARK, (case,), Checker(), TaskStyle.FUNCTION).passed
    await_ready(pool, 2)
    for shelf in pool._stock().shelves.values():
        for _, channel in shelf.ready:
            while not channel._started.first_process:
                channel.usage()  # meets the first process, once the tool has told of it
            os.kill(channel._started.first_process, signal.SIGKILL)
    assert judge(factory, LEAVES_A_MARK, (case,), Checker(), TaskStyle.FUNCTION).passed
    await_ready(pool, 2)


def test_a_forked_child_has_shelves_of_its_own_and_leaves_its_parent_s_alone(pool):
    assert judge_once(pool) == '["mark"]'
    await_ready(pool, 2)

    def act():
        before = pool.counts().ready
        output = judge_once(pool)
        pool.close()
        return before, output

    assert in_child(act) == str((0, '["mark"]'))
    assert pool.counts().ready == 2
    assert judge_once(pool) == '["mark"]'
    assert pool.counts().hits == 1


def test_a_forked_child_neither_speaks_to_nor_ends_what_its_parent_has_opened(pool):
    for backend in (pool, select_backend("process")):
        with PythonEvaluators(backend, LIMITS, style=TaskStyle.FUNCTION).open() as evaluator:
            assert evaluator.evaluate(LEAVES_A_MARK, (CALL,))[0].output == '["mark"]'
            said = in_child(lambda: evaluator.evaluate(LEAVES_A_MARK, (CALL,)))
            assert "belongs to process" in said
            assert said.startswith("SandboxError")
            assert in_child(evaluator.close) == "None"
            assert evaluator.evaluate(LEAVES_A_MARK, (CALL,))[0].output == '["mark"]'


def test_a_forked_child_runs_nothing_in_its_parent_s_session_and_leaves_its_files(backend):
    with backend.open(Job(limits=LIMITS, files={"a.txt": b"hello"})) as session:
        assert "belongs to process" in in_child(lambda: session.run(Run(argv=("cat", "a.txt"))))
        assert in_child(session.close) == "None"
        assert session.run(Run(argv=("cat", "a.txt"))).stdout == b"hello"
