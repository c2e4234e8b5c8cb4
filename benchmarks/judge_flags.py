"""How many judges who answer at random are found, and how many others are asked about for nothing.

A study rather than a benchmark, so run only by name: ``python -m benchmarks judge_flags``, some minutes. Campaigns are
drawn without the product's code: an output of system i seen by judge k has quality a_k θ_i plus a normal variable of
its own, so that the pairs of one screen hang together; outputs no more than δ_k below the best of their group share its
rank. θ, δ and the spread of log a are fitted to WMT13's French–English judgments. So is the noise: in WMT13 the upper
half of a ranking tells no more than the lower one, as it would with the Gumbel noise of Plackett & Luce's model. Of a
judge at random a = 0: the same habit of ties, on outputs that are all alike to them.

Beside it stands what no procedure can exceed: the likelihood-ratio test that knows θ, δ and the spread of log a, and
how a ranking with ties comes about. Its likelihood is integrated numerically over the qualities.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import erf, exp, pi, sqrt
from typing import Any

import numpy as np
import polars as pl
from numba import njit
from scipy.special import logsumexp, ndtr

import palmares as pm
from palmares.analysis.judges import JudgeLine

from .common import report

#: WMT13 fr-en: fitted strengths by system; deciles of the fitted tie widths of judges with 20 rankings, 5 % wider; and
#: the spread of log a. The last two so that campaigns of 218 judges with WMT13's amounts of work, 5 % of them at
#: random, give what WMT13 gives: 19 % ties, a spread of log a of .41 in the model and of .21 in the mixture, and
#: S / √V₀ of 3.5 per 50 rankings.
THETA = np.array([
    -0.258, -0.033, -0.422, 0.217, 0.273, 0.052, -0.201, -0.696, -0.295, 0.144, 0.366, 0.485, 0.368
])  # fmt: skip
WIDTHS = 1.05 * np.array([0.009, 0.125, 0.212, 0.272, 0.382, 0.504, 0.594, 0.680, 0.773, 0.840, 1.012])
SPREAD = 0.18
#: Of qualities; differences of two then have nearly the logistic distribution of the fitted model.
NOISE = 1.702 / np.sqrt(2)
CAMPAIGNS, JUDGES, SHARE = 40, 60, 0.2
#: More where the bars begin, by answers and outputs.
MORE = {(50, 5): 80, (200, 2): 200, (240, 2): 100}
#: Rankings per segment, as in WMT13.
_PER_SEGMENT = 4.4
#: Where qualities are integrated: from, to, points.
_GRID = (-8.0, 8.0, 161)


@dataclass(frozen=True)
class Campaign:
    """Truth and answers: ``ranks`` of the ``shown`` systems, (answers, outputs), 1 is best."""

    random: np.ndarray
    sensitivity: np.ndarray
    width: np.ndarray
    theta: np.ndarray
    judge: np.ndarray
    shown: np.ndarray
    ranks: np.ndarray
    segment: np.ndarray

    @property
    def judgments(self) -> pm.Judgments:
        first, second = np.triu_indices(self.shown.shape[1], 1)
        answers, pairs = len(self.judge), len(first)

        def names(letter: str, codes: np.ndarray) -> pl.Series:
            return pl.Series(np.char.add(letter, np.char.zfill(codes.astype(str), 5)))

        columns = {
            "system_a": names("s", self.shown[:, first].ravel()),
            "system_b": names("s", self.shown[:, second].ravel()),
            "outcome": np.sign(self.ranks[:, second] - self.ranks[:, first]).ravel(),
            "judge": names("j", np.repeat(self.judge, pairs)),
            "segment": names("t", np.repeat(self.segment, pairs)),
            "position_a": np.tile(first + 1, answers),
            "position_b": np.tile(second + 1, answers),
        }
        if pairs > 1:
            columns["ranking"] = names("r", np.repeat(np.arange(answers), pairs))
        return pm.Judgments.from_rows(pl.DataFrame(columns))


def campaign(
    seed: int,
    answers: int,
    *,
    outputs: int = 5,
    judges: int = JUDGES,
    share: float = SHARE,
    spread: float = SPREAD,
) -> Campaign:
    """Draw a campaign in which everybody gives so many answers, each about so many random outputs."""
    rng = np.random.default_rng([seed, answers, outputs])
    random = np.arange(judges) < round(share * judges)
    sensitivity = np.where(random, 0.0, np.exp(rng.normal(0, spread, judges)))
    width = np.interp(rng.random(judges), np.linspace(0, 1, len(WIDTHS)), WIDTHS)
    theta, judge = THETA, np.repeat(np.arange(judges), answers)
    shown = np.argsort(rng.random((len(judge), len(theta))), axis=1)[:, :outputs]
    quality = sensitivity[judge, None] * theta[shown] + rng.normal(0, NOISE, shown.shape)
    segment = rng.integers(0, max(1, round(len(judge) / _PER_SEGMENT)), len(judge))
    return Campaign(random, sensitivity, width, theta, judge, shown, ranked(quality, width[judge]), segment)


def ranked(quality: np.ndarray, width: np.ndarray) -> np.ndarray:
    """Ranks of outputs; those no more than ``width`` below the best of their group share its rank."""
    order = np.argsort(-quality, axis=1)
    falling = np.take_along_axis(quality, order, 1)
    ranks = np.ones(quality.shape, dtype=np.int64)
    best = falling[:, 0].copy()
    for place in range(1, quality.shape[1]):
        new = falling[:, place] < best - width
        best = np.where(new, falling[:, place], best)
        ranks[:, place] = ranks[:, place - 1] + new
    found = np.empty_like(ranks)
    np.put_along_axis(found, order, ranks, 1)
    return found


@njit(cache=False)
def log_likelihood(means: np.ndarray, ranks: np.ndarray, width: np.ndarray) -> np.ndarray:  # pragma: no cover
    """log P of every ranking with ties, given the means of the outputs' qualities.

    From the worst group upwards: H(u) is the probability that all groups from here on come out as they did, below u. A
    group's best member has the density f, its other members lie within δ below it.
    """
    low, high, points = _GRID
    step = (high - low) / (points - 1)
    outputs = means.shape[1]
    density, within = np.empty((outputs, points)), np.empty((outputs, points))
    below, found = np.empty(points), np.empty(len(means))
    for row in range(len(means)):
        for i in range(outputs):
            for t in range(points):
                x = (low + step * t - means[row, i]) / NOISE
                density[i, t] = exp(-0.5 * x * x) / (NOISE * sqrt(2 * pi))
                within[i, t] = 0.5 * (erf(x / sqrt(2)) - erf((x - width[row] / NOISE) / sqrt(2)))
        worst = ranks[row].max()
        for group in range(worst, 0, -1):
            total, before = 0.0, 0.0
            here = np.empty(points)
            for t in range(points):
                value = 0.0
                for i in range(outputs):
                    if ranks[row, i] == group:
                        product = density[i, t]
                        for j in range(outputs):
                            if j != i and ranks[row, j] == group:
                                product *= within[j, t]
                        value += product
                if group < worst:
                    place = t - width[row] / step
                    left = int(place)
                    rest = place - left
                    value *= 0.0 if place < 0 else below[left] * (1 - rest) + below[min(left + 1, points - 1)] * rest
                total += 0.5 * step * (before + value) if t > 0 else 0.0
                before = value
                here[t] = total
            below[:] = here
        found[row] = np.log(max(below[points - 1], 1e-300))
    return found


def oracle(drawn: Campaign, spread: float = SPREAD) -> np.ndarray:
    """log P(answers | at random) − log P(answers | ordinary judge), with everything known but who is who and a."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(7)
    judges, width = len(drawn.random), drawn.width[drawn.judge]

    def per_judge(sensitivity: float) -> np.ndarray:
        means = sensitivity * drawn.theta[drawn.shown]
        if drawn.shown.shape[1] > 2:
            return np.bincount(drawn.judge, log_likelihood(means, drawn.ranks, width), judges)
        gap, y = means[:, 0] - means[:, 1], drawn.ranks[:, 1] - drawn.ranks[:, 0]
        win, loss = (ndtr((side - width) / (NOISE * np.sqrt(2))) for side in (gap, -gap))
        return np.bincount(drawn.judge, np.log(np.select([y > 0, y < 0], [win, loss], 1 - win - loss)), judges)

    ordinary = np.stack([per_judge(float(np.exp(spread * node))) for node in nodes])
    logs = np.log(weights / weights.sum())
    return np.asarray(per_judge(0.0) - logsumexp(ordinary + logs[:, None], axis=0))


@dataclass(frozen=True)
class Tally:
    """Judges of all campaigns of a cell: who is random, what is asked about them, and the oracle's ratio."""

    random: np.ndarray
    flagged: np.ndarray
    asked: np.ndarray
    ratio: np.ndarray
    covered: np.ndarray

    @property
    def recall(self) -> tuple[int, int]:
        return int(self.flagged[self.random].sum()), int(self.random.sum())

    @property
    def false(self) -> tuple[int, int]:
        return int(self.flagged[~self.random].sum()), int((~self.random).sum())

    def bound(self, false: float) -> float:
        """The share of random judges that the oracle finds at this rate of false flags."""
        limit = np.quantile(self.ratio[~self.random], 1 - false)
        return float((self.ratio[self.random] > limit).mean())


def tallied(
    answers: int, *, campaigns: int = CAMPAIGNS, first: int = 0, with_bound: bool = True, **options: float
) -> Tally:
    """Flags of `palmares.judges` in so many campaigns."""
    parts = []
    for seed in range(first, first + campaigns):
        drawn = campaign(seed, answers, **options)  # type: ignore[arg-type]
        found = {line.judge: line for line in pm.judges(drawn.judgments, rng=0).lines}
        lines = [found[f"j{judge:05}"] for judge in range(len(drawn.random))]
        names = [{flag.name for flag in line.flags} for line in lines]
        ratio = oracle(drawn, float(options.get("spread", SPREAD))) if with_bound else np.zeros(len(lines))
        parts.append((
            drawn.random, np.array(["random" in name for name in names]), np.array([bool(name) for name in names]),
            ratio, covered(drawn, lines),
        ))  # fmt: skip
    return Tally(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def covered(drawn: Campaign, lines: Sequence[JudgeLine]) -> np.ndarray:
    """Whether each judge's interval holds the true sensitivity, on the scale of the fit; NaN without an interval.

    The fit's scale is told from the truth by the ordinary judges' own mean, which needs no code of the product.
    """
    held = np.full(len(lines), np.nan)
    ordinary = ~drawn.random
    centre = np.median([line.sensitivity or 0.0 for line, kept in zip(lines, ordinary, strict=True) if kept])
    unit = centre / np.median(drawn.sensitivity[ordinary])
    for number, line in enumerate(lines):
        if line.sensitivity_interval is not None:
            low, high = line.sensitivity_interval
            held[number] = low <= unit * drawn.sensitivity[number] <= high
    return held


def wilson(hits: int, total: int) -> str:
    """``96.2 [94.1, 97.6]``, in percent (Wilson 1927)."""
    if not total:
        return "–"
    share, z2 = hits / total, 1.96**2
    centre = (share + z2 / (2 * total)) / (1 + z2 / total)
    half = 1.96 * np.sqrt(share * (1 - share) / total + z2 / (4 * total**2)) / (1 + z2 / total)
    return f"{100 * share:.1f} [{100 * max(centre - half, 0.0):.1f}, {100 * (centre + half):.1f}]"


HEAD = ("campaign", "answers per judge", "found, %", "false flags, %", "bound at 5 %, %", "bound at as many, %",
        "any false flag, %", "intervals that hold, %")  # fmt: skip


def row(label: str, answers: int, tally: Tally, *, with_bound: bool = True) -> list[object]:
    false = tally.false[0] / max(tally.false[1], 1)
    bounds = [f"{100 * tally.bound(rate):.1f}" for rate in (0.05, false)] if with_bound else ["–", "–"]
    held = tally.covered[~np.isnan(tally.covered)]
    asked = tally.asked[~tally.random]
    return [
        label, answers, wilson(*tally.recall), wilson(*tally.false), *bounds, wilson(int(asked.sum()), len(asked)),
        wilson(int(held.sum()), len(held)),
    ]  # fmt: skip


CLEAN: dict[str, Any] = {"share": 0.0, "campaigns": 20, "first": 2000, "with_bound": False}
#: What is simulated: a label, answers per judge, and how `tallied` is called.
CELLS: list[tuple[str, int, dict[str, Any]]] = [
    *(
        ("five-way rankings, 20 % at random", n, {"campaigns": MORE.get((n, 5), CAMPAIGNS)})
        for n in (5, 10, 20, 30, 50, 100)
    ),
    *(
        ("pairs, 20 % at random", n, {"outputs": 2, "campaigns": MORE.get((n, 2), CAMPAIGNS)})
        for n in (20, 50, 100, 200, 240, 400)
    ),
    *(
        ("rankings, 20 % at random, others differ twice as much", n,
         {"spread": 2 * SPREAD, "campaigns": 20, "first": 1000})
        for n in (50, 100)
    ),
    *(("rankings, nobody at random", n, CLEAN) for n in (10, 30, 50, 100)),
    ("rankings, nobody at random, judges differ twice as much", 50, {**CLEAN, "spread": 2 * SPREAD}),
]  # fmt: skip


def main() -> None:
    start, rows = time.perf_counter(), list[list[object]]()
    for label, answers, options in CELLS:
        rows.append(row(label, answers, tallied(answers, **options), with_bound=options.get("with_bound", True)))
        print(rows[-1], round(time.perf_counter() - start), flush=True)
    minutes = (time.perf_counter() - start) / 60
    report(
        "judge-flags",
        "Judges who answer at random: found, and asked about for nothing",
        HEAD,
        rows,
        [
            f"{JUDGES} judges a campaign, {CAMPAIGNS} campaigns each, "
            f"{MORE[50, 5]}, {MORE[200, 2]} and {MORE[240, 2]} about where the bars begin, and 20 for the last seven; "
            "95 % intervals (Wilson) in brackets. Found and false flags: the flag `random`; any false flag: any of the "
            "flags on a judge who is not random. Bound: the share that the likelihood-ratio test finds which knows the "
            "truth about systems, tie widths and the spread of sensitivities, at 5 % false flags and at as many as "
            "were measured beside it. Intervals that hold: of sensitivity, nominally 95 %. Bars: at least 95 % found "
            f"at no more than 5 % false flags, from 50 rankings or 200 pairs on. It took {minutes:.0f} minutes.",
        ],
    )
