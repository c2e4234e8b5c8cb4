"""News of results for pages that are open: server-sent events, and one look at the database for all who listen.

A stream says which state results are in, as often as that changes, and nothing else: pages then ask for what they show.
It holds no thread, and ends with the session it was asked for by, with the publication it shows, and with the server.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Collection, Mapping
from dataclasses import dataclass, field
from weakref import WeakSet

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import StreamingResponse

from ..campaign.boards import standing
from ..campaign.database import Database
from ..campaign.people import still_signed_in
from ..campaign.publications import public

log = logging.getLogger("palmares.server")

#: Seconds between two looks at the database, and after one that failed.
POLL, AFTER_FAILURE = 0.5, 5.0
#: Seconds after which a stream shows that it lives; proxies end what is silent for a minute.
HEARTBEAT = 15.0
#: Streams that a worker keeps for people who are signed in, and for the public. Browsers whose stream is refused ask
#: for results now and then instead.
MOST_SIGNED_IN, MOST_PUBLIC = 128, 256
#: Seconds that a stream may last; browsers open another one.
LONGEST = 3600.0


@dataclass(eq=False)
class Listener:
    """An open page: of which campaign, and by which session; of the public, by none."""

    campaign_id: int
    token: str | None
    mark: str
    is_over: bool = False
    news: asyncio.Event = field(default_factory=asyncio.Event)


class Streams:
    """All streams of one worker."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._listeners: set[Listener] = set()
        self._looking: asyncio.Task[None] | None = None
        self._is_ending = False
        _OF_THIS_PROCESS.add(self)

    def response(self, campaign_id: int, token: str | None, mark: str) -> StreamingResponse:
        """A stream of news; refused if there are too many. ``mark`` is the state that is known already."""
        of_public = token is None
        others = sum((listener.token is None) == of_public for listener in self._listeners)
        if self._is_ending or others >= (MOST_PUBLIC if of_public else MOST_SIGNED_IN):
            raise HTTPException(
                503,
                "too many pages of results are open at once; load this one again to see news",
                {"Retry-After": "30"},
            )
        return StreamingResponse(
            self._events(Listener(campaign_id, token, mark)),
            media_type="text/event-stream",
            headers={"X-Accel-Buffering": "no"},  # nginx would wait for more
        )

    def end(self) -> None:
        """End all streams, and take no more: the server stops."""
        self._is_ending = True
        for listener in self._listeners:
            self._finish(listener)

    async def _events(self, listener: Listener) -> AsyncIterator[bytes]:
        self._listeners.add(listener)
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look_again())
        end = time.monotonic() + LONGEST
        try:
            yield _event(listener.mark)
            while not self._is_ending and time.monotonic() < end:
                try:
                    async with asyncio.timeout(HEARTBEAT):
                        await listener.news.wait()
                except TimeoutError:
                    yield b": still here\n\n"
                    continue
                listener.news.clear()
                if listener.is_over:
                    if not self._is_ending:
                        yield b"event: over\ndata: over\n\n"
                    return
                yield _event(listener.mark)
        finally:
            self._listeners.discard(listener)

    async def _look_again(self) -> None:
        """Look for news as long as anybody listens."""
        while self._listeners and not self._is_ending:
            await asyncio.sleep(POLL)
            listeners = list(self._listeners)
            asked = {(each.campaign_id, each.token is None) for each in listeners}
            tokens = {each.token for each in listeners if each.token is not None}
            try:
                marks, valid = await run_in_threadpool(self._look, asked, tokens)
            except Exception as error:  # a database that is away comes back
                log.warning("results cannot be looked for (%s); tried again in %g s", error, AFTER_FAILURE)
                await asyncio.sleep(AFTER_FAILURE)
                continue
            for each in listeners:
                mark = marks.get((each.campaign_id, each.token is None))
                if mark is None or (each.token is not None and each.token not in valid):
                    self._finish(each)
                elif mark != each.mark:
                    each.mark = mark
                    each.news.set()

    def _look(
        self, asked: Collection[tuple[int, bool]], tokens: Collection[str]
    ) -> tuple[Mapping[tuple[int, bool], str], Collection[str]]:
        """The state of every campaign that somebody may still see, and the sessions that go on."""
        now = self._db.clock()
        with self._db.read() as tx:
            marks = {
                (campaign_id, of_public): standing(tx, campaign_id, now).mark
                for campaign_id, of_public in asked
                if not of_public or public(tx, campaign_id, now) is not None
            }
            return marks, still_signed_in(tx, tokens, now)

    @staticmethod
    def _finish(listener: Listener) -> None:
        listener.is_over = True
        listener.news.set()


def end_streams() -> None:
    """End all streams of this process; called where its server begins to stop, in its event loop."""
    for streams in list(_OF_THIS_PROCESS):
        streams.end()


def _event(mark: str) -> bytes:
    return f"event: results\nretry: 3000\ndata: {mark}\n\n".encode()


_OF_THIS_PROCESS: WeakSet[Streams] = WeakSet()
