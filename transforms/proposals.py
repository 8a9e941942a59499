"""What a repository offers: a healthy commit with its suite, and the edits that may break it.

Pure part of the mutate stage. A repository that can't be used is one rejection; else every chosen edit is one
candidate, and the files that can't be mutated are one rejection per reason. Method: own, after SWE-smith's procedural
strategy (arXiv 2504.21798); the operators are in mutators/.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from mutators.mutation import make_mutation
from mutators.selection import select_sites
from mutators.sites import Site, SkippedFile, survey_files
from sandbox.clean_suites import CleanSuite
from schemas.candidate import Candidate, TaskStyle
from schemas.canonical import canonical_json, content_id
from schemas.errors import SandboxError, SeedError
from schemas.rejection import Rejection, Stage
from schemas.source import SourceKind, SourceRef
from schemas.storage import Folder
from seeds.repository_code import read_sources
from transforms.artifacts import write_artifacts
from transforms.context import RunContext
from transforms.workshops import Workshop, Workshops

LEFT_OUT = frozenset({"files_unparsable", "files_no_mutmut", "files_left_out", "tests_always_failing"})
"""Reasons of rejections that stand for a part of a repository and not for the whole."""
_SHOWN_TESTS = 10


def _candidate_of(site: Site, files: dict[str, bytes], workshop: Workshop) -> Candidate:
    snapshot, section = workshop.snapshot, workshop.section
    mutation = make_mutation(
        site,
        files,
        repository=snapshot.name,
        url=snapshot.url,
        base_commit=snapshot.commit,
        tree_digest=snapshot.tree_digest,
        environment_digest=workshop.clean.environment.digest,
    )
    known = section.license if section.license != "NOASSERTION" else snapshot.license
    return Candidate(
        record_id=content_id("repo", [snapshot.name, snapshot.tree_digest, mutation.bug_patch]),
        source=SourceRef(
            source=section.name,
            kind=SourceKind.REPOSITORY,
            locator=f"{snapshot.name}@{snapshot.commit[:12]}:{site.path}:{site.line}+{site.operator}",
            url=snapshot.url,
            license=known,
        ),
        style=TaskStyle.REPOSITORY,
        statement="",
        title=f"{snapshot.name}: {site.scope or site.path}",
        domain="software_engineering",
        mutation=mutation,
        family_key=f"repository:{snapshot.name}",
    )


def propose_mutations(workshop: Workshop, run_seed: int) -> tuple[Candidate | Rejection, ...]:
    """Return the candidates of a repository: chosen edits, spread over files, functions and operators.

    Behind them stand the rejections of `reject_files` and `reject_tests`.

    Raises:
        SeedError: nothing in it can be mutated.
    """
    section = workshop.section
    files = read_sources(workshop.snapshot)
    survey = survey_files(files, section.operators)
    sites = select_sites(survey.files, limit=section.max_candidates, run_seed=run_seed, record_id=section.name)
    if not sites:
        skipped = "; ".join(f"{file.path}: {file.detail}" for file in survey.skipped[:3])
        raise SeedError(
            f"repository {section.name!r}: no place to mutate in {len(files)} source files. {skipped}".strip(),
            reason="nothing_to_mutate",
        )
    candidates = [_candidate_of(site, files, workshop) for site in sites]
    left_out = reject_files(section.name, survey.skipped, workshop.snapshot.omitted)
    return (*candidates, *left_out, *reject_tests(section.name, workshop.clean))


def reject_files(name: str, skipped: Sequence[SkippedFile], omitted: Sequence[str]) -> tuple[Rejection, ...]:
    """Return one rejection for all files of a repository that no operator, or not every operator, can change.

    Reasons: ``files_unparsable``, ``files_no_mutmut`` (this project's own operators apply) and ``files_left_out`` of
    the tree. The payload is the list of paths and details.

    Args:
        omitted: paths that the snapshot lacks.
    """
    found: dict[str, list[tuple[str, str]]] = {}
    for file in skipped:
        found.setdefault(f"files_{file.reason}", []).append((file.path, file.detail))
    if omitted:
        found["files_left_out"] = [(path, "") for path in omitted]
    return tuple(
        replace(
            reject_repository(name, reason, _name_some(files), retriable=False),
            record_id=content_id("repository", [name, reason]),
            payload_json=canonical_json(files),
        )
        for reason, files in sorted(found.items())
    )


def reject_tests(name: str, clean: CleanSuite) -> tuple[Rejection, ...]:
    """Return the rejection ``tests_always_failing`` for the tests that fail on the healthy tree, none without any.

    No task rests on such tests; many of them say that the environment isn't the one that the repository wants.
    """
    if not clean.failing:
        return ()
    total = len(clean.failing) + len(clean.stable) + len(clean.unstable)
    shown = ", ".join(clean.failing[:_SHOWN_TESTS]) + (", ..." if len(clean.failing) > _SHOWN_TESTS else "")
    detail = f"{len(clean.failing)} of {total} tests fail on the healthy tree: {shown}"
    rejection = reject_repository(name, "tests_always_failing", detail, retriable=False)
    record_id = content_id("repository", [name, rejection.reason])
    return (replace(rejection, record_id=record_id, payload_json=canonical_json(list(clean.failing))),)


def is_left_out(rejection: Rejection) -> bool:
    """Return whether a rejection tells of a part of a repository that is used without it."""
    return rejection.kind is SourceKind.REPOSITORY and rejection.reason in LEFT_OUT


def _name_some(files: Sequence[tuple[str, str]]) -> str:
    return f"{len(files)} file{'s' * (len(files) != 1)}: " + "; ".join(detail or path for path, detail in files)


def reject_repository(name: str, reason: str, detail: str, *, retriable: bool) -> Rejection:
    """Return the refusal of a whole repository."""
    return Rejection(
        record_id=content_id("repository", [name]),
        source=name,
        kind=SourceKind.REPOSITORY,
        locator=name,
        stage=Stage.INGEST,
        reason=reason,
        detail=detail,
        retriable=retriable,
    )


def propose(context: RunContext, workshops: Workshops, name: str) -> Iterable[Candidate | Rejection]:
    """Return the candidates of a repository source and its files that can't be mutated, or why there are none.

    Raises:
        ConfigError: the output folder can't be written, or no sandbox works here.
    """
    try:
        workshop = workshops.get(name)
        candidates = propose_mutations(workshop, context.config.seed)
    except SeedError as error:
        return (reject_repository(name, error.reason, str(error), retriable=error.retriable),)
    except SandboxError as error:
        return (reject_repository(name, "sandbox_infra", str(error), retriable=True),)
    write_artifacts(Folder(context.output), workshop.snapshot, workshop.clean)
    return candidates
