import os

from sandbox.backends.waits import add_longest, read_waits


def test_every_thread_of_the_processes_has_waited_for_some_time():
    waits = read_waits([os.getpid()])
    assert os.getpid() in waits
    assert all(waited_s >= 0 for waited_s in waits.values())


def test_a_process_that_is_gone_has_no_threads():
    assert read_waits([2**22 + 1]) == {}


def test_the_two_longest_waits_since_the_first_look_are_added():
    assert add_longest({1: 5.0, 2: 0.5}, {1: 5.5, 2: 2.5, 3: 1.0}) == 3.0


def test_a_thread_that_came_meanwhile_has_waited_since_its_start():
    assert add_longest({1: 5.0}, {1: 5.0, 3: 1.5}) == 1.5


def test_nobody_has_waited_where_nothing_can_be_seen():
    assert add_longest({}, {}) == 0.0
