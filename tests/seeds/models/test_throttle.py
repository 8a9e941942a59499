import threading

import pytest

from schemas.errors import ModelError
from seeds.models.throttle import AdaptiveGate, CircuitBreaker


def test_complaints_of_one_wave_halve_the_width_once():
    gate = AdaptiveGate(8)
    with gate.enter() as first, gate.enter() as second:
        gate.narrow(first)
        gate.narrow(second)
    assert gate.width == 4
    with gate.enter() as third:
        gate.narrow(third)
    assert gate.width == 2


def test_width_never_falls_below_one_nor_rises_above_the_widest():
    gate = AdaptiveGate(2)
    for _ in range(5):
        with gate.enter() as epoch:
            gate.narrow(epoch)
    assert gate.width == 1
    for _ in range(50):
        gate.widen()
    assert gate.width == 2


def test_width_grows_by_one_per_full_round_of_answers():
    gate = AdaptiveGate(8)
    with gate.enter() as epoch:
        gate.narrow(epoch)
    for _ in range(5):
        gate.widen()
    assert gate.width == 5


def test_waiting_request_enters_when_a_place_is_free():
    gate = AdaptiveGate(1)
    entered = threading.Event()

    def enter():
        with gate.enter():
            entered.set()

    with gate.enter():
        thread = threading.Thread(target=enter)
        thread.start()
        assert not entered.wait(0.05)
    assert entered.wait(60)
    thread.join()


def test_place_is_given_back_after_an_error():
    gate = AdaptiveGate(1)
    with pytest.raises(KeyError), gate.enter():
        raise KeyError
    with gate.enter():
        pass


def test_success_in_between_keeps_the_breaker_closed():
    breaker = CircuitBreaker(threshold=2, cooldown_s=60)
    for _ in range(4):
        breaker.note_failure("503")
        breaker.note_success()
        breaker.check()


def test_open_breaker_names_the_last_failure_and_lets_one_try_through():
    breaker = CircuitBreaker(threshold=2, cooldown_s=60)
    breaker.note_failure("first")
    breaker.note_failure("HTTP 503")
    with pytest.raises(ModelError, match=r"failed 2 requests in a row.*HTTP 503") as caught:
        breaker.check()
    assert (caught.value.reason, caught.value.retriable) == ("endpoint_down", True)
    breaker._next_try -= 60
    breaker.check()
    with pytest.raises(ModelError):
        breaker.check()
