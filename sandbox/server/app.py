"""The HTTP service: routes, and what every request leaves in the counters and the audit log.

Work is done on threads, as many at once as the gate lets through; the event loop only waits. Method: own, over FastAPI.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

import anyio
from anyio import to_thread
from fastapi import FastAPI, HTTPException, Request, Response, WebSocket

from sandbox.base import Backend
from sandbox.pool import WarmBackend
from sandbox.server.audit import AuditLog, fingerprint
from sandbox.server.door import Door
from sandbox.server.gate import BusyError, Gate
from sandbox.server.judging import JudgeDesk, JudgeRequest, JudgeResponse
from sandbox.server.metrics import Metrics
from sandbox.server.replies import Reply, add_refusals
from sandbox.server.running import CodeRunner, RunCodeRequest, RunCodeResponse
from sandbox.server.sessions import SessionDesk, describe_service
from sandbox.server.settings import ServerSettings
from sandbox.server.timing import Clock, TimedBackend, running
from schemas.errors import ConfigError, SandboxError, SchemaError, SeedError

_BUSY, _CLIENT_CLOSED, _GATEWAY_TIMEOUT = 429, 499, 504
_GONE = "the client has gone"
_LOOK_S = 1.0
_WARM_JOBS = 3
"""As many full sets of warm sandboxes are kept: whoever varies limits mustn't fill the memory."""
_Answer = TypeVar("_Answer", JudgeResponse, RunCodeResponse)


class _GoneError(Exception):
    """The client has hung up before its turn came."""


class Service:
    """What the routes share; made when the service starts and closed when it stops."""

    def __init__(self, backend: Backend, settings: ServerSettings) -> None:
        self.settings = settings
        per_job = max(2, settings.concurrency)
        self.pool = WarmBackend(backend, per_job=per_job, most=_WARM_JOBS * per_job)
        self.gate = Gate(concurrency=settings.concurrency, waiting=settings.waiting, wait_s=settings.wait_s)
        self.audit = AuditLog(settings.audit)
        self.metrics = Metrics(
            self.pool.counts, lambda: (self.gate.working, self.gate.waiting), lambda: self.sessions.open
        )
        self.metrics.audit_lost.set_function(lambda: self.audit.lost)
        self.sessions = SessionDesk(self.pool, settings, self.metrics, self.audit)
        timed = TimedBackend(self.pool)
        self.desk = JudgeDesk(timed, settings)
        self.runner = CodeRunner(timed, settings)
        self._threads = anyio.CapacityLimiter(settings.concurrency)

    async def work(
        self, request: Request, endpoint: str, program: str, task: Callable[[], _Answer], end: Callable[[_Answer], str]
    ) -> _Answer:
        """Return what a task gives, in turn and on a thread, counted and logged.

        Args:
            program: for the log, which keeps a fingerprint of it.
            end: names how it ended, from the answer.

        Raises:
            HTTPException: the queue is full, the client has gone, or the request can't be answered; the status says
                which.
        """
        start = time.monotonic()
        answered = "error"
        try:
            async with self.gate.turn():
                answer, is_heard = await self._run_in_time(request, task)
            answered = end(answer) if is_heard else "gone"
        except _GoneError as error:
            answered = "gone"
            raise HTTPException(_CLIENT_CLOSED, _GONE) from error
        except BusyError as error:
            answered = "busy"
            status = _GATEWAY_TIMEOUT if endpoint == "run_code" else _BUSY
            headers = {"Retry-After": str(error.retry_after_s)}
            raise HTTPException(status, str(error), headers=headers) from error
        except (ConfigError, SchemaError) as error:
            answered = "refused"
            raise HTTPException(422, str(error)) from error
        except (SeedError, SandboxError) as error:
            answered = "no_verdict"
            raise HTTPException(503, str(error), headers={"Retry-After": "5"}) from error
        else:
            return answer
        finally:
            seconds = time.monotonic() - start
            self.metrics.requests.labels(endpoint, answered).inc()
            self.metrics.seconds.labels(endpoint).observe(seconds)
            client = request.client.host if request.client else ""
            self.audit.add(
                request=request.state.request_id,
                client=client,
                endpoint=endpoint,
                answer=answered,
                program=fingerprint(program),
                program_chars=len(program),
                seconds=round(seconds, 4),
            )

    async def _run_in_time(self, request: Request, task: Callable[[], _Answer]) -> tuple[_Answer, bool]:
        """Return what a task gives, and whether its client is still there; when it has gone or the time is over, the
        task's sandboxes are closed."""
        if await request.is_disconnected():
            raise _GoneError
        clock = Clock()

        def run() -> _Answer:
            with running(clock):
                return task()

        watching = asyncio.create_task(self._watch(request, clock))
        try:
            answer = await to_thread.run_sync(run, limiter=self._threads, abandon_on_cancel=False)
        finally:
            watching.cancel()
            await asyncio.wait({watching})
        return answer, clock.why_over != _GONE

    async def _watch(self, request: Request, clock: Clock) -> None:
        most_s = self.settings.most_request_s
        until = time.monotonic() + most_s
        why = f"the request took longer than {most_s:g} s, which is all that this service gives one"
        while (left_s := until - time.monotonic()) > 0:
            await asyncio.sleep(min(_LOOK_S, left_s))
            if await request.is_disconnected():
                why = _GONE
                break
        await to_thread.run_sync(clock.end, why)

    def close(self) -> None:
        """Close everything; what is being worked on has ended before."""
        self.sessions.close()
        self.desk.close()
        self.pool.close()
        self.audit.close()


def make_app(backend: Backend, settings: ServerSettings) -> FastAPI:
    """Return the application; it starts nothing before it is served."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        service = Service(backend, settings)
        app.state.service = service
        try:
            yield
        finally:
            await to_thread.run_sync(service.close)

    app = FastAPI(title="taskfoundry", lifespan=lifespan, docs_url=None, redoc_url=None, default_response_class=Reply)
    add_refusals(app)
    app.add_middleware(Door, token=settings.token, most_bytes=settings.most_body_bytes)

    _add_open_routes(app)
    _add_working_routes(app)
    return app


def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


def _add_open_routes(app: FastAPI) -> None:
    @app.get("/healthz")
    def say_alive() -> dict[str, str]:
        """Answer while the process lives."""
        return {"status": "ok"}

    @app.get("/readyz")
    async def say_ready(request: Request) -> Reply:
        """Answer 200 when a sandbox can be had, 503 with the reason when not."""
        capability = await to_thread.run_sync(_service(request).pool.probe)
        status = 200 if capability.available else 503
        return Reply({"status": "ok" if capability.available else capability.reason}, status_code=status)


def _add_working_routes(app: FastAPI) -> None:
    @app.get("/metrics")
    def show_metrics(request: Request) -> Response:
        """Return the counters in Prometheus's text format."""
        return Response(_service(request).metrics.render(), media_type="text/plain; version=0.0.4")

    @app.get("/capability")
    async def show_capability(request: Request) -> dict[str, object]:
        """Return what the sandbox can do."""
        service = _service(request)
        return describe_service(await to_thread.run_sync(service.pool.probe), service.settings)

    @app.websocket("/sandbox")
    async def open_session(socket: WebSocket) -> None:
        """Serve a session of a remote client."""
        service: Service = socket.app.state.service
        await service.sessions.serve(socket)

    @app.post("/judge")
    async def judge(request: Request, body: JudgeRequest) -> JudgeResponse:
        """Return the verdict on a solution and its reward."""
        service = _service(request)
        program = body.solution or body.completion or ""
        return await service.work(
            request, "judge", program, lambda: service.desk.judge(body), lambda answer: answer.reason
        )

    @app.post("/run_code")
    async def run_code(request: Request, body: RunCodeRequest) -> RunCodeResponse:
        """Return what a program printed and how it ended, as SandboxFusion does."""
        service = _service(request)
        return await service.work(
            request, "run_code", body.code, lambda: service.runner.run(body), lambda answer: answer.status.value
        )
