import json

import pytest

from sandbox.base import State
from sandbox.languages.builds import MESSAGE_CHARS
from sandbox.languages.typescript import find_compiler
from schemas.errors import ConfigError
from schemas.values import decode_text
from tests.sandbox.languages.cases.typescript import CASES
from tests.sandbox.languages.solving import call_function

LANGUAGE, LIMITS = CASES.language, CASES.limits


def call(functions, source, *args, entry_point="f", kinds=("int", "int")):
    *given, returns = kinds
    signature = f"{'; '.join(given)} -> {returns}"
    (outcome,) = call_function(functions, source, signature, args, entry_point=entry_point)
    return outcome


@pytest.mark.parametrize(
    ("source", "entry_point"),
    [
        ("function f(n: number): number { return n + 1 }", "f"),
        ("export const f = async (n: number): Promise<number> => n + 1", "f"),
        ("export default function f(n: number) { return n + 1 }", "f"),
        ("class Solution { private one = 1; f(n: number) { return n + this.one } }", "Solution().f"),
        (
            "enum Step { One = 1 }\nnamespace N { export const step = Step.One }\nconst f = (n: number) => n + N.step",
            "f",
        ),
        ("import { EOL } from 'node:os'\nfunction f<T extends number>(n: T): number { return n + EOL.length }", "f"),
        ("function find(n: number): number { return n + 1 }\ninterface Node { next: Node | null }", "find"),
        ("declare var require: any\nconst name = require('os').EOL\nconst f = (n: any) => n + name.length", "f"),
    ],
)
def test_an_entry_point_of_any_usual_form_is_called(functions, source, entry_point):
    outcome = call(functions, source, 41, entry_point=entry_point)
    assert (outcome.state, outcome.output) == (State.OK, "42"), outcome


def test_a_private_or_missing_method_is_a_compile_error(functions):
    outcome = call(functions, "class Solution { private f(n: number) { return n } }", 1, entry_point="Solution().f")
    assert (outcome.state, "is private" in outcome.detail) == (State.CE, True), outcome


def test_what_the_compiler_says_is_cut(functions):
    outcome = call(functions, "const a: number = 'x';\n".replace("a", "a{}").replace("{}", "b") * 500, 1)
    assert outcome.state is State.CE
    assert 0 < len(outcome.detail) <= MESSAGE_CHARS


def test_values_cross_with_their_types(functions):
    source = "function f(m: Map<string, Set<bigint>>, b: Uint8Array): [Map<string, Set<bigint>>, Uint8Array] { return [m, b] }"
    kinds = ("dict[str, set[bigint]]", "bytes", "tuple[dict[str, set[bigint]], bytes]")
    outcome = call(functions, source, {"\u00e9\ud800": {2**70}}, b"\xff", kinds=kinds)
    assert decode_text(outcome.output) == ({"\u00e9\ud800": {2**70}}, b"\xff")


DECLARED = """
import * as readline from "readline";
import fs from "fs";
import { readFileSync } from "node:fs";
import lines from "node:readline";
import { EventEmitter } from "events";
import Emitter from "node:events";
import { performance as clock } from "perf_hooks";
import * as path from "node:path";
import { strict as assert } from "assert";
import files = require("fs");
const util = require("util");
const reader: readline.Interface = readline.createInterface({ input: process.stdin, terminal: false });
reader.on("line", (line: string) => console.log(line.trim()));
reader.on("close", () => process.exit(0));
const words: string = fs.readFileSync("/dev/null", "utf8") + readFileSync("/dev/null").toString() + files.existsSync("x");
let timer: NodeJS.Timeout = setTimeout(() => {}, 10);
clearTimeout(timer);
let other: ReturnType<typeof setTimeout> | null = null;
const parts: Uint8Array = Buffer.concat([Buffer.alloc(3), Buffer.from("abc")]);
class Queue<T> extends EventEmitter { constructor(private readonly items: T[]) { super(); } get size() { return this.items.length; } }
new Queue([1]).on("x", () => 1).emit("x");
assert.equal(new Emitter().listenerCount("x"), 0);
const spent: bigint = process.hrtime.bigint() - 1n;
const found: number | undefined = [1, 2, 3].at(-1);
process.stderr.write(path.join("a", "b") + util.inspect(new Map([[1, 2]])) + clock.now() + performance.now() + typeof lines);
const copy = structuredClone({ a: found });
new TextDecoder().decode(new TextEncoder().encode(String(copy.a)));
for (const [key, value] of Object.entries(process.env)) if (key === value) process.exitCode = 1;
export {};
"""


def test_programs_that_use_node_compile_without_its_own_declarations(stream):
    outcome = stream(DECLARED, "a\nb\n")
    assert (outcome.state, outcome.output) == (State.OK, "a\nb\n"), outcome


def _install(folder, version, *, platform=None):
    package = folder / "typescript"
    (package / "bin").mkdir(parents=True)
    (package / "bin" / "tsc").touch()
    (package / "package.json").write_text(json.dumps({"version": version}))
    if platform:
        (folder / "@typescript" / f"typescript-{platform}" / "lib").mkdir(parents=True)
        (folder / "@typescript" / f"typescript-{platform}" / "lib" / "tsc").touch()


@pytest.fixture
def packages(monkeypatch, tmp_path):
    monkeypatch.setenv("NODE_PATH", f"/nowhere:{tmp_path}")
    return tmp_path


def test_an_older_compiler_runs_in_node(packages):
    _install(packages, "5.9.3")
    compiler = find_compiler.__wrapped__()
    assert compiler.command == ("node", "/opt/typescript/lib/tsc.js")
    assert [mount.source for mount in compiler.mounts] == [packages / "typescript"]


def test_a_native_compiler_is_run_itself(packages, monkeypatch):
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    _install(packages, "7.0.2", platform="linux-arm64")
    compiler = find_compiler.__wrapped__()
    assert (compiler.version, compiler.command) == ("7.0.2", ("/opt/typescript/lib/tsc",))


@pytest.mark.parametrize(
    ("version", "message"), [("4.5.5", "compiled by 4.7 or newer"), ("7.0.2", "install the npm package @typescript/")]
)
def test_a_compiler_that_is_of_no_use_is_refused(packages, version, message):
    _install(packages, version)
    with pytest.raises(ConfigError, match=message):
        find_compiler.__wrapped__()


def test_a_missing_compiler_is_named_with_its_package(monkeypatch, packages):
    monkeypatch.setenv("PATH", str(packages))
    monkeypatch.setattr("sandbox.languages.typescript._SHARED_FOLDERS", ())
    with pytest.raises(ConfigError, match=r"npm package typescript.*node-typescript"):
        find_compiler.__wrapped__()
