"""One run over everything that can be wrong with its input: each fault is refused by name and nothing else is lost."""

import gzip
import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from pipelines.dataset import damaged_files, iterate_rows, read_manifest
from pipelines.funnel import unbalanced
from tests.pipelines.conftest import TASKFOUNDRY, run_cli, write_config
from tests.pipelines.endpoint import list_topics, serve

GOOD = {
    "id": "shift-list",
    "title": "Shift a list",
    "style": "function",
    "statement": "Return the numbers of the list in their order, each of them raised by `by`.",
    "signature": "def shift(nums: list[int], by: int) -> list[int]",
    "examples": [{"args": [[1, 2], 3], "expected": [4, 5]}],
    "tests": [
        {"args": [[], 1], "expected": []},
        {"args": [[7], -7], "expected": [0]},
        {"args": [[1, 5, 9], 2], "expected": [3, 7, 11]},
    ],
    "reference": "def shift(nums, by):\n    return [n + by for n in nums]\n",
}
QUICK = {"repeats": 2, "fuzz_inputs": 8, "max_mutants": 3, "min_mutation_score": 0.0}
HUGE = 50_000_000
PLAIN_GIT = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}


def without(name: str) -> dict[str, object]:
    return {key: value for key, value in GOOD.items() if key != name}


def write_huge_row(path: Path, **keys: str) -> None:
    """Write a row whose `tests` is a JSON text of 50 MB."""
    head = json.dumps(keys)[:-1]
    with path.open("w") as file:
        file.write(f'{head}, "tests": "[')
        for _ in range(HUGE // 1_000_000):
            file.write("1, " * 333_333)
        file.write('1]"}\n')


def write_bank(folder: Path) -> None:
    folder.mkdir()
    rows = [
        json.dumps(GOOD),
        '{"id": "cut", "statement": ',
        json.dumps(without("reference")),
        json.dumps({**GOOD, "statement": 7}),
        json.dumps({**without("examples"), "tests": []}),
        "[1, 2]",
    ]
    (folder / "a.jsonl").write_text("\n".join(rows))
    write_huge_row(folder / "b.jsonl", id="huge")
    last = json.dumps({**GOOD, "statement": "Raise each number of the list by `by` and keep the order of the list."})
    (folder / "c.jsonl").write_text(last)


def write_truncated(path: Path) -> None:
    rows = [json.dumps({**GOOD, "title": f"Shift {number}", "noise": os.urandom(3000).hex()}) for number in range(2)]
    data = gzip.compress("\n".join(rows).encode())
    path.write_bytes(data[: len(data) - 2000])


def write_repository(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    author = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    for command in (["init", "-q"], ["add", "."], [*author, "commit", "-q", "-m", "one"]):
        subprocess.run(["git", *command], cwd=folder, env={**os.environ, **PLAIN_GIT}, check=True)


@dataclass(frozen=True)
class Run:
    folder: Path
    printed: str
    asked: list[str]

    def refused(self, source: str) -> dict[str, str]:
        """Reasons by locator of what was refused while reading."""
        rows = iterate_rows(self.folder, read_manifest(self.folder), ("rejected",))
        found = {row["locator"]: row["reason"] for row in rows if row["source"] == source and row["stage"] == "ingest"}
        return {locator.removeprefix("topics.yaml#"): reason for locator, reason in found.items()}

    def left(self, source: str) -> int:
        """Candidates that went on."""
        return read_manifest(self.folder)["counts"][source]["stages"]["ingest"]["out"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A finished run over all faults."""
    home = tmp_path_factory.mktemp("bad ünput")
    write_bank(home / "bank")
    write_truncated(home / "truncated.jsonl.gz")
    code = "def double(x):\n    return x * 2\n\n\ndef half(x):\n    return x // 2\n"
    write_repository(home / "untested", {"code.py": code})
    wrong = "import code_of_ours\n\n\ndef test_double():\n    assert code_of_ours.double(2) == 5\n"
    write_repository(home / "failing", {"code_of_ours.py": code, "tests/test_code.py": wrong})
    words = ("good", "once-429", "once-500", "status-429", "status-500", "hang", "half", "half-whole")
    (home / "topics.yaml").write_text(list_topics(*words))
    repositories = [("untested", "HEAD"), ("failing", "HEAD"), ("lost", "v9.9")]
    with serve() as (url, asked):
        config = {
            "name": "bad",
            "cache": str(home / "cache"),
            "sources": [
                {"kind": "bank", "name": "bank", "format": "taskfoundry", "path": "bank"},
                {"kind": "bank", "name": "truncated", "format": "taskfoundry", "path": "truncated.jsonl.gz"},
                {"kind": "topics", "name": "topics", "path": "topics.yaml"},
                *(
                    {
                        "kind": "repository",
                        "name": name,
                        "location": "failing" if name == "lost" else name,
                        "commit": commit,
                        "install": False,
                    }
                    for name, commit in repositories
                ),
            ],
            "model": {
                "mode": "live",
                "name": "toy",
                "base_url": url,
                "timeout_s": 6,
                "max_retries": 1,
                "concurrency": 8,
            },
            "prove": QUICK,
            "output": {"max_rejected_share": 1.0},
        }
        done = run_cli("build", write_config(home, config), "-o", home / "my öut", "--workers", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return Run(folder=home / "my öut", printed=done.stdout, asked=asked)


def test_nothing_is_lost_and_the_sums_agree(run: Run) -> None:
    manifest = read_manifest(run.folder)
    assert unbalanced(manifest) == ()
    assert damaged_files(run.folder, manifest) == ()
    read = {source: counts["read"] for source, counts in manifest["counts"].items()}
    assert read == {"bank": 8, "truncated": 2, "topics": 8, "untested": 1, "failing": 1, "lost": 1}


def test_each_bad_row_is_refused_for_what_it_is_and_the_good_ones_stay(run: Run) -> None:
    assert run.refused("bank") == {
        "a.jsonl:2": "broken_json",
        "a.jsonl:3": "missing_field",
        "a.jsonl:4": "wrong_type",
        "a.jsonl:5": "empty_tests",
        "a.jsonl:6": "not_an_object",
        "b.jsonl:1": "row_too_large",
    }
    assert run.left("bank") == 2


def test_the_rows_before_the_end_of_a_truncated_file_stay(run: Run) -> None:
    assert run.refused("truncated") == {"truncated.jsonl.gz:2": "truncated_file"}
    assert run.left("truncated") == 1


def test_a_repository_that_can_not_be_used_is_one_rejection(run: Run) -> None:
    assert run.refused("untested") == {"untested": "repository_without_tests"}
    assert run.refused("failing") == {"failing": "suite_fails_on_clean_checkout"}
    assert run.refused("lost") == {"lost": "missing_commit"}


def test_an_endpoint_that_fails_is_asked_again_and_then_given_up(run: Run) -> None:
    assert run.refused("topics") == {
        "status-429": "rate_limited",
        "status-500": "endpoint_failed",
        "hang": "timed_out",
        "half": "connection_failed",
        "half-whole": "half_reply",
    }
    assert run.left("topics") == 3
    assert all(run.asked.count(word) >= 2 for word in ("once-429", "once-500", "status-429", "hang", "half"))
    rows = iterate_rows(run.folder, read_manifest(run.folder), ("rejected",))
    assert all(row["retriable"] for row in rows if row["source"] == "topics" and row["stage"] == "ingest")


def test_the_output_folder_may_have_blanks_and_umlauts(run: Run) -> None:
    assert "my öut" in run.printed
    assert run_cli("inspect", run.folder, "bank").returncode in {0, 2}
    assert run_cli("status", run.folder).returncode == 0


def peak_memory_mb(config: Path) -> float:
    process = subprocess.Popen([TASKFOUNDRY, "plan", config], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return usage.ru_maxrss / 1024


def test_tests_of_50_megabytes_do_not_fill_the_memory(tmp_path: Path) -> None:
    (tmp_path / "small.jsonl").write_text(json.dumps(GOOD))
    write_huge_row(tmp_path / "huge.jsonl", id="huge")
    peaks = []
    for name in ("small", "huge"):
        source = {"kind": "bank", "name": "bank", "format": "taskfoundry", "path": f"{name}.jsonl"}
        peaks.append(peak_memory_mb(write_config(tmp_path, {"name": "memory", "sources": [source]})))
    assert peaks[1] - peaks[0] < 100


def test_a_refused_key_stops_the_run_without_showing_it(tmp_path: Path) -> None:
    (tmp_path / "topics.yaml").write_text(list_topics("status-401"))
    with serve() as (url, _):
        model = {"mode": "live", "name": "toy", "base_url": url, "api_key_env": "TOY_KEY", "timeout_s": 60}
        source = {"kind": "topics", "name": "topics", "path": "topics.yaml"}
        config = write_config(tmp_path, {"name": "refused", "sources": [source], "model": model})
        done = run_cli("build", config, "-o", tmp_path / "out", env={"TOY_KEY": "sk-secret"})
    assert done.returncode == 2
    assert done.stderr == (
        "error: model endpoint refuses: HTTP 401. Check the key in the environment variable TOY_KEY (it is set) and "
        "the account\n"
    )
    assert "sk-secret" not in done.stdout + done.stderr
    assert "interrupted" in run_cli("status", tmp_path / "out").stdout
