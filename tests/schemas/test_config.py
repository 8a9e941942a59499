"""Every mistake in a config is named, with its place and the nearest right spelling."""

from pathlib import Path

import pytest

from schemas.config import Config, load_config, parse_config
from schemas.errors import ConfigError
from schemas.source import MixtureBucket

BANK = "{kind: bank, name: mine, format: taskfoundry, path: bank.jsonl}"
GOOD = f"name: demo\nsources: [{BANK}]\n"


def parse(text: str) -> Config:
    return parse_config(text, Path("run.yaml"))


def test_a_small_config_has_defaults_for_the_rest() -> None:
    config = parse(GOOD)
    assert config.mixture.target(MixtureBucket.REPOSITORY) == 0.40
    assert config.sandbox.limits.to_limits().network is False
    assert config.prove.repeats == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name: demo\nsource: []\n", "Did you mean 'sources'"),
        (GOOD + "sandbox: {limits: {memry_mb: 3}}\n", "Did you mean 'memory_mb'"),
        (
            GOOD + "prove: {exploits: {shares: 1}}\n",
            "prove.exploits.shares: unknown key 'shares'. Did you mean 'share'",
        ),
        (GOOD + "prove: {exploits: {classes: [6, 27]}}\n", "prove.exploits.classes.1: Input should be less than or"),
        (GOOD + "dedup: {treshold: 0.5}\n", "dedup.treshold: unknown key 'treshold'. Did you mean 'threshold'"),
        (f"name: demo\nsources: [{BANK[:-1]}, fromat: x}}]\n", "Did you mean 'format'"),
        ("name: demo\nsources: [{kind: bnk, name: a}]\n", "bank"),
        ("name: demo\nsources: [{kind: bank, name: a, format: apps}]\n", "exactly one of 'path' and 'dataset'"),
        (GOOD + "prove: {repeats: one}\n", "prove.repeats"),
        (GOOD + "mixture: {bank: 0.9}\n", "must sum to 1"),
        (GOOD.replace("mine", "Bad Name"), "sources.0.name"),
        (f"name: demo\nsources: [{BANK}, {BANK}]\n", "'mine' is used twice"),
        (f"name: demo\nsources: [{BANK}, {{kind: evolve, name: e, parents: mne}}]\n", "Did you mean 'mine'"),
        ("name: demo\nsources: []\n", "sources"),
        ("sources: [\n", "not valid YAML"),
        ("- 1\n", "expected a mapping"),
        ("name: demo\n", "sources: this key is required"),
    ],
)
def test_a_mistake_is_named(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(text)
    assert message in str(caught.value)
    assert "run.yaml" in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="can't be read"):
        load_config(tmp_path / "absent.yaml")


def test_the_digest_ignores_spelling_and_places_of_caches() -> None:
    same = "sources: [{path: bank.jsonl, format: taskfoundry, name: mine, kind: bank}]\nname: demo\nstore: /tmp/x\n"
    assert parse(GOOD).digest() == parse(same).digest()
    assert parse(GOOD).digest() != parse(GOOD + "seed: 1\n").digest()
