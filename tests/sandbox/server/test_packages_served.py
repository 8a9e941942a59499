"""The service lets Python programs import the packages that it was started with."""

from dataclasses import replace

import pytest

from sandbox.backends import select_backend
from sandbox.packages import find_packages
from sandbox.server.judging import JudgeDesk, JudgeRequest
from sandbox.server.running import CodeRunner, RunCodeRequest
from sandbox.server.serving import serve_forever
from sandbox.server.settings import ServerSettings
from schemas.errors import ConfigError
from schemas.ground_truth import write_ground_truth
from tests.builders import make_candidate, make_proven
from tests.package_samples import lay_package


@pytest.fixture
def settings(tmp_path) -> ServerSettings:
    site = tmp_path / "site"
    lay_package(site, "lemon", "def double(n): return 2 * n")
    return ServerSettings(packages=find_packages(site, ["lemon"]))


def test_a_solution_that_imports_a_package_is_judged(settings):
    plain = make_proven(make_candidate("task-1"))
    assert settings.packages is not None
    evidence = replace(plain.evidence, toolchain=settings.packages.describe("cpython 3"))
    task = write_ground_truth(replace(plain, evidence=evidence))
    request = JudgeRequest(ground_truth=task, task_id="task-1", solution="from lemon import double")
    with JudgeDesk(select_backend("process"), settings) as desk:
        response = desk.judge(request)
    assert response.passed, response
    assert ", lemon 1.0, packages " in response.toolchain
    words = r"was proven with cpython 3, lemon 1\.0"
    with JudgeDesk(select_backend("process"), ServerSettings()) as bare, pytest.raises(ConfigError, match=words):
        bare.judge(request)


def test_a_program_that_imports_a_package_is_run(settings):
    runner = CodeRunner(select_backend("process"), settings)
    response = runner.run(RunCodeRequest(code="import lemon\nprint(lemon.double(21))", language="python"))
    assert response.run_result is not None
    assert response.run_result.stdout == "42\n"
    assert ", lemon 1.0, packages " in response.toolchain


def test_a_service_does_not_start_with_a_module_that_cannot_be_imported(settings, tmp_path):
    lay_package(tmp_path / "site", "broken", "raise ValueError('no')")
    broken = replace(settings, packages=find_packages(tmp_path / "site", ["broken"]))
    with pytest.raises(ConfigError, match="preload: broken can't be imported in the sandbox: ValueError: no"):
        serve_forever(select_backend("process"), broken)
