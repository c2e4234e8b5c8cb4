"""What judges wrote beside their answers: comments, reports of problems, why a screen was skipped; and that screen.

What counts is the latest revision of an answer. Notes on practice screens are here too: a problem there is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from . import schema
from .database import Database
from .definition import settings_at
from .screens import ScreenView, as_shown

_NOTED, _SKIPPED = schema.judgment.c.note.is_not(None), schema.judgment.c.skip.is_not(None)
_KINDS: dict[str, sa.ColumnElement[bool]] = {
    "note": _NOTED,
    "comment": sa.and_(_NOTED, ~schema.judgment.c.problem),
    "problem": sa.and_(_NOTED, schema.judgment.c.problem),
    "skipped": _SKIPPED,
    "any": sa.or_(_NOTED, _SKIPPED),
}
#: What `notes` can be asked for.
KINDS = tuple(_KINDS)


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

    ``note`` is None where a screen was skipped without a word, which is only told if it is asked for.
    ``problem``: the judge reports one. ``skip`` is the reason for skipping the screen, ``verdict`` what was said of
    both outputs.
    """

    id: int
    at: datetime
    name: str
    pseudonym: str
    note: str | None
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
    """How many answers have a note, and how many of these report a problem; how many screens were skipped."""

    notes: int
    problems: int
    skipped: int = 0


def notes(
    db: Database,
    campaign_id: int,
    *,
    problems: bool = False,
    kind: str = "note",
    judge: str | None = None,
    lang_pair: str | None = None,
    limit: int = 50,
    before: int | None = None,
    number: int | None = None,
) -> list[Note]:
    """The latest notes, newest first.

    Parameters
    ----------
    problems
        Only those that report a problem.
    kind
        Any ``note``; a ``comment``, which reports no ``problem``; ``skipped`` screens, with a note or without; or
        ``any`` of these.
    judge, lang_pair
        Only those of a judge, by pseudonym, or of a language pair.
    before
        Only those with a smaller id, to go on where a page ended.
    number
        Only the one with this id.
    """
    judgment, served, screen, segment = schema.judgment, schema.served, schema.screen, schema.segment
    which = _KINDS[kind]
    query = (
        sa.select(
            *(judgment.c.id, judgment.c.created_at, judgment.c.note, judgment.c.problem, judgment.c.ranks),
            *(judgment.c.skip, judgment.c.verdict, served.c.places, served.c.lease_id),
            *(schema.person.c.name, schema.person.c.pseudonym, schema.language_pair.c.name.label("lang_pair")),
            *(segment.c.name.label("segment"), segment.c.source, segment.c.reference),
        )
        .select_from(
            _answers()
            .join(screen, served.c.screen_id == screen.c.id)
            .join(segment, screen.c.segment_id == segment.c.id)
            .join(schema.language_pair, segment.c.language_pair_id == schema.language_pair.c.id)
        )
        .where(which, schema.person.c.campaign_id == campaign_id)
        .order_by(judgment.c.id.desc())
        .limit(limit)
    )
    if problems:
        query = query.where(_KINDS["problem"])
    if judge is not None:
        query = query.where(schema.person.c.pseudonym == judge)
    if lang_pair is not None:
        query = query.where(schema.language_pair.c.name == lang_pair)
    if number is not None:
        query = query.where(judgment.c.id == number)
    if before is not None:
        query = query.where(judgment.c.id < before)
    with db.read() as tx:
        rows = tx.execute(query).all()
        shown = _outputs(tx, {output for row in rows for output in row.places})
    return [_note(row, shown) for row in rows]


def count_notes(db: Database, campaign_id: int) -> NoteCounts:
    """How many notes there are, and how many screens were skipped."""
    counted = [
        sa.func.coalesce(sa.func.sum(sa.case((_KINDS[kind], 1), else_=0)), 0) for kind in ("note", "problem", "skipped")
    ]
    query = sa.select(*counted).select_from(_answers()).where(schema.person.c.campaign_id == campaign_id, _KINDS["any"])
    with db.read() as tx:
        return NoteCounts(*map(int, tx.execute(query).one()))


def screen_of(db: Database, campaign_id: int, number: int) -> tuple[Note, ScreenView] | None:
    """The screen behind a note, as it was shown to its judge, with the answer in it; None if there is none.

    What surrounds the texts (sentences before and after, the reference) is as the settings of then had it.
    """
    found = notes(db, campaign_id, kind="any", number=number)
    if not found:
        return None
    (note,) = found
    judgment, served = schema.judgment.c, schema.served.c
    whose = sa.select(served.person_id, served.public_id, served.created_at)
    with db.read() as tx:
        query = whose.join(schema.judgment, judgment.served_id == served.id).where(judgment.id == number)
        row = tx.execute(query).one()
        view = as_shown(tx, row.person_id, row.public_id, settings_at(tx, campaign_id, row.created_at))
    ranks = tuple(output.rank for output in note.outputs)
    return note, replace(view, ranks=ranks, skipped=note.skip, verdict=note.verdict)


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


def _answers() -> sa.Join:
    judgment, served = schema.judgment, schema.served
    return judgment.join(served, schema.latest(served.c.id)).join(
        schema.person, served.c.person_id == schema.person.c.id
    )


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
