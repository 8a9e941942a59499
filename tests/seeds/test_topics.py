import json

import pytest

from schemas.candidate import Candidate, TaskStyle
from schemas.config import Model, TopicsSource
from schemas.errors import ConfigError, ModelError
from schemas.model import ModelReply
from schemas.rejection import Rejection, Stage
from schemas.source import SourceKind
from schemas.store import ContentStore
from seeds.models import open_client
from seeds.topics import Topic, build_request, list_topics, try_synthesize
from tests.seeds.topic_reading import read_topics

SECTION = TopicsSource(kind="topics", name="ideas", path="topics.yaml", samples=2)
ANSWER = {
    "title": "Bright hours",
    "statement": "Return the hours, counted from 0, at which the light is brighter than the limit.",
    "entry_point": "bright",
    "parameters": [
        {"name": "light", "type": "list[int]", "constraints": []},
        {"name": "limit", "type": "int", "constraints": []},
    ],
    "returns": "list[int]",
    "examples": [
        {"call": "bright([1, 5], 3)", "result": "[1]"},
        {"call": "bright([], 3)", "result": "[]"},
        {"call": "bright([4, 4], 3)", "result": "[0, 1]"},
    ],
    "checker": "exact",
    "tags": [],
    "reference": "def bright(light, limit):\n    return [h for h, x in enumerate(light) if x > limit]\n",
    "second_solution": "",
}
FILE = """
topics:
  - id: light
    topic: hours of bright light
    difficulty: easy
    domain: simulation
    tags: [light]
    diversity: [a lighthouse, a greenhouse]
  - id: tide
    topic: hours of high water
    style: stdin
"""


class Scripted:
    """Stands at the model boundary: answers by subject and sample."""

    def __init__(self, answers):
        self.answers = answers
        self.asked = []

    def ask(self, request):
        self.asked.append(request)
        answer = self.answers.get((request.subject, request.sample))
        if answer is None:
            raise ModelError("down", reason="endpoint_down", retriable=True)
        return ModelReply(request_key=request.key(), model="m", text=answer, reasoning="think")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "topics.yaml").write_text(FILE)
    return tmp_path


def test_each_topic_and_sample_gives_one_candidate_or_rejection(folder):
    client = Scripted({("light", 0): json.dumps(ANSWER), ("light", 1): "no idea", ("tide", 1): '{"title": "cut'})
    results = list(read_topics(SECTION, folder, client))
    assert [type(result) for result in results] == [Candidate, Rejection, Rejection, Rejection]
    assert [r.reason for r in results[1:]] == ["broken_json", "endpoint_down", "broken_json"]
    assert [r.retriable for r in results[1:]] == [False, True, False]
    assert [r.locator for r in results[1:]] == ["topics.yaml#light/1", "topics.yaml#tide", "topics.yaml#tide/1"]
    assert len({r.record_id for r in results}) == 4


def test_candidate_knows_its_topic_and_the_reply_it_was_made_from(folder):
    client = Scripted({("light", 0): json.dumps(ANSWER)})
    topic = list_topics(SECTION, folder)[0]
    candidate = try_synthesize(topic, 0, client)
    assert candidate.source.kind is SourceKind.TOPICS
    assert (candidate.source.source, candidate.source.original_id, candidate.source.license) == (
        "ideas",
        "light",
        "Apache-2.0",
    )
    assert candidate.generation.request_key == client.asked[0].key()
    assert (candidate.generation.model, candidate.generation.reasoning_chars) == ("m", 5)
    assert (candidate.domain, candidate.declared_difficulty, candidate.tags) == ("simulation", "easy", ("light",))
    assert candidate.parent_ids == ()


def test_rejection_keeps_the_reply(folder):
    topic = list_topics(SECTION, folder)[0]
    broken = json.dumps(ANSWER | {"title": 1})
    rejection = try_synthesize(topic, 0, Scripted({("light", 0): broken}))
    assert (rejection.stage, rejection.reason) == (Stage.INGEST, "invalid_spec")
    assert rejection.detail.startswith("title: ")
    assert json.loads(rejection.payload_json)["reply"] == broken


def test_samples_take_the_settings_in_turn_and_are_different_requests(folder):
    topic = list_topics(SECTION, folder)[0]
    requests = [build_request(topic, sample) for sample in range(3)]
    assert ["lighthouse" in r.messages[1].content for r in requests] == [True, False, True]
    assert len({request.key() for request in requests}) == 3


def test_request_asks_for_the_style_of_the_topic(folder):
    light, tide = list_topics(SECTION, folder)
    assert (light.style, tide.style) == (TaskStyle.FUNCTION, TaskStyle.STDIN)
    assert "entry_point" in build_request(light, 0).schema_json
    assert "entry_point" not in build_request(tide, 0).schema_json
    assert "standard input" in build_request(tide, 0).messages[1].content


def test_equal_files_ask_equal_requests(folder):
    keys = [build_request(topic, 0).key() for topic in list_topics(SECTION, folder)]
    assert keys == [build_request(topic, 0).key() for topic in list_topics(SECTION, folder)]


def test_wrong_key_stops_the_source_instead_of_rejecting_every_topic(folder):
    class Refused:
        def ask(self, request):
            raise ConfigError("HTTP 401")

    with pytest.raises(ConfigError, match="401"):
        list(read_topics(SECTION, folder, Refused()))


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("{topic: long enough topic}", "id: Field required"),
        ("{id: a}", "topic: Field required"),
        ("{id: A B, topic: long enough topic}", "id: "),
        ("{id: a, topic: short}", "topic: "),
        ("{id: a, topic: long enough topic, difficulty: hrad}", "difficulty: "),
        ("{id: a, topic: long enough topic, style: suite}", "style: "),
        ("{id: a, topic: long enough topic, dificulty: hard}", "dificulty: "),
        ("{id: light, topic: long enough topic}", "stands twice"),
        ("just words", "entry: "),
        ("7", "entry: "),
        ("{id: a, topic: long enough topic, tags: 7}", "tags: "),
    ],
)
def test_bad_entry_is_a_rejection_and_the_rest_goes_on(folder, entry, words):
    (folder / "topics.yaml").write_text(FILE + f"  - {entry}\n  - {{id: last, topic: one more topic}}\n")
    found = list_topics(SECTION, folder)
    assert [type(item) for item in found] == [Topic, Topic, Rejection, Topic]
    assert (found[2].reason, found[2].locator) == ("invalid_topic", "topics.yaml#3")
    assert words in found[2].detail


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "can't be read"),
        ("topics: [", "can't be read"),
        ("", "no list under the key 'topics'"),
        ("topics: {a: 1}", "no list"),
        ("topics: []", "no list"),
        ("- id: a", "no list"),
        (b"\xff\xfe\x00", "can't be read"),
    ],
)
def test_unreadable_file_is_a_config_error(tmp_path, text, words):
    if isinstance(text, str):
        (tmp_path / "topics.yaml").write_text(text)
    elif text is not None:
        (tmp_path / "topics.yaml").write_bytes(text)
    with pytest.raises(ConfigError, match=words):
        list_topics(SECTION, tmp_path)


def test_off_mode_rejects_every_sample_with_its_reason(folder):
    client = open_client(Model(), ContentStore(str(folder / "store")), folder)
    results = list(read_topics(SECTION, folder, client))
    assert [result.reason for result in results] == ["model_off"] * 4
