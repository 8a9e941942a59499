import json
from dataclasses import replace

import pytest

from schemas.config import Model
from schemas.errors import ConfigError, ModelError
from schemas.store import ContentStore
from seeds.models import open_client
from seeds.models.live import LiveClient

REQUEST_FIELDS = {"purpose": "topic_spec", "subject": "t"}


@pytest.fixture
def open_replay(tmp_path):
    def build(*rows, **settings):
        (tmp_path / "replies.jsonl").write_text("\n".join(map(json.dumps, rows)))
        section = Model(mode="replay", replies="replies.jsonl", **settings)
        return open_client(section, ContentStore(str(tmp_path / "store")), tmp_path)

    return build


def test_row_without_a_key_answers_its_subject_and_sample(open_replay, ask_for):
    client = open_replay(
        {**REQUEST_FIELDS, "text": "zero"}, {**REQUEST_FIELDS, "sample": 1, "text": "one", "reasoning": "hm"}
    )
    assert client.ask(ask_for("any wording")).text == "zero"
    reply = client.ask(ask_for(sample=1))
    assert (reply.text, reply.reasoning, reply.model, reply.cost_usd) == ("one", "hm", "recorded", 0.0)


def test_row_with_a_key_answers_exactly_that_request_and_goes_first(open_replay, ask_for):
    key = replace(ask_for("a"), temperature=0.1, max_tokens=5).key()
    rows = ({**REQUEST_FIELDS, "key": key, "text": "exact"}, {**REQUEST_FIELDS, "text": "loose"})
    client = open_replay(*rows, temperature=0.1, max_tokens=5)
    assert client.ask(ask_for("a")).text == "exact"
    assert client.ask(ask_for("b")).text == "loose"


def test_missing_reply_names_purpose_subject_and_key_and_says_what_to_do(open_replay, ask_for):
    client = open_replay({"purpose": "evolve", "subject": "t", "text": "x"})
    with pytest.raises(ModelError) as caught:
        client.ask(ask_for())
    words = str(caught.value)
    assert (caught.value.reason, caught.value.retriable) == ("missing_reply", False)
    for part in ("topic_spec 't'", ask_for().key(), "mode: live", '"purpose":"topic_spec"', "replies.jsonl"):
        assert part in words


def test_recorded_cut_answer_is_refused_like_a_live_one(open_replay, ask_for):
    client = open_replay({**REQUEST_FIELDS, "text": "{", "finish_reason": "length"})
    with pytest.raises(ModelError) as caught:
        client.ask(ask_for())
    assert caught.value.reason == "truncated"


def test_folder_of_rows_is_read_in_order_of_names(tmp_path, ask_for):
    for name, subject in (("b", "u"), ("a", "t")):
        row = {"purpose": "topic_spec", "subject": subject, "text": f"line\u2028{name}"}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row, ensure_ascii=False) + "\n\n", encoding="utf-8")
    client = open_client(Model(mode="replay", replies="."), ContentStore(str(tmp_path / "s")), tmp_path)
    assert client.ask(ask_for()).text == "line\u2028a"


def test_replies_of_a_live_run_are_replayed_from_its_store(endpoint, open_live, ask_for, tmp_path):
    open_live().ask(ask_for())
    section = Model(mode="replay", name="m")
    client = open_client(section, ContentStore(str(tmp_path / "store")), tmp_path)
    assert client.ask(ask_for()).text == "fine"
    assert len(endpoint.asked) == 1


ROWS = [
    ("{not json", "replies.jsonl:1.*JSON"),
    ('{"purpose": "p", "subject": "s"}', "replies.jsonl:1.*text"),
    ('{"purpose": "p", "subject": "s", "text": "x", "txt": "y"}', "txt"),
    ('{"purpose": "p", "text": "x"}', "needs a key or a subject"),
    ('\n{"purpose": "p", "subject": "s", "sample": "0", "text": "x"}', "replies.jsonl:2.*sample"),
    ('{"purpose": "p", "subject": "s", "text": "x"}\n' * 2, "replies.jsonl:2.*same request"),
    ('{"purpose": "p", "key": "k", "text": "x"}\n' * 2, "replies.jsonl:2.*same request"),
]


@pytest.mark.parametrize(("text", "words"), ROWS)
def test_broken_replies_file_is_a_config_error_with_its_line(tmp_path, text, words):
    (tmp_path / "replies.jsonl").write_text(text)
    with pytest.raises(ConfigError, match=words):
        open_client(Model(mode="replay", replies="replies.jsonl"), ContentStore(str(tmp_path / "s")), tmp_path)


def test_absent_replies_are_a_config_error(tmp_path):
    (tmp_path / "empty").mkdir()
    for name, words in (("nowhere.jsonl", "can't be read"), ("empty", "holds no .jsonl")):
        with pytest.raises(ConfigError, match=words):
            open_client(Model(mode="replay", replies=name), ContentStore(str(tmp_path / "s")), tmp_path)


def test_off_refuses_with_a_hint(tmp_path, ask_for):
    client = open_client(Model(), ContentStore(str(tmp_path / "s")), tmp_path)
    with pytest.raises(ModelError, match=r"model\.mode") as caught:
        client.ask(ask_for())
    assert caught.value.reason == "model_off"


def test_live_needs_a_name_and_connects_to_nothing_on_opening(tmp_path):
    store = ContentStore(str(tmp_path / "s"))
    with pytest.raises(ConfigError, match=r"model\.name"):
        open_client(Model(mode="live"), store, tmp_path)
    assert isinstance(open_client(Model(mode="live", name="m"), store, tmp_path), LiveClient)


def test_live_clients_of_one_process_and_setting_share_their_budget(tmp_path):
    section = Model(mode="live", name="m", budget_usd=1)
    opened = [open_client(section, ContentStore(str(tmp_path / "s")), tmp_path) for _ in range(2)]
    assert opened[0] is opened[1]
    other = open_client(section, ContentStore(str(tmp_path / "t")), tmp_path)
    assert other is not opened[0]
