"""What the others say: strengths of the systems as everybody but one judge sees them, and where they say nothing."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import expit

from ...judgments import BoolArray, FloatArray, IntArray, Judgments
from ...models.ordinal import Ordinal
from ...models.ordinal_data import pair_evidence
from ...models.ordinal_fit import OrdinalFit
from .answers import Answers

#: A judge with this share of people's judgments is left out by a new fit; others by one step of Newton's method.
LARGE = 0.1
#: Numbers of the arrays for judges who are left out together, which bounds memory.
_AT_ONCE = 4_000_000


@dataclass(frozen=True)
class Consensus:
    """Strengths without each judge, and the fit to all people.

    Attributes
    ----------
    theta
        An array (judges, systems): θ as estimated from the other people.
    linked
        For every judgment, whether other people put its two systems on one scale.
    refitted
        Codes of the judges who were left out by a new fit.
    """

    fit: OrdinalFit = field(repr=False)
    theta: FloatArray = field(repr=False)
    linked: BoolArray = field(repr=False)
    refitted: IntArray = field(repr=False)

    def gap(self, answers: Answers) -> FloatArray:
        """θ_a − θ_b of every judgment as the others see it; of judgments that name nobody, as all people do."""
        theta = np.concatenate([self.theta, self.fit.place.theta[None]])
        return np.asarray(theta[answers.judge, answers.a] - theta[answers.judge, answers.b])


def consensus_of(judgments: Judgments, answers: Answers, person: BoolArray) -> Consensus:
    """Fit the model `ordinal` to people, and leave each of them out in turn.

    Parameters
    ----------
    judgments
        Of people and programs; people's link all systems.
    answers
        The same as arrays.
    person
        Which judges are people; a program is compared with all of them.
    """
    judgments = judgments.with_origin(None)  # weights, and what is said of them, play no part
    by_people = np.append(person, True)[answers.judge]
    fit = Ordinal().fit(judgments.take(np.flatnonzero(by_people)))
    theta = np.tile(fit.place.theta, (answers.judges, 1))
    shares = answers.per_judge(np.ones(len(answers))) / by_people.sum()
    small, large = np.flatnonzero(person & (shares < LARGE)), np.flatnonzero(person & (shares >= LARGE))
    theta[small] = _one_step(fit, answers, pair_evidence(judgments), small)
    for judge in large.tolist():
        others = by_people & (answers.judge != judge)
        theta[judge] = _refitted(judgments, others, fit, theta[judge])
    # One more row, for judgments that name nobody: all people link them.
    scale = np.ones((answers.judges + 1, answers.systems), dtype=bool)
    for judge, inside in _components_without(answers, by_people, person).items():
        scale[judge] = inside
    linked = scale[answers.judge, answers.a] & scale[answers.judge, answers.b]
    return Consensus(fit, theta, linked, large)


def _one_step(fit: OrdinalFit, answers: Answers, evidence: FloatArray, judges: IntArray) -> FloatArray:
    """θ without each of these judges: θ − (I − I_k)⁻¹ g_k, of a judge's own gradient g_k and information I_k.

    Every judgment counts as the model counts it, a pair of a ranking less than one by itself (``evidence``).

    I_k = Σ a² w (e_a − e_b)(e_a − e_b)ᵀ − b bᵀ / D is the judge's part of I once their sensitivity follows θ; w is the
    information on z of a judgment, b = Σ a w z (e_a − e_b), and D = Σ w z² + 1/s_a².
    """
    n, at_once = answers.systems, max(1, _AT_ONCE // answers.systems**2)
    sensitivity, width = fit.sensitivity[answers.judge], fit.tie_width[answers.judge]
    z = sensitivity * (fit.place.theta[answers.a] - fit.place.theta[answers.b])
    slope, known = (evidence * value for value in slope_and_information(answers.y, z, width))
    gradient, follow = (answers.per_system(sensitivity * value) for value in (slope, known * z))
    own = answers.per_judge(known * z**2) + fit.spreads[0] ** -2
    found = np.empty((len(judges), n))
    order = np.argsort(answers.judge, kind="stable")
    ends = np.searchsorted(answers.judge[order], np.arange(answers.judges + 1))
    for lo in range(0, len(judges), at_once):
        part = judges[lo : lo + at_once]
        rest = np.repeat(fit.information[None], len(part), axis=0)
        for i, judge in enumerate(part.tolist()):
            rows = order[ends[judge] : ends[judge + 1]]
            pairs = answers.a[rows] * n + answers.b[rows]
            weights = np.bincount(pairs, (sensitivity**2 * known)[rows], n * n).reshape(n, n)
            weights = weights + weights.T
            rest[i] += weights - np.diag(weights.sum(axis=1)) + np.outer(follow[judge], follow[judge]) / own[judge]
        found[lo : lo + at_once] = fit.place.theta - np.linalg.solve(rest, gradient[part][..., None])[..., 0]
    return found


def slope_and_information(y: IntArray, z: FloatArray, delta: FloatArray) -> tuple[FloatArray, FloatArray]:
    """∂ log P(y) / ∂z of the logistic model, and its variance.

    With F the logistic function, the slope is 1 − F(z − δ) of a win, −F(z + δ) of a loss, and of a tie
    1 − F(z − δ) − F(z + δ).
    """
    low, high = expit(z - delta), expit(z + delta)
    slope = np.select([y > 0, y < 0], [1 - low, -high], 1 - low - high)
    information = low * (1 - low) ** 2 + (1 - high) * high**2 + (high - low) * (1 - low - high) ** 2
    return slope, np.asarray(information)


def _refitted(judgments: Judgments, rows: BoolArray, fit: OrdinalFit, otherwise: FloatArray) -> FloatArray:
    """θ of a new fit to these judgments, with the spreads of judges as they were estimated.

    Systems that the rest does not link keep their place; nothing is made of it, for judgments of them are not
    ``linked``.
    """
    if not rows.any():
        return otherwise
    others = judgments.filter(rows)
    others = others.keep(largest(others.counts.components()))
    # A spread of 0 is that of widths where nobody tied, and so is not used.
    sensitivity_sd, width_sd = (max(sd, 1e-3) for sd in fit.spreads)
    again = Ordinal(sensitivity_sd=sensitivity_sd, width_sd=width_sd).fit(others)
    place = dict(zip(others.systems, again.place.theta.tolist(), strict=True))
    kept = np.array([name in place for name in judgments.systems])
    theta = np.array([place.get(name, 0.0) for name in judgments.systems])
    # Both fits are around a mean of their own; only differences of linked systems are used.
    return np.where(kept, theta, otherwise)


def largest(components: list[tuple[str, ...]]) -> tuple[str, ...]:
    """The component with the most systems; of equal ones the first."""
    return max(components, key=len)


def _components_without(answers: Answers, by_people: BoolArray, person: BoolArray) -> dict[int, BoolArray]:
    """Of judges without whom people's comparisons fall apart: which systems the others still put on one scale.

    Only a judge who alone compared some two systems can cut the others' graph.
    """
    n = answers.systems
    pair, rows = answers.a * n + answers.b, np.flatnonzero(by_people)
    keys = np.unique((answers.judge[rows] + 1) * (n * n) + pair[rows])
    judge, of_pair = keys // (n * n) - 1, keys % (n * n)
    pairs, first, judges = np.unique(of_pair, return_index=True, return_counts=True)
    # Who alone compared two systems; −1 where several did, or nobody is named.
    owner = np.where(judges == 1, judge[first], -1)
    found = {}
    for code in np.unique(owner[owner >= 0]).tolist():
        if person[code]:
            left = pairs[owner != code]
            graph = coo_array((np.ones(len(left)), (left // n, left % n)), shape=(n, n))
            label = connected_components(graph, directed=False)[1]
            sizes = np.bincount(label)
            found[code] = (label == sizes.argmax()) & (sizes.max() > 1)
    return found
