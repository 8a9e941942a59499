"""The examples in the documents of the formats are read as they stand, and every reason word is explained."""

import json
import re
from pathlib import Path

from schemas.candidate import Candidate
from schemas.config import BankSource, Benchmark, CuratedSource
from seeds.banks.reading import read_bank
from seeds.benchmarks import read_benchmark
from seeds.curated import read_curated

ROOT = Path(__file__).resolve().parents[2]
BANK, CURATED = (ROOT / "docs" / name for name in ("bank-format.md", "curated-format.md"))


def blocks(document: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", document.read_text(encoding="utf-8"), re.DOTALL)


def test_the_bank_row_of_the_document_is_a_candidate(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text(json.dumps(json.loads(blocks(BANK, "json")[0])))
    section = BankSource(kind="bank", name="b", format="taskfoundry", path="x.jsonl")
    (record,) = read_bank(section, tmp_path)
    assert isinstance(record, Candidate)
    assert [test.public for test in record.tests] == [True, False, False]


def test_the_curated_file_of_the_document_is_a_candidate(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text(blocks(CURATED, "yaml")[1])
    (record,) = read_curated(CuratedSource(kind="curated", name="c", path="x.yaml"), tmp_path)
    assert isinstance(record, Candidate)


def test_the_benchmark_row_of_the_document_is_an_item(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(blocks(BANK, "json")[1])
    (item,) = read_benchmark(Benchmark(name="b", path="x.json"), tmp_path)
    assert len(item.io_pairs) == 3


def test_every_reason_of_a_refused_row_is_explained() -> None:
    text = BANK.read_text(encoding="utf-8") + CURATED.read_text(encoding="utf-8")
    names = (
        "assembly checking curated fields files json_rows own_format own_signature parquet_rows rows task_tests "
        "banks/apps banks/humaneval banks/mbpp banks/reading"
    )
    sources = [(ROOT / "seeds" / f"{name}.py").read_text(encoding="utf-8") for name in names.split()]
    reasons = {word for source in sources for word in re.findall(r'reason="([a-z_0-9]+)"', source)}
    assert len(reasons) > 25
    assert {word for word in reasons if f"`{word}`" not in text} == set()
