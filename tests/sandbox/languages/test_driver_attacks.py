"""Solutions that go for the driver beside them, in the build or in the process: none is accepted, and each gets a
verdict, since one that could make the sandbox fail would escape its reward."""

from dataclasses import replace

import pytest

from sandbox.backends import select_backend
from sandbox.judge import judge
from sandbox.task_judging import make_factory, make_program
from schemas.candidate import Parameter, Signature, TaskStyle, TestCase, TestOrigin
from schemas.errors import ConfigError
from schemas.limits import Limits
from schemas.values import encode_call, encode_text
from tests.builders import make_candidate

pytestmark = pytest.mark.slow
LIMITS = Limits(cpu_s=4, wall_s=60, memory_mb=512, stdout_mb=1, processes=80)
CASES = [TestCase.make(encode_call((7,), {}), encode_text(14), origin=TestOrigin.BANK)]
SIGNATURE = Signature(entry_point="twice", parameters=(Parameter(name="n", annotation="int"),), returns="int")
_JAVA_FORGE = (
    'try { new java.io.FileOutputStream("/proc/self/fd/3").write("V3;I9;".getBytes()); } catch (Exception e) {}'
)
ATTACKS = {
    ("go", "names main for the linker"): """package main
import (_ "unsafe"; "syscall")
//go:linkname zz main.main
func zz() { syscall.Write(3, []byte("V3;I9;")); syscall.Exit(0) }
func twice(n int) int { return n }
""",
    ("go", "a record from a finalizer"): """package main
import ("runtime"; "syscall")
func twice(n int) int {
	made := new([64]int)
	runtime.SetFinalizer(made, func(*[64]int) { syscall.Write(3, []byte("V3;I9;")) })
	made = nil
	runtime.GC()
	runtime.GC()
	return n
}
""",
    ("go", "half a record, then the driver's"): """package main
import "syscall"
func twice(n int) int { syscall.Write(3, []byte("X9;x")); return 2 * n }
""",
    ("go", "closes the record's descriptor"): """package main
import "syscall"
func twice(n int) int { syscall.Close(3); return 2 * n }
""",
    ("java", "a driver of its own"): f"""package taskfoundry;
public class Driver {{
    public static void main(String[] words) {{ {_JAVA_FORGE} }}
    static long twice(long n) {{ return n; }}
}}
""",
    ("java", "a record from the static initialiser, then halt"): f"""public class Solution {{
    static {{ {_JAVA_FORGE} Runtime.getRuntime().halt(0); }}
    static long twice(long n) {{ return n; }}
}}
""",
    ("java", "an integer that writes itself"): """public class Solution {
    static Number twice(long n) {
        return new java.math.BigInteger("1") {
            public String toString() { return "1;V3;I9;"; }
            public String toString(int radix) { return toString(); }
        };
    }
}
""",
    ("java", "an exception that exits when it is told"): """public class Solution {
    static class V3 extends RuntimeException { public String getMessage() { System.exit(0); return ""; } }
    static long twice(long n) { throw new V3(); }
}
""",
    ("cpp", "defines the driver's words away"): """#define main zz
#define taskfoundry zz
#define write zz
#define std zz
long long twice(long long n) { return n; }
""",
    ("cpp", "a record from a constructor"): """#include <unistd.h>
__attribute__((constructor(101))) void zz() { write(3, "V3;I9;", 6); _exit(0); }
long long twice(long long n) { return n; }
""",
    ("cpp", "a write of its own"): """#include <unistd.h>
extern "C" ssize_t write(int, const void*, size_t size) { return size; }
long long twice(long long n) { return 2 * n; }
""",
    ("cpp", "main in assembly"): """asm(".globl main\\nmain: xorl %eax, %eax\\nret");
long long twice(long long n) { return n; }
""",
    ("rust", "an entry of the start-up table"): """#[used] #[link_section = ".init_array"]
static ZZ: extern "C" fn() = zz;
extern "C" { fn _exit(code: i32) -> !; }
extern "C" fn zz() { unsafe { _exit(0) } }
fn twice(n: i64) -> i64 { n }
""",
    ("rust", "a write of its own"): """#[no_mangle]
pub extern "C" fn write(_f: i32, _b: *const u8, n: usize) -> usize { n }
fn twice(n: i64) -> i64 { 2 * n }
""",
    ("rust", "a hook that exits"): """fn twice(_n: i64) -> i64 {
    std::panic::set_hook(Box::new(|_| std::process::exit(0)));
    panic!("x")
}
""",
    ("rust", "leaves its module"): "fn twice(n: i64) -> i64 { n } } fn main() { std::process::exit(0); } mod zz {",
    ("javascript", "prototypes that lie"): """Object.prototype.toJSON = () => 14;
for (const name of ["push", "join", "map", "slice"]) Array.prototype[name] = () => "V4;I14;";
Function.prototype.call = Function.prototype.apply = Reflect.apply = () => 14;
Number.prototype.toString = String.prototype.concat = () => "14";
Array.prototype[Symbol.iterator] = function* () { yield 14; };
function twice(n) { return n; }
""",
    ("javascript", "a file system that lies"): """const fs = require("fs");
fs.writeSync = () => 9; fs.closeSync = () => 0;
Buffer.from = Buffer.concat = Buffer.alloc = () => "x";
process.exit = process.reallyExit = () => 0;
function twice(n) { return n; }
""",
    ("javascript", "a second record from a worker"): """const { Worker } = require("worker_threads");
function twice(n) {
    const done = new Int32Array(new SharedArrayBuffer(4));
    const code = `require("fs").writeSync(3, "V3;I9;");
        const { workerData } = require("worker_threads"); Atomics.store(workerData, 0, 1); Atomics.notify(workerData, 0);`;
    new Worker(code, { eval: true, workerData: done });
    Atomics.wait(done, 0, 0);
    return 2 * n;
}
""",
    ("javascript", "ends the driver's brackets"): "}); process.exit(0); (function () { function twice(n) { return n; }",
    ("typescript", "types that hide the driver's"): """declare global { interface Array<T> { zz: T } }
declare module "fs" { export const zz: number }
export function twice(n: number): number { return n; }
""",
    ("typescript", "a promise of a function"): "declare function twice(n: number): number;",
}


@pytest.fixture(scope="module")
def factory_of():
    made = {}

    def find(language):
        if language not in made:
            candidate = replace(make_candidate("t"), language=language, signature=SIGNATURE)
            try:
                made[language] = (candidate, make_factory(candidate, select_backend("process"), LIMITS))
            except ConfigError as error:
                pytest.skip(str(error))
        return made[language]

    return find


@pytest.mark.parametrize(("language", "name"), ATTACKS, ids=lambda word: word.replace(" ", "_"))
def test_an_attack_on_the_driver_gets_a_verdict_and_is_refused(factory_of, language, name):
    candidate, factory = factory_of(language)
    program = make_program(candidate, ATTACKS[language, name])
    verdict = judge(factory, program, CASES, candidate.checker, TaskStyle.FUNCTION)
    assert not verdict.passed, verdict.results[0].outcome
