"""What the ``strict`` policy allows, as data: families of calls that a runtime may need, and what was recorded.

A language's list is what its corpus was seen to use (`sandbox.seccomp.recorded`), and the families that its runtime and
the sandbox's own way of starting a program may need on another machine, C library or day; never what
`sandbox.seccomp.table` denies. Method: own; the families follow systemd's ``@system-service`` without its privileged
parts.
"""

from sandbox.seccomp.recorded import RECORDED
from sandbox.seccomp.table import DENIED, LATE

LANGUAGES = ("python", "cpp", "java", "rust", "go", "javascript", "typescript")
GENERAL = "general"
"""The list of a language that has none of its own: all lists together."""

FAMILIES: dict[str, tuple[str, ...]] = {
    "memory": (
        *("brk", "mmap", "munmap", "mprotect", "mremap", "madvise", "mincore", "msync", "mlock", "mlock2", "mlockall"),
        *("munlock", "munlockall", "membarrier", "memfd_create", "get_mempolicy", "map_shadow_stack"),
    ),
    "memory keys": ("pkey_alloc", "pkey_free", "pkey_mprotect"),
    "processes": (
        *("fork", "vfork", "clone", "execve", "execveat", "exit", "exit_group", "wait4", "waitid", "kill", "tkill"),
        *("tgkill", "getpid", "getppid", "gettid", "getpgid", "getpgrp", "setpgid", "getsid", "setsid", "prctl"),
        *("arch_prctl", "pidfd_open", "pidfd_send_signal", "getrlimit", "setrlimit", "prlimit64", "getrusage"),
        *("times", "getpriority", "setpriority", "ioprio_get", "restart_syscall", "process_mrelease"),
    ),
    "threads": (
        *("futex", "futex_waitv", "futex_wait", "futex_wake", "futex_requeue", "set_robust_list", "get_robust_list"),
        *("set_tid_address", "set_thread_area", "get_thread_area", "rseq", "getcpu", "sched_yield"),
        *("sched_getaffinity", "sched_setaffinity", "sched_getparam", "sched_getscheduler", "sched_getattr"),
        *("sched_get_priority_max", "sched_get_priority_min", "sched_rr_get_interval"),
    ),
    "scheduling": ("sched_setparam", "sched_setscheduler", "sched_setattr"),
    "identity": (
        *("getuid", "geteuid", "getgid", "getegid", "getgroups", "getresuid", "getresgid", "setuid", "setgid"),
        *("setreuid", "setregid", "setresuid", "setresgid", "setgroups", "setfsuid", "setfsgid", "capget", "capset"),
    ),
    "signals": (
        *("rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigpending", "rt_sigsuspend", "rt_sigtimedwait"),
        *("rt_sigqueueinfo", "rt_tgsigqueueinfo", "sigaltstack", "signalfd", "signalfd4", "pause", "alarm"),
    ),
    "time": (
        *("time", "gettimeofday", "clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep", "getitimer"),
        *("setitimer", "timer_create", "timer_settime", "timer_gettime", "timer_getoverrun", "timer_delete"),
        *("timerfd_create", "timerfd_settime", "timerfd_gettime"),
    ),
    "descriptors": (
        *("open", "openat", "openat2", "creat", "close", "close_range", "dup", "dup2", "dup3", "fcntl", "flock"),
        *("read", "readv", "pread64", "preadv", "preadv2", "write", "writev", "pwrite64", "pwritev", "pwritev2"),
        *("lseek", "sendfile", "splice", "tee", "copy_file_range", "readahead", "fadvise64", "cachestat"),
        *("fsync", "fdatasync", "sync", "syncfs", "sync_file_range", "ftruncate", "truncate", "fallocate", "ioctl"),
    ),
    "files": (
        *("stat", "fstat", "lstat", "newfstatat", "statx", "statfs", "fstatfs", "access", "faccessat", "faccessat2"),
        *("readlink", "readlinkat", "getdents", "getdents64", "getcwd", "chdir", "fchdir", "umask", "mkdir"),
        *("mkdirat", "rmdir", "link", "linkat", "symlink", "symlinkat", "unlink", "unlinkat", "rename", "renameat"),
        *("renameat2", "mknod", "mknodat", "chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown"),
        *("fchownat", "utime", "utimes", "utimensat", "futimesat"),
    ),
    "attributes of files": (
        *("getxattr", "lgetxattr", "fgetxattr", "listxattr", "llistxattr", "flistxattr", "setxattr", "lsetxattr"),
        *("fsetxattr", "removexattr", "lremovexattr", "fremovexattr"),
    ),
    "watching files": ("inotify_init", "inotify_init1", "inotify_add_watch", "inotify_rm_watch"),
    "waiting": (
        *("poll", "ppoll", "select", "pselect6", "epoll_create", "epoll_create1", "epoll_ctl", "epoll_wait"),
        *("epoll_pwait", "epoll_pwait2", "eventfd", "eventfd2", "pipe", "pipe2"),
    ),
    "sockets": (
        *("socket", "socketpair", "bind", "listen", "accept", "accept4", "connect", "shutdown", "getsockname"),
        *("getpeername", "sendto", "recvfrom", "sendmsg", "recvmsg", "sendmmsg", "recvmmsg", "setsockopt"),
        *("getsockopt",),
    ),
    "facts": ("uname", "sysinfo", "getrandom"),
}
"""Call names by what they are for. A socket's family and an ioctl's request are checked as well."""

_CORE = ("memory", "processes", "threads", "identity", "signals", "time", "descriptors", "files", "waiting", "facts")
LANGUAGE_FAMILIES: dict[str, tuple[str, ...]] = {
    "python": (*_CORE, "sockets", "scheduling", "attributes of files", "watching files"),
    "cpp": (*_CORE, "scheduling"),
    "java": (*_CORE, "sockets", "attributes of files", "watching files"),
    "rust": _CORE,
    "go": (*_CORE, "sockets"),
    "javascript": (*_CORE, "sockets", "watching files", "memory keys"),
    "typescript": (*_CORE, "sockets", "watching files", "memory keys"),
}
"""Families by language, by what its runtime and standard library reach for. Programs of the native languages do without
sockets; with ``network`` every language has them."""


def name_language(language: str) -> str:
    """Return whose list a language has: its own, or the general one."""
    plain = language.removesuffix("-build")
    return plain if plain in LANGUAGES else GENERAL


def list_allowed(language: str, *, network: bool) -> tuple[str, ...]:
    """Return the names of the calls that a language's programs may make, sorted.

    Args:
        language: one of `LANGUAGES`, or one with ``-build`` for its compiler, which has the same list; any other name
            takes all lists together.
        network: whether programs may open connections.
    """
    languages = LANGUAGES if name_language(language) == GENERAL else (name_language(language),)
    names = {name for one in languages for name in RECORDED[one]}
    families = {family for one in languages for family in LANGUAGE_FAMILIES[one]} | ({"sockets"} if network else set())
    names.update(name for family in families for name in FAMILIES[family])
    denied = {name for family in DENIED.values() for name in family}
    return tuple(sorted(names - denied - set(LATE)))
