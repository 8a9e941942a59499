"""Topics that a model turns into specifications with signature, constraints, examples and a reference solution.

First step of a synthetic task: topic file -> request -> reply -> `Candidate`. Nothing is believed here; the prover runs
the reference on the examples and on fuzzed inputs. Method: own, after the topic-driven subsets of KodCode (arXiv
2503.02951), with typed constraints and a second solution asked for in the same answer.
"""

from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from schemas.candidate import Candidate, Generation, TaskStyle
from schemas.canonical import canonical_json, content_id
from schemas.config import TopicsSource
from schemas.draft import Lineage, draft_candidate
from schemas.errors import ConfigError, ModelError
from schemas.model import Message, ModelClient, ModelReply, ModelRequest
from schemas.rejection import Rejection, Stage
from schemas.source import SourceKind, SourceRef
from schemas.specification import read_specification, specification_schema
from schemas.specification_form import describe_form
from schemas.yaml_text import YamlTextError, load_yaml

PURPOSE = "topic_spec"
_SYSTEM = (
    "You write programming tasks whose answers a machine checks. You are exact, you leave no case open, and you check "
    "your examples by hand."
)
_PROMPT = """\
Invent one original programming task and solve it. Don't retell an exercise that is found in textbooks or on contest
sites.

Topic: {topic}
Difficulty: {difficulty}
{setting}
{form}"""


class Topic(BaseModel):
    """One entry of a topic file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]*$", max_length=64)]
    topic: Annotated[str, Field(min_length=8, max_length=1000)]
    difficulty: Literal["easy", "medium", "hard"] = "medium"
    style: Literal[TaskStyle.FUNCTION, TaskStyle.STDIN] = TaskStyle.FUNCTION
    domain: Annotated[str, Field(pattern=r"^[a-z][a-z_]*$")] = "algorithms"
    tags: tuple[str, ...] = ()
    diversity: tuple[str, ...] = ()
    """Settings that the samples of this topic take in turn."""
    source: str = ""
    """Name of the source in the config; filled in by `list_topics`."""
    file: str = ""
    license: str = "NOASSERTION"

    @property
    def locator(self) -> str:
        """File name and id."""
        return f"{self.file}#{self.id}"


def list_topics(section: TopicsSource, base_dir: Path) -> tuple[Topic | Rejection, ...]:
    """Return the entries of a topic file in their order; a bad entry comes as a `Rejection`.

    Raises:
        ConfigError: no such file, or it isn't YAML with a list under ``topics``.
    """
    path = base_dir / section.path
    try:
        data = load_yaml(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, YamlTextError) as error:
        raise ConfigError(f"source {section.name!r}: topic file {section.path!r} can't be read: {error}") from error
    entries = data.get("topics") if isinstance(data, dict) else None
    if not isinstance(entries, list) or not entries:
        raise ConfigError(f"source {section.name!r}: {section.path!r} has no list under the key 'topics'")
    found: list[Topic | Rejection] = []
    seen: set[str] = set()
    for number, entry in enumerate(entries, start=1):
        topic = _read_entry(entry, number, section, path.name, seen)
        if isinstance(topic, Topic):
            seen.add(topic.id)
        found.append(topic)
    return tuple(found)


def _read_entry(entry: object, number: int, section: TopicsSource, file: str, seen: set[str]) -> Topic | Rejection:
    try:
        own = {"source": section.name, "file": file, "license": section.license}
        topic = Topic.model_validate({**entry, **own} if isinstance(entry, dict) else entry)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(step) for step in first["loc"]) or "entry"
        detail = f"{field}: {first['msg']}"
    else:
        if topic.id not in seen:
            return topic
        detail = f"id: {topic.id!r} stands twice"
    shown = yaml.safe_dump(entry, sort_keys=True)
    return Rejection(
        record_id=content_id("topic", [section.name, number, shown]),
        source=section.name,
        kind=SourceKind.TOPICS,
        locator=f"{file}#{number}",
        stage=Stage.INGEST,
        reason="invalid_topic",
        detail=detail,
        payload_json=canonical_json({"entry": shown}),
    )


def build_request(topic: Topic, sample: int) -> ModelRequest:
    """Return what is asked for one sample of a topic."""
    setting = f"Setting: {topic.diversity[sample % len(topic.diversity)]}\n" if topic.diversity else ""
    prompt = _PROMPT.format(
        topic=topic.topic, difficulty=topic.difficulty, setting=setting, form=describe_form(topic.style)
    )
    return ModelRequest(
        purpose=PURPOSE,
        messages=(Message(role="system", content=_SYSTEM), Message(role="user", content=prompt)),
        schema_json=specification_schema(topic.style),
        sample=sample,
        subject=topic.id,
    )


def try_synthesize(topic: Topic, sample: int, client: ModelClient) -> Candidate | Rejection:
    """Return the candidate, or the rejection that keeps the reply and says what is wrong with it.

    Raises:
        ConfigError: the client can't be used at all.
    """
    request = build_request(topic, sample)
    reply: ModelReply | None = None
    try:
        reply = client.ask(request)
        return _read_reply(topic, sample, reply)
    except ModelError as error:
        payload = {
            "topic": topic.model_dump(mode="json"),
            "sample": sample,
            "request_key": reply.request_key if reply else "",
            "model": reply.model if reply else "",
            "reply": reply.text if reply else "",
        }
        return Rejection(
            record_id=content_id("topic", [topic.source, topic.id, sample]),
            source=topic.source,
            kind=SourceKind.TOPICS,
            locator=_locate(topic, sample),
            stage=Stage.INGEST,
            reason=error.reason,
            detail=str(error),
            retriable=error.retriable,
            payload_json=canonical_json(payload),
        )


def _locate(topic: Topic, sample: int) -> str:
    return topic.locator + (f"/{sample}" if sample else "")


def _read_reply(topic: Topic, sample: int, reply: ModelReply) -> Candidate:
    lineage = Lineage(
        source=SourceRef(
            source=topic.source,
            kind=SourceKind.TOPICS,
            locator=_locate(topic, sample),
            original_id=topic.id,
            license=topic.license,
        ),
        generation=Generation(model=reply.model, request_key=reply.request_key, reasoning_chars=len(reply.reasoning)),
        domain=topic.domain,
        declared_difficulty=topic.difficulty,
        tags=topic.tags,
    )
    return draft_candidate(read_specification(reply.text, topic.style), lineage)
