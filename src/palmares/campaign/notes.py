"""What judges wrote beside their answers: comments and reports of problems, with the screen they are about.

What counts is the latest revision of an answer. Notes on practice screens are here too: a problem there is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from . import schema
from .database import Database


@dataclass(frozen=True)
class ShownOutput:
    """One output of the screen, from the top; ``rank`` is None if it was skipped."""

    text: str
    kind: str
    systems: tuple[str, ...]
    rank: int | None


@dataclass(frozen=True)
class Note:
    """A note, who wrote it when, and the screen it is about. Ids grow with time.

    ``problem``: the judge reports one. ``skip`` is the reason for skipping the screen, ``verdict`` what was said of
    both outputs.
    """

    id: int
    at: datetime
    name: str
    pseudonym: str
    note: str
    problem: bool
    practice: bool
    lang_pair: str
    segment: str
    source: str
    reference: str | None
    outputs: tuple[ShownOutput, ...]
    skip: str | None
    verdict: str | None

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        return {**asdict(self), "at": self.at.isoformat()}


@dataclass(frozen=True)
class NoteCounts:
    """How many answers have a note, and how many of these report a problem."""

    notes: int
    problems: int


def notes(
    db: Database, campaign_id: int, *, problems: bool = False, limit: int = 50, before: int | None = None
) -> list[Note]:
    """The latest notes, newest first.

    Parameters
    ----------
    problems
        Only those that report a problem.
    before
        Only those with a smaller id, to go on where a page ended.
    """
    judgment, served, screen, segment = schema.judgment, schema.served, schema.screen, schema.segment
    query = (
        sa.select(
            *(judgment.c.id, judgment.c.created_at, judgment.c.note, judgment.c.problem, judgment.c.ranks),
            *(judgment.c.skip, judgment.c.verdict, served.c.places, served.c.lease_id),
            *(schema.person.c.name, schema.person.c.pseudonym, schema.language_pair.c.name.label("lang_pair")),
            *(segment.c.name.label("segment"), segment.c.source, segment.c.reference),
        )
        .select_from(
            _with_notes()
            .join(screen, served.c.screen_id == screen.c.id)
            .join(segment, screen.c.segment_id == segment.c.id)
            .join(schema.language_pair, segment.c.language_pair_id == schema.language_pair.c.id)
        )
        .where(*_of(campaign_id))
        .order_by(judgment.c.id.desc())
        .limit(limit)
    )
    if problems:
        query = query.where(judgment.c.problem)
    if before is not None:
        query = query.where(judgment.c.id < before)
    with db.read() as tx:
        rows = tx.execute(query).all()
        shown = _outputs(tx, {output for row in rows for output in row.places})
    return [_note(row, shown) for row in rows]


def count_notes(db: Database, campaign_id: int) -> NoteCounts:
    """How many notes there are."""
    problem = sa.func.coalesce(sa.func.sum(sa.case((schema.judgment.c.problem, 1), else_=0)), 0)
    query = sa.select(sa.func.count(), problem).select_from(_with_notes()).where(*_of(campaign_id))
    with db.read() as tx:
        every, problems = tx.execute(query).one()
    return NoteCounts(int(every), int(problems))


def _note(row: Any, shown: Mapping[int, dict[str, Any]]) -> Note:
    ranks = row.ranks or [None] * len(row.places)
    return Note(
        id=row.id,
        at=row.created_at,
        name=row.name,
        pseudonym=row.pseudonym,
        note=row.note,
        problem=row.problem,
        practice=row.lease_id is None,
        lang_pair=row.lang_pair,
        segment=row.segment,
        source=row.source,
        reference=row.reference,
        outputs=tuple(ShownOutput(**shown[key], rank=rank) for key, rank in zip(row.places, ranks, strict=True)),
        skip=row.skip,
        verdict=row.verdict,
    )


def _with_notes() -> sa.Join:
    judgment, served = schema.judgment, schema.served
    return judgment.join(served, schema.latest(served.c.id)).join(
        schema.person, served.c.person_id == schema.person.c.id
    )


def _of(campaign_id: int) -> tuple[sa.ColumnElement[bool], ...]:
    return schema.judgment.c.note.is_not(None), schema.person.c.campaign_id == campaign_id


def _outputs(tx: sa.Connection, ids: Iterable[int]) -> dict[int, dict[str, Any]]:
    """Outputs by id: text, kind and the systems behind them."""
    output, made_by, system = schema.output, schema.output_system, schema.system
    query = (
        sa.select(output.c.id, output.c.text, output.c.kind, system.c.name)
        .select_from(output.outerjoin(made_by, made_by.c.output_id == output.c.id).outerjoin(system))
        .where(output.c.id.in_(sorted(ids)))
        .order_by(system.c.name)
    )
    found: dict[int, dict[str, Any]] = {}
    for id, text, kind, name in tx.execute(query):
        known = found.setdefault(id, {"text": text, "kind": kind, "systems": ()})
        known["systems"] += () if name is None else (name,)
    return found
