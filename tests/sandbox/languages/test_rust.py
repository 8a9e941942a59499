import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandbox.base import State
from sandbox.judging import Program
from sandbox.languages import rust
from sandbox.languages.rust import LANGUAGE
from sandbox.languages.types import read_call_type
from schemas.candidate import TaskStyle
from schemas.errors import ConfigError
from schemas.values import decode_text, encode_call, encode_text
from tests.sandbox.languages.solving import (
    EVERYTHING,
    EVERYTHING_ARGUMENTS,
    LIMITS,
    call_function,
    gather,
    make_factory,
    read_signature,
)

ONE = "n: int -> int"
ECHO_EVERYTHING = """
use std::collections::{BTreeSet, HashMap};
use taskfoundry::BigInt;

type Points = BTreeMap<(i64, String), Vec<f64>>;
type Pair<'a> = (i64, Option<&'a str>, (bool,));
type Files = Option<HashMap<String, Vec<u8>>>;

fn f<'a>(a: i64, b: BigInt, c: &f64, d: bool, e: &'a str, f: &'a [u8], g: &'a mut Vec<Vec<i64>>, h: BTreeSet<String>,
         i: &'a Points, j: Pair<'a>, k: Files)
    -> (i64, BigInt, f64, bool, String, Vec<u8>, (&'a mut Vec<Vec<i64>>, BTreeSet<String>, &'a Points), (Pair<'a>, Files)) {
    (a, b, *c, d, e.to_string(), f.to_vec(), (g, h, i), (j, k))
}
use std::collections::BTreeMap;
"""


@pytest.fixture(scope="module")
def functions():
    return make_factory(LANGUAGE, TaskStyle.FUNCTION)


@pytest.fixture(scope="module")
def programs():
    return make_factory(LANGUAGE, TaskStyle.STDIN)


def solve(functions, source, signature=ONE, args=(1,), entry_point="f"):
    (outcome,) = call_function(functions, source, signature, args, entry_point=entry_point)
    return outcome


@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck), database=None)
@given(calls=st.lists(EVERYTHING_ARGUMENTS, min_size=20, max_size=60))
def test_values_of_every_type_come_back_unchanged(functions, calls):
    outcomes = call_function(functions, ECHO_EVERYTHING, EVERYTHING, *calls, isolate=False)
    assert [outcome.output for outcome in outcomes] == [encode_text(gather(call)) for call in calls], outcomes[0]


def test_the_toolchain_is_named_with_its_version(functions):
    name, version = functions.toolchain.split()
    assert name == "rustc"
    assert version[0].isdigit()


def test_a_missing_linker_is_reported_with_the_package_to_install(monkeypatch, functions):
    monkeypatch.setattr(rust, "_LINKER", "/usr/bin/no-such-linker")
    rust._find_toolchain.forget()
    with pytest.raises(ConfigError, match="install the package gcc"):
        LANGUAGE.find_toolchain()
    rust._find_toolchain.forget()


def test_a_missing_compiler_is_reported_with_the_package_to_install(monkeypatch):
    monkeypatch.setattr(rust.shutil, "which", lambda *_, **__: None)
    rust._find_toolchain.forget()
    with pytest.raises(ConfigError, match="install the package rustc"):
        LANGUAGE.find_toolchain()
    rust._find_toolchain.forget()


def test_the_preamble_comes_first(functions):
    program = Program(
        source="fn f(n: i64) -> i64 { n + ONE }",
        preamble="const ONE: i64 = 1;",
        entry_point="f",
        signature=read_signature(ONE),
    )
    with functions.open() as evaluator:
        (outcome,) = evaluator.evaluate(program, [encode_call((1,), {})])
    assert outcome.output == "2"


@pytest.mark.parametrize("entry_point", ["self", "f(1)", "a.b", "", "f; fn g", "Solution.f", "crate"])
def test_entry_points_that_no_rust_program_has_are_refused(entry_point):
    types = read_call_type(read_signature(ONE))
    with pytest.raises(ConfigError, match="can't be called in Rust"):
        LANGUAGE.write_recipe(Program(source="", entry_point=entry_point), types, LIMITS)


@pytest.mark.parametrize("kind", [f"tuple[{', '.join(['int'] * 9)}]", "tuple[()]"])
def test_tuples_that_the_driver_does_not_know_are_refused(kind):
    types = read_call_type(read_signature(f"n: list[{kind}] -> int"))
    with pytest.raises(ConfigError, match="tuples in Rust have 1 to 8 items"):
        LANGUAGE.write_recipe(Program(source="", entry_point="f"), types, LIMITS)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "signature", "args", "value"),
    [
        ("#![allow(dead_code)]\n//! Words.\nfn f(n: i32) -> u8 { n as u8 }", ONE, (255,), 255),
        ("pub fn main() {}\nfn f(n: i64) -> i64 { n } //", ONE, (3,), 3),
        ("pub fn g(n: i64) -> i64 { n + 1 }\nfn f(n: i64) -> i64 { crate::g(n) }", ONE, (3,), 4),
        ("mod std {}\nmod core {}\nstruct Vec;\nstruct String;\nenum Option {}\nstruct Result;\nfn f(n: i64) -> i64 { n }", ONE, (3,), 3),
        ("macro_rules! read { () => {} }\nfn f(n: i64) -> i64 { n }", ONE, (3,), 3),
        ("fn f(n: String) -> i128 { n.len() as i128 * (1 << 90) }", "n: bigint -> bigint", (10**9,), 10 << 90),
        ("fn f(g: &mut [Vec<char>]) -> char { g[0].swap(0, 1); g[0][0] }", "g: list[list[str]] -> str", ([["a", "\u4e2d"]],), "\u4e2d"),
        ("fn f(b: &[u8]) -> Box<[u8]> { b.into() }", "b: bytes -> bytes", (b"\x00\xff",), b"\x00\xff"),
        ("fn f(b: Vec<u8>) -> Vec<u8> { b }", "b: list[int] -> list[int]", ([1, 255],), [1, 255]),
        ("fn f(v: [i64; 2]) -> std::collections::VecDeque<i64> { v.into_iter().rev().collect() }", "v: list[int] -> list[int]", ([1, 2],), [2, 1]),
        ("fn f(x: f32) -> f32 { x }", "x: float -> float", (1.5,), 1.5),
        ("fn f(x: &Option<Vec<i64>>) -> Option<&Vec<i64>> { x.as_ref() }", "x: list[int] | None -> list[int] | None", ([1],), [1]),
        ("fn f() -> usize { std::io::stdin().lines().count() }", "-> int", (), 0),
        ("fn f(v: &mut Vec<i64>) { v.clear() }", "v: list[int] -> None", ([1],), None),
        ("static mut N: i64 = 0;\nfn f(n: i64) -> i64 { unsafe { N += n; N } }", ONE, (2,), 2),
        ("fn f(n: i64) -> i64 { std::thread::spawn(move || n).join().unwrap() }", ONE, (2,), 2),
    ],
)  # fmt: skip
def test_solutions_may_use_the_types_that_are_natural(functions, source, signature, args, value):
    outcome = solve(functions, source, signature, args)
    assert outcome.state is State.OK, outcome
    assert decode_text(outcome.output) == value


@pytest.mark.slow
@pytest.mark.parametrize("owner", ["", "struct Solution;\n", "enum Solution {}\n"])
def test_functions_of_a_solution_type_are_called(functions, owner):
    source = f"{owner}impl Solution {{\n    pub fn f(n: i32) -> i32 {{ n }}\n}}"
    assert solve(functions, source, args=(4,), entry_point="Solution().f").output == "4"


@pytest.mark.slow
def test_an_entry_point_that_rust_reserves_is_written_raw(functions):
    assert solve(functions, "fn r#match(n: i64) -> i64 { n }", args=(4,), entry_point="match").output == "4"


def test_panics_are_outputs_with_their_message_and_the_next_call_goes_on(functions):
    source = """fn f(n: i64) -> i64 {
        match n { 1 => panic!("refused {}", n), 2 => None::<i64>.unwrap(), 3 => std::panic::panic_any(5), _ => n }
    }"""
    outcomes = call_function(functions, source, ONE, (1,), (2,), (3,), (4,), isolate=False)
    assert [outcome.output for outcome in outcomes] == ['{"$raises":"panic"}'] * 3 + ["4"]
    assert outcomes[0].detail == "panic: refused 1"
    assert "None" in outcomes[1].detail


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "signature", "args", "said"),
    [
        ("fn f(n: i32) -> i32 { n }", ONE, (2**31,), "2147483648 doesn't fit into i32"),
        ("fn f(n: u64) -> u64 { n }", ONE, (-1,), "-1 doesn't fit into u64"),
        ("fn f(n: i64) -> u64 { u64::MAX }", ONE, (1,), "an integer beyond 64 bits"),
        ("fn f(n: i64) -> String { \"12x\".into() }", "n: int -> bigint", (1,), "decimal digits, not 12x"),
        ("fn f(s: String) -> String { s }", "s: str -> str", ("\ud800",), "lone surrogate, which no Rust string can hold"),
        ("fn f(s: String) -> i64 { 1 }", "s: list[int] -> int", ([1],), "takes a text here, the task gives a list"),
    ],
)  # fmt: skip
def test_values_that_do_not_fit_end_the_case_with_the_reason(functions, source, signature, args, said):
    outcome = solve(functions, source, signature, args)
    assert outcome.state is State.RE
    assert said in outcome.detail


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("fn f(n: i64) -> String { String::new() }", "Outcome<"),
        ("struct P;\nfn f(p: P) -> i64 { 1 }", "Argument"),
        ("fn f<T: Copy>(n: T) -> T { n }", "error"),
        ("fn f(n: i64) -> i64 { n } } mod x {", "unexpected closing delimiter"),
        ("fn f(n: i64) -> i64 { n }\n/*", "unterminated block comment"),
        ("fn f(n: i64) -> i64 { n }\n#[cfg(any())]", "could not find `taskfoundry_glue`"),
        ("fn f(n: i64) -> i64 { n }\npub mod taskfoundry_glue {}", "defined multiple times"),
        ("static S: &str = include_str!(\"/etc/shadow\");\nfn f(n: i64) -> i64 { n }", "/etc/shadow"),
        ("include!(\"/root/.bashrc\");\nfn f(n: i64) -> i64 { n }", "/root/.bashrc"),
        ("std::arch::global_asm!(\".incbin \\\"/etc/shadow\\\"\");\nfn f(n: i64) -> i64 { n }", "/etc/shadow"),
        ("#[path = \"/etc/shadow\"]\nmod x;\nfn f(n: i64) -> i64 { n }", "/etc/shadow"),
        ("fn f(n: i64) -> i64 { n }\x00", "unknown start of token"),
        ("\x7fELF\x00\x01\x02\udc80\udcff", "UTF-8"),
        ("", "cannot find function `f`"),
    ],
)  # fmt: skip
def test_programs_that_are_none_get_what_the_compiler_says(functions, source, said):
    outcome = solve(functions, source)
    assert outcome.state is State.CE
    assert said in outcome.detail
    assert "/tmp" not in outcome.detail
    assert "cache" not in outcome.detail


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("struct W<T>(T);\ntrait D { fn d(n: u64) -> u64; }\nimpl<T> D for W<T> { fn d(n: u64) -> u64 { if n == 0 { 0 } else { W::<W<T>>::d(n - 1) } } }\nfn f(n: i64) -> i64 { W::<u8>::d(n as u64) as i64 }", "recursion limit"),
        ("macro_rules! b { ($($t:tt)*) => { b!($($t)* x); } }\nb!(a);\nfn f(n: i64) -> i64 { n }", "recursion limit"),
        ("#[path = \"/dev/zero\"]\nmod x;\nfn f(n: i64) -> i64 { n }", ""),
        ("static S: [u8; 1 << 34] = [1; 1 << 34];\nfn f(n: i64) -> i64 { S[n as usize] as i64 }", ""),
    ],
)  # fmt: skip
def test_bombs_for_the_compiler_are_compile_errors_within_the_limits(functions, source, said):
    outcome = solve(functions, source)
    assert outcome.state is State.CE
    assert said in outcome.detail


def test_a_source_that_is_too_long_is_refused_with_its_size(functions):
    outcome = solve(functions, "/" * (3 * 2**20))
    assert outcome.state is State.CE
    assert str(3 * 2**20) in outcome.detail


OWN_RECORD = """use std::io::Write;
use std::os::unix::io::FromRawFd;
fn write(text: &[u8]) { unsafe { std::fs::File::from_raw_fd(3) }.write_all(text).unwrap(); }
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "source",
    [
        "extern \"C\" fn boot() { std::process::exit(0) }\n#[used]\n#[link_section = \".init_array\"]\nstatic B: extern \"C\" fn() = boot;\nfn f(n: i64) -> i64 { n }",
        f"{OWN_RECORD}fn f(n: i64) -> i64 {{ write(b\"V3;I1;\"); 1 }}",
        f"{OWN_RECORD}fn f(n: i64) -> i64 {{ write(b\"V3;I1\"); std::process::exit(0) }}",
        f"{OWN_RECORD}fn f(n: i64) -> i64 {{ write(b\"V9999999999;I1;\"); std::process::exit(0) }}",
        f"{OWN_RECORD}fn f(n: i64) -> i64 {{ write(b\"O2;OK\"); std::process::exit(0) }}",
        "extern \"C\" { fn kill(pid: i32, signal: i32) -> i32; fn raise(signal: i32) -> i32; }\nfn f(n: i64) -> i64 { unsafe { kill(-1, 9); kill(1, 9); raise(9) as i64 } }",
    ],
)  # fmt: skip
def test_records_that_a_solution_writes_itself_are_no_results(functions, source):
    assert solve(functions, source).state is State.RE


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("use std::fs::File;\nfn f(n: i64) -> bool { File::open(\"/proc/1/mem\").is_ok() || File::open(\"/proc/1/environ\").is_ok() }", "false"),
        (("use std::io::*;\nfn f(n: i64) -> bool { let mut s = String::new(); let mut i = unsafe { <std::fs::File as std::os::unix::io::FromRawFd>::from_raw_fd(0) }; "
         "i.seek(SeekFrom::Start(0)).unwrap(); i.read_to_string(&mut s).unwrap(); s != \"C1;I1;\" }"), "false"),
        ("struct Own;\nimpl PartialEq<i64> for Own { fn eq(&self, _: &i64) -> bool { true } }\nfn f(n: i64) -> bool { Own != n }", "false"),
    ],
)  # fmt: skip
def test_what_the_judge_expects_is_nowhere_in_the_process(functions, source, value):
    assert solve(functions, source, "n: int -> bool").output == value


@pytest.mark.slow
def test_an_allocation_that_fails_is_the_memory_limit(functions):
    source = "fn f(n: i64) -> i64 { let v = vec![1u8; (n as usize) << 62]; unsafe { std::ptr::read_volatile(&v[n as usize]) as i64 } }"
    assert solve(functions, source).state is State.MLE


@pytest.mark.slow
def test_a_standard_input_program_is_the_root_of_its_crate(programs):
    source = '#![allow(unused)]\nmod a { pub fn b() -> i64 { crate::c() } }\nfn c() -> i64 { 7 }\nfn main() { print!("{}", a::b()) }'
    with programs.open() as evaluator:
        (outcome,) = evaluator.evaluate(Program(source=source), [""])
    assert outcome.output == "7"
