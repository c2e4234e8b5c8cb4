"""1000 resamples: what they cost by unit, number of judgments and model."""

from __future__ import annotations

from .common import measure, report
from .data import EVALICA_VOTES

_SETUP = """
import palmares as pm
from palmares.models.by_name import create
from palmares import Execution
from palmares.ranking.bootstrap import resample
judgments = pm.simulate(
    systems={systems}, rankings={rankings}, judges=200, segments=3000, spread={spread}, rng=0
).judgments
model = create({model!r})
resample(model, judgments, unit={unit!r}, resamples=2, execution=Execution(seed=0))
"""
_STATEMENT = "resample(model, judgments, unit={unit!r}, resamples={resamples}, execution=Execution(seed=0))"
_SMALL = 1_000
_PEER_RESAMPLES = 50


_PEER_STATEMENT = (
    "evalica.bootstrap(evalica.average_win_rate, *given, tie_weight=0.0, n_resamples={resamples}, "
    "bootstrap_method='percentile', random_state=0)"
)


def main() -> None:
    peer()
    ranking()
    units()
    orders()


def peer() -> None:
    """The same score, resampled by `pair`, against evalica."""
    rows = []
    for rankings in (_SMALL, 10_000):
        ours = _seconds("expected-wins", "pair", systems=15, rankings=rankings)
        setup = (
            _SETUP.format(model="expected-wins", unit="pair", systems=15, rankings=rankings, spread=10.0)
            + EVALICA_VOTES
        )
        theirs = measure(_PEER_STATEMENT.format(resamples=_PEER_RESAMPLES), setup=setup, repeats=1)[0]
        theirs *= 1000 / _PEER_RESAMPLES
        rows.append([f"{rankings * 10:,}", ours, theirs, theirs / ours])
    report(
        "resampling-peer",
        "1000 resamples of expected wins by pair, against evalica",
        ["judgments", "palmares s", "evalica s", "evalica / palmares"],
        rows,
        [
            "evalica 0.4.2, `bootstrap` of `average_win_rate` with `tie_weight=0`, which is the same score; "
            f"{_PEER_RESAMPLES} resamples measured and scaled to 1000.",
        ],
    )


def ranking() -> None:
    """The whole of `rank`, by default (`two-way`) and by single units."""
    rows = []
    for model, systems, rankings in (
        ("bradley-terry", 15, 1_000), ("bradley-terry", 15, 10_000), ("bradley-terry", 15, 100_000),
        ("bradley-terry", 100, 10_000), ("expected-wins", 15, 10_000),
    ):  # fmt: skip
        setup = _SETUP.format(model=model, unit="pair", systems=systems, rankings=rankings, spread=10.0)
        seconds = {
            unit: measure(f"pm.rank(judgments, model=model, resample={unit!r}, rng=0)", setup=setup)[0]
            for unit in ("two-way", "ranking", "judge")
        }
        rows.append([model, systems, f"{rankings * 10:,}", *seconds.values(), seconds["two-way"] / seconds["ranking"]])
    report(
        "ranking-units",
        "A ranking with its uncertainty: two-way against single units",
        ["model", "systems", "judgments", "two-way s", "ranking s", "judge s", "two-way / ranking"],
        rows,
        ["`rank` whole, 1000 draws or resamples, both cores, judgments in memory; 200 judges, 3000 segments."],
    )


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
            "Both cores, threads. Unit `pair` draws from at most 315 counts, whatever their size (counts are at hand, "
            "as after `scan`). For the other units, reducing the judgments to units is part of the time.",
        ],
    )


def orders() -> None:
    """What resampling the exact orders costs: in a usual campaign, and where no system is better than another."""
    rows = []
    for systems in (10, 13, 16, 18, 20):
        bare = _seconds("expected-wins", "pair", systems=systems, rankings=_SMALL, repeats=1)
        costs = [
            50 * _seconds(model, "pair", systems=systems, rankings=_SMALL, resamples=20, repeats=1, spread=spread)
            for model, spread in (("lopez", 10.0), ("lopez", 1e6), ("monte-carlo-playoffs", 10.0))
        ]
        rows.append([systems, bare, *costs])
    report(
        "resampling-orders",
        "1000 resamples of the exact orders, 10,000 judgments",
        ["systems", "`expected-wins` s", "`lopez` s", "`lopez` s, all systems equal", "`monte-carlo-playoffs` s"],
        rows,
        [
            "Seconds for 1000; 20 were measured for the orders. Equal systems beat each other in one large cycle, the "
            "worst case. `most-probable-ranking` has the same solver as `lopez`.",
        ],
    )


def _seconds(
    model: str, unit: str, *, systems: int, rankings: int, resamples: int = 1000, repeats: int = 3, spread: float = 10.0
) -> float:
    setup = _SETUP.format(model=model, unit=unit, systems=systems, rankings=rankings, spread=spread)
    return measure(_STATEMENT.format(unit=unit, resamples=resamples), setup=setup, repeats=repeats)[0]


if __name__ == "__main__":
    main()
