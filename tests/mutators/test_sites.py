import subprocess
import sys
from pathlib import Path

import pytest

from mutators.compilation import compile_quietly
from mutators.mutation import make_mutation, mutate_file
from mutators.python import mutate_source
from mutators.registry import OPERATORS
from mutators.selection import select_sites
from mutators.sites import Site, enumerate_sites, survey_files
from mutators.splice import splice
from mutators.verification import MutantCheck
from schemas.errors import ConfigError, MutationError

STDLIB = Path(subprocess.__file__).parent


def record(site: Site, files: dict[str, bytes]):
    return make_mutation(
        site,
        files,
        repository="sample",
        url="local:sample",
        base_commit="0" * 40,
        tree_digest="t",
        environment_digest="e",
    )


def test_every_mutant_of_a_nasty_file_is_a_patch_that_git_applies(nasty, tree):
    path, source = nasty
    sites = enumerate_sites(path, source)
    assert {site.kind for site in sites} > {"mutmut", "control", "bound"}
    tree.write(path, source)
    for number, site in enumerate(sites):
        broken = splice(source, site.edits)
        mutation = record(site, {path: source})
        if number % 8 == 0:
            tree.apply(mutation.bug_patch)
            assert tree.read(path) == broken
            tree.apply(mutation.fix_patch)
            assert tree.read(path) == source
        assert splice(source, mutation.edits) == broken


def test_every_accepted_mutant_of_a_nasty_file_compiles_whole(nasty):
    path, source = nasty
    check = MutantCheck(source)
    sites = [site for site in enumerate_sites(path, source, module_level=True) if check.accepts(site.edits)]
    assert len(sites) > 100
    for site in sites:
        assert compile_quietly(splice(source, site.edits)) is not None, site


def test_a_nasty_file_has_the_same_sites_as_the_plain_one(corpus, plain):
    expected = [(site.operator, site.scope) for site in enumerate_sites("a.py", plain.encode())]
    for path in ("crlf.py", "bom.py", "no_final_newline.py", "form_feed.py", "tabs.py", "wide.py"):
        found = [(site.operator, site.scope) for site in enumerate_sites(path, corpus[path])]
        assert sorted(found) == sorted(expected), path


@pytest.mark.parametrize("below", ["", "\n", "\n\n\ndef g(x):\n    return x\n", "\r\n"])
def test_the_last_statement_of_a_function_can_be_removed(below):
    source = b"def f(x):\n    x.sort()\n    x.append(1)" + below.encode()
    sites = [site for site in enumerate_sites("a.py", source) if site.operator == "remove_call"]
    assert [(site.scope, site.line) for site in sites] == [("f", 2), ("f", 3)]


def test_line_ends_and_encodings_survive_around_a_change(corpus):
    for path in ("crlf.py", "bom_crlf.py", "latin_1_crlf.py"):
        for site in enumerate_sites(path, corpus[path]):
            broken = splice(corpus[path], site.edits)
            assert broken.count(b"\n") == broken.count(b"\r\n")


def test_a_change_that_the_encoding_cannot_hold_is_left_out():
    source = "# coding: latin-1\ndef f():\n    return 'a\u00ff'\n".encode("latin-1")
    texts = [splice(source, site.edits) for site in enumerate_sites("m.py", source, ["mutmut_string"])]
    assert texts
    assert all(text.decode("latin-1").count("\u00ff") == 1 for text in texts)


def test_no_two_sites_give_the_same_bytes_and_none_changes_nothing(corpus):
    source = corpus["plain.py"]
    broken = [splice(source, site.edits) for site in enumerate_sites("a.py", source)]
    assert len(set(broken)) == len(broken)
    assert source not in broken


def test_sites_are_in_the_order_of_their_place_and_know_it():
    source = b"class A:\n    def f(self, x):\n        if x < 2:\n            return 1\n        return x\n"
    sites = enumerate_sites("a.py", source)
    assert list(sites) == sorted(sites, key=lambda site: site.edits[0].start)
    assert {site.scope for site in sites} == {"A.f"}
    assert {site.line for site in sites} == {3, 4}
    assert enumerate_sites("a.py", source) == sites


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (b"print 'a'\n", r"pkg/a\.py:1:\d+: doesn't parse"),
        (b"x = 1\n{{ template }}\ndef\n", r"pkg/a\.py:3:\d+: doesn't parse"),
        (b"x = '\xff'\n", r"pkg/a\.py:1:1: can't be decoded"),
        (b"# coding: nonsense\n", r"pkg/a\.py:1:1: can't be decoded"),
        (b"x = 1\0\n", r"pkg/a\.py:1:1: doesn't parse|pkg/a\.py:1:\d+: doesn't parse"),
    ],
)
def test_a_file_that_is_no_python_is_refused_with_its_position(source, message):
    with pytest.raises(MutationError, match=message):
        enumerate_sites("pkg/a.py", source)


def test_a_survey_records_what_it_skips(corpus):
    survey = survey_files(
        {"b.py": b"print 'a'\n", "a.py": corpus["plain.py"], "c.py": b"def f(a):\r    return a + 1\r"}
    )
    assert [file.path for file in survey.files] == ["a.py", "c.py"]
    assert [(skip.path, skip.reason) for skip in survey.skipped] == [("b.py", "unparsable"), ("c.py", "no_mutmut")]
    assert survey.skipped[0].detail.startswith("b.py:1:")
    with pytest.raises(ConfigError, match="unknown mutation operator"):
        survey_files({}, ["nonsense"])


def test_equal_bytecode_is_no_mutant():
    source = b"def f(a):\n    return a + 1  # note\n"
    check = MutantCheck(source)
    at = source.index(b"# note")
    site = enumerate_sites("m.py", source)[0]
    assert check.accepts(site.edits)
    comment = type(site.edits[0])(start=at, end=len(source) - 1, replacement=b"# other")
    broken = type(site.edits[0])(start=at, end=at, replacement=b"+ ")
    assert not check.accepts((comment,))
    assert not check.accepts((broken,))


def test_a_small_selection_is_spread_over_files_functions_and_operators(corpus):
    survey = survey_files({path: corpus[path] for path in ("plain.py", "crlf.py", "tabs.py")})
    chosen = select_sites(survey.files, limit=18, run_seed=3, record_id="r")
    assert len(chosen) == 18
    assert all(sum(site.path == path for site in chosen) == 6 for path in ("plain.py", "crlf.py", "tabs.py"))
    assert len({(site.path, site.scope) for site in chosen}) >= 15
    assert len({site.operator for site in chosen}) >= 12


def test_a_selection_depends_on_the_seed_and_the_record_and_not_on_the_order_of_files(corpus):
    files = survey_files({path: corpus[path] for path in ("plain.py", "crlf.py", "tabs.py")}).files
    first = select_sites(files, limit=20, run_seed=3, record_id="r")
    assert select_sites(files[::-1], limit=20, run_seed=3, record_id="r") == first
    assert select_sites(files, limit=7, run_seed=3, record_id="r") == first[:7]
    assert select_sites(files, limit=20, run_seed=4, record_id="r") != first
    assert select_sites(files, limit=20, run_seed=3, record_id="q") != first


def test_a_selection_runs_out_without_repeating_itself():
    files = survey_files({"a.py": b"def f(a):\n    return a < 2\n"}).files
    chosen = select_sites(files, limit=99, run_seed=0, record_id="r")
    assert len(chosen) == len(set(chosen)) == len(files[0].sites)


def test_mutants_are_the_same_under_every_hash_seed(plain):
    program = (
        "import sys\nfrom mutators.python import mutate_source\n"
        "for m in mutate_source(sys.stdin.read(), limit=60, run_seed=1, record_id='r'): print(m)\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            input=plain.encode(),
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(outputs) == 1
    assert len(outputs.pop().splitlines()) == 60


def test_source_mutants_compile_differ_and_show_their_lines(plain):
    mutants = mutate_source(plain, limit=80, run_seed=1, record_id="r")
    assert len(mutants) == 80
    assert len({mutant.source for mutant in mutants}) == 80
    assert len({mutant.operator for mutant in mutants}) >= 25
    for mutant in mutants:
        assert compile_quietly(mutant.source) is not None
        assert mutant.operator in OPERATORS
        assert all(line[:1] in {"-", "+"} for line in mutant.diff.split("\n"))
        assert len(mutant.diff) < 600


def test_a_script_is_mutated_outside_functions_too():
    source = "n = int(input())\nif __name__ == '__main__':\n    print(sum(range(n)))\n"
    mutants = mutate_source(source, limit=99, run_seed=1, record_id="r")
    assert any("range(n - 1)" in mutant.source for mutant in mutants)
    assert all("if __name__ == '__main__':" in mutant.source for mutant in mutants)


@pytest.mark.parametrize("source", ["def f(:\n", "x = '\ud800'\n"])
def test_a_program_that_cannot_be_mutated_is_refused(source):
    with pytest.raises(MutationError, match=r"solution\.py"):
        mutate_source(source, limit=5, run_seed=1, record_id="r")


def test_a_record_carries_edits_and_patches_in_both_directions(corpus):
    source = corpus["latin_1.py"]
    site = next(site for site in enumerate_sites("latin_1.py", source) if site.operator == "remove_guard")
    mutation = record(site, {"latin_1.py": source})
    assert mutation.operator == "remove_guard"
    assert mutation.scope == "Stack.push"
    assert "GIT binary patch" in mutation.bug_patch
    assert mutate_file(site, source) == splice(source, mutation.edits)
    with pytest.raises(MutationError, match=r"latin_1\.py: the file of a mutation isn't in the tree"):
        record(site, {})
    with pytest.raises(MutationError, match=r"latin_1\.py:\d+: remove_guard: edit"):
        mutate_file(site, b"")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["shlex", "configparser", "difflib"])
def test_accepted_mutants_of_real_files_compile_whole(name):
    source = (STDLIB / f"{name}.py").read_bytes()
    files = survey_files({f"{name}.py": source}).files
    for site in select_sites(files, limit=150, run_seed=1, record_id=name):
        assert compile_quietly(splice(source, site.edits)) is not None, site
