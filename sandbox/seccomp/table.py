"""What no policy allows, and which arguments are looked at, as data.

``standard`` allows everything else; ``strict`` allows what `sandbox.seccomp.allowed` lists and nothing of this. A
denied call returns ``EPERM``; ``clone3`` returns ``ENOSYS``, so that the C library falls back to ``clone``, whose flags
a filter can read; a call of a foreign architecture kills the process. Method: own; the families follow the default
profiles of Docker and of systemd's ``@privileged``, ``@mount``, ``@debug``, ``@keyring``.
"""

DENIED: dict[str, tuple[str, ...]] = {
    "watching other processes": (
        "ptrace",
        "process_vm_readv",
        "process_vm_writev",
        "process_madvise",
        "kcmp",
        "pidfd_getfd",
        "perf_event_open",
    ),
    "mounts and roots": (
        "mount",
        "umount2",
        "pivot_root",
        "chroot",
        "fsopen",
        "fsconfig",
        "fsmount",
        "fspick",
        "open_tree",
        "move_mount",
        "mount_setattr",
        "quotactl",
        "quotactl_fd",
    ),
    "namespaces": ("unshare", "setns"),
    "kernel code and state": (
        "bpf",
        "init_module",
        "finit_module",
        "delete_module",
        "create_module",
        "kexec_load",
        "kexec_file_load",
        "reboot",
        "swapon",
        "swapoff",
        "acct",
        "syslog",
        "lookup_dcookie",
        "nfsservctl",
        "_sysctl",
        "uselib",
        "vhangup",
        "iopl",
        "ioperm",
        "modify_ldt",
    ),
    "keys": ("add_key", "request_key", "keyctl"),
    "clocks": ("settimeofday", "clock_settime", "clock_adjtime", "adjtimex"),
    "memory tricks": (
        "userfaultfd",
        "vmsplice",
        "mbind",
        "set_mempolicy",
        "migrate_pages",
        "move_pages",
        "memfd_secret",
    ),
    "input and output rings": ("io_uring_setup", "io_uring_enter", "io_uring_register"),
    "files by handle": ("name_to_handle_at", "open_by_handle_at", "fanotify_init", "fanotify_mark"),
    "execution domain": ("personality",),
    "objects that outlive a process": ("shmget", "semget", "msgget", "mq_open"),
}
"""Syscall names by what they would give; the last family matters because one sandbox runs many programs in turn."""

NEW_NAMESPACE_FLAGS = (
    0x00020000,  # CLONE_NEWNS
    0x02000000,  # CLONE_NEWCGROUP
    0x04000000,  # CLONE_NEWUTS
    0x08000000,  # CLONE_NEWIPC
    0x10000000,  # CLONE_NEWUSER
    0x20000000,  # CLONE_NEWPID
    0x40000000,  # CLONE_NEWNET
)

TERMINAL_INJECTION = (0x5412, 0x541C)
"""``TIOCSTI`` and ``TIOCLINUX``: ioctls that push input into a terminal."""

FAMILY_COUNT = 46
"""Socket families that exist (Linux 6.18); a number above is refused by the kernel itself."""

OFFLINE_FAMILIES = (1,)
"""``AF_UNIX`` only."""

NETWORK_FAMILIES = (1, 2, 10, 16)
"""``AF_UNIX``, ``AF_INET``, ``AF_INET6`` and ``AF_NETLINK``, which name lookup asks for addresses."""

LATE = ("clone3",)
"""Calls answered with ``ENOSYS``, as by a kernel that is too old for them."""

SIFTED = ("clone", "ioctl", "socket")
"""Calls whose arguments decide."""

TERMINAL_AND_FILE_REQUESTS = (
    *range(0x5401, 0x540C),  # TCGETS to TCFLSH
    *(0x540E, 0x540F, 0x5410, 0x5411),  # TIOCSCTTY, TIOCGPGRP, TIOCSPGRP, TIOCOUTQ
    *(0x5413, 0x5414, 0x541B, 0x5421, 0x5422, 0x5429),  # TIOCGWINSZ, TIOCSWINSZ, FIONREAD, FIONBIO, TIOCNOTTY, TIOCGSID
    *(0x5441, 0x80045430, 0x40045431),  # TIOCGPTPEER, TIOCGPTN, TIOCSPTLCK
    *(0x5450, 0x5451, 0x5452, 0x5460),  # FIONCLEX, FIOCLEX, FIOASYNC, FIOQSIZE
    *(0x40049409, 0x4020940D),  # FICLONE, FICLONERANGE
    *(0x80086601, 0xC020660B),  # FS_IOC_GETFLAGS, FS_IOC_FIEMAP
)
"""Requests of ``ioctl`` that ``strict`` allows: terminals, which are the sandbox's own, and questions about files."""

X86_ONLY = (
    *("_sysctl", "access", "alarm", "arch_prctl", "chmod", "chown", "creat", "create_module", "dup2", "epoll_create"),
    *("epoll_wait", "eventfd", "fork", "futimesat", "get_thread_area", "getdents", "getpgrp", "inotify_init", "ioperm"),
    *("iopl", "lchown", "link", "lstat", "mkdir", "mknod", "modify_ldt", "open", "pause", "pipe", "poll", "readlink"),
    *("rename", "rmdir", "select", "set_thread_area", "signalfd", "stat", "symlink", "time", "unlink", "uselib"),
    *("utime", "utimes", "vfork"),
)
"""Names above and in the lists of ``strict`` that aarch64 lacks, for forms whose reader refuses unknown names."""
