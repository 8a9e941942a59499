"""The compiled filters that ship, against the table they come from."""

import importlib
import platform

import pytest

from sandbox.base import Job, Run
from sandbox.seccomp import ARCHITECTURES, POLICIES, load_filter
from sandbox.seccomp.allowed import FAMILIES, LANGUAGES, list_allowed
from sandbox.seccomp.policy import resolve_policy
from sandbox.seccomp.table import DENIED, LATE, NETWORK_FAMILIES, OFFLINE_FAMILIES, SIFTED, X86_ONLY
from schemas.errors import SandboxError
from schemas.limits import Limits

FILTERS = [
    (policy, language, network, architecture)
    for policy, languages in (("standard", ("general",)), ("strict", (*LANGUAGES, "general")))
    for language in languages
    for network in (False, True)
    for architecture in ARCHITECTURES
]
EXOTIC = ("io_setup", "seccomp", "landlock_create_ruleset", "io_uring_setup", "bpf", "mount", "shmat", "ustat")


@pytest.mark.parametrize(("policy", "language", "network", "architecture"), FILTERS)
def test_a_filter_is_a_program_the_kernel_can_take(policy, language, network, architecture):
    program = load_filter(policy, network=network, architecture=architecture, language=language)
    assert len(program) % 8 == 0
    assert 50 < len(program) // 8 < 4096


@pytest.mark.parametrize(("policy", "language", "network", "architecture"), FILTERS)
def test_the_shipped_filter_is_the_compiled_table(policy, language, network, architecture):
    pytest.importorskip(
        "pyseccomp", reason="needs pyseccomp and the system's libseccomp", exc_type=(ImportError, RuntimeError)
    )
    compiler = importlib.import_module("sandbox.seccomp.compiler")
    compiled = compiler.compile_filter(policy, network=network, architecture=architecture, language=language)
    assert compiled == load_filter(policy, network=network, architecture=architecture, language=language)


def test_no_call_is_denied_twice():
    names = [name for family in DENIED.values() for name in family]
    assert len(names) == len(set(names))
    assert set(OFFLINE_FAMILIES) < set(NETWORK_FAMILIES)


def test_no_call_stands_in_two_families():
    names = [name for family in FAMILIES.values() for name in family]
    assert len(names) == len(set(names))
    assert set(SIFTED) < set(names)


@pytest.mark.parametrize("network", [False, True])
@pytest.mark.parametrize("language", [*LANGUAGES, "general"])
def test_strict_allows_nothing_that_is_denied_and_nothing_exotic(language, network):
    allowed = set(list_allowed(language, network=network))
    assert not allowed & {name for family in DENIED.values() for name in family}
    assert not allowed & {*LATE, *EXOTIC}
    assert allowed >= {"read", "execve", "futex", "clone", "setresuid"}


def test_the_general_list_holds_every_other_one():
    general = set(list_allowed("cobol", network=True))
    assert all(general >= set(list_allowed(language, network=True)) for language in LANGUAGES)


def test_a_language_without_sockets_gets_them_with_the_network():
    assert "socket" not in list_allowed("cpp", network=False)
    assert "socket" in list_allowed("cpp", network=True)


def test_names_of_one_architecture_only_are_told_apart():
    seccomp = pytest.importorskip("pyseccomp", exc_type=(ImportError, RuntimeError))
    names = {
        name
        for policy in POLICIES
        for rule in resolve_policy(policy, network=True, language="general").rules
        for name in rule.names
    }
    assert {name for name in names if seccomp.resolve_syscall(seccomp.Arch.AARCH64, name) < 0} == set(X86_ONLY)


@pytest.mark.parametrize(
    ("policy", "architecture", "message"),
    [
        ("none", "x86_64", "unknown syscall filter 'none'; there are strict, standard"),
        ("standart", "x86_64", "Did you mean 'standard'"),
        ("strict", "mips", "no syscall filter for architecture"),
    ],
)
def test_an_unknown_filter_is_refused(policy, architecture, message):
    with pytest.raises(SandboxError, match=message):
        load_filter(policy, network=False, architecture=architecture)


def test_this_machine_s_filter_is_the_default():
    assert load_filter("strict", network=False) == load_filter("strict", network=False, architecture=platform.machine())


def test_a_compiler_has_the_list_of_its_language():
    assert load_filter("strict", network=False, language="cpp-build") == load_filter(
        "strict", network=False, language="cpp"
    )


def test_the_list_of_an_unknown_language_is_the_general_one():
    assert load_filter("strict", network=False, language="cobol") == load_filter(
        "strict", network=False, language="general"
    )


DENIED_PROBE = """
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
def call(*numbers):
    result = libc.syscall(*numbers)
    return 'allowed' if result >= 0 else errno.errorcode[ctypes.get_errno()]
print({
    'mount': call(165, 0, 0, 0, 0, 0), 'unshare': call(272, 0x10000000), 'ptrace': call(101, 0, 0, 0, 0),
    'clone3': call(435, 0, 0), 'shmget': call(29, 1, 1, 0o1600), 'semget': call(64, 1, 1, 0o1600),
    'msgget': call(68, 1, 0o1600), 'mq_open': call(240, 0, 0), 'io_uring_setup': call(425, 1, 0),
    'clone new user': call(56, 0x10000000 | 17, 0, 0, 0, 0), 'keyctl': call(250, 0, 0, 0, 0, 0),
    'bpf': call(321, 0, 0, 0), 'userfaultfd': call(323, 0), 'personality': call(135, 0),
    'socket, high bits': call(41, 0x100000002, 1, 0), 'ioctl TIOCSTI': call(16, 0, 0x5412, 0),
    'process_vm_readv': call(310, 1, 0, 0, 0, 0, 0), 'setns': call(308, 0, 0), 'open_by_handle_at': call(304, 0, 0, 0),
})
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the numbers are those of x86_64")
@pytest.mark.parametrize("policy", POLICIES)
def test_every_family_of_calls_is_refused_inside(run_source, policy):
    outcome = run_source(DENIED_PROBE, syscall_filter=policy)
    answers = eval(outcome.stdout)
    assert answers.pop("clone3") == "ENOSYS"
    assert set(answers.values()) == {"EPERM"}, answers


EXOTIC_PROBE = """
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
print({number: libc.syscall(number, -1, 0, 0, 0, 0) < 0 and errno.errorcode[ctypes.get_errno()] for number in
    (153, 154, 169, 171, 177, 206, 317, 30, 65, 69, 242, 444, 446, 600, 4000)})
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the numbers are those of x86_64")
def test_strict_refuses_calls_that_nobody_listed(run_source):
    answers = eval(run_source(EXOTIC_PROBE, syscall_filter="strict").stdout)
    assert set(answers.values()) == {"EPERM"}, answers
    standard = eval(run_source(EXOTIC_PROBE, syscall_filter="standard").stdout)
    assert standard[206] != "EPERM"  # io_setup
    assert standard[153] == "EPERM"  # vhangup


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the call is one of the 32-bit x86 kind")
def test_a_call_of_a_foreign_architecture_kills(run_source):
    source = (
        "import ctypes, mmap\n"
        "page = mmap.mmap(-1, 4096, prot=7)\n"
        "page.write(bytes.fromhex('b814000000cd80c3'))\n"
        "ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()\n"
    )
    outcome = run_source(source)
    assert (outcome.state.value, outcome.signal) == ("POLICY", 31)


@pytest.mark.parametrize("policy", POLICIES)
def test_ordinary_work_is_allowed(run_source, policy):
    source = (
        "import socket, subprocess, threading, tempfile, os, select\n"
        "left, right = socket.socketpair(); left.send(b'x'); assert right.recv(1) == b'x'\n"
        "thread = threading.Thread(target=print, args=('thread',)); thread.start(); thread.join()\n"
        "print(subprocess.run(['echo', 'child'], capture_output=True, text=True).stdout, end='')\n"
        "with tempfile.NamedTemporaryFile() as file: file.write(b'x')\n"
        "assert os.waitpid(os.fork() or os._exit(0), 0)[1] == 0\n"
        "select.epoll().close()\n"
    )
    assert run_source(source, syscall_filter=policy).stdout == b"thread\nchild\n"


def test_network_is_open_only_when_the_job_asks(backend):
    source = "import socket; socket.socket(); print('socket')"
    argv = ("/opt/python/bin/python3", "-I", "-c", source)
    with backend.open(Job(limits=Limits(network=True))) as session:
        assert session.run(Run(argv=argv)).stdout == b"socket\n"
    with backend.open(Job(limits=Limits())) as session:
        assert b"PermissionError" in session.run(Run(argv=argv)).stderr


def test_without_network_there_is_not_even_an_interface(run_source):
    source = "print([line.split(':')[0].strip() for line in open('/proc/net/dev').readlines()[2:]])"
    assert run_source(source).stdout == b"['lo']\n"
