"""All topics of a source, asked one after the other."""

from collections.abc import Iterator
from pathlib import Path

from schemas.candidate import Candidate
from schemas.config import TopicsSource
from schemas.model import ModelClient
from schemas.rejection import Rejection
from seeds.topics import list_topics, try_synthesize


def read_topics(section: TopicsSource, base_dir: Path, client: ModelClient) -> Iterator[Candidate | Rejection]:
    """Yield what becomes of every topic and sample, and the rejections of bad entries, in file order."""
    for topic in list_topics(section, base_dir):
        if isinstance(topic, Rejection):
            yield topic
        else:
            yield from (try_synthesize(topic, sample, client) for sample in range(section.samples))
