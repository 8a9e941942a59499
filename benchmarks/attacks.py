"""The attack matrix of the backends that need a container engine, with engines that are started for it.

`python -m benchmarks.attacks` takes the arguments of `python -m sandbox.attacks`. Without ``--backend`` all container
backends are tried.
"""

import signal
import sys
from contextlib import ExitStack

from sandbox.attacks.__main__ import main
from sandbox.attacks.matrix import CONTAINERS
from sandbox.attacks.traces import adopting_orphans
from tests.engines import EngineMissing, running_docker, running_podman


def run(arguments: list[str]) -> int:
    """Return the exit code of the matrix."""
    words = list(arguments)
    if "--backend" not in words:
        words += [word for name in CONTAINERS for word in ("--backend", name)]
    with ExitStack() as stack:
        stack.enter_context(adopting_orphans())
        for option, start in (("--docker-url", running_docker), ("--podman-url", running_podman)):
            try:
                words += [option, stack.enter_context(start())]
            except EngineMissing as error:
                sys.stderr.write(f"{error}\n")
        return main(words)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the engines are stopped
    sys.exit(run(sys.argv[1:]))
