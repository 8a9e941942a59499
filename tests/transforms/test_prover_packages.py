"""Tasks whose reference imports a package of the config are proven, and their rows and stored proofs say with which."""

from dataclasses import replace

import pytest

from pipelines.plan import check_config
from pipelines.verification import Verifier
from sandbox.backends import select_backend
from sandbox.packages import find_packages
from schemas.config import Sandbox, parse_config
from schemas.errors import ConfigError
from schemas.proven import Proven
from schemas.rejection import Rejection
from tests.package_samples import lay_package
from tests.task_builders import function_task
from transforms.context import RunContext
from transforms.provers import Provers
from transforms.workshops import Workshops

CONFIG = """
name: small
sources: [{kind: topics, name: ours, path: topics.yaml}]
prove: {fuzz_inputs: 8, max_mutants: 4}
"""
TASK = function_task(
    "from lemon import double\n\ndef solve(n):\n    return double(n) + 1\n",
    {"n": "int"},
    [((1,), 3), ((2,), 5), ((-3,), -5), ((10,), 21)],
)


def make_provers(folder, section: Sandbox) -> Provers:
    config = parse_config(CONFIG, folder / "config.yaml").model_copy(update={"sandbox": section})
    context = RunContext(config=config, base_dir=folder, output=str(folder), cache_dir=folder, workers=1)
    return Provers(context, Workshops(context))


def test_a_task_is_proven_with_the_packages_of_the_config(tmp_path):
    site = tmp_path / "site"
    lay_package(site, "lemon", "def double(n): return 2 * n")
    bare = make_provers(tmp_path, Sandbox())
    with_packages = make_provers(tmp_path, Sandbox(packages="site"))
    loaded = make_provers(tmp_path, Sandbox(packages="site", preload=("lemon",)))
    refused = bare.prove(TASK)
    assert isinstance(refused, Rejection)
    assert "No module named 'lemon'" in refused.detail
    proven = with_packages.prove(TASK)
    assert isinstance(proven, Proven), proven
    assert ", lemon 1.0, packages " in proven.evidence.toolchain
    keys = [str(each._determinants(TASK)) for each in (bare, with_packages, loaded)]
    assert len(set(keys)) == 3
    packages = find_packages(site)
    verifier = Verifier(tmp_path, select_backend("process"), tmp_path, run_seed=0, packages=packages)
    assert verifier.check(proven) is None
    without = Verifier(tmp_path, select_backend("process"), tmp_path, run_seed=0)
    with pytest.raises(ConfigError, match="was proven with cpython"):
        without.check(proven)
    assert without.check(replace(proven, evidence=replace(proven.evidence, toolchain=""))) is not None


def test_a_config_that_names_no_folder_of_packages_is_refused(tmp_path):
    (tmp_path / "topics.yaml").write_text("[]")
    config = parse_config(CONFIG, tmp_path / "config.yaml")
    named = config.model_copy(update={"sandbox": Sandbox(packages="nowhere")})
    with pytest.raises(ConfigError, match="nowhere is no folder"):
        check_config(named, tmp_path)
