import pytest

from sandbox.groups import is_contained
from schemas.candidate import TaskStyle


@pytest.mark.parametrize(
    "source",
    [
        "import math\nx = [math.pi]\nx[0] = 1\n",
        "import collections.abc\nfrom functools import cache\n",
        "class A:\n    def __init__(self, n):\n        self.n = n\n        self.next.n = n\n",
        "import sys\nsys.setrecursionlimit(10**6)\nsys.exit()\n",
    ],
)
def test_ordinary_programs_may_share_a_process(source):
    assert is_contained(source, TaskStyle.FUNCTION)


@pytest.mark.parametrize(
    "source",
    [
        "import os\n",
        "from . import other\n",
        "import math\nmath.pi = 3\n",
        "import math as m\ndel m.pi\n",
        "import string\nstring.digits[0] += 1\n",
        "from collections import Counter\nCounter.x = 1\n",
        "import sys as s\n",
        "import sys\nsys.modules.clear()\n",
        "from sys import modules\n",
        "from random import _inst\n",
        "setattr(int, 'x', 1)\n",
        "exec('import os')\n",
        "exit()\n",
        "object.__subclasses__()\n",
        "print.__self__.len = 1\n",
        "(lambda: 0).__globals__\n",
    ],
)
def test_programs_that_reach_shared_state_run_alone(source):
    assert not is_contained(source, TaskStyle.FUNCTION)


def test_only_streams_may_touch_their_descriptors():
    source = "import sys\nprint(open(0).read(), file=sys.stderr)\n"
    assert is_contained(source, TaskStyle.STDIN)
    assert not is_contained(source, TaskStyle.FUNCTION)
