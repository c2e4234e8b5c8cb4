"""``position``: do outputs shown earlier win more?"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...judgments.counts import FloatArray
from .case import Case, IntArray
from .findings import Finding, Subject, skipped
from .wording import decimals, span

_MOST_PLACES = 20


def position(case: Case) -> Finding:
    """Regress winning on standing first, within every pair of systems so that quality plays no part.

    Outputs that several systems share are left out, because their places are not random.
    """
    from scipy.special import stdtr, stdtrit

    judgments = case.judgments
    if not judgments.has("position_a"):
        return skipped("position", "the judgments do not say in which order outputs were shown")
    first, second = (judgments.frame[f"position_{side}"] for side in "ab")
    places = [side.fill_null(0).to_numpy().astype(np.int64) for side in (first, second)]
    known = (first.is_not_null() & second.is_not_null()).to_numpy() & unshared(case, places)
    gap = places[1] - places[0]
    used = known & (gap != 0) & (judgments.codes("outcome") != 0)
    x, y = np.sign(gap[used]) / 2, (judgments.codes("outcome")[used] > 0).astype(np.float64)
    pair = judgments.codes("system_a")[used].astype(np.int64) * len(case.systems) + judgments.codes("system_b")[used]
    slope, error, clusters = within_pairs(x, y, pair, case.units[used], case.weights[used])
    if not np.isfinite(slope) or not error > 0 or clusters < 2:
        return skipped("position", "no two systems with outputs of their own were shown in both orders often enough")
    p = float(2 * stdtr(clusters - 1, -abs(slope) / error))
    reach = float(stdtrit(clusters - 1, 1 - case.p / 2)) * error
    interval = (slope - reach, slope + reach)
    more, size = ("more", interval) if slope >= 0 else ("fewer", (-interval[1], -interval[0]))
    return Finding(
        "position",
        f"the earlier of two outputs wins {decimals(100 * abs(slope), 1)} of 100 decided comparisons {more} than if it "
        f"were the later one ({span((100 * size[0], 100 * size[1]), 1)})",
        f"t test, pair fixed effects, {clusters:,} {case.unit_name}s as clusters",
        p,
        effect=slope,
        effect_name="extra share of wins for standing first",
        interval=interval,
        subjects=_places(case, known, reach / error),
    )


def unshared(case: Case, places: list[IntArray]) -> npt.NDArray[np.bool_]:
    """Which rows compare two outputs that belong to one system each.

    An output that several systems share is shown once, and where it is shown need not be random: it may stand where the
    first of them was drawn, and systems that agree are often right.
    """
    n, spots = len(case.systems), int(max(p.max() for p in places)) + 1
    spot = [case.units * spots + place for place in places]
    systems = [case.judgments.codes(f"system_{side}").astype(np.int64) for side in "ab"]
    holders = np.unique(np.concatenate([at * n + who for at, who in zip(spot, systems, strict=True)])) // n
    held, count = np.unique(holders, return_counts=True)
    return np.asarray((count[np.searchsorted(held, spot[0])] == 1) & (count[np.searchsorted(held, spot[1])] == 1))


def within_pairs(
    x: FloatArray, y: FloatArray, pair: IntArray, cluster: IntArray, weight: FloatArray
) -> tuple[float, float, int]:
    """Slope of y on x with a constant for every pair, its standard error robust to clusters, how many clusters.

    A pair's own mean takes up 1/m of the variance of its m judgments, which the error gives back; a pair with one
    judgment says nothing.
    """
    if len(x) == 0:
        return np.nan, np.nan, 0
    given = _per_pair(pair, weight) > 1 + 1e-9
    x, y, pair, cluster, weight = x[given], y[given], pair[given], cluster[given], weight[given]
    x, y = (v - _means(v, pair, weight) for v in (x, y))
    spread = float((weight * x * x).sum())
    if spread < 1e-9:
        return np.nan, np.nan, 0
    slope = float((weight * x * y).sum()) / spread
    m = _per_pair(pair, weight)
    extra = (y - slope * x) * np.sqrt(m / (m - 1))
    sums = np.bincount(np.unique(cluster, return_inverse=True)[1], weight * x * extra)
    few = len(sums) / max(len(sums) - 1, 1)
    return slope, float(np.sqrt(few * (sums**2).sum())) / spread, len(sums)


def _per_pair(pair: IntArray, weight: FloatArray) -> FloatArray:
    """How many judgments the pair of every row has: (Σ w)² / Σ w², the number itself where all count the same."""
    code = np.unique(pair, return_inverse=True)[1]
    return np.asarray((np.bincount(code, weight) ** 2 / np.bincount(code, weight**2))[code])


def _means(values: FloatArray, pair: IntArray, weight: FloatArray) -> FloatArray:
    """The mean of the pair of every row."""
    code = np.unique(pair, return_inverse=True)[1]
    return np.asarray((np.bincount(code, weight * values) / np.bincount(code, weight))[code])


def _places(case: Case, known: npt.NDArray[np.bool_], reach: float) -> tuple[Subject, ...]:
    """Residual points a comparison of the outputs in each place."""
    frame, codes = case.judgments.frame.filter(known), [case.judgments.codes(f"system_{s}")[known] for s in "ab"]
    expected = case.fit.outcomes[codes[0], codes[1], 0] + case.fit.outcomes[codes[0], codes[1], 1] / 2
    extra = (1 + case.judgments.codes("outcome")[known]) / 2 - expected
    units, weight = case.units[known], case.weights[known]
    found = []
    for place in np.unique(frame.select("position_a", "position_b").to_numpy())[:_MOST_PLACES]:
        here = [frame[f"position_{side}"].to_numpy() == place for side in "ab"]
        sums = np.bincount(units, weight * extra * (here[0].astype(float) - here[1]))
        amount = float((weight * (here[0].astype(float) + here[1])).sum())
        mean, error = float(sums.sum()) / amount, float(np.sqrt((sums**2).sum())) / amount
        interval = (mean - reach * error, mean + reach * error)
        found.append(Subject(f"place {place}", mean, interval, None, "points a comparison beyond expectation"))
    return tuple(found)
