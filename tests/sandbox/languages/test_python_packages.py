"""Python solutions import what is in a folder of packages, some of it loaded ahead, and nothing else gets easier."""

import pytest

from sandbox.backends import select_backend
from sandbox.backends.nsjail import NsjailBackend
from sandbox.judge import judge
from sandbox.judging import Program
from sandbox.languages.python import PythonEvaluators
from sandbox.packages import find_packages
from sandbox.pool import WarmBackend
from schemas.candidate import Checker, CheckerName, TaskStyle, TestCase, TestOrigin
from schemas.errors import ConfigError
from schemas.limits import Limits
from schemas.values import encode_call, encode_text
from tests.package_samples import copy_numpy, lay_package

LIMITS = Limits(cpu_s=20, wall_s=100)
LOADED = "import sys\ndef f(): return sorted({'numpy', 'odd'} & set(sys.modules))"
NOISY = "import os\nprint('loud')\nos.write(1, b'louder')\nTASTE = 'odd'\nHELD = []\n"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("packages") / "site"
    copy_numpy(folder)
    lay_package(folder, "odd", NOISY)
    lay_package(folder, "broken", "import nothing_of_that_name")
    lay_package(folder, "leaving", "raise SystemExit(3)")
    lay_package(folder, "busy", "import threading, time\nthreading.Thread(target=time.sleep, args=(99,)).start()")
    lay_package(folder, "random", "raise RuntimeError('the standard library comes first')")
    return folder


def make_factory(site, *preload, style=TaskStyle.FUNCTION, backend=None):
    found = find_packages(site, preload)
    return PythonEvaluators(backend or select_backend("process"), LIMITS, style=style, packages=found)


@pytest.fixture(scope="module")
def loaded(site):
    with make_factory(site, "numpy", "odd").open() as evaluator:
        yield evaluator


@pytest.fixture(scope="module")
def unloaded(site):
    with make_factory(site).open() as evaluator:
        yield evaluator


def call(evaluator, source, *args):
    (outcome,) = evaluator.evaluate(Program(source=source, entry_point="f"), [encode_call(args, {})])
    return outcome.output or f"{outcome.state}: {outcome.detail}"


def test_modules_are_imported_ahead_only_when_asked_for(loaded, unloaded):
    assert call(loaded, LOADED) == '["numpy","odd"]'
    assert call(unloaded, LOADED) == "[]"
    assert call(unloaded, "import odd\ndef f(): return odd.TASTE") == '"odd"'


def test_the_toolchain_names_the_packages(loaded):
    assert ", numpy " in loaded.toolchain
    assert loaded.toolchain.startswith("cpython 3.")


@pytest.mark.parametrize("name", ["loaded", "unloaded"])
def test_numpy_works_under_the_strict_filter(request, name):
    source = """
import numpy as np
def f(n):
    square = np.random.rand(n, n) + n * np.eye(n)
    spectrum = np.fft.fft(np.arange(n))
    sums = np.einsum('ij,jk->ik', square, np.linalg.inv(square)).sum()
    return [round(float(sums)), np.sort(np.array([3, 1, 2])).tolist(), len(np.linalg.eigvals(square)), spectrum.size]
"""
    assert call(request.getfixturevalue(name), source, 40) == "[40,[1,2,3],40,40]"


def test_numbers_of_numpy_are_numbers_and_arrays_are_refused(loaded):
    source = "import numpy as np\ndef f(kind): return eval(kind)"
    assert call(loaded, source, "np.arange(4).sum()") == "6"
    assert call(loaded, source, "[np.float32(0.5), np.bool_(True), {np.int8(1): np.str_('a')}]") == (
        '[{"$float":"0.5"},true,{"$map":[[1,"a"]]}]'
    )
    assert (
        call(loaded, source, "np.zeros(2)")
        == "RE: result: a value of type ndarray has no encoding; return its tolist()"
    )


def test_every_case_draws_the_same_numbers(loaded):
    source = "import numpy as np\ndef f(): return [float(np.random.rand()), np.random.randint(1000)]"
    assert call(loaded, source) == call(loaded, source)


def test_one_case_leaves_nothing_in_a_preloaded_module(loaded):
    spoil = (
        "import numpy, odd\ndef f():\n    numpy.sum = lambda a: 42\n    odd.HELD.append(1)\n    return numpy.sum([1])"
    )
    assert call(loaded, spoil) == "42"
    assert call(loaded, "import numpy, odd\ndef f(): return [int(numpy.sum([1])), odd.HELD]") == "[1,[]]"


def test_a_solution_that_rewrites_numpy_gains_nothing(loaded, site):
    forger = """
import numpy as np
np.generic = np.sum = object
class Anything(int):
    def __eq__(self, other): return True
    def item(self): return 6
def f(n): return Anything(1)
"""
    tests = [TestCase.make(encode_call((3,), {}), encode_text(6), origin=TestOrigin.BANK)]
    verdict = judge(
        make_factory(site, "numpy"), Program(source=forger, entry_point="f"), tests, Checker(), TaskStyle.FUNCTION
    )
    assert not verdict.passed
    assert verdict.results[0].outcome.output == "1"


def test_packages_are_behind_the_standard_library_and_read_only(loaded):
    source = """
import os, random, sys
def f():
    try: open('/opt/packages/odd.py', 'a')
    except OSError as error: refused = error.errno
    return [hasattr(random, 'shuffle'), sys.path[-1], refused > 0, os.environ['OPENBLAS_NUM_THREADS']]
"""
    assert call(loaded, source) == '[true,"/opt/packages",true,"1"]'


def test_nsjail_shows_packages_too(site):
    backend = NsjailBackend()
    if not backend.probe().available:
        pytest.skip(backend.probe().reason)
    with make_factory(site, "numpy", backend=backend).open() as evaluator:
        assert call(evaluator, "import numpy as np\ndef f(): return np.ones(3).sum()") == '{"$float":"3.0"}'


def test_programs_import_packages_too(site):
    program = Program(source="import numpy as np\nprint(np.array(input().split(), dtype=int).sum())")
    tests = [TestCase.make("1 2 3\n", "6\n", origin=TestOrigin.BANK)]
    factory = make_factory(site, "numpy", style=TaskStyle.STDIN)
    assert judge(factory, program, tests, Checker(name=CheckerName.LINES), TaskStyle.STDIN).passed


@pytest.mark.parametrize(
    ("module", "words"),
    [
        (
            "broken",
            "broken can't be imported in the sandbox: ModuleNotFoundError: No module named 'nothing_of_that_name'",
        ),
        ("leaving", "leaving can't be imported in the sandbox: SystemExit: 3"),
        ("busy", "busy start threads"),
    ],
)
def test_a_module_that_cannot_be_imported_ahead_is_the_users_to_fix(site, module, words):
    with pytest.raises(ConfigError, match=f"preload: {words}"):
        make_factory(site, module).open()


def test_warm_sandboxes_with_and_without_packages_are_told_apart(site):
    with WarmBackend(select_backend("process"), per_job=1) as pool:
        for preload, expected in ((("odd",), '["odd"]'), ((), "[]"), (("odd",), '["odd"]')):
            with make_factory(site, *preload, backend=pool).open() as evaluator:
                assert call(evaluator, LOADED) == expected
        with PythonEvaluators(pool, LIMITS, style=TaskStyle.FUNCTION).open() as evaluator:
            assert "No module named 'odd'" in call(evaluator, "import odd\ndef f(): return 1")
