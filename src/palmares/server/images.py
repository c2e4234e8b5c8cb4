"""The images of a campaign, for the people of the campaign."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from starlette.exceptions import HTTPException
from starlette.responses import Response

from ..campaign import Role
from ..campaign.images import find_image
from .access import SignedIn, Store, allow

router = APIRouter(prefix="/c/{campaign}/images", dependencies=[allow(Role.JUDGE, Role.OBSERVER, Role.ORGANISER)])
#: The address changes with the content; "private", since who may see an image is asked of everyone anew.
_FOR_EVER = "private, max-age=31536000, immutable"


@router.get("/{digest}")
def image(digest: Annotated[str, Path(pattern="^[0-9a-f]{64}$")], session: SignedIn, db: Store) -> Response:
    """One image by the digest of its bytes."""
    found = find_image(db, session.person.campaign_id, digest)
    if found is None:
        raise HTTPException(404, "the campaign has no such image")
    # Shown in a page or saved, but never a page of its own that could run anything.
    headers = {"Cache-Control": _FOR_EVER, "Content-Security-Policy": "default-src 'none'; sandbox"}
    return Response(found.body, media_type=found.media_type, headers=headers)
