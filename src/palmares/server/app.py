"""Make the application."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from anyio import to_thread
from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.types import Scope

from .._version import __version__
from ..campaign.database import Database
from ..campaign.definition import CAMPAIGN_NAME
from ..campaign.limits import body_bytes
from ..campaign.settings import SMALLEST_BODY_LIMIT
from ..campaign.setup import tidy
from ..campaign.stock import Restocker
from . import (
    api,
    api_manage,
    api_page,
    api_read,
    crowd,
    images,
    join,
    judging,
    manage,
    manage_crowd,
    manage_end,
    manage_export,
    manage_invite,
    manage_judge,
    manage_notes,
    manage_people,
    manage_preview,
    manage_programs,
    manage_publish,
    manage_settings,
    manage_texts,
    pages,
    problems,
    results,
    setup,
    uploads,
)
from .access import TEXT_BYTES, check_declarations, may_send_texts
from .config import ServerConfig
from .description import describe
from .security import BelowRootPath, BodyLimit, SecurityHeaders, StaticFilesForEver
from .streams import Streams

#: Routes with pages, and those that programs are meant to use.
_MANAGE = (
    *(manage, results, manage_notes, manage_crowd, manage_people, manage_invite, manage_programs, manage_judge),
    *(manage_texts, manage_settings, manage_preview, manage_export, manage_publish, manage_end),
)
_PAGES = (
    *(part.router for part in (api_page, join, setup, crowd, judging, images, *_MANAGE)),
    manage_publish.public_router,
    results.public_router,
)
#: Requests that a worker answers at the same time. Most of an answer is Python, which does one thing at a time: more
#: threads only take turns more often.
THREADS = 8
#: Seconds between two looks for what was uploaded and never used.
_TIDY = 1800.0
log = logging.getLogger("palmares.server")
_FOR_PROGRAMS = (
    *(api_manage.create_router, api_read.list_router, api_manage.router, api_read.router, api.router),
    api.health_router,
)
#: Where programs send texts.
_TEXTS = re.compile(rf"/api/v1/(?:campaigns|({CAMPAIGN_NAME.pattern})/(?:pairs|systems))")
#: Where texts are uploaded: a longer body may come there than elsewhere.
_UPLOADS = re.compile(rf"/setup/texts|/c/{CAMPAIGN_NAME.pattern}/manage/texts")
_CAMPAIGN = re.compile(rf"/(?:c|api/v1)/({CAMPAIGN_NAME.pattern})(?:/|$)")


def from_environment() -> FastAPI:
    """The application as the environment describes it: ``uvicorn --factory palmares.server.app:from_environment``."""
    problems.guard_access_log()
    return create_app(ServerConfig.from_environment())


def create_app(config: ServerConfig, *, database: Database | None = None) -> FastAPI:
    """The application; ``database`` is an open one to use instead of the configured one."""
    db = database or Database.open(config.database)
    restocker = Restocker(db)
    app = FastAPI(
        title="Palmares",
        version=__version__,
        docs_url=None,  # its page needs scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,
        lifespan=_at_work(db, restocker, close=database is None),
    )
    app.state.database, app.state.config, app.state.restocker = db, config, restocker
    app.state.streams = Streams(db)
    problems.install(app)
    # The last one added is the outermost.
    app.add_middleware(BodyLimit, limit_for=_body_limit(db, config.root_path))
    app.add_middleware(problems.Boundary)
    app.add_middleware(SecurityHeaders)
    app.add_middleware(BelowRootPath, root_path=config.root_path, scheme_and_host=config.scheme_and_host)
    for router in (*_PAGES, *_FOR_PROGRAMS):
        app.include_router(router, include_in_schema=router in _FOR_PROGRAMS)
    app.mount(f"/static/{pages.digest()}", StaticFilesForEver(directory=pages.STATIC), name="static")
    check_declarations(app)
    describe(app)
    return app


def _at_work(
    db: Database, restocker: Restocker, *, close: bool
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        to_thread.current_default_thread_limiter().total_tokens = THREADS
        restocker.start()
        tidying = asyncio.create_task(_tidying(db))
        yield
        tidying.cancel()
        await run_in_threadpool(restocker.stop)
        if close:
            db.close()

    return lifespan


async def _tidying(db: Database) -> None:
    """Now and then, remove what was uploaded in the browser and never used."""
    while True:
        await asyncio.sleep(_TIDY)
        try:
            await run_in_threadpool(tidy, db)
        except Exception:  # a database that is away comes back
            log.exception("what was uploaded and not used could not be removed; it is tried again")


def _body_limit(db: Database, root_path: str) -> Callable[[Scope, int], Awaitable[int]]:
    async def limit_for(scope: Scope, announced: int) -> int:
        if announced <= SMALLEST_BODY_LIMIT:  # no settings refuse it, so there is no need to look
            return SMALLEST_BODY_LIMIT
        path = str(scope["path"]).removeprefix(root_path)
        if _UPLOADS.fullmatch(path):
            return uploads.UPLOAD_BYTES
        texts = _TEXTS.fullmatch(path)
        if texts is not None and await run_in_threadpool(may_send_texts, db, Headers(scope=scope), texts[1]):
            return TEXT_BYTES
        named = _CAMPAIGN.match(path)
        return await run_in_threadpool(body_bytes, db, named[1] if named else None)

    return limit_for
