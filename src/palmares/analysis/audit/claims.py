"""What a ranking claims, and how well each claim stands."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from ...judgments import FloatArray, IntArray, PairCounts
from ...models.bradley_terry import BradleyTerry
from ...ranking.bootstrap import comparable
from ...ranking.significance import holm
from .case import CONVENTIONS, Case
from .findings import Interval, around, decimals, judge_named, plain, some

#: The reason where ties are none, in the words that follow "not".
_OTHERWISE = "by bradley-terry, which orders them otherwise"
#: Why a claim is not shown although the ranking draws a line below the system.
_ALONE = "the boundary below it holds by itself, not jointly with the others"
#: An error of more than ten times a lead says no more than one of ten times.
_LEAST = 0.1

#: Half a win for each of two systems (Haldane 1955) makes the log odds of three wins to none finite, with an error.
_HALF = 0.5
#: A lead that varies less than this share of itself varies by rounding only.
_ROUNDING = 1e-9

Verdict = Literal["supported", "fragile", "not shown"]


@dataclass(frozen=True)
class Claim:
    """One statement of a ranking: a system is above its neighbour, or above all others.

    Attributes
    ----------
    kind
        ``best`` or ``above``; for ``best``, ``other`` is the rival that comes nearest, in standard errors.
    difference, interval
        Of the two scores, ± as many standard errors as a t or normal distribution needs (errors as for ``p``); None
        where the two are level in every sample.
    probability
        The share of bootstrap samples in which the claim holds.
    p, adjusted
        Two-sided, from the ranking's standard error of the difference, or that of a fit where no sample could
        contradict the claim, and at least twice the share of samples that contradict it; adjusted as `palmares.rank`
        does, over all pairs or over the boundaries, whichever shows more.
    by_judge
        The share of samples that draw judges in which the claim holds; None without judges.
    breaking
        The judges without any one of whom the claim no longer holds.
    ties
        Whether it holds in Bradley–Terry under each convention for ties.
    boundary, joint
        Whether a new cluster begins between the two, and whether that boundary holds jointly with the others; False
        where the two are no neighbours.
    verdict, reasons
        ``supported``; ``not shown``, if not significant; ``fragile``, if significant but undone by one of the reasons.
    """

    kind: Literal["best", "above"]
    system: str
    other: str
    difference: float
    interval: Interval | None
    probability: float
    p: float
    adjusted: float
    by_judge: float | None = None
    breaking: tuple[str, ...] = ()
    ties: Mapping[str, bool] = field(default_factory=dict)
    boundary: bool = False
    joint: bool = False
    verdict: Verdict = "not shown"
    reasons: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """``system-03 is best``, or ``system-03 is above system-01``."""
        return f"{self.system} is best" if self.kind == "best" else f"{self.system} is above {self.other}"

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        return {"claim": self.sentence, **plain(dataclasses.asdict(self))}


def claims(case: Case) -> tuple[Claim, ...]:
    """That the first system is best, and that each is above the next."""
    order = np.array([case.systems.index(name) for name in case.ranking.systems])
    best, *above = _made(case, order)
    # Where the nearest rival is the next system, "best" says the same as the first of the others: one claim, not two.
    own = best.other != above[0].other
    levels = holm([claim.p for claim in above] + [best.p] * own)
    adjusted = [levels[-1] if own else levels[0], *levels[: len(above)]]
    # Both the claim that the first is best and that it is above the second are of the first boundary.
    made = zip([best, *above], adjusted, [0, *range(len(above))], strict=True)
    ranked = [_corrected(case, replace(claim, adjusted=level), place) for claim, level, place in made]
    return tuple(_judged(claim, case.p, otherwise=_otherwise(case, claim)) for claim in ranked)


def _made(case: Case, order: IntArray) -> list[Claim]:
    above = [_claim(case, "above", order[k], order[k + 1 : k + 2]) for k in range(len(order) - 1)]
    return [_claim(case, "best", order[0], order[1:]), *above]


def _corrected(case: Case, claim: Claim, place: int) -> Claim:
    """The claim with the p-value that the ranking itself has for it, and whether the boundary at its place holds.

    The ranking knows two families: the orders of all pairs, and the boundaries. Where no sample can contradict a claim,
    and no boundary holds, the order may be taken for surer than it is; then what a fit says, corrected over the claims,
    is the least it can be.
    """
    joint, boundaries = case.ranking.joint, case.ranking.boundaries
    if joint is None or not boundaries:
        return claim
    system, others = _codes(case, claim)
    boundary, shown = boundaries[place], float(min(joint.pairs[system, others].max(), joint.boundaries[place]))
    leads, errors = _leads(case, system, others)
    if boundary.joint:
        # An exact test behind a boundary may be surer than a normal one.
        p = min(claim.p, shown)
    else:
        capped = bool((ceilings(case, leads, errors, system, others) * errors < leads).any())
        p, shown = claim.p, max(shown, claim.adjusted if capped else claim.p)
    return replace(claim, p=p, adjusted=shown, boundary=boundary.marginal, joint=boundary.joint)


def _leads(case: Case, system: int, others: IntArray) -> tuple[FloatArray, FloatArray]:
    """How far a system is ahead of others, and the standard errors that the ranking has of that."""
    scores = np.asarray(case.ranking.fit.scores)
    return scores[system] - scores[others], case.difference_errors[system, others]


def _codes(case: Case, claim: Claim) -> tuple[int, IntArray]:
    """The system of a claim and those that it is said to be above."""
    rivals = [claim.other] if claim.kind == "above" else [name for name in case.systems if name != claim.system]
    return case.systems.index(claim.system), np.array([case.systems.index(name) for name in rivals])


def holds(scores: FloatArray, system: int, others: IntArray) -> FloatArray:
    """Whether a system is above all others in every row of scores; a half where it is level with the best of them."""
    own, rival = comparable(scores[..., system]), comparable(scores[..., others].max(axis=-1))
    return np.asarray((own > rival) + 0.5 * (own == rival))


def weakest(
    leads: FloatArray, errors: FloatArray, ceilings: FloatArray, df: float | None = None
) -> tuple[int, float, float]:
    """The lead that is smallest in standard errors: which, its standard error, two-sided p-value.

    Where a lead can be no more than a ceiling of standard errors, its error is widened to that. ``df`` are the degrees
    of freedom of the errors, None for many.
    """
    from scipy.special import ndtr, stdtr

    z = np.minimum(np.divide(leads, errors, out=np.where(leads > 0, np.inf, 0.0), where=errors > 0), ceilings)
    k = int(np.argmin(z))
    wide = float(leads[k]) / max(float(ceilings[k]), _LEAST)
    return k, max(float(errors[k]), wide), min(1.0, float(2 * (ndtr(-z[k]) if df is None else stdtr(df, -z[k]))))


def _claim(case: Case, kind: Literal["best", "above"], system: int, others: IntArray) -> Claim:
    leads, errors = _leads(case, system, others)
    k, error, p = weakest(leads, errors, ceilings(case, leads, errors, system, others), case.ranking.df)
    rival, lead = int(others[k]), float(leads[k])
    # Scores that are places, not quantities, need not be normal; a share of samples needs no such thing.
    p = min(1.0, max(p, 2 * (1 - float(holds(case.samples, system, others[k : k + 1]).mean()))))
    judged = case.by_judge
    return Claim(
        kind=kind,
        system=case.systems[system],
        other=case.systems[rival],
        difference=lead,
        interval=around(lead, case.reach_of(error)),
        probability=float(holds(case.samples, system, others).mean()),
        p=p,
        adjusted=p,
        by_judge=None if judged is None else float(holds(judged, system, others).mean()),
        breaking=_breaking(case, system, others),
        ties=_ties(case, system, others),
    )


def _ties(case: Case, system: int, others: IntArray) -> dict[str, bool]:
    """Whether a claim holds under each convention for ties."""
    scores = {} if case.conventions is None else case.conventions.scores
    return {name: bool(holds(each, system, others) == 1) for name, each in scores.items()}


def _breaking(case: Case, system: int, others: IntArray) -> tuple[str, ...]:
    """The judges whose absence undoes a claim that all judges together support."""
    left = case.left_out
    if left is None or holds(left.scores, system, others) < 1:
        return ()
    broken = left.judges[holds(left.without, system, others) < 1]
    return tuple(case.judgments.judges[j] for j in broken)


def _otherwise(case: Case, claim: Claim) -> bool:
    """Whether Bradley–Terry contradicts a claim of another model, however ties count: then not because of ties."""
    if case.model.id == case.fit.model.id or any(claim.ties.values()):
        return False
    return bool(holds(np.asarray(case.fit.scores), *_codes(case, claim)) < 1)


def _judged(claim: Claim, p: float, *, otherwise: bool = False) -> Claim:
    """The claim with its verdict; ``otherwise`` if Bradley–Terry contradicts it, however ties count."""
    if not claim.adjusted <= p:
        return replace(claim, reasons=(_ALONE,) if claim.boundary else ())
    reasons = [f"without {some([judge_named(j) for j in claim.breaking])}"] if claim.breaking else []
    reasons += [_OTHERWISE] if otherwise else [CONVENTIONS[name] for name, kept in claim.ties.items() if not kept]
    if claim.by_judge is not None and claim.by_judge < 1 - p / 2:
        reasons.append(f"with other judges (holds in {decimals(claim.by_judge, 3)})")
    return replace(claim, verdict="fragile" if reasons else "supported", reasons=tuple(reasons))


# -- claims that no bootstrap sample can contradict, because the judgments themselves never do -----------
#
# A system that won every comparison wins every comparison of every bootstrap sample too, be they three or three
# hundred: its lead seems to have no error. The same holds for any two systems if no chain of wins leads from the lower
# one to the higher one. How sure such a lead is, a fit has to say.


def ceilings(case: Case, leads: FloatArray, errors: FloatArray, system: int, others: IntArray) -> FloatArray:
    """How many standard errors each lead can be at most: infinite where samples could contradict it."""
    doubtful = ~case.can_lose[system, others] | (errors <= _ROUNDING * np.abs(leads))
    bounds = np.full(len(others), np.inf)
    for k in np.flatnonzero(doubtful):
        bounds[k] = fitted_lead(case.rows_counted, system, int(others[k]))
    return bounds


def fitted_lead(counts: PairCounts, system: int, other: int) -> float:
    """The lead in standard errors of a Bradley–Terry fit to the counts and half a win for each against the other."""
    wins = counts.wins.copy()
    wins[[system, other], [other, system]] += _HALF
    fit = BradleyTerry().fit(PairCounts(counts.systems, wins, counts.ties))
    v = fit.covariance
    variance = v[system, system] + v[other, other] - 2 * v[system, other]
    return float((fit.theta[system] - fit.theta[other]) / np.sqrt(variance))
