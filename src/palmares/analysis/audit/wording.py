"""How an audit writes numbers and lists of names in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from .findings import Interval

_SHOWN = 3


def decimals(value: float, digits: int = 2) -> str:
    """``.21``, ``−.07``, ``1.30``."""
    text = f"{abs(value):.{digits}f}"
    sign = "−" if value < 0 and float(text) else ""
    return sign + (text.removeprefix("0") if digits else text)


def span(interval: Interval, digits: int = 2) -> str:
    """``.12 to .30``."""
    return f"{decimals(interval[0], digits)} to {decimals(interval[1], digits)}"


def percent(share: float) -> str:
    """``14 %``, ``3.1 %``, ``0.04 %``."""
    return f"{100 * share:.0f} %" if share >= 0.095 else f"{100 * share:.2g} %"


def some(names: Sequence[str], shown: int = _SHOWN) -> str:
    """The first few of a list of names, and how many more there are."""
    more = len(names) - shown
    return ", ".join(names[:shown]) + (f" and {more} more" if more > 0 else "")


def number(count: float, word: str) -> str:
    """``1 judge``, ``1,200 judges``."""
    return f"{count:,.0f} {word}{'' if count == 1 else 's'}"


def judge_named(name: str) -> str:
    """``judge-07`` as it is, ``15`` as ``judge 15``: a bare name may be taken for a number."""
    return name if name.lower().startswith("judge") else f"judge {name}"
