"""Many simulated campaigns at once, as counts, against a loop that makes tables and counts them."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from palmares import CampaignPlan, simulate, simulate_counts

from .common import report

#: Koehn 2012: 15 systems, 50,000 judgments.
_FIVE_WAY = CampaignPlan(systems=15, rankings=5000, tie_radius=0.0)
_PLANS = {
    "five-way, no ties, as Koehn 2012": (_FIVE_WAY, None),
    "the same, counted at 20 looks": (_FIVE_WAY, list(range(250, 5001, 250))),
    "with ties, effects of judges, segments and styles, lazy judges": (
        CampaignPlan(
            systems=15, rankings=5000, judges=100, segments=1000, segment_effect=6.0, judge_effect=1.5, work=1.0,
            sensitivity_spread=0.3, tie_spread=0.6, lazy_judges=0.1, style_effect=2.0,
        ),
        None,
    ),
    "50,000 pairs, no ties": (CampaignPlan(systems=15, rankings=50_000, outputs=2, tie_radius=0.0), None),
}  # fmt: skip
#: What the whole takes is measured for the first plan; of the others, and of the loop, so many campaigns are measured.
_WHOLE, _PART, _LOOPED = 10_000, 500, 40


def main() -> None:
    rows = []
    for number, (name, (plan, looks)) in enumerate(_PLANS.items()):
        simulate_counts(plan, 2, looks=looks, rng=0)  # compiles
        experiments = _PART if number else _WHOLE
        ours = _seconds(partial(simulate_counts, plan, experiments, looks=looks, rng=1), experiments)
        theirs = _seconds(partial(_loop, plan), _LOOPED)
        seconds = [f"{value:.0f}" for value in (*ours, *theirs)]
        rows.append([name, experiments, *seconds, theirs[1] / ours[1]])
    report(
        "simulation",
        "10,000 campaigns of 50,000 judgments, as counts",
        [
            "campaigns",
            "measured",
            "simulate_counts s",
            "its CPU s",
            "loop s",
            "its CPU s",
            "CPU, loop / simulate_counts",
        ],
        rows,
        [
            "Seconds for 10,000 campaigns of 15 systems, on the clock and of all cores together, scaled from those "
            "measured. The clock's depend on what else the machine does. The loop is one of "
            f"`simulate(…).judgments.counts`, {_LOOPED} campaigns measured.",
        ],
    )


def _loop(plan: CampaignPlan) -> None:
    for number in range(_LOOPED):
        assert simulate(plan, rng=number).judgments.counts.total


def _seconds(work: Callable[[], object], campaigns: int) -> tuple[float, float]:
    """Of the clock and of the processor, for 10,000 campaigns."""
    clock, processor = time.perf_counter(), time.process_time()
    work()
    spent = time.perf_counter() - clock, time.process_time() - processor
    return spent[0] * _WHOLE / campaigns, spent[1] * _WHOLE / campaigns


if __name__ == "__main__":
    main()
