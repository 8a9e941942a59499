"""Folders of installed packages for tests: made up ones, and numpy out of the environment that runs the tests."""

import importlib.metadata
import shutil
import sys
from pathlib import Path

TAG = f"cp3{sys.version_info.minor}"


def lay_package(
    site: Path, name: str, source: str, *, version: str = "1.0", tag: str = "py3-none-any", records: str = ""
) -> None:
    """Lay a package of one module into a folder, as an installer would."""
    site.mkdir(parents=True, exist_ok=True)
    (site / f"{name}.py").write_text(source)
    info = site / f"{name}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (info / "WHEEL").write_text(f"Wheel-Version: 1.0\nTag: {tag}\n")
    (info / "RECORD").write_text(records)


def copy_numpy(site: Path) -> str:
    """Copy numpy without its tests into a folder, and return its version."""
    found = importlib.metadata.distribution("numpy")
    for file in found.files or ():
        if not file.parts[0].startswith("..") and not {"tests", "__pycache__", "bin"} & set(file.parts):
            (site / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(str(found.locate_file(file)), site / file)
    for path in (site, *site.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return found.version
