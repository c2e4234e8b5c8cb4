"""A plan, as tables: what the target takes, and what other numbers of judges and segments would take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..design.plan import EACH
from ..design.planning.result import Needed, Plan, Staffing
from ..results import counted
from .tables import Column, Grouped, Table, View, front

_BOUNDS = {"marginal": "one by one", "joint": "all at once", "any": "at every look"}
_MEASURES = {"pairs": "pairs separated", "clusters": "clusters", "widest": "widest range", "best": "best separated"}
#: Numbers of judgments are shown to so many digits: more would be more than is known.
_DIGITS = 3


def tables(results: Sequence[Grouped[Plan]], part: str | None = None) -> list[Table]:
    """What the target takes, by judges, by segments; ``curve``: the measure over numbers of judgments."""
    if part == "curve":
        return [_curve(each) for each in results]
    return [table for each in results for table in (_answer(each), _judges(each.result), _segments(each.result))]


def flat(results: Sequence[Grouped[Plan]], part: str | None = None) -> list[Table]:
    """One row for every kind of boundary, number of judges and number of segments; ``curve``: one for every look."""
    return [_flat_curve(each) if part == "curve" else _flat(each) for each in results]


VIEW = View(tables, flat, grouped=True, parts=("curve",))


def title_of(plan: Plan, group: str | None = None) -> str:
    """What is asked, in words."""
    aim = plan.target.sentence
    if plan.target.kind == "best" and plan.target.value is not None:
        aim = f"the first system is the best with {100 * plan.target.value:g} %"
        return f"{group}: until {aim}" if group else f"Until {aim}"
    sure = ", on average" if plan.sure is None else f", in {100 * plan.sure:g} % of campaigns"
    return f"{group}: until {aim}{sure}" if group else f"Until {aim}{sure}"


def summary(plan: Plan) -> str:
    """The answer in one sentence."""
    needed, more = plan.needed, "further " if plan.done else ""
    if needed.rankings is None or needed.judgments is None or needed.hours is None:
        return f"No number of {more}rankings by {_staff(plan)} reaches it; {_limit(plan)}. {_way_out(plan)}"
    if needed.rankings == 0:
        return "The judgments so far show it already."
    low, middle, high = (None if each is None else each * plan.comparisons for each in needed.likely)
    text = (
        f"About {_about(needed.judgments)} {more}judgments: {_about(needed.rankings)} rankings of "
        f"{plan.outputs:.3g} outputs by {counted(plan.judges, 'judge')}, {_about(needed.hours)} hours of judging."
    )
    if plan.target.kind == "best" and plan.target.value is not None:
        return text
    most = f"and {_about(high)}" if high is not None else "and more than can be collected so"
    likely = "" if middle is None else f", half by {_about(middle)}"
    return f"{text} Of campaigns like this, 80 % get there between {_about(low)} {most}{likely}."


def _staff(row: Plan | Staffing) -> str:
    return f"{counted(row.judges, 'judge')} of {counted(row.segments, 'segment')}"


def _brief(plan: Plan) -> str:
    """The answer in a few words, for the first line."""
    needed = plan.needed
    if needed.rankings == 0:
        return "shown already"
    if needed.hours is not None and needed.judgments is not None:
        return (
            f"about {_about(needed.judgments)} {'further ' if plan.done else ''}judgments, {_about(needed.hours)} hours"
        )
    by = f", but by {_staff(plan.cheapest)} in {_about(plan.cheapest.hours)} hours" if plan.cheapest else ""
    return f"not by {_staff(plan)}{by}"


def _way_out(plan: Plan) -> str:
    """Which other numbers of judges, or of segments, reach the target."""
    able = [next((row for row in rows if row.hours is not None), None) for rows in (plan.staffing, plan.segmenting)]
    first = dict.fromkeys(row for row in (*able, plan.cheapest) if row is not None)
    if not first:
        return (
            f"Neither do up to {plan.staffing[-1].judges:,} judges, nor up to {plan.segmenting[-1].segments:,} "
            "segments: plan with more of both (--judges, --segments), or ask for less."
        )
    ways = [f"{_staff(row)} with about {_about(row.judgments)} judgments, {_about(row.hours)} hours" for row in first]
    return f"It is reached by {'; by '.join(ways)}."


def _measure(plan: Plan) -> str:
    """What the target is about; of `best` without a number the share of campaigns that separate it."""
    chance = plan.target.kind == "best" and plan.target.value is not None
    return "P(best)" if chance else _MEASURES[plan.target.kind]


def _limit(plan: Plan) -> str:
    value = _value(plan.target.kind, plan.needed.limit)
    return f"with any number of them, it comes to {value} ({_measure(plan)})"


def _answer(each: Grouped[Plan]) -> Table:
    plan = each.result
    kind, more = plan.target.kind, "further " if plan.done else ""
    columns = [
        Column("boundaries that hold", align="left"), Column(f"{more}rankings", _about), Column("judgments", _about),
        Column("judge-hours", _about), Column("95 % interval", _about_both), Column("80 % of campaigns", _about_both),
        Column(f"{_measure(plan)} at most", lambda value: _value(kind, value)),
    ]  # fmt: skip
    rows = [
        [_BOUNDS[price.bounds], price.rankings, price.judgments, price.hours, _judged(price.between, plan),
         _judged((price.likely[0], price.likely[2]), plan), price.limit]
        for price in plan.prices
    ]  # fmt: skip
    notes = [
        summary(plan),
        "95 % interval: of the judgments, by chance of these simulated campaigns; 80 % of campaigns: the judgments "
        "after which 10 and 90 % of campaigns are there; at most: with any number of rankings, by these judges of "
        "these segments.",
        *[f"note: {note}" for note in plan.notes],
    ]
    title = f"{title_of(plan, each.title)}: {_brief(plan)}"
    return Table(columns, rows, title, notes=notes, signature=plan.signature)


def _judged(rankings: Sequence[int | None], plan: Plan) -> tuple[float | None, ...]:
    return tuple(None if each is None else each * plan.comparisons for each in rankings)


def _judges(plan: Plan) -> Table:
    kind = plan.target.kind
    columns = [
        Column("judges", _count), Column("rankings each", _about), Column("judgments", _about),
        Column("judge-hours", _about), Column("no use beyond", _about), Column("at most", lambda v: _value(kind, v)),
        *[Column(f"{each} each", lambda v: _value(kind, v)) for each in EACH],
    ]  # fmt: skip
    rows = [
        [row.judges, row.each, row.judgments, row.hours, row.no_use_beyond, row.limit,
         *[cell.mean for cell in row.cells]]
        for row in plan.staffing
    ]  # fmt: skip
    notes = [
        f"Of {plan.segments:,} segments. No use beyond: from so many rankings each, more of them by the same judges "
        f"make errors at most a tenth smaller. N each: {_measure(plan)} after so many rankings by each judge.",
        *([_cheapest(plan.cheapest)] if plan.cheapest and plan.cheapest.rankings else []),
    ]
    return Table(columns, rows, "How many judges", notes=notes)


def _cheapest(best: Staffing) -> str:
    return (
        f"Cheapest of all in these tables: {_staff(best)}, {_about(best.each)} "
        f"rankings each: {_about(best.hours)} hours."
    )


def _segments(plan: Plan) -> Table:
    kind = plan.target.kind
    columns = [
        Column("segments", _count), Column("rankings of each", _about), Column("judgments", _about),
        Column("judge-hours", _about), Column("no use beyond", _about), Column("at most", lambda v: _value(kind, v)),
    ]  # fmt: skip
    rows = [
        [row.segments, None if row.rankings is None else row.rankings / row.segments, row.judgments, row.hours,
         None if row.no_use_beyond is None else row.no_use_beyond * row.judges / row.segments, row.limit]
        for row in plan.segmenting
    ]  # fmt: skip
    return Table(
        columns,
        rows,
        "How many segments",
        notes=[f"By {counted(plan.judges, 'judge')}; both columns of segments are rankings of one segment."],
    )


def _curve(each: Grouped[Plan]) -> Table:
    plan, kind = each.result, each.result.target.kind

    def shown(value: float) -> str:
        return _value(kind, value)

    columns = [
        Column(f"{'further ' if plan.done else ''}rankings", _count), Column("judgments", _count),
        Column(_measure(plan), shown), Column("±", lambda v: _value(kind, v, finer=True)), Column("10 %", shown),
        Column("90 %", shown), Column("campaigns there %", lambda v: f"{100 * v:.0f}"),
    ]  # fmt: skip
    rows = [
        [point.rankings, point.judgments, point.mean, point.error, point.low, point.high, point.reached]
        for point in plan.curve
    ]
    notes = [
        "±: standard error of the mean; 10 % and 90 %: of campaigns.",
        *[f"note: {note}" for note in plan.notes],
    ]
    return Table(columns, rows, title_of(plan, each.title), notes=notes, signature=plan.signature)


def _flat(each: Grouped[Plan]) -> Table:
    plan, group = each.result, front(each)
    names = (
        *group, "part", "bounds", "judges", "segments", "rankings", "judgments", "hours", "between_low", "between_high",
        "likely_low", "likely_middle", "likely_high", "each", "no_use_beyond", "limit", "limit_sure",
        *[f"mean_{number}_each" for number in EACH],
    )  # fmt: skip
    rows = [_flat_price(price, plan) for price in plan.prices]
    rows += [_flat_staffing("judges", row, plan) for row in plan.staffing]
    rows += [_flat_staffing("segments", row, plan) for row in plan.segmenting]
    rows = [[*group.values(), *row] for row in rows]
    return Table([Column(name) for name in names], rows, signature=plan.signature, notes=plan.notes)


def _flat_price(price: Needed, plan: Plan) -> list[Any]:
    return [
        "needed", price.bounds, plan.judges, plan.segments, price.rankings, price.judgments, price.hours,
        *price.between, *price.likely, None, None, price.limit, price.limit_sure, *[None] * len(EACH),
    ]  # fmt: skip


def _flat_staffing(part: str, row: Staffing, plan: Plan) -> list[Any]:
    return [
        part, plan.bounds, row.judges, row.segments, row.rankings, row.judgments, row.hours, *[None] * 5, row.each,
        row.no_use_beyond, row.limit, row.limit_sure, *[cell.mean for cell in row.cells],
    ]  # fmt: skip


def _flat_curve(each: Grouped[Plan]) -> Table:
    plan, group = each.result, front(each)
    names = ("rankings", "judgments", "mean", "error", "low", "high", "reached")
    rows = [[*group.values(), *[getattr(point, name) for name in names]] for point in plan.curve]
    return Table([Column(name) for name in (*group, *names)], rows, signature=plan.signature, notes=plan.notes)


# -- how numbers are written ------------------------------------------------------------------------------------------


def _count(value: float) -> str:
    return f"{value:,}"


def _about(value: float | None) -> str:
    """To three digits; a dash for what no number reaches."""
    if value is None:
        return "–"
    if value == 0:
        return "0"
    rounded = float(f"{value:.{_DIGITS}g}")
    return f"{rounded:,.0f}" if rounded >= 100 else f"{rounded:g}"


def _about_both(values: Sequence[float | None]) -> str:
    low, high = values
    return (
        "–"
        if low is None and high is None
        else f"{_about(low)} to {_about(high)}"
        if high is not None
        else f"from {_about(low)}"
    )


def _value(kind: str, value: float, *, finer: bool = False) -> str:
    if kind in ("pairs", "best"):
        return f"{100 * value:.{int(finer)}f} %"
    return f"{value:.{2 if finer else 1}f}"
