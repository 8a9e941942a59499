import os
import stat

from sandbox.inside.scratch import empty_folder


def test_whatever_a_program_left_is_removed_and_the_folder_stays(tmp_path):
    deep = tmp_path
    for _ in range(300):
        deep = deep / "d"
        deep.mkdir()
    (deep / "file").touch()
    (tmp_path / "closed").mkdir()
    (tmp_path / "closed" / "inner").mkdir()
    (tmp_path / "closed").chmod(0)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "\udcff\n").touch(mode=0)
    assert empty_folder(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_links_are_removed_and_never_followed(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o755)
    (outside / "kept").touch()
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "link").symlink_to(outside)
    (folder / "inner").mkdir()
    (folder / "inner" / "link").symlink_to(outside)
    assert empty_folder(folder)
    assert (outside / "kept").exists()
    assert stat.S_IMODE(outside.stat().st_mode) == 0o755


def test_a_folder_that_isn_t_there_is_empty(tmp_path):
    assert empty_folder(tmp_path / "nowhere")
