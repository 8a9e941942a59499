"""What the tests of all built languages try in TypeScript."""

from sandbox.languages.typescript import LANGUAGE
from schemas.limits import Limits
from tests.sandbox.languages.solving import Cases

_ECHO = """
const f = (...a: any[]) => [...a.slice(0, 6), a.slice(6, 9), a.slice(9)]
"""

CASES = Cases(
    language=LANGUAGE,
    limits=Limits(cpu_s=2, wall_s=20, memory_mb=384, disk_mb=16, stdout_mb=1.0, processes=64),
    toolchain=r"typescript \d.*, node \d\d",
    echo=_ECHO,
    preamble=("import { EOL } from 'os'", 'const f = (n: number): number => n + EOL.length'),
    entry_points=('', 'f()', 'f.g.h', 'f; process.exit()', 'Solution(1).f', '1f', 'f"'),
    refused="can't be called from JavaScript",
    without_main='',
    no_programs=(
        ("function f(n: number): number { return 'x' }", "solution.ts(1,33): error TS2322"),
        ("function f(n: number): number { return n", "error TS1005"),
        ("function g(n: number): number { return n }", "Cannot find name 'f'"),
        ("function f(n: number) { return n.length }", "error TS2339"),
        ("import { x } from './other'\nconst f = () => x", "error TS2307"),
        ("\x00\x01\x7fELF\ud800", "error TS"),
    ),
)  # fmt: skip
