"""Names that tell their owner, and folders that go."""

import os
import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

from sandbox.backends.leftovers import (
    is_orphan,
    make_folder,
    name_owned,
    reap_folders,
    remove_folder,
    state_folder,
)


def test_names_are_new_every_time_and_ours():
    names = [name_owned() for _ in range(10)]
    assert len(set(names)) == 10
    assert not any(is_orphan(name) for name in names)


def test_a_name_of_a_process_that_is_gone_is_an_orphan():
    script = "from sandbox.backends.leftovers import name_owned; print(name_owned())"
    name = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.strip()
    assert is_orphan(name)


def test_a_process_id_that_was_given_to_somebody_else_is_an_orphan():
    prefix, namespace, owner, start, serial = name_owned().split("-")
    assert is_orphan("-".join((prefix, namespace, owner, str(int(start) - 1), serial)))


def test_names_of_other_process_namespaces_are_left_alone():
    prefix, _, owner, _, serial = name_owned().split("-")
    assert not is_orphan(f"{prefix}-1-{owner}-1-{serial}")


@given(st.text(st.sampled_from("taskfoundry-0123456789x"), max_size=60))
def test_no_other_name_is_an_orphan(name):
    assert not is_orphan(name)


def test_folders_of_dead_owners_are_removed_and_others_stay(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    mine = make_folder()
    prefix, namespace, owner, start, _ = mine.name.split("-")
    orphan = tmp_path / "-".join((prefix, namespace, owner, str(int(start) - 1), "7"))
    (orphan / "deep").mkdir(parents=True)
    (tmp_path / "taskfoundry-notes").mkdir()
    assert reap_folders() == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([mine.name, "taskfoundry-notes"])
    remove_folder(mine)
    remove_folder(mine)
    assert not mine.exists()


def test_a_folder_is_closed_to_others_and_the_state_folder_goes_with_its_process(tmp_path):
    assert make_folder().stat().st_mode & 0o777 == 0o700
    script = "from sandbox.backends.leftovers import state_folder; print(state_folder())"
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.startswith(str(tmp_path))
    assert list(tmp_path.iterdir()) == []
    assert state_folder() == state_folder()
