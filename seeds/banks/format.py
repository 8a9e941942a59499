"""What a bank format is: a name, a way from a row to a candidate, and whether its rows are a benchmark.

Every module of this folder defines one ``FORMAT``; `seeds/banks/__init__.py` registers it. Method: own.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from schemas.candidate import Candidate, Signature
from schemas.registry import Registry
from schemas.source import SourceRef
from seeds.fields import Fields
from seeds.python_source import find_function, parse_module, read_header, read_parameters, read_returns
from seeds.statement_bounds import read_bounds

RowParser = Callable[[Mapping[str, object], SourceRef], Candidate]
"""Row and where it came from to candidate; raises SeedError with a reason for a row that can't become one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BankFormat:
    """One published shape of rows."""

    name: str
    parse: RowParser
    benchmark: bool = False
    """Whether the rows are a benchmark, which is no training material unless the config asks for it."""
    benchmark_splits: frozenset[str] = field(default_factory=frozenset)
    """Splits of a published dataset id that are a benchmark."""


BANKS: Registry[BankFormat] = Registry("bank format")


def name_place(ref: SourceRef) -> str:
    """Return what messages call a row: source, file and row."""
    return f"source {ref.source!r} ({ref.locator})"


def open_row(row: Mapping[str, object], ref: SourceRef) -> Fields:
    """Return the row's fields with messages that name source, file and row."""
    return Fields(row, name_place(ref))


def read_signature(entry_point: str, *, starter: str, reference: str, preamble: str, statement: str = "") -> Signature:
    """Return the signature that the starter code gives, or else the reference's own, with the statement's bounds."""
    module = parse_module(reference)
    node = read_header(starter, entry_point) or (find_function(module, entry_point) if module else None)
    return Signature(
        entry_point=entry_point,
        parameters=read_bounds(statement, read_parameters(node)) if node else (),
        returns=read_returns(node) if node else "",
        preamble=preamble,
    )
