import pytest

from sandbox.stepping import STEP_LIMIT, STEP_SKIP, instrument_source, make_prelude


def run(source, expression, *, limit=100, max_hits=3):
    space = {}
    exec(make_prelude(limit=limit, max_hits=max_hits), space)
    exec(instrument_source(source), space)
    return eval(expression, space)


def stop_of(source, expression, **options):
    with pytest.raises(BaseException) as caught:
        run(source, expression, **options)
    return type(caught.value).__name__


@pytest.mark.parametrize(
    "source",
    [
        "def f():\n    while True:\n        pass\n",
        "def f():\n    while True:\n        try:\n            g()\n        except Exception:\n            continue\n",
        "def f():\n    return f()\n",
        "import itertools\n\ndef f():\n    return sum(1 for _ in itertools.count())\n",
        "import itertools\n\ndef f():\n    for _ in itertools.count():\n        pass\n",
    ],
)
def test_endless_programs_stop_at_the_limit(source):
    assert stop_of(source, "__bounded__(f)()") == STEP_LIMIT


def test_a_short_program_is_left_alone():
    assert run("def f(n):\n    'Doc.'\n    return sum(i for i in range(n))\n", "__bounded__(f)(5)") == 10


def test_steps_are_counted_per_call():
    source = "def f(n):\n    for _ in range(n):\n        pass\n"
    assert run(source, "[__counted__(f)(3), __counted__(f)(5)]") == [4, 6]


def test_later_calls_are_skipped_after_too_many_stops():
    source = (
        "def f():\n    while True: pass\ndef names():\n    out = []\n    for _ in range(4):\n        try:\n"
        "            __bounded__(f)()\n        except BaseException as error:\n            out.append(type(error).__name__)\n"
        "    return out\n"
    )
    assert run(source, "names()", max_hits=2) == [STEP_LIMIT, STEP_LIMIT, STEP_SKIP, STEP_SKIP]


def test_docstrings_and_future_imports_stay_first():
    source = '"""Doc."""\nfrom __future__ import annotations\n\ndef f(x: Unknown):\n    return __doc__\n'
    assert run(source, "__bounded__(f)(1)") == "Doc."


def test_what_does_not_parse_is_an_error():
    with pytest.raises(SyntaxError):
        instrument_source("def f(")
