"""Is the server fit to work? For proxies, service managers and monitors."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import BaseModel

from ..campaign.migrations import head
from .access import PUBLIC, Store
from .errors import documented

router = APIRouter()


class Health(BaseModel):
    status: str
    database: str
    revision: str


@router.get("/health", dependencies=[PUBLIC], responses=documented(503))
def health(db: Store) -> Health:
    """``ok``, or 503 if the database cannot be reached or has another version than this program."""
    db.check_revision()
    return Health(status="ok", database=db.dialect, revision=head())
