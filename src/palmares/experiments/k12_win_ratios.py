"""Koehn 2012, Figure 1: the win ratios of campaigns, and of simulated ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..design.simulated_counts import SimulatedCounts
from ..judgments import FloatArray, Judgments
from ..models.ratios import ExpectedWins
from .base import Check, Context, Experiment, Findings, Row, mean_row
from .k12 import LITERAL, PUBLISHED, Case, P, Reading, batch_of, simulated
from .k12_printed import Printed, printed, sigma_of
from .k12_real import FILES, real_campaigns
from .published import head_to_head_tables

#: The σ of campaigns that straightness is compared with.
_TYPICAL = 10.0


@dataclass(frozen=True)
class Ratios:
    """Win ratios of simulated campaigns, best first: an array (campaigns, systems)."""

    values: FloatArray = field(repr=False)

    @property
    def spread(self) -> FloatArray:
        return np.asarray(self.values.std(axis=1, ddof=1))


def straightness(ratios: FloatArray) -> FloatArray:
    """How much like a straight line win ratios fall from place to place: minus the correlation (last axis)."""
    ordered = np.sort(ratios, axis=-1)
    place = np.arange(ordered.shape[-1]) - (ordered.shape[-1] - 1) / 2
    apart = ordered - ordered.mean(axis=-1, keepdims=True)
    return np.asarray((apart @ place) / np.sqrt((apart**2).sum(axis=-1) * (place**2).sum()))


def bend(ratios: FloatArray) -> float:
    """How far mean win ratios by place are from a straight line at most, as a share of their range."""
    mean = np.sort(ratios, axis=-1).mean(axis=0)
    line = np.linspace(mean[0], mean[-1], len(mean))
    return float(np.abs(mean - line).max() / (mean[-1] - mean[0]))


def _ratios(counts: SimulatedCounts) -> FloatArray:
    """Win ratios, best first: an array (campaigns, systems)."""
    return np.asarray(-np.sort(-ExpectedWins().score(batch_of(counts.wins[:, -1]), []), axis=1))


def _win_ratios(context: Context, *, campaigns: int, judgments: int) -> Findings:
    both, readings = (printed(2), printed(3)), (PUBLISHED, LITERAL)
    real = real_campaigns(context)
    ratios = _at_hand(both, real)
    cases = [
        Case(len(one.systems), reading.spread(one.sigma), (one.judgments,), campaigns, (1, one.sigma, reading.variance))
        for one in both
        for reading in readings
    ]
    sizes = sorted({len(scores) for scores in ratios.values()})
    cases += [Case(n, _TYPICAL, (judgments,), campaigns, (4, n)) for n in sizes]
    found = simulated(context, _ratios, cases)
    straight = _straight(ratios, dict(zip(sizes, found[-len(sizes) :], strict=True)))
    rows: list[Row] = []
    estimates = {}
    for k, one in enumerate(both):
        by_reading = dict(zip(readings, map(Ratios, found[2 * k : 2 * k + 2]), strict=True))
        rows += _spreads(one, by_reading)
        estimates[one.name] = _estimate(one, by_reading[PUBLISHED])
        rows += [estimates[one.name], *_places(one, by_reading)]
        bent = {reading: bend(found.values) for reading, found in by_reading.items()}
    rows += [row for row, _ in straight]
    notes = [
        f"{campaigns} simulated campaigns of each kind, with as many judgments as printed. The figure is a picture; of "
        "its campaigns two have their numbers printed, in Tables 2 and 3. The judgments of WMT12 are not at hand; the "
        "other campaigns are those of WMT14 (win ratios printed by Bojar et al. 2014)"
        + (" and the published judgments of WMT13 and WMT16." if context.folder else "."),
        "σ from the spread: the σ at which systems with uniform qualities on [0, 10] are as far apart as the printed "
        "ones; ± is its standard deviation over simulated campaigns. Straightness: correlation of win ratios with "
        f"places, and the share of simulated campaigns ({judgments:,} judgments, σ = {_TYPICAL:.0f}) that are less "
        "straight.",
    ]
    return Findings(rows, _checks(estimates, straight, bent), notes, {name: found.hash for name, found in real.items()})


def _spreads(one: Printed, by_reading: Mapping[Reading, Ratios]) -> list[Row]:
    """How far apart win ratios are: printed, and simulated under two readings of σ²."""
    rows = []
    for reading, found in by_reading.items():
        word = "σ² a variance" if reading.variance else "σ² a standard deviation"
        parts = {
            "largest": (one.scores.max(), found.values[:, 0]),
            "smallest": (one.scores.min(), found.values[:, -1]),
            "standard deviation": (one.spread_of_scores, found.spread),
        }
        for label, (number, values) in parts.items():
            known = float(number) if reading is PUBLISHED else None
            rows.append(mean_row(f"{label}, {word}", known, values, group=f"win ratios, {one.name}"))
    return sorted(rows, key=lambda row: row.label.split(",")[0])


def _estimate(one: Printed, simulated: Ratios) -> Row:
    own = sigma_of(simulated.values)
    return Row("σ from the spread", one.sigma, float(sigma_of(one.scores)), float(own.std(ddof=1)), len(one.systems),
               group=f"win ratios, {one.name}", digits=1)  # fmt: skip


def _places(one: Printed, by_reading: Mapping[Reading, Ratios]) -> list[Row]:
    """Figure 1's curve: win ratios by place."""
    group = f"Figure 1, {one.name}, by place"
    rows = [
        Row("printed", score, score, None, 1, group=group, at=str(place))
        for place, score in enumerate(one.scores.tolist(), 1)
    ]
    labels = {PUBLISHED: f"simulated, σ = {one.sigma}", LITERAL: f"simulated, σ² = {one.sigma}"}
    for reading, found in by_reading.items():
        rows += [
            mean_row(labels[reading], None, values, group=group, at=str(place))
            for place, values in enumerate(found.values.T, 1)
        ]
    return rows


def _at_hand(both: Sequence[Printed], real: Mapping[str, Judgments]) -> dict[str, FloatArray]:
    """The win ratios of every campaign at hand."""
    ratios = {one.name: one.scores for one in both}
    ratios |= {f"WMT14 {table.pair}": np.array(table.score) for table in head_to_head_tables()}
    return ratios | {name: np.array(ExpectedWins().fit(judgments.counts).scores) for name, judgments in real.items()}


def _straight(ratios: Mapping[str, FloatArray], drawn: Mapping[int, FloatArray]) -> list[tuple[Row, float]]:
    """How straight win ratios are, and p-values: the shares of simulated campaigns that are less so."""
    rows = []
    for name, scores in ratios.items():
        own = float(straightness(scores))
        less = straightness(drawn[len(scores)]) < own
        share = (float(less.sum()) + 1) / (len(less) + 1)
        note = f"{100 * less.mean():.0f} % of simulated ones are less straight"
        rows.append((Row(name, None, own, None, len(scores), note, "straightness of win ratios"), share))
    return rows


def _checks(
    estimates: Mapping[str, Row], straight: list[tuple[Row, float]], bent: Mapping[Reading, float]
) -> list[Check]:
    from scipy.stats import combine_pvalues

    # A p-value for every campaign, held to the level that their number leaves; and Fisher's for all together.
    chances = np.array([chance for _, chance in straight])
    least, together = straight[int(chances.argmin())][0].label, float(combine_pvalues(chances).pvalue)
    texts = "; ".join(f"{name} {row.measured:.1f}, printed {row.published:.0f}" for name, row in estimates.items())
    near = all(abs(row.difference or 0) < 2 * (row.error or 0) for row in estimates.values())
    means = [float(one.scores.mean()) for one in (printed(2), printed(3))]
    return [
        Check("the printed σ² is the standard deviation that the printed win ratios ask for", near, texts),
        Check("uniform qualities give uniform win ratios (means by place within 2 % of their range of a straight line)",
              bent[PUBLISHED] < 0.02,
              f"{100 * bent[PUBLISHED]:.1f} % at most (15 systems, σ = 10); {100 * bent[LITERAL]:.1f} % with σ² = 10"),
        Check("win ratios of campaigns are roughly uniform (none is less straight than uniform qualities explain)",
              bool(chances.min() >= P / len(chances)),
              f"{int((chances < P).sum())} of {len(chances)} below p = .05; least {least}, p = {chances.min():.3f}; "
              f"together p = {together:.3f}"),
        Check("printed scores are win ratios divided by n, as in equation 4", bool(max(means) < 0.475),
              f"means are {means[0]:.3f} and {means[1]:.3f}: divided by n they would be .462 and .467, by n − 1 .500"),
    ]  # fmt: skip


WIN_RATIOS = Experiment(
    "k12-win-ratios",
    "win ratios of real and of simulated campaigns",
    "Koehn 2012, Figure 1",
    _win_ratios,
    settings={"campaigns": 400, "judgments": 20000},
    quick={"campaigns": 20, "judgments": 2000},
    files=FILES,
)
