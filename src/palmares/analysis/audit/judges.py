"""The checks of judges.

``judge-differences``: do judges prefer different systems? ``judge-influence``: which judge departs from the others, and
what moves without them? ``concentration``: do a few judges hold most of the votes?
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ...compute import Stream
from ...judgments import FloatArray, IntArray
from ...ranking.bootstrap import comparable
from .case import Case
from .findings import (
    Finding,
    Interval,
    Power,
    Subject,
    around,
    decimals,
    in_brackets,
    judge_named,
    number,
    percent,
    skipped,
    some,
    span,
    with_width,
)
from .residuals import PERMUTATIONS, JudgeSums, critical, per_scale, tail

#: One judge holds much with this share, if it is also this many times an even share …
_LARGE, _UNEVEN = 0.25, 1.5
#: … and a few hold much if this share of the judges holds half.
_FEW = 0.25
#: Faults whose chance of being found is told: tastes that make scores vary so many times as much, and a busy judge who
#: has this share of the work, or so many times an even one if that is more.
_TASTES, _BUSY, _BUSIER = 1.5, 0.4, 2.0
#: Judges about the middle in whose place a random one is put.
_PLANTED = 5


def differences(case: Case) -> Finding:
    """Compare how much judges' sums of residual points vary with how much they would if judges were alike."""
    judged = case.judge_sums
    if isinstance(judged, str):
        return skipped("judge-differences", judged)
    if judged.white.shape[1] == 0:
        return skipped("judge-differences", "all judgments are as expected")
    p = float(tail(judged.lengths.sum(), case.exchanged_judges[:, 0])[0])
    ratio, interval = design_effect(judged, case.p)
    return Finding(
        "judge-differences",
        f"scores vary {decimals(ratio)} times{in_brackets(interval)} as much as if "
        f"{number(len(judged.judges), 'judge')} were alike"
        + (
            f"; errors that ignore judges should be at least {decimals(np.sqrt(ratio))} times as wide"
            if ratio > 1
            else ""
        ),
        f"permutation of judges over {case.blocks.name}s ({PERMUTATIONS})",
        p,
        effect=ratio,
        effect_name="variance by judge / variance if judges were alike",
        interval=interval,
        subjects=_difference_subjects(case, judged),
        powered=partial(_tastes_found, case, judged),
    )


def design_effect(judged: JudgeSums, p: float) -> tuple[float, Interval | None]:
    """Σ DᵀS⁺D over what it is on average if judges are alike, and its interval by a jackknife over judges."""
    from scipy.special import stdtrit

    def ratio(keep: IntArray) -> float:
        return float(squares[keep].sum() / max(judged.scale[keep].sum(), 1e-300) / judged.white.shape[1])

    squares, count = judged.lengths, len(judged.judges)
    everyone = np.arange(count)
    whole = ratio(everyone)
    if count < 3:  # without one of two judges there is nothing to compare
        return whole, None
    logs = np.log([max(ratio(np.delete(everyone, j)), 1e-12) for j in range(count)])
    error = np.sqrt((count - 1) / count * ((logs - logs.mean()) ** 2).sum())
    reach = float(stdtrit(count - 1, 1 - p / 2)) * error
    return whole, with_width(float(whole * np.exp(-reach)), float(whole * np.exp(reach)))


def _difference_subjects(case: Case, judged: JudgeSums) -> tuple[Subject, ...]:
    """Every judge's own ratio, the largest first."""
    own = judged.statistic / judged.white.shape[1]
    order = np.argsort(-own, kind="stable")
    names = case.judgments.judges
    return tuple(
        Subject(names[judged.judges[j]], float(own[j]), detail=number(judged.units[j], case.unit_name)) for j in order
    )


def influence(case: Case) -> Finding:
    """Test every judge's residual points against those of blocks whose judges were exchanged.

    The largest statistic of every permutation is what each judge's is compared with (maxT of Westfall & Young 1993), so
    that the chance of naming any judge wrongly is the level.
    """
    judged = case.judge_sums
    if isinstance(judged, str):
        return skipped("judge-influence", judged)
    if judged.white.shape[1] == 0:
        return skipped("judge-influence", "all judgments are as expected")
    statistic = judged.statistic
    p = tail(statistic, case.exchanged_judges[:, 1])
    order = np.argsort(-statistic, kind="stable")
    subjects = tuple(_influence_subject(case, judged, j, float(p[j])) for j in order)
    first = subjects[0]
    share = percent(float(judged.units[order[0]]) / case.amount)
    judge = f"{judge_named(first.name)} ({share} of the {case.unit_name}s)"
    return Finding(
        "judge-influence",
        # Somebody always departs most. That they depart is said where it is shown after correction over checks.
        f"{judge} departs most from the others: {first.detail}",
        f"permutation of judges over {case.blocks.name}s ({PERMUTATIONS}), largest statistic",
        first.p,
        effect=first.effect,
        effect_name="points per comparison to one system, against others",
        interval=first.interval,
        subjects=subjects,
        if_flagged=f"{judge} departs from the others: {first.detail}",
        powered=partial(_random_judge_found, case, judged),
    )


def departures(judged: JudgeSums, judge: int, reach: float) -> tuple[int, float, Interval | None]:
    """The system that a judge treats most differently, and by how many points per comparison, against other judges.

    Residuals are taken from a fit that includes the judge; R / (R − m) turns them into a difference to the others.
    """
    spread = np.sqrt(np.maximum(np.diag(judged.covariance) * judged.scale[judge], 0.0))
    sums, amounts = judged.sums[judge], judged.amounts[judge]
    known = (amounts > 0) & (spread > 0)
    z = np.divide(sums, spread, out=np.zeros_like(sums), where=known)
    system = int(np.argmax(np.abs(z)))
    others = judged.units.sum() / (judged.units.sum() - judged.units[judge])
    effect = others * sums[system] / amounts[system]
    error = others * spread[system] / amounts[system]
    return system, float(effect), around(float(effect), reach * float(error))


def moves(before: FloatArray, after: FloatArray, systems: tuple[str, ...]) -> list[str]:
    """Which systems change rank, the largest change first: ``system-03 falls from 2 to 4``."""
    ranks = [1 + (comparable(s)[:, None] < comparable(s)[None, :]).sum(axis=1) for s in (before, after)]
    change = ranks[1] - ranks[0]
    order = np.argsort(-np.abs(change), kind="stable")
    verb = {True: "falls", False: "rises"}
    return [f"{systems[i]} {verb[bool(change[i] > 0)]} from {ranks[0][i]} to {ranks[1][i]}" for i in order if change[i]]


def _influence_subject(case: Case, judged: JudgeSums, j: int, p: float) -> Subject:
    from scipy.special import ndtri

    system, effect, interval = departures(judged, j, float(ndtri(1 - case.p / 2)))
    more = "more" if effect >= 0 else "fewer"
    size = interval if interval is None or effect >= 0 else (-interval[1], -interval[0])
    words = f"gives {case.systems[system]} {decimals(abs(effect))} points per comparison {more}{in_brackets(size)}"
    code = int(judged.judges[j])
    return Subject(case.judgments.judges[code], effect, interval, p, f"{words}; {_without(case, code)}")


def _without(case: Case, judge: int) -> str:
    """What happens to the ranking without a judge."""
    left = case.left_out
    assert left is not None  # there are at least two judges
    place = np.flatnonzero(left.judges == judge)
    if len(place) == 0:
        return "not left out in turn: too many other judges have more judgments"
    changed = moves(left.scores, left.without[place[0]], case.systems)
    return f"without them, {some(changed)}" if changed else "without them, no rank changes"


def concentration(case: Case) -> Finding:
    """Compare the shares of judges with even ones."""
    if not case.judgments.has("judge"):
        return skipped("concentration", "the judgments do not say who judged")
    judge = case.per_unit("judge")
    counts: FloatArray = np.bincount(judge[judge >= 0], minlength=len(case.judgments.judges)).astype(np.float64)
    if len(counts) < 2:
        return skipped("concentration", "there is one judge only")
    order = np.argsort(-counts, kind="stable").astype(np.int64)
    shares = counts / counts.sum()
    half, effective = holders(shares[order]), float(1 / (shares**2).sum())
    top = int(order[0])
    interval = exact_interval(counts[top], counts.sum(), case.p)
    name = judge_named(case.judgments.judges[top])
    return Finding(
        "concentration",
        f"{number(half, 'judge')} of {len(counts)} hold{'s' * (half == 1)} half of the {case.unit_name}s, {name} "
        f"{percent(shares[top])} ({span((interval[0] * 100, interval[1] * 100), 0)} %) where an even share is "
        f"{percent(1 / len(counts))}; equivalent to {decimals(effective, 1)} judges with even shares",
        "exact binomial test of the largest share, Bonferroni over judges",
        uneven(counts),
        effect=float(shares[top]),
        effect_name="share of the busiest judge",
        interval=interval,
        material=material(shares[order]),
        powered=partial(_busy_judge_found, len(counts), int(counts.sum()), case.unit_name),
        subjects=_concentration_subjects(case, counts, order),
    )


def uneven(counts: FloatArray) -> float:
    """How likely it is that any judge gets as many as the busiest one did, were each ranking anybody's."""
    from scipy.special import bdtrc

    judges, total = len(counts), counts.sum()
    return float(min(1.0, judges * bdtrc(counts.max() - 1, int(total), 1 / judges)))


def holders(shares: FloatArray) -> int:
    """How few judges hold half, given shares in falling order."""
    return 1 + int(np.searchsorted(np.cumsum(shares), 0.5 - 1e-12))


def material(shares: FloatArray) -> bool:
    """Whether one judge or few hold enough to matter, given shares in falling order."""
    one = shares[0] >= max(_LARGE, _UNEVEN / len(shares))
    return bool(one or holders(shares) <= _FEW * len(shares))


def exact_interval(count: float, total: float, p: float) -> Interval:
    """The interval of Clopper & Pearson (1934) for a share."""
    from scipy.special import betaincinv

    low = betaincinv(count, total - count + 1, p / 2) if count > 0 else 0.0
    high = betaincinv(count + 1, total - count, 1 - p / 2) if count < total else 1.0
    return float(low), float(high)


def _concentration_subjects(case: Case, counts: FloatArray, order: IntArray) -> tuple[Subject, ...]:
    total = counts.sum()
    return tuple(
        Subject(
            name=case.judgments.judges[j],
            effect=float(counts[j] / total),
            interval=exact_interval(counts[j], total, case.p),
            detail=number(counts[j], case.unit_name),
        )
        for j in order
    )


# -- power --------------------------------------------------------------------------------------------


def _tastes_found(case: Case, judged: JudgeSums, level: float) -> Power:
    """How likely tastes are found that make scores vary so many times as much as if judges were alike.

    Judges' sums are those of further permutations, to which every judge adds a taste in proportion to their work.
    """
    rng = case.execution.generator(Stream.AUDIT_POWER, 0)
    sums, scale = case.alike_judges, judged.scale
    share = (_TASTES - 1) * scale.sum() / max(float((scale**2).sum()), 1e-300)
    tastes = np.sqrt(share) * scale[:, None] * rng.standard_normal(sums.shape)
    found = ((sums + tastes) ** 2).sum(axis=(1, 2)) > critical(case.exchanged_judges[:, 0], level)
    return Power(f"tastes of judges that make scores vary {_TASTES} times as much", float(found.mean()))


def _random_judge_found(case: Case, judged: JudgeSums, level: float) -> Power:
    """How likely a judge is found who answers at random, in the place of those with the most usual amounts of work."""
    middle = np.argsort(np.abs(judged.units - np.median(judged.units)), kind="stable")[:_PLANTED]
    sums, bound = case.alike_judges, critical(case.exchanged_judges[:, 1], level)
    # At random, both systems of a comparison get half a point on average.
    outcomes = case.fit.outcomes
    expected = outcomes[..., 0] + outcomes[..., 1] / 2
    a, b = (case.judgments.codes(f"system_{side}").astype(np.int64) for side in "ab")
    less = case.weights * (0.5 - expected[a, b])
    judge, n, found = case.judgments.codes("judge"), len(case.systems), []
    for k in middle.tolist():
        mine = judge == judged.judges[k]
        moved = np.bincount(a[mine], less[mine], minlength=n) - np.bincount(b[mine], less[mine], minlength=n)
        # The fit follows the judge by their share of all comparisons.
        moved *= 1 - case.weights[mine].sum() / case.weights.sum()
        squares = ((sums[:, k] + moved @ judged.white) ** 2).sum(axis=1)
        found.append(per_scale(squares, np.full(len(squares), judged.scale[k])) > bound)
    typical = number(float(np.median(judged.units)), case.unit_name)
    return Power(f"a judge of the usual amount of work ({typical}) who answers at random", float(np.mean(found)))


def _busy_judge_found(judges: int, total: int, unit: str, level: float) -> Power:
    """How likely the test finds a judge with a large share, and that share also counts as large."""
    from scipy.special import bdtrc

    share = min(max(_BUSY, _BUSIER / judges), 0.9)
    counts = np.arange(total + 1)
    significant = judges * bdtrc(counts - 1, total, 1 / judges) <= level
    enough = counts[significant & (counts >= max(_LARGE, _UNEVEN / judges) * total)]
    found = float(bdtrc(enough[0] - 1, total, share)) if len(enough) else 0.0
    return Power(f"a judge who makes {percent(share)} of the {unit}s", found)
