"""The config that the README shows is one."""

import re
from pathlib import Path

from schemas.config import load_config, parse_config

ROOT = Path(__file__).parents[2]


def test_the_config_of_the_readme_is_valid() -> None:
    (text,) = re.findall(r"```yaml\n(.*?)```", (ROOT / "README.md").read_text(), flags=re.DOTALL)
    kinds = {source.kind for source in parse_config(text, Path("README.md")).sources}
    assert kinds == {"bank", "repository", "topics", "evolve", "curated"}


def test_the_demo_config_holds_every_kind_of_source() -> None:
    kinds = {source.kind for source in load_config(ROOT / "examples" / "demo" / "config.yaml").sources}
    assert kinds == {"bank", "repository", "topics", "evolve", "curated"}
