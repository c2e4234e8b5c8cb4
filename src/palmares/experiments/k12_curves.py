"""Koehn 2012, Figure 2: the share of separated pairs against judgments, and the σ at which a simulation follows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..compute import ExperimentStream, generator
from ..judgments import FloatArray, Judgments
from .base import Check, Context, Experiment, Findings, Row, mean_row
from .campaigns import wmt13_pool
from .k12 import HONEST, PUBLISHED, Case, Reading, separated, shares, simulated, thousands
from .k12_printed import Printed, printed, rebuilt
from .k12_real import FILES, real_campaigns
from .published import load

#: Every σ that is tried; the paper sets it to a whole number, too.
SIGMAS = tuple(range(2, 31))
#: A σ of the paper, to see how far apart single campaigns are.
_TYPICAL = 10


@dataclass(frozen=True)
class Curve:
    """Shares of separated pairs: arrays (orders, looks) by the sides of the test.

    ``orders`` are random orders of one campaign's rankings, or campaigns rebuilt from printed scores.
    """

    name: str
    systems: int
    sizes: tuple[int, ...]
    shares: Mapping[int, FloatArray] = field(repr=False)
    #: What the paper calls σ².
    sigma: int | None = None


def counted(judgments: Judgments, sizes: Sequence[int], *, decided: bool, rng: np.random.Generator) -> FloatArray:
    """Wins after so many judgments, or ``decided`` ones, of rankings in random order: an array (looks, n, n)."""
    ranking = judgments.group_codes("ranking")
    place = rng.permutation(int(ranking.max()) + 1)[ranking]
    rows = np.argsort(place, kind="stable")
    outcome = judgments.frame["outcome"].to_numpy()[rows]
    a, b = (judgments.codes(name)[rows].astype(np.int64) for name in ("system_a", "system_b"))
    number = np.cumsum(outcome != 0) if decided else np.arange(1, len(rows) + 1)
    look = np.searchsorted(np.asarray(sizes), number)
    won, lost = np.where(outcome > 0, a, b), np.where(outcome > 0, b, a)
    n = len(judgments.systems)
    kept = (outcome != 0) & (look < len(sizes))
    cells = (look[kept] * n + won[kept]) * n + lost[kept]
    table = np.bincount(cells, minlength=len(sizes) * n * n).reshape(len(sizes), n, n)
    return np.asarray(table.cumsum(axis=0))


def _order(
    source: Judgments | Printed, sizes: tuple[int, ...], decided: bool, seed: int, number: int
) -> list[FloatArray]:
    """Shares by a one- and a two-sided test, of one order of the rankings; a printed campaign is rebuilt anew."""
    rng = generator(seed, ExperimentStream.ORDERS, number)
    judgments = rebuilt(source, 0.0, rng) if isinstance(source, Printed) else source
    wins = counted(judgments, sizes, decided=decided, rng=rng)
    return [separated(wins, sided) for sided in (1, 2)]


def _by_sides(parts: list[list[FloatArray]]) -> dict[int, FloatArray]:
    return {sided: np.stack([part[sided - 1] for part in parts]) for sided in (1, 2)}


@dataclass(frozen=True)
class Source:
    """A campaign to follow, and whether its judgments are counted without ties."""

    name: str
    systems: int
    campaign: Judgments | Printed = field(repr=False)
    decided: bool
    most: int

    @property
    def sigma(self) -> int | None:
        """What the paper calls σ²."""
        return self.campaign.sigma if isinstance(self.campaign, Printed) else None


def _sources(context: Context, rankings: int) -> list[Source]:
    found = [
        Source(f"{one.name}, rebuilt from its scores", len(one.systems), one, True, one.judgments)
        for one in (printed(2), printed(3))
    ]
    pool = wmt13_pool(context, rankings)
    for name, judgments in (real_campaigns(context) or {pool.name: pool.train}).items():
        n, decisions = len(judgments.systems), int((judgments.frame["outcome"].to_numpy() != 0).sum())
        found.append(Source(f"{name}, judgments with ties", n, judgments, False, len(judgments)))
        found.append(Source(f"{name}, decided judgments", n, judgments, True, decisions))
    return found


def _curves(context: Context, sizes: tuple[int, ...], orders: int, rankings: int) -> list[Curve]:
    found = []
    for source in _sources(context, rankings):
        own = tuple(size for size in sizes if size <= source.most)
        tasks = [(number,) for number in range(orders)]
        # In this process: to send judgments elsewhere takes longer than to count them.
        near = replace(context.execution, executor="serial")
        parts = near.run(_order, tasks, shared=(source.campaign, own, source.decided, context.seed))
        found.append(Curve(source.name, source.systems, own, _by_sides(parts), source.sigma))
    return found


# -- fitting σ -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Simulated:
    """Mean shares of simulated campaigns with every σ: arrays (sigmas, looks) by the sides of the test."""

    sizes: tuple[int, ...]
    means: Mapping[int, FloatArray] = field(repr=False)
    #: One-sided shares of single campaigns with σ = `_TYPICAL`: an array (campaigns, looks).
    single: FloatArray = field(repr=False)

    def fitted(self, curve: Curve, sided: int) -> tuple[int, FloatArray]:
        """The σ whose curve is nearest to a campaign's, and that curve."""
        looks = [self.sizes.index(size) for size in curve.sizes]
        lines = self.means[sided][:, looks]
        best = _nearest(lines, curve.shares[sided].mean(axis=0))
        return SIGMAS[best], lines[best]

    @property
    def scatter(self) -> tuple[int, int]:
        """Between which σ lie 90 % of those that single simulated campaigns ask for."""
        found = np.array([SIGMAS[_nearest(self.means[1], shares)] for shares in self.single])
        low, high = np.quantile(found, [0.05, 0.95], method="inverted_cdf")
        return int(low), int(high)


def _nearest(lines: FloatArray, shares: FloatArray) -> int:
    """The line of least squared distance."""
    return int(((lines - shares) ** 2).sum(axis=1).argmin())


def _simulated(context: Context, systems: Sequence[int], sizes: tuple[int, ...], count: int) -> dict[int, Simulated]:
    """By the number of systems."""
    cases = [Case(n, float(sigma), sizes, count, (2, n, sigma)) for n in systems for sigma in SIGMAS]
    made = np.stack(simulated(context, shares, cases)).reshape(len(systems), len(SIGMAS), count, len(sizes), 2)
    return {
        n: Simulated(sizes, {sided: own.mean(axis=1)[..., sided - 1] for sided in (1, 2)},
                     own[SIGMAS.index(_TYPICAL), :, :, 0])
        for n, own in zip(systems, made, strict=True)
    }  # fmt: skip


def _run(context: Context, *, sizes: tuple[int, ...], orders: int, campaigns: int, rankings: int) -> Findings:
    curves = _curves(context, sizes, orders, rankings)
    by_systems = _simulated(context, sorted({curve.systems for curve in curves}), sizes, campaigns)
    scatter = {n: each.scatter for n, each in by_systems.items()}
    rows, sigmas = [], {}
    for curve in curves:
        for reading in (PUBLISHED, HONEST):
            sigma, line = by_systems[curve.systems].fitted(curve, reading.sided)
            sigmas[curve.name, reading] = sigma
            rows += _rows(curve, reading, sigma, line, campaigns)
    named = ", ".join(f"{pair} ({n} systems, σ² = {sigma})" for pair, (n, sigma) in load("k12")["figure_2"].items())
    notes = [
        f"{orders} orders of the rankings of a campaign, and {campaigns} simulated campaigns for every σ from "
        f"{SIGMAS[0]} to {SIGMAS[-1]}, without ties; the σ of least squared distance. n: orders or simulated "
        "campaigns; ±: standard error over them (orders of one campaign: not how another campaign would differ).",
        f"the figure is a picture of eight campaigns of WMT12, whose judgments are not at hand. Of its labels the text "
        f"at hand has four: {named}. Two of these campaigns are rebuilt from their printed scores. The paper does not "
        "say whether ties count as judgments.",
        f"one campaign says little of σ: of single campaigns simulated with σ = {_TYPICAL}, 90 % ask for "
        + "; ".join(f"{low} to {high} ({n} systems)" for n, (low, high) in scatter.items())
        + ".",
    ]
    data = {name: found.hash for name, found in real_campaigns(context).items()}
    return Findings(rows, _checks(curves, sigmas, by_systems), notes, data)


def _rows(curve: Curve, reading: Reading, sigma: int, line: FloatArray, campaigns: int) -> list[Row]:
    place = f"Figure 2, {curve.name} ({curve.systems} systems): pairs told apart"
    own = curve.shares[reading.sided]
    fitted = Row(f"{curve.name}, {reading.label}", curve.sigma if reading is PUBLISHED else None, float(sigma),
                 None, len(own), group="σ fitted", digits=0)  # fmt: skip
    real = [
        mean_row(f"campaign, {reading.label}", None, own[:, k], group=place, at=thousands(size), digits=3)
        for k, size in enumerate(curve.sizes)
    ]
    simulated = [
        Row(f"simulated, σ = {sigma}, {reading.label}", None, share, None, campaigns, group=place, at=thousands(size))
        for size, share in zip(curve.sizes, line.tolist(), strict=True)
    ]
    return [fitted, *real, *simulated]


def _checks(
    curves: Sequence[Curve], sigmas: Mapping[tuple[str, Reading], int], simulated: Mapping[int, Simulated]
) -> list[Check]:
    known = [curve for curve in curves if curve.sigma is not None]
    texts = "; ".join(f"{curve.name}: {sigmas[curve.name, PUBLISHED]}, printed {curve.sigma}" for curve in known)
    near = all(abs(sigmas[curve.name, PUBLISHED] - (curve.sigma or 0)) <= 1 for curve in known)
    others = {curve.name: sigmas[curve.name, PUBLISHED] for curve in curves if curve.sigma is None}
    inside = sum(7 <= sigma <= 12 for sigma in others.values())
    sides = max(abs(sigmas[curve.name, PUBLISHED] - sigmas[curve.name, HONEST]) for curve in curves)
    apart = [
        float(np.abs(simulated[curve.systems].fitted(curve, 1)[1] - curve.shares[1].mean(axis=0)).max())
        for curve in curves
    ]
    return [
        Check("campaigns rebuilt from printed scores ask for the printed σ² as a standard deviation (± 1)", near,
              texts),
        Check("campaigns ask for 7 to 12", inside == len(others),
              "; ".join(f"{name}: {sigma}" for name, sigma in others.items())),
        Check("the simulated curve follows the campaign's (within .05 everywhere)", max(apart) <= 0.05,
              f"at most {max(apart):.3f} apart; so in {sum(value <= 0.05 for value in apart)} of {len(apart)} curves"),
        Check("it matters little to σ whether the test is one- or two-sided (at most 1)", sides <= 1,
              f"at most {sides} apart"),
    ]  # fmt: skip


CURVES = Experiment(
    "k12-curves",
    "share of separated pairs against judgments in campaigns and in simulations",
    "Koehn 2012, Figure 2",
    _run,
    settings={
        "sizes": (2000, 4000, 6000, 8000, 10000, 12000), "orders": 20, "campaigns": 200, "rankings": 1500,
    },
    quick={"sizes": (1000, 2000), "orders": 2, "campaigns": 5, "rankings": 300},
    files=FILES,
)  # fmt: skip
