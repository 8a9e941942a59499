"""The demo's rewritings and their recorded answers: each is right, or wrong in the way it is meant to be."""

from pathlib import Path

import pytest

from mutators.evolve import plan_rewritings, try_evolve
from schemas.candidate import Candidate
from schemas.config import BankSource, EvolveSource, load_config
from schemas.rejection import Rejection
from schemas.store import ContentStore
from seeds.banks.reading import read_bank
from seeds.models import open_client
from tests.task_builders import prove

DEMO = Path(__file__).parents[2] / "examples" / "demo"
SOUND_FILES = ("functions.jsonl", "streams.jsonl")
REFUSED = {
    "relay-hops/domain_shift": "reference_rejects_valid_input",
    "odd-neighbours/invert_question": "example_disagrees",
}


@pytest.fixture
def outcomes(tmp_path):
    """Subject and candidate or rejection of each planned rewriting of the demo's sound bank problems."""
    config = load_config(DEMO / "config.yaml")
    bank = next(source for source in config.sources if isinstance(source, BankSource))
    section = next(source for source in config.sources if isinstance(source, EvolveSource))
    rows = [row for row in read_bank(bank, DEMO) if isinstance(row, Candidate)]
    parents = [row for row in rows if row.source.locator.startswith(SOUND_FILES)]
    client = open_client(config.model, ContentStore(str(tmp_path)), DEMO)
    return [(one.subject, try_evolve(one, client)) for one in plan_rewritings(section, parents, config.seed)]


def test_each_planned_rewriting_has_a_recorded_answer(outcomes):
    missing = [outcome.detail for _, outcome in outcomes if isinstance(outcome, Rejection)]
    assert not missing, "\n".join(["record these in examples/demo/replies/rewritings.jsonl:", *missing])
    assert len(outcomes) == 6
    assert {outcome.generation.model for _, outcome in outcomes} == {"recorded"}


@pytest.mark.slow
def test_right_rewritings_are_proven_and_wrong_ones_refused_for_their_reason(outcomes):
    proofs = {subject: prove(outcome) for subject, outcome in outcomes}
    assert {subject: one.reason for subject, one in proofs.items() if isinstance(one, Rejection)} == REFUSED
