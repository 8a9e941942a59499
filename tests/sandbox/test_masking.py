"""Two runs of the same say the same."""

from sandbox.masking import mask_addresses, mask_durations
from sandbox.suite_results import read_answer


def test_addresses_are_masked_and_small_numbers_stay() -> None:
    assert mask_addresses("<C object at 0x7f00deadbeef> 0xff") == "<C object at 0x...> 0xff"


def test_what_no_file_can_hold_is_replaced() -> None:
    assert mask_addresses("a\ud800b\udfff\U0001f600") == "a\ufffdb\ufffd\U0001f600"


def test_durations_of_pytest_are_masked() -> None:
    assert mask_durations("no tests ran in 0.03s") == "no tests ran in ...s"
    assert mask_durations("1 error in 75.20s (0:01:15)") == "1 error in ...s"
    assert mask_durations("it took 3 s in all") == "it took 3 s in all"


def test_a_run_that_could_not_start_says_the_same_twice() -> None:
    def answer(seconds: str, address: str) -> dict[str, object]:
        lines = [f'["result", "test_a.py::test_a", "failed", "assert <C object at {address}>"]', '["finished", 4]']
        said = f"ERROR: <C object at {address}>\nno tests ran in {seconds}s"
        return {"lines": "\n".join(lines), "status": 0, "timed_out": False, "cpu_s": 0.5, "said": said}

    first, second = read_answer(answer("0.03", "0x7f00deadbeef")), read_answer(answer("0.11", "0x7f00deadb000"))
    assert first.said
    assert first == second
