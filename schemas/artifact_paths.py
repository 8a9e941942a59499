"""Where the artifacts of repository tasks lie in a dataset folder, by digest.

Written by the mutate stage, read by whoever judges such a task from its row. Method: own.
"""


def tree_path(tree_digest: str) -> str:
    """Return where a tree lies in the output folder."""
    return f"artifacts/trees/{tree_digest}.tar"


def environment_path(environment_digest: str) -> str:
    """Return where the package list of an environment lies in the output folder."""
    return f"artifacts/environments/{environment_digest}.txt"
