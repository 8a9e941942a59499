"""Topics to candidates: asks a model for a specification, several topics at once.

First stage of the road for synthetic tasks. Method: own; prompts and parsing are in seeds/topics.py.
"""

from collections.abc import Iterable, Iterator

import apache_beam as beam
from apache_beam.pvalue import TaggedOutput

from schemas.candidate import Candidate
from schemas.config import TopicsSource
from schemas.rejection import Rejection
from seeds.models import open_client
from seeds.topics import Topic, list_topics, try_synthesize
from transforms.context import RunContext
from transforms.pooled import REJECTED, Emitted, ThreadedDoFn
from transforms.staging import SpreadByKey, Staged

STEP = "ask for topics"
Sample = tuple[Topic, int]


class _ListTopics(beam.DoFn):
    def __init__(self, context: RunContext) -> None:
        self._context = context

    def process(self, name: str) -> Iterator[Emitted]:
        section = next(s for s in self._context.config.sources if s.name == name)
        assert isinstance(section, TopicsSource)
        for topic in list_topics(section, self._context.base_dir):
            if isinstance(topic, Rejection):
                yield TaggedOutput(REJECTED, topic)
                continue
            for sample in range(section.samples):
                yield f"{name}/{topic.id}/{sample}", (topic, sample)


class _Ask(ThreadedDoFn[Sample, Candidate]):
    def __init__(self, context: RunContext) -> None:
        super().__init__(STEP, workers=context.config.model.concurrency, heartbeat=context.heartbeat)
        self._context = context

    def open(self) -> None:
        self._client = open_client(self._context.config.model, self._context.store, self._context.base_dir)

    def work(self, element: Sample) -> Iterable[Candidate | Rejection]:
        topic, sample = element
        return (try_synthesize(topic, sample, self._client),)


class SynthesizeTopics(beam.PTransform):
    """Names of topic sources to candidates and rejections."""

    def __init__(self, context: RunContext) -> None:
        super().__init__()
        self._context = context

    def expand(self, names: beam.PCollection) -> Staged:
        """Return one candidate or rejection per topic and sample."""
        listed = names | "List topics" >> beam.ParDo(_ListTopics(self._context)).with_outputs(REJECTED, main="kept")
        asked = (
            listed["kept"]
            | "Spread" >> SpreadByKey(STEP, self._context.heartbeat)
            | "Ask the model" >> beam.ParDo(_Ask(self._context)).with_outputs(REJECTED, main="kept")
        )
        rejected = (listed[REJECTED], asked[REJECTED]) | "All refusals" >> beam.Flatten()
        return Staged(asked["kept"], rejected)
