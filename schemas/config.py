"""The config file: YAML in, frozen pydantic models out, and every mistake named with its nearest right spelling.

Read once at the start; nothing else reads the environment (the API key's variable is named here and read by the model
client when it first asks). Paths are taken relative to the config file. Method: own, with pydantic.
"""

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from schemas.canonical import canonical_json, digest_text
from schemas.errors import ConfigError, suggest_name
from schemas.exploit_settings import Exploits
from schemas.sandbox_limits import SandboxLimits
from schemas.source import MixtureBucket
from schemas.yaml_text import YamlTextError, load_yaml

_NAME = Field(pattern=r"^[a-z0-9][a-z0-9_.-]*$", max_length=64)


class Section(BaseModel):
    """Base of every section: frozen, and an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class BankSource(Section):
    """A problem bank in local files or on the Hub."""

    kind: Literal["bank"]
    name: str = _NAME
    format: str
    """Registered bank format: ``taskfoundry apps leetcode humaneval mbpp``."""
    path: str = ""
    """File, glob or folder (.jsonl .jsonl.gz .json .parquet)."""
    dataset: str = ""
    """Dataset id for ``datasets.load_dataset``, instead of a path."""
    dataset_split: str = "train"
    dataset_revision: str = ""
    license: str = "NOASSERTION"
    limit: int = Field(default=0, ge=0)
    """Rows to read; 0 reads all."""
    allow_benchmark: bool = False
    """Must be true before a benchmark (HumanEval, MBPP) is taken as training input."""

    @model_validator(mode="after")
    def _one_origin(self) -> "BankSource":
        if bool(self.path) == bool(self.dataset):
            raise ValueError("exactly one of 'path' and 'dataset' must be given")
        return self


class RepositorySource(Section):
    """A git repository whose healthy commit is mutated."""

    kind: Literal["repository"]
    name: str = _NAME
    location: str
    """Git URL, local path, or bundle file; a path to a source archive (.tar.gz, .zip) is taken as one commit."""
    commit: str = "HEAD"
    license: str = "NOASSERTION"
    operators: tuple[str, ...] = ()
    """Operator names; empty takes all."""
    max_candidates: int = Field(default=60, ge=1)
    """Mutants to validate, spread over files, functions and operators."""
    install: bool = True
    """Whether the environment may install the repository's requirements (needs a package index)."""
    max_fail_to_pass: float = Field(default=0.5, gt=0, le=1)
    """Mutants that break more than this share of the suite are too blunt and are refused."""


class TopicsSource(Section):
    """Topics from which a model writes specifications."""

    kind: Literal["topics"]
    name: str = _NAME
    path: str
    samples: int = Field(default=1, ge=1, le=64)
    license: str = "Apache-2.0"


class EvolveSource(Section):
    """Parents that a model rewrites, one Evol-style round."""

    kind: Literal["evolve"]
    name: str = _NAME
    parents: str
    """Name of the bank or curated source whose tasks are the parents."""
    count: int = Field(default=6, ge=1)
    operators: tuple[str, ...] = ()
    license: str = "Apache-2.0"


class CuratedSource(Section):
    """A folder of human-written tasks in YAML or JSON."""

    kind: Literal["curated"]
    name: str = _NAME
    path: str
    license: str = "NOASSERTION"
    accept_status: tuple[str, ...] = ("approved", "reviewed")


Source = Annotated[
    BankSource | RepositorySource | TopicsSource | EvolveSource | CuratedSource, Field(discriminator="kind")
]


class Benchmark(Section):
    """A benchmark file that the data must stay clear of."""

    name: str = _NAME
    path: str


class Model(Section):
    """How models are asked."""

    mode: Literal["live", "replay", "off"] = "off"
    name: str = ""
    """Model name sent to the endpoint (live)."""
    base_url: str = ""
    """OpenAI-compatible endpoint; empty takes the SDK's default."""
    api_key_env: str = "OPENAI_API_KEY"
    """Name of the environment variable that holds the key."""
    replies: str = ""
    """Replay: a .jsonl file or folder of recorded replies; also the fallback store's seed in live mode."""
    timeout_s: float = Field(default=120.0, gt=0)
    max_retries: int = Field(default=4, ge=0)
    concurrency: int = Field(default=8, ge=1, le=512)
    temperature: float = Field(default=0.7, ge=0, le=2)
    max_tokens: int = Field(default=4096, ge=1)
    budget_usd: float = Field(default=5.0, ge=0)
    usd_per_mtok_in: float = Field(default=0.0, ge=0)
    usd_per_mtok_out: float = Field(default=0.0, ge=0)


class Sandbox(Section):
    """Which sandbox runs untrusted code."""

    backend: str = "auto"
    min_isolation: str = "process"
    strict: bool = False
    """Refuse a backend that can't enforce every limit."""
    packages: str = ""
    """Folder of installed packages that Python solutions may import; a virtual environment or ``pip --target``."""
    preload: tuple[str, ...] = ()
    """Modules of them that are imported once for each sandbox, before any solution."""
    limits: SandboxLimits = SandboxLimits()
    suite_limits: SandboxLimits = SandboxLimits(cpu_limit=60, timeout_sec=180, memory_mb=1024, disk_mb=256)

    @model_validator(mode="after")
    def _preload_from_packages(self) -> "Sandbox":
        if self.preload and not self.packages:
            raise ValueError("'preload' names modules of 'packages', and that names no folder")
        return self


class Prove(Section):
    """What counts as proven."""

    repeats: int = Field(default=3, ge=2, le=10)
    fuzz_inputs: int = Field(default=120, ge=0)
    """Inputs to draw per function task."""
    max_given_tests: int = Field(default=1000, ge=4)
    """Tests of a row that its reference must pass; of more, the shown ones and a fixed choice are taken."""
    max_tests: int = Field(default=40, ge=4)
    """Cases kept in the final suite."""
    max_mutants: int = Field(default=60, ge=0)
    min_mutation_score: float = Field(default=0.6, ge=0, le=1)
    """Killed share of mutants not suspected equivalent that a function or stdin task must reach."""
    min_hidden_tests: int = Field(default=2, ge=1)
    exploits: Exploits = Exploits()


class Decontamination(Section):
    """How benchmark items are recognised."""

    ngram: int = Field(default=10, ge=3)
    statement_overlap: float = Field(default=0.5, gt=0, le=1)
    code_window: int = Field(default=7, ge=3)
    code_overlap: float = Field(default=0.6, gt=0, le=1)
    min_shingles: int = Field(default=8, ge=1)


class Dedup(Section):
    """How near-duplicates are recognised."""

    threshold: float = Field(default=0.7, gt=0, le=1)
    permutations: int = Field(default=128, ge=16)
    shingle: int = Field(default=5, ge=1)


class Mixture(Section):
    """Shares of the emitted rows and the validation split."""

    bank: float = Field(default=0.25, ge=0, le=1)
    repository: float = Field(default=0.40, ge=0, le=1)
    synthetic: float = Field(default=0.27, ge=0, le=1)
    human: float = Field(default=0.08, ge=0, le=1)
    enforce: bool = False
    """Hold rows out until the shares are met; otherwise keep all rows and weigh them."""
    max_share_per_source: float = Field(default=1.0, gt=0, le=1)
    validation_fraction: float = Field(default=0.1, ge=0, lt=1)

    @model_validator(mode="after")
    def _sums_to_one(self) -> "Mixture":
        total = self.bank + self.repository + self.synthetic + self.human
        if abs(total - 1.0) > 1e-6:
            raise ValueError(f"the four shares must sum to 1, they sum to {total:g}")
        return self

    def target(self, bucket: MixtureBucket) -> float:
        """Return the wanted share of a bucket."""
        shares = {
            MixtureBucket.BANK: self.bank,
            MixtureBucket.REPOSITORY: self.repository,
            MixtureBucket.SYNTHETIC: self.synthetic,
            MixtureBucket.HUMAN: self.human,
        }
        return shares[bucket]


class Output(Section):
    """What is written."""

    rows_per_shard: int = Field(default=5000, ge=1)
    row_group_rows: int = Field(default=1000, ge=1)
    max_rejected_share: float = Field(default=0.9, gt=0, le=1)
    """The run fails when a larger share of the read records is rejected."""


class Config(Section):
    """One run."""

    name: str = _NAME
    seed: int = 0
    sources: tuple[Source, ...] = Field(min_length=1)
    benchmarks: tuple[Benchmark, ...] = ()
    model: Model = Model()
    sandbox: Sandbox = Sandbox()
    prove: Prove = Prove()
    decontamination: Decontamination = Decontamination()
    dedup: Dedup = Dedup()
    mixture: Mixture = Mixture()
    output: Output = Output()
    store: str = ""
    """fsspec URL of the store of replies and proofs; empty puts it into the output folder."""
    cache: str = ""
    """Local folder for clones and environments; empty puts it into the user's cache folder."""

    @model_validator(mode="after")
    def _names_are_unique(self) -> "Config":
        names = [source.name for source in self.sources]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"source name {twice[0]!r} is used twice")
        for source in self.sources:
            if isinstance(source, EvolveSource) and source.parents not in names:
                raise ValueError(
                    f"source {source.name!r}: parents {source.parents!r} is no source."
                    + suggest_name(source.parents, names)
                )
        return self

    def digest(self) -> str:
        """Return the SHA-256 of what the config says, independent of spelling and order of keys."""
        return digest_text(canonical_json(self.model_dump(mode="json", exclude={"store", "cache"})))


def _known_keys(location: tuple[int | str, ...]) -> tuple[str, ...]:
    """Return the keys that are allowed where an unknown one was found."""
    model: Any = Config
    for step in location[:-1]:
        if isinstance(step, int):
            continue
        if step in _SOURCE_KINDS:
            model = _SOURCE_KINDS[step]
            continue
        field = model.model_fields.get(step) if hasattr(model, "model_fields") else None
        model = field.annotation if field is not None else model
    return tuple(model.model_fields) if hasattr(model, "model_fields") else ()


_SOURCE_KINDS: dict[str, type[Section]] = {
    "bank": BankSource,
    "repository": RepositorySource,
    "topics": TopicsSource,
    "evolve": EvolveSource,
    "curated": CuratedSource,
}


def _explain(error: ValidationError, path: Path) -> str:
    lines = []
    for item in error.errors(include_url=False):
        # Pydantic puts the kind of a source behind its number.
        steps = [step for index, step in enumerate(item["loc"]) if index != 2 or step not in _SOURCE_KINDS]
        place = ".".join(str(step) for step in steps) or "config"
        if item["type"] == "extra_forbidden":
            key = str(item["loc"][-1])
            lines.append(f"{place}: unknown key {key!r}.{suggest_name(key, _known_keys(item['loc']))}")
        elif item["type"] == "union_tag_invalid":
            kind = str(item["ctx"]["tag"])
            lines.append(f"{place}: unknown kind {kind!r}.{suggest_name(kind, _SOURCE_KINDS)}")
        elif item["type"] == "string_pattern_mismatch":
            lines.append(f"{place}: {item['input']!r} may hold only a to z, 0 to 9, '_', '.' and '-'")
        elif item["type"] == "missing":
            lines.append(f"{place}: this key is required")
        else:
            message = item["msg"].removeprefix("Value error, ")
            given = item["input"]
            shown = f" (got {given!r})" if isinstance(given, str | int | float | bool) else ""
            lines.append(f"{place}: {message}{shown}")
    return f"{path}: " + "\n".join(lines)


def parse_config(text: str, path: Path) -> Config:
    """Return the config that a YAML text says.

    Args:
        path: the name that messages use.

    Raises:
        ConfigError: it isn't YAML, or a key is unknown, missing or wrong.
    """
    try:
        data = load_yaml(text)
    except YamlTextError as error:
        raise ConfigError(f"{path}: not valid YAML: {error}") from error
    if not isinstance(data, dict):
        raise ConfigError(f"{path}: expected a mapping of keys at the top, got {type(data).__name__}")
    try:
        return Config.model_validate(data)
    except ValidationError as error:
        raise ConfigError(_explain(error, path)) from error


def load_config(path: Path) -> Config:
    """Return the config in a file.

    Raises:
        ConfigError: the file can't be read or isn't a valid config.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ConfigError(f"config {str(path)!r} can't be read: {why}") from error
    return parse_config(text, path)
