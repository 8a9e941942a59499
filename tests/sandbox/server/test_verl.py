"""verl's own client, as it is published, against a real server."""

import importlib.util
import subprocess
import sys
import zipfile

import pytest

from tests.sandbox.server.serving import running_server

VERSION = "0.9.1"
MEMBER = "verl/utils/reward_score/sandbox_fusion/utils.py"
DOUBLE = {"inputs": ["1\n", "2\n", "3\n"], "outputs": ["2\n", "4\n", "7\n"]}


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """The module of verl that speaks to SandboxFusion; the rest of verl needs a GPU stack."""
    folder = tmp_path_factory.mktemp("verl")
    argv = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, f"verl=={VERSION}"]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no package index answers: {done.stderr.strip()[-200:]}")
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        path = archive.extract(MEMBER, folder)
    spec = importlib.util.spec_from_file_location("verl_sandbox_fusion_client", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def url():
    with running_server() as (_, address):
        yield f"{address}/run_code"


@pytest.mark.network
@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "cases", "expected"),
    [
        ("print(int(input()) * 2)", DOUBLE, [True, True, False]),
        (
            "def double(n): return n * 2",
            {"inputs": ["1", "4"], "outputs": ["2", "8"], "fn_name": "double"},
            [True, True],
        ),
        ("while True: pass", {"inputs": [""], "outputs": [""]}, [-3]),
        ("raise ValueError", {"inputs": [""], "outputs": [""]}, [-2]),
        ("def (", {"inputs": [""], "outputs": [""]}, [-2]),
        ("import os; print('2'); os._exit(1)", {"inputs": [""], "outputs": ["2"]}, [-2]),
    ],
)
def test_verls_client_reads_our_answers_as_those_of_sandboxfusion(client, url, program, cases, expected):
    timeout = 2 if expected == [-3] else 20
    results, metadata = client.check_correctness(url, cases, program, timeout=timeout)
    assert results == expected
    assert all(one["api_request_error"] is None for one in metadata)


@pytest.mark.network
@pytest.mark.slow
def test_other_languages_go_through_it_too(client, url):
    program = "#include <iostream>\nint main() { long long n; std::cin >> n; std::cout << 2 * n << '\\n'; }"
    results, _ = client.check_correctness(url, DOUBLE, program, timeout=20, language="cpp")
    assert results == [True, True, False]
    results, metadata = client.check_correctness(url, DOUBLE, "int main( {", timeout=20, language="cpp")
    assert results == [-4] * 3
    assert "error" in metadata[0]["compile_stderr"]
