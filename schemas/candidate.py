"""A task that nobody has proven yet, and the parts it is made of.

Second state on the road: sources yield it, screening may refuse it, proving turns it into `Proven`. A function or
stdin task carries test cases; a suite task carries test code that runs next to the solution; a repository task carries
a mutation of a healthy tree. Values inside test cases are in the encoding of `schemas/values.py`. Method: own.
"""

from dataclasses import dataclass
from enum import StrEnum

from schemas.canonical import content_id
from schemas.source import SourceRef


class TaskStyle(StrEnum):
    """How a solution is called and judged."""

    FUNCTION = "function"
    STDIN = "stdin"
    SUITE = "suite"
    REPOSITORY = "repository"


class TestOrigin(StrEnum):
    """Who made a test case."""

    __test__ = False

    BANK = "bank"
    EXAMPLE = "example"
    MODEL = "model"
    HUMAN = "human"
    FUZZED = "fuzzed"


class TestTier(StrEnum):
    """What a test case asks for (TAROT, arXiv 2602.15449, section 3)."""

    __test__ = False

    BASIC = "basic"
    INTERMEDIATE = "intermediate"
    COMPLEX = "complex"
    EDGE = "edge"


class CheckerName(StrEnum):
    """How an output is compared with the expected one; stated per task, never guessed while grading."""

    EXACT = "exact"
    FLOAT = "float"
    UNORDERED = "unordered"
    LINES = "lines"
    TOKENS = "tokens"
    TOKENS_CASELESS = "tokens_caseless"
    TOKENS_FLOAT = "tokens_float"


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """One bound on a parameter's values."""

    path: str
    """What it bounds: empty for the value itself, ``[]`` for its items, ``{k}``/``{v}`` for keys and values of a
    mapping; steps may follow one another (``[][]``)."""
    rule: str
    """``min max min_length max_length alphabet choices unique sorted nonempty``."""
    value_json: str = "null"
    """The bound as JSON; ``null`` for rules that need none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter of the entry point."""

    name: str
    annotation: str = ""
    """Python type expression, for instance ``list[int]``; empty when unknown."""
    default: str = ""
    """Source text of the default value; empty for a required parameter."""
    constraints: tuple[Constraint, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """The callable that tests call."""

    entry_point: str
    """An expression that yields the callable in the solution's namespace: ``two_sum`` or ``Solution().twoSum``."""
    parameters: tuple[Parameter, ...] = ()
    returns: str = ""
    preamble: str = ""
    """Imports that the solution may rely on; run before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checker:
    """A comparison and its tolerances."""

    name: CheckerName = CheckerName.EXACT
    rel_tol: float = 0.0
    abs_tol: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TestCase:
    """One input and the output that is expected for it."""

    __test__ = False

    case_id: str
    input: str
    """Function style: canonical JSON ``{"args": [...], "kwargs": {...}}`` of encoded values. Stdin style: the text."""
    expected: str
    """Function style: canonical JSON of the encoded return value (or raised exception). Stdin style: the text."""
    origin: TestOrigin
    tier: TestTier = TestTier.BASIC
    public: bool = False
    """Whether the solver sees it."""

    @classmethod
    def make(
        cls,
        test_input: str,
        expected: str,
        *,
        origin: TestOrigin,
        tier: TestTier = TestTier.BASIC,
        public: bool = False,
    ) -> "TestCase":
        """Return a test case whose id is the digest of its input."""
        case_id = content_id("case", test_input)
        return cls(case_id=case_id, input=test_input, expected=expected, origin=origin, tier=tier, public=public)


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteFile:
    """A trusted file that is laid beside the solution."""

    path: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """Test code that must run next to the solution, since it couldn't be parsed into cases."""

    files: tuple[SuiteFile, ...]
    solution_path: str = "solution.py"
    why: str = ""
    """Why it couldn't be parsed into cases."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEdit:
    """A byte-exact splice: bytes ``start:end`` of the file become the replacement."""

    path: str
    start: int
    end: int
    replacement_hex: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryMutation:
    """A healthy tree and the edit that breaks it."""

    repository: str
    """Name of the repository, for instance ``toolz``."""
    url: str
    """Where it can be cloned; never a machine path (a local repository gives ``local:<name>``)."""
    base_commit: str
    tree_digest: str
    """SHA-256 of the healthy tree; names the snapshot in the artifact folder."""
    environment_digest: str
    operator: str
    """Name of the mutation operator."""
    edits: tuple[FileEdit, ...]
    bug_patch: str
    """Unified diff healthy -> broken; ``git apply`` takes it."""
    fix_patch: str
    """Unified diff broken -> healthy: the reference solution."""
    scope: str = ""
    """Qualified name of the innermost function or class that was changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """Which model reply a candidate was made from."""

    model: str
    request_key: str
    operator: str = ""
    """Rewriting operator, for evolved tasks."""
    reasoning_chars: int = 0
    """Length of the reasoning text; 0 when the model gave none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A task before any proof."""

    record_id: str
    """Content id; equal content has equal id whatever worker made it."""
    source: SourceRef
    style: TaskStyle
    statement: str
    language: str = "python"
    title: str = ""
    domain: str = "algorithms"
    declared_difficulty: str = ""
    """The source's own label, kept as it was."""
    tags: tuple[str, ...] = ()
    signature: Signature | None = None
    starter_code: str = ""
    tests: tuple[TestCase, ...] = ()
    given_tests_left_out: int = 0
    """Tests that the source gave beyond ``prove.max_given_tests``."""
    suite: Suite | None = None
    checker: Checker = Checker()
    reference: str = ""
    """Source text of the reference solution; empty for repository tasks (the fix patch is the reference)."""
    alternatives: tuple[str, ...] = ()
    """Further solutions that the source calls right."""
    mutation: RepositoryMutation | None = None
    generation: Generation | None = None
    parent_ids: tuple[str, ...] = ()
    family_key: str = ""
    """Records with the same key share a split; empty means that the record is its own family."""
    variant_role: str = ""
    """``harder``, ``easier`` or ``variant`` relative to the parent."""
