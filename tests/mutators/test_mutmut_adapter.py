import queue
from pathlib import Path

import libcst as cst
import pytest
from mutmut.mutation.file_mutation import MutationVisitor
from mutmut.mutation.mutators import mutation_operators
from mutmut.mutation.pragma_handling import IgnoredCode

from mutators.document import Document
from mutators.mutmut_adapter import read_mutations
from mutators.sites import survey_files
from mutators.splice import splice


def rendered_by_libcst(text: str) -> list[str]:
    """Return every mutant as mutmut itself would write it: the whole module again."""
    wrapper = cst.MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
    nothing = IgnoredCode(no_mutate_lines=set(), ignore_node_lines=set(), ignore_pattern_lines=set())
    visitor = MutationVisitor(mutation_operators, nothing)
    wrapper.visit(visitor)
    return [
        wrapper.module.deep_replace(mutation.original_node, mutation.mutated_node).code
        for mutation in visitor.mutations
    ]


def test_an_edit_gives_exactly_what_rendering_the_module_gives(nasty):
    document = Document(*nasty)
    plain = document.text.replace("\x0c", "")  # libcst itself loses form feeds before code
    expected = [text for text in rendered_by_libcst(plain) if text != plain]
    found = [splice(document.utf8, [found.edit]).decode() for found in read_mutations(document.text).found]
    assert [text.replace("\x0c", "") for text in found] == expected
    assert len(found) > 40


@pytest.mark.slow
def test_an_edit_gives_what_rendering_gives_on_a_real_file():
    text = Path(queue.__file__).read_text(encoding="utf-8")
    found = [splice(text.encode(), [found.edit]) for found in read_mutations(text).found]
    assert found == [mutant.encode() for mutant in rendered_by_libcst(text) if mutant != text]


def test_mutmut_needs_no_configuration_in_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    read_mutations.cache_clear()
    assert read_mutations("def f(a):\n    return a + 1\n").found


def test_a_configuration_in_the_current_folder_changes_nothing(tmp_path, monkeypatch):
    text = "def f(a):\n    return a + 1\n"
    expected = read_mutations(text)
    (tmp_path / "pyproject.toml").write_text(
        "[tool.mutmut]\nsource_paths = ['.']\ndo_not_mutate_patterns = ['return']\n"
    )
    monkeypatch.chdir(tmp_path)
    read_mutations.cache_clear()
    assert read_mutations(text) == expected


def test_form_feeds_before_code_keep_their_place():
    text = "x = 1\n\x0cdef f(a):\n\x0c    return a + 1, '''\n\x0cb'''\n"
    utf8 = text.encode()
    mutants = [splice(utf8, [found.edit]).decode() for found in read_mutations(text).found]
    assert text.replace("a + 1", "a - 1") in mutants
    assert all(mutant.count("\x0c") == 3 for mutant in mutants)


def test_a_text_that_libcst_cannot_follow_says_why():
    assert "can't parse" in read_mutations("def f(:\n").problem
    assert "same text" in read_mutations("a = 1\rb = 2\r").problem


def test_deep_nesting_is_a_problem_of_libcst_only():
    source = f"def f(a):\n    return {' + '.join(f'a[{number}]' for number in range(400))}\n"
    assert "nested too deeply" in read_mutations(source).problem
    survey = survey_files({"deep.py": source.encode()})
    assert len(survey.files[0].sites) > 400
    assert [skip.reason for skip in survey.skipped] == ["no_mutmut"]
