"""What a program can find out about its host: nothing that matters."""

import os
import pwd
from pathlib import Path

import pytest

from sandbox.backends.entry import Privilege, detect_privilege
from sandbox.backends.rootfs import PYTHON
from sandbox.base import Job, Mount, Run, State
from schemas.limits import Limits

SECRET = "planted-secret-5d41402a"
SEARCH = """
import os
found = []
for folder, folders, files in os.walk('/'):
    if folder in ('/sys', '/usr', '/opt/python') or folder.count('/') > 6:
        folders.clear()
    for name in files:
        path = os.path.join(folder, name)
        if not path.startswith(('/proc/', '/work/', '/etc/')) or path.endswith(('/kmsg', '/kcore', '/pagemap')):
            continue
        if path.startswith('/proc/') and name not in ('environ', 'cmdline', 'maps', 'mountinfo', 'status'):
            continue
        try:
            with open(path, 'rb') as file:
                if b'planted-secret-' + b'5d41402a' in file.read(1 << 20): found.append(path)
        except OSError:
            pass
print(found, {key: value for key, value in os.environ.items() if 'planted' in value})
"""


@pytest.fixture
def secret_in_environment(monkeypatch):
    monkeypatch.setenv("TASKFOUNDRY_TEST_KEY", SECRET)


def test_no_environment_variable_of_the_host_can_be_read_anywhere(secret_in_environment, run_source):
    outcome = run_source(SEARCH)
    assert (outcome.state, outcome.stdout) == (State.OK, b"[] {}\n")


def test_the_search_finds_a_secret_that_is_there(backend):
    with backend.open(Job(limits=Limits(), files={"leak": SECRET.encode()})) as session:
        outcome = session.run(Run(argv=(PYTHON, "-I", "-S", "-c", SEARCH)))
    assert b"/work/leak" in outcome.stdout


def test_the_first_process_inside_shows_no_environment_to_the_host_s_root_either(secret_in_environment, backend):
    with backend.open(Job(limits=Limits())) as session:
        channel = session.converse(Run(argv=("/bin/cat",)))
        channel.send(b"x")
        channel.receive_exact(1, deadline_s=60)
        started = next(iter(session._running.values()))
        started.read_reports()
        for process in (started.process.pid, started.first_process):
            assert SECRET.encode() not in Path(f"/proc/{process}/environ").read_bytes()


def test_the_program_is_never_the_host_s_root(backend):
    with backend.open(Job(limits=Limits())) as session:
        channel = session.converse(Run(argv=("/bin/cat",)))
        channel.send(b"x")
        channel.receive_exact(1, deadline_s=60)
        first = next(iter(session._running.values())).first_process
        lines = Path(f"/proc/{first}/status").read_text().splitlines()
    fields = dict(line.split(":", 1) for line in lines if ":" in line)
    expected = 65534 if detect_privilege() is Privilege.ROOT else os.getuid()
    assert fields["Uid"].split() == [str(expected)] * 4
    assert fields["Groups"].split() in ([], ["65534"]) or expected != 65534
    assert {int(fields[name], 16) for name in ("CapPrm", "CapEff", "CapInh", "CapAmb")} == {0}
    assert fields["NoNewPrivs"].strip() == "1"
    assert fields["Seccomp"].strip() == "2"


@pytest.mark.skipif(os.geteuid() != 0, reason="plants a file that only root may read")
def test_a_file_of_root_can_not_be_read_even_when_it_is_mounted(backend, tmp_path):
    (tmp_path / "secret").write_text(SECRET)
    (tmp_path / "secret").chmod(0o600)
    (tmp_path / "closed").mkdir(mode=0o700)
    (tmp_path / "closed" / "secret").write_text(SECRET)
    job = Job(limits=Limits(), mounts=(Mount(source=tmp_path, target="/opt/given"),))
    tmp_path.chmod(0o755)
    with backend.open(job) as session:
        for path in ("/opt/given/secret", "/opt/given/closed/secret"):
            outcome = session.run(Run(argv=("/bin/cat", path)))
            assert (outcome.exit_code, outcome.stdout) == (1, b"")
            assert b"Permission denied" in outcome.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="nothing is dropped without root")
def test_a_loader_variable_of_the_job_does_not_reach_the_step_that_drops_root(backend):
    probe = "/work/evil.so"
    job = Job(limits=Limits(), files={"evil.so": b"not a library"}, env={"LD_PRELOAD": probe})
    with backend.open(job) as session:
        outcome = session.run(Run(argv=("/bin/true",)))
    complaints = [line for line in outcome.stderr.decode().splitlines() if probe in line]
    assert len(complaints) == 1, "only the program itself, started last, may see it"


@pytest.mark.parametrize(
    "path",
    ["/etc/shadow", "/var/run/docker.sock", "/run/docker.sock", "/home", "/sys/fs/cgroup", "/var", "/boot", "/dev/kvm"],
)
def test_places_of_the_host_are_not_there(run_source, path):
    assert run_source(f"import os; print(os.path.lexists({path!r}))").stdout == b"False\n"


def test_the_account_of_the_host_s_user_is_not_named(run_source):
    me = pwd.getpwuid(os.getuid())
    text = run_source("import pwd, os; print(pwd.getpwall(), os.uname().nodename)").stdout.decode()
    assert os.uname().nodename not in text
    assert me.pw_dir not in text


def test_only_the_three_standard_descriptors_are_open(run_source):
    source = "import os; print([fd for fd in os.listdir('/proc/self/fd') if os.path.exists(f'/proc/self/fd/{fd}')])"
    assert run_source(source, stdin=b"x").stdout == b"['0', '1', '2']\n"


def test_a_file_in_the_user_s_home_is_not_there(run_source, tmp_path):
    planted = tmp_path / "taskfoundry-secret"
    planted.write_text(SECRET)
    assert run_source(f"import os; print(os.path.exists({str(planted)!r}))").stdout == b"False\n"


def test_only_its_own_processes_are_seen(run_source):
    source = "import os; print(sorted(int(name) for name in os.listdir('/proc') if name.isdigit())[-1] < 10)"
    assert run_source(source).stdout == b"True\n"
