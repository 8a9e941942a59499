import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandbox.base import State
from sandbox.judging import Perturbation, Program
from sandbox.languages.builds import MESSAGE_CHARS
from sandbox.languages.javascript import find_node
from schemas.errors import ConfigError
from schemas.values import decode_text, encode_call, encode_exception, encode_text
from tests.sandbox.languages.cases.javascript import CASES
from tests.sandbox.languages.solving import read_signature

LANGUAGE, LIMITS = CASES.language, CASES.limits


def thin(cases, fast):
    """Return the cases with all but the first ones left to the slow suite."""
    return [*cases[:fast], *(pytest.param(*case, marks=pytest.mark.slow) for case in cases[fast:])]


def evaluate(functions, source, signature, calls, *, entry_point="f", isolate=True, **options):
    program = Program(source=source, entry_point=entry_point, signature=read_signature(signature, entry_point))
    with functions.open(**options) as evaluator:
        return evaluator.evaluate(program, [encode_call(args, {}) for args in calls], isolate=isolate)


def call(functions, source, *args, signature="n: int -> int", **options):
    (outcome,) = evaluate(functions, source, signature, [args], **options)
    return outcome


def value_of(functions, source, *args, **options):
    outcome = call(functions, source, *args, **options)
    assert outcome.state is State.OK, outcome
    return decode_text(outcome.output)


@pytest.mark.parametrize(
    ("source", "entry_point"),
    thin([
        ("function f(n) { return n + 1 }", "f"),
        ("#!/usr/bin/env node\n'use strict'\nconst f = (n) => n + 1 // the end", "f"),
        ("var f = function (n) { return n + 1 }", "f"),
        ("const f = async (n) => { await null; return n + 1 }", "f"),
        ("class Solution { one = 1; f(n) { return n + this.one } }", "Solution().f"),
        ("const tools = { one: 1, f(n) { return n + this.one } }", "tools.f"),
        ("module.exports = { f: (n) => n + 1 }", "f"),
        ("exports.f = (n) => n + 1", "f"),
        ("export function f(n) { return n + 1 }", "f"),
        ("import { EOL } from 'node:os'\nconst f = (n) => n + EOL.length", "f"),
        ("const one = await Promise.resolve(1)\nexport default function f(n) { return n + one }", "f"),
        ("export class Solution { f(n) { return n + 1 } }", "Solution().f"),
        ("function default_(n) { return n + 1 }", "default"),
        ("function $\u00e9_(n) { return n + 1 }", "$\u00e9_"),
        ("const f = (n) => ({ then: (done) => done(n + 1) })", "f"),
        ("const f = (n) => BigInt(n) + 1n", "f"),
        ("const f = async (n) => (await import('data:text/javascript,export const one = 1')).one + n", "f"),
    ], fast=9),
)  # fmt: skip
def test_an_entry_point_of_any_usual_form_is_called(functions, source, entry_point):
    assert value_of(functions, source, 41, entry_point=entry_point) == 42


VALUES = {
    "int": [0, -1, 2**53, -(2**53), 2**53 + 1, 2**63 - 1, -(2**63)],
    "bigint": [0, 10**400, -(10**400)],
    "float": [0.0, -0.0, 0.1, 5e-324, -math.inf, math.nan, 1e308, 3.0],
    "str": ["", "\x00a\n", "\u00e9\u4e2d\U0001f600", "\ud800", "x\udfff\ud800y\ud7ff\ue000", "\ufeff\ufffd"],
    "bytes": [b"", bytes(range(256))],
    "list[list[int]]": [[], [[]], [[1, 2**60], [-3]]],
    "dict[str, list[bool]]": [{}, {"": [True], "__proto__": [False], "constructor": []}],
    "dict[int, float]": [{2**60: 1.5, -1: 0.0}],
    "dict[tuple[int, str], bytes | None]": [{(1, "a"): b"\xff", (1, "b"): None}],
    "set[tuple[int, int]]": [{(1, 2), (2, 1)}, set()],
    "set[str]": [{"a", "\U0001f600"}],
    "tuple[int, str, None, float | None]": [(1, "x", None, None), (2, "", None, -1.5)],
    "None": [None],
}


@pytest.mark.parametrize("kind", VALUES)
def test_values_of_every_type_go_in_and_come_back(functions, kind):
    values = VALUES[kind]
    outcomes = evaluate(functions, "const f = (x) => x", f"x: {kind} -> {kind}", [(v,) for v in values], isolate=False)
    assert [outcome.detail for outcome in outcomes] == [""] * len(values)
    assert [outcome.output for outcome in outcomes] == list(map(encode_text, values))


_TEXTS = st.text(st.characters(exclude_categories=()), max_size=8)
_ROWS = st.lists(
    st.tuples(
        st.tuples(st.integers(), _TEXTS, st.floats(), st.binary(max_size=8)),
        st.dictionaries(st.integers(-(2**63), 2**63 - 1), st.sets(st.text(max_size=8), max_size=3), max_size=3),
    ),
    min_size=20,
    max_size=40,
)


@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
@given(rows=_ROWS)
def test_drawn_values_go_in_and_come_back(functions, rows):
    signature = "a: tuple[bigint, str, float, bytes]; b: dict[int, set[str]]"
    source = "const f = (a, b) => [b, a]"
    kind = "tuple[dict[int, set[str]], tuple[bigint, str, float, bytes]]"
    outcomes = evaluate(functions, source, f"{signature} -> {kind}", rows, isolate=False)
    wanted = [(b, _join_surrogates(a)) for a, b in rows]
    assert [outcome.output for outcome in outcomes] == [encode_text(value) for value in wanted]


def _join_surrogates(row):
    number, text, *rest = row
    return (number, text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass"), *rest)


def test_arguments_have_the_natural_types(functions):
    source = """const kind = (x) => x === null ? "null" : typeof x === "object" ? x.constructor.name : typeof x
    const f = (...all) => all.map(kind)"""
    signature = "a: int; b: int; c: bigint; d: float; e: bytes; f: list[int]; g: tuple[int]; h: set[int]"
    args = (1, 2**53, 1, 1.0, b"", [], (1,), set(), {}, None, None)
    value = value_of(
        functions, source, *args, signature=f"{signature}; i: dict[str, int]; j: None; k: str | None -> list[str]"
    )
    wanted = "number bigint bigint number Buffer Array Array Set Map undefined null"
    assert value == wanted.split()


@pytest.mark.parametrize(
    ("source", "kind", "value"),
    thin([
        ("new Uint8Array([1, 2])", "list[int]", [1, 2]),
        ("new BigInt64Array([1n])", "list[int]", [1]),
        ("new Float64Array([NaN, -0])", "list[float]", [math.nan, -0.0]),
        ("({ a: 1, __proto__: { b: 2 } })", "dict[str, int]", {"a": 1}),
        ("({ 10: 'x', '-3': 'y' })", "dict[int, str]", {10: "x", -3: "y"}),
        ("undefined", "int | None", None),
        ("undefined", "None", None),
        ("null", "None", None),
        ("2n ** 80n", "int", 2**80),
        ("7", "bigint", 7),
        ("new Uint8Array([0, 1, 2, 3]).subarray(1, 3)", "bytes", b"\x01\x02"),
        ("new (class extends Array {})(3).fill(1)", "list[int]", [1, 1, 1]),
        ("new Proxy([1, 2], {})", "list[int]", [1, 2]),
        ("({ get a() { return 5 } })", "dict[str, int]", {"a": 5}),
    ], fast=4),
)  # fmt: skip
def test_results_may_have_other_forms_that_mean_the_same(functions, source, kind, value):
    outcome = call(functions, f"const f = () => {source}", signature=f" -> {kind}")
    assert outcome.output == encode_text(value), outcome


@pytest.mark.parametrize(
    ("source", "kind", "detail"),
    thin([
        ("1.5", "int", "1.5 is no integer"),
        ("2 ** 53", "int", "is no integer that a number holds exactly"),
        ("-0", "int", "-0 is no integer"),
        ("NaN", "bigint", "NaN is no integer"),
        ("'1'", "int", "string isn't int"),
        ("true", "int", "boolean isn't int"),
        ("new Number(1)", "int", "object isn't int"),
        ("({ valueOf: () => 1, toString: () => '1', [Symbol.toPrimitive]: () => 1 })", "int", "object isn't int"),
        ("1n", "float", "bigint isn't float"),
        ("1", "bool", "number isn't bool"),
        ("new String('x')", "str", "object isn't str"),
        ("'x'", "bytes", "string isn't bytes"),
        ("new Set([1])", "list[int]", "object isn't list"),
        ("({ length: 1, 0: 1 })", "list[int]", "object isn't list"),
        ("[1, , 2]", "list[int]", "undefined isn't int"),
        ("[1]", "set[int]", "an array isn't set"),
        ("[1, 2, 3]", "tuple[int, int]", "3 values in a tuple of 2"),
        ("[1, 'x']", "dict[int, str]", "an array isn't map"),
        ("({ x: 1 })", "dict[int, int]", "use a Map"),
        ("({ 1.5: 1 })", "dict[float, int]", "use a Map"),
        ("new Map([[1, 1], [1n, 2]])", "dict[int, int]", "twice"),
        ("new Set([[1], [1]])", "set[tuple[int]]", "twice"),
        ("null", "int", "null isn't int"),
        ("0", "None", "number isn't none"),
        ("new Proxy(new Map(), {})", "dict[str, int]", ""),
        ("new Proxy([1], { get(t, k) { if (k !== 'then') throw new TypeError('no') } })", "list[int]", "reading it failed: TypeError: no"),
        ("new Proxy([1], { get: (t, k) => k === 'length' ? { valueOf: () => 1 } : 1 })", "list[int]", "isn't list"),
        ("({ get a() { throw null } })", "dict[str, int]", "reading it failed"),
        ("(() => { const a = []; a.push(a); return a })()", "list[list[int]]", "an array isn't int"),
    ], fast=7),
)  # fmt: skip
def test_a_result_of_another_type_is_no_result(functions, source, kind, detail):
    outcome = call(functions, f"const f = () => {source}", signature=f" -> {kind}")
    if detail:
        assert (outcome.state, detail in outcome.detail) == (State.RE, True), outcome
    else:
        assert outcome.output in ("", '{"$map":[]}')


@pytest.mark.parametrize(
    ("source", "name"),
    thin(
        [
            ("throw new TypeError('no')", "TypeError"),
            ("class Own extends Error {}\nthrow new Own", "Own"),
            ("throw 'text'", "string"),
            ("throw undefined", "undefined"),
            ("throw { get constructor() { throw 1 } }", "object"),
            ("throw Object.create(null)", "object"),
            ("null.x", "TypeError"),
            ("return Promise.reject(new RangeError('late'))", "RangeError"),
            ("return { get then() { throw new SyntaxError } }", "SyntaxError"),
            ("throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 1 } })", "object"),
            ("throw Object.assign(new Error, { constructor: { name: 'A\\nB' } })", "A"),
        ],
        fast=4,
    ),
)
def test_what_a_call_throws_is_an_output(functions, source, name):
    outcome = call(functions, f"function f() {{ {source} }}", 1)
    assert (outcome.state, outcome.output) == (State.OK, encode_exception(name)), outcome


@pytest.mark.parametrize(
    ("source", "state", "detail"),
    thin([
        ("function g() {}", State.RE, "ReferenceError: f is not defined"),
        ("const f = 3", State.RE, "f is not a function"),
        ("throw new Error('at load')", State.RE, "Error: at load"),
        ("import 'nowhere'\nfunction f() {}", State.RE, "Cannot find package"),
        ("process.exit(0)\nfunction f() {}", State.RE, "ended without a result"),
        ("function f() { process.exit(0) }", State.RE, "ended without a result"),
        ("function f() { process.reallyExit(3) }", State.RE, "exit code 3"),
        ("function f() { process.kill(process.pid, 'SIGKILL') }", State.RE, "killed by signal 9"),
        ("function f() { return f() }", State.RE, "Maximum call stack size exceeded"),
        ("const f = () => new Promise(() => {})", State.RE, "ended without a result"),
        ("const f = () => { Promise.reject(new Error('lost')); return new Promise(() => {}) }", State.RE, "lost"),
        ("const f = () => { require('fs').closeSync(3); return 1 }", State.RE, "EBADF"),
        ("const f = () => 'x'.repeat(3e6).length && console.log('x'.repeat(3e6))", State.OLE, ""),
    ], fast=6),
)  # fmt: skip
def test_every_failure_has_its_state(functions, source, state, detail):
    outcome = call(functions, source, 1)
    assert (outcome.state, detail in outcome.detail) == (state, True), outcome


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "state"),
    [
        ("function f() { for (;;); }", State.TLE_CPU),
        ("const f = () => new Promise((done) => setTimeout(done, 1e8))", State.TLE_WALL),
        ("function f() { const a = []; for (;;) a.push(new Array(10000).fill(a.length)) }", State.MLE),
        ("function f() { const a = []; for (;;) a.push(Buffer.alloc(1e6, 1)) }", State.MLE),
        ("const f = (n) => new ArrayBuffer(2 ** 45 * n)", State.MLE),
        ("const f = (n) => new Array(2 ** 33)", State.OK),
        ("function f() { let s = 'x'; for (;;) s += s + Math.random() }", State.OK),
        (
            "const f = () => { const a = require('child_process'); for (let n = 0; n < 99; n++) a.spawn('sleep', ['60']); return new Promise(() => {}) }",
            State.PLE,
        ),
        ("function f() { const fs = require('fs'); for (;;) fs.appendFileSync('x', Buffer.alloc(1e6)) }", State.OK),
    ],
)
def test_every_limit_has_its_state(functions, source, state):
    outcome = call(functions, source, 1)
    assert outcome.state is state, outcome


def test_recursion_ten_thousand_deep_works(functions):
    assert value_of(functions, "const f = (n) => n === 0 ? 0 : 1 + f(n - 1)", 100_000) == 100_000


PATCHES = """
const no = () => { throw new Error("patched") }
const { ownKeys, defineProperty } = Reflect
const replaceAll = (owner) => {
  const keys = ownKeys(owner)
  for (let at = 0; at < keys.length; at++)
    try {
      if (keys[at] !== "constructor" && typeof owner[keys[at]] === "function") owner[keys[at]] = no
    } catch {}
}
const owners = [Array, Map, Set, String, RegExp, Buffer, Uint8Array, Object.getPrototypeOf(Uint8Array), DataView, BigInt,
  Promise, Function, Number, Object, RangeError, Symbol, Error]
for (let at = 0; at < owners.length; at++) {
  replaceAll(owners[at].prototype)
  replaceAll(owners[at])
}
replaceAll(Reflect)
replaceAll(JSON)
defineProperty(Object.prototype, "0", { set: no, get: no })
defineProperty(Array.prototype, "1", { set: no, get: no })
Object.prototype.value = Object.prototype.get = Object.prototype.set = 1
"""


@pytest.mark.parametrize(
    "patch",
    [
        "const fs = require('fs'); fs.writeSync = fs.readFileSync = () => 0",
        "process.reallyExit = process.exit = () => {}; process.exitCode = 3",
        "globalThis.Buffer = globalThis.BigInt = globalThis.Reflect = globalThis.process = undefined",
        "require('util').types.isMap = () => false",
        "require('module').prototype.load = require('module')._load = () => {}",
        "process.on('exit', () => { require('fs').writeSync(3, 'V3;I9;') })",
        "setTimeout(() => require('fs').writeSync(3, 'V3;I9;'), 0)",
        "Promise.resolve().then(() => setImmediate(() => process.exit(1)))",
        "process.on('uncaughtException', () => {})",
    ],
)
def test_what_a_solution_replaces_doesnt_change_its_result(functions, patch):
    source = f"{patch}\nconst f = (x) => [x, new Map([['\u00e9', 2n ** 64n]])]"
    value = value_of(functions, source, 7, signature="x: int -> tuple[int, dict[str, bigint]]")
    assert value == (7, {"\u00e9": 2**64})


def test_replaced_prototypes_dont_change_a_result(functions):
    source = (
        "const made = [[1, -2.5], '\u00e9\\ud800', new Map([['k', new Set([5n])]]), new Uint8Array([255])]\n"
        f"{PATCHES}\nfunction f(x) {{ return made }}"
    )
    kinds = "tuple[tuple[int, float], str, dict[str, set[bigint]], bytes]"
    value = value_of(functions, source, 7, signature=f"x: int -> {kinds}")
    assert value == ((1, -2.5), "\u00e9\ud800", {"k": {5}}, b"\xff")


def test_a_subclass_is_taken_by_its_real_content(functions):
    source = """class Liar extends Map { forEach() {} get size() { return 9 } *[Symbol.iterator]() {} get() { return 0 } }
    class Other extends Set { forEach(g) { g(9) } get size() { return 0 } }
    const f = () => [new Liar([["a", 1]]), new Other([3])]"""
    assert value_of(functions, source, signature=" -> tuple[dict[str, int], set[int]]") == ({"a": 1}, {3})


@pytest.mark.parametrize(
    ("written", "detail"),
    thin(
        [
            ("V3;I1;", "more records than calls"),
            ("V3;I1;V3;I1;", "more records than calls"),
            ("garbage", "malformed"),
            ("V99999999999;I1;", "malformed"),
            ("V3;L9:", "malformed"),
            ("E3;abc", "more records than calls"),
            ("V", "malformed"),
        ],
        fast=3,
    ),
)
def test_records_that_a_solution_adds_spoil_its_result(functions, written, detail):
    outcome = call(functions, f"const f = (n) => {{ require('fs').writeSync(3, '{written}'); return n }}", 1)
    assert (outcome.state, detail in outcome.detail) == (State.RE, True), outcome


def test_a_record_of_its_own_is_only_a_result_that_is_judged(functions):
    source = "require('fs').writeSync(3, 'V3;I9;'); process.exit(0)"
    assert value_of(functions, source, 1) == 9
    outcome = call(functions, source.replace("(0)", "(1)"), 1)
    assert outcome.state is State.RE


def test_nothing_but_the_input_can_be_read(functions):
    source = """const fs = require('fs')
    const f = () => [fs.readFileSync('/proc/self/fd/0', 'latin1'), process.argv.slice(1).join(' '), fs.readdirSync('.').join(' ')]"""
    value = value_of(functions, source, 7, signature="n: int -> list[str]")
    assert value == ["C1;I7;", "/work/driver.cjs", "driver.cjs solution.cjs solution.mjs streams.cjs"]


def test_workers_and_child_processes_are_of_use_to_a_solution(functions):
    source = """const { Worker } = require('worker_threads')
    const { execFileSync } = require('child_process')
    const f = (n) => new Promise((done) => {
      const worker = new Worker('require("worker_threads").parentPort.postMessage(1)', { eval: true })
      worker.on('message', (m) => done(n + m + Number(execFileSync('echo', ['5']))))
    })"""
    assert value_of(functions, source, 1) == 7


def test_every_case_has_a_process_of_its_own_and_a_batch_has_one(functions):
    source = "let count = 0; const f = (n) => { require('fs').appendFileSync('x', '1'); return ++count }"
    alone = evaluate(functions, source, "n: int -> int", [(1,), (2,)])
    together = evaluate(functions, source, "n: int -> int", [(1,), (2,)], isolate=False)
    assert [outcome.output for outcome in (*alone, *together)] == ["1", "1", "1", "2"]


def test_random_numbers_are_the_same_in_every_case_and_the_zone_is_the_one_asked_for(functions):
    source = "const f = () => [Math.random(), new Date(0).getHours()]"
    first = value_of(functions, source, signature=" -> list[float]")
    second = value_of(functions, source, signature=" -> list[float]", perturbation=Perturbation(time_zone="Asia/Tokyo"))
    assert first[0] == second[0]
    assert (first[1], second[1]) == (0.0, 9.0)


def test_what_the_compiler_says_is_cut(functions):
    outcome = call(functions, f"const s = '{'x' * 100_000}", 1)
    assert outcome.state is State.CE
    assert 0 < len(outcome.detail) <= MESSAGE_CHARS


@pytest.mark.parametrize(
    ("source", "text", "output"),
    [
        ("console.log(require('fs').readFileSync(0, 'utf8').trim() + '!')", "\u00e9\n", "\u00e9!\n"),
        ("import fs from 'fs'\nconsole.log(fs.readFileSync('/dev/stdin', 'utf8'))", "a", "a\n"),
        ("process.stdin.on('data', (d) => console.log(String(d))).on('end', () => console.log('end'))", "", "end\n"),
        ("for await (const line of console) console.log(line)", "1\n2", "1\n2\n"),
        ("if (require.main === module) console.log(process.argv.length, __filename)", "", "2 /work/solution.cjs\n"),
    ],
)
def test_stdin_programs_of_any_usual_form_run(stream, source, text, output):
    source = source.replace("of console", "of (await import('readline')).createInterface({ input: process.stdin })")
    outcome = stream(source, text)
    assert (outcome.state, outcome.output) == (State.OK, output), outcome


def test_all_output_arrives_although_the_program_exits_at_once(stream):
    outcome = stream("for (let n = 0; n < 20000; n++) console.log('x'.repeat(40)); process.exit(0)")
    assert (outcome.state, len(outcome.output)) == (State.OK, 20000 * 41)


def test_a_stdin_program_has_no_record_pipe_of_use(stream):
    outcome = stream("require('fs').writeSync(3, 'V3;I1;'); console.log('own')")
    assert (outcome.state, outcome.output) == (State.OK, "own\n")


def test_a_missing_node_is_named_with_its_package(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConfigError, match="apt-get install nodejs"):
        find_node.__wrapped__()


@pytest.mark.parametrize(
    ("says", "message"),
    [("echo v12.1.0", "run on 18 or newer"), ("exit 3", "node failed: it ended with 3"), ("echo", "18 or newer")],
)
def test_a_node_that_is_of_no_use_is_refused(monkeypatch, tmp_path, says, message):
    node = tmp_path / "node"
    node.write_text(f"#!/bin/sh\n{says}\n")
    node.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    with pytest.raises(ConfigError, match=message):
        find_node.__wrapped__()
