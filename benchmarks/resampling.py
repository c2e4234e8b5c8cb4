"""1000 resamples: what they cost by unit, number of judgments and model."""

from __future__ import annotations

from .common import measure, report

_SETUP = """
import palmares as pm
from palmares.models.base import create
from palmares.uncertainty.resampling import resample
judgments = pm.simulate(systems={systems}, rankings={rankings}, judges=200, segments=3000, rng=0).judgments
{counts}
model = create({model!r})
if {warm}: resample(model, judgments, unit={unit!r}, resamples=2, seed=0)
"""
_STATEMENT = "resample(model, judgments, unit={unit!r}, resamples={resamples}, seed=0)"
_SMALL = 1_000


def main() -> None:
    units()
    orders()


def units() -> None:
    """Expected wins: the cost by unit as the campaign grows."""
    rows = []
    for unit in ("pair", "ranking", "segment", "judge"):
        base = 0.0
        for rankings in (_SMALL, 10_000, 100_000, 1_000_000):
            seconds = _seconds("expected-wins", unit, systems=15, rankings=rankings)
            base = base or seconds
            rows.append([unit, f"{rankings * 10:,}", seconds, seconds / base])
    report(
        "resampling-units",
        "1000 resamples of expected wins, 15 systems, five-way rankings",
        ["unit", "judgments", "seconds", "ratio to 10,000 judgments"],
        rows,
        [
            "Both cores, threads. Reading and reducing to units is included; making the judgments is not.",
            "Unit `pair` draws from at most 315 counts, whatever their size; the other units draw whole units.",
        ],
    )


def orders() -> None:
    """What resampling the exact orders costs, by the number of systems that beat each other in cycles."""
    rows = []
    for systems in (10, 13, 16, 18, 20):
        for model in ("lopez", "monte-carlo-playoffs"):
            # The same quality for all systems: one large group, the worst case for `lopez`.
            seconds = _seconds(model, "pair", systems=systems, rankings=_SMALL, resamples=20, repeats=1)
            bare = _seconds("expected-wins", "pair", systems=systems, rankings=_SMALL, resamples=1000, repeats=1)
            rows.append([model, systems, seconds * 50, seconds * 50 / bare])
    report(
        "resampling-orders",
        "1000 resamples of the exact orders, 10,000 judgments",
        ["model", "systems", "seconds for 1000 (20 measured)", "ratio to expected wins"],
        rows,
        ["`most-probable-ranking` uses the same solver as `lopez` and costs the same."],
    )


def _seconds(model: str, unit: str, *, systems: int, rankings: int, resamples: int = 1000, repeats: int = 3) -> float:
    setup = _SETUP.format(model=model, unit=unit, systems=systems, rankings=rankings, counts="", warm=True)
    return measure(_STATEMENT.format(unit=unit, resamples=resamples), setup=setup, repeats=repeats)[0]


if __name__ == "__main__":
    main()
