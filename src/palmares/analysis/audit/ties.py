"""``ties``: does the way ties are counted decide a place?"""

from __future__ import annotations

from functools import partial

import numpy as np

from ...judgments import FloatArray
from ...ranking.bootstrap import comparable
from ...ranking.significance import holm
from .case import CONVENTIONS, Case, Tallies
from .findings import Finding, Interval, Power, Subject, around, decimals, number, skipped, span

_MOST_PAIRS = 20
#: The fault whose chance of being found is told: leads of so much in log odds, in opposite directions.
_OPPOSITE = 0.5


def ties(case: Case) -> Finding:
    """Look for two systems that two conventions put in opposite orders, both significantly.

    The p-value of a pair is the larger of two one-sided ones (an intersection–union test), times the number of
    conventions, adjusted over pairs.
    """
    tallies = case.conventions
    if tallies is None:
        return skipped("ties", "there are no ties")
    names = list(tallies.scores)
    z = leads(tallies)
    p, above, below = reversals(z)
    first, second = np.triu_indices(len(case.systems), 1)
    adjusted = np.array(holm(p[first, second].tolist()))
    doubt = _doubt(z)[first, second]
    differ = int((doubt > 0).sum())
    # Those that change order, or the one that comes nearest to it.
    order = np.argsort(-doubt, kind="stable")[: min(max(differ, 1), _MOST_PAIRS)]
    subjects = []
    for k in order:
        i, j = int(first[k]), int(second[k])
        subjects.append(_subject(case, tallies, (i, j), (names[above[i, j]], names[below[i, j]]), float(adjusted[k])))
    top = subjects[0]
    says = "no pair of systems changes order"
    if differ:
        says = f"{number(differ, 'pair')} of systems change{'s' * (differ == 1)} order; most clearly, {top.detail}"
    return Finding(
        "ties",
        f"depending on how ties are counted, {says}",
        f"intersection–union test of opposite orders, errors by {case.unit_name}, Holm over pairs",
        top.p,
        effect=top.effect,
        effect_name="change of a lead, in log odds",
        interval=top.interval,
        subjects=tuple(subjects),
        powered=partial(_reversal_found, _errors(tallies)),
    )


def leads(tallies: Tallies) -> FloatArray:
    """Under each convention, how far every system is ahead of every other, in standard errors of the difference."""
    scores = np.stack(list(tallies.scores.values()))
    gap, spread = scores[:, :, None] - scores[:, None, :], _errors(tallies)
    return np.asarray(np.divide(gap, spread, out=np.zeros_like(gap), where=spread > 0))


def _errors(tallies: Tallies) -> FloatArray:
    """Under each convention, the standard error of the difference of every two systems."""
    covariance = np.stack([tallies.covariance[k, :, k] for k in range(len(tallies.scores))])
    variance = np.diagonal(covariance, axis1=1, axis2=2)
    return np.asarray(np.sqrt(np.maximum(variance[:, :, None] + variance[:, None, :] - 2 * covariance, 0.0)))


def reversals(z: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """For every pair: the p-value of opposite orders, the convention that most puts the first above, and below."""
    from scipy.special import ndtr

    # Which of the two is called first does not matter: the weaker of the two assertions counts.
    p = np.minimum(1.0, len(z) * ndtr(-_doubt(z)))
    return p, z.argmax(axis=0), z.argmin(axis=0)


def _doubt(z: FloatArray) -> FloatArray:
    """The smaller of the two opposite assertions, in standard errors; negative where all conventions agree."""
    return np.asarray(np.minimum(z.max(axis=0), -z.min(axis=0)))


def _subject(case: Case, tallies: Tallies, pair: tuple[int, int], between: tuple[str, str], p: float) -> Subject:
    i, j = pair
    above, below = between
    names = case.systems[i], case.systems[j]
    gaps = {name: float(comparable(scores[i] - scores[j])) for name, scores in tallies.scores.items()}
    if above == below:  # none is surer than another, as where nothing varies
        above, below = max(gaps, key=gaps.__getitem__), min(gaps, key=gaps.__getitem__)
    effect, interval = change(tallies, (above, below), pair, case.p)
    if len(set(gaps.values())) == 1:
        detail = f"{_order(names, gaps[above])} however ties are counted"
    else:
        words = [f"{_order(names, gaps[name])} {CONVENTIONS[name]}" for name in (above, below)]
        detail = (" but " if gaps[above] * gaps[below] < 0 else " and ").join(words)
    detail += f" (a change of {span(interval)})" if interval else ""
    return Subject(f"{names[0]} – {names[1]}", effect, interval, p, detail)


def _order(names: tuple[str, str], gap: float) -> str:
    if gap == 0:
        return f"{names[0]} and {names[1]} are level"
    first, second = names if gap > 0 else names[::-1]
    return f"{first} is above {second} by {decimals(abs(gap))}"


def change(
    tallies: Tallies, between: tuple[str, str], pair: tuple[int, int], p: float
) -> tuple[float, Interval | None]:
    """The difference of two conventions in how far one system is ahead of another, and its interval."""
    from scipy.special import ndtri

    (i, j), order = pair, list(tallies.scores)
    one, other = (tallies.scores[name] for name in between)
    effect = float((one[i] - one[j]) - (other[i] - other[j]))
    # Of the four scores, two add to the change and two take from it.
    sign = np.array([1.0, -1.0, -1.0, 1.0])
    rows = [(order.index(name), system) for name in between for system in pair]
    four = np.array([[tallies.covariance[a, s, b, t] for b, t in rows] for a, s in rows])
    reach = float(ndtri(1 - p / 2)) * float(np.sqrt(max(sign @ four @ sign, 0.0)))
    return effect, around(effect, reach)


def _reversal_found(errors: FloatArray, level: float) -> Power:
    """How likely opposite leads are both significant, were the errors those of two systems, over all pairs.

    Conventions err together: what one lead is too large by, the opposite one is too small by.
    """
    from scipy.special import ndtr, ndtri

    first, second = np.triu_indices(errors.shape[1], 1)
    error = errors[:, first, second].max(axis=0)
    bound = -float(ndtri(level / len(errors) / len(first)))
    room = _OPPOSITE / np.maximum(error, 1e-300) - bound
    found = float(np.maximum(2 * ndtr(room) - 1, 0.0).mean())
    size = decimals(_OPPOSITE)
    return Power(f"two systems that one convention puts {size} apart one way, and another {size} the other way", found)
