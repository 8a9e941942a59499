import json
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from schemas.errors import ConfigError, ModelError
from seeds.models.dialect import Dialect, Rung
from seeds.models.recorded import RecordedReplies

SCHEMA = json.dumps({"type": "object", "properties": {}, "required": [], "additionalProperties": False})


def test_reply_carries_text_tokens_and_the_request_key(endpoint, open_live, ask_for):
    client = open_live(temperature=0.2, max_tokens=99)
    reply = client.ask(ask_for())
    assert (reply.text, reply.model, reply.prompt_tokens, reply.completion_tokens) == ("fine", "m", 10, 20)
    assert endpoint.asked[0]["max_tokens"] == 99
    assert endpoint.asked[0]["temperature"] == 0.2
    assert "response_format" not in endpoint.asked[0]
    assert len(reply.request_key) == 64


def test_forty_prompts_are_forty_calls(endpoint, open_live, ask_for):
    client = open_live(concurrency=8)
    with ThreadPoolExecutor(12) as pool:
        replies = list(pool.map(client.ask, [ask_for(f"p{n}", schema=SCHEMA) for n in range(40)]))
    assert len(endpoint.asked) == 40
    assert len({reply.request_key for reply in replies}) == 40
    assert client.spending.calls == 40


def test_no_more_requests_than_configured_are_under_way(endpoint, open_live, ask_for, answers):
    now, most, lock = [0], [0], threading.Lock()

    def rule(_):
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.01)
        with lock:
            now[0] -= 1
        return answers.ok()

    endpoint.next_answer = lambda body, key: rule(body)
    client = open_live(concurrency=3)
    with ThreadPoolExecutor(10) as pool:
        list(pool.map(client.ask, [ask_for(f"p{n}") for n in range(20)]))
    assert most[0] <= 3


def test_second_run_asks_nothing_again(endpoint, open_live, ask_for):
    first = open_live().ask(ask_for())
    again = open_live()
    assert again.ask(ask_for()) == first
    assert len(endpoint.asked) == 1
    assert (again.spending.calls, again.spending.reused) == (0, 1)


def test_samples_of_one_prompt_are_separate_requests(endpoint, open_live, ask_for):
    client = open_live()
    client.ask(ask_for(sample=0))
    client.ask(ask_for(sample=1))
    assert len(endpoint.asked) == 2


def test_reply_survives_an_interrupted_run(endpoint, open_live, ask_for, answers):
    endpoint.rule = lambda body: answers.ok() if "p0" in body["messages"][1]["content"] else answers.fail(500)
    client = open_live(max_retries=0)
    client.ask(ask_for("p0"))
    with pytest.raises(ModelError):
        client.ask(ask_for("p1"))
    endpoint.rule = lambda body: answers.ok("later")
    endpoint.asked.clear()
    rerun = open_live()
    assert [rerun.ask(ask_for(text)).text for text in ("p0", "p1")] == ["fine", "later"]
    assert len(endpoint.asked) == 1


_CHILD = """
import sys
from pathlib import Path
from schemas.config import Model
from schemas.model import Message, ModelRequest
from schemas.store import ContentStore
from seeds.models import open_client
url, store = sys.argv[1:]
client = open_client(Model(mode="live", name="m", base_url=url), ContentStore(store), Path())
for number in range(10):
    client.ask(ModelRequest(purpose="p", messages=(Message(role="user", content=f"p{number}"),)))
"""


def test_killed_run_asks_nothing_again_that_was_answered(endpoint, answers, tmp_path):
    def run():
        return subprocess.Popen([sys.executable, "-c", _CHILD, endpoint.url, str(tmp_path / "store")], cwd=Path.cwd())

    endpoint.rule = lambda body: answers.raw(hang_s=60) if len(endpoint.asked) == 6 else answers.ok()
    child = run()
    deadline = time.monotonic() + 200
    while len(endpoint.asked) < 6 and time.monotonic() < deadline:
        time.sleep(0.02)
    child.kill()
    child.wait()
    endpoint.rule = lambda _: answers.ok()
    assert run().wait(timeout=200) == 0
    asked = [body["messages"][0]["content"] for body in endpoint.asked]
    assert asked == [f"p{number}" for number in (0, 1, 2, 3, 4, 5, 5, 6, 7, 8, 9)]


def test_schema_is_sent_and_kept_when_the_endpoint_takes_it(endpoint, open_live, ask_for):
    client = open_live()
    client.ask(ask_for(schema=SCHEMA))
    assert endpoint.asked[0]["response_format"]["type"] == "json_schema"
    assert endpoint.asked[0]["response_format"]["json_schema"]["schema"] == json.loads(SCHEMA)
    assert client.rung is Rung.JSON_SCHEMA


def _takes(answers, *kinds, status):
    def rule(body):
        kind = body.get("response_format", {"type": "none"})["type"]
        return answers.ok() if kind in kinds else answers.fail(status, words=f"{kind} is unknown")

    return rule


@pytest.mark.parametrize("status", [400, 422, 500])
@pytest.mark.parametrize(("kinds", "rung"), [(("json_object",), Rung.JSON_OBJECT), (("none",), Rung.FENCED)])
def test_ladder_finds_what_the_endpoint_takes_and_remembers_it(
    endpoint, open_live, ask_for, answers, status, kinds, rung
):
    endpoint.rule = _takes(answers, *kinds, status=status)
    client = open_live()
    client.ask(ask_for("a", schema=SCHEMA))
    probing = len(endpoint.asked)
    client.ask(ask_for("b", schema=SCHEMA))
    assert client.rung is rung
    assert len(endpoint.asked) == probing + 1
    assert SCHEMA in endpoint.asked[-1]["messages"][1]["content"]


def test_probe_is_made_by_one_request_while_the_others_wait(endpoint, open_live, ask_for, answers):
    endpoint.rule = _takes(answers, "json_object", status=400)
    client = open_live(concurrency=8)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(client.ask, [ask_for(f"p{n}", schema=SCHEMA) for n in range(8)]))
    assert len(endpoint.asked) == 9


def test_a_probe_that_hangs_holds_up_nobody_for_long(endpoint, open_live, ask_for, answers):
    released = threading.Event()
    endpoint.script = [answers.raw(hang_s=60, released=released)]
    client = open_live(concurrency=8, patience_s=0.05, timeout_s=60)
    with ThreadPoolExecutor(8) as pool:
        hanging = pool.submit(client.ask, ask_for("slow", schema=SCHEMA))
        while not endpoint.asked:
            time.sleep(0.01)
        others = [pool.submit(client.ask, ask_for(f"p{n}", schema=SCHEMA)) for n in range(6)]
        assert [other.result().text for other in others] == ["fine"] * 6
        assert not hanging.done()
        released.set()
        assert hanging.result().text == "fine"
    assert client.rung is Rung.JSON_SCHEMA


def test_requests_that_go_on_without_a_probe_find_the_rung_too(endpoint, open_live, ask_for, answers):
    endpoint.script = [answers.raw(hang_s=0.5)]
    endpoint.rule = _takes(answers, "none", status=400)
    client = open_live(concurrency=8, patience_s=0.05)
    with ThreadPoolExecutor(8) as pool:
        texts = list(pool.map(lambda n: client.ask(ask_for(f"p{n}", schema=SCHEMA)).text, range(7)))
    assert texts == ["fine"] * 7
    assert client.rung is Rung.FENCED


def test_a_refusal_that_comes_after_a_rung_was_proven_is_asked_again_at_that_rung():
    dialect = Dialect()
    assert dialect.step_down(Rung.JSON_SCHEMA, 400, None)
    dialect.prove(Rung.FENCED)
    assert dialect.step_down(Rung.JSON_OBJECT, 400, None)
    assert not dialect.step_down(Rung.FENCED, 400, None)
    assert dialect.rung is Rung.FENCED


def test_two_requests_that_are_refused_for_the_same_parameter_are_both_asked_again():
    dialect = Dialect()
    sent = dialect.spelling
    for parameter in ("max_tokens", "temperature"):
        assert [dialect.rename(sent, parameter, "") for _ in range(2)] == [True, True]
        assert not dialect.rename(dialect.spelling, parameter, "")


def test_after_the_probe_the_others_are_asked_at_once(endpoint, open_live, ask_for, answers):
    probe, together = threading.Lock(), threading.Barrier(7)

    def answer(body, key):
        if not probe.acquire(blocking=False):
            together.wait(30)
        return answers.ok()

    endpoint.next_answer = answer
    client = open_live(concurrency=8)
    with ThreadPoolExecutor(8) as pool:
        texts = list(pool.map(lambda n: client.ask(ask_for(f"p{n}", schema=SCHEMA)).text, range(8)))
    assert texts == ["fine"] * 8


def test_one_passing_500_doesnt_cost_the_schema(endpoint, open_live, ask_for, answers):
    endpoint.script = [answers.fail(500)]
    client = open_live()
    client.ask(ask_for(schema=SCHEMA))
    assert client.rung is Rung.JSON_SCHEMA


def test_renamed_and_refused_parameters_are_learned(endpoint, open_live, ask_for, answers):
    endpoint.script = [
        answers.fail(400, words="use 'max_completion_tokens' instead", param="max_tokens"),
        answers.fail(400, words="only the default is supported", param="temperature"),
    ]
    client = open_live(max_tokens=77)
    client.ask(ask_for("a"))
    client.ask(ask_for("b"))
    assert len(endpoint.asked) == 4
    assert endpoint.asked[-1]["max_completion_tokens"] == 77
    assert not {"max_tokens", "temperature"} & set(endpoint.asked[-1])


@pytest.mark.parametrize(
    ("status", "code", "words"),
    [
        (401, None, "TASKFOUNDRY_TEST_KEY"),
        (403, None, "TASKFOUNDRY_TEST_KEY"),
        (404, "model_not_found", "model.name"),
        (429, "insufficient_quota", "account"),
    ],
)
def test_refused_access_stops_at_once_with_advice(endpoint, open_live, ask_for, answers, status, code, words):
    endpoint.rule = lambda _: answers.fail(status, words="bad key sk-secret-1", code=code)
    with pytest.raises(ConfigError, match=words) as caught:
        open_live().ask(ask_for())
    assert len(endpoint.asked) == 1
    assert status not in {401, 403} or "sk-secret" not in str(caught.value)


def test_key_is_read_at_the_first_call_and_never_shown(endpoint, open_live, ask_for, answers, monkeypatch, caplog):
    caplog.set_level("DEBUG", logger="seeds")
    client = open_live()
    monkeypatch.setenv("TASKFOUNDRY_TEST_KEY", "sk-very-secret")
    client.ask(ask_for())
    endpoint.rule = lambda _: answers.fail(401, words="Incorrect key sk-very-secret")
    with pytest.raises(ConfigError) as caught:
        client.ask(ask_for("b"))
    assert endpoint.keys[0] == "Bearer sk-very-secret"
    assert "sk-very" not in str(caught.value) + repr(client) + caplog.text


def test_missing_key_without_an_endpoint_of_ones_own_is_a_config_error(open_live, ask_for, monkeypatch):
    monkeypatch.delenv("TASKFOUNDRY_TEST_KEY", raising=False)
    with pytest.raises(ConfigError, match="TASKFOUNDRY_TEST_KEY"):
        open_live(base_url="").ask(ask_for())


def test_429_waits_as_long_as_the_endpoint_asks(endpoint, open_live, ask_for, answers):
    endpoint.script = [answers.fail(429, retry_after="0.1"), answers.fail(429, retry_after_ms="50")]
    began = time.monotonic()
    assert open_live().ask(ask_for()).text == "fine"
    assert time.monotonic() - began >= 0.15
    assert len(endpoint.asked) == 3


def test_429_that_asks_for_an_hour_is_retriable_and_not_waited_for(endpoint, open_live, ask_for, answers):
    endpoint.rule = lambda _: answers.fail(429, retry_after="3600")
    with pytest.raises(ModelError) as caught:
        open_live().ask(ask_for())
    assert (caught.value.reason, caught.value.retriable) == ("rate_limited", True)
    assert len(endpoint.asked) == 1


def test_one_429_is_one_more_call_and_not_a_batch(endpoint, open_live, ask_for, answers):
    calls = []

    def rule(body):
        calls.append(body)
        return answers.fail(429, retry_after="0.01") if len(calls) % 10 == 5 else answers.ok()

    endpoint.rule = rule
    client = open_live(concurrency=4, max_retries=9)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(client.ask, [ask_for(f"p{n}") for n in range(36)]))
    assert len(endpoint.asked) == 40


@pytest.mark.parametrize("status", [408, 500, 502, 503])
def test_server_fault_is_retried_and_then_retriable(endpoint, open_live, ask_for, answers, status):
    endpoint.rule = lambda _: answers.fail(status)
    with pytest.raises(ModelError, match=f"HTTP {status}.*3 tries") as caught:
        open_live().ask(ask_for())
    assert (caught.value.reason, caught.value.retriable) == ("endpoint_failed", True)
    assert len(endpoint.asked) == 3


def test_bad_request_is_neither_retried_nor_retriable(endpoint, open_live, ask_for, answers):
    endpoint.rule = lambda _: answers.fail(400, words="too long", code="context_length_exceeded")
    with pytest.raises(ModelError, match="too long") as caught:
        open_live().ask(ask_for(schema=SCHEMA))
    assert (caught.value.reason, caught.value.retriable) == ("bad_request", False)
    assert len(endpoint.asked) == 1


def test_hanging_endpoint_is_given_up_after_the_timeout(endpoint, open_live, ask_for, answers):
    released = threading.Event()
    endpoint.rule = lambda _: answers.raw(hang_s=60, released=released)
    with pytest.raises(ModelError) as caught:
        open_live(timeout_s=1, max_retries=1).ask(ask_for())
    assert (caught.value.reason, caught.value.retriable) == ("timed_out", True)
    deadline = time.monotonic() + 20
    while len(endpoint.asked) < 2 and time.monotonic() < deadline:  # the server may be slower than its client
        time.sleep(0.01)
    released.set()
    assert len(endpoint.asked) == 2


HALF = {
    "closed connection": {"body": b'{"choices": [', "claimed_length": 900},
    "cut JSON": {"body": b'{"choices": [{"mess'},
    "a web page": {"body": b"<html>", "headers": {"Content-Type": "text/html"}},
    "no choices": {"body": b'{"choices": []}'},
    "null choices": {"body": b'{"choices": null}'},
    "no message": {"body": b'{"choices": [{"finish_reason": "stop"}]}'},
    "wrong type": {"body": b'{"choices": [{"message": {"content": {"a": 1}}}]}'},
    "a list": {"body": b"[1]"},
    "nothing": {"body": b""},
}


@pytest.mark.parametrize("half", HALF.values(), ids=HALF.keys())
def test_half_reply_is_asked_again(endpoint, open_live, ask_for, answers, half):
    endpoint.script = [answers.raw(**half)]
    assert open_live().ask(ask_for()).text == "fine"
    assert len(endpoint.asked) == 2


@pytest.mark.parametrize("half", HALF.values(), ids=HALF.keys())
def test_endpoint_that_sends_only_halves_is_retriable(endpoint, open_live, ask_for, answers, half):
    endpoint.rule = lambda _: answers.raw(**half)
    with pytest.raises(ModelError) as caught:
        open_live(max_retries=1).ask(ask_for())
    assert caught.value.reason in {"half_reply", "connection_failed"}
    assert caught.value.retriable


def test_nobody_listening_is_retriable(open_live, ask_for):
    with pytest.raises(ModelError) as caught:
        open_live(base_url="http://127.0.0.1:9/v1", max_retries=0).ask(ask_for())
    assert (caught.value.reason, caught.value.retriable) == ("connection_failed", True)


def test_cut_answer_is_refused_once_and_not_paid_twice(endpoint, open_live, ask_for, answers):
    endpoint.rule = lambda _: answers.ok("half an ans", finish="length")
    for client in (open_live(), open_live()):
        with pytest.raises(ModelError, match=r"model\.max_tokens") as caught:
            client.ask(ask_for())
        assert (caught.value.reason, caught.value.retriable) == ("truncated", False)
    assert len(endpoint.asked) == 1
    endpoint.rule = lambda _: answers.ok("all of it")
    assert open_live(max_tokens=8192).ask(ask_for()).text == "all of it"


def test_withheld_answer_has_its_own_reason(endpoint, open_live, ask_for, answers):
    endpoint.rule = lambda _: answers.ok(None, finish="content_filter")
    with pytest.raises(ModelError) as caught:
        open_live().ask(ask_for())
    assert caught.value.reason == "filtered"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("answer", {"reasoning_content": "first I think"}),
        ("answer", {"reasoning": "first I think"}),
        ("<think>\nfirst I think\n</think>\n\nanswer", {}),
    ],
)
def test_reasoning_is_kept_apart_from_the_answer(endpoint, open_live, ask_for, answers, text, message):
    endpoint.rule = lambda _: answers.ok(text, message=message)
    reply = open_live().ask(ask_for())
    assert (reply.text, reply.reasoning) == ("answer", "first I think")


def test_refusal_is_the_answer_when_there_is_no_other(endpoint, open_live, ask_for, answers):
    endpoint.rule = lambda _: answers.ok(None, message={"refusal": "I'm sorry, no."})
    assert open_live().ask(ask_for()).text == "I'm sorry, no."


def test_budget_stops_before_it_is_passed(endpoint, open_live, ask_for):
    prices = {"usd_per_mtok_in": 1, "usd_per_mtok_out": 1000, "max_tokens": 20, "budget_usd": 0.1}
    client = open_live(**prices)
    reasons = []
    for number in range(8):
        try:
            client.ask(ask_for(f"p{number}"))
        except ModelError as error:
            reasons.append((error.reason, error.retriable))
    assert len(endpoint.asked) == 4
    assert client.spending.cost_usd <= 0.1
    assert set(reasons) == {("budget_exhausted", True)}
    more = open_live(**prices | {"budget_usd": 0.2})
    for number in range(8):
        more.ask(ask_for(f"p{number}"))
    assert len(endpoint.asked) == 8


def test_cost_that_the_endpoint_bills_counts(endpoint, open_live, ask_for, answers):
    endpoint.rule = lambda _: answers.ok(usage={"cost": 0.4})
    client = open_live(budget_usd=1.0)
    for number in range(3):
        assert client.ask(ask_for(f"p{number}")).cost_usd == 0.4
    with pytest.raises(ModelError, match="budget of 1 USD"):
        client.ask(ask_for("p9"))
    assert len(endpoint.asked) == 3


def test_breaker_opens_after_a_run_of_failures_and_closes_again(endpoint, open_live, ask_for, answers):
    endpoint.rule = lambda _: answers.fail(503)
    client = open_live(max_retries=0, failures_to_open=3, cooldown_s=60)
    reasons = []
    for number in range(6):
        with pytest.raises(ModelError) as caught:
            client.ask(ask_for(f"p{number}"))
        reasons.append(caught.value.reason)
    assert reasons == ["endpoint_failed"] * 3 + ["endpoint_down"] * 3
    assert len(endpoint.asked) == 3
    endpoint.rule = lambda _: answers.ok()
    client._breaker._next_try -= 60
    assert [client.ask(ask_for(f"q{n}")).text for n in range(2)] == ["fine", "fine"]


def test_recorded_rows_answer_before_the_endpoint(endpoint, open_live, ask_for, tmp_path):
    file = tmp_path / "r.jsonl"
    file.write_text(json.dumps({"purpose": "topic_spec", "subject": "t", "text": "from the file"}))
    client = open_live(recorded=RecordedReplies.read(file))
    assert client.ask(ask_for()).model == "recorded"
    assert endpoint.asked == []


def test_store_that_cant_be_written_is_a_config_error(endpoint, open_live, ask_for, tmp_path):
    (tmp_path / "store").write_text("a file where a folder should be")
    with pytest.raises(ConfigError, match="store"):
        open_live().ask(ask_for())
