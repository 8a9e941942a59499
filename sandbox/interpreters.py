"""The Python that is inside: the one that runs us, which every sandbox has, or another one of this machine.

It runs the fork server everywhere, and the Python programs. Method: own.
"""

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from sandbox.backends.rootfs import PYTHON
from sandbox.base import Mount
from sandbox.packages import ONE_THREAD, PLACE, Packages, describe_toolchain
from schemas.errors import ConfigError

_PREFIX = "/opt/interpreter"
_START_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpreter:
    """The Python that runs solutions, as the sandbox sees it."""

    executable: str = PYTHON
    mounts: tuple[Mount, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    packages: Packages | None = None
    """What programs may import beside the standard library."""

    @property
    def arguments(self) -> tuple[str, ...]:
        """What the fork server is told: the folder of packages, and the modules to import ahead."""
        return (PLACE, *self.packages.preload) if self.packages else ()

    @property
    def server(self) -> str:
        """File name of the fork server: compiled for the interpreter that runs us, source for any other."""
        return "fork_server.pyc" if self.executable == PYTHON else "fork_server.py"

    def with_packages(self, packages: Packages | None) -> "Interpreter":
        """Return the interpreter with packages that programs may import."""
        if packages is None:
            return self
        mounts, env = (*self.mounts, packages.mount), {**ONE_THREAD, **self.env}
        return replace(self, mounts=mounts, env=env, packages=packages)

    def describe(self, version: str) -> str:
        """Return the toolchain: name, version, and the packages.

        Args:
            version: what the interpreter inside says that it is.
        """
        return describe_toolchain(f"cpython {version}", self.packages)

    @classmethod
    def find(cls, python: Path | None, packages: Packages | None = None) -> "Interpreter":
        """Return the interpreter behind a path; ``None`` is the one that every sandbox has, which also runs us.

        Args:
            packages: what programs may import beside the standard library; made for the Python that runs us.

        Raises:
            ConfigError: the path is no working Python 3.11 or newer, or not one that the packages were made for.
        """
        if python is None:
            return OWN_INTERPRETER.with_packages(packages)
        base, version, is_shared = _describe_interpreter(python)
        if packages is not None and not PYTHON.endswith(f"python{version}"):
            raise ConfigError(f"packages: they were installed for the Python that runs us, and {python} is {version}")
        env = {"PATH": f"{_PREFIX}/bin:/usr/bin:/bin"}
        if is_shared:
            env["LD_LIBRARY_PATH"] = f"{_PREFIX}/lib"
        mount = Mount(source=base, target=_PREFIX)
        found = cls(executable=f"{_PREFIX}/bin/python{version}", mounts=(mount,), env=env)
        return found.with_packages(packages)


def _describe_interpreter(python: Path) -> tuple[Path, str, bool]:
    """Return the installation folder, the version ``X.Y``, and whether it needs a shared library."""
    code = (
        "import json, os, sys, sysconfig; print(json.dumps([os.path.realpath(sys.base_prefix),"
        "'%d.%d' % sys.version_info[:2], bool(sysconfig.get_config_var('Py_ENABLE_SHARED'))]))"
    )
    try:
        done = subprocess.run([python, "-I", "-c", code], capture_output=True, check=True, timeout=_START_S)
        base, version, is_shared = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise ConfigError(f"{python} is no working Python: {error}") from error
    if tuple(map(int, version.split("."))) < (3, 11):
        raise ConfigError(f"{python} is Python {version}; solutions run on 3.11 or newer")
    return Path(base), version, is_shared


OWN_INTERPRETER = Interpreter()
"""The one that every sandbox has."""
