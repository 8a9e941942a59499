"""The registry of backends and the choice between them."""

import pytest

from sandbox.backends import BACKENDS, LEVELS, probe_all, select_backend
from sandbox.backends.process import ProcessBackend, explain_failure
from sandbox.base import ALL_LIMITS, Outcome, State
from schemas.errors import ConfigError


def test_auto_takes_the_process_backend_and_always_the_same(backend):
    chosen = select_backend()
    assert chosen.name == "process"
    assert select_backend("process") is chosen


@pytest.mark.slow
def test_every_registered_backend_reports_what_it_can_do():
    capabilities = tuple(probe_all())
    assert sorted(capability.backend for capability in capabilities) == list(BACKENDS.names())
    levels = [LEVELS.index(capability.isolation) for capability in capabilities]
    assert levels == sorted(levels)
    for capability in capabilities:
        assert capability.reason
        assert capability.isolation in LEVELS
        assert set(capability.limits_enforced) <= set(ALL_LIMITS)


def test_strict_mode_takes_a_backend_that_enforces_everything(full_backend):
    assert not select_backend(strict=True).probe().degraded


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "proces"}, "Did you mean 'process'"),
        ({"min_isolation": "contaner"}, "Did you mean 'container'"),
        ({"name": "process", "min_isolation": "vm"}, "'process' is below 'vm'"),
    ],
)
def test_what_can_not_be_had_is_a_config_error(backend, arguments, message):
    with pytest.raises(ConfigError, match=message):
        select_backend(**arguments)


def test_the_degraded_mode_says_what_it_does_not_enforce(watched_backend):
    capability = watched_backend.probe()
    assert capability.available
    assert capability.degraded
    assert capability.missing_limits == ("memory", "processes")
    assert "only watched" in capability.reason


def test_strict_mode_refuses_the_degraded_mode_and_says_how_to_mend_it(watched_backend, monkeypatch):
    monkeypatch.setattr("sandbox.backends._instance", lambda name: watched_backend)
    with pytest.raises(ConfigError, match=r"can't enforce memory, processes here .* run as root"):
        select_backend(strict=True)


def test_a_probe_is_made_once(backend):
    assert backend.probe() is backend.probe()


@pytest.mark.parametrize(
    ("words", "fix"),
    [
        (b"bwrap: No permissions to create new namespace", "user.max_user_namespaces"),
        (b"bwrap: setting up uid map: Permission denied", "apparmor_restrict_unprivileged_userns"),
        (b"bwrap: Creating new namespace failed: Operation not permitted", "as root"),
    ],
)
def test_a_failed_trial_says_what_to_do(words, fix):
    explanation = explain_failure(Outcome(state=State.INFRA, stderr=words))
    assert explanation.startswith(words.decode())
    assert fix in explanation


def test_a_backend_without_its_program_is_unavailable_with_the_reason(monkeypatch, tmp_path):
    monkeypatch.setattr("sandbox.backends.process.find_bubblewrap", lambda: tmp_path / "bwrap")
    capability = ProcessBackend().probe()
    assert not capability.available
    assert "No such file" in capability.reason
