"""Rows of this project's own bank format, described in docs/bank-format.md. Method: own."""

from collections.abc import Mapping

from schemas.candidate import Candidate, TestOrigin
from schemas.source import SourceRef
from seeds.banks.format import BankFormat, open_row
from seeds.own_format import parse_task


def parse(row: Mapping[str, object], ref: SourceRef) -> Candidate:
    """Return the candidate of a row.

    Raises:
        SeedError: a field is missing or wrong, or the row has no usable solution or test.
    """
    return parse_task(open_row(row, ref), ref, origin=TestOrigin.BANK)


FORMAT = BankFormat(name="taskfoundry", parse=parse)
