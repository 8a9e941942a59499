"""What the tests of all built languages try in Rust."""

from sandbox.languages.rust import LANGUAGE
from tests.sandbox.languages.solving import Cases

_ECHO = """
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

CASES = Cases(
    language=LANGUAGE,
    toolchain=r"rustc \d",
    echo=_ECHO,
    preamble=('const ONE: i64 = 1;', 'fn f(n: i64) -> i64 { n + ONE }'),
    entry_points=('self', 'f(1)', 'a.b', '', 'f; fn g', 'Solution.f', 'crate'),
    refused="can't be called in Rust",
    without_main='fn f() {}',
    natural=(
        ("#![allow(dead_code)]\n//! Words.\nfn f(n: i32) -> u8 { n as u8 }", "int -> int", (255,), 255),
        ("pub fn main() {}\nfn f(n: i64) -> i64 { n } //", "int -> int", (3,), 3),
        ("pub fn g(n: i64) -> i64 { n + 1 }\nfn f(n: i64) -> i64 { crate::g(n) }", "int -> int", (3,), 4),
        ("mod std {}\nmod core {}\nstruct Vec;\nstruct String;\nenum Option {}\nstruct Result;\nfn f(n: i64) -> i64 { n }", "int -> int", (3,), 3),
        ("macro_rules! read { () => {} }\nfn f(n: i64) -> i64 { n }", "int -> int", (3,), 3),
        ("fn f(n: String) -> i128 { n.len() as i128 * (1 << 90) }", "n: bigint -> bigint", (10**9,), 10 << 90),
        ("fn f(g: &mut [Vec<char>]) -> char { g[0].swap(0, 1); g[0][0] }", "g: list[list[str]] -> str", ([["a", "\u4e2d"]],), "\u4e2d"),
        ("fn f(b: &[u8]) -> Box<[u8]> { b.into() }", "b: bytes -> bytes", (b"\x00\xff",), b"\x00\xff"),
        ("fn f(b: Vec<u8>) -> Vec<u8> { b }", "b: list[int] -> list[int]", ([1, 255],), [1, 255]),
        ("fn f(v: [i64; 2]) -> std::collections::VecDeque<i64> { v.into_iter().rev().collect() }", "v: list[int] -> list[int]", ([1, 2],), [2, 1]),
        ("fn f(x: f32) -> f32 { x }", "x: float -> float", (1.5,), 1.5),
        ("fn f(x: &Option<Vec<i64>>) -> Option<&Vec<i64>> { x.as_ref() }", "x: list[int] | None -> list[int] | None", ([1],), [1]),
        ("fn f() -> usize { std::io::stdin().lines().count() }", "-> int", (), 0),
        ("fn f(v: &mut Vec<i64>) { v.clear() }", "v: list[int] -> None", ([1],), None),
        ("static mut N: i64 = 0;\nfn f(n: i64) -> i64 { unsafe { N += n; N } }", "int -> int", (2,), 2),
        ("fn f(n: i64) -> i64 { std::thread::spawn(move || n).join().unwrap() }", "int -> int", (2,), 2),
    ),
    misfits=(
        ("fn f(n: i32) -> i32 { n }", "int -> int", (2**31,), "2147483648 doesn't fit into i32"),
        ("fn f(n: u64) -> u64 { n }", "int -> int", (-1,), "-1 doesn't fit into u64"),
        ("fn f(n: i64) -> u64 { u64::MAX }", "int -> int", (1,), "an integer beyond 64 bits"),
        ("fn f(n: i64) -> String { \"12x\".into() }", "n: int -> bigint", (1,), "decimal digits, not 12x"),
        ("fn f(s: String) -> String { s }", "s: str -> str", ("\ud800",), "lone surrogate, which no Rust string can hold"),
        ("fn f(s: String) -> i64 { 1 }", "s: list[int] -> int", ([1],), "takes a text here, the task gives a list"),
    ),
    no_programs=(
        ("fn f(n: i64) -> String { String::new() }", "Outcome<"),
        ("struct P;\nfn f(p: P) -> i64 { 1 }", "Argument"),
        ("fn f<T: Copy>(n: T) -> T { n }", "error"),
        ("fn f(n: i64) -> i64 { n } } mod x {", "unexpected closing delimiter"),
        ("fn f(n: i64) -> i64 { n }\n/*", "unterminated block comment"),
        ("fn f(n: i64) -> i64 { n }\n#[cfg(any())]", "could not find `taskfoundry_glue`"),
        ("fn f(n: i64) -> i64 { n }\npub mod taskfoundry_glue {}", "defined multiple times"),
        ("static S: &str = include_str!(\"/etc/shadow\");\nfn f(n: i64) -> i64 { n }", "/etc/shadow"),
        ("include!(\"/var/lib/dpkg/status\");\nfn f(n: i64) -> i64 { n }", "/var/lib/dpkg/status"),
        ("std::arch::global_asm!(\".incbin \\\"/etc/shadow\\\"\");\nfn f(n: i64) -> i64 { n }", "/etc/shadow"),
        ("#[path = \"/etc/shadow\"]\nmod x;\nfn f(n: i64) -> i64 { n }", "/etc/shadow"),
        ("fn f(n: i64) -> i64 { n }\x00", "unknown start of token"),
        ("\x7fELF\x00\x01\x02\udc80\udcff", "UTF-8"),
        ("", "cannot find function `f`"),
    ),
)  # fmt: skip
