"""What the tests of all built languages try in Go."""

from sandbox.languages.go import LANGUAGE
from schemas.limits import Limits
from tests.sandbox.languages.solving import Cases

_ECHO = """
package main
import "math/big"
type key struct { n int64; s string }
type flag struct { set bool }
type pair struct { n int64; s *string; f flag }
type some struct { g [][]int64; h map[string]struct{}; i map[key][]float64 }
type rest struct { j pair; k *map[string][]byte }
type all struct { a int64; b *big.Int; c float64; d bool; e string; f []byte; g some; r rest }
func f(a int64, b *big.Int, c float64, d bool, e string, f []byte, g [][]int64, h map[string]struct{},
       i map[key][]float64, j pair, k *map[string][]byte) all {
    return all{a, b, c, d, e, f, some{g, h, i}, rest{j, k}}
}
"""

CASES = Cases(
    language=LANGUAGE,
    limits=Limits(cpu_s=2, wall_s=20, memory_mb=256, disk_mb=16, stdout_mb=1, processes=40),
    toolchain=r"go \d",
    echo=_ECHO,
    preamble=('package main\nconst one = 1', 'func f(n int) int { return n + one }'),
    entry_points=('f(1)', 'x.f', 'f; var y', ''),
    refused='entry point of a Go program',
    without_main='package main\nfunc f() {}',
    natural=(
        ("func f(a int, b int8, c uint64) (int, int8, uint64) { return a, b, c }", "int; int; int -> tuple[int, int, int]", (1, -2, 3), (1, -2, 3)),
        ("func f(a map[int]bool) map[int]bool { a[5] = false; a[6] = true; return a }", "set[int] -> set[int]", ({5, 7},), {6, 7}),
        ("func f(a []rune) []rune { return a[1:] }", "str -> str", ("\u00e9x",), "x"),
        ("func f(a int) (int, bool) { return a, a > 1 }", "int -> int | None", (1,), None),
        ("func f(a int) (int, error) { return a, nil }", "int -> int", (4,), 4),
        ("func f(a ...int) int { return len(a) }", "list[int] -> int", ([4, 5],), 2),
        ("func f(a []int) []int { return nil }", "list[int] -> list[int]", ([],), []),
        ("func f(a *struct{ X, Y int }) int { return a.X - a.Y }", "tuple[int, int] -> int", ((3, 1),), 2),
        ("func f(a float32) float32 { return a }", "float -> float", (0.5,), 0.5),
        ("func f() {}", "-> None", (), None),
        ("func main() { panic(1) }\nfunc f(a int) int { return a }", "int -> int", (9,), 9),
        ("func type_(a int) int { return a }\nvar f = type_", "int -> int", (9,), 9),
    ),
    misfits=(
        ("func f(a int8) int8 { return a }", "int -> int", (300,), "300 doesn't fit int8"),
        ("func f(a string) int { return 1 }", "int -> int", (300,), "type string can't take a value of the type int"),
        ("func f(a int) string { return `x` }", "int -> int", (300,), "a string isn't of the type int"),
        ("func f(a int) (int, int) { return 1, 2 }", "int -> int", (300,), "2 results"),
        ("func f() int { return 1 }", "int -> int", (300,), "takes 0 arguments"),
        ("type p *p\nfunc f(a int) p { var x p; x = p(&x); return x }", "int -> int", (300,), "pointers without end"),
        ("var f = 1", "int -> int", (300,), "no function"),
    ),
    no_programs=(
        ("package main\x00", "NUL"),
        ("\x7fELF\x02\x01\x01\udcff\x00\x00", "solution.go:1"),
        ("package main\nfunc f(a int) int { return nothing }", "solution.go:2:28: undefined: nothing"),
        ("package main\nfunc g() {}", "undefined: f"),
        ('package main\nimport "github.com/x/y"\nfunc f(a int) int { return y.Z }', "could not import github.com/x/y"),
        ("package main\n" + "func f(a int) int { return nothing }\n" * 10_000, "too many errors"),
    ),
)  # fmt: skip
