"""Containers of a Docker daemon that the tests start for themselves, with runc and with gVisor."""

import gc
import io
import os
import signal
import subprocess
import sys
import tarfile
import threading
import time
from pathlib import Path

import pytest

from sandbox.backends.container.backend import ContainerBackend, reap_containers
from sandbox.backends.container.engine import Engine
from sandbox.backends.container.settings import LABEL
from sandbox.backends.gvisor_platform import PTRACE_SLOWDOWN
from sandbox.backends.leftovers import name_owner
from sandbox.backends.rootfs import PYTHON
from sandbox.base import ALL_LIMITS, Job, Run, State
from sandbox.languages.python import PythonEvaluators
from schemas.candidate import TaskStyle
from schemas.errors import SandboxError
from schemas.limits import Limits
from tests.engines import EngineMissing, running_docker, started_docker
from tests.level_checks import (
    AROUND,
    ENDING_NAMES,
    ENDINGS,
    FILLED_LIMITS,
    FILLER,
    FORK_BOMB,
    FORK_BOMB_LIMITS,
    LIMITS,
    SECRET,
    SLEEPER,
    SLEEPER_LIMITS,
    check_numpy,
    end_of,
    evaluate,
    evaluate_in,
    look_around,
    skip_unless_available,
)

LOOP = "import os, sys\nfor line in sys.stdin:\n    exec(line)\n    sys.stdout.flush()"


@pytest.fixture(scope="module")
def docker_url():
    try:
        with running_docker() as url:
            yield url
    except EngineMissing as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def engine(docker_url):
    return Engine(docker_url)


@pytest.fixture(scope="module")
def container(docker_url):
    return skip_unless_available(ContainerBackend(base_url=docker_url))


@pytest.fixture(scope="module")
def on_gvisor(docker_url):
    return skip_unless_available(ContainerBackend(base_url=docker_url, runtime="runsc"))


@pytest.fixture(scope="module")
def evaluator(container):
    with PythonEvaluators(container, LIMITS, style=TaskStyle.FUNCTION).open() as opened:
        yield opened


@pytest.fixture(scope="module")
def gvisor_evaluator(on_gvisor):
    with PythonEvaluators(on_gvisor, LIMITS, style=TaskStyle.FUNCTION).open() as opened:
        yield opened


@pytest.mark.parametrize("runtime", ["container", "on_gvisor"])
def test_packages_can_be_imported(request, runtime, numpy_site):
    check_numpy(request.getfixturevalue(runtime), numpy_site)


@pytest.fixture
def talk(container):
    limits = Limits(wall_s=60, memory_mb=200, processes=30, disk_mb=8, stdout_mb=1)
    with container.open(Job(limits=limits)) as session:
        yield session.converse(Run(argv=(PYTHON, "-I", "-S", "-u", "-c", LOOP)))


def own_containers(engine: Engine) -> list[str]:
    return [container for container, owner in engine.list_labelled(LABEL).items() if owner.startswith(name_owner())]


def test_the_probe_names_engine_and_version_and_claims_every_limit(container):
    capability = container.probe()
    assert (capability.backend, capability.isolation, capability.limits_enforced) == (
        "container",
        "container",
        ALL_LIMITS,
    )
    assert capability.slowdown == 1.0
    assert capability.version
    assert container.probe() is capability


def test_no_engine_is_a_reason_with_what_to_install(tmp_path):
    capability = ContainerBackend(base_url=f"unix://{tmp_path}/none").probe()
    assert not capability.available
    assert f"can't talk to the container engine at unix://{tmp_path}/none" in capability.reason


def test_a_runtime_that_the_engine_does_not_have_is_a_reason_with_what_to_install(docker_url):
    capability = ContainerBackend(base_url=docker_url, runtime="runsc-none").probe()
    assert not capability.available
    assert "no runtime 'runsc-none'; install it (Debian: runsc)" in capability.reason


@pytest.mark.slow
def test_a_storage_driver_that_copies_every_image_is_refused():
    try:
        with started_docker("--storage-driver=vfs") as (url, _):
            assert "storage driver vfs copies the image" in ContainerBackend(base_url=url).probe().reason
    except EngineMissing as missing:
        pytest.skip(str(missing))


@pytest.mark.parametrize(("source", "state"), ENDINGS, ids=ENDING_NAMES)
def test_programs_end_as_on_every_level(container, evaluator, source, state):
    assert end_of(container, evaluator, source, state) is state


def test_gvisor_runs_in_the_engine_too(on_gvisor, gvisor_evaluator):
    assert (on_gvisor.name, on_gvisor.isolation) == ("gvisor-docker", "gvisor")
    assert on_gvisor.probe().slowdown == PTRACE_SLOWDOWN
    assert evaluate_in(gvisor_evaluator, ENDINGS[0][0]).state is State.OK


@pytest.mark.slow
@pytest.mark.parametrize(("source", "state"), ENDINGS, ids=ENDING_NAMES)
def test_programs_end_as_on_every_level_on_gvisor(on_gvisor, gvisor_evaluator, source, state):
    assert end_of(on_gvisor, gvisor_evaluator, source, state) is state


@pytest.mark.slow
def test_a_fork_bomb_on_gvisor_is_stopped_at_a_limit(on_gvisor):
    assert evaluate(on_gvisor, FORK_BOMB, FORK_BOMB_LIMITS).state in {
        State.PLE,
        State.TLE_CPU,
        State.TLE_WALL,
        State.MLE,
    }


def test_a_program_that_takes_process_one_along_at_the_memory_limit_is_told_so(container):
    assert evaluate(container, FILLER, FILLED_LIMITS).state is State.MLE


def test_a_program_sees_nothing_of_the_host_and_may_nothing(container, monkeypatch):
    monkeypatch.setenv("TASKFOUNDRY_TEST_KEY", SECRET)
    assert look_around(container) == AROUND


def test_a_run_tells_output_and_exit_code_and_finds_the_files_of_its_job(container):
    with container.open(Job(limits=LIMITS, files={"data/in.txt": b"7"}, env={"GREETING": "hello"})) as session:
        source = "import os, sys; print(open('data/in.txt').read(), os.environ['GREETING'], input()); sys.exit(3)"
        runs = [session.run(Run(argv=(PYTHON, "-c", source), stdin=b"you\n")) for _ in range(2)]
    assert [(run.state, run.exit_code, run.stdout) for run in runs] == [(State.RE, 3, b"7 hello you\n")] * 2
    assert {run.backend for run in runs} == {"container"}


def test_the_program_that_is_talked_to_is_process_one(talk):
    talk.send(b"print(os.getpid()); os.kill(1, 9); print('alive')\n")
    assert talk.receive_exact(8, deadline_s=60) == b"1\nalive\n"


def test_usage_is_read_from_outside_the_program(talk):
    talk.send(b"held = bytes(50 << 20); print(len([x for x in range(3_000_000)]))\n")
    talk.receive_exact(8, deadline_s=60)
    usage = talk.usage()
    assert usage.cpu_s > 0.02
    assert 50 < usage.peak_memory_mb < 201
    assert usage.counters == {"oom_kill": 0, "pids_max": 0}


def test_usage_comes_from_the_engine_where_the_container_is_on_another_host(talk):
    talk.send(b"held = bytes(50 << 20); print(len([x for x in range(3_000_000)]))\n")
    talk.receive_exact(8, deadline_s=60)
    usage = talk._partner._ask_engine()
    assert usage.cpu_s == pytest.approx(talk.usage().cpu_s, abs=0.1)
    assert usage.peak_memory_mb == pytest.approx(talk.usage().peak_memory_mb, abs=20)


def test_standard_output_and_standard_error_are_told_apart(talk):
    talk.send(b"os.write(2, b'low'); os.write(1, b'loud'); sys.exit('bye')\n")
    assert talk.receive_exact(4, deadline_s=60) == b"loud"
    with pytest.raises(SandboxError, match="is gone: lowbye"):
        talk.receive_exact(1, deadline_s=60)
    outcome = talk.close()
    assert (outcome.state, outcome.exit_code, outcome.stderr) == (State.RE, 1, b"lowbye\n")


def test_an_unread_flood_does_not_hold_up_the_end(container, engine):
    with container.open(Job(limits=LIMITS)) as session:
        channel = session.converse(Run(argv=(PYTHON, "-c", "import os\nwhile True: os.write(1, b'x' * 65536)")))
        channel.receive_exact(1_000_000, deadline_s=60)
        time.sleep(0.5)
        begin = time.monotonic()
        assert channel.close().state is State.OK
        assert time.monotonic() - begin < 60
    assert channel._partner._container not in own_containers(engine)


def test_a_program_that_does_not_listen_is_an_error_after_the_wall_limit(container):
    with container.open(Job(limits=Limits(wall_s=0.5))) as session:
        channel = session.converse(Run(argv=("/bin/sleep", "200")))
        with pytest.raises(SandboxError, match=r"doesn't read its input within 0\.5 s"):
            channel.send(b"x" * 10_000_000)


def test_closing_interrupts_a_thread_that_waits_for_an_answer(talk):
    failures = []

    def wait() -> None:
        with pytest.raises(SandboxError) as caught:
            talk.receive_exact(1, deadline_s=200)
        failures.append(caught.value)

    waiting = threading.Thread(target=wait)
    waiting.start()
    time.sleep(0.2)
    talk.close()
    waiting.join(timeout=100)
    assert len(failures) == 1


def test_a_killed_container_says_nothing_about_the_program(container, engine):
    with PythonEvaluators(container, SLEEPER_LIMITS, style=TaskStyle.FUNCTION).open() as opened:
        killer = threading.Timer(1.0, engine.remove, (opened._server._channel._partner._container,))
        killer.start()
        with pytest.raises(SandboxError, match="the fork server is gone"):
            evaluate_in(opened, SLEEPER)
        killer.join()
        assert evaluate_in(opened, "def f(): return 1").state is State.OK


def test_a_killed_daemon_says_nothing_about_the_program_and_holds_nobody_up():
    try:
        with started_docker() as (url, daemon):
            backend = skip_unless_available(ContainerBackend(base_url=url))
            with PythonEvaluators(backend, SLEEPER_LIMITS, style=TaskStyle.FUNCTION).open() as opened:
                process = opened._server._channel._partner._process
                killer = threading.Timer(1.0, os.kill, (daemon, signal.SIGKILL))
                killer.start()
                begin = time.monotonic()
                with pytest.raises(SandboxError, match="the fork server is gone"):
                    evaluate_in(opened, SLEEPER)
                assert time.monotonic() - begin < 150
                assert process.await_end(60) if process.descriptor >= 0 else True
            killer.join()
    except EngineMissing as missing:
        pytest.skip(str(missing))


def test_nothing_is_left_when_a_session_is_closed(container, engine):
    before = own_containers(engine)
    with container.open(Job(limits=LIMITS)) as session:
        channels = [session.converse(Run(argv=("/bin/cat",))) for _ in range(2)]
        assert session.run(Run(argv=("/bin/true",))).state is State.OK
        assert len(own_containers(engine)) == len(before) + 3
    assert own_containers(engine) == before
    assert [channel.close().state for channel in channels] == [State.OK] * 2


@pytest.mark.slow
def test_descriptors_do_not_grow_with_the_sessions(container):
    counts = []
    for _ in range(30):  # the SDK keeps a connection for each of the last 25 addresses
        with container.open(Job(limits=LIMITS)) as session:
            session.converse(Run(argv=("/bin/cat",))).send(b"x")
        gc.collect()
        counts.append(len(list(Path("/proc/self/fd").iterdir())))
    assert counts[-1] <= counts[-10], counts


ORPHAN = """
import os, signal, sys
from sandbox.backends.container.backend import ContainerBackend
from sandbox.base import Job, Run
from schemas.limits import Limits
session = ContainerBackend(base_url=sys.argv[1]).open(Job(limits=Limits()))
session.converse(Run(argv=("/bin/sleep", "100")))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_containers_of_a_killed_owner_are_removed_by_the_next(container, engine, docker_url):
    subprocess.run([sys.executable, "-c", ORPHAN, docker_url], check=False, timeout=200)
    before = set(engine.list_labelled(LABEL))
    assert reap_containers(engine) == 1
    assert len(before - set(engine.list_labelled(LABEL))) == 1


def pack_python() -> bytes:
    """Return a tar file with an image that brings its own ``/usr`` and Python."""
    buffer = io.BytesIO()
    base = Path(sys.base_prefix)
    modules = base / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}"
    binaries = [os.path.realpath(sys.executable), *map(str, (modules / "lib-dynload").glob("*.so"))]
    linked = subprocess.run(["ldd", *binaries], capture_output=True, text=True, check=True).stdout
    words = {word for line in linked.splitlines() for word in line.split()}
    libraries = {word for word in words if word[0] == "/" and word[-1] != ":"}
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for folder in ("proc", "dev", "sys", "etc", "tmp", "work", "usr", "opt"):
            member = tarfile.TarInfo(folder)
            member.type, member.mode = tarfile.DIRTYPE, 0o755
            archive.addfile(member)
        for library in sorted(libraries):
            archive.add(os.path.realpath(library), library.lstrip("/"))
        archive.add(os.path.realpath(sys.executable), PYTHON.lstrip("/"))
        unwanted = ("/test", "/site-packages", "/__pycache__", "/idlelib", "/config-")
        archive.add(
            modules,
            f"opt/python/lib/{modules.name}",
            filter=lambda member: None if any(part in f"/{member.name}" for part in unwanted) else member,
        )
    return buffer.getvalue()


@pytest.mark.slow
def test_an_image_may_bring_its_own_python(docker_url, engine):
    image = engine.ensure_image(pack_python())
    backend = ContainerBackend(base_url=docker_url, image=image, name="own-image")
    assert skip_unless_available(backend).probe().backend == "own-image"
    source = "import os\ndef f(): return os.path.exists('/usr/bin/env'), len([1, 2])"
    assert evaluate(backend, source).output == '{"$tuple":[false,2]}'


FIRST_AT_ONCE = """
import sys
from concurrent.futures import ThreadPoolExecutor
from sandbox.backends.container.backend import ContainerBackend
from sandbox.base import Job, Run
from schemas.limits import Limits
backend = ContainerBackend(base_url=sys.argv[1])
def run(number):
    with backend.open(Job(limits=Limits())) as session:
        return session.run(Run(argv=("/bin/echo", str(number)))).stdout
with ThreadPoolExecutor(4) as pool:
    print(list(pool.map(run, range(4))))
"""


def test_several_threads_may_open_the_first_sandboxes_of_a_process_at_once(container, docker_url):
    command = [sys.executable, "-c", FIRST_AT_ONCE, docker_url]
    done = subprocess.run(command, check=True, timeout=200, stdout=subprocess.PIPE)
    assert eval(done.stdout) == [b"0\n", b"1\n", b"2\n", b"3\n"]
