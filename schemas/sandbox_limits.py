"""The limits of a sandbox as a config says them, under either of two sets of names.

Part of `schemas.config`; becomes `schemas.limits.Limits`, which rows repeat. Method: own, with pydantic.
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from schemas.errors import suggest_name
from schemas.limits import SYSCALL_FILTERS, Limits

_OTHER_NAMES = {
    "cpu_s": "cpu_limit",
    "wall_s": "timeout_sec",
    "stdin_mb": "stdin_size_mb",
    "stdout_mb": "stdout_size_mb",
    "processes": "fork_limit",
}
"""The names of `Limits` that differ from a config's."""


class SandboxLimits(BaseModel):
    """The eight limits under the names that configs use; those of `Limits` are taken as well."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    cpu_limit: float = Field(default=4.0, gt=0)
    memory_mb: int = Field(default=512, ge=32)
    timeout_sec: float = Field(default=20.0, gt=0)
    disk_mb: int = Field(default=64, ge=1)
    network: Literal["none", "host"] = "none"
    stdin_size_mb: float = Field(default=1.0, gt=0)
    stdout_size_mb: float = Field(default=10.0, gt=0)
    fork_limit: int = Field(default=100, ge=2)
    syscall_filter: str = "strict"

    @model_validator(mode="before")
    @classmethod
    def _take_other_names(cls, given: object) -> object:
        """Return the limits under their own names; ``network`` may be a truth value, as in `Limits`."""
        if not isinstance(given, dict):
            return given
        twice = [(other, name) for other, name in _OTHER_NAMES.items() if other in given and name in given]
        if twice:
            raise ValueError(f"{twice[0][0]!r} and {twice[0][1]!r} are the same limit; give one of them")
        taken = {_OTHER_NAMES.get(name, name): value for name, value in given.items()}
        if isinstance(taken.get("network"), bool):
            taken["network"] = "host" if taken["network"] else "none"
        return taken

    @field_validator("syscall_filter")
    @classmethod
    def _is_known(cls, name: str) -> str:
        if name not in SYSCALL_FILTERS:
            raise ValueError(f"expected one of {', '.join(SYSCALL_FILTERS)}.{suggest_name(name, SYSCALL_FILTERS)}")
        return name

    def to_limits(self) -> Limits:
        """Return the limits as the sandbox takes them."""
        return Limits(
            cpu_s=self.cpu_limit,
            wall_s=self.timeout_sec,
            memory_mb=self.memory_mb,
            disk_mb=self.disk_mb,
            stdin_mb=self.stdin_size_mb,
            stdout_mb=self.stdout_size_mb,
            processes=self.fork_limit,
            network=self.network == "host",
            syscall_filter=self.syscall_filter,
        )
