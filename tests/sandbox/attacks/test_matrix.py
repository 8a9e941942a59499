"""The attack matrix: every cell is right, the checks see what they should, and the page holds the table."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.attacks.bait import lay_out_bait
from sandbox.attacks.base import Attack, Cell, Verdict
from sandbox.attacks.catalogue import ATTACKS
from sandbox.attacks.deeds import DEEDS
from sandbox.attacks.matrix import Column, Matrix
from sandbox.attacks.page import BEGIN, END, update_page, write_into
from sandbox.attacks.sections import Section
from sandbox.attacks.traces import adopting_orphans, find_traces, wait_until_gone
from sandbox.attacks.trials import EXTENSIONS, PROGRAMS, Stage
from sandbox.base import Capability, State
from sandbox.languages import LANGUAGES
from schemas.errors import ConfigError
from tests.engines import EngineMissing, running_docker

BY_NAME = {attack.name: attack for attack in ATTACKS}
TAKES_LONG = frozenset(
    (
        *("fork_bomb", "shell_fork_bomb", "memory_of_children", "deaf_loop", "sleeper", "stopped", "hides_its_time"),
        *("misnames_itself", "fills_memory_files", "fills_page_tables"),
    )
)
QUICK = tuple(attack for attack in ATTACKS if attack.name not in TAKES_LONG)
DECISIVE = tuple(
    BY_NAME[name]
    for name in (
        *("thread_bomb", "output_flood", "huge_file", "memory_hog", "sleeper", "daemon", "kills_everything"),
        *("connects", "secrets", "writes_outside", "forbidden_calls", "leaves_traps"),
    )
)
REACHING = tuple(
    BY_NAME[name]
    for name in (
        *("looks_into_process_1", "writes_to_process_1", "writes_to_the_kernel", "gains_rights"),
        *("types_into_terminals", "hops"),
    )
)
"""Further ones, which are one program for all languages."""
LEVEL_CELLS = {"python": (*DECISIVE, *REACHING), "cpp": DECISIVE}
"""What is tried on the levels beside `process`."""


def run(backend: str, language: str, attacks: tuple[Attack, ...], **sockets: str) -> None:
    """Check that every cell is right; skip when there is none."""
    cells = [
        cell for _, cell in Matrix(backends=(backend,), languages=(language,), attacks=attacks, sockets=sockets).run()
    ]
    if cells[0].verdict is Verdict.ABSENT:
        pytest.skip(cells[0].reason)
    assert {cell.attack: (cell.state, cell.reason) for cell in cells if cell.verdict is not Verdict.RIGHT} == {}
    assert len(cells) == len(attacks)


def test_quick_attacks_in_python_end_right_in_the_process_sandbox():
    run("process", "python", QUICK)


def choose(language: str) -> tuple[Attack, ...]:
    """Return all attacks that have a program of their own in the language, and of the others every sixth; in Python
    all."""
    own = tuple(attack for attack in ATTACKS if attack not in DEEDS)
    place = list(EXTENSIONS).index(language)
    return ATTACKS if language == "python" else (*own, *DEEDS[place - 1 :: len(EXTENSIONS) - 1])


def test_every_attack_is_tried_in_python_and_in_another_language():
    assert {attack.name for language in EXTENSIONS if language != "python" for attack in choose(language)} == set(
        BY_NAME
    )


@pytest.mark.slow
@pytest.mark.parametrize("language", EXTENSIONS)
def test_attacks_end_right_in_the_process_sandbox(language):
    run("process", language, choose(language))


@pytest.mark.slow
@pytest.mark.parametrize("language", LEVEL_CELLS)
@pytest.mark.parametrize("backend", ["nsjail", "gvisor"])
def test_attacks_end_right_on_other_levels(backend, language):
    run(backend, language, LEVEL_CELLS[language])


@pytest.fixture(scope="module")
def docker():
    try:
        with running_docker() as url:
            yield url
    except EngineMissing as error:
        pytest.skip(str(error))


@pytest.mark.slow
@pytest.mark.parametrize("language", LEVEL_CELLS)
def test_attacks_end_right_in_containers(docker, language):
    run("container", language, LEVEL_CELLS[language], docker=docker)


@contextmanager
def unconfined(name: str):
    """Run the Python program of an attack as a plain process; give what it printed and the bait it was laid."""
    with lay_out_bait() as bait:
        attack = BY_NAME[name]
        stdin = "".join(f"{line}\n" for line in (attack.called, *attack.arguments(bait)))
        program = [sys.executable, str(PROGRAMS / "attack.py")]
        done = subprocess.run(program, input=stdin.encode(), capture_output=True, check=True)
        yield done.stdout.decode(errors="replace"), bait


def test_without_a_sandbox_the_listeners_are_reached():
    with unconfined("connects") as (output, bait):
        assert BY_NAME["connects"].check(output, bait).startswith("reached the host")


def test_without_a_sandbox_every_secret_is_found():
    with lay_out_bait() as bait:
        *paths, _, _ = bait.secret_paths  # without our own environment and command line, as we were started
        assert len(set(paths)) == len(paths) >= 9
        for path in paths:
            assert BY_NAME["secrets"].check(path.read_bytes().decode(), bait) == "found the secret"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has rights to find")
@pytest.mark.parametrize(
    ("name", "complaint"),
    [("looks_into_process_1", "opened /proc/1/"), ("gains_rights", "has CapEff")],
)
def test_without_a_sandbox_rights_are_found(name, complaint):
    with unconfined(name) as (output, bait):
        assert complaint in BY_NAME[name].check(output, bait)


def test_a_program_that_stops_half_way_proves_nothing():
    with lay_out_bait() as bait:
        for name in ("secrets", "forbidden_calls", "daemon", "leaves_traps", "gains_rights", "hops"):
            assert BY_NAME[name].check("", bait)


def test_spoilt_files_are_seen():
    with lay_out_bait() as bait:
        assert bait.spoilt() == ()
        bait.canaries[0].write_text("spoilt")
        bait.canaries[1].unlink()
        assert bait.spoilt() == tuple(map(str, bait.canaries[:2]))
    files = [path for path in (*bait.canaries, *bait.secret_paths) if not path.is_relative_to("/proc")]
    assert not any(path.exists() for path in files)


def test_files_that_a_program_makes_elsewhere_are_told():
    with lay_out_bait() as bait:
        complaint = BY_NAME["writes_outside"].check("wrote /usr/new\nwrote /tmp/new\n", bait)
    assert complaint == "wrote /usr/new"


def test_a_daemon_that_has_lost_its_parent_is_seen():
    with adopting_orphans():
        before = find_traces()
        assert wait_until_gone(before) == ()
        script = "setsid sleep 200 >/dev/null 2>&1 & echo $!"
        done = subprocess.run(["/bin/sh", "-c", script], capture_output=True, check=True, text=True)
        try:
            assert wait_until_gone(before, patience_s=1) == ("process sleep",)
        finally:
            with suppress(ProcessLookupError):
                subprocess.run(["kill", "-9", done.stdout.strip()], check=False)


def test_a_wrong_state_makes_a_cell_wrong():
    attack = replace(BY_NAME["output_flood"], states=(State.OK,))
    (cell,) = [cell for _, cell in Matrix(backends=("process",), languages=("python",), attacks=(attack,)).run()]
    assert (cell.verdict, cell.state) == (Verdict.WRONG, "OLE")


def test_what_a_language_leaves_out_is_said():
    attack = replace(ATTACKS[0], left_out={"python": "why not"})
    (cell,) = [cell for _, cell in Matrix(backends=("process",), languages=("python",), attacks=(attack,)).run()]
    assert (cell.verdict, cell.reason) == (Verdict.INAPPLICABLE, "why not")


def test_every_language_has_a_program_with_every_attack():
    assert set(EXTENSIONS) == set(LANGUAGES.names())
    for language, extension in EXTENSIONS.items():
        text = (PROGRAMS / f"attack.{extension}").read_text()
        missing = [attack.name for attack in ATTACKS if attack.called not in text and language not in attack.left_out]
        assert missing == [], language


CAPABILITY = Capability(backend="process", available=True, reason="", version="tool 1")
EMPTY_PAGE = f"head\n{BEGIN}\n{END}\ntail\n"


def make_column(
    language: str = "python", attack: str = "sleeper", *, verdict: Verdict = Verdict.RIGHT, reason: str = ""
) -> Column:
    cell = Cell(attack=attack, backend="process", language=language, verdict=verdict, state="TLE_WALL", reason=reason)
    return Column(capability=CAPABILITY, toolchains={language: f"{language} (x) 3, and 4"}, cells=[cell])


def test_a_section_is_written_anew_and_others_stay():
    page = f"head\n{BEGIN}\n\nold\n\n### nsjail\n\nstays\n\n{END}\ntail\n"
    written = write_into(page, [make_column()])
    assert written == write_into(written, [make_column()])
    assert written.startswith("head\n")
    assert written.endswith(f"{END}\ntail\n")
    assert "### nsjail\n\nstays" in written
    assert "| sleeper | TLE_WALL |" in written


def test_languages_and_attacks_of_other_times_stay_in_a_section():
    text = EMPTY_PAGE
    wrong = make_column("go", verdict=Verdict.WRONG, reason="left: a, b in c: |d|")
    for column in (wrong, make_column("cpp", "stopped"), make_column("cpp"), make_column("python")):
        text = write_into(text, [column])
    assert "Languages: python (python (x) 3, and 4), cpp (cpp (x) 3, and 4), go (go (x) 3, and 4)." in text
    assert "| sleeper | TLE_WALL | TLE_WALL | **wrong** TLE_WALL |" in text
    assert "| stopped |  | TLE_WALL |  |" in text
    assert "* wrong, sleeper in go: left: a, b in c: \\|d\\|" in text
    assert "* wrong" not in write_into(text, [make_column("go")])
    gone = Column(capability=replace(CAPABILITY, available=False, reason="no kernel"))
    assert write_into(text, [gone]) == text


def test_the_page_of_the_project_is_read():
    page = (Path(__file__).parents[3] / "docs" / "sandbox.md").read_text()
    parts = page.partition(BEGIN)[2].partition(END)[0].split("\n### ")[1:]
    sections = {section.backend: section for section in map(Section.read, parts)}
    assert sections["process"].words["sleeper", "python"] == "TLE_WALL"
    for section in sections.values():
        again = Section.read(section.write())
        assert (again.words, again.notes, again.toolchains) == (section.words, section.notes, section.toolchains)


def test_two_that_write_at_once_lose_nothing(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(EMPTY_PAGE)
    with ThreadPoolExecutor(len(EXTENSIONS)) as pool:
        list(pool.map(lambda language: update_page(page, [make_column(language)]), EXTENSIONS))
    assert f"| sleeper |{' TLE_WALL |' * len(EXTENSIONS)}" in page.read_text()


def test_a_page_without_a_place_is_refused():
    with pytest.raises(ConfigError, match="no place for the matrix"):
        write_into("nothing", [make_column()])


def test_a_backend_that_is_not_here_says_why():
    capability = Capability(backend="process", available=False, reason="no kernel")
    stage = Stage.prepare(capability, None, "python", bait=None)
    assert (stage.verdict, stage.reason) == (Verdict.ABSENT, "no kernel")
    assert "Not here: no kernel" in write_into(f"{BEGIN}\n{END}", [Column(capability=capability, cells=[stage])])
