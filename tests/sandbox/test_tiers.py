from sandbox.tiers import rank_tiers
from schemas.candidate import TaskStyle, TestTier
from schemas.values import encode_call


def test_small_inputs_are_basic_and_the_largest_complex():
    texts = ["1\n" * size for size in (1, 2, 20, 30, 100)]
    tiers = rank_tiers(TaskStyle.STDIN, [(text, False) for text in texts])
    assert tiers == (
        TestTier.BASIC,
        TestTier.BASIC,
        TestTier.INTERMEDIATE,
        TestTier.INTERMEDIATE,
        TestTier.COMPLEX,
    )


def test_edges_and_empty_arguments_are_edge_tests():
    inputs = [(encode_call(([],), {}), False), (encode_call((3,), {}), True), (encode_call((3,), {}), False)]
    assert rank_tiers(TaskStyle.FUNCTION, inputs) == (TestTier.EDGE, TestTier.EDGE, TestTier.BASIC)


def test_no_inputs_have_no_tiers():
    assert rank_tiers(TaskStyle.STDIN, []) == ()
