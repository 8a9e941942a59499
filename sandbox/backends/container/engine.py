"""The engine's socket: Docker's API, which Podman speaks as well.

The one place where the SDK's exceptions become ours. Every call has a deadline. Method: own, over the ``docker`` SDK.
"""

import json
import os
import socket
import ssl
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import docker
import docker.errors
import requests.exceptions
import urllib3.exceptions

from sandbox.backends.container.image import REPOSITORY, name_image
from sandbox.once import once_per_process
from schemas.errors import SandboxError

_CALL_S = 60
_END_S = 30
_AGAIN_S = 0.05
_HELLO_S = 20
_LOOK_S = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """How a container ended, as its engine tells it."""

    exit_code: int
    out_of_memory: bool


def list_sockets(engine: str) -> tuple[str, ...]:
    """Return where an engine's socket may be, the likeliest first.

    Args:
        engine: ``docker`` (falls back to Podman's socket) or ``podman``.
    """
    home = os.environ.get("XDG_RUNTIME_DIR", f"/run/user/{os.getuid()}")
    podman = ("unix:///run/podman/podman.sock", f"unix://{home}/podman/podman.sock")
    if engine == "podman":
        return (*filter(None, (os.environ.get("CONTAINER_HOST"),)), *podman)
    return (os.environ.get("DOCKER_HOST") or "unix:///var/run/docker.sock", *podman)


def find_socket(engine: str) -> str | None:
    """Return the first socket at which somebody listens."""
    for url in list_sockets(engine):
        path = url.removeprefix("unix://")
        if path == url:
            return url
        if _is_listening(Path(path)):
            return url
    return None


def _is_listening(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as trial:
        trial.settimeout(_HELLO_S)
        try:
            trial.connect(str(path))
        except OSError:
            return False
    return True


@contextmanager
def translate_errors(what: str) -> Iterator[None]:
    """Raise what goes wrong with the engine as `SandboxError`."""
    try:
        yield
    except (
        docker.errors.DockerException,
        requests.exceptions.RequestException,
        urllib3.exceptions.HTTPError,
        OSError,
    ) as error:
        raise SandboxError(f"can't {what}: {error}") from error


class Closable(Protocol):
    """What holds a socket open beside the socket itself."""

    def close(self) -> None:
        """Let go of it."""
        ...


class Engine:
    """One engine.

    Args:
        base_url: its socket, ``unix:///path``.
    """

    def __init__(self, base_url: str) -> None:
        self.base_url = base_url

    def describe(self) -> Mapping[str, Any]:
        """Return what the engine says about itself (the SDK's ``info``).

        Raises:
            SandboxError: it doesn't answer.
        """
        with translate_errors(f"talk to the container engine at {self.base_url}"):
            info: Mapping[str, Any] = self._client(_END_S).info()
        return info

    @cached_property
    def is_podman(self) -> bool:
        """Whether Podman answers.

        Raises:
            SandboxError: nobody does.
        """
        with translate_errors(f"talk to the container engine at {self.base_url}"):
            told = self._client(_END_S).version()
        return any("podman" in str(part.get("Name", "")).lower() for part in told.get("Components") or ())

    def ensure_image(self, tar: bytes) -> str:
        """Return the name of our image, imported now if the engine doesn't have it.

        Raises:
            SandboxError: the engine refuses it.
        """
        name = f"{REPOSITORY}:{name_image(tar)}"
        with translate_errors("import the image of the sandbox"):
            client = self._client()
            try:
                client.inspect_image(name)
            except docker.errors.ImageNotFound:
                client.tag(_import_image(client, tar), REPOSITORY, name_image(tar))
        return name

    def create(self, config: Mapping[str, Any], host: Mapping[str, Any]) -> str:
        """Return the id of a new container.

        Args:
            config: arguments of the SDK's ``create_container``.
            host: the engine's own ``HostConfig``.

        Raises:
            SandboxError: the engine refuses it.
        """
        with translate_errors("make a container"):
            made: str = self._client().create_container(**config, host_config=dict(host))["Id"]
        return made

    def attach(self, container: str) -> tuple[socket.socket, Closable]:
        """Return the socket with all streams of a container, and what must be kept as long as it's used, and closed.

        Raises:
            SandboxError: the engine refuses it.
        """
        streams = {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
        with translate_errors("attach to a container"):
            holder = self._client().attach_socket(container, params=streams)
        found = getattr(holder, "_sock", holder)
        if not isinstance(found, socket.socket) or isinstance(found, ssl.SSLSocket):
            raise SandboxError(
                f"{self.base_url} gives no plain socket to attach to; use one that is neither TLS nor SSH"
            )
        return found, holder

    def start(self, container: str) -> int:
        """Start a container and return the id of its first process as the engine's host sees it.

        Raises:
            SandboxError: it doesn't start.
        """
        with translate_errors("start a container"):
            client = self._client()
            client.start(container)
            process_id: int = client.inspect_container(container)["State"]["Pid"]
        return process_id

    def read_stats(self, container: str) -> Mapping[str, Any]:
        """Return the engine's own figures for a container.

        Raises:
            SandboxError: the engine doesn't answer.
        """
        with translate_errors("ask the engine what a container uses"):
            stats: Mapping[str, Any] = self._client().stats(container, stream=False, one_shot=True)
        return stats

    def read_end(self, container: str, *, wait_s: float) -> End | None:
        """Return how a container ended; ``None`` when it hasn't within so many seconds.

        Raises:
            SandboxError: the engine doesn't answer, or doesn't know the container.
        """
        client = self._client(_END_S)
        until = time.monotonic() + wait_s
        with translate_errors("ask the engine how a container ended"):
            while (state := client.inspect_container(container)["State"])["Running"]:
                if time.monotonic() > until:
                    return None
                time.sleep(_LOOK_S)
        return End(exit_code=int(state["ExitCode"]), out_of_memory=bool(state.get("OOMKilled")))

    def remove(self, container: str) -> None:
        """Kill a container if it runs, and remove it; does nothing if it is gone.

        Asks until the engine says that it is gone: Podman fails when it finds a process dead that it was about to stop.

        Raises:
            SandboxError: the engine doesn't answer or can't.
        """
        deadline = time.monotonic() + _END_S
        with translate_errors("remove a container"):
            while True:
                try:
                    self._client(_END_S).remove_container(container, force=True, v=True)
                except docker.errors.NotFound:
                    return
                except docker.errors.APIError:
                    if time.monotonic() > deadline:
                        raise
                    time.sleep(_AGAIN_S)
                else:
                    return

    def list_labelled(self, label: str) -> Mapping[str, str]:
        """Return the ids of all containers that carry a label, each with the label's value.

        Raises:
            SandboxError: the engine doesn't answer.
        """
        with translate_errors("list the containers"):
            found = self._client().containers(all=True, filters={"label": label})
        return {one["Id"]: one["Labels"][label] for one in found}

    def _client(self, timeout_s: int = _CALL_S) -> Any:
        with translate_errors(f"talk to the container engine at {self.base_url}"):
            return _connect(self.base_url, timeout_s)


def _import_image(client: Any, tar: bytes) -> str:
    """Return the id of a new image. The SDK's own call waits without end, and Podman ignores the tag in it."""
    answer = client.post(
        f"{client.base_url}/v{client.api_version}/images/create",
        params={"fromSrc": "-"},
        data=tar,
        headers={"Content-Type": "application/tar"},
        timeout=_CALL_S,
    )
    answer.raise_for_status()
    told = [json.loads(line).get("status", "") for line in answer.text.splitlines() if line.strip()]
    found = [status for status in told if status.startswith("sha256:")]
    if not found:
        raise SandboxError(f"the engine names no image that it made: {answer.text[-500:]!r}")
    return str(found[-1])


@once_per_process
def _connect(base_url: str, timeout_s: int) -> Any:
    """Return the client of this process, which has no types: after a fork the child makes its own."""
    return docker.APIClient(base_url=base_url, timeout=timeout_s, version="auto")
