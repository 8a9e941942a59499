"""Starts the service and stops it in order: what has been accepted is answered first. Method: own, over uvicorn."""

import logging
import os
import signal
from pathlib import Path

import uvicorn

from sandbox.base import Backend
from sandbox.languages.python import try_packages
from sandbox.server.app import make_app
from sandbox.server.connections import ImpatientProtocol
from sandbox.server.settings import ServerSettings
from schemas.errors import ConfigError
from schemas.limits import Limits

TOKEN_VARIABLE = "TASKFOUNDRY_TOKEN"  # noqa: S105  # a name
_BACKLOG = 2048
_PING_S = 10.0


def read_token(file: Path | None) -> str:
    """Return the token: of a file, or of the environment variable; empty when there is none.

    Raises:
        ConfigError: the file can't be read, or holds no token.
    """
    if file is None:
        return os.environ.get(TOKEN_VARIABLE, "")
    try:
        token = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ConfigError(f"the token file {file} can't be read: {why}") from error
    if not token:
        raise ConfigError(f"the token file {file} is empty")
    return token


def serve_forever(backend: Backend, settings: ServerSettings) -> None:
    """Serve until SIGTERM or SIGINT; returns when everything that was accepted is answered.

    Raises:
        ConfigError: the backend doesn't work here, or a module can't be imported ahead.
    """
    capability = backend.probe()
    if not capability.available:
        raise ConfigError(f"no sandbox can be had here: {capability.reason}")
    if settings.packages is not None:
        try_packages(backend, Limits(), settings.packages)
    logging.getLogger("uvicorn.access").setLevel(logging.WARNING)
    logging.getLogger("uvicorn.error").addFilter(_is_no_session)
    config = uvicorn.Config(
        make_app(backend, settings),
        host=settings.host,
        port=settings.port,
        http=ImpatientProtocol,
        backlog=_BACKLOG,
        access_log=False,
        server_header=False,
        ws_max_size=settings.most_body_bytes,
        ws_ping_interval=_PING_S,
        ws_ping_timeout=_PING_S,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=int(settings.wait_s + settings.most_request_s),
    )
    for number in (signal.SIGTERM, signal.SIGINT):  # uvicorn raises them again when it has stopped
        signal.signal(number, lambda *_: None)
    uvicorn.Server(config).run()


def _is_no_session(record: logging.LogRecord) -> bool:
    """Return whether a line of the log isn't about one WebSocket; the audit log has those."""
    words = str(record.msg)
    return "WebSocket" not in words and not words.startswith("connection ")
