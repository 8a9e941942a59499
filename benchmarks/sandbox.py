"""What the sandbox costs and what it gains, as ratios over plain processes: every part of it, one after the other.

    python benchmarks/sandbox.py [--rounds N] [--only figures languages ...]

Every part is a module of its own that can be run alone (``python -m benchmarks.figures``), takes its contestants in
turns in random order, and leaves out with the reason what doesn't work here. Without ``--rounds`` each takes its own
number.

- ``isolation``: the start of a strict sandbox, and checks a second with one each
- ``zygote``: checks a second of the fork server
- ``figures``: the figures that are wanted, containers and gVisor among them, and whether they were met
- ``rivals``: checks a second beside the ways of other tools
- ``languages``: checks a second in every language, cold and warm
"""

import argparse
import runpy
import sys
from pathlib import Path

HERE = Path(__file__).parent
PARTS = ("isolation", "zygote", "figures", "rivals", "languages")


def main() -> None:
    """Run the parts, each with the rounds that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    options = parser.parse_args()
    sys.path[0] = str(HERE.parent)  # this file's own name would hide the package that it measures
    for name in options.only:
        print(f"\n{name}\n", flush=True)
        sys.argv = [name, *(["--rounds", str(options.rounds)] if options.rounds else [])]
        runpy.run_module(f"benchmarks.{name}", run_name="__main__")


if __name__ == "__main__":
    main()
