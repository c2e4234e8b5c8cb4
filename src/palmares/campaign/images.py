"""The images of a campaign: brought with its texts, never changed, found by their digest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from time import monotonic

import sqlalchemy as sa

from ..errors import InputError
from ..texts.images import ALL_TOGETHER
from ..texts.testset import TestSet
from . import schema
from .database import Database
from .settings import Settings

#: Seconds for which it is remembered what the texts of a campaign call an image.
_KNOWN = 60


@dataclass(frozen=True)
class StoredImage:
    """An image as it is served."""

    media_type: str
    body: bytes


def check_markup(settings: Settings, langs: str, testset: TestSet) -> None:
    """Refuse images in a campaign that shows its texts as they are, since nobody would see them."""
    if testset.images and settings.task.markup == "plain":
        raise InputError(
            f"{langs}: the texts show {len(testset.images)} images, and task.markup is 'plain', which shows none; "
            "set task.markup = 'markdown', or leave the images out"
        )


def store_images(tx: sa.Connection, campaign_id: int, testset: TestSet) -> None:
    """Store the images that a test set brings. One that is there already must be the same."""
    column = schema.image.c
    query = sa.select(column.name, column.digest).where(column.campaign_id == campaign_id)
    known: dict[str, str] = dict(tx.execute(query).all()) if testset.images else {}
    for name, image in testset.images.items():
        assert image is not None, f"{name} was not looked for"
        if known.get(name, image.digest) != image.digest:
            raise InputError(
                f"{testset.langs}: the campaign has another image {name!r} already; give this one another name"
            )
        if name not in known:
            values = {"name": name, "media_type": image.media_type, "digest": image.digest, "body": image.body}
            tx.execute(schema.image.insert().values(campaign_id=campaign_id, **values))
    if testset.images:
        stored = sa.select(sa.func.sum(sa.func.length(column.body))).where(column.campaign_id == campaign_id)
        if int(tx.execute(stored).scalar() or 0) > ALL_TOGETHER:
            raise InputError(f"the images of a campaign may have {ALL_TOGETHER // 2**20} MiB in all; make them smaller")


def find_image(db: Database, campaign_id: int, digest: str) -> StoredImage | None:
    """The image with this digest, if the campaign has it."""
    column = schema.image.c
    query = sa.select(column.media_type, column.body).where(column.campaign_id == campaign_id, column.digest == digest)
    with db.read() as tx:
        row = tx.execute(query.limit(1)).first()
    return None if row is None else StoredImage(row.media_type, bytes(row.body))


def digest_of(db: Database, campaign: str, name: str) -> str | None:
    """The digest of the image that the texts of a campaign call so; None if it has none."""
    try:
        return _known_digest(db, campaign, name, int(monotonic() // _KNOWN))
    except LookupError:
        return None


@lru_cache(maxsize=4096)
def _known_digest(db: Database, campaign: str, name: str, _minute: int) -> str:
    """As above. What a name stands for changes only if the campaign is deleted and another one is called so; what is
    not there may come, so that it is not remembered.
    """
    image, campaigns = schema.image.c, schema.campaign.c
    query = sa.select(image.digest).join(schema.campaign, image.campaign_id == campaigns.id)
    with db.read() as tx:
        digest = tx.execute(query.where(campaigns.name == campaign, image.name == name)).scalar()
    if digest is None:
        raise LookupError(name)
    return str(digest)
