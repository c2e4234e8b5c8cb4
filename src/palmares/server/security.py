"""What every request and response passes through: headers, the size of bodies, and where a request comes from.

Starlette has no middleware for these, and a package of headers would bring its own defaults: ours are one table.
"""

from __future__ import annotations

import asyncio
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
    """Let every request look as it did to the browser: below the root path, and sent to the configured address.

    Routes are found whether or not the proxy cuts the root path off: inside, it is always there. With an address
    configured, neither ``Host`` nor a proxy's header decides which host links name and whether cookies are ``Secure``.
    """

    def __init__(self, app: ASGIApp, root_path: str, scheme_and_host: tuple[str, str] | None = None) -> None:
        self.app, self.root_path, self.scheme_and_host = app, root_path, scheme_and_host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            path = scope["path"]
            below = path == self.root_path or path.startswith(f"{self.root_path}/")
            scope = {**scope, "root_path": self.root_path, "path": path if below else self.root_path + path}
            if self.scheme_and_host is not None:
                scheme, host = self.scheme_and_host
                others = [(name, value) for name, value in scope["headers"] if name != b"host"]
                scope.update(scheme=scheme, headers=[(b"host", host.encode("ascii")), *others])
        await self.app(scope, receive, send)


#: A body has so many seconds to come, and one more for every so many bytes that have come.
BODY_SECONDS, BYTES_A_SECOND = 30.0, 1024


class BodyLimit:
    """Refuse a body that is too long (413) or too slow (408), as soon as that is known.

    A body need not say its length. One that comes too slowly would hold its connection for ever.
    """

    def __init__(
        self, app: ASGIApp, limit_for: Callable[[Scope, int], Awaitable[int]], seconds: float = BODY_SECONDS
    ) -> None:
        self.app, self.limit_for, self.seconds = app, limit_for, seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _has_body(scope):
            await self.app(scope, receive, send)
            return
        given = Headers(scope=scope).get("content-length", "")
        announced = int(given) if given.isdecimal() else sys.maxsize
        limit, received, is_whole = await self.limit_for(scope, announced), 0, False
        start: float | None = None  # when the body is first asked for: until then the server may have been busy

        async def receive_within_limit() -> Message:
            nonlocal received, is_whole, start
            if is_whole:  # what comes now is the end of the connection, whenever that is
                return await receive()
            if given and announced > limit:
                raise _too_long(limit)
            start = asyncio.get_running_loop().time() if start is None else start
            try:
                async with asyncio.timeout_at(start + self.seconds + received / BYTES_A_SECOND):
                    message = await receive()
            except TimeoutError:
                raise _too_slow() from None
            received += len(message.get("body", b""))
            is_whole = not message.get("more_body", False)
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


def _too_slow() -> HTTPException:
    return HTTPException(408, "the request was not complete in time; send it again", {"Connection": "close"})
