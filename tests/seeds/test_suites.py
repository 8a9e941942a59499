"""Test files for what couldn't be parsed: they accept the right solution and refuse wrong and forging ones."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from schemas.candidate import Suite
from seeds.suites import build_suite

LINKED = """
class ListNode:
    def __init__(self, val=0, next=None):
        self.val, self.next = val, next

def list_node(values):
    head = None
    for value in reversed(values):
        head = ListNode(value, head)
    return head

def same(p, q):
    while p and q and p.val == q.val:
        p, q = p.next, q.next
    return p is q
"""
REVERSE = """
class Solution:
    def reverse(self, head):
        last = None
        while head:
            head.next, last, head = last, head, head.next
        return last
"""
CHECK = """
def check(candidate):
    assert same(candidate(head=list_node([1, 2, 3])), list_node([3, 2, 1]))
    assert same(candidate(list_node([])), list_node([]))
"""


def make(code: str, *, entry_point: str = "f", preamble: str = "", reference: str) -> Suite:
    suite = build_suite(code, entry_point=entry_point, preamble=preamble, reference=reference, why="because")
    assert suite is not None
    return suite


def run(suite: Suite, solution: str, folder: Path) -> tuple[int, int]:
    """Return the numbers of passed and failed tests."""
    folder.mkdir()
    (folder / suite.solution_path).write_text(solution)
    for file in suite.files:
        (folder / file.path).write_text(file.content)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(folder), str(folder)]
    env = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    text = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=env).stdout
    words = text.replace(",", "").split()
    counts = {words[at + 1]: int(words[at]) for at in range(len(words) - 1) if words[at].isdigit()}
    return counts.get("passed", 0), counts.get("failed", 0) + counts.get("error", 0)


def test_each_assert_of_a_check_function_is_one_test_next_to_the_preamble(tmp_path: Path) -> None:
    suite = make(CHECK, entry_point="Solution().reverse", preamble=LINKED, reference=REVERSE)
    assert suite.why == "because"
    assert run(suite, LINKED + REVERSE, tmp_path / "right") == (2, 0)
    assert run(suite, LINKED + REVERSE.replace("return last", "return None"), tmp_path / "wrong") == (1, 1)


def test_a_solution_cannot_replace_the_helpers_of_the_preamble(tmp_path: Path) -> None:
    suite = make(CHECK, entry_point="Solution().reverse", preamble=LINKED, reference=REVERSE)
    forged = (
        LINKED + "class Solution:\n    def reverse(self, head): return 1\ndef same(p, q): return True\nabs = len = id\n"
    )
    assert run(suite, forged, tmp_path / "forged")[1] == 2


def test_a_check_function_with_more_than_asserts_stays_whole(tmp_path: Path) -> None:
    code = """
def check(candidate):
    import random
    for _ in range(5):
        x = random.randint(0, 9)
        assert candidate(x) == helper(x) + 1
"""
    reference = "def helper(x):\n    return x\n\ndef f(x):\n    return helper(x) + 1\n"
    suite = make(code, reference=reference)
    assert "from solution import f, helper" in suite.files[0].content
    assert run(suite, reference, tmp_path / "right") == (1, 0)
    assert run(suite, reference.replace("+ 1", "+ 2"), tmp_path / "wrong") == (0, 1)


def test_module_level_asserts_keep_their_set_up_and_the_imports_of_the_reference(tmp_path: Path) -> None:
    code = "import re\nroot = Node(1)\nassert f(root) == 1\nassert f(Node(math.floor(2.5))) == 2"
    reference = "import math\nclass Node:\n    def __init__(self, v): self.v = v\ndef f(n): return n.v\n"
    suite = make(code, reference=reference)
    solution = reference.replace("import math\n", "")
    assert run(suite, solution, tmp_path / "right") == (2, 0)


@pytest.mark.parametrize(
    ("code", "passed"),
    [
        ("import pytest\nwith pytest.raises(Exception):\n    f('x')\nassert f(1) == 2", 1),
        ("import pytest\n\n@pytest.mark.parametrize('x', [1, 2])\ndef test_f(x):\n    assert f(x) == x + 1", 2),
    ],
)
def test_other_code_runs_as_it_stands(tmp_path: Path, code: str, passed: int) -> None:
    suite = make(code, reference="def f(x):\n    return x + 1\n")
    assert run(suite, "def f(x):\n    return x + 1\n", tmp_path / "right") == (passed, 0)


@pytest.mark.parametrize("code", ["", "x = 1", "def check(candidate):\n    candidate(1)", "assert ("])
def test_code_that_asserts_nothing_makes_no_suite(code: str) -> None:
    assert build_suite(code, entry_point="f", preamble="", reference="def f(): pass", why="") is None
