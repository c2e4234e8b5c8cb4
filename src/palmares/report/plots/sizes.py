"""How large a picture is, and what has room in it."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Sequence
from textwrap import wrap
from typing import Any, NamedTuple

from ...errors import InputError
from ..shortening import shortened
from .files import check_writer

#: What a letter of the theme's font takes on average, as a share of the size of the font.
_LETTER = 0.62
#: The size of the font of a title, which is bold and so takes a little more, and of a subtitle.
_TITLE, _SUBTITLE = 16, 12
#: A line below a title takes no more pixels, however wide the picture is.
_WIDEST = 820
#: A line of text is never broken into less than this many letters.
_SHORTEST = 12
#: What names beside a plot may take: so many pixels, or this share of a width that was asked for.
_NAMES, _SHARE_OF_NAMES = 420, 0.45
#: Signs stay with their numbers: 95 %, p ≤ .05. A space that lines are not broken at.
_TOGETHER, _NO_BREAK = re.compile(r" (?=%)|(?<=≤) |(?<=±) "), "\xa0"
#: So many pixels may stay white.
_WHITE = 6
#: Corrections after which a picture has the size it can have.
_ROUNDS = 6


class Area(NamedTuple):
    """Of one panel, in pixels."""

    width: float
    height: float


class Panels(NamedTuple):
    """Panels of the same size: how large they are unless told, how small they may be, and how many there are."""

    usual: Area
    least: Area
    across: int = 1
    down: int = 1


#: Makes a chart with panels of this size, for a picture of this width (None: as wide as it gets).
Draw = Callable[[Area, int | None], Any]


def sized(draw: Draw, panels: Panels, width: int | None, height: int | None) -> Any:
    """A chart whose whole picture, titles and names of axes included, has this width and height.

    What stands around the panels keeps its size. So the chart is measured, and its panels are corrected by what is
    missing or too much; the last pixels are white.

    Parameters
    ----------
    width, height
        In pixels; None for what the usual panels give.
    """
    panel = panels.usual
    if width is None and height is None:
        return draw(panel, None)
    for _ in range(_ROUNDS):
        chart = draw(panel, width)
        picture = _measured(chart)
        left = Area(0 if width is None else width - picture.width, 0 if height is None else height - picture.height)
        if min(left) >= 0 and max(left) <= _WHITE:
            break
        panel = Area(panel.width + left.width // panels.across, panel.height + left.height // panels.down)
        if panel.width < panels.least.width or panel.height < panels.least.height:
            _refuse(draw, panels, width, height)
    pad = chart.padding
    right, bottom = (max(0.0, pixels) for pixels in left)
    return chart.properties(padding={**pad, "right": pad["right"] + right, "bottom": pad["bottom"] + bottom})


def _refuse(draw: Draw, panels: Panels, width: int | None, height: int | None) -> None:
    """Say what would be enough, unless what was asked for is."""
    needed, wide = _measured(draw(panels.least, width)), width
    for _ in range(_ROUNDS):  # in a wider picture names are longer, which takes some of what was won
        if wide is None or needed.width <= wide:
            break
        wide = math.ceil(needed.width)
        needed = _measured(draw(panels.least, wide))
    for name, given, least in (("width", width, wide), ("height", height, math.ceil(needed.height))):
        if given is not None and least is not None and given < least:
            raise InputError(f"{name}: got {given}; this plot needs at least {least} pixels")


def _measured(chart: Any) -> Area:
    """The size of the picture that a chart makes."""
    check_writer()
    buffer = io.StringIO()
    chart.save(buffer, format="svg")
    head = buffer.getvalue().split(">", 1)[0]
    width, height = (re.search(rf'\b{name}="([\d.]+)"', head) for name in Area._fields)
    assert width is not None  # every SVG that vl-convert writes has both
    assert height is not None
    return Area(float(width[1]), float(height[1]))


def room_for_names(width: int | None) -> float:
    """The pixels that names beside a plot may take, in a picture of this width."""
    return _NAMES if width is None else min(_NAMES, _SHARE_OF_NAMES * width)


def labels(names: Sequence[str], font: float, room: float) -> dict[str, str]:
    """Names that fit so many pixels, in the order given: long ones without their middle, no two alike."""
    shown = shortened(names, int(room / (_LETTER * font)))
    return {name: shown[name] for name in names}


def heading(alt: Any, name: str, lines: Sequence[str], width: int | None) -> Any:
    """A title and the lines below it, broken where a picture of this width has no room for them."""
    if width is None:
        return alt.Title(name, subtitle=[part for line in lines for part in broken(line, _SUBTITLE, _WIDEST)])
    return alt.Title(
        broken(name, _TITLE, width), subtitle=[part for line in lines for part in broken(line, _SUBTITLE, width)]
    )


def broken(text: str, font: float, room: float) -> list[str]:
    """Text in lines that take so many pixels."""
    kept = _TOGETHER.sub(_NO_BREAK, text)
    lines = wrap(kept, max(_SHORTEST, int(room / (_LETTER * font)))) or [""]
    return [line.replace(_NO_BREAK, " ") for line in lines]
