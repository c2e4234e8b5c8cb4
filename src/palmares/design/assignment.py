"""Which judge should see which screen next: what an answer is expected to tell.

A fit says what is known: strengths θ with their covariance, and a few weighted values of what a judge may be like. The
answer of a judge to a pair depends on d = θ_a − θ_b and on the judge φ. What it is expected to tell, in nats:

    about θ alone       I(u; θ)    = H(u) − E_d H(u | d)
    about both          I(u; θ, φ) = H(u) − E_{d, φ} H(u | d, φ)

The first is by how much the entropy of θ is expected to fall (D-optimality): a judge of whom little is known blurs it.
The difference of the two is what is learnt of the judge; ``judge_weight`` says what that is worth. Nothing here knows
of a database: a campaign brings names of judges and candidate screens.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TypeVar, cast

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.special import xlogy

from ..errors import InputError
from ..judgments import FloatArray, IntArray
from ..kernels import crowd_bt, graded_response, ordinal
from ..models.base import Fit
from ..models.crowd_bt import CrowdBT, CrowdBTFit
from ..models.graded_response_fit import GradedResponseFit
from ..models.ordinal import Ordinal, OrdinalFit

_T = TypeVar("_T")
#: What learning about the judge counts beside learning about systems, unless somebody says.
JUDGE_WEIGHT = 0.0
_GAPS, _GAP_WEIGHTS = np.polynomial.hermite_e.hermegauss(11)
_GAP_WEIGHTS = _GAP_WEIGHTS / _GAP_WEIGHTS.sum()
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(5)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()
#: Probabilities held at once, which bounds memory.
_AT_ONCE = 2_000_000


@dataclass(frozen=True)
class Screen:
    """Systems to compare on a segment: two, or more that are ranked together."""

    segment: Hashable
    systems: tuple[str, ...]


@dataclass(frozen=True)
class Assignment:
    """A screen for a judge, and what the answer is expected to tell, in nats."""

    judge: str
    screen: Screen
    gain: float


@dataclass(frozen=True)
class Outlook:
    """What is known before the next answer.

    Attributes
    ----------
    nodes, weights
        Values of a judge's parameters, (judges + 1, values, parameters), and their probabilities, (judges + 1,
        values); the last judge is one of whom nothing is known.
    outcomes
        From gaps (judges, pairs, gaps, values), parameters, with one axis more, and the segment of every pair, to P(a
        better), P(tie), P(b better), in front.
    segments
        Numbers of the segments, where they make a difference; others have the number after the last.
    baseline
        The system that all others are compared with, whose place is the segment's; −1: all are compared with all.
    """

    mean: FloatArray = field(repr=False)
    covariance: FloatArray = field(repr=False)
    nodes: FloatArray = field(repr=False)
    weights: FloatArray = field(repr=False)
    outcomes: Callable[[FloatArray, FloatArray, IntArray], FloatArray] = field(repr=False)
    segments: Mapping[Hashable, int] = field(default_factory=dict, repr=False)
    baseline: int = -1

    def gaps(self, pairs: IntArray) -> FloatArray:
        """Values of θ_a − θ_b, (pairs, values); against a baseline of the other system's θ."""
        a, b = pairs.T
        mean, spread = self.mean, self.covariance
        if self.baseline >= 0:
            other = np.where(a == self.baseline, b, a)
            centre, variance = mean[other], spread[other, other]
        else:
            centre, variance = mean[a] - mean[b], spread[a, a] + spread[b, b] - 2 * spread[a, b]
        return np.asarray(centre[:, None] + np.sqrt(np.maximum(variance, 0.0))[:, None] * _GAPS)


def _of_ordinal(fit: OrdinalFit) -> Outlook:
    """Log sensitivity and log tie width are normal: by the judge's posterior, or by the spread of all judges."""
    spreads, known = np.array(fit.spreads), len(fit.judges)
    roots = np.concatenate([np.linalg.cholesky(fit.curve.inverse_blocks[:known]), np.diag(spreads)[None]])
    roots = roots * (spreads > 0)[:, None]
    centres = np.concatenate([fit.place.own[:known], np.zeros((1, 2))])
    grid = np.stack(np.meshgrid(_NODES, _NODES, indexing="ij"), axis=-1).reshape(-1, 2)
    nodes = centres[:, None] + np.einsum("kij,qj->kqi", roots, grid)
    weights = np.outer(_WEIGHTS, _WEIGHTS).ravel()
    link, width = cast(Ordinal, fit.model).link, fit.place.width

    def outcomes(gap: FloatArray, own: FloatArray, segment: IntArray) -> FloatArray:
        delta = 0.0 if width is None else np.exp(width + own[..., 1])
        return ordinal.outcomes(link, np.exp(own[..., 0]) * gap, delta)

    return Outlook(fit.place.theta, fit.covariance, nodes, np.tile(weights, (known + 1, 1)), outcomes)


def _of_crowd_bt(fit: CrowdBTFit) -> Outlook:
    """η is a Beta with the mean and variance of the judge's posterior, or of all judges and one more as the prior."""
    mean, variance = _with_a_stranger(fit)
    size = np.maximum(mean * (1 - mean) / variance - 1, 1e-2)
    nodes, weights = _beta_rules(mean * size, (1 - mean) * size, len(_NODES))
    tie = fit.place.tie

    def outcomes(gap: FloatArray, eta: FloatArray, segment: IntArray) -> FloatArray:
        return crowd_bt.outcomes(gap, tie, eta[..., 0])

    return Outlook(fit.centred, fit.covariance, nodes[..., None], weights, outcomes)


def _beta_rules(true: FloatArray, false: FloatArray, count: int) -> tuple[FloatArray, FloatArray]:
    """Nodes and weights of Gauss's rule for every Beta(true, false): two arrays (Betas, count).

    Eigenvalues of the matrix of the Jacobi polynomials' recurrence (Golub & Welsch 1969), for all at once.
    """
    a, b, n = false[:, None] - 1, true[:, None] - 1, np.arange(1, count)
    s = a + b
    middle = np.concatenate([(b - a) / (s + 2), (b**2 - a**2) / ((2 * n + s) * (2 * n + s + 2))], axis=1)
    # The first of these has a factor in common above and below, which may be 0.
    first, k = 4 * (1 + a) * (1 + b) / ((2 + s) ** 2 * (3 + s)), n[1:]
    rest = 4 * k * (k + a) * (k + b) * (k + s) / ((2 * k + s) ** 2 * (2 * k + s + 1) * (2 * k + s - 1))
    matrix = np.zeros((len(a), count, count))
    matrix[:, np.arange(count), np.arange(count)] = middle
    matrix[:, n, n - 1] = np.sqrt(np.concatenate([first, rest], axis=1))
    values, vectors = np.linalg.eigh(matrix)  # which reads what is below the diagonal
    return np.clip((1 + values) / 2, 0.0, 1.0), vectors[:, 0] ** 2


def _with_a_stranger(fit: CrowdBTFit) -> tuple[FloatArray, FloatArray]:
    """Mean and variance of η of every judge, and of one of whom nothing is known."""
    model, mean, variance = cast(CrowdBT, fit.model), fit.honesty, fit.honesty_errors**2
    size = model.prior_true + model.prior_false
    usual = model.prior_true / size
    every = np.append(mean, usual)
    within = np.append(variance, usual * (1 - usual) / (size + 1))
    return np.append(mean, every.mean()), np.append(variance, every.var() + within.mean())


def _of_graded_response(fit: GradedResponseFit) -> Outlook:
    """Log sensitivity is normal; so are middle and log width of a segment, and outcomes are averaged over these."""
    (log_a, a_sd), (middle, roots) = fit.judge_beliefs, fit.segment_beliefs
    nodes = log_a[:, None] + a_sd[:, None] * _NODES

    def outcomes(gap: FloatArray, own: FloatArray, segment: IntArray) -> FloatArray:
        total = np.zeros(())
        for x, wx in zip(_NODES, _WEIGHTS, strict=True):
            for y, wy in zip(_NODES, _WEIGHTS, strict=True):
                centre, log_width = (middle + roots @ np.array([x, y]))[segment].T[:, None, :, None, None]
                width = np.exp(log_width)
                p = graded_response.outcomes(np.exp(own[..., 0]), gap, centre - width / 2, width)
                total = total + wx * wy * p
        return np.asarray(total / total.sum(axis=0))

    weights = np.tile(_WEIGHTS, (len(nodes), 1))
    segments: dict[Hashable, int] = {name: number for number, name in enumerate(fit.segments)}
    scores = cast(FloatArray, fit.scores)
    return Outlook(scores, _of_all(fit), nodes[..., None], weights, outcomes, segments, fit.baseline_code)


def _of_all(fit: GradedResponseFit) -> FloatArray:
    """Variances of all systems, those that were added later included."""
    return np.diag(cast(FloatArray, fit.deviations) ** 2)


#: How each model that knows its judges says what is known, by its id.
OUTLOOKS: Mapping[str, Callable[..., Outlook]] = {
    "ordinal": _of_ordinal,
    "crowd-bt": _of_crowd_bt,
    "graded-response": _of_graded_response,
}


def outlook(fit: Fit) -> Outlook:
    """What a fit says is known; of the models that know their judges."""
    if fit.model.id not in OUTLOOKS:
        raise InputError(
            f"model {fit.model.id!r} says nothing of what judges are like; allowed: {', '.join(OUTLOOKS)}; fit one of "
            "these"
        )
    return OUTLOOKS[fit.model.id](fit)


def gains(
    fit: Fit, judges: Sequence[str], screens: Sequence[Screen], *, judge_weight: float = JUDGE_WEIGHT
) -> FloatArray:
    """What the answer of every judge to every screen is expected to tell, in nats: an array (judges, screens).

    A screen of m systems counts each of its pairs 2/m times, since its m (m − 1)/2 pairs are about m − 1 independent
    ones: a pair counts whole, of five systems each pair .4.

    Parameters
    ----------
    judges
        Names; one that the fit does not know is expected to be like the others, over all that they may be.
    judge_weight
        0 counts what is learnt of systems alone, 1 what is learnt of systems and of the judge alike.
    """
    if not 0 <= judge_weight < np.inf:
        raise InputError(f"judge_weight: got {judge_weight!r}; allowed: a number of at least 0")
    known = outlook(fit)
    numbers = {name: number for number, name in enumerate(cast(OrdinalFit, fit).judges)}
    pairs, of_screen, of_pair, weight = _pairs(fit, known, screens)
    judge = np.array([numbers.get(name, len(known.nodes) - 1) for name in judges], dtype=np.int64)
    distinct, back = np.unique(judge, return_inverse=True)
    told = _told(known, distinct, pairs, judge_weight)
    total = np.zeros((len(distinct), len(screens)))
    np.add.at(total.T, of_screen, weight[:, None] * told.T[of_pair])
    return total[back]


def _pairs(fit: Fit, known: Outlook, screens: Sequence[Screen]) -> tuple[IntArray, IntArray, IntArray, FloatArray]:
    """The distinct pairs and their segments, (pairs, 3), and for every pair of every screen: the screen, the pair and
    its weight.
    """
    rows = []
    for number, screen in enumerate(screens):
        codes = sorted(fit.code(name) for name in screen.systems)
        if len(set(codes)) < max(2, len(codes)):
            raise InputError(f"screen {screen}: allowed: two or more systems, each once")
        if known.baseline >= 0 and known.baseline not in codes:
            raise InputError(
                f"screen {screen}: model {fit.model.id!r} knows judgments against the baseline only; allowed: screens "
                f"with {fit.systems[known.baseline]}"
            )
        segment, weight = known.segments.get(screen.segment, len(known.segments)), 2 / len(codes)
        both = [pair for pair in combinations(codes, 2) if known.baseline in (-1, *pair)]
        rows += [(number, a, b, segment, weight) for a, b in both]
    table = np.array(rows, dtype=np.float64).reshape(-1, 5)
    pairs, of_pair = np.unique(table[:, 1:4].astype(np.int64), axis=0, return_inverse=True)
    return pairs, table[:, 0].astype(np.int64), of_pair.reshape(-1), table[:, 4]


def _told(known: Outlook, judges: IntArray, pairs: IntArray, judge_weight: float) -> FloatArray:
    """I(u; θ) + judge_weight · [I(u; θ, φ) − I(u; θ)] of every judge and pair."""
    gap = known.gaps(pairs[:, :2])
    step = max(1, _AT_ONCE // max(1, gap.size * known.nodes.shape[1]))
    parts = [
        _told_by(known, judges[lo : lo + step], gap, pairs[:, 2], judge_weight) for lo in range(0, len(judges), step)
    ]
    return np.concatenate(parts) if parts else np.zeros((0, len(pairs)))


def _told_by(known: Outlook, judges: IntArray, gap: FloatArray, segment: IntArray, judge_weight: float) -> FloatArray:
    own, weights = known.nodes[judges][:, None, None], known.weights[judges][:, None, None]
    # Axes: outcome, judge, pair, gap, what the judge may be like.
    p = known.outcomes(gap[None, :, :, None], own, segment)
    given_gap = (p * weights).sum(axis=-1)
    whole = _entropy((given_gap * _GAP_WEIGHTS).sum(axis=-1))
    left = (_entropy(given_gap) * _GAP_WEIGHTS).sum(axis=-1)
    about_systems = whole - left
    if judge_weight == 0:
        return np.asarray(np.maximum(about_systems, 0.0))
    of_the_judge = left - ((_entropy(p) * weights).sum(axis=-1) * _GAP_WEIGHTS).sum(axis=-1)
    return np.asarray(np.maximum(about_systems + judge_weight * of_the_judge, 0.0))


def _entropy(p: FloatArray) -> FloatArray:
    """In nats, over the first axis."""
    return np.asarray(-xlogy(p, p).sum(axis=0))


def best_screen(fit: Fit, judge: str, screens: Sequence[Screen], *, judge_weight: float = JUDGE_WEIGHT) -> Assignment:
    """The screen on which this judge's answer tells most; of equals the first."""
    found = gains(fit, [judge], _some(screens, "screen"), judge_weight=judge_weight)[0]
    best = int(found.argmax())
    return Assignment(judge, screens[best], float(found[best]))


def best_judge(fit: Fit, screen: Screen, judges: Sequence[str], *, judge_weight: float = JUDGE_WEIGHT) -> Assignment:
    """The judge whose answer to this screen tells most; of equals the first."""
    found = gains(fit, _some(judges, "judge"), [screen], judge_weight=judge_weight)[:, 0]
    best = int(found.argmax())
    return Assignment(judges[best], screen, float(found[best]))


def assign(
    fit: Fit, judges: Sequence[str], screens: Sequence[Screen], *, judge_weight: float = JUDGE_WEIGHT
) -> tuple[Assignment, ...]:
    """A screen for every judge and a judge for every screen, as far as there are enough of both: the largest sum.

    Where there are more judges than screens, those whose answers tell less get none. Answers are taken for
    independent of each other: candidates should not be one pair on many segments.
    """
    if len(set(judges)) < len(judges):
        raise InputError("judges: one is named twice; give each once, as everybody gets one screen")
    found = gains(fit, _some(judges, "judge"), _some(screens, "screen"), judge_weight=judge_weight)
    rows, columns = linear_sum_assignment(found, maximize=True)
    return tuple(
        Assignment(judges[row], screens[column], float(found[row, column]))
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True)
    )


def _some(given: Sequence[_T], what: str) -> Sequence[_T]:
    if not given:
        raise InputError(f"no {what} to choose from; give at least one")
    return given
