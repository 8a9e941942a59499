import math

import pytest

from sandbox.base import State
from sandbox.judging import Program
from sandbox.languages.compiled import SOURCE_CHARS
from sandbox.languages.go import LANGUAGE, GoLanguage
from schemas.candidate import TaskStyle
from schemas.errors import ConfigError
from schemas.limits import Limits
from schemas.values import decode_text
from tests.sandbox.languages.solving import EVERY_TYPE, VALUES, call_function, make_factory

LIMITS = Limits(cpu_s=2, wall_s=8, memory_mb=256, disk_mb=16, stdout_mb=1, processes=40)


@pytest.fixture(scope="module")
def functions():
    return make_factory(LANGUAGE, TaskStyle.FUNCTION, LIMITS)


@pytest.fixture(scope="module")
def programs():
    return make_factory(LANGUAGE, TaskStyle.STDIN, LIMITS)


@pytest.fixture
def call(functions):
    def run(source, types="int -> int", args=(1,), *, entry_point="f"):
        (outcome,) = call_function(functions, source, types, args, entry_point=entry_point)
        return outcome

    return run


@pytest.fixture
def value_of(call):
    def run(source, types, args, **options):
        outcome = call(source, types, args, **options)
        assert outcome.state is State.OK, outcome
        return decode_text(outcome.output)

    return run


def test_every_type_comes_back_as_it_went_in(value_of):
    source = """package main
import "math/big"
type pair struct { number int64; name string }
type flag struct { Name string; Set bool }
type all struct {
    a int64; b *big.Int; c float64; d bool; e string; f []byte; g [][]int; h map[string]struct{}
    i map[string][]int; j pair; k map[[2]int]float64; l *int; m *string; n []flag
}
func f(given all) all { return given }
"""
    value = value_of(source, f"tuple[{EVERY_TYPE}] -> tuple[{EVERY_TYPE}]", (VALUES,))
    assert value == VALUES
    assert math.copysign(1, value[10][-1, 0]) == -1


def test_every_type_has_a_form_that_an_empty_interface_holds(value_of):
    source = "package main\nfunc f(given any) any { return given }"
    assert value_of(source, f"tuple[{EVERY_TYPE}] -> tuple[{EVERY_TYPE}]", (VALUES,)) == VALUES


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "types", "args", "value"),
    [
        ("func f(a int, b int8, c uint64) (int, int8, uint64) { return a, b, c }", "int; int; int -> tuple[int, int, int]", (1, -2, 3), (1, -2, 3)),
        ("func f(a map[int]bool) map[int]bool { a[5] = false; a[6] = true; return a }", "set[int] -> set[int]", ({5, 7},), {6, 7}),
        ("func f(a []rune) []rune { return a[1:] }", "str -> str", ("\u00e9x",), "x"),
        ("func f(a int) (int, bool) { return a, a > 1 }", "int -> int | None", (1,), None),
        ("func f(a int) (int, error) { return a, nil }", "int -> int", (4,), 4),
        ("func f(a ...int) int { return len(a) }", "list[int] -> int", ([4, 5],), 2),
        ("func f(a []int) []int { return nil }", "list[int] -> list[int]", ([],), []),
        ("func f(a *struct{ X, Y int }) int { return a.X - a.Y }", "tuple[int, int] -> int", ((3, 1),), 2),
        ("func f(a float32) float32 { return a }", "float -> float", (0.5,), 0.5),
        ("func f() {}", "-> None", (), None),
        ("func main() { panic(1) }\nfunc f(a int) int { return a }", "int -> int", (9,), 9),
        ("func type_(a int) int { return a }\nvar f = type_", "int -> int", (9,), 9),
    ],
)  # fmt: skip
def test_go_types_that_go_with_a_signature(source, types, args, value, value_of):
    assert value_of(source, types, args) == value


def test_a_byte_order_mark_and_comments_may_stand_before_the_package_clause(value_of):
    source = "\ufeff// a\n/* package b */ package odd // c\nfunc f(a int) int { return a }"
    assert value_of(source, "int -> int", (9,)) == 9


def test_an_entry_point_that_is_a_keyword_has_an_underscore_behind_it(value_of):
    assert value_of("func type_(a int) int { return a }", "int -> int", (9,), entry_point="type") == 9


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("func f(a int) int { return []int{}[a] }", "boundsError"),
        ('func f(a int) int { panic("no") }', "panic"),
        ('type bad struct{}\nfunc (*bad) Error() string { return "x" }\nfunc f(a int) (int, error) { return 0, &bad{} }', "bad"),
        ("type bad struct{}\nfunc (bad) Error() string { panic(1) }\nfunc f(a int) int { panic(bad{}) }", "bad"),
    ],
)  # fmt: skip
def test_a_panic_or_an_error_is_an_output(source, name, call):
    outcome = call(source)
    assert outcome.state is State.OK, outcome
    assert f'"{name}"' in outcome.output


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "types", "said"),
    [
        ("func f(a int8) int8 { return a }", "int -> int", "300 doesn't fit int8"),
        ("func f(a string) int { return 1 }", "int -> int", "type string can't take a value of the type int"),
        ("func f(a int) string { return `x` }", "int -> int", "a string isn't of the type int"),
        ("func f(a int) (int, int) { return 1, 2 }", "int -> int", "2 results"),
        ("func f() int { return 1 }", "int -> int", "takes 0 arguments"),
        ("type p *p\nfunc f(a int) p { var x p; x = p(&x); return x }", "int -> int", "pointers without end"),
        ("var f = 1", "int -> int", "no function"),
    ],
)
def test_a_wrong_type_is_a_failure_that_says_so(source, types, said, call):
    outcome = call(source, types, (300,))
    assert outcome.state is State.RE
    assert said in outcome.detail


FORGERIES = {
    "own record": 'import "syscall"\nfunc init() { syscall.Write(3, []byte("V3;I1;")) }\nfunc f(a int) int { return 2 }',
    "own record and exit": 'import ("os"; "syscall")\nfunc f(a int) int { syscall.Write(3, []byte("V3;I2;")); os.Exit(0); return 1 }',
    "closes the record": 'import "syscall"\nfunc f(a int) int { syscall.Close(3); return 1 }',
    "other file as the record": 'import "syscall"\nfunc f(a int) int { r := make([]int, 2); syscall.Pipe(r); syscall.Dup2(r[1], 3); return 1 }',
    "exits in an initialiser": 'import "os"\nfunc init() { os.Exit(0) }\nfunc f(a int) int { return 1 }',
    "reads the input first": 'import ("io"; "os")\nvar _, _ = io.ReadAll(os.Stdin)\nfunc f(a int) int { return 1 }',
    "writes later": 'import ("syscall"; "time")\nfunc f(a int) int { go func() { for { syscall.Write(3, []byte("V3;I1;")) } }(); time.Sleep(50 * time.Millisecond); return 2 }',
    "ends its goroutine": 'import "runtime"\nfunc f(a int) int { runtime.Goexit(); return 1 }',
    "ends in another goroutine": 'func f(a int) int { go panic(1); select {} }',
    "names the driver": 'import d "taskfoundry/driver"\nfunc f(a int) int { d.Run(nil); return 1 }',
    "internal package": 'import "internal/abi"\nvar x abi.Kind\nfunc f(a int) int { return 1 }',
    "cgo": '// #include <stdlib.h>\nimport "C"\nfunc f(a int) int { C.exit(0); return 1 }',
    "embedded file": 'import _ "embed"\n//go:embed /etc/passwd\nvar x string\nfunc f(a int) int { return len(x) }',
    "linked name": 'import _ "unsafe"\n//go:linkname run taskfoundry/driver.write\nfunc run(data []byte)\nfunc f(a int) int { run([]byte("V3;I1;")); return 2 }',
    "the glue's variable": 'var TaskfoundryEntry any = func(a int) int { return 1 }\nfunc f(a int) int { return 2 }',
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", FORGERIES)
def test_no_forgery_is_taken_for_the_result_1(name, call):
    outcome = call("package main\n" + FORGERIES[name])
    assert outcome.state is not State.OK or decode_text(outcome.output) != 1, outcome
    assert outcome.state is not State.INFRA


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("package main\x00", "NUL"),
        ("\x7fELF\x02\x01\x01\udcff\x00\x00", "solution.go:1"),
        ("package main\nfunc f(a int) int { return nothing }", "solution.go:2:28: undefined: nothing"),
        ("package main\nfunc g() {}", "undefined: f"),
        ('package main\nimport "github.com/x/y"\nfunc f(a int) int { return y.Z }', "could not import github.com/x/y"),
        ("x" * (SOURCE_CHARS + 1), str(SOURCE_CHARS)),
        ("package main\n" + "func f(a int) int { return nothing }\n" * 10_000, "too many errors"),
    ],
)
def test_what_is_no_program_is_a_compile_error_that_says_why(source, said, call):
    outcome = call(source)
    assert outcome.state is State.CE
    assert said in outcome.detail
    assert len(outcome.detail) <= 1000


def test_a_program_without_main_is_a_compile_error(programs):
    with programs.open() as evaluator:
        (outcome,) = evaluator.evaluate(Program(source="package main\nfunc f() {}"), ["x"])
    assert outcome.state is State.CE
    assert "main" in outcome.detail


@pytest.mark.parametrize("entry_point", ["f(1)", "x.f", "f; var y", ""])
def test_an_entry_point_that_is_no_name_is_refused(entry_point, call):
    with pytest.raises(ConfigError, match="entry point of a Go program"):
        call("package main\nfunc f(a int) int { return a }", entry_point=entry_point)


def test_a_missing_toolchain_names_the_package_to_install(tmp_path):
    with pytest.raises(ConfigError, match="golang-go"):
        GoLanguage(places=[str(tmp_path)]).find_toolchain()


def test_a_go_that_does_not_work_is_a_config_error(tmp_path):
    (tmp_path / "go").write_text("#!/bin/sh\necho broken >&2\nexit 3\n")
    (tmp_path / "go").chmod(0o755)
    with pytest.raises(ConfigError, match="broken"):
        GoLanguage(places=[str(tmp_path)]).find_toolchain()
