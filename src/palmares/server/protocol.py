"""How a connection speaks HTTP: as uvicorn's do, but whoever begins a request has to finish its head in time.

uvicorn ends connections that are idle between two requests and waits for ever for one that has begun. (The body of a
request has its own limit, `security.BodyLimit`.) Its parser in C, httptools, saves a tenth of a millisecond a
request and has no limit on the size of a head; h11 has one and is what uvicorn brings along.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from .streams import end_streams

#: From the connection, or the first byte of a later request, to the end of the head.
HEAD_SECONDS = 20.0
_TOO_LATE = b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class PromptServer(uvicorn.Server):
    """uvicorn's server, which would wait for streams that have no end when it is to stop."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        end_streams()
        await super().shutdown(sockets)


class PromptProtocol(H11Protocol):
    """A connection that is closed if the head of a request does not come."""

    head_seconds = HEAD_SECONDS

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.on_lost: Callable[[], None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._has_begun = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._timer = self.loop.call_later(self.head_seconds, self._too_late)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._has_begun = True
        # What comes after a response is the next head, or what is left of a body that nobody wanted to read.
        awaits_head = self.cycle is None or self.cycle.response_complete
        if not awaits_head or self.transport.is_closing():
            self._stop_timer()
        elif self._timer is None:
            self._timer = self.loop.call_later(self.head_seconds, self._too_late)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)
        if self.on_lost is not None:
            self.on_lost()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _too_late(self) -> None:
        self._timer = None
        # Browsers open connections in advance; one that nothing came on is closed without a word.
        if self._has_begun and self.conn.our_state is h11.IDLE:
            self.transport.write(_TOO_LATE)
        self.transport.close()
