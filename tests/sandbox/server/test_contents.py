"""The store of what clients send: what stays, what goes, and warm sandboxes for our own program alone."""

import threading
from pathlib import Path

import pytest

from sandbox.backends import select_backend
from sandbox.base import Job, Mount, Run
from sandbox.pool import WarmBackend
from sandbox.runner import runner_mount, server_run
from sandbox.server.contents import ContentStore
from sandbox.server.warmth import SparingPool
from sandbox.trees import digest_of, pack_tree
from schemas.errors import ConfigError, SandboxError
from schemas.limits import Limits

LIMITS = Limits(cpu_s=5, wall_s=20, memory_mb=128, disk_mb=8, processes=16)
MINE = Job(limits=LIMITS, mounts=(runner_mount(),))


def enter(store: ContentStore, content: bytes, kind: str = "file") -> str:
    key = f"{kind}-{digest_of(content)}"
    upload = store.receive(key, len(content))
    upload.add(0, content)
    upload.finish()
    return key


def test_what_is_in_use_stays_and_the_longest_unused_goes() -> None:
    with ContentStore(1000) as store:
        keys = [enter(store, bytes([number]) * 300) for number in range(3)]
        place = store.take(keys[1])
        assert store.take(keys[0]) is not None
        store.give_back(keys[0])
        enter(store, b"new" * 100)
        assert [store.take(key) is None for key in keys] == [False, False, True]
        assert place is not None
        assert place.read_bytes() == b"\1" * 300


def test_what_does_not_fit_is_refused() -> None:
    with ContentStore(1000) as store:
        key = enter(store, b"x" * 800)
        assert store.take(key) is not None
        with pytest.raises(SandboxError, match="no room"):
            store.receive(f"file-{'0' * 64}", 300)
        store.give_back(key)
        store.receive(f"file-{'0' * 64}", 300).abandon()
        with pytest.raises(ConfigError, match="--cache-mb"):
            store.receive(f"file-{'0' * 64}", 1001)


def test_uploads_that_are_not_finished_count_and_leave_nothing() -> None:
    with ContentStore(1000) as store:
        begun = store.receive(f"file-{'0' * 64}", 800)
        with pytest.raises(SandboxError, match="no room"):
            store.receive(f"file-{'1' * 64}", 300)
        begun.abandon()
        assert not begun.folder.exists()
        enter(store, b"x" * 900)


def test_a_content_that_went_and_came_again_lies_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a")
    with ContentStore(20_000) as store:
        key = enter(store, pack_tree(tmp_path), "tree")
        first = store.take(key)
        store.give_back(key)
        enter(store, b"x" * 19_000)
        assert store.take(key) is None
        enter(store, pack_tree(tmp_path), "tree")
        second = store.take(key)
        assert first != second
        assert second is not None
        assert (second / "a").read_text() == "a"


def test_of_two_equal_uploads_one_is_kept() -> None:
    with ContentStore(1000) as store:
        threads = [threading.Thread(target=enter, args=(store, b"x" * 400)) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        enter(store, b"y" * 600)
        assert store.take(f"file-{digest_of(b'x' * 400)}") is not None


@pytest.mark.parametrize(
    ("job", "run", "expected"),
    [
        (MINE, server_run(), True),
        (Job(limits=LIMITS, mounts=MINE.mounts, env={"TZ": "UTC"}), server_run(), True),
        (MINE, Run(argv=("/bin/sh", "-c", "while :; do :; done")), False),
        (MINE, Run(argv=server_run().argv, env={"PYTHONPATH": "/work"}), False),
        (Job(limits=LIMITS, mounts=MINE.mounts, env={"LD_PRELOAD": "/work/x"}), server_run(), False),
        (Job(limits=LIMITS, mounts=MINE.mounts, files={"json.py": b""}), server_run(), False),
        (Job(limits=LIMITS, mounts=(Mount(source=Path("/tmp"), target="/opt/runner"),)), server_run(), False),
        (
            Job(limits=LIMITS, mounts=(*MINE.mounts, Mount(source=Path("/tmp"), target="/opt/python"))),
            server_run(),
            False,
        ),
    ],
)
def test_only_our_own_program_is_started_ahead(job: Job, run: Run, expected: bool) -> None:
    with WarmBackend(select_backend("process")) as pool:
        assert SparingPool(pool).may_start_ahead(job, run) is expected


def test_a_stranger_s_program_runs_once() -> None:
    with WarmBackend(select_backend("process")) as pool, SparingPool(pool).open(Job(limits=LIMITS)) as session:
        channel = session.converse(Run(argv=("/bin/cat",)))
        channel.send(b"x")
        assert channel.receive_exact(1, deadline_s=20) == b"x"
        assert (pool.counts().misses, pool.counts().ready) == (0, 0)
        session.close()
        with pytest.raises(SandboxError, match="closed"):
            session.converse(Run(argv=("/bin/cat",)))
