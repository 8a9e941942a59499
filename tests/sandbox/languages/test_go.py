import math

import pytest

from sandbox.base import State
from sandbox.languages.go import GoLanguage
from schemas.errors import ConfigError
from schemas.values import decode_text
from tests.sandbox.languages.cases.go import CASES
from tests.sandbox.languages.solving import EVERY_TYPE, VALUES

LANGUAGE, LIMITS = CASES.language, CASES.limits


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


def test_a_missing_toolchain_names_the_package_to_install(tmp_path):
    with pytest.raises(ConfigError, match="golang-go"):
        GoLanguage(places=[str(tmp_path)]).find_toolchain()


def test_a_go_that_does_not_work_is_a_config_error(tmp_path):
    (tmp_path / "go").write_text("#!/bin/sh\necho broken >&2\nexit 3\n")
    (tmp_path / "go").chmod(0o755)
    with pytest.raises(ConfigError, match="broken"):
        GoLanguage(places=[str(tmp_path)]).find_toolchain()
