"""Problem banks: one module for each published format, and the registry that names them."""

from seeds.banks import apps, humaneval, leetcode, mbpp, taskfoundry
from seeds.banks.format import BANKS, BankFormat

for _format in (apps.FORMAT, humaneval.FORMAT, leetcode.FORMAT, mbpp.FORMAT, taskfoundry.FORMAT):
    BANKS.register(_format.name, _format)

__all__ = ["BANKS", "BankFormat"]
