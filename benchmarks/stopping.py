"""Whether bounds for every look keep their word, and whether forecasts come true: ``python -m benchmarks stopping``.

Campaigns whose truth is known, by a generator of its own: a difference of qualities, logistic noise, ties within .4.
About a quarter of an hour on one core that is busy elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from palmares.design.forecast import Forecast, forecast
from palmares.design.targets import Target
from palmares.judgments import BoolArray, FloatArray, IntArray, Judgments, PairCounts
from palmares.models.bradley_terry import BradleyTerry
from palmares.ranking.anytime import claims
from palmares.ranking.rank import rank

from .common import report

_TIE, _SEED = 0.4, 5
_CAMPAIGNS, _WITH_EFFECTS, _FORECAST = 100, 30, 40
_MODEL = BradleyTerry()


def _chances(lead: FloatArray) -> tuple[FloatArray, FloatArray]:
    """P(better), P(worse)."""
    return 1 / (1 + np.exp(_TIE - lead)), 1 / (1 + np.exp(_TIE + lead))


@dataclass
class Campaign:
    """Comparisons of pairs, as counts that grow."""

    true: FloatArray
    rng: np.random.Generator
    own: FloatArray | None = None
    total: int = 0
    counts: FloatArray = field(init=False)
    place: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        n = len(self.true)
        self.counts, self.place = np.zeros((3, n * (n - 1) // 2)), np.zeros(n + 1)

    @property
    def pairs(self) -> tuple[IntArray, IntArray]:
        return np.triu_indices(len(self.true), 1)

    @property
    def chances(self) -> tuple[FloatArray, FloatArray]:
        i, j = self.pairs
        return _chances(self.true[i] - self.true[j] + (0.0 if self.own is None else self.own))

    def ask(self, number: int, chosen: FloatArray | None = None) -> FloatArray:
        """So many more comparisons, of pairs chosen with these probabilities; how they came out."""
        amount = len(self.counts[0])
        met = self.rng.multinomial(number, np.full(amount, 1 / amount) if chosen is None else chosen)
        better, worse = self.chances
        won = self.rng.binomial(met, better)
        lost = self.rng.binomial(met - won, worse / (1 - better))
        new = np.stack([won, lost, met - won - lost]).astype(np.float64)
        self.counts, self.total = self.counts + new, self.total + number
        return new

    def state(self) -> tuple[FloatArray, FloatArray]:
        """Scores and their covariance, judgments being independent."""
        fit = _MODEL._fit(table(self.counts, len(self.true)), self.place)
        self.place = fit.place
        return fit.theta, fit.covariance[:-1, :-1]


def table(counts: FloatArray, n: int) -> PairCounts:
    i, j = np.triu_indices(n, 1)
    wins, ties = np.zeros((n, n)), np.zeros((n, n))
    wins[i, j], wins[j, i], ties[i, j], ties[j, i] = counts[0], counts[1], counts[2], counts[2]
    return PairCounts(tuple(f"s{k:02d}" for k in range(n)), wins, ties)


def contrasts(scores: FloatArray, covariance: FloatArray) -> FloatArray:
    """z of every two systems."""
    own = np.diag(covariance)
    return np.asarray((scores[:, None] - scores) / np.sqrt(np.maximum(own[:, None] + own - 2 * covariance, 1e-12)))


def one_look(scores: FloatArray, covariance: FloatArray, z: float = 1.96) -> BoolArray:
    """Boundaries by the bound for one look."""
    order = np.argsort(-scores, kind="stable")
    clear = contrasts(scores, covariance)[np.ix_(order, order)]
    return np.array([clear[:k, k:].min() > z for k in range(1, len(scores))])


def wrong(scores: FloatArray, true: FloatArray) -> BoolArray:
    """Places where a boundary would be one between equals, or the wrong way round."""
    level = true[np.argsort(-scores, kind="stable")]
    return np.array([level[:k].min() <= level[k:].max() for k in range(1, len(level))])


# -- looking again and again -----------------------------------------------------------------------------

WORLDS = {
    "seven pairs of equals, .25 apart": np.repeat(-0.25 * np.arange(7), 2),
    "seven pairs of equals, 1 apart": np.repeat(-1.0 * np.arange(7), 2),
    "five groups of three, .5 apart": np.repeat(-0.5 * np.arange(5), 3),
    "fifteen equals": np.zeros(15),
}


def looking() -> None:
    rows = []
    for name, true in WORLDS.items():
        rng, ever, last, clusters = np.random.default_rng(_SEED), np.zeros(2), np.zeros(2), np.zeros(2)
        for _ in range(_CAMPAIGNS):
            campaign, seen = Campaign(true, rng), np.zeros(2, dtype=bool)
            while campaign.total < 20_000:
                campaign.ask(200)
                scores, covariance = campaign.state()
                both = one_look(scores, covariance), claims(scores, covariance).claimed
                false = np.array([(made & wrong(scores, true)).any() for made in both])
                seen |= false
            ever, last = ever + seen, last + false
            clusters += [1 + made.sum() for made in both]
        shown = [value / _CAMPAIGNS for value in (*ever, *last, *clusters)]
        rows.append((name, *[f"{100 * share:.0f} %" for share in shown[:4]], *[f"{c:.1f}" for c in shown[4:]]))
    report(
        "stopping-looks",
        "Boundaries that are not there, looked at every 200 of 20,000 comparisons",
        ("systems", "ever, usual", "ever, every look", "at the end, usual", "every look", "clusters, usual",
         "every look"),
        rows,
        (f"Share of {_CAMPAIGNS} campaigns; pairs chosen uniformly, judgments independent.",),
    )  # fmt: skip


def _judged(true: FloatArray, rng: np.random.Generator, judges: int, number: int) -> pl.DataFrame:
    """Judges who do unequal work and like some systems, and segments on which some have luck."""
    n, segments = len(true), 200
    judge = rng.choice(judges, number, p=rng.dirichlet(np.full(judges, 2.0)))
    segment, a = rng.integers(0, segments, number), rng.integers(0, n, number)
    b = (a + rng.integers(1, n, number)) % n
    likes, luck = rng.normal(0, 0.25, (judges, n)), rng.normal(0, 0.8, (segments, n))
    level = true + likes[judge] + luck[segment]
    rows = np.arange(number)
    seen = level[rows, a] - level[rows, b] + rng.logistic(size=number)
    names = {"system_a": ("s", a), "system_b": ("s", b), "judge": ("j", judge), "segment": ("g", segment)}
    columns = {key: [f"{letter}{code:03d}" for code in codes] for key, (letter, codes) in names.items()}
    return pl.DataFrame({**columns, "outcome": np.where(seen > _TIE, 1, np.where(seen < -_TIE, -1, 0))})


def effects() -> None:
    rows = []
    for judges in (8, 20):
        true, rng = np.repeat(-1.2 * np.arange(6), 2), np.random.default_rng(_SEED)
        ever, clusters = np.zeros(3), np.zeros(3)
        for _ in range(_WITH_EFFECTS):
            frame, seen = _judged(true, rng, judges, 10_000), np.zeros(3, dtype=bool)
            for number in range(500, 10_001, 500):
                ranking = rank(Judgments.from_rows(frame.head(number)), resample="two-way", resamples=40, looks="any",
                               rng=0)  # fmt: skip
                assert ranking.claims is not None
                assert ranking.replicates is not None
                scores = ranking.fit.theta  # type: ignore[attr-defined]
                alone = ranking.fit.covariance[:-1, :-1]  # type: ignore[attr-defined]
                made = (
                    one_look(scores, ranking.replicates.spread),
                    claims(scores, alone).claimed,
                    ranking.claims.claimed,
                )
                seen |= [(each & wrong(scores, true)).any() for each in made]
            ever, clusters = ever + seen, clusters + [1 + each.sum() for each in made]
        shares = [f"{100 * share / _WITH_EFFECTS:.0f} %" for share in ever]
        rows.append((judges, *shares, *[f"{each / _WITH_EFFECTS:.1f}" for each in clusters]))
    report(
        "stopping-effects",
        "The same where judges and segments differ, looked at every 500 of 10,000 comparisons",
        ("judges", "ever, usual, two-way", "every look, as if independent", "every look, two-way", "clusters, usual",
         "as if independent", "two-way"),
        rows,
        (f"Six pairs of equals, 1.2 apart; sd of effects .25 (judges) and .8 (200 segments); {_WITH_EFFECTS} "
         "campaigns.",),
    )  # fmt: skip


# -- forecasts -------------------------------------------------------------------------------------------

COMING = {
    "normal, sd .35": lambda rng: rng.normal(0, 0.35, 15),
    "uniform over 1.2": lambda rng: rng.uniform(0, 1.2, 15),
    "five groups of three, .3 apart": lambda rng: np.repeat(-0.3 * np.arange(5), 3),
}


def forecasts() -> None:
    rows = []
    for name, draw in COMING.items():
        for begin in (2000, 8000):
            rng, outcomes, target = np.random.default_rng(_SEED), [], []
            for _ in range(_FORECAST):
                boundaries, whole = _followed(Campaign(draw(rng), rng), begin)
                outcomes += boundaries
                target += whole
            rows.append((name, f"{begin:,}", *_summary(outcomes), *_summary(target)[:2]))
    report(
        "stopping-forecasts",
        "Whether forecasts come true, 15 systems",
        ("systems", "judgments so far", "in the 80 % interval", "sooner", "never, said", "never, was",
         "five clusters: in the interval", "sooner"),
        rows,
        (f"{_FORECAST} campaigns each, pairs chosen uniformly; of every boundary that was open. never: not within 20 "
         "times the judgments so far.",),
    )  # fmt: skip


def _followed(campaign: Campaign, begin: int) -> tuple[list[tuple[float, ...]], list[tuple[float, ...]]]:
    """low, high, never as forecast, and how many it took, of every open boundary and of five clusters."""
    ahead, aim, took = None, Target.parse("clusters=5"), dict[object, float]()
    while campaign.total < 21 * begin:
        campaign.ask(begin if ahead is None else max(20, int(0.04 * (campaign.total - begin))))
        scores, covariance = campaign.state()
        made = claims(scores, covariance)
        if ahead is None:
            ahead = forecast(scores, covariance, begin, claims=made, target=aim, horizon=20)
        for need in ahead.boundaries:
            if made.clusters[need.above] != made.clusters[need.below]:
                took.setdefault(need, campaign.total - begin)
        if aim.is_met(made):
            took.setdefault(aim, campaign.total - begin)
    assert ahead is not None
    return list(_outcomes(ahead, took)), _target(ahead, took.get(aim, np.inf))


def _outcomes(ahead: Forecast, took: dict[object, float]) -> Iterator[tuple[float, ...]]:
    for need in ahead.boundaries:
        yield need.low, need.high, need.never, took.get(need, np.inf)


def _target(ahead: Forecast, took: float) -> list[tuple[float, ...]]:
    need = ahead.target
    return [] if need is None or need.median == 0 else [(need.low, need.high, need.never, took)]


def _summary(outcomes: list[tuple[float, ...]]) -> tuple[str, ...]:
    if not outcomes:
        return ("–",) * 4
    low, high, never, took = np.array(outcomes).T
    shares = ((low <= took) & (took <= high), took < low, never, np.isinf(took))
    return tuple(f"{100 * share.mean():.0f} %" for share in shares)


# -- what weights by the logged probability do -----------------------------------------------------------


def weighting() -> None:
    rows = []
    for own in (0.0, 0.3):
        rng, errors, ever = np.random.default_rng(_SEED), list[list[float]](), np.zeros(2)
        for _ in range(60):
            true = np.repeat(-0.35 * np.arange(6), 2)
            style = rng.normal(0, own, 66)
            goal = _centred(1e6 * np.stack([*_with_ties(*Campaign(true, rng, style).chances)]))
            active, even, weighted = Campaign(true, rng, style), Campaign(true, rng, style), np.zeros((3, 66))
            chosen, seen = np.full(66, 1 / 66), np.zeros(2, dtype=bool)
            even.ask(12_000)
            while active.total < 12_000:
                weighted += active.ask(300, chosen) / (66 * chosen)
                scores, covariance = active.state()
                made = one_look(scores, covariance), claims(scores, covariance).claimed
                seen |= [(each & wrong(scores, true)).any() for each in made]
                z = np.abs(contrasts(scores, covariance)[active.pairs])
                wanted = np.where(z < 1.96, np.exp(-z), 0) + 1e-9
                chosen = 0.1 / 66 + 0.9 * wanted / wanted.sum()
            errors.append([float(((_centred(each) - goal) ** 2).mean())
                           for each in (active.counts, weighted, even.counts)])  # fmt: skip
            ever += seen
        shares = [f"{100 * share / 60:.0f} %" for share in ever] if own == 0 else ["–", "–"]
        rows.append((own, *[f"{error:.3f}" for error in np.sqrt(np.mean(errors, axis=0))], *shares))
    report(
        "stopping-weights",
        "Scores of comparisons chosen by earlier answers, as they are and weighted by the logged probability",
        ("sd of a pair's own part", "error, as they are", "weighted", "uniform choice", "ever wrong, usual",
         "every look"),
        rows,
        ("Six pairs of equals, 60 campaigns of 12,000 comparisons; 10 % uniform, the rest among pairs with |z| < 1.96, "
         "the closest most. Root mean squared error against the fit to endless uniform comparisons.",),
    )  # fmt: skip


def _with_ties(better: FloatArray, worse: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    return better, worse, 1 - better - worse


def _centred(counts: FloatArray) -> FloatArray:
    scores = _MODEL.fit(table(counts, 12)).theta
    return np.asarray(scores - scores.mean())


def main() -> None:
    for study in (looking, effects, forecasts, weighting):
        study()
