"""What the tests of all built languages try in C++."""

from sandbox.languages.cpp import LANGUAGE
from tests.sandbox.languages.solving import Cases

_ECHO = """
using Points = map<pair<long long, string>, vector<double>>;
using Pair = tuple<long long, optional<string>, tuple<bool>>;
using Files = optional<unordered_map<string, vector<unsigned char>>>;
auto f(long long a, const taskfoundry::BigInt& b, double& c, bool d, string e, vector<uint8_t>&& f,
       vector<vector<long long>> g, const unordered_set<string>& h, Points& i, Pair j, Files k) {
    return make_tuple(a, b, c, d, e, f, make_tuple(g, h, i), make_tuple(j, k));
}
"""

CASES = Cases(
    language=LANGUAGE,
    toolchain=r"g\+\+ (1[1-9]|[2-9]\d)\.",
    echo=_ECHO,
    preamble=('#define ONE 1', 'long long f(long long n) { return n + ONE; }'),
    entry_points=('main', 'f(1)', 'a.b', '', 'f; int x', 'Solution.f', 'é'),
    refused="can't be called in C",
    without_main='int f() { return 1; }',
    natural=(
        ("#include <string>\nlong long f(long long n) { return 1; }\nlong long f(std::string n) { return 2; }", "int -> int", (1,), 1),
        ("template <class T> T f(T n) { return n; }", "int -> int", (7,), 7),
        ("long long f(long long n, long long m = 5) { return n + m; }", "int -> int", (1,), 6),
        ("auto f = [](auto n) { return n + 1; };", "int -> int", (1,), 2),
        ("function<int(int)> f = [](int n) { return n + 1; };", "int -> int", (1,), 2),
        ("int f(short n) noexcept { return n; }", "int -> int", (-32768,), -32768),
        ("unsigned f(unsigned long long n) { return n >> 32; }", "int -> int", (2**62,), 2**30),
        ("#include <map>\n#define int long long\n#define main blah\n#define Int q\n#define call x\n#define f first\n#define struct class\nint first(int n) { return n; }", "int -> int", (2**40,), 2**40),
        ("long long f(long long n) { return n; }\nint main() { return f(1) == 1; }", "int -> int", (3,), 3),
        ("long long f(long long n) { return n; } // \\", "int -> int", (3,), 3),
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
    ),
    misfits=(
        ("int f(int n) { return n; }", "int -> int", (2**31,), "2147483648 doesn't fit into the solution's integer type"),
        ("string f(int n) { return \"\\xff\"; }", "n: int -> str", (1,), "a malformed text"),
        ("uint64_t f(int n) { return ~0ull; }", "int -> int", (1,), "an integer beyond 64 bits"),
        ("string f(int n) { return \"12x\"; }", "n: int -> bigint", (1,), "decimal digits, not 12x"),
        ("vector<int> f(string n) { return {}; }", "n: list[int] -> list[int]", ([1],), "takes a text here, the task gives a list"),
    ),
    no_programs=(
        ("string f(int n) { return \"1\"; }", "the result must be an integer"),
        ("void f(int n) {}", "returns nothing, but the signature has a result"),
        ("struct P {};\nint f(P n) { return 1; }", "has no counterpart in the signature"),
        ("class Solution { int f(int n) { return n; } };", "private"),
        ("int f(int n) { return n; }\n} namespace {", "expected declaration before"),
        ("int f(int n) { return n; }\nnamespace x {", "expected"),
        ("int f(int n) { return n; }\n/*", "unterminated comment"),
        ("int f(int n) { return n; }\n#if 0", "unterminated #if"),
        ("#include \"/etc/shadow\"\nint f(int n) { return n; }", "/etc/shadow: No such file"),
        ("#include \"/var/lib/dpkg/status\"\nint f(int n) { return n; }", "/var/lib/dpkg/status"),
        ("__asm__(\".incbin \\\"/etc/shadow\\\"\");\nint f(int n) { return n; }", "/etc/shadow"),
        ("\x7fELF\x00\x01\x02\udc80\udcff", "stray"),
        ("", "has not been declared"),
    ),
)  # fmt: skip
