"""Forecasts in words: how many more judgments until two systems are told apart, or a target is met."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, isinf, log10

from ..design.forecast import Forecast, Need
from .tables import Column, Table

#: So many boundaries are told one by one.
_MOST = 8
#: Beyond the horizon with such a chance is said to be out of reach.
_HOPELESS = 0.9


def forecast_lines(forecast: Forecast, systems: Sequence[str]) -> list[str]:
    """A line of what is assumed, and one for the target and for each open boundary, the nearest first.

    Parameters
    ----------
    systems
        Names by code.
    """
    if not forecast.boundaries and forecast.target is None:
        return ["forecast: nothing is open; every boundary holds at every look"]
    who = "" if forecast.others is None else ", by these judges on these segments"
    lines = [
        f"forecast, until it holds at every look, if comparisons are chosen as so far{who} "
        f"({100 * forecast.level:g} % intervals; looked ahead: {_number(forecast.horizon)} more judgments):"
    ]
    if forecast.target is not None:
        lines.append(
            _line(forecast.target, forecast.others.target if forecast.others else None, forecast, _aim(forecast))
        )
    others = forecast.others.boundaries if forecast.others else (None,) * len(forecast.boundaries)
    both = sorted(zip(forecast.boundaries, others, strict=True), key=lambda pair: _nearness(*pair))
    lines += [_line(need, other, forecast, _purpose(need, systems)) for need, other in both[:_MOST]]
    if len(both) > _MOST:
        lines.append(f"and {len(both) - _MOST} more that are open, and need as many or more")
    return lines


def forecast_table(forecast: Forecast, systems: Sequence[str]) -> Table:
    """One row for the target, if there is one, and one for each open boundary, the nearest first."""
    others = forecast.others
    by = "" if others is None else ", by these judges on these segments"
    names = ["to show", f"more judgments{by}", *([] if others is None else ["by other judges on other segments"])]
    columns = [Column(name, align="left", if_long="wrap") for name in names]
    beyond = others.boundaries if others else (None,) * len(forecast.boundaries)
    both = sorted(zip(forecast.boundaries, beyond, strict=True), key=lambda pair: _nearness(*pair))
    rows = [(_purpose(need, systems).removeprefix("to "), need, other) for need, other in both]
    if forecast.target is not None:
        rows.insert(0, (_aim(forecast).removeprefix("until "), forecast.target, others.target if others else None))
    shown = [[what, *(_few(need, forecast) for need in needs if need is not None)] for what, *needs in rows]
    return Table(columns, shown, rules=frozenset({1}) if forecast.target is not None and both else frozenset())


def _few(need: Need, forecast: Forecast) -> str:
    """``180 (90–410)``, to stand below a heading."""
    if need.median == 0:
        return "none"
    hopeless = isinf(need.median) and need.never > _HOPELESS
    return "never" if hopeless else _amount(need, forecast).removeprefix("about ").replace(" more judgments", "")


def _nearness(need: Need, other: Need | None) -> tuple[float, float, float]:
    return need.median, need.never, float("inf") if other is None else other.median


def _aim(forecast: Forecast) -> str:
    return f"until {forecast.aim}" if forecast.aim else "until the target is met"


def _purpose(need: Need, systems: Sequence[str]) -> str:
    assert need.above is not None  # a boundary has two neighbours
    assert need.below is not None
    return f"to separate {systems[need.above]} from {systems[need.below]}"


def _line(need: Need, other: Need | None, forecast: Forecast, purpose: str) -> str:
    if not isinf(need.median) or other is None or isinf(other.median):
        return f"{_amount(need, forecast)} {purpose}"
    own = "not" if need.never > _HOPELESS else f"more than {_number(forecast.horizon)}"
    return f"{own} by these judges on these segments, {_amount(other, forecast)} by others, {purpose}"


def _amount(need: Need, forecast: Forecast) -> str:
    """``about 180 more judgments (90–410)``."""
    if need.median == 0:
        return "no more judgments"
    beyond = f"more than {_number(forecast.horizon)}"
    if isinf(need.low):
        return f"{beyond} more judgments"
    ends = f"{_number(need.low)} to {beyond}" if isinf(need.high) else f"{_number(need.low)}–{_number(need.high)}"
    if isinf(need.median):
        return f"{beyond} more judgments ({ends})"
    return f"about {_number(need.median)} more judgments ({ends})"


def _number(value: float) -> str:
    """To two digits, which is more than a forecast knows."""
    digits = 1 - floor(log10(max(value, 1)))
    return f"{max(round(value, digits), 1):,.0f}"
