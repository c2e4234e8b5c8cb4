"""Sakaguchi et al. 2014, Table 1: the official ranking of WMT13 French–English, by expected wins."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..ingest.files import concat
from ..judgments import Judgments
from ..models.ratios import ExpectedWins
from ..ranking.rank import rank
from ..ranking.result import RankedSystem, Ranking
from .base import Check, Context, Experiment, Findings, Row
from .campaigns import WMT13, wmt13_pool
from .published import load
from .w14_models import spearman

#: The resampling unit of the published program, and the usual one here.
UNITS = ("pair", "ranking")
#: By system: score, range, name in the files.
Table = Mapping[str, tuple[float, str, str]]


def _run(context: Context, *, resamples: int, rankings: int) -> Findings:
    pool = wmt13_pool(context, rankings)
    judgments = concat([pool.train, pool.test])
    by_unit = {unit: _ranked(context, judgments, resamples, unit) for unit in UNITS}
    printed = load("s14")["table_1"] if pool.real else {}
    rows = [_score(line, judgments, printed, pool.name) for line in by_unit["pair"].lines]
    rows += [
        Row(f"resampled by {unit}", 8.0, float(len(ranking.clusters)), n=len(judgments), group="clusters", digits=0)
        for unit, ranking in by_unit.items()
    ]
    rows += [
        Row(f"resampled by {unit}", 13.0, _equal(ranking, printed), n=13, group="rank ranges as published", digits=0)
        for unit, ranking in by_unit.items()
        if printed
    ]
    notes = [
        f"{len(judgments):,} judgments, training and test file together (the paper speaks of 80k); {resamples} "
        "bootstrap samples. ±: standard deviation over samples of pairs; n: decided comparisons of the system.",
    ]
    return Findings(rows, _checks(rows), notes, {pool.name: judgments.hash})


def _ranked(context: Context, judgments: Judgments, resamples: int, unit: str) -> Ranking:
    return rank(judgments, model=ExpectedWins(), resample=unit, resamples=resamples, execution=context.execution)


def _score(line: RankedSystem, judgments: Judgments, printed: Table, group: str) -> Row:
    published = printed[line.system][0] if printed else None
    met = int(judgments.counts.decided[judgments.systems.index(line.system)].sum())
    note = f"range {_span(line.range)}" + (f", published {printed[line.system][1]}" if printed else "")
    return Row(line.system, published, line.score, line.error, met, note, group)


def _equal(ranking: Ranking, printed: Table) -> float:
    """How many systems have the printed range."""
    return float(sum(_span(line.range) == printed[line.system][1] for line in ranking.lines))


def _span(ranks: tuple[int, int] | None) -> str:
    """A range as the paper prints it."""
    low, high = ranks or (0, 0)
    return f"{low}" if low == high else f"{low}-{high}"


def _checks(rows: list[Row]) -> list[Check]:
    both = [row for row in rows if row.published is not None and row.digits == 3]
    checks = []
    if both:
        scores = [np.array([getattr(row, name) for row in both]) for name in ("published", "measured")]
        apart = float(np.abs(scores[0] - scores[1]).max())
        rho = spearman(*scores)
        checks.append(Check("the published order", rho > 1 - 1e-9, f"Spearman {rho:.3f}, at most {apart:.4f} apart"))
    return checks + [
        Check(f"{row.published:g} {row.group}, {row.label}", row.measured == row.published, f"{row.measured:g}")
        for row in rows
        if row.digits == 0
    ]


RANKING = Experiment(
    "s14-ranking",
    "WMT13 French–English by expected wins, with clusters",
    "Sakaguchi et al. 2014, Table 1",
    _run,
    settings={"resamples": 1000, "rankings": 9996},
    quick={"resamples": 40, "rankings": 300},
    files=WMT13,
)
