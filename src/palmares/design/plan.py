"""`plan`: how many judgments, rankings and hours a target takes, from scratch or from the judgments so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..compute import Execution, RngLike, Stream
from ..errors import InputError
from ..ingest.given import judgments_of
from ..judgments import Judgments
from ..ranking import LOOKS
from ..ranking.looks import adaptive
from ..ranking.record import Record
from ..results import counted
from .planning.beginnings import Beginning, from_judgments, from_scratch
from .planning.bounds import BOUNDS, Bounds, Noise
from .planning.curves import ENDLESS, MOST, Curve, Question, no_use_beyond, search
from .planning.notes import notes_of
from .planning.prospects import Prospect, Staff
from .planning.result import Cell, Needed, Plan, Point, Staffing
from .planning.times import Seconds, seconds_of
from .planning.usual import USUAL
from .simulate import CampaignPlan
from .targets import Target

#: Judges and segments that a plan tries besides its own, and rankings of each judge that it shows.
JUDGES, SEGMENTS = (5, 10, 20, 50, 100), (100, 300, 1000, 3000)
EACH = (10, 30, 100, 300, 1000)
#: Looks of the answer's curve, and of those that only say where the target is reached.
_LOOKS, _FEW_LOOKS = 20, 10
#: Campaigns in the tables of other numbers of judges and segments: no more than this.
_CAMPAIGNS_OF_OTHERS = 200
#: Beyond so many systems, fewer campaigns are simulated, but never fewer than the least: time goes by the square.
_SYSTEMS, _LEAST_CAMPAIGNS = 25, 50
#: Draws for ranges of a smaller level would not fit into memory.
_LEAST_P = 1e-4
#: A minute each judge needs before the first ranking counts, in hours.
_MINUTE = 1 / 60


@dataclass(frozen=True)
class Options:
    """What is asked, and what an hour buys.

    Attributes
    ----------
    bounds
        What counts as separated; None: `any` for judgments that earlier answers chose, else `marginal`.
    judges, segments
        Who judges, and what; None: as the plan or the judgments have it.
    try_judges, try_segments
        Numbers that the tables try as well; None for the usual ones.
    seconds
        Of one ranking; None: as the judgments tell, else a minute.
    training
        Minutes every judge needs before the first ranking counts.
    """

    target: Target
    sure: float | None = None
    bounds: Bounds | None = None
    judges: int | None = None
    segments: int | None = None
    try_judges: tuple[int, ...] | None = None
    try_segments: tuple[int, ...] | None = None
    seconds: float | None = None
    training: float = 15.0
    p: float = 0.05

    def __post_init__(self) -> None:
        for name, low, high in (("p", 0, 1), ("sure", 0, 1), ("seconds", 0, np.inf)):
            value = getattr(self, name)
            if value is not None and not low < value < high:
                raise InputError(f"{name}: got {value}; allowed: a number above {low}" + (" and below 1" * (high == 1)))
        if self.p < _LEAST_P:
            raise InputError(f"p: got {self.p:g}; allowed: at least {_LEAST_P:g}, since ranges are counted from draws")
        if not 0 <= self.training < np.inf:
            raise InputError(f"training: got {self.training}; allowed: minutes, at least 0")
        if self.sure is not None and self.target.kind == "best" and self.target.value is not None:
            raise InputError(
                f"target {self.target} is a chance already; leave out sure, or ask for best without a number"
            )
        for name in ("judges", "segments", "try_judges", "try_segments"):
            given = getattr(self, name)
            if any(number < 1 for number in (given if isinstance(given, tuple) else () if given is None else (given,))):
                raise InputError(f"{name}: got {given}; allowed: at least 1")

    @property
    def chance(self) -> float | None:
        """The share of campaigns that are to reach the target: `best` has no mean to speak of, so 80 % unless asked."""
        return 0.8 if self.sure is None and self.target.kind == "best" and self.target.value is None else self.sure


def plan(
    data: CampaignPlan | Judgments | Any = None,
    *,
    target: Target | str = "pairs=0.8",
    sure: float | None = None,
    looks: str = "auto",
    joint: bool = False,
    judges: int | None = None,
    segments: int | None = None,
    try_judges: Sequence[int] | None = None,
    try_segments: Sequence[int] | None = None,
    seconds: float | None = None,
    training: float = 15.0,
    p: float = 0.05,
    campaigns: int = 400,
    rng: RngLike = None,
    execution: Execution | None = None,
) -> Plan:
    """Say how many judgments, rankings and hours a target takes.

    Parameters
    ----------
    data
        The shape of a campaign that has not begun (`CampaignPlan`; its number of rankings plays no part), or the
        judgments so far of one that has: a table, a data frame or a file. None: `USUAL`.
    target
        ``pairs=0.8``, ``clusters=5``, ``widest=3``, ``best`` or ``best=0.95``; see `palmares.design.targets`.
    sure
        The share of campaigns that are to reach the target; None: it is to be reached on average. ``best`` without a
        number has no average: 0.8 unless given.
    looks
        ``once``: ranges and clusters are as `rank` shows them, for one look at the end. ``any``: boundaries that hold
        however often one looks, for campaigns that stop by what is seen, or choose comparisons actively. ``auto``:
        ``any`` where the judgments so far say that earlier answers chose comparisons.
    joint
        With one look: count boundaries and ranges that hold all at once, not each by itself.
    judges, segments
        Who judges, and what, in all; of a running campaign at least as many as so far. None: as the plan or the
        judgments have it.
    try_judges, try_segments
        Numbers that the tables try as well.
    seconds
        One ranking takes; None: the mean over judges of their median, if the judgments have durations, else 60.
    training
        Minutes every new judge needs before the first ranking counts.
    p
        The level of ranges and boundaries.
    campaigns
        How many are simulated.
    rng
        A seed; None draws one. It is in the signature either way.
    execution
        Where to compute; a piece of work is one number of judges and segments.
    """
    wanted = Target.parse(target) if isinstance(target, str) else target
    options = Options(
        wanted, sure, _bounds(looks, joint), judges, segments, None if try_judges is None else tuple(try_judges),
        None if try_segments is None else tuple(try_segments), seconds, training, p,
    )  # fmt: skip
    if campaigns < _LEAST_CAMPAIGNS:
        raise InputError(
            f"campaigns: got {campaigns}; allowed: at least {_LEAST_CAMPAIGNS}, because fewer say little about chances"
        )
    execution = Execution.prepared(execution, rng)
    if data is None or isinstance(data, CampaignPlan):
        return _from_scratch(data or USUAL, options, campaigns, execution)
    return _continued(judgments_of(data, "plan"), options, campaigns, execution)


def _bounds(looks: str, joint: bool) -> Bounds | None:
    if looks not in LOOKS:
        raise InputError(f"looks: got {looks!r}; allowed: {', '.join(LOOKS)}")
    return "any" if looks == "any" else "joint" if joint else "marginal" if looks == "once" else None


def _affordable(campaigns: int, systems: int) -> int:
    """As many as were asked for, or fewer where there are many systems."""
    return min(campaigns, max(_LEAST_CAMPAIGNS, round(campaigns * (_SYSTEMS / systems) ** 2)))


def _from_scratch(shape: CampaignPlan, options: Options, campaigns: int, execution: Execution) -> Plan:
    options.target.check(shape.systems)
    campaigns = _affordable(campaigns, shape.systems)
    options = replace(options, bounds=options.bounds or "marginal")
    shape = replace(shape, judges=options.judges or shape.judges, segments=options.segments or shape.segments)
    begun = from_scratch(shape, campaigns, execution)
    facts = {name: value for name, value in shape.facts.items() if name != "rankings"}
    return _planned(begun, options, seconds_of(None, options.seconds), campaigns, execution, facts, campaign=shape)


def _continued(judgments: Judgments, options: Options, campaigns: int, execution: Execution) -> Plan:
    options.target.check(len(judgments.systems))
    campaigns = _affordable(campaigns, len(judgments.systems))
    options = replace(options, bounds=options.bounds or ("any" if adaptive(judgments) else "marginal"))
    begun = from_judgments(judgments, campaigns, execution)
    now, staff = begun.staff, Staff(options.judges or begun.staff.judges, options.segments or begun.staff.segments)
    if staff.judges < now.judges or staff.segments < now.segments:
        raise InputError(
            f"got {counted(staff.judges, 'judge')} and {counted(staff.segments, 'segment')} to plan with, but the "
            f"judgments have {now.judges:,} and {now.segments:,} already; allowed: as many or more"
        )
    facts = {
        "systems": begun.systems, "judgments": len(judgments), "judges": staff.judges, "segments": staff.segments,
        "data": judgments.hash,
    }  # fmt: skip
    seconds = seconds_of(judgments, options.seconds)
    return _planned(replace(begun, staff=staff), options, seconds, campaigns, execution, facts, judgments=judgments)


@dataclass(frozen=True)
class _Costs:
    """From rankings to judgments and hours; ``judges`` are those who need no training."""

    comparisons: float
    seconds: float
    training: float
    judges: int

    def rankings(self, needed: float) -> int | None:
        return None if not needed < MOST else int(np.ceil(needed - 1e-9))

    def judgments(self, rankings: int | None) -> int | None:
        return None if rankings is None else round(rankings * self.comparisons)

    def hours(self, rankings: int | None, judges: int) -> float | None:
        if rankings is None:
            return None
        new = max(judges - self.judges, 0) if rankings else 0
        return rankings * self.seconds / 3600 + new * self.training * _MINUTE


def _planned(
    begun: Beginning,
    options: Options,
    seconds: Seconds,
    campaigns: int,
    execution: Execution,
    facts: dict[str, Any],
    *,
    campaign: CampaignPlan | None = None,
    judgments: Judgments | None = None,
) -> Plan:
    noise = Noise.drawn(begun.systems, options.p, execution.generator(Stream.PLAN_RANGES))
    bounds = options.bounds or "marginal"
    question = Question(options.target, bounds, options.p, options.chance, noise)
    staffs = _others(begun, options)
    kinds = _kinds(bounds, options.target)
    tasks = [(begun.staff, question.of(kind)) for kind in kinds]
    tasks += [(staff, question) for staff in staffs if staff != begun.staff]
    pieces = execution.run(_piece, tasks, shared=(begun.prospect, begun.staff, begun.done))
    costs = _Costs(begun.comparisons, seconds.value, options.training, begun.least.judges)
    prices = tuple(_needed(piece[0], costs, execution) for piece in pieces[: len(kinds)])
    own = kinds.index(bounds)
    by_staff = {curve.staff: (curve, beyond) for curve, beyond in (*pieces[len(kinds) :], pieces[own])}
    rows = [_staffing(*by_staff[staff], costs) for staff in staffs]
    facts = {
        **facts, "target": str(options.target), "sure": "mean" if options.chance is None else options.chance,
        "bounds": bounds, "p": options.p, "campaigns": campaigns, "seconds": seconds.value,
        "training": options.training, "seed": execution.seed,
    }  # fmt: skip
    result = Plan(
        target=options.target,
        sure=options.chance,
        bounds=bounds,
        p=options.p,
        systems=begun.systems,
        outputs=begun.outputs,
        judges=begun.staff.judges,
        segments=begun.staff.segments,
        done=begun.done,
        seconds=seconds,
        likeness=begun.likeness,
        campaigns=campaigns,
        needed=prices[own],
        prices=prices,
        curve=_points(pieces[own][0], costs),
        staffing=tuple(row for row in rows if row.segments == begun.staff.segments),
        segmenting=tuple(row for row in rows if row.judges == begun.staff.judges),
        record=Record.of(facts, origin=None if judgments is None else judgments.origin),
        campaign=campaign,
        lang_pair=judgments.lang_pairs[0] if judgments is not None and judgments.lang_pairs else None,
    )
    return replace(result, notes=notes_of(result, begun.notes, () if judgments is None else judgments.notes))


def _kinds(bounds: Bounds, target: Target) -> tuple[Bounds, ...]:
    """All kinds of boundary; but of whether the first is truly best, boundaries say nothing."""
    return (bounds,) if target.kind == "best" and target.value is not None else BOUNDS


def _others(begun: Beginning, options: Options) -> list[Staff]:
    """Numbers of judges with the plan's segments, and of segments with the plan's judges."""
    own = begun.staff
    judges = sorted({own.judges, *_tried(own.judges, begun.least.judges, options.try_judges, JUDGES)})
    segments = sorted({own.segments, *_tried(own.segments, begun.least.segments, options.try_segments, SEGMENTS)})
    pairs = {(count, own.segments) for count in judges} | {(own.judges, count) for count in segments}
    return [Staff(*pair) for pair in sorted(pairs)]


def _tried(own: int, least: int, asked: tuple[int, ...] | None, usual: tuple[int, ...]) -> list[int]:
    """Numbers to try, none below those that a running campaign has; twice and five times its own if need be."""
    if asked is not None:
        if few := [number for number in asked if number < least]:
            raise InputError(f"got {few[0]} to try, but there are {least} already; allowed: as many or more")
        return list(asked)
    more = [number for number in usual if number >= least]
    return more if len([number for number in more if number > own]) > 1 else [*more, 2 * own, 5 * own]


def _piece(prospect: Prospect, own: Staff, done: int, staff: Staff, question: Question) -> tuple[Curve, float]:
    """The curve of one number of judges and segments, and the rankings beyond which more are of no use."""
    begin = 0.0 if done else float(np.ceil(prospect.systems / 2))
    few = prospect if staff == own else prospect.fewer(_CAMPAIGNS_OF_OTHERS)
    number = _LOOKS if staff == own else _FEW_LOOKS
    return search(few, staff, question, number=number, begin=begin, also=_each(staff)), no_use_beyond(few, staff)


def _each(staff: Staff) -> list[float]:
    return [float(each * staff.judges) for each in EACH]


def _needed(curve: Curve, costs: _Costs, execution: Execution) -> Needed:
    rankings = costs.rankings(curve.needed())
    between = curve.interval(execution.generator(Stream.PLAN_INTERVALS))
    return Needed(
        bounds=curve.question.bounds,
        rankings=rankings,
        judgments=costs.judgments(rankings),
        hours=costs.hours(rankings, curve.staff.judges),
        between=(costs.rankings(between[0]), costs.rankings(between[1])),
        likely=(
            costs.rankings(curve.reached(0.1)), costs.rankings(curve.reached(0.5)), costs.rankings(curve.reached(0.9))
        ),
        limit=curve.limit,
        limit_sure=curve.limit_sure,
    )  # fmt: skip


def _points(curve: Curve, costs: _Costs) -> tuple[Point, ...]:
    campaigns = len(curve.values)
    low, high = np.quantile(curve.values, [0.1, 0.9], axis=0)
    besides = _each(curve.staff)
    means, errors = curve.values.mean(axis=0), curve.values.std(axis=0, ddof=1) / np.sqrt(campaigns)
    return tuple(
        Point(int(look), round(look * costs.comparisons), float(means[k]), float(errors[k]), float(low[k]),
              float(high[k]), float(curve.met[:, k].mean()))
        for k, look in enumerate(curve.looks) if look < ENDLESS and look not in besides
    )  # fmt: skip


def _staffing(curve: Curve, beyond: float, costs: _Costs) -> Staffing:
    staff, rankings = curve.staff, costs.rankings(curve.needed())
    place = {look: k for k, look in enumerate(curve.looks.tolist())}
    cells = [(each, place[look]) for each, look in zip(EACH, _each(staff), strict=True)]
    return Staffing(
        judges=staff.judges,
        segments=staff.segments,
        rankings=rankings,
        each=None if rankings is None else rankings / staff.judges,
        judgments=costs.judgments(rankings),
        hours=costs.hours(rankings, staff.judges),
        limit=curve.limit,
        limit_sure=curve.limit_sure,
        no_use_beyond=None if not beyond < MOST else beyond / staff.judges,
        cells=tuple(
            Cell(each, float(curve.values[:, k].mean()), float(curve.met[:, k].mean())) for each, k in cells
        ),
    )  # fmt: skip
