"""How often rank ranges miss the true rank, for every model that ranks and every resampling unit.

A study rather than a benchmark, so run only by name: ``python -m benchmarks coverage``, about a quarter of an hour on
two idle cores.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from palmares.compute import Execution
from palmares.design.coverage import Coverage, Method, MethodCoverage, coverage, methods_of
from palmares.design.simulate import CampaignPlan
from palmares.models.by_name import create
from palmares.report.coverage import unit_text

from .common import report

#: The shape of a WMT campaign, with effects of the size that docs/coverage.md finds in one.
EFFECTS = CampaignPlan(
    systems=13, rankings=2000, judges=50, segments=1000, spread=8.0, segment_effect=6.0, judge_effect=1.5,
    tie_radius=4.0,
)  # fmt: skip
#: The same without: all that made outputs differ is now new in every ranking.
PLAIN = replace(EFFECTS, spread=10.0, segment_effect=0.0, judge_effect=0.0)
CONDITIONS = {
    "50 judges, effects": EFFECTS,
    "10 judges, effects": replace(EFFECTS, judges=10),
    "50 judges, no effects": PLAIN,
    "10 judges, no effects": replace(PLAIN, judges=10),
}
UNITS = ("pair", "ranking", "segment", "judge", "two-way")
RESAMPLES = 400

#: Koehn 2012, Table 1: range size, violations %, clusters, cluster violations % of the pairwise and bootstrap methods.
KOEHN = {
    1000: ((8.1, 0.8, 1.0, 0.0), (4.6, 3.4, 1.8, 0.5)),
    2000: ((6.3, 0.8, 1.1, 0.0), (3.7, 2.4, 3.0, 0.5)),
    3000: ((5.4, 0.7, 1.4, 0.0), (3.3, 2.3, 3.9, 0.4)),
    4000: ((4.9, 0.9, 1.7, 0.1), (3.0, 2.0, 4.7, 0.4)),
    5000: ((4.5, 0.9, 2.0, 0.1), (2.9, 2.1, 5.3, 0.7)),
}


def studies() -> list[tuple[tuple[Method, ...], int]]:
    """Methods, and how many campaigns there is time for."""
    quick = ["expected-wins", "bojar", "orig-wmt", "independent-pairs", "independent-systems"]
    batch = create("trueskill", {"mode": "batch"})
    return [
        (methods_of(["bradley-terry"], [*UNITS, "sign-test"]), 160),
        (methods_of([*quick, batch], UNITS), 40),
        (methods_of(["lopez", "most-probable-ranking"], UNITS), 20),
        (methods_of(["monte-carlo-playoffs", "trueskill"], UNITS[:2]), 8),
        (methods_of(["hopkins-may", "irt-categorical"], ["posterior"]), 20),
    ]


def main(share: float = 1.0) -> None:
    """Run all studies, or with a share of their campaigns for a first look."""
    by_condition(share)
    koehn(share)


def by_condition(share: float) -> None:
    """Misses and range sizes of every method, with and without effects, with many and few judges."""
    start, rows = time.perf_counter(), []
    for methods, campaigns in studies():
        number = max(2, round(share * campaigns))
        found = [_study(plan, methods, number) for plan in CONDITIONS.values()]
        for i, method in enumerate(methods):
            lines = [f.lines[i] for f in found]
            rows.append([method.model_name or "–", unit_text(lines[0]), number, *map(_cell, lines)])
    report(
        "coverage",
        "True ranks outside their range, in %",
        ["model", "unit", "campaigns", *CONDITIONS],
        rows,
        [
            f"± the standard error over campaigns; in brackets the mean size of a range. {RESAMPLES} resamples, p .05. "
            f"The study took {_minutes(start)}. With effects:",
            "",
            f"    {_signature(EFFECTS)}",
            "",
            f"and without: `spread` {PLAIN.spread:g}, `segment_effect` 0, `judge_effect` 0.",
        ],
    )


def koehn(share: float) -> None:
    """Koehn 2012, Table 1, published and measured."""
    start, rows = time.perf_counter(), []
    campaigns = max(2, round(share * 100))
    both = methods_of(["bojar"], ["pair", "sign-test"], sided=1)
    for rankings, (pairwise, bootstrap) in KOEHN.items():
        plan = CampaignPlan(systems=15, rankings=rankings, tie_radius=0.0, spread=10.0)
        found = _study(plan, both, campaigns, resamples=1000)
        tight = [_study(plan, both[:1], campaigns, resamples=1000, p=p) for p in (0.02, 0.01)]
        label = f"{10 * rankings:,}"
        rows.append([label, "sign test", "published", *_published(pairwise)])
        rows.append([label, "sign test", "measured, one-sided", *_measured(found.lines[1])])
        rows.append([label, "bootstrap", "published", *_published(bootstrap)])
        rows.append([label, "bootstrap", "measured, 25 of 1000 cut", *_measured(found.lines[0])])
        rows += [
            [label, "bootstrap", f"measured, {cut} of 1000 cut", *_measured(f.lines[0])]
            for cut, f in zip((10, 5), tight, strict=True)
        ]
    report(
        "coverage-koehn",
        "Koehn 2012, Table 1: published and measured",
        ["judgments", "method", "", "range size", "misses %", "clusters", "cluster violations %"],
        rows,
        [
            f"15 systems, spread 10, no ties, no effects; `bojar`, unit `pair`, 1000 resamples; {campaigns} campaigns, "
            f"the paper has 400. Standard errors in brackets. It took {_minutes(start)}.",
        ],
    )


def _study(
    plan: CampaignPlan, methods: Sequence[Method], campaigns: int, *, resamples: int = RESAMPLES, p: float = 0.05
) -> Coverage:
    # Processes, because with so few judgments a campaign little of the work is compiled code.
    return coverage(
        plan, methods=methods, campaigns=campaigns, resamples=resamples, p=p, rng=0, execution=Execution("processes")
    )


def _cell(line: MethodCoverage) -> str:
    return f"{100 * line.misses:.1f} ± {100 * line.misses_error:.1f} ({line.size:.1f})"


def _published(values: tuple[float, float, float, float]) -> list[str]:
    return [f"{value:.1f}" for value in values]


def _measured(line: MethodCoverage) -> list[str]:
    return [
        f"{line.size:.2f} ({line.size_error:.2f})",
        f"{100 * line.misses:.1f} ({100 * line.misses_error:.1f})",
        f"{line.clusters:.1f} ({line.clusters_error:.1f})",
        f"{100 * line.violations:.1f} ({100 * line.violations_error:.1f})",
    ]


def _signature(plan: CampaignPlan) -> str:
    names = ("systems", "rankings", "outputs", "segments", "spread", "segment_effect", "judge_effect", "tie_radius")
    return " ".join(f"--{name.replace('_', '-')} {getattr(plan, name):g}" for name in names)


def _minutes(start: float) -> str:
    seconds = time.perf_counter() - start
    return f"{seconds:.0f} seconds" if seconds < 100 else f"{seconds / 60:.0f} minutes"


if __name__ == "__main__":
    main()
