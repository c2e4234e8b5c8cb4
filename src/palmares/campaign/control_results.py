"""How judges did on what was put in to watch over them: repeats, damaged outputs, the reference among outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import combinations
from typing import Any

import sqlalchemy as sa

from . import schema
from .left_out import left_out_of


@dataclass(frozen=True)
class ControlResults:
    """Counts of answers with ranks.

    ``repeats`` are screens that a judge answered again; of the ``repeated_pairs`` of outputs on them, ``same_pairs``
    were put in the same order (or tied) both times. ``degraded_below``: the damaged output stands below its original,
    on so many of the ``degraded`` screens. ``reference_top``: nothing stands above the reference.
    """

    repeats: int = 0
    repeated_pairs: int = 0
    same_pairs: int = 0
    degraded: int = 0
    degraded_below: int = 0
    reference: int = 0
    reference_top: int = 0

    def __add__(self, other: ControlResults) -> ControlResults:
        return ControlResults(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


NOTHING = ControlResults()


@dataclass(frozen=True)
class Results:
    """The same results by id of the language pair and by id of the judge."""

    by_pair: dict[int, ControlResults]
    by_judge: dict[int, ControlResults]


def control_results(tx: sa.Connection, campaign_id: int) -> Results:
    """Look at every answer to a control of a campaign; judges who are left out do not count for language pairs."""
    results, left_out = Results({}, {}), left_out_of(tx, campaign_id)
    for pair_id, person_id, result in (*_planted(tx, campaign_id), *_repeated(tx, campaign_id)):
        if person_id not in left_out:
            results.by_pair[pair_id] = results.by_pair.get(pair_id, NOTHING) + result
        results.by_judge[person_id] = results.by_judge.get(person_id, NOTHING) + result
    return results


def planted_results(tx: sa.Connection, campaign_id: int, person_id: int) -> ControlResults:
    """How one judge did on damaged outputs and on the reference among outputs."""
    return sum((result for _, _, result in _planted(tx, campaign_id, person_id)), NOTHING)


# -- inside ----------------------------------------------------------------------------------------------

Row = tuple[int, int, ControlResults]


def _planted(tx: sa.Connection, campaign_id: int, person_id: int | None = None) -> list[Row]:
    """Screens with an output that is no system's; of one judge, if there is a person's id."""
    served, screen, judgment = schema.served, schema.screen, schema.judgment
    shown, output = schema.screen_output, schema.output
    query = (
        sa.select(
            schema.segment.c.language_pair_id,
            served.c.person_id,
            screen.c.control,
            served.c.places,
            judgment.c.ranks,
            output.c.id,
            output.c.original_id,
        )
        .select_from(_of_campaign(served, screen).join(judgment, schema.latest(served.c.id)))
        .join(shown, shown.c.screen_id == screen.c.id)
        .join(output, sa.and_(shown.c.output_id == output.c.id, output.c.kind == screen.c.control))
        .where(schema.language_pair.c.campaign_id == campaign_id, judgment.c.skip.is_(None))
    )
    if person_id is not None:
        query = query.where(served.c.person_id == person_id)
    return [(pair, person, _planted_result(*rest)) for pair, person, *rest in tx.execute(query)]


def _planted_result(
    control: str, places: Sequence[int], ranks: Sequence[int], output_id: int, original_id: int | None
) -> ControlResults:
    rank = dict(zip(places, ranks, strict=True))
    if control == "reference":
        return ControlResults(reference=1, reference_top=int(rank[output_id] == min(ranks)))
    assert original_id is not None  # every damaged output is of one
    return ControlResults(degraded=1, degraded_below=int(rank[output_id] > rank[original_id]))


def _repeated(tx: sa.Connection, campaign_id: int) -> list[Row]:
    """Screens that were asked again; where the first answer has become a skip, there is nothing to compare."""
    again, first = schema.served.alias("again"), schema.served.alias("first")
    now, then = schema.judgment.alias("now"), schema.judgment.alias("then")
    query = (
        sa.select(
            schema.segment.c.language_pair_id, again.c.person_id, again.c.places, now.c.ranks, first.c.places,
            then.c.ranks,
        )
        .select_from(_of_campaign(again, schema.screen).join(now, schema.latest(again.c.id, now)))
        .join(first, again.c.repeat_of == first.c.id)
        .join(then, schema.latest(first.c.id, then))
        .where(schema.language_pair.c.campaign_id == campaign_id, now.c.skip.is_(None))
    )  # fmt: skip
    return [(pair, person, _repeated_result(*rest)) for pair, person, *rest in tx.execute(query)]


def _repeated_result(
    places: Sequence[int], ranks: Sequence[int], earlier: Sequence[int], earlier_ranks: Sequence[int] | None
) -> ControlResults:
    if earlier_ranks is None:
        return ControlResults(repeats=1)
    now, then = dict(zip(places, ranks, strict=True)), dict(zip(earlier, earlier_ranks, strict=True))
    pairs = list(combinations(sorted(now), 2))
    same = sum(_order(now[a], now[b]) == _order(then[a], then[b]) for a, b in pairs)
    return ControlResults(repeats=1, repeated_pairs=len(pairs), same_pairs=same)


def _order(a: int, b: int) -> int:
    return (a > b) - (a < b)


def _of_campaign(served: Any, screen: Any) -> Any:
    segment, pair = schema.segment, schema.language_pair
    return (
        served.join(screen, served.c.screen_id == screen.c.id)
        .join(segment, screen.c.segment_id == segment.c.id)
        .join(pair, segment.c.language_pair_id == pair.c.id)
    )
