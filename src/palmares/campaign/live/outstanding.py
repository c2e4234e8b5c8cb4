"""Screens that were designed and are not answered yet: what judges hold, what is ready for them, what others left."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import sqlalchemy as sa
from sqlalchemy import bindparam

from ...judgments import FloatArray
from .. import schema
from ..leases import lacking
from .tally import Tally

_HIT, _SCREEN, _SERVED, _JUDGMENT, _SHOWN = (
    table.c for table in (schema.hit, schema.screen, schema.served, schema.judgment, schema.screen_output)
)
_ANSWERED = sa.func.coalesce(
    sa.func.sum(sa.case((_JUDGMENT.skip.is_(None) & _JUDGMENT.id.is_not(None), 1), else_=0)), 0
)
_SKIPPED = sa.func.coalesce(sa.func.sum(sa.case((_JUDGMENT.skip.is_not(None), 1), else_=0)), 0)
_WAITING = (
    sa.select(_SCREEN.id, _HIT.wanted, _ANSWERED, _SKIPPED)
    .select_from(schema.hit)
    .join(schema.screen, _SCREEN.hit_id == _HIT.id)
    .outerjoin(schema.served, sa.and_(_SERVED.screen_id == _SCREEN.id, _SERVED.repeat_of.is_(None)))
    .outerjoin(schema.judgment, schema.latest(_SERVED.id))
    .where(_HIT.language_pair_id == bindparam("pair"), sa.text("not hit.closed"))
    .group_by(_SCREEN.id, _HIT.wanted)
)
_OUTPUTS = sa.select(_SHOWN.screen_id, _SHOWN.output_id).where(
    _SHOWN.screen_id.in_(bindparam("screens", expanding=True))
)


def outstanding(tx: sa.Connection, tally: Tally) -> FloatArray:
    """``[i, j]``: answers still to come that will compare these two systems."""
    awaited: dict[int, int] = {}
    for screen, wanted, answered, skipped in tx.execute(_WAITING, {"pair": tally.pair_id}):
        awaited[screen] = lacking(wanted, answered, skipped)
    awaited = {screen: number for screen, number in awaited.items() if number}
    outputs: dict[int, list[int]] = {}
    for screen, output in tx.execute(_OUTPUTS, {"screens": list(awaited)}):
        outputs.setdefault(screen, []).append(output)
    met = np.zeros((len(tally.systems), len(tally.systems)))
    for screen, shown in outputs.items():
        for one, other in combinations(tally.behind(shown), 2):
            for a in one:
                for b in other:
                    met[a, b] += awaited[screen]
                    met[b, a] += awaited[screen]
    return met
