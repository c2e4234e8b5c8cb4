"""Which segments to keep, and whether choosing them beats chance: chosen by some judges, tested on the others."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from scipy.special import expit, stdtrit

from ...compute import Execution, Stream, generator
from ...judgments import BoolArray, FloatArray, IntArray, PairCounts, cell_count, encode_cells
from ...models.bradley_terry import BradleyTerry
from .result import Check, Measured
from .rows import Rows, slopes_by_z, summed
from .slopes import score
from .spread import Slopes

#: Fewer judges than this are not halved; their sittings are.
LEAST_JUDGES = 4
#: Fewer systems than this are not halved.
LEAST_SYSTEMS = 6
#: Sets of other segments with about as many judgments, beside every choice.
_RANDOM_SETS = 5
#: Segments are compared with others of the same of so many classes by their number of judgments.
_CLASSES = 10
_LOGS = np.linspace(-5, 5, 401)
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(7)


@dataclass(frozen=True)
class Telling:
    """Information on θ of one comparison of two random systems by the typical judge, by the log slope of its segment.

    I(c) = mean over pairs of c² E[(∂ log P / ∂z)²] at z = c (θ_i − θ_j).
    """

    values: FloatArray = field(repr=False)

    @classmethod
    def of(cls, theta: FloatArray, delta: float) -> Telling:
        first, second = np.triu_indices(len(theta), 1)
        z = np.exp(_LOGS)[:, None] * np.abs(theta[first] - theta[second])
        expected = slopes_by_z(z.ravel(), np.full(z.size, delta), np.zeros(z.size, dtype=np.int64))[1]
        return cls(np.exp(2 * _LOGS) * expected.reshape(z.shape).mean(axis=1))

    def expected(self, log: FloatArray, variance: FloatArray) -> FloatArray:
        """Over what is known of each slope."""
        points = log + np.sqrt(np.maximum(variance, 0)) * _NODES[:, None]
        return np.asarray(_WEIGHTS @ np.interp(points, _LOGS, self.values) / _WEIGHTS.sum())


def most_telling(information: FloatArray, count: int) -> BoolArray:
    """The segments of the largest information; of equal ones, those that come first."""
    chosen = np.zeros(len(information), dtype=bool)
    chosen[np.argsort(-information, kind="stable")[:count]] = True
    return chosen


# -- the check ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """What every split needs: the judgments, the slopes of all of them, and how many segments are chosen."""

    rows: Rows
    slopes: Slopes
    telling: Telling
    count: int
    #: Halved are judges, or sittings where there are few judges.
    unit: IntArray = field(repr=False)


class Tested(NamedTuple):
    """One choice on other judgments: (measure, influence of every segment) of slope and agreement; correlations."""

    slope: tuple[float, FloatArray]
    agreement: tuple[float, FloatArray]
    chosen_correlation: float
    random_correlation: float


def checks(case: Case, splits: int, p: float, execution: Execution) -> tuple[Check, ...]:
    """On other judges, and on other judges and other systems."""
    pieces = [(number,) for number in range(splits)]
    results = execution.run(_split, pieces, shared=(case, execution.seed))
    kinds = ["other judges" if case.unit is case.rows.judge else "other sittings"]
    kinds += [f"{kinds[0]} and other systems"] if len(case.rows.theta) >= LEAST_SYSTEMS else []
    return tuple(
        _summed(kind, [tested for result in results for tested in result[number]], case, p)
        for number, kind in enumerate(kinds)
    )


def _split(case: Case, seed: int, number: int) -> tuple[list[Tested], list[Tested]]:
    """Both directions of one split in halves, of all systems and of halves of them."""
    rng = generator(seed, Stream.SEGMENT_SPLITS, number)
    rows, n = case.rows, len(case.rows.theta)
    first = _half(case.unit, rng)
    same = [_tested(case, rows.only(side), rows.only(~side), rng, ranked=True) for side in (first, ~first)]
    if n < LEAST_SYSTEMS:
        return [t for t in same if t], []
    group = np.zeros(n, dtype=bool)
    group[rng.permutation(n)[: n // 2]] = True
    inside, outside = (member[rows.a] & member[rows.b] for member in (group, ~group))
    ways = [(first & inside, ~first & outside), (~first & outside, first & inside)]
    other = [_tested(case, rows.only(one), rows.only(two), rng, ranked=False) for one, two in ways]
    return [t for t in same if t], [t for t in other if t]


def _half(unit: IntArray, rng: np.random.Generator) -> BoolArray:
    """Rows of half of the units: in random order, each goes where there is less so far."""
    codes, inverse, work = np.unique(unit, return_inverse=True, return_counts=True)
    side, load = np.zeros(len(codes), dtype=bool), [0, 0]
    for code in rng.permutation(len(codes)).tolist():
        lighter = int(load[1] < load[0])
        side[code] = bool(lighter)
        load[lighter] += int(work[code])
    return np.asarray(side[inverse.reshape(-1)])


def _tested(case: Case, learnt: Rows, held: Rows, rng: np.random.Generator, *, ranked: bool) -> Tested | None:
    """Choose by one part, measure on the other; None where the other says nothing of the chosen segments."""
    slopes, start = case.slopes, np.full(case.rows.segments, case.slopes.mean)
    pull, information = score(learnt, start, slopes.noise)
    variance = 1 / (information + max(slopes.spread, 1e-3) ** -2)
    chosen = most_telling(case.telling.expected(slopes.mean + pull * variance, variance), case.count)
    pull, information = score(held, start, slopes.noise)
    hits, expected, decided = agreement_of(held)
    if information[chosen].sum() <= 0 or decided[chosen].sum() == 0:
        return None
    correlations = _correlations(case, held, chosen, rng) if ranked else (np.nan, np.nan)
    return Tested(_beyond(pull, information, chosen), _beyond(hits - expected, decided, chosen), *correlations)


def _beyond(top: FloatArray, bottom: FloatArray, chosen: BoolArray) -> tuple[float, FloatArray]:
    """Σ top / Σ bottom of the chosen less that of all, and what every segment adds to its error."""
    own, whole = bottom[chosen].sum(), bottom.sum()
    ratio, level = top[chosen].sum() / own, top.sum() / whole
    influence = chosen * (top - ratio * bottom) / own - (top - level * bottom) / whole
    return float(ratio - level), influence


def agreement_of(rows: Rows) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Per segment: decided judgments in the order of the scores, how many the model expects, and how many there are.

    Expected of the average slope: P(better one wins | no tie) = p/(p + q), p = F(z − δ), q = F(−z − δ).
    """
    decided = (rows.outcome != 1) & (rows.gap != 0)
    z, delta = np.abs(rows.reach * rows.gap)[decided], rows.delta[decided]
    p, q = expit(z - delta), expit(-z - delta)
    right = (rows.outcome[decided] == 0) == (rows.gap[decided] > 0)
    segment, count = rows.segment[decided], rows.segments
    hits, expected = (summed(segment, values, count) for values in (right.astype(float), p / (p + q)))
    return hits, expected, np.bincount(segment, minlength=count).astype(np.float64)


def _correlations(case: Case, held: Rows, chosen: BoolArray, rng: np.random.Generator) -> tuple[float, float]:
    """Kendall's τ of Bradley–Terry scores from the chosen segments, and from random ones, with the scores of all."""
    from scipy.stats import kendalltau

    n = len(held.theta)
    work = np.bincount(held.segment, minlength=held.segments)
    sets = [chosen, *(_alike(chosen, work, rng) for _ in range(_RANDOM_SETS))]
    cells = encode_cells(held.a, held.b, held.outcome, n)
    tables = np.stack([np.bincount(cells[s[held.segment]], minlength=cell_count(n)) for s in sets]).astype(np.float64)
    names = tuple(map(str, range(n)))
    rngs = [np.random.default_rng(0) for _ in sets]
    scores = BradleyTerry().score(PairCounts.from_table(names, tables), rngs)
    found = [float(kendalltau(row, held.theta).statistic) for row in scores]
    return found[0], float(np.mean(found[1:]))


def _alike(chosen: BoolArray, work: IntArray, rng: np.random.Generator) -> BoolArray:
    """As many random segments, which have about as many judgments as the chosen ones."""
    order = np.lexsort((rng.random(len(work)), work))
    drawn = np.zeros(len(work), dtype=bool)
    for part in np.array_split(order, min(_CLASSES, len(work))):
        drawn[rng.choice(part, int(chosen[part].sum()), replace=False)] = True
    return drawn


def _summed(kind: str, tested: list[Tested], case: Case, p: float) -> Check:
    """Means over splits; errors over segments, which the splits share."""
    if not tested:
        return Check(kind, 0, None, None, None, None, None)
    reach = float(stdtrit(max(case.count - 1, 1), 1 - p / 2))

    def measured(parts: list[tuple[float, FloatArray]]) -> Measured:
        value = float(np.mean([part[0] for part in parts]))
        error = float(np.sqrt((np.mean([part[1] for part in parts], axis=0) ** 2).sum()))
        return Measured(value, (value - reach * error, value + reach * error))

    slope, agreement = measured([t.slope for t in tested]), measured([t.agreement for t in tested])
    # A log slope made linear at the average is the slope less 1, and scores are straighter in the slope.
    slope = Measured(1 + slope.value, (1 + slope.interval[0], 1 + slope.interval[1]))
    pairs = np.array([(t.chosen_correlation, t.random_correlation) for t in tested])
    if np.isnan(pairs).any():
        return Check(kind, len(tested), slope, agreement, None, None, None)
    low, high = np.quantile(pairs[:, 0] - pairs[:, 1], [p / 2, 1 - p / 2]).tolist()
    chosen, random = pairs.mean(axis=0).tolist()
    return Check(kind, len(tested), slope, agreement, chosen, random, (low, high))
