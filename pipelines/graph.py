"""The graph: the road of a record, readable from top to bottom.

Every stage gives `Staged(kept, rejected)`; every record that leaves a stage is tallied; all that is left over meets in
the writer. Method: own.
"""

import apache_beam as beam

from schemas.artifact_paths import environment_path, tree_path
from schemas.config import BankSource, CuratedSource, RepositorySource, TopicsSource
from schemas.proven import Proven
from schemas.rejection import Rejection, Stage
from schemas.task import Split, Task
from transforms.context import RunContext
from transforms.dedup import DropNearDuplicates
from transforms.evolve import EvolveParents
from transforms.ingest import ReadFileSources
from transforms.mix import MixAndSplit
from transforms.mutate import MutateRepositories
from transforms.output.manifest import LeftOutLine
from transforms.output.tally import EMITTED, HELD_OUT, Tally
from transforms.proposals import is_left_out
from transforms.prove import ProveCandidates
from transforms.score import ScoreDifficulty
from transforms.screen import ScreenCandidates
from transforms.staging import Staged, tally_out, tally_read, tally_rejection
from transforms.synthesize import SynthesizeTopics
from transforms.write import WriteManifest, WriteShards, outcomes_of


def _names(context: RunContext, *kinds: type) -> list[str]:
    return [source.name for source in context.config.sources if isinstance(source, kinds)]


def _source_of_proven(item: tuple[Proven, object]) -> str:
    return item[0].candidate.source.source


def tally_task(task: Task) -> Tally:
    """Return what a written task counts as."""
    outcome = HELD_OUT if task.split is Split.HELD_OUT else EMITTED
    return Tally(source=task.proven.candidate.source.source, stage=Stage.WRITE.value, outcome=outcome)


def artifacts_of(task: Task) -> tuple[str, ...]:
    """Return the paths of the artifacts that a task names."""
    mutation = task.proven.candidate.mutation
    if mutation is None:
        return ()
    return tree_path(mutation.tree_digest), environment_path(mutation.environment_digest)


def describe_left_out(rejection: Rejection) -> LeftOutLine:
    """Return the line of the manifest for a part that a repository is used without."""
    return {"source": rejection.source, "reason": rejection.reason, "detail": rejection.detail}


class Ingest(beam.PTransform):
    """The root of the graph to the candidates of every source but evolve."""

    def __init__(self, context: RunContext) -> None:
        super().__init__()
        self._context = context

    def expand(self, root: beam.Pipeline) -> Staged:
        """Return the candidates and the rows that never became one."""
        context = self._context
        files = root | "Names of file sources" >> beam.Create(_names(context, BankSource, CuratedSource))
        topics = root | "Names of topic sources" >> beam.Create(_names(context, TopicsSource))
        repositories = root | "Names of repositories" >> beam.Create(_names(context, RepositorySource))
        parts = (
            files | "Read files" >> ReadFileSources(context),
            topics | "Synthesize topics" >> SynthesizeTopics(context),
            repositories | "Mutate repositories" >> MutateRepositories(context),
        )
        return Staged(
            [part.kept for part in parts] | "Candidates" >> beam.Flatten(),
            [part.rejected for part in parts] | "Unread" >> beam.Flatten(),
        )


class ScreenAndProve(beam.PTransform):
    """Candidates to proven records with their contamination evidence; also tallies the stages it holds."""

    def __init__(self, context: RunContext) -> None:
        super().__init__()
        self._context = context

    def expand(self, candidates: beam.PCollection) -> dict[str, beam.PCollection]:
        """Return ``proven``, ``rejected`` and ``tallies``."""
        screened = candidates | "Screen" >> ScreenCandidates(self._context)
        proven = screened.kept | "Prove and harden" >> ProveCandidates(self._context)
        hardened = proven.kept | "Source of each hardened" >> beam.Map(_source_of_proven)
        refused = (
            proven.rejected
            | "Refused while hardening" >> beam.Filter(lambda rejection: rejection.stage is Stage.HARDEN)
            | "Source of each refused" >> beam.Map(lambda rejection: rejection.source)
        )
        past_proof = (hardened, refused) | "Past the proof" >> beam.Flatten()
        past_screen = screened.kept | "Source of each screened" >> beam.Map(lambda s: s.candidate.source.source)
        tallies = (
            tally_out(Stage.SCREEN, past_screen),
            tally_out(Stage.PROVE, past_proof),
            tally_out(Stage.HARDEN, hardened),
        )
        return {
            "proven": proven.kept,
            "rejected": (screened.rejected, proven.rejected) | "Refused" >> beam.Flatten(),
            "tallies": tallies | "Tallies" >> beam.Flatten(),
        }


def _source_of_scored(scored: beam.PCollection, label: str) -> beam.PCollection:
    return scored | label >> beam.Map(lambda record: record.proven.candidate.source.source)


def build_graph(root: beam.Pipeline, context: RunContext) -> None:
    """Add the whole road to a pipeline."""
    ingested = root | "Ingest" >> Ingest(context)
    first = ingested.kept | "First round" >> ScreenAndProve(context)
    parents = first["proven"] | "Parents" >> beam.Map(lambda item: item[0].candidate)
    evolved = parents | "Evolve" >> EvolveParents(context)
    second = evolved.kept | "Second round" >> ScreenAndProve(context)

    proven = (first["proven"], second["proven"]) | "All proven" >> beam.Flatten()
    scored = proven | "Score" >> ScoreDifficulty()
    unique = scored | "Dedup" >> DropNearDuplicates(context.config.dedup, heartbeat=context.heartbeat)
    mixed = unique.kept | "Mix" >> MixAndSplit(context.config)

    read = (ingested.kept, evolved.kept) | "All candidates" >> beam.Flatten()
    read_sources = read | "Source of each candidate" >> beam.Map(lambda candidate: candidate.source.source)
    unread = (ingested.rejected, evolved.rejected) | "All unread" >> beam.Flatten()
    unread_sources = unread | "Source of each unread" >> beam.Map(lambda rejection: rejection.source)
    rejected = (unread, first["rejected"], second["rejected"], unique.rejected) | "All rejected" >> beam.Flatten()
    task_sources = mixed.tasks | "Source of each task" >> beam.Map(lambda task: task.proven.candidate.source.source)
    tallies = (
        tally_read((read_sources, unread_sources) | "All read" >> beam.Flatten()),
        tally_out(Stage.INGEST, read_sources),
        first["tallies"],
        second["tallies"],
        tally_out(Stage.SCORE, _source_of_scored(scored, "Source of each scored")),
        tally_out(Stage.DEDUP, _source_of_scored(unique.kept, "Source of each unique")),
        tally_out(Stage.MIX, task_sources),
        mixed.tasks | "Tally what is written" >> beam.Map(tally_task),
        rejected | "Tally what is rejected" >> beam.Map(tally_rejection),
    ) | "All tallies" >> beam.Flatten()
    emitted = mixed.tasks | "Emitted" >> beam.Filter(lambda task: task.split is not Split.HELD_OUT)
    licenses = emitted | "Licence of each" >> beam.Map(lambda task: task.proven.candidate.source.license)
    left_out = (
        ingested.rejected
        | "Parts of repositories" >> beam.Filter(is_left_out)
        | "Line of each part" >> beam.Map(describe_left_out)
    )
    artifacts = mixed.tasks | "Artifacts of each" >> beam.FlatMap(artifacts_of)
    records: beam.PCollection = (mixed.tasks, rejected) | "All records" >> beam.Flatten()
    shards = records | "Write shards" >> WriteShards(context)
    _ = shards | "Write manifest" >> WriteManifest(
        context,
        tallies=tallies,
        mixture=mixed.report,
        licenses=licenses,
        artifacts=artifacts,
        left_out=left_out,
        exploits=emitted | "Exploits of each" >> beam.FlatMap(outcomes_of),
    )
