"""``concentration``: do a few judges carry the votes?"""

from __future__ import annotations

import numpy as np

from ...judgments.counts import FloatArray
from .case import Case, IntArray
from .findings import Finding, Interval, Subject, skipped
from .wording import decimals, judge_named, number, percent, span

#: One judge holds much with this share, if it is also this many times an even share …
_LARGE, _UNEVEN = 0.25, 1.5
#: … and a few hold much if this share of the judges holds half.
_FEW = 0.25


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
        f"{percent(1 / len(counts))}; they weigh like {decimals(effective, 1)} judges with even shares",
        "exact binomial test of the largest share, Bonferroni over judges",
        uneven(counts),
        effect=float(shares[top]),
        effect_name="share of the busiest judge",
        interval=interval,
        material=material(shares[order]),
        subjects=_subjects(case, counts, order),
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


def _subjects(case: Case, counts: FloatArray, order: IntArray) -> tuple[Subject, ...]:
    total = counts.sum()
    return tuple(
        Subject(
            case.judgments.judges[j],
            float(counts[j] / total),
            exact_interval(counts[j], total, case.p),
            None,
            number(counts[j], case.unit_name),
        )
        for j in order
    )
