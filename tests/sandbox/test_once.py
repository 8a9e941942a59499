"""Things that are made once per process, whoever comes first."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context

import pytest

from sandbox.once import Owner, once_per_process
from tests.forking import in_child


def test_threads_that_come_at_once_get_the_same_thing():
    all_here = threading.Barrier(4)

    @once_per_process
    def make(name):
        return [name]

    def ask(_):
        all_here.wait()
        return make("thing")

    with ThreadPoolExecutor(4) as pool:
        assert len({id(made) for made in pool.map(ask, range(4))}) == 1


def test_other_arguments_give_another_thing():
    made = once_per_process(lambda name: [name])
    assert made("a") == ["a"]
    assert made("b") == ["b"]
    assert made("a") is made("a")


def test_a_forked_child_makes_its_own_even_while_its_parent_makes_one():
    made_by = once_per_process(os.getpid)
    assert made_by() == os.getpid()
    started, finished = threading.Event(), threading.Event()

    @once_per_process
    def wait_in_the_parent():
        started.set()
        return finished.wait(0 if os.getpid() != owner else 60)

    owner = os.getpid()
    waiting = threading.Thread(target=wait_in_the_parent)
    waiting.start()
    started.wait()
    child = get_context("fork").Process(target=lambda: os._exit(made_by() != os.getpid() or wait_in_the_parent()))
    child.start()
    child.join(60)
    finished.set()
    waiting.join()
    assert child.exitcode == 0


def test_a_failure_is_not_kept():
    answers = iter([1])

    @once_per_process
    def divide(number):
        return number // next(answers, 0)

    assert divide(5) == 5
    with pytest.raises(ZeroDivisionError):
        divide(6)
    divide.forget()
    with pytest.raises(ZeroDivisionError):
        divide(5)


def test_a_thing_knows_the_process_that_made_it():
    owner = Owner()
    owner.check("the thing")
    assert owner.is_here
    assert in_child(lambda: owner.is_here) == "False"
    assert in_child(lambda: owner.check("the thing")).startswith(
        f"SandboxError: the thing belongs to process {os.getpid()}"
    )
