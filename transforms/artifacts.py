"""What repository tasks need beside their rows: the healthy tree and the list of its environment's packages.

Written by the mutate stage into the output folder, named by digest, listed in the manifest. Trees hold no history, so
no answer can be read from it. Method: own.
"""

from sandbox.clean_suites import CleanSuite
from schemas.artifact_paths import environment_path, tree_path
from schemas.canonical import digest_bytes
from schemas.snapshot import Snapshot
from schemas.storage import Folder
from transforms.output.parquet import ShardInfo

ARTIFACT = "artifact"


def write_artifacts(folder: Folder, snapshot: Snapshot, clean: CleanSuite) -> None:
    """Write the tree and the package list of one repository.

    Raises:
        ConfigError: the output folder can't be written.
    """
    folder.write(tree_path(snapshot.tree_digest), snapshot.tar.read_bytes())
    environment = clean.environment
    lines = (f"# cpython {environment.python_version}", *environment.packages)
    folder.write(environment_path(environment.digest), ("\n".join(lines) + "\n").encode())


def describe_artifact(folder: Folder, path: str) -> ShardInfo:
    """Return the manifest's entry for an artifact; it has no rows."""
    return ShardInfo(path=path, split=ARTIFACT, rows=0, sha256=digest_bytes(folder.read(path) or b""))
