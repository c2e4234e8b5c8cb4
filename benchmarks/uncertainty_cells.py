"""The cells of the study: which campaigns are drawn, and how many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from palmares.design.simulate import CampaignPlan

from .uncertainty_normal import NormalWorld
from .uncertainty_plan import PlanWorld

JUDGES = (5, 10, 20, 50)
UNITS = ("pair", "ranking", "segment", "judge", "two-way")

#: Kinds of campaign that both generators make, for every number of judges, and what tables and plots call them.
GRID = {
    "clean": "no effects",
    "both": "judges and segments",
    "unequal": "both larger, unequal work",
    "judge-heavy": "judges only",
    "segment-heavy": "few segments, judged often",
    "arena": "two outputs, unequal work",
}


@dataclass(frozen=True)
class Cell:
    """Campaigns of one kind from one generator."""

    kind: str
    generator: str
    world: NormalWorld | PlanWorld
    campaigns: int = 300

    @property
    def judges(self) -> int:
        return self.world.judges

    @property
    def name(self) -> str:
        return f"{self.kind}/{self.generator}/{self.judges}"


def cells() -> list[Cell]:
    """All of them."""
    grid = [
        cell
        for kind in GRID
        for judges in JUDGES
        for cell in (
            Cell(kind, "normal", _normal(kind, judges)),
            Cell(kind, "project", _project(kind, judges)),
        )
    ]
    return grid + _equals() + _calibration() + _odd()


def chosen(names: Sequence[str], generators: Sequence[str] = (), judges: Sequence[int] = ()) -> list[Cell]:
    """Those of these kinds or names, generators and numbers of judges; without any, all."""
    found = [
        cell
        for cell in cells()
        if (not names or cell.kind in names or cell.name in names)
        and (not generators or cell.generator in generators)
        and (not judges or cell.judges in judges)
    ]
    unknown = set(names) - {text for cell in cells() for text in (cell.kind, cell.name)}
    if unknown or not found:
        kinds = dict.fromkeys(cell.kind for cell in cells())
        raise SystemExit(f"no such cells: {', '.join(sorted(unknown)) or 'none left'}; kinds: {', '.join(kinds)}")
    return found


def _normal(kind: str, judges: int) -> NormalWorld:
    """Of the written-apart generator; the variance of an output around its system's quality is 1 in all."""
    world = NormalWorld(judges)
    return {
        "clean": world,
        "both": replace(world, segment_effect=0.6, judge_effect=0.2),
        "unequal": replace(world, segment_effect=0.6, judge_effect=0.35, unequal=1.0),
        "judge-heavy": replace(world, judge_effect=0.35),
        "segment-heavy": replace(world, segment_effect=0.8, segments=60),
        "arena": replace(
            world, outputs=2, rankings=3000, segments=500, segment_effect=0.6, judge_effect=0.2, unequal=1.0
        ),
    }[kind]


def _project(kind: str, judges: int) -> PlanWorld:
    """The same kinds from the project's generator, whose scale is ten times as large."""
    plan = CampaignPlan(judges=judges, spread=10.0, tie_radius=4.0)
    both = replace(plan, spread=8.0, segment_effect=6.0, judge_effect=1.5)
    return {
        "clean": PlanWorld(plan),
        "both": PlanWorld(both),
        "unequal": PlanWorld(replace(both, judge_effect=3.5), unequal=1.0),
        "judge-heavy": PlanWorld(replace(plan, judge_effect=3.5)),
        "segment-heavy": PlanWorld(replace(plan, spread=6.0, segment_effect=8.0, segments=60)),
        "arena": PlanWorld(replace(both, outputs=2, rankings=3000, segments=500), unequal=1.0),
    }[kind]


def _equals() -> list[Cell]:
    """Systems that are equal: all of them, or six pairs whose neighbours are clearly apart."""
    found = []
    for judges in (10, 20, 50):
        for effects in ("clean", "both", "unequal"):
            world = _normal(effects, judges)
            pairs = replace(world, systems=12, rankings=720, qualities="pairs", tau=0.5)
            found.append(Cell(f"pairs-{effects}", "normal", pairs))
            found.append(Cell(f"equal-{effects}", "normal", replace(world, qualities="equal")))
    return found


def _calibration() -> list[Cell]:
    """Campaigns whose systems are now close and now far apart; and two clumps, which no normal prior fits."""
    found = []
    for judges in (10, 20):
        for effects in ("clean", "both", "unequal"):
            found.append(Cell(f"mixed-{effects}", "normal", replace(_normal(effects, judges), qualities="mixed"), 1500))
            found.append(Cell(f"mixed-{effects}", "project", replace(_project(effects, judges), mixed=True), 800))
    clumps = replace(_normal("both", 20), qualities="clumps", tau=0.5)
    return [*found, Cell("clumps", "normal", clumps, 1000)]


def _odd() -> list[Cell]:
    """One system that is not like the others, always the first."""
    found = []
    for judges in (10, 20, 50):
        found.append(Cell("one-system", "normal", replace(_normal("clean", judges), own_effect=0.6)))
        found.append(Cell("handful", "normal", replace(_normal("both", judges), appearances=5)))
        found.append(Cell("newcomer", "normal", replace(_normal("both", judges), appearances=0)))
    return found
