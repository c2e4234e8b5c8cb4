"""Texts of a picture and where they stand, read from its SVG."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from palmares import plots

#: What a letter takes at least, as a share of the size of its font, and what of that size is above the line.
_NARROW, _ABOVE = 0.5, 0.75
_MOVED = re.compile(r"translate\(\s*(-?[\d.e-]+)[ ,]+(-?[\d.e-]+)\s*\)")
_TURNED = re.compile(r"rotate\(\s*(-?\d+)")


@dataclass(frozen=True)
class Text:
    """Words, and the box that they take at least."""

    words: str
    left: float
    top: float
    right: float
    bottom: float

    def touches(self, other: Text) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )  # fmt: skip


def texts(chart: Any, folder: Path) -> list[Text]:
    """All that is written in a picture."""
    target = folder / "picture.svg"
    plots.save(chart, target)
    found: list[Text] = []
    _collect(ElementTree.parse(target).getroot(), 0.0, 0.0, found)
    return found


def words(chart: Any, folder: Path) -> list[str]:
    return [text.words for text in texts(chart, folder)]


def touching(found: list[Text]) -> list[tuple[str, str]]:
    """The words of texts that lie over each other."""
    return [(a.words, b.words) for a, b in combinations(found, 2) if a.touches(b)]


def _collect(node: ElementTree.Element, x: float, y: float, found: list[Text]) -> None:
    moved = _MOVED.search(node.get("transform", ""))
    if moved:
        x, y = x + float(moved[1]), y + float(moved[2])
    if node.tag.endswith("}text"):
        shown = float(node.get("opacity", "1")) > 0
        if shown and "".join(node.itertext()).strip():
            found += _boxes(node, x, y)
        return
    for child in node:
        _collect(child, x, y, found)


def _boxes(node: ElementTree.Element, x: float, y: float) -> list[Text]:
    size = float(node.get("font-size", "11px").removesuffix("px"))
    lines = [(span.text or "", float(span.get("dy", 0) if k else 0)) for k, span in enumerate(node)]
    boxes = []
    for words, down in lines or [(node.text or "", 0.0)]:
        y += down
        wide = _NARROW * size * len(words)
        start = {"middle": -wide / 2, "end": -wide}.get(node.get("text-anchor", "start"), 0.0)
        turned = _TURNED.search(node.get("transform", ""))
        if turned and int(turned[1]) % 180:
            box = (x - _ABOVE * size, y - start - wide, x, y - start)
        else:
            box = (x + start, y - _ABOVE * size, x + start + wide, y)
        boxes.append(Text(words, *box))
    return boxes
