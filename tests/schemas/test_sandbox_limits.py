"""The limits of a config, under either set of names."""

from pathlib import Path

import pytest

from schemas.config import Config, parse_config
from schemas.errors import ConfigError
from schemas.limits import Limits
from schemas.sandbox_limits import SandboxLimits

GOOD = "name: demo\nsources: [{kind: bank, name: mine, format: taskfoundry, path: bank.jsonl}]\n"
EXAMPLE = (
    "cpu_limit: 3, memory_mb: 300, timeout_sec: 7, disk_mb: 30, network: none, stdin_size_mb: 2, stdout_size_mb: 5, "
    "fork_limit: 50, syscall_filter: standard"
)
OURS = (
    "cpu_s: 3, memory_mb: 300, wall_s: 7, disk_mb: 30, network: false, stdin_mb: 2, stdout_mb: 5, "
    "processes: 50, syscall_filter: standard"
)


def parse(limits: str) -> Config:
    return parse_config(f"{GOOD}sandbox: {{limits: {{{limits}}}}}\n", Path("run.yaml"))


@pytest.mark.parametrize("limits", [EXAMPLE, OURS])
def test_all_limits_are_taken_under_either_set_of_names(limits: str) -> None:
    assert parse(limits).sandbox.limits.to_limits() == Limits(
        cpu_s=3,
        memory_mb=300,
        wall_s=7,
        disk_mb=30,
        network=False,
        stdin_mb=2,
        stdout_mb=5,
        processes=50,
        syscall_filter="standard",
    )


def test_the_digest_does_not_depend_on_the_names() -> None:
    assert parse(EXAMPLE).digest() == parse(OURS).digest()


@pytest.mark.parametrize(("said", "means"), [("none", False), ("host", True), ("false", False), ("true", True)])
def test_the_network_is_said_in_words_or_as_a_truth_value(said: str, means: bool) -> None:
    assert parse(f"network: {said}").sandbox.limits.to_limits().network is means


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ("cpu_s: 1, cpu_limit: 1", "sandbox.limits: 'cpu_s' and 'cpu_limit' are the same limit; give one of them"),
        ("processes: 9, fork_limit: 8", "'processes' and 'fork_limit' are the same limit"),
        ("wall_s: 1, timeout_sec: 1", "'wall_s' and 'timeout_sec' are the same limit"),
        ("stdin_mb: 1, stdin_size_mb: 1", "'stdin_mb' and 'stdin_size_mb' are the same limit"),
        ("stdout_mb: 1, stdout_size_mb: 1", "'stdout_mb' and 'stdout_size_mb' are the same limit"),
        ("syscall_filter: standart", "expected one of strict, standard. Did you mean 'standard'? (got 'standart')"),
        ("network: bridge", "sandbox.limits.network"),
        ("processes: 1", "greater than or equal to 2"),
        ("memry_mb: 1", "Did you mean 'memory_mb'"),
    ],
)
def test_a_mistake_in_the_limits_is_named(limits: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(limits)
    assert message in str(caught.value)


def test_every_name_is_on_the_page() -> None:
    page = (Path(__file__).parents[2] / "docs" / "config.md").read_text(encoding="utf-8")
    names = [*SandboxLimits.model_fields, "cpu_s", "wall_s", "stdin_mb", "stdout_mb", "processes"]
    assert [name for name in names if f"`{name}`" not in page] == []
