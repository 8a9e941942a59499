"""What the tests of all built languages try in JavaScript."""

from sandbox.languages.javascript import LANGUAGE
from schemas.limits import Limits
from tests.sandbox.languages.solving import Cases

_ECHO = """
const f = (...a) => [...a.slice(0, 6), a.slice(6, 9), a.slice(9)]
"""

CASES = Cases(
    language=LANGUAGE,
    limits=Limits(cpu_s=2, wall_s=20, memory_mb=384, disk_mb=16, stdout_mb=1.0, processes=64),
    toolchain=r"node \d\d",
    echo=_ECHO,
    preamble=('const one = 1', 'const f = (n) => n + one'),
    entry_points=('', 'f()', 'f.g.h', 'f; process.exit()', 'Solution(1).f', '1f', 'f"'),
    refused="can't be called from JavaScript",
    without_main='',
    no_programs=(
        ("function f(", "SyntaxError"),
        ("import x from 'y'\nfunction f(", "SyntaxError"),
        ("\x00\x01\x7fELF\ud800", "SyntaxError"),
    ),
)  # fmt: skip
