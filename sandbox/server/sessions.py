"""`GET /sandbox`: sandboxes for clients elsewhere, one session for each WebSocket, a frame for each message.

A connection of its own for each session: a large tree on its way into one holds up no other, a client that breaks the
rules loses one session, and the seats can be counted at the door. Method: own.
"""

import asyncio
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from starlette.responses import JSONResponse
from starlette.websockets import WebSocket

from sandbox.base import Capability
from sandbox.closing import Closing
from sandbox.guest.agent import PROTOCOL
from sandbox.pool import WarmBackend
from sandbox.server.audit import AuditLog
from sandbox.server.bridge import Bridge
from sandbox.server.contents import ContentStore
from sandbox.server.metrics import Metrics
from sandbox.server.session_agent import SessionAgent
from sandbox.server.settings import ServerSettings
from sandbox.server.warmth import SparingPool
from schemas.errors import SandboxError

_PROTOCOL_ERROR, _NORMAL = 1002, 1000
_ENDPOINT = "sandbox"
_MIB = 2**20


class SessionDesk(Closing):
    """Serves the sessions of all clients, so many at once; belongs to one event loop."""

    def __init__(self, pool: WarmBackend, settings: ServerSettings, metrics: Metrics, audit: AuditLog) -> None:
        self._pool, self._settings, self._metrics, self._audit = SparingPool(pool), settings, metrics, audit
        self._contents = ContentStore(int(settings.cache_mb * _MIB))
        self._threads = ThreadPoolExecutor(settings.sessions, thread_name_prefix="session")
        self.open = 0
        """Sessions that are open now."""

    async def serve(self, socket: WebSocket) -> None:
        """Serve a client until it has gone; one too many is refused before anything is set up."""
        begin = time.monotonic()
        if self.open >= self._settings.sessions:
            words = f"all {self._settings.sessions} sessions of the service are taken"
            await socket.send_denial_response(JSONResponse({"detail": words}, 429, headers={"Retry-After": "1"}))
            self._note(socket, "busy", begin, runs=0)
            return
        self.open += 1
        answered, runs = "error", 0
        try:
            await socket.accept()
            bridge = Bridge(
                socket,
                most_bytes=self._settings.most_body_bytes,
                idle_s=self._settings.session_idle_s,
                most_s=self._settings.most_session_s,
            )
            agent = SessionAgent(bridge, self._pool, self._contents, self._settings)
            answered = await self._serve_with(agent, bridge, socket)
            runs = agent.runs
        finally:
            self.open -= 1
            self._note(socket, answered, begin, runs=runs)

    async def _serve_with(self, agent: SessionAgent, bridge: Bridge, socket: WebSocket) -> str:
        serving = asyncio.get_running_loop().run_in_executor(self._threads, agent.serve)
        try:
            end = await bridge.pump(serving)
        finally:
            bridge.end()
            words = ""
            try:
                await serving
            except SandboxError as error:
                words = str(error)
        if end != "closed":
            with suppress(RuntimeError):
                await socket.close(_PROTOCOL_ERROR if words else _NORMAL, words[:100] or end)
        return end

    def _note(self, socket: WebSocket, answered: str, begin: float, *, runs: int) -> None:
        seconds = time.monotonic() - begin
        self._metrics.requests.labels(_ENDPOINT, answered).inc()
        self._audit.add(
            request=socket.state.request_id,
            client=socket.client.host if socket.client else "",
            endpoint=_ENDPOINT,
            answer=answered,
            runs=runs,
            seconds=round(seconds, 4),
        )

    def close(self) -> None:
        """Forget what clients have sent; their sessions have ended before."""
        self._threads.shutdown()
        self._contents.close()


def describe_service(capability: Capability, settings: ServerSettings) -> dict[str, object]:
    """Return what `/capability` says: what the sandbox can do, and what a remote client must know."""
    return {
        "backend": capability.backend,
        "isolation": capability.isolation,
        "version": capability.version,
        "limits_enforced": list(capability.limits_enforced),
        "degraded": capability.degraded,
        "slowdown": capability.slowdown,
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
        "protocol": PROTOCOL,
        "most_message_bytes": settings.most_body_bytes,
    }
