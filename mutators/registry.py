"""The operators by name. A new operator is a function in `operators/`, a test, and an entry here.

Method: own.
"""

from collections.abc import Sequence

from mutators.base import MutationOperator
from mutators.mutmut_adapter import MUTMUT
from mutators.operators.bounds import BOUND
from mutators.operators.calls import CALL
from mutators.operators.conditions import CONDITION
from mutators.operators.control import CONTROL
from mutators.operators.exceptions import EXCEPTION
from mutators.operators.expressions import EXPRESSION
from mutators.operators.names import NAME
from mutators.operators.statements import STATEMENT
from schemas.registry import Registry

OPERATORS: Registry[MutationOperator] = Registry("mutation operator")

_THEMES = (CONTROL, CONDITION, STATEMENT, EXCEPTION, BOUND, EXPRESSION, CALL, NAME, MUTMUT)
for _operator in (operator for theme in _THEMES for operator in theme):
    OPERATORS.register(_operator.name, _operator)


def find_operators(names: Sequence[str] = ()) -> tuple[MutationOperator, ...]:
    """Return the operators of these names, sorted by name; all when none is named.

    Raises:
        ConfigError: no such name; the message offers the nearest one.
    """
    return tuple(OPERATORS.get(name) for name in sorted(set(names)) or OPERATORS.names())
