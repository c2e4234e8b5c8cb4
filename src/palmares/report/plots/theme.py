"""The look that all plots share.

Colours are those of Okabe & Ito (2008), which people with the common kinds of colour blindness can tell apart.
"""

from __future__ import annotations

from typing import Any

from ...errors import MissingExtraError

INK = "#24292f"
FAINT = "#d7dce1"
#: Neighbouring clusters alternate between the first two.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")

#: Lines of such dashes are told apart in print without colours.
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [12, 4], [8, 2, 2, 2, 2, 2])

#: An expression for the labels of an axis of shares: 50 %, as tables and texts write it.
PERCENT = "format(100 * datum.value, '~g') + ' %'"

_FONT = "DejaVu Sans, Verdana, sans-serif"

#: The size of the font of names beside an axis.
LABEL = 12

CONFIG: dict[str, Any] = {
    "font": _FONT,
    "background": "white",
    "view": {"stroke": None},
    "title": {"anchor": "start", "color": INK, "fontSize": 14, "subtitleColor": "#57606a", "offset": 12},
    "axis": {
        "domainColor": FAINT,
        "gridColor": "#eef1f4",
        "labelColor": INK,
        "labelFontSize": LABEL,
        "tickColor": FAINT,
        "titleColor": "#57606a",
        "titleFontSize": 12,
        "titleFontWeight": "normal",
    },
}


def altair() -> Any:
    """The altair module, or an error that says how to install it."""
    try:
        import altair
    except ImportError:
        raise MissingExtraError("drawing plots", "report", "altair") from None
    return altair


def titled(group: str | None, kind: str) -> str:
    """The title of a plot: ``fr-en, judge ann: calibration``, or ``Calibration``."""
    return f"{group}: {kind}" if group else kind[:1].upper() + kind[1:]


def line_looks(count: int) -> tuple[list[str], list[list[int]]]:
    """Colours and dashes of so many lines; the first of them differ in both, and no two are alike in both."""
    rounds = len(PALETTE)
    colours = [PALETTE[number % rounds] for number in range(count)]
    return colours, [DASHES[(number + number // rounds) % len(DASHES)] for number in range(count)]


def themed(chart: Any) -> Any:
    """Apply the theme to a finished chart."""
    return chart.configure(**CONFIG)
