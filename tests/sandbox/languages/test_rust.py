import pytest

from sandbox.base import State
from sandbox.judging import Program
from sandbox.languages import rust
from sandbox.languages.types import read_call_type
from schemas.errors import ConfigError
from tests.sandbox.languages.cases.rust import CASES
from tests.sandbox.languages.solving import call_function, read_signature

LANGUAGE, LIMITS = CASES.language, CASES.limits
ONE = "n: int -> int"


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


@pytest.mark.parametrize("kind", [f"tuple[{', '.join(['int'] * 9)}]", "tuple[()]"])
def test_tuples_that_the_driver_does_not_know_are_refused(kind):
    types = read_call_type(read_signature(f"n: list[{kind}] -> int"))
    with pytest.raises(ConfigError, match="tuples in Rust have 1 to 8 items"):
        LANGUAGE.write_recipe(Program(source="", entry_point="f"), types, LIMITS)


@pytest.mark.slow
@pytest.mark.parametrize("owner", ["", "struct Solution;\n", "enum Solution {}\n"])
def test_functions_of_a_solution_type_are_called(call, owner):
    source = f"{owner}impl Solution {{\n    pub fn f(n: i32) -> i32 {{ n }}\n}}"
    assert call(source, args=(4,), entry_point="Solution().f").output == "4"


@pytest.mark.slow
def test_an_entry_point_that_rust_reserves_is_written_raw(call):
    assert call("fn r#match(n: i64) -> i64 { n }", args=(4,), entry_point="match").output == "4"


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
    ("source", "said"),
    [
        ("struct W<T>(T);\ntrait D { fn d(n: u64) -> u64; }\nimpl<T> D for W<T> { fn d(n: u64) -> u64 { if n == 0 { 0 } else { W::<W<T>>::d(n - 1) } } }\nfn f(n: i64) -> i64 { W::<u8>::d(n as u64) as i64 }", "recursion limit"),
        ("macro_rules! b { ($($t:tt)*) => { b!($($t)* x); } }\nb!(a);\nfn f(n: i64) -> i64 { n }", "recursion limit"),
        ("#[path = \"/dev/zero\"]\nmod x;\nfn f(n: i64) -> i64 { n }", ""),
        ("static S: [u8; 1 << 34] = [1; 1 << 34];\nfn f(n: i64) -> i64 { S[n as usize] as i64 }", ""),
    ],
)  # fmt: skip
def test_bombs_for_the_compiler_are_compile_errors_within_the_limits(call, source, said):
    outcome = call(source)
    assert outcome.state is State.CE
    assert said in outcome.detail


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
def test_records_that_a_solution_writes_itself_are_no_results(call, source):
    assert call(source).state is State.RE


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
def test_what_the_judge_expects_is_nowhere_in_the_process(call, source, value):
    assert call(source, "n: int -> bool").output == value


@pytest.mark.slow
def test_an_allocation_that_fails_is_the_memory_limit(call):
    source = "fn f(n: i64) -> i64 { let v = vec![1u8; (n as usize) << 62]; unsafe { std::ptr::read_volatile(&v[n as usize]) as i64 } }"
    assert call(source).state is State.MLE


@pytest.mark.slow
def test_a_standard_input_program_is_the_root_of_its_crate(programs):
    source = '#![allow(unused)]\nmod a { pub fn b() -> i64 { crate::c() } }\nfn c() -> i64 { 7 }\nfn main() { print!("{}", a::b()) }'
    with programs.open() as evaluator:
        (outcome,) = evaluator.evaluate(Program(source=source), [""])
    assert outcome.output == "7"
