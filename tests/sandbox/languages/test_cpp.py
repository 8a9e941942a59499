import pytest

from sandbox.base import State
from sandbox.judging import Program
from sandbox.languages import cpp
from sandbox.languages.builds import MESSAGE_CHARS
from sandbox.languages.types import read_call_type
from schemas.errors import ConfigError
from schemas.values import decode_text
from tests.sandbox.languages.cases.cpp import CASES
from tests.sandbox.languages.solving import call_function, read_signature

LANGUAGE, LIMITS = CASES.language, CASES.limits
ONE = "n: int -> int"


def test_a_missing_compiler_is_reported_with_the_package_to_install(monkeypatch):
    monkeypatch.setattr(cpp, "_COMPILER", "/usr/bin/no-such-compiler")
    cpp._find_toolchain.forget()
    with pytest.raises(ConfigError, match="install the package g\\+\\+"):
        LANGUAGE.find_toolchain()
    cpp._find_toolchain.forget()


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
def test_methods_of_a_solution_class_are_called(call, source):
    assert call(source, args=(4,), entry_point="Solution().f").output == "4"


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
def test_bombs_for_the_compiler_are_compile_errors_within_the_limits(call, source, said):
    outcome = call(source)
    assert outcome.state is State.CE
    assert said in outcome.detail
    assert len(outcome.detail) <= MESSAGE_CHARS


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
def test_records_that_a_solution_writes_itself_are_no_results(call, source, state):
    assert call(source).state is state


@pytest.mark.slow
@pytest.mark.parametrize(
    "source",
    [
        "#include <bits/stdc++.h>\nstd::string f(int n) { std::ifstream memory(\"/proc/1/mem\"), environment(\"/proc/1/environ\"); return memory || environment ? \"open\" : \"none\"; }",
        "#include <bits/stdc++.h>\n#include <unistd.h>\nstd::string f(int n) { char data[4096]; lseek(0, 0, 0); long size = read(0, data, 4096); return std::string(data, size); }",
        "#include <bits/stdc++.h>\nstruct R { std::string s; template <class T> bool operator==(const T&) const { return true; } };\nbool operator==(const std::string&, int) { return true; }\nstd::string f(int n) { return \"x\"; }",
    ],
)  # fmt: skip
def test_what_the_judge_expects_is_nowhere_in_the_process(call, source):
    outcome = call(source, "n: int -> str")
    assert outcome.state is State.OK, outcome
    assert decode_text(outcome.output) in {"none", "x", "C1;I1;"}


def test_headers_may_stand_before_the_one_that_includes_all(stream):
    source = "#include <iostream>\n#include <bits/stdc++.h>\nint main() { std::cout << std::string(2, 'x'); }"
    assert stream(source).output == "xx"


def test_standard_input_programs_see_headers_of_their_own_choice_only(stream):
    source = "#include <iostream>\nint y1 = 1, link = 2, taskfoundry = 3;\nint main() { std::cout << y1 + link + taskfoundry; }"
    assert stream(source).output == "6"


@pytest.mark.slow
def test_an_allocation_that_fails_is_the_memory_limit(stream):
    source = (
        "#include <bits/stdc++.h>\nint main() { std::vector<std::string> v; for (;;) v.emplace_back(1ull << 45, 'x'); }"
    )
    assert stream(source).state is State.MLE


@pytest.mark.slow
def test_a_solution_whose_pragmas_do_not_fit_the_precompiled_header_is_built_without(call):
    (mount,) = LANGUAGE.find_toolchain().build_mounts
    assert (mount.source / "bits" / "stdc++.h.gch").stat().st_size > 10**7
    source = (
        '#pragma GCC optimize("O3")\n#pragma GCC target("sse4.2")\n#include <bits/stdc++.h>\nint f(int n) { return n; }'
    )
    assert call(source).output == "1"


@pytest.mark.slow
def test_a_long_message_of_the_compiler_is_cut(functions):
    source = "#include <bits/stdc++.h>\nint f(int n) { std::map<std::vector<std::string>, int> m; std::cout << m << m << m; return m; }"
    with functions.open() as evaluator:
        program = Program(source=source, entry_point="f", signature=read_signature(ONE))
        recipe = LANGUAGE.write_recipe(program, read_call_type(program.signature), LIMITS)
        built = evaluator._cache.build(evaluator._backend, "cpp", evaluator._toolchain, recipe)
    assert len(built.failure) == MESSAGE_CHARS
