"""What the process sandbox costs and what the fork server gains, as ratios over a bare subprocess.

Run as ``python benchmarks/sandbox.py [--rounds N]``. Two interleaved runs, one after the other: the strict start of
``benchmarks/isolation.py`` (wanted: at most 2.5 x bare) and the verdicts per second of ``benchmarks/zygote.py``
(wanted: at least 4 x bare).
"""

import runpy
import sys
from pathlib import Path

HERE = Path(__file__).parent


def main() -> None:
    """Run both, each with the arguments that were given."""
    sys.path[0] = str(HERE.parent)  # this file's own name would hide the package that it measures
    for name in ("isolation.py", "zygote.py"):
        print(f"\n{name}\n", flush=True)
        runpy.run_path(str(HERE / name), run_name="__main__")


if __name__ == "__main__":
    main()
