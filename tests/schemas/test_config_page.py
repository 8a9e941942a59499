"""The page about the config names every key."""

from pathlib import Path

from schemas import config
from schemas.exploit_settings import Exploits

PAGE = (Path(__file__).parents[2] / "docs" / "config.md").read_text(encoding="utf-8")
MODELS = (Path(__file__).parents[2] / "docs" / "models.md").read_text(encoding="utf-8")


def spellings(key: str) -> tuple[str, ...]:
    return f"`{key}`", f"{key}:", f"`{key}."


def test_every_key_is_on_the_page():
    sections = [kind for kind in vars(config).values() if isinstance(kind, type) and issubclass(kind, config.Section)]
    for section in sections:
        page = MODELS if section is config.Model else PAGE
        missing = [key for key in section.model_fields if not any(mark in page for mark in spellings(key))]
        assert not missing or section is config.Benchmark, f"{section.__name__}: {missing}"


def test_every_default_number_is_on_the_page():
    for section in (config.Prove, config.Decontamination, config.Dedup, config.Output):
        for key, field in section.model_fields.items():
            if not isinstance(field.default, Exploits):
                row = next(line for line in PAGE.splitlines() if f"`{key}`" in line)
                assert f"`{field.default}`" in row, key


def test_every_key_of_exploits_and_its_default_is_on_the_page():
    for key, value in Exploits().model_dump(mode="json").items():
        row = next(line for line in PAGE.splitlines() if f"`exploits.{key}`" in line)
        assert f"`{value}`" in row, key
