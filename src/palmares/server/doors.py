"""What stands before a session: a page with a button, and a secret in a cookie of the browser that is looking at it.

Without the secret another site could sign someone in under a name of its choice.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any

from fastapi import Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from .pages import url
from .security import csrf_token, given_csrf, is_csrf_token


@dataclass(frozen=True)
class Door:
    """A kind of link: the name of its cookie, what its addresses begin with, and how long its page may lie open."""

    cookie: str
    path: str
    seconds: int = 3600

    def look(self, request: Request) -> str:
        """The secret of the browser that looks, a new one if it has none; the forms of the page get its token."""
        secret = self.secret(request) or secrets.token_urlsafe(32)
        request.state.csrf = csrf_token(secret)
        return secret

    def secret(self, request: Request) -> str:
        """What the browser sent; an empty text if nothing."""
        return request.cookies.get(self.cookie, "")

    def keep(self, request: Request, page: Response, secret: str) -> Response:
        """Let the browser keep the secret while the page is open."""
        page.set_cookie(self.cookie, secret, max_age=self.seconds, **self._options(request))
        return quietly(page)

    async def check(self, request: Request) -> str:
        """The secret of a form that came from the page; other forms are refused."""
        secret = self.secret(request)
        if not secret or not is_csrf_token(secret, await given_csrf(request)):
            raise HTTPException(403, "the form is too old, or cookies are switched off; open the link again")
        return secret

    def forget(self, request: Request, response: Response) -> Response:
        response.delete_cookie(self.cookie, **self._options(request))
        return quietly(response)

    def _options(self, request: Request) -> dict[str, Any]:
        https = request.url.scheme == "https"
        return {"path": url(request, self.path), "secure": https, "httponly": True, "samesite": "lax"}


#: Personal invitations; links for a group, whose secret also gives the code to come back with.
JOIN, GROUP = Door("palmares-join", "/join"), Door("palmares-group", "/group")


def quietly(response: Response) -> Response:
    """The address holds the token, so no other page may learn it."""
    response.headers["Referrer-Policy"] = "no-referrer"
    return response


def address_of(request: Request) -> str:
    """Where a request comes from, for limits."""
    return request.client.host if request.client else "unknown"
