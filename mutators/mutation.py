"""From a site to what a repository task carries: edits, bug patch and fix patch.

Last step of mutation, before the suite has its say. Method: own.
"""

from collections.abc import Mapping

from mutators.patches import unified_diff
from mutators.sites import Site
from mutators.splice import splice
from schemas.candidate import RepositoryMutation
from schemas.errors import MutationError


def mutate_file(site: Site, source: bytes) -> bytes:
    """Return the broken bytes of the site's file.

    Raises:
        MutationError: the site doesn't fit the source.
    """
    try:
        return splice(source, site.edits)
    except MutationError as error:
        raise MutationError(f"{site.path}:{site.line}: {site.operator}: {error}") from error


def make_mutation(
    site: Site,
    files: Mapping[str, bytes],
    *,
    repository: str,
    url: str,
    base_commit: str,
    tree_digest: str,
    environment_digest: str,
) -> RepositoryMutation:
    """Return the mutation record of a site, patches in both directions included.

    Args:
        files: healthy bytes by path; the site's file is among them.
        url: where the repository can be cloned, or ``local:<name>``.

    Raises:
        MutationError: the site's file is missing, or the site doesn't fit it.
    """
    if site.path not in files:
        raise MutationError(f"{site.path}: the file of a mutation isn't in the tree")
    healthy = files[site.path]
    broken = mutate_file(site, healthy)
    return RepositoryMutation(
        repository=repository,
        url=url,
        base_commit=base_commit,
        tree_digest=tree_digest,
        environment_digest=environment_digest,
        operator=site.operator,
        edits=tuple(edit.to_file_edit(site.path) for edit in site.edits),
        bug_patch=unified_diff(site.path, healthy, broken),
        fix_patch=unified_diff(site.path, broken, healthy),
        scope=site.scope,
    )
