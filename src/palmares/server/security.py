"""What every request and response passes through: headers, the size of bodies, and where a request comes from.

Starlette has no middleware for these, and a package of headers would bring its own defaults: ours are one table.
"""

from __future__ import annotations

import hashlib
import hmac
import sys
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from fastapi import Request
from fastapi.staticfiles import StaticFiles
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
CSRF_FIELD, CSRF_HEADER = "csrf", "X-CSRF-Token"

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
#: On every response, unless it says otherwise itself.
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "X-Robots-Tag": "noindex, nofollow",
}
FOR_EVER = "public, max-age=31536000, immutable"


class SecurityHeaders:
    """Add `HEADERS` to every response, errors and static files among them."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, send_with_headers)


class BelowRootPath:
    """Find routes whether or not the proxy cuts the root path off: inside, it is always there."""

    def __init__(self, app: ASGIApp, root_path: str) -> None:
        self.app, self.root_path = app, root_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            path = scope["path"]
            below = path == self.root_path or path.startswith(f"{self.root_path}/")
            scope = {**scope, "root_path": self.root_path, "path": path if below else self.root_path + path}
        await self.app(scope, receive, send)


class BodyLimit:
    """Refuse a body that is too long (413), as soon as that is known; also one that does not say its length."""

    def __init__(self, app: ASGIApp, limit_for: Callable[[Scope, int], Awaitable[int]]) -> None:
        self.app, self.limit_for = app, limit_for

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _has_body(scope):
            await self.app(scope, receive, send)
            return
        given = Headers(scope=scope).get("content-length", "")
        announced = int(given) if given.isdecimal() else sys.maxsize
        limit, received = await self.limit_for(scope, announced), 0

        async def receive_within_limit() -> Message:
            nonlocal received
            if given and announced > limit:
                raise _too_long(limit)
            message = await receive()
            received += len(message.get("body", b""))
            if received > limit:
                raise _too_long(limit)
            return message

        await self.app(scope, receive_within_limit, send)


class StaticFilesForEver(StaticFiles):
    """Files whose address changes with their content."""

    def file_response(self, *args: Any, **options: Any) -> Response:
        response = super().file_response(*args, **options)
        response.headers["Cache-Control"] = FOR_EVER
        return response


def csrf_token(secret: str) -> str:
    """What a form must carry: it follows from the cookie's secret, which no other site can read."""
    return hmac.new(secret.encode(), b"palmares csrf", hashlib.sha256).hexdigest()


def is_csrf_token(secret: str, given: str) -> bool:
    return hmac.compare_digest(csrf_token(secret).encode(), given.encode("utf-8", "replace"))


async def given_csrf(request: Request) -> str:
    """The token that came with a request: in its header, or in its form."""
    header = request.headers.get(CSRF_HEADER)
    if header is not None:
        return header
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in ("application/x-www-form-urlencoded", "multipart/form-data"):
        return ""
    field = (await request.form()).get(CSRF_FIELD)
    return field if isinstance(field, str) else ""


def refuse_other_sites(request: Request) -> None:
    """Refuse what another site's page made the browser send.

    Browsers say so in ``Sec-Fetch-Site``, older ones in ``Origin``, whose host must be ours. Without both it is no
    browser, or one on a page without a referrer: then the token alone decides. (Go's ``CrossOriginProtection``
    works alike.)
    """
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin", "null")
    if site is not None:
        foreign = site not in ("same-origin", "none")
    else:
        foreign = origin != "null" and urlsplit(origin).netloc.lower() != request.headers.get("host", "").lower()
    if foreign:
        raise HTTPException(403, "this was sent by a page of another site; open ours and send it from there")


def _has_body(scope: Scope) -> bool:
    return scope["method"] not in SAFE_METHODS or any(
        name in (b"content-length", b"transfer-encoding") for name, _ in scope["headers"]
    )


def _too_long(limit: int) -> HTTPException:
    return HTTPException(413, f"the request is longer than {limit} bytes; send less", {"Connection": "close"})
