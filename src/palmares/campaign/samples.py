"""Screens to look at that do not count: nothing of them is stored, and no judge is given them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

import sqlalchemy as sa

from ..errors import InputError
from ..texts import LanguagePair, TestSet
from . import schema
from .create import Said, different_outputs
from .database import Database
from .definition import PairInfo, settings_of
from .screens import Option, ScreenView, Turn
from .settings import Settings


def sample_of_texts(testset: TestSet, settings: Settings, number: int) -> ScreenView:
    """A screen as the campaign would ask it, from texts that are not stored; every number is another segment."""
    different = different_outputs(testset, settings)
    places = [index for index, texts in enumerate(different) if len(texts) > 1]
    if not places:
        raise InputError(f"{testset.langs}: all systems give the same output on every line; nothing can be shown")
    index = places[number % len(places)]
    segment = testset.segments[index]
    near = settings.screen.context if segment.document is not None else 0
    around = [
        [other.source for other in testset.segments[begin:end] if other.document == segment.document]
        for begin, end in ((max(0, index - near), index), (index + 1, index + 1 + near))
    ]
    return _view(
        testset.langs,
        (segment.source, segment.turns),
        segment.reference,
        around,
        list(different[index]),
        settings,
        number,
    )


def sample_of_campaign(db: Database, campaign_id: int, pair: PairInfo, number: int) -> ScreenView | None:
    """A screen as the campaign would ask it now; None if the language pair has nothing to compare."""
    segment, output = schema.segment.c, schema.output.c
    comparable = sa.and_(segment.language_pair_id == pair.id, segment.outputs > 1)
    with db.read() as tx:
        settings = settings_of(tx, campaign_id)
        count = int(tx.execute(sa.select(sa.func.count()).where(comparable)).scalar_one())
        if not count:
            return None
        query = sa.select(schema.segment).where(comparable).order_by(segment.position)
        row = tx.execute(query.offset(number % count).limit(1)).one()
        shown = sa.select(output.text, output.turns).where(output.segment_id == row.id, output.kind == "system")
        said = [(text, _pairs(turns)) for text, turns in tx.execute(shown.order_by(output.id))]
        near = settings.screen.context if row.document is not None else 0
        beside = (
            sa.select(segment.source)
            .where(segment.language_pair_id == pair.id, segment.document == row.document)
            .order_by(segment.position)
        )
        before = beside.where(segment.position.between(row.position - near, row.position - 1))
        after = beside.where(segment.position.between(row.position + 1, row.position + near))
        around = [list(tx.scalars(each)) for each in (before, after)]
    langs = LanguagePair(pair.source, pair.target)
    return _view(langs, (row.source, _pairs(row.turns)), row.reference, around, said, settings, number)


# -- inside ----------------------------------------------------------------------------------------------


def _view(
    langs: LanguagePair,
    source: Said,
    reference: str | None,
    around: Sequence[Sequence[str]],
    said: list[Said],
    settings: Settings,
    number: int,
) -> ScreenView:
    """The same number gives the same screen, so that one can be talked about."""
    chosen = Random(number).sample(said, min(len(said), settings.screen.outputs))
    text, turns = source
    return ScreenView(
        id="sample",
        practice=False,
        langs=langs,
        source=text,
        turns=_turns(turns),
        reference=reference if settings.screen.reference else None,
        before=tuple(around[0]),
        after=tuple(around[1]),
        options=tuple(Option(place, text, _turns(turns)) for place, (text, turns) in enumerate(chosen, 1)),
        ranks=(None,) * len(chosen),
        skipped=None,
        verdict=None,
        note=None,
        problem=False,
        revision=0,
        draft_version=0,
        number=1,
        of=1,
        previous=None,
        following=(),
        settings=settings,
    )


def _turns(turns: Iterable[tuple[str, str]]) -> tuple[Turn, ...]:
    return tuple(Turn(role, content) for role, content in turns)


def _pairs(stored: list[dict[str, str]] | None) -> tuple[tuple[str, str], ...]:
    return tuple((turn["role"], turn["content"]) for turn in stored or ())
