"""The page about the config names every key."""

from pathlib import Path

from schemas import config

PAGE = (Path(__file__).parents[2] / "docs" / "config.md").read_text(encoding="utf-8")
MODELS = (Path(__file__).parents[2] / "docs" / "models.md").read_text(encoding="utf-8")


def test_every_key_is_on_the_page():
    sections = [kind for kind in vars(config).values() if isinstance(kind, type) and issubclass(kind, config.Section)]
    for section in sections:
        page = MODELS if section is config.Model else PAGE
        missing = [key for key in section.model_fields if f"`{key}`" not in page and f"{key}:" not in page]
        assert not missing or section is config.Benchmark, f"{section.__name__}: {missing}"


def test_every_default_number_is_on_the_page():
    for section in (config.Prove, config.Decontamination, config.Dedup, config.Output):
        for key, field in section.model_fields.items():
            row = next(line for line in PAGE.splitlines() if f"`{key}`" in line)
            assert f"`{field.default}`" in row, key
