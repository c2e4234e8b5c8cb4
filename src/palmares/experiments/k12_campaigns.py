"""Koehn 2012, Tables 2 and 3: ranges and clusters of two campaigns, rebuilt from their printed scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from ..compute import Execution, ExperimentStream, generator, seed_of
from ..judgments import FloatArray, IntArray, Judgments, Unit
from ..models.ratios import ExpectedWins
from ..ranking.bootstrap import resample
from ..ranking.ranges import clusters, rank_ranges
from .base import Check, Context, Experiment, Findings, Row, mean_row
from .k12_printed import Printed, printed, rebuilt

RESAMPLES = 1000
#: Ranks dropped at each end: as described, and as Table 1 fits.
DESCRIBED, FITTED = 25, 7


@dataclass(frozen=True)
class Method:
    """How a rebuilt campaign is bounded: which share of its judgments are ties, what is resampled, what is dropped."""

    label: str
    unit: Unit
    dropped: int
    ties: float


@dataclass(frozen=True)
class Widths:
    """The width of every system's range, and the number of clusters, in every rebuilt campaign."""

    widths: FloatArray = field(repr=False)
    clusters: FloatArray = field(repr=False)


def methods(ties: float) -> tuple[Method, ...]:
    """What is compared, by what stands first and nearest to the paper."""
    share = f"{100 * ties:.0f} % ties"
    return (
        Method(f"pairs, {DESCRIBED} dropped, no ties", "pair", DESCRIBED, 0.0),
        Method(f"pairs, {FITTED} dropped, no ties", "pair", FITTED, 0.0),
        Method(f"pairs, {DESCRIBED} dropped, {share}", "pair", DESCRIBED, ties),
        Method(f"pairs, {FITTED} dropped, {share}", "pair", FITTED, ties),
        Method(f"rankings, {DESCRIBED} dropped, no ties", "ranking", DESCRIBED, 0.0),
        Method(f"rankings, {DESCRIBED} dropped, {share}", "ranking", DESCRIBED, ties),
    )


def _bounded(campaign: Printed, chosen: tuple[Method, ...], seed: int, number: int) -> list[tuple[FloatArray, int]]:
    """One campaign rebuilt: widths of ranges and clusters by every method, the systems in the paper's order."""
    key = (seed, ExperimentStream.REBUILT, campaign.sigma, number)
    found: list[tuple[FloatArray, int]] = []
    for method in chosen:
        judgments = rebuilt(campaign, method.ties, generator(*key))
        places = _places(judgments, method.unit, Execution("serial", 1, seed=seed_of(generator(*key, 1))))
        ranges = rank_ranges(places, p=2 * method.dropped / RESAMPLES)
        width = (1 + ranges[:, 1] - ranges[:, 0]).astype(np.float64)
        found.append((width, int(clusters(ranges).max())))
    return found


def _places(judgments: Judgments, unit: Unit, execution: Execution) -> IntArray:
    return resample(ExpectedWins(), judgments, unit=unit, resamples=RESAMPLES, execution=execution).places


def _rebuilt(context: Context, campaign: Printed, chosen: tuple[Method, ...], count: int) -> dict[str, Widths]:
    parts = context.run(_bounded, [(number,) for number in range(count)], campaign, chosen, context.seed)
    return {
        method.label: Widths(np.stack([part[k][0] for part in parts]), np.array([float(part[k][1]) for part in parts]))
        for k, method in enumerate(chosen)
    }


def _run(context: Context, *, campaigns: int, ties: float, more: int) -> Findings:
    chosen, both = methods(ties), (printed(2), printed(3))
    results = {one.name: _rebuilt(context, one, chosen, campaigns) for one in both}
    rows = [row for one in both for row in _rows(one, results[one.name])]
    later = _rebuilt(context, replace(both[1], judgments=more), chosen, campaigns)
    notes = [
        f"the judgments of WMT12 are not at hand. Each campaign is rebuilt {campaigns} times: systems as strong as the "
        "printed scores say, the printed number of judgments, outputs normal around their system's mean. The paper "
        f"does not say how many judgments were ties: none or {100 * ties:.0f} % here. {RESAMPLES:,} bootstrap samples. "
        "n: campaigns; ±: standard error.",
        "a rebuilt campaign has its own noise on top of that in the printed scores, so its ranges are a little "
        "narrower than those of a campaign of such systems would be.",
    ]
    return Findings(rows, [*_checks(both, results), _later(more, later)], notes)


def _rows(one: Printed, found: Mapping[str, Widths]) -> list[Row]:
    width = 1.0 + one.ranges[:, 1] - one.ranges[:, 0]
    rows = []
    for name, number in (("mean width of a range", float(width.mean())), ("clusters", float(one.clusters))):
        for label, each in found.items():
            values = each.clusters if name == "clusters" else each.widths.mean(axis=1)
            known = number if label.startswith("pairs") else None
            rows.append(mean_row(label, known, values, group=f"{one.name}: {name}", digits=2))
    label, nearest = min(found.items(), key=lambda item: abs(float(item[1].widths.mean()) - float(width.mean())))
    group = f"{one.name}: width by system, {label}"
    rows += [
        mean_row(name, float(width[k]), nearest.widths[:, k], group=group, digits=1)
        for k, name in enumerate(one.systems)
    ]
    return rows


# -- claims ----------------------------------------------------------------------------------------


def _checks(both: tuple[Printed, ...], results: Mapping[str, Mapping[str, Widths]]) -> list[Check]:
    return [*[_claimed(one) for one in both], *[_nearest(one, results[one.name]) for one in both]]


def _claimed(one: Printed) -> Check:
    """Whether the printed ranges make the clusters that the text counts."""
    number = int(clusters(one.ranges).max())
    last = " ".join(f"{name} {first}–{end}" if first < end else f"{name} {first}"
                    for name, (first, end) in zip(one.systems[-2:], one.ranges[-2:].tolist(), strict=True))  # fmt: skip
    return Check(f"{one.table}: the printed ranges make {one.clusters} clusters by equation 6", number == one.clusters,
                 f"{number}; the last two systems are printed as {last}")  # fmt: skip


def _nearest(one: Printed, found: Mapping[str, Widths]) -> Check:
    width = float((1.0 + one.ranges[:, 1] - one.ranges[:, 0]).mean())
    means = {label: float(each.widths.mean()) for label, each in found.items()}
    label = min(means, key=lambda name: abs(means[name] - width))
    described = methods(0.0)[0].label
    return Check(f"{one.table}: ranges are as wide as those of the described method without ties (within a tenth)",
                 abs(means[described] / width - 1) <= 0.1,
                 f"{width:.2f} printed, {means[described]:.2f} here; nearest: {label}, {means[label]:.2f}")  # fmt: skip


def _later(judgments: int, found: Mapping[str, Widths]) -> Check:
    texts = "; ".join(
        f"{name} {each.clusters.mean():.1f} of width {each.widths.mean():.1f}" for name, each in found.items()
    )
    first = next(iter(found.values()))
    near = abs(float(first.clusters.mean()) - 4) < 1 and abs(float(first.widths.mean()) - 3) < 0.5
    return Check(f"{judgments:,} judgments of French–English would give about 4 clusters and ranges over 3 ranks", near,
                 texts)  # fmt: skip


CAMPAIGNS = Experiment(
    "k12-campaigns",
    "rank ranges and clusters of two campaigns, rebuilt from their scores",
    "Koehn 2012, Tables 2–3",
    _run,
    settings={"campaigns": 50, "ties": 0.25, "more": 30000},
    quick={"campaigns": 1},
)
