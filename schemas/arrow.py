"""The Arrow schema of a row: explicit, shallow, versioned; no null type, no map, no foreign metadata.

Free-form payloads are canonical JSON in columns that end in ``_json``. The columns ``prompt data_source ability
reward_model extra_info`` are those that verl reads; TRL takes ``prompt`` with any other columns. Method: own.
"""

from typing import Any

import pyarrow as pa

SCHEMA_VERSION = "1.1"
"""A new column raises the second number: readers of the older version can read the rows. All else raises the first."""
READABLE_VERSIONS = frozenset({"1.0", SCHEMA_VERSION})
"""Versions of rows that `schemas/row_reading.py` reads."""

Row = dict[str, Any]
"""One row as pyarrow takes it; its keys and types are those of `TASK_SCHEMA`."""

_TEXT = pa.string()
_TEXTS = pa.list_(pa.field("element", _TEXT, nullable=False))


def _struct(*fields: tuple[str, pa.DataType]) -> pa.DataType:
    return pa.struct([pa.field(name, kind, nullable=False) for name, kind in fields])


def _many(*fields: tuple[str, pa.DataType]) -> pa.DataType:
    return pa.list_(pa.field("element", _struct(*fields), nullable=False))


_CASES = _many(("case_id", _TEXT), ("input", _TEXT), ("expected", _TEXT), ("origin", _TEXT), ("tier", _TEXT))
_MESSAGES = _many(("role", _TEXT), ("content", _TEXT))
_COLUMNS: tuple[tuple[str, pa.DataType], ...] = (
    ("task_id", _TEXT),
    ("schema_version", _TEXT),
    ("family_id", _TEXT),
    ("family_key", _TEXT),
    ("parent_ids", _TEXTS),
    ("variant_role", _TEXT),
    ("source", _TEXT),
    ("source_kind", _TEXT),
    ("source_locator", _TEXT),
    ("source_id", _TEXT),
    ("source_url", _TEXT),
    ("license", _TEXT),
    ("author_role", _TEXT),
    ("review_status", _TEXT),
    ("style", _TEXT),
    ("domain", _TEXT),
    ("language", _TEXT),
    ("title", _TEXT),
    ("tags", _TEXTS),
    ("declared_difficulty", _TEXT),
    ("data_source", _TEXT),
    ("prompt", _MESSAGES),
    ("ability", _TEXT),
    ("reward_model", _struct(("style", _TEXT), ("ground_truth", _TEXT))),
    ("extra_info", _struct(("split", _TEXT), ("index", pa.int64()), ("task_id", _TEXT), ("style", _TEXT))),
    ("statement", _TEXT),
    ("entry_point", _TEXT),
    ("signature_json", _TEXT),
    ("starter_code", _TEXT),
    ("public_tests", _CASES),
    ("hidden_tests", _CASES),
    ("suite_json", _TEXT),
    ("checker", _TEXT),
    ("checker_rel_tol", pa.float64()),
    ("checker_abs_tol", pa.float64()),
    ("reference_solution", _TEXT),
    ("alternative_solutions", _TEXTS),
    ("repository", _TEXT),
    ("repository_url", _TEXT),
    ("base_commit", _TEXT),
    ("tree_digest", _TEXT),
    ("environment_digest", _TEXT),
    ("bug_patch", _TEXT),
    ("patch", _TEXT),
    ("mutation_operator", _TEXT),
    ("mutation_scope", _TEXT),
    ("mutation_edits_json", _TEXT),
    ("FAIL_TO_PASS", _TEXTS),
    ("PASS_TO_PASS", _TEXTS),
    ("test_command", _TEXT),
    ("test_files", _TEXTS),
    ("model", _TEXT),
    ("model_request", _TEXT),
    ("rewrite_operator", _TEXT),
    ("verdict_strength", _TEXT),
    ("sandbox_backend", _TEXT),
    ("sandbox_isolation", _TEXT),
    ("limits_enforced", _TEXTS),
    ("limits_json", _TEXT),
    ("toolchain", _TEXT),
    ("repeats", pa.int32()),
    ("baseline", _TEXT),
    ("baseline_failed", pa.int32()),
    ("flaky_tests", _TEXTS),
    ("failed_alternatives", _TEXTS),
    ("given_tests_left_out", pa.int32()),
    ("mutants", pa.int32()),
    ("mutants_killed", pa.int32()),
    ("mutation_score", pa.float64()),
    ("survivors", _many(("operator", _TEXT), ("diff", _TEXT), ("suspected_equivalent", pa.bool_()))),
    ("exploit_vector", _many(("name", _TEXT), ("accepted", pa.bool_()))),
    (
        "exploit_classes",
        _many(
            ("number", pa.int32()),
            ("result", _TEXT),
            ("basis", _TEXT),
            ("tried", pa.int32()),
            ("open_to", _TEXTS),
            ("reason", _TEXT),
        ),
    ),
    ("exploit_battery", _TEXT),
    ("fuzz_inputs", pa.int32()),
    ("fuzz_valid", pa.int32()),
    (
        "contamination",
        _many(
            ("benchmark", _TEXT), ("nearest_item", _TEXT), ("score", pa.float64()), ("method", _TEXT), ("span", _TEXT)
        ),
    ),
    ("difficulty", pa.float64()),
    ("difficulty_provenance", _TEXT),
    ("solution_lines", pa.int32()),
    ("files_touched", pa.int32()),
    ("cyclomatic", pa.int32()),
    ("tests_needed", pa.int32()),
    ("reasoning_chars", pa.int32()),
    ("phase", pa.int32()),
    ("mixture_bucket", _TEXT),
    ("mixture_weight", pa.float64()),
    ("split", _TEXT),
)
_NULLABLE = {"mutation_score"}

TASK_SCHEMA = pa.schema(
    [pa.field(name, kind, nullable=name in _NULLABLE) for name, kind in _COLUMNS],
    metadata={"taskfoundry.schema_version": SCHEMA_VERSION},
)
