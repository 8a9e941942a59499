"""Which clock, randomness or machine fact a reference reads: such a task has no stable answer.

A cheap look before proving; repeats with another hash seed, order and time zone find the rest, but no repeat in one
minute finds a solution that prints today's year. Method: own.
"""

import ast

from schemas.syntax import parse_source

_SOURCES = {
    "time": {"time", "time_ns", "localtime", "gmtime", "ctime", "monotonic", "perf_counter", "process_time"},
    "datetime.datetime": {"now", "utcnow", "today"},
    "datetime.date": {"today"},
    "uuid": {"uuid1", "uuid4"},
    "secrets": {"token_bytes", "token_hex", "randbelow", "choice"},
    "os": {"urandom", "getpid", "getenv"},
    "platform": {"node", "system", "platform"},
    "socket": {"gethostname"},
}
_FORBIDDEN = {f"{module}.{name}" for module, names in _SOURCES.items() for name in names}


def find_clock_reads(source: str) -> tuple[str, ...]:
    """Return the calls of a Python source that read a clock or the machine, sorted; none when it doesn't parse.

    Names are followed through ``import`` and ``from ... import``, so a method of the same name isn't one of them.
    """
    try:
        tree = parse_source(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                root = alias.name.split(".", maxsplit=1)[0]
                names[alias.asname or root] = alias.name if alias.asname else root
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    called = {_resolve(node.func, names) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    return tuple(sorted(called & _FORBIDDEN))


def _resolve(node: ast.expr, names: dict[str, str]) -> str:
    if isinstance(node, ast.Name):
        return names.get(node.id, "")
    if isinstance(node, ast.Attribute):
        base = _resolve(node.value, names)
        return f"{base}.{node.attr}" if base else ""
    return ""
