"""What stands in front of the routes: tokens, the limit of a body, and an id for every request. ASGI. Method: own."""

import base64
import hmac
import uuid

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_OPEN_PATHS = ("/healthz", "/readyz")
REQUEST_ID_HEADER = "X-Request-Id"


class _TooLargeError(Exception):
    """More came than may."""


class Door:
    """Answers 401 to who bears no token, 413 to a body over the limit and 400 to one with two lengths, before any of
    it is parsed.

    The token comes as bearer, or as the password of basic authentication: that serves clients which can only be given
    an address (``http://any:TOKEN@host:port/run_code``).

    Args:
        app: what answers all others.
        token: empty lets everybody in.
        most_bytes: limit of a body, whether its length is told or not.
    """

    def __init__(self, app: ASGIApp, *, token: str, most_bytes: int) -> None:
        self._app, self._token, self._most_bytes = app, token.encode(), most_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it; a WebSocket is refused before it is one."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        request_id = uuid.uuid4().hex
        scope.setdefault("state", {})["request_id"] = request_id

        async def send_named(message: Message) -> None:
            if message["type"] in {"http.response.start", "websocket.accept", "websocket.http.response.start"}:
                MutableHeaders(scope=message)[REQUEST_ID_HEADER] = request_id
            await send(message)

        refusal = self._refuse(scope)
        if refusal is not None:
            await refusal(scope, receive, send_named)
        elif scope["type"] == "websocket":
            await self._app(scope, receive, send_named)
        else:
            await self._pass(scope, receive, send_named)

    def _refuse(self, scope: Scope) -> JSONResponse | None:
        headers = Headers(scope=scope)
        borne = _borne_by(headers)
        if scope["path"] not in _OPEN_PATHS and not self._lets_in(borne):
            challenge = {"WWW-Authenticate": "Bearer"}
            detail = "the token isn't the service's" if borne else "a token is needed"
            return JSONResponse({"detail": detail}, status_code=401, headers=challenge)
        if "content-length" in headers and "transfer-encoding" in headers:
            words = "Content-Length and Transfer-Encoding together: where the body ends would be a matter of opinion"
            return JSONResponse({"detail": words}, status_code=400, headers={"Connection": "close"})
        declared = headers.get("content-length", "0")
        if not (declared.isascii() and declared.isdigit()) or int(declared[:20]) > self._most_bytes:
            return self._too_large()
        return None

    def _lets_in(self, borne: bytes) -> bool:
        return not self._token or hmac.compare_digest(borne, self._token)

    async def _pass(self, scope: Scope, receive: Receive, send: Send) -> None:
        came = 0
        held: list[Message] = []

        async def receive_counted() -> Message:
            nonlocal came
            message = await receive()
            came += len(message.get("body", b""))
            if came > self._most_bytes:
                raise _TooLargeError
            return message

        async def send_unless_refused(message: Message) -> None:
            if came > self._most_bytes:
                held.append(message)
            else:
                await send(message)

        try:
            await self._app(scope, receive_counted, send_unless_refused)
        except _TooLargeError:
            held.append({})
        if held:
            await self._too_large()(scope, receive, send)

    def _too_large(self) -> JSONResponse:
        words = f"the body is over the limit of {self._most_bytes:,} bytes"
        return JSONResponse({"detail": words}, status_code=413, headers={"Connection": "close"})


def _borne_by(headers: Headers) -> bytes:
    """Return the token that a request bears, empty when it bears none."""
    kind, _, value = headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        return value.strip().encode("latin-1")
    if kind.lower() != "basic":
        return b""
    try:
        return base64.b64decode(value, validate=True).partition(b":")[2]
    except ValueError:  # also of a text that isn't ASCII
        return b""
