import pickle

from schemas.candidate import TaskStyle
from schemas.config import Dedup
from tests.transforms.curation.records import bank_ref, proven_bug, proven_function
from transforms.curation.fingerprint import bucket_keys, fingerprint, rank_record

SETTINGS = Dedup()
STATEMENT = " ".join(f"word{n}" for n in range(30))


def layers(record):
    return [key.split(":")[0] for key in bucket_keys(fingerprint(record, SETTINGS), SETTINGS)]


def test_a_long_document_has_every_layer_and_twenty_bands():
    record = proven_function(statement=STATEMENT, reference="def f(a):\n    return a\n")
    assert layers(record) == ["exact", "tokens", "statement"] + ["band"] * 20


def test_a_short_document_has_the_exact_layers_only():
    assert layers(proven_function(statement="Add two.", reference="f=1")) == ["exact", "tokens"]


def test_an_empty_document_has_only_its_exact_key():
    assert layers(proven_function(statement="", reference="")) == ["exact"]


def test_a_repository_task_is_compared_by_its_patch_and_its_kill_vector():
    assert layers(proven_bug("bug-1", bug_patch="-a\n+b\n")) == ["exact", "kill"]


def test_a_print_survives_pickling_and_stays_small():
    item = fingerprint(proven_function(statement=STATEMENT, reference="def f(a):\n    return a\n"), SETTINGS)
    assert pickle.loads(pickle.dumps(item)) == item
    assert len(pickle.dumps(item)) < 2000


def test_layout_comments_and_case_differ_in_the_exact_key_only():
    first = fingerprint(proven_function(statement=STATEMENT, reference="def f(a):\n    return a\n"), SETTINGS)
    second = fingerprint(
        proven_function(statement=STATEMENT.upper().replace(" ", "\n"), reference="def f(a):  # same\n\n  return a"),
        SETTINGS,
    )
    assert first.exact_key != second.exact_key
    assert first.token_key == second.token_key
    assert first.hashes == second.hashes


def test_statements_that_differ_in_a_symbol_are_not_equal():
    angle = fingerprint(proven_function(statement=STATEMENT + ' "<" and ">"'), SETTINGS)
    round_ = fingerprint(proven_function(statement=STATEMENT + ' "(" and ")"'), SETTINGS)
    assert angle.token_key != round_.token_key
    assert angle.statement_key != round_.statement_key


def test_trailing_blanks_and_line_ends_do_not_change_the_exact_key():
    first = fingerprint(proven_function(statement="a\nb", reference="x = 1\n"), SETTINGS)
    second = fingerprint(proven_function(statement="a \r\nb\n\n", reference="x = 1"), SETTINGS)
    assert first.exact_key == second.exact_key


def test_a_function_and_a_program_of_one_text_are_not_exactly_equal():
    first = fingerprint(proven_function(statement=STATEMENT), SETTINGS)
    second = fingerprint(proven_function(statement=STATEMENT, style=TaskStyle.STDIN), SETTINGS)
    assert first.exact_key != second.exact_key


def test_ranks_follow_the_stated_order():
    best_first = [
        proven_function("a", hidden=9),
        proven_function("a", hidden=2, mutants=(9, 10)),
        proven_function("a", hidden=2, mutants=(5, 10), source=bank_ref(license="MIT")),
        proven_function("a", hidden=2, mutants=(5, 10), statement="longer"),
        proven_function("a", hidden=2, mutants=(5, 10), statement="short"),
        proven_function("a", hidden=50, parent_ids=("p",)),
    ]
    ranks = [rank_record(record) for record in best_first]
    assert ranks == sorted(ranks)
    assert len(set(ranks)) == len(ranks)
