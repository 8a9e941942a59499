"""What the ``strict`` filter denies, as data.

Everything else is allowed. A denied call returns ``EPERM``; ``clone3`` returns ``ENOSYS``, so that the C library falls
back to ``clone``, whose flags a filter can read; a call of a foreign architecture kills the process. Method: own; the
families follow the default profiles of Docker and of systemd's ``@privileged``, ``@mount``, ``@debug``, ``@keyring``.
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
