"""Sandboxes of a real service, as a client uses them: judging, limits, waiting, and services and clients that die."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from pipelines.dataset import iterate_rows, read_manifest
from sandbox.backends import BACKENDS, select_backend
from sandbox.backends.remote import RemoteBackend
from sandbox.backends.remote_contents import Packer, pack_job
from sandbox.backends.remote_service import BusyError
from sandbox.backends.rootfs import PYTHON
from sandbox.base import ALL_LIMITS, Job, Mount, Run, State
from sandbox.environments import build_environment
from sandbox.judge import judge
from sandbox.judging import Perturbation, Program
from sandbox.languages import cpp
from sandbox.languages.compiled import CompiledEvaluators
from sandbox.languages.python import PythonEvaluators
from sandbox.server.settings import ServerSettings
from sandbox.suites import SuitePlan, SuiteRunner
from schemas.candidate import Checker, TaskStyle, TestCase
from schemas.errors import ConfigError, SandboxError
from schemas.limits import Limits
from schemas.values import encode_call
from tests.forking import in_child
from tests.level_checks import check_numpy
from tests.pipelines.conftest import run_cli, small_config, write_config
from tests.repository_samples import make_snapshot, shared_cache
from tests.sandbox.languages.solving import call_function
from tests.sandbox.server.serving import running_server, serving_here

TOKEN = "a-token-for-tests"
LIMITS = Limits(cpu_s=5, wall_s=60, memory_mb=256, disk_mb=32, processes=32)
GONE_S = 60.0
NAP = f"31{os.getpid():07}.4159"
"""Seconds that programs sleep here and nowhere else, but for the last digit: they are found by it."""
"""Within how many seconds all has ended; a loaded machine needs some of them."""


@pytest.fixture(scope="module")
def service() -> Iterator[str]:
    with running_server("--sessions", "4", "--cache-mb", "256", token=TOKEN) as (_, address):
        yield address


@pytest.fixture(scope="module")
def remote(service: str) -> RemoteBackend:
    made = RemoteBackend(service, TOKEN)
    capability = made.probe()
    if not capability.available:
        pytest.skip(capability.reason)
    return made


def count_processes(word: str) -> int:
    """Return how many processes have a word on their command line."""
    found = 0
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found += word.encode() in path.read_bytes().split(b"\0")
        except OSError:
            continue
    return found


def await_true(check: Callable[[], bool], seconds: float = GONE_S) -> bool:
    """Return whether something becomes true in time."""
    until = time.monotonic() + seconds
    while not check() and time.monotonic() < until:
        time.sleep(0.02)
    return check()


def count_sessions(service: str) -> int:
    text = httpx.get(f"{service}/metrics", headers={"Authorization": f"Bearer {TOKEN}"}, timeout=60).text
    line = next(line for line in text.splitlines() if line.startswith("taskfoundry_sessions "))
    return int(float(line.split()[1]))


def test_the_probe_tells_what_the_service_s_sandbox_is(remote: RemoteBackend, service: str) -> None:
    capability = remote.probe()
    assert (capability.backend, capability.isolation) == ("remote", "process")
    assert service in capability.reason
    own = select_backend("process").probe()
    assert capability.limits_enforced == own.limits_enforced
    assert capability.version == own.version
    assert remote.probe() is capability


def test_a_function_task_is_judged_unchanged(remote: RemoteBackend) -> None:
    factory = PythonEvaluators(remote, LIMITS, style=TaskStyle.FUNCTION)
    tests = [TestCase(case_id="a", input=encode_call([20], {}), expected="400", origin="given")]
    tests.append(TestCase(case_id="b", input=encode_call([3], {}), expected="9", origin="given"))
    right = Program(source="def f(x):\n    return x * x\n", entry_point="f")
    wrong = Program(source="def f(x):\n    return x + x\n", entry_point="f")
    assert judge(factory, right, tests, Checker(), TaskStyle.FUNCTION).passed
    assert judge(factory, wrong, tests, Checker(), TaskStyle.FUNCTION).pass_fraction == 0


def test_a_stdin_program_gives_what_it_gives_here(remote: RemoteBackend) -> None:
    programs = ["print(int(input()) * 2)", "import sys; print(sys.stdin.read()[::-1])", "raise SystemExit(2)", "x ="]
    for source in programs:
        found = []
        for backend in (remote, select_backend("process")):
            with PythonEvaluators(backend, LIMITS, style=TaskStyle.STDIN).open() as evaluator:
                found.append(evaluator.evaluate(Program(source=source), ["21", "x"]))
        assert found[0] == found[1]


def test_packages_are_sent_there(remote: RemoteBackend, numpy_site: Path) -> None:
    check_numpy(remote, numpy_site)


@pytest.mark.slow
def test_a_compiled_solution_is_built_and_run_there(remote: RemoteBackend) -> None:
    try:
        factory = CompiledEvaluators(cpp.LANGUAGE, remote, LIMITS, style=TaskStyle.FUNCTION)
    except ConfigError as error:
        pytest.skip(str(error))
    source = "#include <vector>\nlong long f(std::vector<long long> a) { long long s = 0; for (auto x : a) s += x; return s; }"
    outcomes = call_function(factory, source, "a: list[int] -> int", ([1, 2, 3],), ([],))
    assert [(outcome.state, outcome.output) for outcome in outcomes] == [(State.OK, "6"), (State.OK, "0")]


@pytest.mark.parametrize(
    ("source", "state"),
    [
        ("while True: pass", State.TLE_CPU),
        ("x = b'1' * (400 << 20)", State.MLE),
        ("import sys\nwhile True: sys.stdout.write('x' * 65536)", State.OLE),
        ("open('/work/x', 'wb').write(b'1' * (60 << 20))", State.DLE),
        ("import time; time.sleep(60)", State.TLE_WALL),
        ("import sys; sys.exit(3)", State.RE),
    ],
)
def test_a_limit_ends_a_run_as_it_does_here(remote: RemoteBackend, source: str, state: State) -> None:
    wall_s = 1 if state is State.TLE_WALL else 60
    with remote.open(Job(limits=Limits(cpu_s=1, wall_s=wall_s, memory_mb=256, disk_mb=32, stdout_mb=1))) as session:
        outcome = session.run(Run(argv=(PYTHON, "-I", "-S", "-c", source)))
    assert outcome.state is state
    assert (outcome.backend, outcome.isolation) == ("remote", "process")
    assert set(outcome.limits_enforced) <= set(ALL_LIMITS)


def test_files_input_and_output_cross_whole(remote: RemoteBackend) -> None:
    small, large = os.urandom(1000), os.urandom(6 << 20)
    with remote.open(Job(limits=Limits(stdin_mb=4), files={"a/small": small, "large": large})) as session:
        outcome = session.run(Run(argv=("/bin/cat", "a/small", "large", "-"), stdin=b"!" * 1_000_000))
    assert outcome.stdout == small + large + b"!" * 1_000_000


def test_a_conversation_takes_more_than_one_message_may_hold(remote: RemoteBackend) -> None:
    data = os.urandom(20 << 20)
    echo = (
        "import sys\nwhile piece := sys.stdin.buffer.read1(65536): sys.stdout.buffer.write(piece); sys.stdout.flush()"
    )
    with remote.open(Job(limits=Limits(stdout_mb=64, wall_s=60))) as session:
        channel = session.converse(Run(argv=(PYTHON, "-I", "-S", "-c", echo)))
        channel.send(data)
        assert channel.receive_exact(len(data), deadline_s=60) == data
        assert channel.usage().peak_memory_mb > 0
        assert channel.close().state is State.OK


def test_a_mount_crosses_once_and_its_change_is_seen(remote: RemoteBackend, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "note").write_text("one")
    (tmp_path / "link").symlink_to("sub/note")
    (tmp_path / "tool").write_text("#!/bin/sh\necho tool")
    (tmp_path / "tool").chmod(0o755)
    job = Job(limits=LIMITS, mounts=(Mount(source=tmp_path, target="/opt/notes"),))
    show = Run(argv=("/bin/sh", "-c", "cat /opt/notes/link; /opt/notes/tool; touch /opt/notes/x || echo no"))
    for text in ("one", "one", "two"):
        (tmp_path / "sub" / "note").write_text(text)
        with remote.open(job) as session:
            assert session.run(show).stdout == f"{text}tool\nno\n".encode()


def test_a_folder_is_packed_again_only_when_it_has_changed(tmp_path: Path) -> None:
    packer = Packer()
    (tmp_path / "a").write_text("1")
    first = packer.name(tmp_path)
    assert packer.name(tmp_path) == first
    (tmp_path / "a").write_text("2")
    assert packer.name(tmp_path) != first
    packed = pack_job(Job(limits=LIMITS, files={"x": b"1" * 300_000, "y": b"1"}), packer)
    assert (list(packed.stored), list(packed.job.files)) == (["x"], ["y"])


def test_a_repository_s_suite_runs_there(remote: RemoteBackend, tmp_path: Path) -> None:
    test = b"from module import x\n\ndef test_x():\n    assert x == 1\n"
    snapshot = make_snapshot(tmp_path, {"test_a.py": test, "module.py": b"x = 1\n"})
    environment = build_environment((), shared_cache(tmp_path))
    limits = Limits(cpu_s=20, wall_s=60, memory_mb=300, disk_mb=64)
    with SuiteRunner(remote, environment, snapshot.tar.read_bytes(), plan=SuitePlan(), limits=limits) as runner:
        healthy = runner.run({}, perturbation=Perturbation())
        broken = runner.run({"module.py": b"x = 2\n"}, perturbation=Perturbation())
    assert (healthy.state, len(healthy.passed())) == (State.OK, 1)
    assert (broken.state, broken.passed()) == (State.OK, frozenset())


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (Limits(memory_mb=100_000), "memory_mb of 100000"),
        (Limits(network=True), "a network"),
        (Limits(processes=100_000), "processes"),
    ],
)
def test_what_the_service_does_not_give_is_refused_in_words(remote: RemoteBackend, limits: Limits, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        remote.open(Job(limits=limits))


@pytest.mark.slow
def test_many_sessions_wait_for_few_seats(remote: RemoteBackend, service: str) -> None:
    seen = []

    def use(number: int) -> bytes:
        with remote.open(Job(limits=LIMITS)) as session:
            seen.append(count_sessions(service))
            return session.run(Run(argv=("/bin/echo", str(number)))).stdout

    with ThreadPoolExecutor(25) as threads:
        answers = list(threads.map(use, range(50)))
    assert answers == [f"{number}\n".encode() for number in range(50)]
    assert max(seen) <= 4
    assert await_true(lambda: count_sessions(service) == 0)


def test_a_service_that_stays_busy_is_told_of(service: str) -> None:
    impatient = RemoteBackend(service, TOKEN, busy_s=0.3)
    assert await_true(lambda: count_sessions(service) == 0)
    sessions = [impatient.open(Job(limits=LIMITS)) for _ in range(4)]
    with pytest.raises(BusyError, match="busy: all its sessions are taken"):
        impatient.open(Job(limits=LIMITS))
    for session in sessions:
        session.close()
        session.close()
    assert await_true(lambda: count_sessions(service) == 0)
    impatient.open(Job(limits=LIMITS)).close()


@pytest.mark.parametrize(
    ("url", "token", "words"),
    [
        ("", "x", "TASKFOUNDRY_REMOTE_URL"),
        ("http://127.0.0.1:1", "x", r"http://127.0.0.1:1 can't be reached: .*refused"),
        ("http://no-such-host.invalid", "x", "can't be reached"),
        ("ftp://host", "x", "expected http://host:port"),
        ("http://any:secret@host", "x", r"'\*\*\*@host'"),
        ("http://host:port", "x", "expected http://host:port"),
        ("http://host", "a\nb", "blanks"),
        ("SERVICE", "wrong", "refuses the token that it was given"),
        ("SERVICE/elsewhere", TOKEN, "answers 404 at"),
    ],
)
def test_a_service_that_can_not_be_used_says_why(
    service: str, monkeypatch: pytest.MonkeyPatch, url: str, token: str, words: str
) -> None:
    monkeypatch.delenv("TASKFOUNDRY_REMOTE_URL", raising=False)
    made = RemoteBackend(url.replace("SERVICE", service), token)
    monkeypatch.setattr("sandbox.backends._instance", lambda name: made)
    with pytest.raises(ConfigError, match=words):
        select_backend("remote")


def test_no_token_is_refused_with_what_to_do(service: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TASKFOUNDRY_TOKEN", raising=False)
    with pytest.raises(ConfigError, match="refuses requests without a token; set TASKFOUNDRY_TOKEN"):
        RemoteBackend(service).open(Job(limits=LIMITS))


def test_the_variables_name_the_service(service: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TASKFOUNDRY_REMOTE_URL", f"{service}/")
    monkeypatch.setenv("TASKFOUNDRY_TOKEN", TOKEN)
    assert RemoteBackend().probe().available


def test_a_service_elsewhere_is_taken_only_by_name_and_never_below_the_level_asked_for(
    remote: RemoteBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def find(name: str) -> RemoteBackend:
        asked.append(name)
        return remote if name == "remote" else BACKENDS.get(name).make()  # type: ignore[return-value]

    monkeypatch.setattr("sandbox.backends._instance", find)
    assert select_backend("remote") is remote
    with pytest.raises(ConfigError, match="'process' is below 'container'"):
        select_backend("remote", min_isolation="container")
    asked.clear()
    assert select_backend("auto").name == "process"
    assert "remote" not in asked


def test_a_service_behind_tls_is_reached_with_a_certificate_that_is_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("no openssl to make a certificate with")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    command += ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True)
    with serving_here(ServerSettings(token=TOKEN), ssl_keyfile=key, ssl_certfile=certificate) as port:
        with pytest.raises(SandboxError, match="CERTIFICATE_VERIFY_FAILED"):
            RemoteBackend(f"https://localhost:{port}", TOKEN).open(Job(limits=LIMITS))
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        with RemoteBackend(f"https://localhost:{port}", TOKEN).open(Job(limits=LIMITS)) as session:
            assert session.run(Run(argv=("/bin/echo", "x"))).stdout == b"x\n"


def test_sessions_of_two_clients_do_not_meet(service: str) -> None:
    clients = [RemoteBackend(service, TOKEN) for _ in range(2)]
    with clients[0].open(Job(limits=LIMITS, files={"mine": b"0"})) as first:
        with clients[1].open(Job(limits=LIMITS, files={"mine": b"1"})) as second:
            assert first._name == second._name == 1
            for number, session in ((b"0", first), (b"1", second)):
                assert session.run(Run(argv=("/bin/cat", "mine"))).stdout == number
            for session in (first, second):
                with pytest.raises(SandboxError, match="knows no 2"):
                    session._link.ask("run", session=2, run={"argv": ["/bin/true"]}, deadline_s=100)
        assert first.run(Run(argv=("/bin/cat", "mine"))).stdout == b"0"


def test_closing_ends_what_runs(remote: RemoteBackend) -> None:
    session = remote.open(Job(limits=Limits(wall_s=300)))
    threading.Timer(1.0, session.close).start()
    begin = time.monotonic()
    try:
        outcome = session.run(Run(argv=("/bin/sleep", f"{NAP}2")))
        assert outcome.state is State.INFRA
    except SandboxError:
        pass
    assert time.monotonic() - begin < 100
    assert await_true(lambda: count_processes(f"{NAP}2") == 0)


def test_a_forked_child_neither_speaks_over_its_parent_s_connection_nor_ends_it(remote: RemoteBackend) -> None:
    with remote.open(Job(limits=LIMITS)) as session, closing(session.converse(Run(argv=("cat",)))) as channel:
        assert "belongs to process" in in_child(lambda: session.run(Run(argv=("true",))))
        assert "belongs to process" in in_child(lambda: channel.send(b"from the child"))
        in_child(channel.close)
        in_child(session.close)
        channel.send(b"hello")
        assert channel.receive_exact(5, deadline_s=60) == b"hello"
        assert session.run(Run(argv=("echo", "fine"))).stdout == b"fine\n"


def test_a_client_that_is_killed_leaves_nothing(service: str) -> None:
    program = f"""
    from sandbox.backends.remote import RemoteBackend
    from sandbox.base import Job, Run
    from schemas.limits import Limits
    session = RemoteBackend({service!r}, {TOKEN!r}).open(Job(limits=Limits(wall_s=300)))
    channel = session.converse(Run(argv=("/bin/sleep", f"{NAP}3")))
    session.run(Run(argv=("/bin/sleep", f"{NAP}4")))
    """
    client = subprocess.Popen([sys.executable, "-c", textwrap.dedent(program)], cwd=Path(__file__).parents[3])
    assert await_true(lambda: bool(count_processes(f"{NAP}3") and count_processes(f"{NAP}4")), 200)
    client.kill()
    client.wait()
    assert await_true(lambda: count_processes(f"{NAP}3") + count_processes(f"{NAP}4") == 0)
    assert await_true(lambda: count_sessions(service) == 0)


def test_a_service_that_is_killed_is_no_verdict_and_its_successor_serves() -> None:
    with running_server(token=TOKEN) as (process, address):
        port = address.rpartition(":")[2]
        remote = RemoteBackend(address, TOKEN, away_s=300)
        session = remote.open(Job(limits=Limits(wall_s=300)))
        channel = session.converse(Run(argv=("/bin/cat",)))
        threading.Timer(1.0, process.kill).start()
        begin = time.monotonic()
        with pytest.raises(SandboxError, match="the remote service"):
            session.run(Run(argv=("/bin/sleep", f"{NAP}5")))
        assert time.monotonic() - begin < 100
        assert channel.close().state is State.INFRA
        session.close()
    assert await_true(lambda: count_processes(f"{NAP}5") == 0)
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(remote.open, Job(limits=LIMITS))
        with running_server("--port", port, token=TOKEN), waiting.result(300) as again:
            assert again.run(Run(argv=("/bin/echo", "again"))).stdout == b"again\n"
    remote._away_s = 0.1
    with pytest.raises(SandboxError, match="can't be reached"):
        remote.open(Job(limits=LIMITS))


@pytest.mark.slow
def test_a_service_that_says_nothing_any_more_is_given_up() -> None:
    with running_server(token=TOKEN) as (process, address):
        session = RemoteBackend(address, TOKEN).open(Job(limits=Limits(wall_s=300)))
        threading.Timer(1.0, process.send_signal, (signal.SIGSTOP,)).start()
        begin = time.monotonic()
        with pytest.raises(SandboxError, match="keepalive"):
            session.run(Run(argv=("/bin/sleep", f"{NAP}7")))
        assert time.monotonic() - begin < 150
        session.close()
        process.send_signal(signal.SIGCONT)
        assert await_true(lambda: count_processes(f"{NAP}7") == 0)


def test_a_stopped_service_leaves_nothing() -> None:
    with running_server(token=TOKEN) as (process, address):
        remote = RemoteBackend(address, TOKEN)
        session = remote.open(Job(limits=LIMITS, files={"x": b"1" * 300_000}))
        session.converse(Run(argv=("/bin/sleep", f"{NAP}6")))
        assert await_true(lambda: count_processes(f"{NAP}6") >= 1)
        process.send_signal(signal.SIGTERM)
        assert process.wait(100) == 0
        assert await_true(lambda: count_processes(f"{NAP}6") == 0)
        assert not list(Path(tempfile.gettempdir()).glob(f"taskfoundry-*-{process.pid}-*"))
        with pytest.raises(SandboxError):
            session.run(Run(argv=("/bin/true",)))
        session.close()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_dataset_is_built_in_sandboxes_of_a_service_as_in_those_here(tmp_path: Path) -> None:
    config = small_config(tmp_path / "cache")
    kept = {"bank", "streams", "quartermaster"}
    config["sources"] = [one for one in config["sources"] if one["name"] in kept]  # type: ignore[attr-defined]
    del config["benchmarks"], config["model"]
    found = []
    with running_server(token=TOKEN) as (_, address):
        env = {"TASKFOUNDRY_REMOTE_URL": address, "TASKFOUNDRY_TOKEN": TOKEN}
        for name in ("remote", "process"):
            path = write_config(tmp_path, config | {"sandbox": {"backend": name}})
            done = run_cli("build", path, "--output", tmp_path / name, env=env)
            assert done.returncode == 0, done.stdout + done.stderr
            rows = iterate_rows(tmp_path / name, read_manifest(tmp_path / name))
            found.append(sorted((row["task_id"], {**row, "sandbox_backend": ""}) for row in rows))
        assert await_true(lambda: count_sessions(address) == 0)
    assert found[0] == found[1]
    assert len(found[0]) > 3
