import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandbox.base import State
from sandbox.judging import Program
from sandbox.languages import cpp
from sandbox.languages.builds import MESSAGE_CHARS
from sandbox.languages.cpp import LANGUAGE
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
using Points = map<pair<long long, string>, vector<double>>;
using Pair = tuple<long long, optional<string>, tuple<bool>>;
using Files = optional<unordered_map<string, vector<unsigned char>>>;
auto f(long long a, const taskfoundry::BigInt& b, double& c, bool d, string e, vector<uint8_t>&& f,
       vector<vector<long long>> g, const unordered_set<string>& h, Points& i, Pair j, Files k) {
    return make_tuple(a, b, c, d, e, f, make_tuple(g, h, i), make_tuple(j, k));
}
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


def run(programs, source, text=""):
    with programs.open() as evaluator:
        (outcome,) = evaluator.evaluate(Program(source=source), [text])
    return outcome


@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck), database=None)
@given(calls=st.lists(EVERYTHING_ARGUMENTS, min_size=20, max_size=60))
def test_values_of_every_type_come_back_unchanged(functions, calls):
    outcomes = call_function(functions, ECHO_EVERYTHING, EVERYTHING, *calls, isolate=False)
    assert [outcome.output for outcome in outcomes] == [encode_text(gather(call)) for call in calls]


def test_the_toolchain_is_named_with_its_version(functions):
    name, version = functions.toolchain.split()
    assert name == "g++"
    assert int(version.split(".")[0]) >= 11


def test_a_missing_compiler_is_reported_with_the_package_to_install(monkeypatch):
    monkeypatch.setattr(cpp, "_COMPILER", "/usr/bin/no-such-compiler")
    cpp._find_toolchain.forget()
    with pytest.raises(ConfigError, match="install the package g\\+\\+"):
        LANGUAGE.find_toolchain()
    cpp._find_toolchain.forget()


def test_the_preamble_comes_first(functions):
    program = Program(
        source="long long f(long long n) { return n + ONE; }",
        preamble="#define ONE 1",
        entry_point="f",
        signature=read_signature(ONE),
    )
    with functions.open() as evaluator:
        (outcome,) = evaluator.evaluate(program, [encode_call((1,), {})])
    assert outcome.output == "2"


@pytest.mark.parametrize("entry_point", ["main", "f(1)", "a.b", "", "f; int x", "Solution.f", "é"])
def test_entry_points_that_no_cpp_program_has_are_refused(entry_point):
    types = read_call_type(read_signature(ONE))
    with pytest.raises(ConfigError, match="can't be called in C"):
        LANGUAGE.write_recipe(Program(source="", entry_point=entry_point), types, LIMITS)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "signature", "args", "value"),
    [
        ("#include <string>\nlong long f(long long n) { return 1; }\nlong long f(std::string n) { return 2; }", ONE, (1,), 1),
        ("template <class T> T f(T n) { return n; }", ONE, (7,), 7),
        ("long long f(long long n, long long m = 5) { return n + m; }", ONE, (1,), 6),
        ("auto f = [](auto n) { return n + 1; };", ONE, (1,), 2),
        ("function<int(int)> f = [](int n) { return n + 1; };", ONE, (1,), 2),
        ("int f(short n) noexcept { return n; }", ONE, (-32768,), -32768),
        ("unsigned f(unsigned long long n) { return n >> 32; }", ONE, (2**62,), 2**30),
        ("#include <map>\n#define int long long\n#define main blah\n#define Int q\n#define call x\n#define f first\n#define struct class\nint first(int n) { return n; }", ONE, (2**40,), 2**40),
        ("long long f(long long n) { return n; }\nint main() { return f(1) == 1; }", ONE, (3,), 3),
        ("long long f(long long n) { return n; } // \\", ONE, (3,), 3),
        ("__int128 f(string n) { return (__int128)n.size() << 90; }", "n: bigint -> bigint", (10**9,), 10 << 90),
        ("string f(vector<vector<char>>& g) { return string(1, g[0][1]); }", "g: list[list[str]] -> str", ([["a", "b"]],), "b"),
        ("string f(string data) { return data; }", "data: bytes -> bytes", (b"\x00\xff",), b"\x00\xff"),
        ("const char* f(const char* a, string_view b) { return b.data()[0] == 'y' ? a : \"\"; }", "a: str; b: str -> str", ("x", "y"), "x"),
        ("vector<bool> f(deque<bool> v) { return {v.begin(), v.end()}; }", "v: list[bool] -> list[bool]", ([True, False],), [True, False]),
        ("string f(string s) { return s; }", "s: str -> str", ("\ud800",), "\ud800"),
        ("float f(long double x, float y) { return x + y; }", "x: float; y: float -> float", (1.5, 2.0), 3.5),
        ("tuple<> f(tuple<>) { return {}; }", "t: tuple[()] -> tuple[()]", ((),), ()),
        ("int f() { return cin.get(); }", "-> int", (), -1),
        ("void f(vector<long long>& v) { v.clear(); }", "v: list[int] -> None", ([1],), None),
        ("array<long long, 2> f(array<int, 2> v) { return {v[1], v[0]}; }", "v: list[int] -> list[int]", ([1, 2],), [2, 1]),
    ],
)  # fmt: skip
def test_solutions_may_use_the_types_that_are_natural(functions, source, signature, args, value):
    outcome = solve(functions, source, signature, args)
    assert outcome.state is State.OK, outcome
    assert decode_text(outcome.output) == value


@pytest.mark.slow
@pytest.mark.parametrize(
    "source",
    [
        "class Solution {\npublic:\n    int f(int n) { return n; }\n};",
        "class Solution {\npublic:\n    int f(const int& n) const noexcept { return n; }\n};",
        "struct Solution { static auto f(int n) { return n; } };",
        "struct Solution { template <class T> T f(T n) { return n; } };",
    ],
)
def test_methods_of_a_solution_class_are_called(functions, source):
    assert solve(functions, source, args=(4,), entry_point="Solution().f").output == "4"


def test_exceptions_are_outputs_with_their_class_and_message(functions):
    source = """
    struct Own : std::out_of_range { using std::out_of_range::out_of_range; };
    long long f(long long n) {
        if (n == 1) throw Own("bad 1");
        if (n == 2) throw 2;
        if (n == 3) throw std::string("text");
        return std::vector<int>().at(n);
    }"""
    outcomes = call_function(functions, source, ONE, (1,), (2,), (3,), (4,), isolate=False)
    names = [outcome.output for outcome in outcomes]
    assert names[0] == '{"$raises":"Own"}'
    assert names[1] == '{"$raises":"int"}'
    assert "basic_string" in names[2]
    assert names[3] == '{"$raises":"std::out_of_range"}'
    assert [outcome.detail.partition(": ")[2] for outcome in outcomes[:3]] == ["bad 1", "", "text"]


@pytest.mark.slow
def test_memory_that_a_call_asks_for_in_vain_is_the_limit_and_a_size_that_no_array_has_is_an_output(functions):
    source = """
    struct Own : std::bad_alloc { const char* what() const noexcept override { return "own"; } };
    long long f(long long n) {
        if (n == 1) try { return std::vector<char>(1ull << 45, 'x').size(); } catch (const std::bad_alloc&) { return -1; }
        if (n < 0) return *new long long[n * 2];
        throw Own();
    }"""
    caught, refused, ended, never = call_function(functions, source, ONE, (1,), (-1,), (2,), (1,), isolate=False)
    assert caught.output == "-1"
    assert refused.output == '{"$raises":"std::bad_array_new_length"}'
    assert [ended.state, never.state] == [State.MLE, State.MLE]


@pytest.mark.parametrize(
    ("source", "signature", "args", "said"),
    [
        ("int f(int n) { return n; }", ONE, (2**31,), "2147483648 doesn't fit into the solution's integer type"),
        ("string f(int n) { return \"\\xff\"; }", "n: int -> str", (1,), "a malformed text"),
        ("uint64_t f(int n) { return ~0ull; }", ONE, (1,), "an integer beyond 64 bits"),
        ("string f(int n) { return \"12x\"; }", "n: int -> bigint", (1,), "decimal digits, not 12x"),
        ("vector<int> f(string n) { return {}; }", "n: list[int] -> list[int]", ([1],), "takes a text here, the task gives a list"),
    ],
)  # fmt: skip
@pytest.mark.slow
def test_values_that_do_not_fit_end_the_case_with_the_reason(functions, source, signature, args, said):
    outcome = solve(functions, source, signature, args)
    assert outcome.state is State.RE
    assert said in outcome.detail


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "signature", "said"),
    [
        ("string f(int n) { return \"1\"; }", ONE, "the result must be an integer"),
        ("void f(int n) {}", ONE, "returns nothing, but the signature has a result"),
        ("struct P {};\nint f(P n) { return 1; }", ONE, "has no counterpart in the signature"),
        ("class Solution { int f(int n) { return n; } };", ONE, "private"),
        ("int f(int n) { return n; }\n} namespace {", ONE, "expected declaration before"),
        ("int f(int n) { return n; }\nnamespace x {", ONE, "expected"),
        ("int f(int n) { return n; }\n/*", ONE, "unterminated comment"),
        ("int f(int n) { return n; }\n#if 0", ONE, "unterminated #if"),
        ("#include \"/etc/shadow\"\nint f(int n) { return n; }", ONE, "/etc/shadow: No such file"),
        ("#include \"/root/.bashrc\"\nint f(int n) { return n; }", ONE, "/root/.bashrc"),
        ("__asm__(\".incbin \\\"/etc/shadow\\\"\");\nint f(int n) { return n; }", ONE, "/etc/shadow"),
        ("\x7fELF\x00\x01\x02\udc80\udcff", ONE, "stray"),
        ("", ONE, "has not been declared"),
    ],
)  # fmt: skip
def test_programs_that_are_none_get_what_the_compiler_says(functions, source, signature, said):
    entry_point = "Solution().f" if "Solution" in source else "f"
    outcome = solve(functions, source, signature, entry_point=entry_point)
    assert outcome.state is State.CE
    assert said in outcome.detail
    assert "/tmp" not in outcome.detail
    assert "cache" not in outcome.detail


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("template <int N> struct B { enum { v = B<N - 1>::v }; };\nint f(int n) { return B<100000>::v; }", "depth"),
        ("char big[1ull << 33] = {1};\nint f(int n) { return big[n]; }", "No space left"),
        ("#include \"/dev/zero\"\nint f(int n) { return n; }", ""),
        ("#include __FILE__\nint f(int n) { return n; }", "solution.cpp:1"),
        (("#define A x x x x x x x x x x\n#define B A A A A A A A A A A\n#define C B B B B B B B B B B\n#define D C C C C C C C C C C\n"
         "#define E D D D D D D D D D D\n#define F E E E E E E E E E E\n#define G F F F F F F F F F F\nint f(int n) { G G G G G G G G }"), ""),
    ],
)  # fmt: skip
def test_bombs_for_the_compiler_are_compile_errors_within_the_limits(functions, source, said):
    outcome = solve(functions, source)
    assert outcome.state is State.CE
    assert said in outcome.detail
    assert len(outcome.detail) <= MESSAGE_CHARS


def test_a_source_that_is_too_long_is_refused_with_its_size(functions):
    outcome = solve(functions, "/" * (3 * 2**20))
    assert outcome.state is State.CE
    assert str(3 * 2**20) in outcome.detail


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "state"),
    [
        ("struct X { X() { exit(0); } } x;\nint f(int n) { return n; }", State.RE),
        ("#include <bits/stdc++.h>\n#include <unistd.h>\nint f(int n) { write(3, \"V3;I1;\", 6); return 1; }", State.RE),
        ("#include <bits/stdc++.h>\n#include <unistd.h>\nint f(int n) { write(3, \"V3;I1\", 5); _exit(0); }", State.RE),
        ("#include <bits/stdc++.h>\n#include <unistd.h>\nint f(int n) { write(3, \"V9999999999;I1;\", 15); _exit(0); }", State.RE),
        ("#include <bits/stdc++.h>\n#include <unistd.h>\nint f(int n) { close(3); return 1; }", State.RE),
        ("#include <bits/stdc++.h>\n#include <unistd.h>\nint f(int n) { write(3, \"O2;OK\", 5); _exit(0); }", State.RE),
        ("#include <bits/stdc++.h>\n#include <csignal>\nint f(int n) { kill(-1, 9); kill(1, 9); return raise(9); }", State.RE),
    ],
)  # fmt: skip
def test_records_that_a_solution_writes_itself_are_no_results(functions, source, state):
    assert solve(functions, source).state is state


@pytest.mark.slow
@pytest.mark.parametrize(
    "source",
    [
        "#include <bits/stdc++.h>\nstd::string f(int n) { std::ifstream memory(\"/proc/1/mem\"), environment(\"/proc/1/environ\"); return memory || environment ? \"open\" : \"none\"; }",
        "#include <bits/stdc++.h>\n#include <unistd.h>\nstd::string f(int n) { char data[4096]; lseek(0, 0, 0); long size = read(0, data, 4096); return std::string(data, size); }",
        "#include <bits/stdc++.h>\nstruct R { std::string s; template <class T> bool operator==(const T&) const { return true; } };\nbool operator==(const std::string&, int) { return true; }\nstd::string f(int n) { return \"x\"; }",
    ],
)  # fmt: skip
def test_what_the_judge_expects_is_nowhere_in_the_process(functions, source):
    outcome = solve(functions, source, "n: int -> str")
    assert outcome.state is State.OK, outcome
    assert decode_text(outcome.output) in {"none", "x", "C1;I1;"}


def test_headers_may_stand_before_the_one_that_includes_all(programs):
    source = "#include <iostream>\n#include <bits/stdc++.h>\nint main() { std::cout << std::string(2, 'x'); }"
    assert run(programs, source).output == "xx"


def test_standard_input_programs_see_headers_of_their_own_choice_only(programs):
    source = "#include <iostream>\nint y1 = 1, link = 2, taskfoundry = 3;\nint main() { std::cout << y1 + link + taskfoundry; }"
    assert run(programs, source).output == "6"


@pytest.mark.slow
def test_an_allocation_that_fails_is_the_memory_limit(programs):
    source = (
        "#include <bits/stdc++.h>\nint main() { std::vector<std::string> v; for (;;) v.emplace_back(1ull << 45, 'x'); }"
    )
    assert run(programs, source).state is State.MLE


@pytest.mark.slow
def test_a_solution_whose_pragmas_do_not_fit_the_precompiled_header_is_built_without(functions):
    (mount,) = LANGUAGE.find_toolchain().build_mounts
    assert (mount.source / "bits" / "stdc++.h.gch").stat().st_size > 10**7
    source = (
        '#pragma GCC optimize("O3")\n#pragma GCC target("sse4.2")\n#include <bits/stdc++.h>\nint f(int n) { return n; }'
    )
    assert solve(functions, source).output == "1"


@pytest.mark.slow
def test_a_long_message_of_the_compiler_is_cut(functions):
    source = "#include <bits/stdc++.h>\nint f(int n) { std::map<std::vector<std::string>, int> m; std::cout << m << m << m; return m; }"
    with functions.open() as evaluator:
        program = Program(source=source, entry_point="f", signature=read_signature(ONE))
        recipe = LANGUAGE.write_recipe(program, read_call_type(program.signature), LIMITS)
        built = evaluator._cache.build(evaluator._backend, "cpp", evaluator._toolchain, recipe)
    assert len(built.failure) == MESSAGE_CHARS
