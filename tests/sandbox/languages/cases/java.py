"""What the tests of all built languages try in Java."""

from sandbox.languages.java import LANGUAGE
from schemas.limits import Limits
from tests.sandbox.languages.solving import Cases

_ECHO = """
import java.math.BigInteger;
import java.util.*;
class Solution {
    record Key(long n, String s) {}
    record Flag(boolean set) {}
    record Pair(long n, String s, Flag f) {}
    record Some(long[][] g, Set<String> h, Map<Key, List<Double>> i) {}
    record Rest(Pair j, Map<String, byte[]> k) {}
    record All(long a, BigInteger b, double c, boolean d, String e, byte[] f, Some g, Rest r) {}
    static All f(long a, BigInteger b, double c, boolean d, String e, byte[] f, long[][] g, Set<String> h,
                 Map<Key, List<Double>> i, Pair j, Map<String, byte[]> k) {
        return new All(a, b, c, d, e, f, new Some(g, h, i), new Rest(j, k));
    }
}
"""

CASES = Cases(
    language=LANGUAGE,
    limits=Limits(cpu_s=4, wall_s=20, memory_mb=256, disk_mb=16, stdout_mb=1, processes=40),
    toolchain=r"java \d\d",
    echo=_ECHO,
    preamble=('import java.util.stream.*;', 'class A { static int f(int n) { return IntStream.of(n, 1).sum(); } }'),
    entry_points=('f(1)', 'a.b.f', 'new A().f', 'f g', ''),
    refused='entry point of a Java program',
    without_main='class A { static void f() { } }',
    natural=(
        ("class A { int f(int a, short b, Long c) { return (int) (a + b + c); } }", "int; int; int -> int", (1, -2, 3), 2),
        ("class A { static Object[] f(char a, char[] b) { return new Object[] {b, a}; } }", "str; str -> tuple[str, str]", ("x", "yz"), ("yz", "x")),
        ("import java.util.*; class A { static long f(List<Integer>[] a) { return a[1].get(0); } }", "list[list[int]] -> int", ([[], [4]],), 4),
        ("import java.util.*; class A { static List<int[]> f(Deque<Integer> a, Queue<Integer> b) { return List.of(new int[] {a.pop(), b.poll()}); } }", "list[int]; list[int] -> list[list[int]]", ([1], [2]), [[1, 2]]),
        ("import java.util.*; class A { static <T extends Comparable<T>> T f(List<T> a) { return Collections.max(a); } }", "list[int] -> int", ([1, 3, 2],), 3),
        ("class A { static float f(Float a) { return a; } }", "float -> float", (0.5,), 0.5),
        ("class A { static int f() { return 5; } }", "-> int", (), 5),
        ("interface A { static int f(int a) { return a; } }", "int -> int", (6,), 6),
        ("enum A { X; static int f(int a) { return a; } }", "int -> int", (6,), 6),
        ("package a.b; public class Odd { public static int f(int... a) { return a.length; } }", "list[int] -> int", ([6],), 1),
        ("class A { static int f(int a) { return a; } static int f(int a, int b) { return 0; } }", "int -> int", (6,), 6),
    ),
    misfits=(
        ("class A { static byte f(byte a) { return a; } }", "int -> int", (300,), "300 doesn't fit byte"),
        ("class A { static int f(String a) { return 1; } }", "int -> int", (300,), "java.lang.String can't take a value of the type int"),
        ("class A { static String f(int a) { return null; } }", "int -> int", (300,), "null isn't of the type int"),
        ("class A { static double f(int a) { return a; } }", "int -> int", (300,), "java.lang.Double isn't of the type int"),
        ("class A { static Integer f(int a) { throw new StackOverflowError(); } }", "int -> int", (300,), "StackOverflowError"),
        ("class A { native int f(int a); A() { Runtime.getRuntime().halt(0); } }", "int -> int", (300,), "ended without a result"),
    ),
    no_programs=(
        ("class A {\x00 static int f(int a) { return a; } }", "illegal character"),
        ("\x7fELF\x02\x01\x01\udcff\x00\x00", "solution.java:1"),
        ("class A { static int f(int a) { return b; } }", "solution.java:1: error: cannot find symbol"),
        ("class A { int g(int a) { return a; } }", "no class has a method f"),
        ("class A { int f(int a) { return a; } int f(long a) { return 1; } }", "2 methods f"),
        ("class A { int f(int a) { return a; } } class B { int f(int a) { return a; } }", "several classes"),
        ("import taskfoundry.Driver; class A { int f(int a) { return a; } }", "taskfoundry does not exist"),
        ("module m {}", "module-info"),
        ("class A {" + "int f(int a) { return b; }" * 10_000, "error"),
    ),
)  # fmt: skip
