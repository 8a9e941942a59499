"""Parsing in a process with many threads and a busy garbage collector."""

import ast
import gc
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest

from schemas.syntax import parse_expression, parse_source

SOURCE = "\n".join(
    f"def f{n}(a, b=({n}, [1, {{'x': a}}])): return a + b[{n} % 2] if a else [x for x in b]" for n in range(40)
)


def test_sound_source_is_parsed_in_every_thread_at_once() -> None:
    def parse_often(_: int) -> int:
        return sum(len(parse_source(SOURCE).body) for _ in range(25))

    def give_way(_phase: str, _info: dict[str, int]) -> None:
        time.sleep(0)

    thresholds, interval = gc.get_threshold(), sys.getswitchinterval()
    gc.callbacks.append(give_way)
    gc.set_threshold(50)
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(parse_often, range(4)))
    finally:
        gc.callbacks.remove(give_way)
        gc.set_threshold(*thresholds)
        sys.setswitchinterval(interval)
    assert found == [25 * 40] * 4


def test_trees_are_those_of_the_standard_parser() -> None:
    assert ast.dump(parse_source(SOURCE)) == ast.dump(ast.parse(SOURCE))
    assert ast.dump(parse_source(b"# coding: latin-1\nx = '\xe9'")) == ast.dump(ast.parse("x = 'é'"))
    assert ast.dump(parse_expression("a + [1]")) == ast.dump(ast.parse("a + [1]", mode="eval").body)


def test_warnings_about_the_source_stay_silent() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parse_source("x = '\\d'\nassert (x, 1)\n")


@pytest.mark.parametrize("source", ["x =", "print 1", "\x00", "(" * 500 + ")" * 500])
def test_what_is_no_python_raises_as_the_standard_parser_does(source: str) -> None:
    with pytest.raises((SyntaxError, ValueError, RecursionError, MemoryError)):
        parse_source(source)


@pytest.mark.parametrize("source", ["x = 1", "1; 2", ""])
def test_a_statement_is_no_expression(source: str) -> None:
    with pytest.raises(SyntaxError):
        parse_expression(source)
