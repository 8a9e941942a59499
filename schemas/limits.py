"""What a sandboxed program may use: eight limits and the system call policy.

Travels from the config into every job and into the row, so a consumer can judge under the limits that the proof used.
Method: own; the names of the config example in README.
"""

from dataclasses import dataclass

SYSCALL_FILTERS = ("strict", "standard")
"""Names of the seccomp policies: what a language needs and nothing else, or everything but what is dangerous."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of one program run."""

    cpu_s: float = 4.0
    """CPU seconds of all processes together; the verdict on time rests on this one."""
    wall_s: float = 20.0
    """Wall-clock seconds: the safety net for programs that sleep."""
    memory_mb: int = 512
    """MiB of all processes together."""
    disk_mb: int = 64
    """MiB of the writable scratch folder, held in memory and never kept."""
    stdin_mb: float = 1.0
    """MiB of standard input that a job may carry."""
    stdout_mb: float = 10.0
    """MiB of standard output, and the same again of standard error."""
    processes: int = 100
    """Processes and threads alive at once."""
    network: bool = False
    """Whether the program may open network connections."""
    syscall_filter: str = "strict"
    """Name of the seccomp policy, one of `SYSCALL_FILTERS`."""
