"""A report as one HTML file: no scripts, nothing from the network, all it was made with inside."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np

from ..._version import __version__
from ...errors import MissingExtraError
from ...ranking.head_to_head import HeadToHead
from ...ranking.result import Ranking
from ..ranking_words import percent
from ..tables import interval_text, level_text, range_text, score_text
from .content import Document
from .embedded import Embedded

_TEMPLATES = files(__package__) / "templates"
#: So far from a half, a share has the strongest colour, in percent; ink on it is easy to read on light and dark pages.
_FAR, _STRONGEST = 0.35, 55


def to_html(document: Document, embedded: Embedded) -> str:
    """The page; the same report gives the same bytes."""
    from markupsafe import Markup

    return _rendered(
        "report.html",
        document=document,
        boards={chapter.key: Board.of(chapter.findings.ranking) for chapter in document.chapters},
        grids={chapter.key: Grid.of(chapter.findings.head_to_head) for chapter in document.chapters},
        signatures=_signatures(document),
        embedded=Markup(embedded.html()),  # which escapes what could end it
        made_by=embedded.made_by,
    )


def to_gallery(document: Document, chapters: Sequence[Any]) -> str:
    """The page of a folder with pieces: every plot, and links to every table; ``chapters`` list the pieces."""
    return _rendered("gallery.html", document=document, chapters=chapters)


def _rendered(name: str, **content: Any) -> str:
    """A template of this package, filled in; whatever stands in names is text."""
    try:
        from jinja2 import DictLoader, Environment, StrictUndefined
    except ImportError:
        raise MissingExtraError("writing reports", "report", "jinja2") from None
    from markupsafe import Markup

    sources = {name: (_TEMPLATES / name).read_text(encoding="utf-8")}
    environment = Environment(loader=DictLoader(sources), autoescape=True, undefined=StrictUndefined)
    environment.filters["whole"] = _whole
    environment.filters["apart"] = _apart
    style = (_TEMPLATES / "report.css").read_text(encoding="utf-8")
    # The style is a file of this package.
    return environment.get_template(name).render(style=Markup(style), version=__version__, **content)


def _whole(text: str) -> str:
    """With no line break between a number and its per cent."""
    return text.replace(" %", "\u00a0%")


#: Words of scripts that are written from right to left, as names have them.
_RIGHT_TO_LEFT = re.compile(r"[^\s,;:()]*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff][^\s,;:()]*")
_WORDS = re.compile(rf"{_RIGHT_TO_LEFT.pattern}(?: {_RIGHT_TO_LEFT.pattern})*")


def _apart(text: str) -> Any:
    """Words from right to left set off, so that numbers and brackets beside them stay where they belong."""
    from markupsafe import Markup, escape

    if not _RIGHT_TO_LEFT.search(text):
        return text
    pieces, end = [], 0
    for word in _WORDS.finditer(text):
        pieces += [escape(text[end : word.start()]), Markup("<bdi>"), escape(word[0]), Markup("</bdi>")]
        end = word.end()
    return Markup("").join([*pieces, escape(text[end:])])


def _signatures(document: Document) -> list[tuple[str, str]]:
    """How every part was made, with what it is a part of; in one place, since they are long."""
    parts = [
        (f"{chapter.title}, {section.title.lower()}", table.signature)
        for chapter in document.chapters
        for section in chapter.sections
        for table in (*section.shown, *section.folded)
    ]
    parts += [(score.title, score.table.signature) for score in document.scores]
    return [(title, signature) for title, signature in parts if signature]


@dataclass(frozen=True)
class Line:
    """One system of a leaderboard, as text and as places of its bar."""

    system: str
    cluster: str
    rank: int
    ranks: str
    span: tuple[int, int]
    joint: tuple[int, int]
    place: int
    score: str
    interval: str
    best: str
    rule: str
    odd: bool


@dataclass(frozen=True)
class Board:
    """A ranking as a leaderboard."""

    lines: tuple[Line, ...]
    ranged: bool
    sampled: bool
    likely: bool
    level: str
    range_name: str

    @classmethod
    def of(cls, ranking: Ranking) -> Board:
        solid = {b.above for b in ranking.boundaries if b.joint}
        begun = {b.above for b in ranking.boundaries if b.marginal}
        return cls(
            lines=tuple(
                Line(
                    system=line.system,
                    cluster=str(ranking.cluster_of(line) or ""),
                    rank=line.rank,
                    ranks=range_text(ranking.range_of(line)),
                    span=ranking.range_of(line) or (place, place),
                    joint=line.joint_range or ranking.range_of(line) or (place, place),
                    place=place,
                    score=score_text(line.score),
                    interval=interval_text(line.interval),
                    best=percent(line.best),
                    rule="solid"
                    if place - 1 in solid
                    else "dashed"
                    if place - 1 in begun and not ranking.jointly
                    else "",
                    odd=(ranking.cluster_of(line) or 1) % 2 == 1,
                )
                for place, line in enumerate(ranking.lines, 1)
            ),
            ranged=ranking.ranged,
            sampled=ranking.replicates is not None,
            likely=any(line.best is not None for line in ranking.lines),
            level=level_text(ranking.record.facts["p"]) if ranking.record.facts.get("p") else "",
            range_name="Joint ranks" if ranking.jointly else "Ranks",
        )


@dataclass(frozen=True)
class Cell:
    """How often the column's system was judged better than the row's; the tone is of the row's."""

    text: str
    mark: str = ""
    tone: str = ""
    strength: int = 0
    own: bool = False


@dataclass(frozen=True)
class Row:
    """The cells of one system."""

    system: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Grid:
    """Every two systems compared, with a colour for who wins and how clearly."""

    names: tuple[str, ...]
    rows: tuple[Row, ...]
    sums: tuple[tuple[str, list[str]], ...]

    @classmethod
    def of(cls, compared: HeadToHead) -> Grid:
        n = len(compared.systems)
        ranked = [range_text(line.range) or str(line.rank) for line in compared.ranking.lines]
        joint = [range_text(line.joint_range) for line in compared.ranking.lines]
        return cls(
            names=compared.systems,
            rows=tuple(Row(compared.systems[r], tuple(_cell(compared, r, c) for c in range(n))) for r in range(n)),
            sums=(
                ("score", [_two_decimals(float(wins)) for wins in compared.expected_wins]),
                ("rank", ranked),
                *([("joint", joint)] if any(joint) else []),
            ),
        )


def _cell(compared: HeadToHead, row: int, column: int) -> Cell:
    """The tables of papers have the column's wins; so does this one."""
    share: Any = compared.share[row, column]
    if row == column or np.isnan(share):
        return Cell("–", own=row == column)
    strength = round(_STRONGEST * min(1.0, abs(float(share) - 0.5) / _FAR))
    tone = ("l" if share > 0.5 else "w") if strength else ""
    return Cell(_two_decimals(float(share)), compared.mark(row, column), tone, strength)


def _two_decimals(value: float) -> str:
    return f"{value:.2f}".removeprefix("0")
