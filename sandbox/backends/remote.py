"""The ``remote`` backend: sandboxes of a `taskfoundry serve` elsewhere, one WebSocket for each session.

Jobs and programs go there, outcomes come back; expected values stay here as with every backend. Its isolation and the
limits that it enforces are those that the service tells for what it has run. Method: own; measured in
docs/backends.md.
"""

import os
import random
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from sandbox.backends import LEVELS
from sandbox.backends.remote_contents import PackedJob, Packer, pack_job
from sandbox.backends.remote_service import AwayError, BusyError, Description, Service
from sandbox.backends.rootfs import PYTHON
from sandbox.backends.vm.link import Link
from sandbox.backends.vm.session import GuestChannel
from sandbox.base import Capability, Job, Outcome, Run, State
from sandbox.closing import Closing
from sandbox.guest.agent import PROTOCOL
from sandbox.messages import Message, expect
from sandbox.transport import decode_record, encode_record
from schemas.errors import ConfigError, SandboxError
from schemas.limits import Limits

URL_VARIABLE = "TASKFOUNDRY_REMOTE_URL"
TOKEN_VARIABLE = "TASKFOUNDRY_TOKEN"  # noqa: S105  # a name
_END = "the remote service"
_GRACE_S = 60.0
_OPEN_S = 120.0
_CLOSE_S = 15.0
_PROBE_S = 120.0
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.05, 2.0
_PIECE = 4 * 2**20
_HEADER_BYTES = 4096
_PROBE_LIMITS = Limits(cpu_s=4, wall_s=20, memory_mb=256, disk_mb=8, processes=16)
_Value = TypeVar("_Value")


class RemoteBackend:
    """See `sandbox.base.Backend`.

    Args:
        url: of the service; empty takes the variable `URL_VARIABLE`.
        token: for the service; empty takes the variable `TOKEN_VARIABLE`.
        busy_s: seconds to wait for a session while all of them are taken.
        away_s: seconds to wait for a service that was there before, for instance one that is started again.
    """

    name = "remote"

    def __init__(self, url: str = "", token: str = "", *, busy_s: float = 600.0, away_s: float = 15.0) -> None:
        self._url = url or os.environ.get(URL_VARIABLE, "")
        self._token = token or os.environ.get(TOKEN_VARIABLE, "")
        self._busy_s, self._away_s = busy_s, away_s
        self._packer = Packer()
        self._uploading = threading.Lock()
        self._probing = threading.Lock()
        self._capability: Capability | None = None
        self._asking = threading.Lock()
        self._known: tuple[Service, Description] | None = None

    def probe(self) -> Capability:
        """Return what works there, after running a program; a good answer is cached."""
        with self._probing:
            if self._capability is None:
                tried = self._try_out()
                if not tried.available:
                    return tried
                self._capability = tried
            return self._capability

    def open(self, job: Job) -> "RemoteSession":
        """Return a session, waiting for one while the service is busy.

        Raises:
            ConfigError: no service is named, it doesn't take the token, or it doesn't give what the job asks for.
            SandboxError: the service is gone or stays busy.
        """
        return self._open(job, self._busy_s)

    def _open(self, job: Job, busy_s: float) -> "RemoteSession":
        service, description = self._find_service()
        packed = pack_job(job, self._packer)
        connection = self._wait_for(
            lambda: service.connect(most_bytes=description.most_message_bytes), busy_s=busy_s, away_s=self._away_s
        )
        link = Link(connection, end=_END)
        try:
            name, capability = self._ask_for(link, packed, description)
        except BaseException:
            link.close()
            raise
        return RemoteSession(link, name, job.limits, capability)

    def _find_service(self) -> tuple[Service, Description]:
        with self._asking:
            if self._known is None:
                if not self._url:
                    raise ConfigError(f"no service is named: set {URL_VARIABLE}, for instance to http://host:8080")
                service = Service(self._url, self._token)
                description = service.describe()
                _check_versions(description, service.url)
                self._known = (service, description)
            return self._known

    def _wait_for(self, attempt: Callable[[], _Value], *, busy_s: float, away_s: float) -> _Value:
        """Return what an attempt gives, tried again with growing pauses while that may help."""
        begin, pause_s = time.monotonic(), _FIRST_PAUSE_S
        while True:
            try:
                return attempt()
            except (BusyError, AwayError) as error:
                patience_s = busy_s if isinstance(error, BusyError) else away_s
                if time.monotonic() - begin + pause_s > patience_s:
                    raise
            time.sleep(pause_s * random.uniform(0.5, 1.0))
            pause_s = min(pause_s * 1.5, _LONGEST_PAUSE_S)

    def _ask_for(self, link: Link, packed: PackedJob, description: Description) -> tuple[int, Capability]:
        """Return the session's number and what the service's sandbox can do, after sending what it lacks."""
        answer = _ask_once(link, packed)
        if "missing" in answer.header:
            with self._uploading:  # whoever waited here finds what the one before has sent
                answer = _ask_once(link, packed)
                if "missing" in answer.header:
                    for key in expect(answer.header["missing"], list, "missing"):
                        self._send_content(link, expect(key, str, "key"), packed, description)
                    answer = _ask_once(link, packed)
        capability = decode_record(Capability, answer.part("capability"), answer)
        if capability.isolation != description.isolation:
            words = f"from isolation {description.isolation!r} to {capability.isolation!r}"
            raise ConfigError(f"the remote service has changed {words}; begin again")
        return answer.number("session"), capability

    def _send_content(self, link: Link, key: str, packed: PackedJob, description: Description) -> None:
        if key not in packed.contents:
            raise SandboxError(f"the service asks for {key[:100]!r}, which isn't the job's")
        content = packed.contents[key]()
        step = max(1, min(_PIECE, description.most_message_bytes - _HEADER_BYTES))
        for offset in range(0, len(content), step):
            piece = content[offset : offset + step]
            link.ask("store", key=key, offset=offset, size=len(content), blobs=[piece], deadline_s=_OPEN_S)

    def _try_out(self) -> Capability:
        begin = time.monotonic()
        try:
            with self._open(Job(limits=_PROBE_LIMITS), min(self._busy_s, _PROBE_S)) as session:
                outcome = session.run(Run(argv=(PYTHON, "-I", "-S", "-c", "print(6 * 7)")))
            service, description = self._find_service()
        except (SandboxError, ConfigError) as error:
            return Capability(backend=self.name, available=False, reason=str(error))
        if outcome.state is not State.OK or outcome.stdout != b"42\n":
            words = outcome.stderr.decode(errors="replace").strip()[-300:] or outcome.detail
            reason = f"a trial program at {service.url} ended as {outcome.state.value}: {words}"
            return Capability(backend=self.name, available=False, reason=reason, isolation=description.isolation)
        return Capability(
            backend=self.name,
            available=True,
            reason=f"{description.backend} at {service.url}, {time.monotonic() - begin:.2f} s to probe",
            isolation=outcome.isolation,
            version=description.version,
            limits_enforced=outcome.limits_enforced,
            slowdown=description.slowdown,
        )


class RemoteSession(Closing):
    """See `sandbox.base.Session`.

    Args:
        link: a connection that nobody else uses.
        name: the session's number there.
        capability: of the service's sandbox.
    """

    def __init__(self, link: Link, name: int, limits: Limits, capability: Capability) -> None:
        self._link, self._name, self._limits, self._capability = link, name, limits, capability
        self.slowdown = capability.slowdown
        self._lock = threading.Lock()
        self._is_closed = False

    def run(self, run: Run) -> Outcome:
        """Return how a program ended. Never raises for what the program does.

        Raises:
            SandboxError: the service is gone or doesn't answer.
        """
        request = Message({"order": "run", "session": self._name})
        request.header["run"] = encode_record(run, request)
        deadline_s = self._limits.wall_s * self.slowdown + _GRACE_S
        answer = self._link.wait(self._link.post(request), deadline_s=deadline_s)
        return self._sign(decode_record(Outcome, answer.part("outcome"), answer))

    def converse(self, run: Run) -> GuestChannel:
        """Return a channel to a started program, which is process 1 inside; see `sandbox.base.Session.converse`."""
        request = Message({"order": "converse", "session": self._name})
        request.header["run"] = encode_record(run, request)
        answer = self._link.wait(self._link.post(request), deadline_s=_OPEN_S)
        return GuestChannel(self._link, answer.number("line"), self._sign)

    def close(self) -> None:
        """Kill everything inside and hang up; idempotent. Without an answer it all ends with the connection."""
        with self._lock:
            was_closed, self._is_closed = self._is_closed, True
        if was_closed:
            return
        try:
            if not self._link.is_broken:
                self._link.ask("close", session=self._name, deadline_s=_CLOSE_S)
        except (SandboxError, ConfigError):
            return
        finally:
            self._link.close()

    def _sign(self, outcome: Outcome) -> Outcome:
        """Return an outcome there as one of this backend; isolation and limits are those of who has run it."""
        return replace(outcome, backend=RemoteBackend.name, isolation=outcome.isolation or self._capability.isolation)


def _ask_once(link: Link, packed: PackedJob) -> Message:
    return link.wait(link.post(packed.encode()), deadline_s=_OPEN_S)


def _check_versions(description: Description, url: str) -> None:
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    if description.python != own:
        raise ConfigError(
            f"the service at {url} runs Python {description.python} and this is {own}; they must be equal"
        )
    if description.isolation not in LEVELS:
        raise ConfigError(f"the service at {url} tells the isolation level {description.isolation!r}, which is none")
    if description.protocol != PROTOCOL:
        raise ConfigError(f"the service at {url} speaks version {description.protocol} of the protocol, not {PROTOCOL}")
