import re
import subprocess
import sys
from pathlib import Path

import kubernetes_validate
import pytest
import yaml

from sandbox.server.settings import ServerSettings

EXAMPLES = Path(__file__).parents[3] / "examples" / "serve"
MANIFESTS = sorted(EXAMPLES.glob("kubernetes/*.yaml"))


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.name)
def test_the_manifests_are_what_kubernetes_takes(path):
    manifest = yaml.safe_load(path.read_text())
    if manifest["kind"] == "Kustomization":
        assert {path.parent / name for name in manifest["resources"]} == {p for p in MANIFESTS if p != path}
    else:
        for version in ("1.33", "1.37"):
            kubernetes_validate.validate(manifest, version, strict=True)


def test_the_compose_file_fits_the_specification():
    argv = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    done = subprocess.run([*argv, EXAMPLES / "compose.yaml"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_examples_give_options_that_the_command_has_and_a_token_where_it_is_public():
    compose = yaml.safe_load((EXAMPLES / "compose.yaml").read_text())["services"]["serve"]["command"]
    deployment = yaml.safe_load((EXAMPLES / "kubernetes" / "deployment.yaml").read_text())
    pod = deployment["spec"]["template"]["spec"]["containers"][0]["args"]
    entry = re.search(r"ENTRYPOINT (\[.*\])", (EXAMPLES / "Dockerfile").read_text()).group(1)
    argv = [sys.executable, "-c", "from pipelines.cli import main; main()", "serve", "--help"]
    known = set(re.findall(r"--[a-z-]+", subprocess.run(argv, capture_output=True, text=True, check=True).stdout))
    for words in (compose, pod, yaml.safe_load(entry)):
        assert {word for word in words if word.startswith("--")} <= known
    assert "--token-file" in compose
    assert "--token-file" in pod
    assert ServerSettings(host="0.0.0.0", token="x").port == 8080
