"""The demo's topics and their recorded answers: each is right, or wrong in the way it is meant to be."""

from pathlib import Path

import pytest

from schemas.candidate import Candidate
from schemas.config import Model, TopicsSource
from schemas.rejection import Rejection
from schemas.store import ContentStore
from seeds.models import open_client
from tests.seeds.topic_reading import read_topics
from tests.task_builders import prove

DEMO = Path(__file__).parents[2] / "examples" / "demo"
REFUSED = {
    "topics.yaml#ticket-letter": "model_test_disagrees",
    "topics.yaml#shift-coverage": "broken_json",
    "topics.yaml#guild-badges": "flaky_reference",
    "topics.yaml#handshake-count": "trivial_solver_accepted",
}


def _read(tmp_path):
    client = open_client(Model(mode="replay", replies="replies"), ContentStore(str(tmp_path)), DEMO)
    section = TopicsSource(kind="topics", name="topics", path="topics.yaml")
    return list(read_topics(section, DEMO, client))


def test_all_twelve_topics_have_a_recorded_answer_and_one_is_cut(tmp_path):
    results = _read(tmp_path)
    assert len(results) == 12
    refused = [result for result in results if isinstance(result, Rejection)]
    assert [(r.locator, r.reason) for r in refused] == [("topics.yaml#shift-coverage", "broken_json")]
    assert {c.generation.model for c in results if isinstance(c, Candidate)} == {"recorded"}


@pytest.mark.slow
def test_right_answers_are_proven_and_wrong_ones_refused_for_their_reason(tmp_path):
    reasons = {}
    for result in _read(tmp_path):
        outcome = prove(result) if isinstance(result, Candidate) else result
        if isinstance(outcome, Rejection):
            reasons[outcome.locator] = outcome.reason
    assert reasons == REFUSED
