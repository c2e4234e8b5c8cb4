"""One shape for every error: as JSON ``{"error": {"kind", "message", …}}``, as a page the same in words.

Nothing of an unexpected error reaches the client but a number, under which the log has the rest.
"""

from __future__ import annotations

import logging
import re
import secrets
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..campaign.given_texts import TextsRefused
from ..campaign.refusals import CampaignError, Conflict, DraftConflict, Incomplete, fault_of
from ..errors import InputError
from .pages import render

log = logging.getLogger("palmares.server")

KINDS = {
    400: "bad-request",
    401: "signed-out",
    403: "forbidden",
    404: "not-found",
    405: "method-not-allowed",
    408: "too-slow",
    413: "too-large",
    422: "invalid",
    429: "too-many",
    500: "broken",
    503: "unavailable",
    507: "not-stored",
}
#: Kinds that the pages have words for, in every language; the others show the message itself.
IN_WORDS = frozenset({"signed-out", "forbidden", "not-found", "too-large", "too-many", "broken", "unavailable",
                      "not-stored"})  # fmt: skip
_SHOWN = 5


class ErrorDetail(BaseModel):
    """What went wrong, for a program (``kind``) and for a person (``message``)."""

    model_config = ConfigDict(extra="allow")
    kind: str
    message: str


class ErrorBody(BaseModel):
    error: ErrorDetail


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The errors of a JSON route, for its description."""
    return {status: {"model": ErrorBody, "description": HTTPStatus(status).phrase} for status in statuses}


def problem(
    request: Request, status: int, kind: str, message: str, headers: dict[str, str] | None = None, **more: Any
) -> Response:
    """An error as the client wants it."""
    if wants_json(request):
        body = {"error": {"kind": kind, "message": message, **more}}
        return JSONResponse(body, status_code=status, headers=headers)
    response = _page(request, status, kind, message)
    response.headers.update(headers or {})
    return response


def wants_json(request: Request) -> bool:
    path = request.url.path.removeprefix(str(request.scope.get("root_path", "")))
    accepted = request.headers.get("accept", "")
    return path.startswith(("/api/", "/health", "/openapi.json")) or (
        "application/json" in accepted and "text/html" not in accepted
    )


def _page(request: Request, status: int, kind: str, message: str) -> Response:
    words = kind if kind in IN_WORDS else "refused"
    try:
        return render(request, "error.html", status=status, kind=words, message=message)
    except Exception:  # a page about a fault must not need what is at fault
        log.exception("the page about an error could not be made")
        return HTMLResponse("<!doctype html><title>Error</title><p>Something went wrong.</p>", status)


# -- from exceptions to answers ----------------------------------------------------------------------------


def install(app: FastAPI) -> None:
    """Register the handlers."""
    handlers: dict[Any, Any] = {
        HTTPException: _http_error,
        RequestValidationError: _invalid,
        CampaignError: _campaign_error,
        InputError: _input_error,
    }
    for kind, handler in handlers.items():
        app.add_exception_handler(kind, handler)


def _http_error(request: Request, error: HTTPException) -> Response:
    status = error.status_code
    message = error.detail or HTTPStatus(status).phrase
    headers = dict(error.headers or {})
    return problem(request, status, KINDS.get(status, "refused"), message, headers)


def _invalid(request: Request, error: RequestValidationError) -> Response:
    complaints = [f"{'.'.join(str(part) for part in e['loc'])}: {e['msg']}" for e in error.errors()]
    more = f" (and {len(complaints) - _SHOWN} more)" if len(complaints) > _SHOWN else ""
    return problem(request, 422, "invalid", "; ".join(complaints[:_SHOWN]) + more)


def _input_error(request: Request, error: InputError) -> Response:
    return problem(request, 422, "invalid", str(error))


def _campaign_error(request: Request, error: CampaignError) -> Response:
    wait = getattr(error, "retry_after", None)
    headers = {} if wait is None else {"Retry-After": str(wait)}
    return problem(request, error.status, error.kind, str(error), headers, **_stored(error))


def _stored(error: CampaignError) -> dict[str, Any]:
    """What helps the client to go on."""
    if isinstance(error, Conflict):
        said = {"ranks": error.ranks, "skip": error.skipped, "verdict": error.verdict}
        return {"stored": {"revision": error.revision, **said}}
    if isinstance(error, DraftConflict):
        return {"stored": {"version": error.version, "ranks": error.ranks}}
    if isinstance(error, TextsRefused):
        return {"findings": error.findings, "checks": error.checks}
    if isinstance(error, Incomplete):
        return {"missing": error.missing}
    return {}


class Boundary:
    """Turn what nothing else has caught into an answer, and log it."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = False

        async def watched(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self.app(scope, receive, watched)
        except Exception as error:
            response = _answer_to(Request(scope), error)
            if started:
                raise
            await response(scope, receive, send)


def _answer_to(request: Request, error: Exception) -> Response:
    if isinstance(error, HTTPException):
        return _http_error(request, error)
    fault = error if isinstance(error, CampaignError) else fault_of(error)
    number, path = secrets.token_hex(4), without_token(request.url.path)
    if fault is not None:
        log.error(
            "%s %s: %s [%s] %s", request.method, path, type(fault).__name__, number, getattr(error, "orig", error)
        )
        return _campaign_error(request, fault)
    log.error("%s %s: unexpected error [%s]", request.method, path, number, exc_info=error)
    message = f"something went wrong on the server; if it happens again, tell the organiser this number: {number}"
    return problem(request, 500, "broken", message, number=number)


# -- logs --------------------------------------------------------------------------------------------------

_TOKEN = re.compile(r"(/(?:join|setup/link)/)[^/?\s]+")
#: The address of a crowd's platform names the worker in its query, or wherever else the organiser has put it.
_GROUP = re.compile(r"(/group)[/?]\S*")


def without_token(text: str) -> str:
    """A path that may be logged: who holds an invitation, and which worker came, is nobody else's business."""
    return _GROUP.sub(r"\1/…", _TOKEN.sub(r"\1…", text))


class WithoutTokens(logging.Filter):
    """Keep invitation links out of the access log."""

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(without_token(a) if isinstance(a, str) else a for a in record.args)
        return True


def guard_access_log() -> None:
    """Put the filter on uvicorn's access log, once."""
    access = logging.getLogger("uvicorn.access")
    if not any(isinstance(f, WithoutTokens) for f in access.filters):
        access.addFilter(WithoutTokens())
