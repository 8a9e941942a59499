"""What the sandbox costs and what it gains, as ratios over plain processes: every part of it, one after the other.

    python benchmarks/sandbox.py [--long] [--rounds N] [--only figures languages ...]

Every part is a module of its own that can be run alone (``python -m benchmarks.figures``), takes its contestants in
turns in random order, and leaves out with the reason what doesn't work here. The short way, the default, is for a look
and takes some minutes; ``--long`` gives each part its own number of rounds. ``--rounds`` overrides both.

- ``figures``: the figures that are wanted, containers and gVisor among them, and whether they were met
- ``languages``: checks a second in every language, cold and warm
- ``rivals``: checks a second beside the ways of other tools
- ``zygote``: checks a second of the fork server, with numpy too
- ``isolation``: the start of a strict sandbox, and checks a second with one each
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
SHORT = {
    "figures": ("--rounds", "4"),
    "languages": ("--rounds", "2"),
    "rivals": ("--rounds", "4", "--seconds", "1"),
    "zygote": ("--rounds", "7"),
    "isolation": ("--rounds", "15", "--rate-rounds", "4", "--seconds", "0.5"),
}
LONG = {"figures": ("--long",), "rivals": ("--seconds", "2")}


def main() -> None:
    """Run the parts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--long", action="store_true", help="as many rounds as each part takes by itself")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--only", nargs="+", choices=SHORT, default=SHORT)
    options = parser.parse_args()
    for name in options.only:
        words = LONG.get(name, ()) if options.long else SHORT[name]
        rounds = ("--rounds", str(options.rounds)) if options.rounds else ()
        print(f"\n{name} {' '.join((*words, *rounds))}\n", flush=True)
        begin = time.monotonic()
        command = [sys.executable, "-m", f"benchmarks.{name}", *words, *rounds]
        subprocess.run(command, cwd=HERE.parent, check=True)
        print(f"\n{name}: {time.monotonic() - begin:.0f} s", flush=True)


if __name__ == "__main__":
    main()
