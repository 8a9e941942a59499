"""Connections that bring no whole request in time are closed, so that idle clients don't use up the open files.

uvicorn limits the time between two requests and none within one: a client may send its header a byte at a time, before
anybody has seen a token. Method: own.
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

HEADER_S = 20.0
"""Seconds for the header of a request, up to twice as many, counted from the connection or the last answer."""
BODY_S = 120.0
"""Seconds for its body, up to `HEADER_S` more."""


class ImpatientProtocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """uvicorn's protocol with a clock for each connection."""

    header_s = HEADER_S
    body_s = BODY_S

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Start the clock."""
        super().connection_made(transport)
        self._seen: Any = (None, True, False)
        """The request at the last look, whether the next one is waited for, and whether its body is; none at first."""
        self._looks = 0
        self._clock = self.loop.call_later(self.header_s, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock."""
        self._clock.cancel()
        super().connection_lost(exc)

    def _look(self) -> None:
        """Close the connection if it has brought nothing since the last look, or a body for too long."""
        if self not in self.connections:  # it is a WebSocket's now
            return
        cycle = self.cycle
        is_waiting = cycle is None or cycle.response_complete
        is_receiving = not is_waiting and cycle.more_body
        state = (cycle, is_waiting, is_receiving)
        self._looks = self._looks + 1 if state == self._seen else 0
        self._seen = state
        waited_s = self._looks * self.header_s
        if (is_waiting and waited_s > 0) or (is_receiving and waited_s >= self.body_s):
            self.transport.close()
            return
        self._clock = self.loop.call_later(self.header_s, self._look)
