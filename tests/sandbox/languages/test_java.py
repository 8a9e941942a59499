import math

import pytest

from sandbox.base import State
from sandbox.languages.java import JavaLanguage
from schemas.errors import ConfigError
from schemas.values import decode_text
from tests.sandbox.languages.cases.java import CASES
from tests.sandbox.languages.solving import EVERY_TYPE, VALUES

LANGUAGE, LIMITS = CASES.language, CASES.limits


def test_every_type_comes_back_as_it_went_in(value_of):
    source = """import java.math.BigInteger;
import java.util.*;
class Solution {
    record Pair(long number, String name) {}
    record Point(int x, int y) {}
    record All(long a, BigInteger b, double c, boolean d, String e, byte[] f, int[][] g, Set<String> h,
        TreeMap<String, List<Integer>> i, Pair j, Map<Point, Double> k, Integer l, Optional<String> m,
        ArrayList<Map.Entry<String, Boolean>> n) {}
    private static All f(All given) { return given; }
}
"""
    value = value_of(source, f"tuple[{EVERY_TYPE}] -> tuple[{EVERY_TYPE}]", (VALUES,))
    assert value == VALUES
    assert math.copysign(1, value[10][-1, 0]) == -1


def test_every_type_has_a_form_that_an_object_holds(value_of):
    source = "class Solution { static Object f(Object given) { return given; } }"
    assert value_of(source, f"tuple[{EVERY_TYPE}] -> tuple[{EVERY_TYPE}]", (VALUES,)) == VALUES


@pytest.mark.slow
@pytest.mark.parametrize("entry_point", ["g", "B.g", "B().g"])
def test_a_class_may_be_named_in_front_of_the_method(entry_point, value_of):
    source = "package a; class A { int f(int a) { return 0; } } class B { int x = 3; int g(int a) { return a + x; } }"
    assert value_of(source, entry_point=entry_point) == 4


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("class A { static int f(int a) { return new int[0][0]; } }", None),
        ("class A { static int f(int a) { return new int[0].length / 0; } }", "ArithmeticException"),
        ("class A { static class Bad extends Exception { public String getMessage() { throw new Error(); } } static int f(int a) throws Bad { throw new Bad(); } }", "Bad"),
        ("class A { static int x = 1 / 0; static int f(int a) { return x; } }", "ArithmeticException"),
        ("class A { static int f(int a) { throw new AssertionError(5); } }", "AssertionError"),
    ],
)  # fmt: skip
def test_what_is_thrown_is_an_output(source, name, call):
    outcome = call(source)
    assert outcome.state is (State.OK if name else State.CE), outcome
    assert name is None or f'"{name}"' in outcome.output


_WRITE = 'try (var o = new java.io.FileOutputStream("/proc/self/fd/3")) { o.write("V3;I1;".getBytes()); } catch (Exception e) {}'
FORGERIES = {
    "own record": f"class A {{ static int f(int a) {{ {_WRITE} return 2; }} }}",
    "own record in an initialiser": f"class A {{ static {{ {_WRITE} }} static int f(int a) {{ return 2; }} }}",
    "exits in an initialiser": "class A { static { System.exit(0); } static int f(int a) { return 1; } }",
    "halts in a shutdown hook": 'class A { static int f(int a) { Runtime.getRuntime().addShutdownHook(new Thread(() -> Runtime.getRuntime().halt(0))); System.exit(1); return 1; } }',
    "writes later": f"class A {{ static int f(int a) throws Exception {{ new Thread(() -> {{ while (true) {{ {_WRITE} }} }}).start(); Thread.sleep(200); return 2; }} }}",
    "equals everything": "class A extends java.math.BigInteger { A() { super(\"2\"); } public boolean equals(Object o) { return true; } public int hashCode() { return 0; } public String toString() { return \"1;I1\"; } static Object f(int a) { return new A(); } }",
    "an odd list": "import java.util.*; class A { static List<Integer> f(int a) { return new AbstractList<>() { public int size() { return -1; } public Integer get(int i) { return 1; } }; } }",
    "the driver's encoder": 'class A { static int f(int a) throws Exception { var c = Class.forName("taskfoundry.Driver"); for (var m : c.getDeclaredMethods()) { if (m.getName().equals("record")) { m.setAccessible(true); m.invoke(null, \'V\', "I1;"); } } return 2; } }',
    "named like the driver": "package taskfoundry; public class Driver { public static void main(String[] a) { } static int f(int a) { return 1; } }",
    "named like a class of the driver": "package taskfoundry; class Entry { static int f(int a) { return 1; } }",
    "a package of Java's own": "package java.lang; public class A { static int f(int a) { return 1; } }",
    "an annotation processor": '@javax.annotation.processing.SupportedAnnotationTypes("*") class A extends javax.annotation.processing.AbstractProcessor { static int f(int a) { return 2; } public boolean process(java.util.Set<? extends javax.lang.model.element.TypeElement> a, javax.annotation.processing.RoundEnvironment e) { return true; } }',
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", FORGERIES)
def test_no_forgery_is_taken_for_the_result_1(name, call):
    outcome = call(FORGERIES[name])
    assert outcome.state is not State.OK or decode_text(outcome.output) != 1, outcome
    assert outcome.state is not State.INFRA


@pytest.mark.slow
def test_an_endless_list_runs_into_a_limit(call):
    source = """import java.util.*;
class A { static List<Integer> f(int a) { return new AbstractList<>() {
    public int size() { return Integer.MAX_VALUE; } public Integer get(int i) { return 1; } }; } }"""
    assert call(source, "int -> list[int]").state in {State.MLE, State.TLE_CPU}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "output"),
    [
        ("public class Odd { public static void main(String[] a) { System.out.print(a.length); } }", "0"),
        ("package a.b; class Odd { public static void main(String... a) { System.out.print(1); } }", "1"),
        ('class H { static String x() { return "2"; } } class M { public static void main(String[] a) { System.out.print(H.x()); } }', "2"),
        ("class H { public static void main(String[] a) { } } class Main { public static void main(String[] a) { System.out.print(3); } }", "3"),
    ],
)  # fmt: skip
def test_a_program_is_started_whatever_its_class_is_called(source, output, stream):
    outcome = stream(source)
    assert (outcome.state, outcome.output) == (State.OK, output), outcome


def test_memory_that_runs_out_is_not_a_runtime_error(stream):
    outcome = stream("class A { public static void main(String[] a) { System.out.print(new long[1 << 30].length); } }")
    assert outcome.state is State.MLE, outcome


def test_a_missing_toolchain_names_the_package_to_install(tmp_path):
    with pytest.raises(ConfigError, match="default-jdk-headless"):
        JavaLanguage(places=[str(tmp_path)]).find_toolchain()


def test_a_jdk_that_is_too_old_is_a_config_error(tmp_path):
    (tmp_path / "javac").write_text("#!/bin/sh\necho javac 11.0.2\n")
    (tmp_path / "javac").chmod(0o755)
    (tmp_path / "bin").mkdir()
    (tmp_path / "javac").rename(tmp_path / "bin" / "javac")
    with pytest.raises(ConfigError, match=r"Java 11.0.2; programs run on 17"):
        JavaLanguage(places=[str(tmp_path / "bin")]).find_toolchain()
