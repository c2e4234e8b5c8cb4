"""The checks of the design: what was shown where, and who was compared with whom.

``position``: do outputs shown earlier win more? ``rare-pairs``: were some pairs never or rarely compared? ``groups``:
do the judgments link all systems?
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ...judgments import BoolArray, FloatArray, IntArray
from ...ranking.significance import holm
from .case import Case
from .findings import Finding, Power, Subject, around, decimals, number, percent, skipped, some, span
from .judges import exact_interval

#: Pairs compared less than this share of an even one are rare.
_RARE = 0.5
#: Faults whose chance of being found is told: an advantage of the first place in share of wins, and a pair that is
#: compared this share as often as an even design has it.
_ADVANTAGE, _NEGLECTED = 0.05, 0.25
_MOST_PAIRS = 20
_MOST_PLACES = 20


def position(case: Case) -> Finding:
    """Regress winning on being shown first, within every pair of systems so that quality plays no part.

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
    slope, error, units = within_pairs(x, y, judgments.pairs[used], case.units[used], case.weights[used])
    if not np.isfinite(slope) or not error > 0 or units < 2:
        return skipped("position", "no two systems with outputs of their own were shown in both orders often enough")
    p = float(2 * stdtr(units - 1, -abs(slope) / error))
    reach = float(stdtrit(units - 1, 1 - case.p / 2)) * error
    interval = (slope - reach, slope + reach)
    more, size = ("more", interval) if slope >= 0 else ("fewer", (-interval[1], -interval[0]))
    return Finding(
        "position",
        f"the earlier of two outputs wins {decimals(100 * abs(slope), 1)} of 100 decided comparisons {more} than if it "
        f"were the later one ({span((100 * size[0], 100 * size[1]), 1)})",
        f"t test, pair fixed effects, errors by {case.unit_name} ({units:,})",
        p,
        effect=slope,
        effect_name="extra share of wins for being shown first",
        interval=interval,
        subjects=_places(case, known, reach / error),
        powered=partial(_advantage_found, error, units - 1),
    )


def _advantage_found(error: float, freedom: int, level: float) -> Power:
    """How likely the t test finds an advantage of the first place, were its error as it is."""
    from scipy.special import stdtr, stdtrit

    bound, reached = stdtrit(freedom, 1 - level / 2), _ADVANTAGE / error
    found = float(stdtr(freedom, reached - bound) + stdtr(freedom, -reached - bound))
    return Power(f"{100 * _ADVANTAGE:g} of 100 decided comparisons more for the output shown first", found)


def unshared(case: Case, places: list[IntArray]) -> BoolArray:
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
    x: FloatArray, y: FloatArray, pair: IntArray, unit: IntArray, weight: FloatArray
) -> tuple[float, float, int]:
    """Slope of y on x with a constant for every pair, its standard error by unit, and how many units.

    A pair's own mean takes up 1/m of the variance of its m judgments, which the error gives back; a pair with one
    judgment says nothing.
    """
    if len(x) == 0:
        return np.nan, np.nan, 0
    given = _per_pair(pair, weight) > 1 + 1e-9
    x, y, pair, unit, weight = x[given], y[given], pair[given], unit[given], weight[given]
    x, y = (v - _means(v, pair, weight) for v in (x, y))
    spread = float((weight * x * x).sum())
    if spread < 1e-9:
        return np.nan, np.nan, 0
    slope = float((weight * x * y).sum()) / spread
    m = _per_pair(pair, weight)
    extra = (y - slope * x) * np.sqrt(m / (m - 1))
    sums = np.bincount(np.unique(unit, return_inverse=True)[1], weight * x * extra)
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


def _places(case: Case, known: BoolArray, reach: float) -> tuple[Subject, ...]:
    """Residual points per comparison of the outputs in each place."""
    frame, codes = case.judgments.frame.filter(known), [case.judgments.codes(f"system_{s}")[known] for s in "ab"]
    expected = case.fit.outcomes[codes[0], codes[1], 0] + case.fit.outcomes[codes[0], codes[1], 1] / 2
    extra = (1 + case.judgments.codes("outcome")[known]) / 2 - expected
    units, weight = case.units[known], case.weights[known]
    subjects = []
    for place in np.unique(frame.select("position_a", "position_b").to_numpy())[:_MOST_PLACES]:
        here = [frame[f"position_{side}"].to_numpy() == place for side in "ab"]
        sums = np.bincount(units, weight * extra * (here[0].astype(float) - here[1]))
        amount = float((weight * (here[0].astype(float) + here[1])).sum())
        mean, error = float(sums.sum()) / amount, float(np.sqrt((sums**2).sum())) / amount
        detail = "points per comparison beyond expectation"
        subjects.append(Subject(f"place {place}", mean, around(mean, reach * error), None, detail))
    return tuple(subjects)


def rare_pairs(case: Case) -> Finding:
    """Test every pair's number of units against an even design."""
    from scipy.special import bdtr

    n = len(case.systems)
    if n < 3:
        return skipped("rare-pairs", "there is one pair only")
    first, second = np.triu_indices(n, 1)
    counts, units = together(case)[first, second], case.amount
    even = float(counts.sum() / len(counts) / units)
    adjusted = holm(bdtr(counts, units, even).tolist()) if even < 1 else [1.0] * len(counts)
    order = np.argsort(counts, kind="stable")
    never = [_pair(case, first[k], second[k]) for k in order if counts[k] == 0]
    subjects = tuple(
        _rare_subject(case, (first[k], second[k]), counts[k], even, adjusted[k]) for k in order[:_MOST_PAIRS]
    )
    least = subjects[0]
    share, interval = least.effect or 0.0, least.interval or (0.0, 0.0)
    unmet = f"{number(len(never), 'pair')} of {len(counts):,} never met ({some(never)}); " if never else ""
    return Finding(
        "rare-pairs",
        f"{unmet}{least.name} met in {number(counts[order[0]], case.unit_name)}, {decimals(share)} "
        f"({span(interval)}) of an even share of {even * units:,.1f}",
        "exact binomial test of few meetings, Holm over pairs",
        least.p,
        effect=share,
        effect_name="meetings of the rarest pair / an even share",
        interval=interval,
        material=share < _RARE,
        subjects=subjects,
        powered=partial(_neglect_found, units, even, len(counts)),
    )


def _neglect_found(units: int, even: float, pairs: int, level: float) -> Power:
    """How likely the exact test, corrected over pairs, finds one that is compared seldom."""
    from scipy.special import bdtr

    counts = np.arange(int(_RARE * even * units) + 1)
    counts = counts[(bdtr(counts, units, min(even, 1.0)) <= level / pairs) & (counts < _RARE * even * units)]
    found = float(bdtr(counts[-1], units, _NEGLECTED * even)) if len(counts) and even < 1 else 0.0
    seldom = decimals(_NEGLECTED * even * units, 1)
    return Power(f"a pair compared {percent(_NEGLECTED)} as often as an even share ({seldom} times on average)", found)


def together(case: Case) -> FloatArray:
    """In how many units every two systems were compared."""
    n = len(case.systems)
    once = np.unique(case.units * (n * n) + case.judgments.pairs) % (n * n)
    met = np.bincount(once, minlength=n * n).reshape(n, n).astype(np.float64)
    return np.asarray(met + met.T)


def compared(case: Case) -> FloatArray:
    """How many judgments compare every two systems, whatever each of them counts."""
    n = len(case.systems)
    met = np.bincount(case.judgments.pairs, minlength=n * n).reshape(n, n).astype(np.float64)
    return np.asarray(met + met.T)


def groups(case: Case) -> Finding:
    """Check whether judgments link all systems, and how few of them are the weakest link."""
    linked = case.linked
    weight, side = minimum_cut(compared(case))
    cut = [name for name, inside in zip(case.systems, side, strict=True) if inside]
    held = f"{number(weight, 'judgment')} link{'s' * (weight == 1)} {some(cut)} to the others"
    says = f"all {len(case.systems)} systems are linked; {held}, the weakest link"
    if len(linked) > 1:
        others = [name for group in linked[1:] for name in group]
        says = (
            f"the systems fall into {len(linked)} groups that no judgment links; this audit is of the largest, of "
            f"{len(linked[0])}, without {some(others)}; in it, {held}"
        )
    return Finding(
        "groups",
        says,
        "exact count",
        effect=float(len(linked)),
        effect_name="groups",
        flagged=len(linked) > 1,
        subjects=tuple(Subject(some(group, 8), float(len(group)), detail="systems in the group") for group in linked),
    )


def minimum_cut(links: FloatArray) -> tuple[float, list[bool]]:
    """The least total of links whose loss splits the systems in two, and who is on the smaller side.

    Stoer & Wagner (1997): systems are added one by one, each time the one most linked to those added before; what links
    the last one to the rest is a candidate, and the last two become one.
    """
    links, members = links.copy(), [{i} for i in range(len(links))]
    best, side, left = np.inf, set[int](), np.ones(len(links), dtype=bool)
    for remaining in range(len(links), 1, -1):
        last = int(np.argmax(left))
        # Those that are not waiting never come first again.
        reach = np.where(left, links[last], -np.inf)
        reach[last] = -np.inf
        for _ in range(remaining - 1):
            before, last = last, int(np.argmax(reach))
            weight = reach[last]
            reach += links[last]
            reach[last] = -np.inf
        if weight < best:
            best, side = float(weight), set(members[last])
        members[before] |= members[last]
        links[before] += links[last]
        links[:, before] += links[:, last]
        links[before, before] = 0.0
        left[last] = False
    smaller = 2 * len(side) <= len(links)
    return best, [(i in side) == smaller for i in range(len(links))]


def _pair(case: Case, i: int, j: int) -> str:
    return f"{case.systems[i]} – {case.systems[j]}"


def _rare_subject(case: Case, pair: tuple[int, int], count: float, even: float, p: float) -> Subject:
    low, high = exact_interval(count, case.amount, case.p)
    share = float(count) / case.amount / even
    detail = f"met in {number(count, case.unit_name)}"
    return Subject(_pair(case, *pair), share, (low / even, high / even), float(p), detail)
