"""Every place of a file where some operator can break it.

First step of mutation: cheap, nothing is compiled. Sites carry byte ranges and words only, so they travel between
workers. Method: own.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mutators.base import Edits, MutationOperator
from mutators.document import Document
from mutators.mutmut_adapter import read_mutations
from mutators.registry import find_operators
from mutators.splice import Edit, normalize
from schemas.errors import MutationError


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """One mutant that hasn't been made yet."""

    path: str
    operator: str
    kind: str
    """Theme of the operator: ``control``, ``condition``, ``statement``, ..."""
    edits: tuple[Edit, ...]
    """Ranges of the bytes on disk, in ascending order."""
    scope: str
    """Qualified name of the innermost function or class, ``Queue.push``; empty at module level."""
    line: int
    """Line of the first changed byte, counted from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SurveyedFile:
    """A file and its sites."""

    path: str
    source: bytes
    sites: tuple[Site, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedFile:
    """A file that can't be mutated, or not by every operator."""

    path: str
    reason: str
    """``unparsable`` (no operator applies) or ``no_mutmut`` (only this project's own operators apply)."""
    detail: str
    """Position and message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What there is to mutate in several files, in the order of their paths."""

    files: tuple[SurveyedFile, ...]
    skipped: tuple[SkippedFile, ...]


def enumerate_sites(
    path: str, source: bytes, operators: Sequence[str] = (), *, module_level: bool = False
) -> tuple[Site, ...]:
    """Return the sites of a file in the order of their place; no two give the same bytes.

    Args:
        path: relative to the repository's root, with forward slashes.
        operators: names; empty takes all.
        module_level: whether code outside functions is mutated too, as in a script.

    Raises:
        MutationError: the file doesn't parse; the message names path, line and column.
        ConfigError: an operator's name is unknown.
    """
    return _sites(Document(path, source, module_level=module_level), find_operators(operators))


def survey_files(files: Mapping[str, bytes], operators: Sequence[str] = (), *, module_level: bool = False) -> Survey:
    """Return the sites of all files, and which files were skipped and why.

    Raises:
        ConfigError: an operator's name is unknown.
    """
    chosen = find_operators(operators)
    surveyed: list[SurveyedFile] = []
    skipped: list[SkippedFile] = []
    for path in sorted(files):
        try:
            document = Document(path, files[path], module_level=module_level)
        except MutationError as error:
            skipped.append(SkippedFile(path=path, reason="unparsable", detail=str(error)))
            continue
        surveyed.append(SurveyedFile(path=path, source=files[path], sites=_sites(document, chosen)))
        uses_mutmut = any(operator.theme == "mutmut" for operator in chosen)
        problem = read_mutations(document.text).problem if uses_mutmut else ""
        if problem:
            skipped.append(SkippedFile(path=path, reason="no_mutmut", detail=f"{path}: {problem}"))
    return Survey(files=tuple(surveyed), skipped=tuple(skipped))


def _sites(document: Document, operators: Sequence[MutationOperator]) -> tuple[Site, ...]:
    found = [site for operator in operators for site in _sites_of(document, operator)]
    found.sort(key=lambda site: (site.edits, site.operator))
    unique: dict[Edit, Site] = {}
    for site in found:
        unique.setdefault(normalize(document.source, site.edits), site)
    unchanged = normalize(document.source, ())
    return tuple(site for edit, site in unique.items() if edit != unchanged)


def _sites_of(document: Document, operator: MutationOperator) -> Iterator[Site]:
    for edits in operator.find_edits(document):
        if edits and not document.is_protected(edits):
            site = _site(document, operator, tuple(sorted(edits)))
            if site is not None:
                yield site


def _site(document: Document, operator: MutationOperator, edits: Edits) -> Site | None:
    start, end = edits[0].start, max(edit.end for edit in edits)
    # The removal of a line takes its end along, which lies behind the function when the line is its last.
    scope = document.scope(start, start + len(document.utf8[start:end].rstrip(b"\r\n")))
    if not document.module_level and (scope is None or not scope.in_function):
        return None
    on_disk = document.to_source(edits)
    if on_disk is None:
        return None
    return Site(
        path=document.path,
        operator=operator.name,
        kind=operator.theme,
        edits=on_disk,
        scope="" if scope is None else scope.name,
        line=document.line(start),
    )
