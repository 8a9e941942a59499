import pytest

from sandbox.clocks import find_clock_reads


@pytest.mark.parametrize(
    ("source", "reads"),
    [
        ("import time\nx = time.time()", ("time.time",)),
        ("from time import time as now\nx = now()", ("time.time",)),
        ("import datetime\nx = datetime.datetime.now()", ("datetime.datetime.now",)),
        (
            "from datetime import datetime, date\nx = datetime.utcnow(), date.today()",
            ("datetime.date.today", "datetime.datetime.utcnow"),
        ),
        ("import datetime as d\nx = d.date.today()", ("datetime.date.today",)),
        ("import os\nx = os.urandom(4)", ("os.urandom",)),
        ("from datetime import timedelta\nx = timedelta(1)", ()),
        ("class Shop:\n    def now(self): return 1\nShop().now()", ()),
        ("import time\ntime.sleep(0)", ()),
        ("def broken(", ()),
    ],
)
def test_reads_of_clock_and_machine_are_found(source, reads):
    assert find_clock_reads(source) == reads
