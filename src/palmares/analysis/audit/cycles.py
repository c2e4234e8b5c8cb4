"""``intransitivity``: do systems beat each other in circles more often than by chance?"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ...compute import Stream, generator
from ...judgments import FEW_UNITS, FloatArray, IntArray, Judgments
from .case import MANY_SYSTEMS, Case
from .findings import Finding, Power, Subject, decimals, number, percent, skipped, with_width
from .residuals import critical, tail

Real: TypeAlias = npt.NDArray[np.floating[Any]]

#: Simulated sets of margins.
SIMULATIONS = 999
#: The fault whose chance of being found is told: three systems each of which wins this share against the next.
_CIRCLE = 0.65
#: … in so many simulations, or in fewer of many systems.
_POWER_SIMULATIONS, _OF_MANY = 399, 199
_NUMBERS_IN_A_PIECE = 4_000_000


def intransitivity(case: Case) -> Finding:
    """Compare circular triples with those of margins that scatter around a Bradley–Terry model.

    Margins are wins less losses of a pair. Given the points of every system, which the model fits exactly, they scatter
    by what groups of dependent judgments add to them: the residual margins of every group keep or change their sign at
    random, and what the model would fit of the sum is taken out. The statistic weighs each circular triple by the
    product of its three margins in standard errors, so that one strong circle is found among many weak ones.
    """
    n = len(case.systems)
    if n < 3:
        return skipped("intransitivity", "a circle needs at least three systems")
    margin, expected, error = margins(case)
    if circular(np.ones_like(margin) * (error > 0))[0] == 0:
        return skipped("intransitivity", "no three systems were all compared with each other")
    z = np.asarray(standardised(margin, error), dtype=np.float64)
    count, strength = float(circular((margin > 0).astype(np.float64))[0]), float(circular(z)[0])
    scatter = scatter_of(case, expected, error)
    simulated = _simulated(case, scatter, 0, SIMULATIONS)
    p = float(tail(strength, simulated[:, 1])[0])
    low, high = np.quantile(simulated[:, 0], [case.p / 2, 1 - case.p / 2]).tolist()
    usual = (
        f"{low:.0f} to {high:.0f}" if low < high else f"{low:.0f} in at least {100 * (1 - case.p):g} % of simulations"
    )
    mean = float(simulated[:, 0].mean())
    cycles = strongest(z)
    return Finding(
        "intransitivity",
        f"there {'is' if count == 1 else 'are'} {number(count, 'circular triple')} of systems where chance gives "
        f"{decimals(mean, 1)} ({usual})" + (f"; strongest: {_named(case, cycles[0])}" if cycles else ""),
        f"strength of circles, simulated margins ({SIMULATIONS})",
        p,
        effect=count - mean,
        effect_name="circular triples beyond chance",
        interval=with_width(count - high, count - low),
        subjects=tuple(
            Subject(_named(case, c), c[3], detail="weakest of the three margins, in standard errors") for c in cycles
        ),
        powered=partial(_circle_found, case, scatter),
    )


def margins(case: Case) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Wins less losses of every two systems, what the fit expects of them, and their standard error by group."""
    counts, outcomes = case.judgments.counts, case.fit.outcomes
    met = counts.decided + counts.ties
    margin = counts.wins - counts.wins.T
    expected = met * (outcomes[..., 0] - outcomes[..., 2])
    _, pair, extra = _residual_margins(case)
    variance = np.bincount(pair, extra**2, minlength=len(case.systems) ** 2).reshape(met.shape)
    # One comparison tells little of its own variance: at least what the model says of that many.
    single = met * (1 - outcomes[..., 1] - (outcomes[..., 0] - outcomes[..., 2]) ** 2)
    return margin, expected, np.sqrt(np.maximum(variance + variance.T, single)) * (met > 0)


def dependent(judgments: Judgments, units: IntArray) -> IntArray:
    """The group of judgments that share outputs, for every row.

    Segments if there are enough; else the same two outputs, or a ranking.
    """
    segment = judgments.codes("segment").astype(np.int64)
    if not judgments.has("segment") or bool((segment < 0).any()):
        return units
    if len(judgments.segments) >= FEW_UNITS:
        return segment
    return units if judgments.has("ranking") else segment * (len(judgments.systems) ** 2) + judgments.pairs


def circular(margin: Real) -> FloatArray:
    """Σ over circular triples of the product of their margins; of a matrix of 0 and 1, how many there are.

    A triple i, j, k is circular if i beats j, j beats k and k beats i; the trace of the third power of the matrix of
    positive margins counts each three times.
    """
    batch = margin[None] if margin.ndim == 2 else margin
    ahead = np.maximum(batch, 0.0)
    return np.asarray(((ahead @ ahead) * np.swapaxes(ahead, -1, -2)).sum(axis=(-1, -2), dtype=np.float64) / 3)


def standardised(margin: Real, error: Real) -> Real:
    return np.divide(margin, error, out=np.zeros_like(margin), where=np.broadcast_to(error > 0, margin.shape))


def strongest(z: FloatArray, most: int = 5) -> list[tuple[int, int, int, float]]:
    """The circular triples with the largest smallest margin, each begun at its first system."""
    circles: list[tuple[int, int, int, float]] = []
    for i in range(len(z)):
        # Through j and k, all later than i, so that every circle is met once.
        weakest = np.minimum(np.minimum(z[i, :, None], z), z[:, i][None, :])
        weakest[: i + 1], weakest[:, : i + 1] = 0.0, 0.0
        top = np.argsort(-weakest, axis=None, kind="stable")[:most]
        circles += [(i, int(t // len(z)), int(t % len(z)), float(weakest.flat[t])) for t in top if weakest.flat[t] > 0]
    return sorted(circles, key=lambda c: -c[3])[:most]


def unfitted(noise: FloatArray, weight: FloatArray, inverse: FloatArray) -> FloatArray:
    """What is left of antisymmetric margins when the part that strengths can follow is taken out.

    The fit moves a margin by weight · (x_i − x_j) and makes every system's total come out right: linear equations in x
    whose matrix is the Laplacian of the weights, of which ``inverse`` is the pseudo-inverse.
    """
    x = noise.sum(axis=-1) @ inverse
    return np.asarray(noise - weight * (x[..., :, None] - x[..., None, :]))


def laplacian_inverse(weight: FloatArray) -> FloatArray:
    # A Laplacian has one eigenvalue of 0, which rounding may lift over numpy's own limit for such.
    return np.asarray(np.linalg.pinv(np.diag(weight.sum(axis=1)) - weight, rcond=1e-10, hermitian=True))


def _residual_margins(case: Case) -> tuple[IntArray, IntArray, FloatArray]:
    """Residual margins by group of dependent judgments and pair: the group, the pair and the sum of every entry."""
    judgments, outcomes = case.judgments, case.fit.outcomes
    a, b = judgments.codes("system_a").astype(np.int64), judgments.codes("system_b").astype(np.int64)
    extra = case.weights * (judgments.codes("outcome") - (outcomes[a, b, 0] - outcomes[a, b, 2]))
    group = np.unique(dependent(judgments, case.units), return_inverse=True)[1]
    most = int(judgments.pairs.max()) + 1
    key, entry = np.unique(group * most + judgments.pairs, return_inverse=True)
    return key // most, key % most, np.bincount(entry, extra).astype(np.float64)


@dataclass(frozen=True)
class Scatter:
    """How margins scatter around the model: what simulations of them share.

    ``groups`` is a sparse matrix (groups of dependent judgments, pairs) of residual margins; ``expected`` are the
    model's margins, ``weight`` and its Laplacian's ``inverse`` say what strengths would follow (`unfitted`), and
    ``whole`` says that margins are whole numbers.
    """

    groups: Any = field(repr=False)
    expected: FloatArray = field(repr=False)
    error: FloatArray = field(repr=False)
    weight: FloatArray = field(repr=False)
    inverse: FloatArray = field(repr=False)
    whole: bool


def scatter_of(case: Case, expected: FloatArray, error: FloatArray) -> Scatter:
    """How the margins of a campaign scatter."""
    from scipy.sparse import csr_array

    counts, outcomes, n = case.judgments.counts, case.fit.outcomes, len(case.systems)
    gap = outcomes[..., 0] - outcomes[..., 2]
    weight = (counts.decided + counts.ties) * (1 - outcomes[..., 1] - gap**2)
    group, pair, extra = _residual_margins(case)
    rows = int(group.max()) + 1
    # What the strengths took up is taken out of simulated margins too, so only the number of groups counts.
    extra = extra * np.sqrt(rows / max(rows - 1, 1))
    return Scatter(
        groups=csr_array((extra, (group, pair)), shape=(rows, n * n)),
        expected=expected,
        error=error,
        weight=weight,
        inverse=laplacian_inverse(weight),
        whole=case.judgments.weights is None,
    )


def _simulated(case: Case, scatter: Scatter, first: int, last: int) -> FloatArray:
    """Circular triples and their strength in some simulations, by number: an array (simulations, 2)."""
    step = max(1, _NUMBERS_IN_A_PIECE // (scatter.groups.shape[0] + 6 * scatter.expected.size))
    pieces = [(lo, min(lo + step, last)) for lo in range(first, last, step)]
    return np.concatenate(case.execution.run(_simulate, pieces, shared=(scatter, case.execution.seed)))


def _simulate(scatter: Scatter, seed: int, lo: int, hi: int) -> FloatArray:
    expected, error, groups = scatter.expected, scatter.error, scatter.groups.shape[0]
    rngs = [generator(seed, Stream.AUDIT_CYCLES, r) for r in range(lo, hi)]
    signs = np.stack([rng.integers(0, 2, groups, dtype=np.int8) for rng in rngs])
    noise = np.asarray((2.0 * signs - 1) @ scatter.groups).reshape(-1, *expected.shape)
    drawn = expected + unfitted(noise - np.swapaxes(noise, -1, -2), scatter.weight, scatter.inverse)
    # Margins of judgments that count one each are whole numbers, and those of few judgments often 0.
    drawn = np.where(error > 0, np.rint(drawn) if scatter.whole else drawn, 0.0).astype(np.float32)
    ahead, z = (drawn > 0).astype(np.float32), standardised(drawn, error.astype(np.float32))
    return np.stack([circular(ahead), circular(z)], axis=1)


def _named(case: Case, cycle: tuple[int, int, int, float]) -> str:
    """``a > b (62 %), b > c (58 %), c > a (60 %)``, with the share of decided comparisons that each won."""
    wins = case.judgments.counts.wins
    steps = zip(cycle[:3], (*cycle[1:3], cycle[0]), strict=True)
    won = [(i, j, 100 * wins[i, j] / (wins[i, j] + wins[j, i])) for i, j in steps]
    return ", ".join(f"{case.systems[i]} > {case.systems[j]} ({share:.0f} %)" for i, j, share in won)


def _circle_found(case: Case, scatter: Scatter, level: float) -> Power | None:
    """How likely a circle is found, planted among the three neighbours nearest to the middle that all met.

    The three are taken to be equal otherwise, which makes circles by chance likelier: what is usual is simulated again.
    """
    order = [case.systems.index(name) for name in case.ranking.systems]
    windows = sorted(range(len(order) - 2), key=lambda k: abs(k + 1 - (len(order) - 1) / 2))
    met = scatter.error > 0
    triples = ((order[k], order[k + 1], order[k + 2]) for k in windows)
    triple = next((t for t in triples if met[t[0], t[1]] and met[t[1], t[2]] and met[t[2], t[0]]), None)
    if triple is None:
        return None
    counts, outcomes = case.judgments.counts, case.fit.outcomes
    compared = counts.decided + counts.ties
    decided = compared * (1 - outcomes[..., 1])
    level_margins, flow = scatter.expected.copy(), np.zeros_like(decided)
    steps = list(zip(triple, (*triple[1:], triple[0]), strict=True))
    for i, j in steps:
        level_margins[i, j] = level_margins[j, i] = 0.0
        flow[i, j] = (2 * _CIRCLE - 1) * decided[i, j]
        flow[j, i] = -flow[i, j]
    # Strengths follow what of it is no circle, and a circle makes margins seem to scatter more.
    flow = unfitted(flow[None], scatter.weight, scatter.inverse)[0]
    error = np.sqrt(scatter.error**2 + (flow / np.maximum(compared, 1e-300)) ** 2 * _squares(case)) * met
    first = SIMULATIONS
    last = first + (_POWER_SIMULATIONS if len(met) <= MANY_SYSTEMS else _OF_MANY)
    null = _simulated(case, replace(scatter, expected=level_margins), first, last)[:, 1]
    drawn = _simulated(case, replace(scatter, expected=level_margins + flow, error=error), first, last)[:, 1]
    usual = number(np.mean([decided[step] for step in steps]), "time")
    return Power(
        f"three neighbours in the middle, each of which wins {percent(_CIRCLE)} of its decided comparisons ({usual}) "
        "with the next",
        float((drawn > critical(null, level)).mean()),
    )


def _squares(case: Case) -> FloatArray:
    """Σ over groups of dependent judgments of the square of how many compare every two systems."""
    group, n = np.unique(dependent(case.judgments, case.units), return_inverse=True)[1], len(case.systems)
    key, entry = np.unique(group * (n * n) + case.judgments.pairs, return_inverse=True)
    amount = np.bincount(entry, case.weights)
    squares = np.bincount(key % (n * n), amount**2, minlength=n * n).reshape(n, n)
    return np.asarray(squares + squares.T)
