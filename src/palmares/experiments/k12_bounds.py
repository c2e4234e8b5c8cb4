"""Koehn 2012, Table 1: how wide and how right rank ranges and clusters are, by sign tests and by bootstrap."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ..compute import Execution, ExperimentStream, generator, seed_of
from ..design.simulate import simulate
from ..judgments import FloatArray, IntArray, Judgments, Unit
from ..models.ratios import ExpectedWins
from ..ranking.bootstrap import resample
from ..ranking.ranges import clusters, rank_ranges
from ..ranking.significance import sign_test_ranges
from .base import Check, Context, Experiment, Findings, Row
from .k12 import PER_RANKING, PUBLISHED, P, error_of, plan
from .published import load

#: The columns of the table, and the decimals they are printed with.
COLUMNS = ("range size", "violations (%)", "clusters", "cluster violations (%)")
RESAMPLES = 1000
#: Ranks dropped at each end: what the text says, and all that are tried in its place.
DESCRIBED = 25
CUTS = tuple(range(1, DESCRIBED + 1))
#: Two sign tests, a bootstrap of pairs with every cut, and one of rankings.
ONE_SIDED, TWO_SIDED, BY_RANKING = 0, 1, 2 + len(CUTS)
#: How many standard errors of the difference a number may be from the published one, a mean over so many runs.
_ERRORS = 3
_PUBLISHED_RUNS = 400


def by_cut(cut: int) -> int:
    """Which of the methods is the bootstrap of pairs with so many ranks dropped at each end."""
    return 1 + cut


@dataclass(frozen=True)
class Bounds:
    """What every method gave in every campaign: an array (campaigns, sizes, methods, columns).

    Rankings are resampled in some campaigns only; the others have NaN.
    """

    values: FloatArray = field(repr=False)
    sizes: tuple[int, ...]

    def of(self, size: int, method: int, column: int) -> FloatArray:
        found = self.values[:, size, method, column]
        return found[~np.isnan(found)]

    def means(self, method: int) -> FloatArray:
        """An array (sizes, columns)."""
        return np.asarray(np.nanmean(self.values[:, :, method], axis=0))


def judged(ranges: IntArray, truth: IntArray) -> tuple[float, float, float, float]:
    """The table's columns of one campaign, from ranges and true ranks.

    A system violates its cluster if a truly better one is in a lower cluster or a truly worse one in a higher.
    """
    numbers = clusters(ranges)
    outside = (truth < ranges[:, 0]) | (truth > ranges[:, 1])
    turned = (truth[:, None] < truth) & (numbers[:, None] > numbers)
    size = float((ranges[:, 1] - ranges[:, 0] + 1).mean())
    crossed = (turned | turned.T).any(axis=1)
    return size, 100 * float(outside.mean()), float(numbers.max()), 100 * float(crossed.mean())


def _campaign(systems: int, spread: float, sizes: tuple[int, ...], ranked: int, seed: int, number: int) -> FloatArray:
    """One campaign, looked at after every size: an array (sizes, methods, columns)."""
    rng = generator(seed, ExperimentStream.BOUNDS, number)
    made = simulate(plan(systems, spread, sizes[-1]), rng=rng)
    quality = np.array([made.quality[name] for name in made.judgments.systems])
    truth = 1 + np.argsort(np.argsort(-quality))
    ranking = made.judgments.codes("ranking")
    found = np.full((len(sizes), BY_RANKING + 1, len(COLUMNS)), np.nan)
    for s, size in enumerate(sizes):
        part = made.judgments.filter(ranking < size // PER_RANKING)
        own = Execution("serial", 1, seed=seed_of(rng))
        for method, ranges in _ranges(part, own, by_ranking=number < ranked).items():
            found[s, method] = judged(ranges, truth)
    return found


def _ranges(part: Judgments, execution: Execution, *, by_ranking: bool) -> dict[int, IntArray]:
    ranges = {method: sign_test_ranges(part.counts, p=P, sided=sided) for method, sided in ((0, 1), (1, 2))}
    places = _places(part, "pair", execution)
    ranges |= {by_cut(cut): rank_ranges(places, p=2 * cut / RESAMPLES) for cut in CUTS}
    if by_ranking:
        ranges[BY_RANKING] = rank_ranges(_places(part, "ranking", execution), p=P)
    return ranges


def _places(part: Judgments, unit: Unit, execution: Execution) -> IntArray:
    return resample(ExpectedWins(), part, unit=unit, resamples=RESAMPLES, execution=execution).places


def _run(
    context: Context, *, systems: int, sigma: int, sizes: tuple[int, ...], campaigns: int, ranked: int
) -> Findings:
    shared = (systems, PUBLISHED.spread(sigma), sizes, ranked, context.seed)
    parts = context.run(_campaign, [(number,) for number in range(campaigns)], *shared)
    found = Bounds(np.stack(parts), sizes)
    cut = fitted_cut(found)
    notes = [
        f"{campaigns} simulated campaigns (the paper: 400) of {systems} systems, σ² = {sigma} as a standard "
        f"deviation; {RESAMPLES} bootstrap samples; rankings resampled in {min(ranked, campaigns)} of the campaigns. "
        "n: campaigns; ±: standard error.",
        "size = last − first rank + 1. The paper describes a bootstrap with 25 of 1,000 ranks dropped at each end and "
        f"prints what {cut} dropped ranks give; why is not known. It resamples pairs, though ten pairs come from one "
        "ranking and are not independent: resampling rankings is the honest reading. The published pairwise columns "
        "fit a one-sided test.",
    ]
    return Findings(_rows(found, cut), _checks(found, cut), notes)


def fitted_cut(found: Bounds) -> int:
    """The number of dropped ranks with which range sizes are nearest to the published ones."""
    published = [load("k12")["table_1"][str(size)]["bootstrap"][0] for size in found.sizes]
    return min(CUTS, key=lambda cut: float(np.sum((found.means(by_cut(cut))[:, 0] - published) ** 2)))


def _methods(cut: int) -> Mapping[str, tuple[int, str | None]]:
    """Label, method, and the part of the table whose numbers it should give."""
    return {
        "pairwise, one-sided": (ONE_SIDED, "pairwise"),
        "pairwise, two-sided": (TWO_SIDED, None),
        f"bootstrap, {cut} dropped at each end": (by_cut(cut), "bootstrap"),
        "bootstrap, 25 dropped as described": (by_cut(DESCRIBED), None),
        "bootstrap of rankings, 25 dropped": (BY_RANKING, None),
    }


def _rows(found: Bounds, cut: int) -> list[Row]:
    rows = []
    for s, size in enumerate(found.sizes):
        printed = load("k12")["table_1"][str(size)]
        for k, column in enumerate(COLUMNS):
            for label, (method, part) in _methods(cut).items():
                values = found.of(s, method, k)
                number = None if part is None else printed[part][k]
                rows.append(
                    Row(label, number, float(values.mean()), error_of(values), len(values),
                        group=f"{size:,} judgments: {column}", digits=1)
                )  # fmt: skip
    return rows


# -- claims ----------------------------------------------------------------------------------------


def _checks(found: Bounds, cut: int) -> list[Check]:
    sign, described, honest = (found.means(method) for method in (ONE_SIDED, by_cut(DESCRIBED), BY_RANKING))
    return [
        _agrees("pairwise columns come out with a one-sided test", found, ONE_SIDED, "pairwise"),
        _agrees("they do with a two-sided test", found, TWO_SIDED, "pairwise"),
        _agrees("bootstrap columns come out as described, 25 dropped", found, by_cut(DESCRIBED), "bootstrap"),
        _agrees(f"they do with {cut} dropped", found, by_cut(cut), "bootstrap"),
        Check("the bootstrap's ranges are about half as wide as those of sign tests (.4 to .65)",
              _between(described[:, 0] / sign[:, 0], 0.4, 0.65), _span(described[:, 0] / sign[:, 0])),
        Check("it gives two to three times as many clusters", _between(described[:, 2] / sign[:, 2], 1.5, 3.5),
              _span(described[:, 2] / sign[:, 2])),
        Check("with 25 dropped it errs less than the level of .05 says", bool(described[:, 1].max() < 100 * P),
              f"{described[0, 1]:.1f} % of true ranks outside at {found.sizes[0]:,}, {described[-1, 1]:.1f} % at "
              f"{found.sizes[-1]:,}"),
        Check("it does where rankings are resampled", bool(honest[:, 1].max() < 100 * P),
              f"{honest[0, 1]:.1f} % and {honest[-1, 1]:.1f} %"),
    ]  # fmt: skip


def _agrees(claim: str, found: Bounds, method: int, part: str) -> Check:
    """Whether every number is near the published one: both are means of campaigns, the printed one is rounded."""
    near, apart = 0, np.zeros(len(COLUMNS))
    for s, size in enumerate(found.sizes):
        for k, printed in enumerate(load("k12")["table_1"][str(size)][part]):
            values = found.of(s, method, k)
            difference = abs(float(values.mean()) - printed)
            error = float(values.std(ddof=1)) * np.sqrt(1 / len(values) + 1 / _PUBLISHED_RUNS)
            near += bool(difference <= _ERRORS * error + 0.05)
            apart[k] = max(apart[k], difference)
    texts = ", ".join(f"{column} {value:.1f}" for column, value in zip(COLUMNS, apart, strict=True))
    count = len(found.sizes) * len(COLUMNS)
    return Check(
        f"{claim}, within {_ERRORS} standard errors", near == count, f"{near} of {count}; at most apart: {texts}"
    )


def _between(values: FloatArray, low: float, high: float) -> bool:
    return bool((values >= low).all() and (values <= high).all())


def _span(values: FloatArray) -> str:
    return f"{values.min():.2f} to {values.max():.2f} times"


BOUNDS = Experiment(
    "k12-bounds",
    "rank ranges and clusters by sign tests and bootstrap",
    "Koehn 2012, Table 1",
    _run,
    settings={
        "systems": 15, "sigma": 10, "sizes": (10000, 20000, 30000, 40000, 50000), "campaigns": 400, "ranked": 100,
    },
    quick={"sizes": (10000, 20000), "campaigns": 3, "ranked": 2},
)  # fmt: skip
