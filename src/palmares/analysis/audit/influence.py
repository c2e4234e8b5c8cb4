"""``judge-influence``: which judge departs from the others, and what moves without them?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...judgments.counts import FloatArray
from ...ranking.bootstrap import comparable
from .case import Case
from .findings import Finding, Interval, Subject, skipped
from .judges import PERMUTATIONS, JudgeSums
from .points import tail
from .wording import decimals, judge_named, percent, some, span

_MOST, _DEPARTS = " departs most from the others: ", " departs from the others: "


def influence(case: Case) -> Finding:
    """Test every judge's residual points against those of blocks whose judges were exchanged.

    The largest statistic of every permutation is what each judge's is compared with (maxT of Westfall & Young 1993), so
    that the chance of naming any judge wrongly is the level.
    """
    found = case.judge_sums
    if isinstance(found, str):
        return skipped("judge-influence", found)
    if found.white.shape[1] == 0:
        return skipped("judge-influence", "all judgments are as expected")
    statistic = found.statistic
    p = tail(statistic, case.exchanged_judges[:, 1])
    order = np.argsort(-statistic, kind="stable")
    subjects = tuple(_subject(case, found, j, float(p[j])) for j in order)
    first = subjects[0]
    share = percent(float(found.made[order[0]]) / case.amount)
    return Finding(
        "judge-influence",
        f"{judge_named(first.name)} ({share} of the {case.unit_name}s){_MOST}{first.detail}",
        f"permutation of judges over {case.block_name}s ({PERMUTATIONS}), largest statistic",
        first.p,
        effect=first.effect,
        effect_name="points a comparison to one system, against others",
        interval=first.interval,
        subjects=subjects,
    )


def asserted(finding: Finding, p: float) -> Finding:
    """The finding as it is told where its flag, which depends on the other checks, is known.

    Somebody always departs most. That they depart is said where it is shown after correction over checks, and the
    same correction decides who else does.
    """
    if not finding.flagged or finding.p is None or finding.adjusted is None:
        return finding
    level = p * finding.p / finding.adjusted
    named = [s.name for s in finding.subjects[1:] if s.p is not None and s.p <= level]
    others = f"; so do{'es' * (len(named) == 1)} {some(named)}" if named else ""
    return replace(finding, sentence=finding.sentence.replace(_MOST, _DEPARTS, 1) + others)


def departures(found: JudgeSums, judge: int, reach: float) -> tuple[int, float, Interval]:
    """The system that a judge treats most differently, and by how many points a comparison, against other judges.

    Residuals are taken from a fit that includes the judge; R / (R − m) turns them into a difference to the others.
    """
    spread = np.sqrt(np.maximum(np.diag(found.covariance) * found.scale[judge], 0.0))
    sums, amounts = found.sums[judge], found.amounts[judge]
    known = (amounts > 0) & (spread > 0)
    z = np.divide(sums, spread, out=np.zeros_like(sums), where=known)
    system = int(np.argmax(np.abs(z)))
    others = found.made.sum() / (found.made.sum() - found.made[judge])
    effect = others * sums[system] / amounts[system]
    error = others * spread[system] / amounts[system]
    return system, float(effect), (float(effect - reach * error), float(effect + reach * error))


def moves(before: FloatArray, after: FloatArray, systems: tuple[str, ...]) -> list[str]:
    """Which systems change rank, the largest change first: ``system-03 falls from 2 to 4``."""
    ranks = [1 + (comparable(s)[:, None] < comparable(s)[None, :]).sum(axis=1) for s in (before, after)]
    change = ranks[1] - ranks[0]
    order = np.argsort(-np.abs(change), kind="stable")
    verb = {True: "falls", False: "rises"}
    return [f"{systems[i]} {verb[bool(change[i] > 0)]} from {ranks[0][i]} to {ranks[1][i]}" for i in order if change[i]]


def _subject(case: Case, found: JudgeSums, j: int, p: float) -> Subject:
    from scipy.special import ndtri

    system, effect, interval = departures(found, j, float(ndtri(1 - case.p / 2)))
    more = "more" if effect >= 0 else "fewer"
    size = interval if effect >= 0 else (-interval[1], -interval[0])
    words = f"gives {case.systems[system]} {decimals(abs(effect))} points a comparison {more} ({span(size)})"
    code = int(found.judges[j])
    return Subject(case.judgments.judges[code], effect, interval, p, f"{words}; {_without(case, code)}")


def _without(case: Case, judge: int) -> str:
    """What happens to the ranking without a judge."""
    left = case.left_out
    assert left is not None  # there are at least two judges
    place = np.flatnonzero(left.judges == judge)
    if len(place) == 0:
        return "not left out, because so many judges judged more"
    changed = moves(left.scores, left.without[place[0]], case.systems)
    return f"without them, {some(changed)}" if changed else "without them, no rank changes"
