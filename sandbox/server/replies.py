"""JSON answers that can always be written, whatever a client or a program has put into their texts. Method: own."""

import json
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

_WORDS = 500
"""Characters kept of what is said about one fault of a request."""
_FAULTS = 20
_DETAIL = 2000
"""Characters kept of the reason why a request is refused."""


class Reply(JSONResponse):
    """An answer in JSON; lone surrogates, which UTF-8 can't hold, become question marks."""

    def render(self, content: Any) -> bytes:
        """Return the bytes of an answer."""
        return json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode(
            "utf-8", "replace"
        )


def add_refusals(app: FastAPI) -> None:
    """Have faults of requests told as `Reply`: which field and why, without repeating what was sent."""

    @app.exception_handler(RequestValidationError)
    async def refuse_body(_: Request, error: RequestValidationError) -> Reply:
        faults = [
            {"loc": [str(part)[:_WORDS] for part in fault["loc"]], "msg": fault["msg"][:_WORDS], "type": fault["type"]}
            for fault in error.errors()[:_FAULTS]
        ]
        return Reply({"detail": faults}, status_code=422)

    @app.exception_handler(HTTPException)
    async def refuse(_: Request, error: HTTPException) -> Reply:
        return Reply({"detail": error.detail[:_DETAIL]}, status_code=error.status_code, headers=error.headers)
