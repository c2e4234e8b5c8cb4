"""Make a campaign of test sets that have been read and checked."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable

import sqlalchemy as sa

from ..errors import InputError
from ..texts.testset import TestSet
from . import journal, schema
from .database import Database
from .definition import find_campaign, store_settings
from .settings import Settings

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")


def create_campaign(db: Database, name: str, settings: Settings, testsets: Iterable[TestSet]) -> int:
    """Store a new campaign, all of it or nothing; return its id."""
    if not NAME.fullmatch(name):
        raise InputError(
            f"campaign name: got {name!r}; allowed: up to 63 of a-z, 0-9 and '-', beginning with a letter or digit "
            "(it becomes part of the address)"
        )
    with db.begin() as tx:
        if tx.execute(sa.select(schema.campaign.c.id).where(schema.campaign.c.name == name)).first():
            raise InputError(
                f"campaign {name!r} is in {db.name} already; choose another name, or add language pairs to it "
                f"with 'palmares campaign add {name}'"
            )
        values = {"name": name, "state": "open", "secret": secrets.token_hex(32), "created_at": db.clock()}
        campaign_id = tx.execute(schema.campaign.insert().values(values).returning(schema.campaign.c.id)).scalar_one()
        store_settings(tx, db, campaign_id, settings)
        journal.record(tx, db, campaign_id, "campaign-created", name=name)
        _store(tx, db, campaign_id, settings, testsets)
        return int(campaign_id)


def add_pairs(db: Database, name: str, testsets: Iterable[TestSet], *, by: int | None = None) -> None:
    """Add language pairs to a campaign."""
    from .definition import settings_of

    with db.begin() as tx:
        info = find_campaign(tx, name)
        _store(tx, db, info.id, settings_of(tx, info.id), testsets, by=by)


def _store(
    tx: sa.Connection,
    db: Database,
    campaign_id: int,
    settings: Settings,
    testsets: Iterable[TestSet],
    by: int | None = None,
) -> None:
    for testset in testsets:
        _check(tx, campaign_id, settings, testset)
        pair_id = _store_pair(tx, campaign_id, testset)
        journal.record(
            tx,
            db,
            campaign_id,
            "pair-added",
            by=by,
            langs=str(testset.langs),
            segments=len(testset.segments),
            systems=len(testset.outputs),
        )
        _store_texts(tx, pair_id, testset)


def _check(tx: sa.Connection, campaign_id: int, settings: Settings, testset: TestSet) -> None:
    pair = schema.language_pair.c
    langs = str(testset.langs)
    if tx.execute(sa.select(pair.id).where(pair.campaign_id == campaign_id, pair.name == langs)).first():
        raise InputError(f"language pair {langs} is in the campaign already; each is given once, with all its systems")
    if len(testset.outputs) < 2:
        raise InputError(f"{langs}: got {len(testset.outputs)} system; a comparison needs at least 2")
    if not any(len({texts[i] for texts in testset.outputs.values()}) > 1 for i in range(len(testset.segments))):
        raise InputError(f"{langs}: all systems give the same output on every line; there is nothing to compare")
    if settings.controls.reference and any(s.reference is None for s in testset.segments):
        raise InputError(f"{langs}: controls.reference needs a reference, and there is none; give one or set it to 0")


def _store_pair(tx: sa.Connection, campaign_id: int, testset: TestSet) -> int:
    langs = testset.langs
    values = {"campaign_id": campaign_id, "source": langs.source, "target": langs.target, "name": str(langs)}
    insert = schema.language_pair.insert().values(values).returning(schema.language_pair.c.id)
    return int(tx.execute(insert).scalar_one())


def _store_texts(tx: sa.Connection, pair_id: int, testset: TestSet) -> None:
    """Segments and outputs; an output that several systems share is stored once."""
    system_ids = _insert(
        tx, schema.system, [{"language_pair_id": pair_id, "name": n, "designed": 0} for n in testset.outputs]
    )
    behind: list[dict[str, list[int]]] = []
    for i in range(len(testset.segments)):
        texts: dict[str, list[int]] = {}
        for system_id, outputs in zip(system_ids, testset.outputs.values(), strict=True):
            texts.setdefault(outputs[i], []).append(system_id)
        behind.append(texts)
    segments: list[dict[str, object]] = [
        {
            "language_pair_id": pair_id,
            "position": position,
            "name": s.id,
            "document": s.document,
            "source": s.source,
            "reference": s.reference,
            "designed": 0,
            "outputs": len(behind[position]),
        }
        for position, s in enumerate(testset.segments)
    ]
    segment_ids = _insert(tx, schema.segment, segments)
    flat = [
        (sid, text, systems) for sid, texts in zip(segment_ids, behind, strict=True) for text, systems in texts.items()
    ]
    # Stored in no order of systems: an output's number must say nothing about where it came from.
    secrets.SystemRandom().shuffle(flat)
    output_ids = _insert(
        tx, schema.output, [{"segment_id": sid, "kind": "system", "text": text} for sid, text, _ in flat]
    )
    links = [
        {"output_id": output_id, "system_id": system_id}
        for output_id, (_, _, systems) in zip(output_ids, flat, strict=True)
        for system_id in systems
    ]
    tx.execute(schema.output_system.insert(), links)


def _insert(tx: sa.Connection, table: sa.Table, rows: list[dict[str, object]]) -> list[int]:
    """Insert rows and return their ids in the same order."""
    statement = table.insert().returning(table.c.id, sort_by_parameter_order=True)
    return [int(key) for key in tx.scalars(statement, rows)]
