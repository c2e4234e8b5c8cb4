"""A table for the terminal: as wide as it needs, or as wide as there is room.

Where room is scarce, columns stand closer and headings take several lines; then long names lose their middle and long
texts take several lines; and where all that is not enough, the columns are printed in parts, each with the names of
the rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from .shortening import cells, longest_word, shortened, wrapped
from .tables import DASHED, Column, Table, below, one_line

_GAP, _CLOSER = 3, 2
#: A column that can be narrower is never narrower than this, nor than a word of its heading.
_LEAST = 16
#: In a table printed in parts, what names the rows takes at most this share of the width.
_SHARE_OF_NAMES = 3


def drawn(table: Table, width: int | None = None) -> str:
    """The table, its notes, and its signature as the last line.

    Parameters
    ----------
    width
        The cells that a line may take. Numbers, links and signatures are never cut to fit: what cannot be narrower
        goes beyond. None for as many as it needs.
    """
    columns = [_Texts.of(table, number) for number in range(len(table.columns))]
    parts = ["\n".join(_lines(part, table)) for part in _parts(columns, table.keys, width)]
    title = [] if table.title is None else _fitting([one_line(table.title)], width, indent="")
    return "\n".join([*title, "\n\n".join(parts), *_fitting(below(table), width)]) + "\n"


def _fitting(lines: Iterable[str], width: int | None, indent: str = "  ") -> list[str]:
    """Lines of prose, wrapped if need be; items of a list are indented below their sign."""
    if width is None:
        return list(lines)
    return [part for line in lines for part in wrapped(line, width, indent="    " if line.startswith("- ") else indent)]


# -- columns -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Texts:
    """A column as text."""

    column: Column
    body: tuple[str, ...]

    @classmethod
    def of(cls, table: Table, number: int) -> _Texts:
        column = table.columns[number]
        return cls(column, tuple(one_line(column.show(row[number])) for row in table.rows))

    @cached_property
    def head(self) -> str:
        return one_line(self.column.name)

    @cached_property
    def of_body(self) -> int:
        """The width of the widest cell below the heading."""
        return max(map(cells, self.body), default=0)

    @property
    def natural(self) -> int:
        """The width with nothing shortened or wrapped."""
        return max(cells(self.head), self.of_body)

    @property
    def wanted(self) -> int:
        """The width with only the heading wrapped."""
        return max(longest_word(self.head), self.of_body)

    @property
    def least(self) -> int:
        """The smallest width it may get."""
        narrowest = self.of_body if self.column.when_long == "whole" else min(self.of_body, _LEAST)
        return max(longest_word(self.head), narrowest)

    def cell_lines(self, width: int) -> list[list[str]]:
        """The lines of every cell in a column of this width."""
        if self.of_body <= width or self.column.when_long == "whole":
            return [[text] for text in self.body]
        if self.column.when_long == "shorten":
            short = shortened(self.body, width)
            return [[short[text]] for text in self.body]
        short = shortened((word for text in self.body for word in text.split(" ")), width)
        return [wrapped(" ".join(short[word] for word in text.split(" ")), width) for text in self.body]


@dataclass(frozen=True)
class _Part:
    """Columns that are printed side by side."""

    columns: Sequence[_Texts]
    widths: Sequence[int]
    gap: int


def _parts(columns: Sequence[_Texts], keys: Sequence[int], width: int | None) -> list[_Part]:
    natural = [column.natural for column in columns]
    if width is None or _total(natural, _GAP) <= width:
        return [_Part(columns, natural, _GAP)]
    if _total([column.least for column in columns], _CLOSER) <= width:
        return [_Part(columns, _shared(columns, width), _CLOSER)]
    named = [columns[k] for k in keys]
    others = [column for k, column in enumerate(columns) if k not in keys]
    if not others:
        return [_Part(columns, _shared(columns, width), _CLOSER)]
    fixed = _names(named, width)
    room = width - sum(fixed) - _CLOSER * len(named)
    parts = []
    for chosen in _filled(others, room):
        widths = [*fixed, *_shared(chosen, room)]
        parts.append(_Part([*named, *chosen], widths, _CLOSER))
    return parts


def _total(widths: Sequence[int], gap: int) -> int:
    return sum(widths) + gap * (len(widths) - 1)


def _names(keys: Sequence[_Texts], width: int) -> list[int]:
    """The widths of the columns that every part repeats: a share of the line for those that can be narrower."""
    elastic = [column for column in keys if column.least < column.wanted]
    share = width // (_SHARE_OF_NAMES * max(len(elastic), 1))
    return [min(column.wanted, max(column.least, share)) for column in keys]


def _filled(columns: Sequence[_Texts], room: int) -> list[list[_Texts]]:
    """As many columns in each part as have room at their least width, and at least one."""
    parts: list[list[_Texts]] = [[]]
    for column in columns:
        taken = [each.least for each in (*parts[-1], column)]
        if parts[-1] and _total(taken, _CLOSER) > room:
            parts.append([])
        parts[-1].append(column)
    return parts


def _shared(columns: Sequence[_Texts], width: int) -> list[int]:
    """Widths of columns side by side: what is left beyond their least goes to those that lack most, then to headings.

    Columns are filled up evenly: none is cut while another that is wider still has more than it.
    """
    widths = [column.least for column in columns]
    left = width - _total(widths, _CLOSER)
    while left > 0:
        short = [i for i, column in enumerate(columns) if widths[i] < column.wanted]
        if not short:
            break
        widths[min(short, key=widths.__getitem__)] += 1
        left -= 1
    for i, column in enumerate(columns):
        if 0 < (lacking := column.natural - widths[i]) <= left:
            widths[i] += lacking
            left -= lacking
    return widths


# -- lines -------------------------------------------------------------------------------------------


def _lines(part: _Part, table: Table) -> list[str]:
    heads = [wrapped(column.head, width) for column, width in zip(part.columns, part.widths, strict=True)]
    tallest = max(map(len, heads))
    # Headings stand on the line below them.
    lines = _row_lines([[""] * (tallest - len(head)) + head for head in heads], part)
    width = _total(part.widths, part.gap)
    line = "─" * width
    lines.append(line)
    bodies = [column.cell_lines(width) for column, width in zip(part.columns, part.widths, strict=True)]
    for number, row in enumerate(zip(*bodies, strict=True)):
        lines += [line] if number in table.rules else []
        lines += [DASHED * width] if number in table.dashed else []
        lines += _row_lines(row, part)
    return lines


def _row_lines(row: Sequence[Sequence[str]], part: _Part) -> list[str]:
    """The lines of one row, whose cells may have several each."""
    lines = []
    for number in range(max(map(len, row))):
        texts = [cell[number] if number < len(cell) else "" for cell in row]
        padded = [
            " " * (width - cells(text)) + text if each.column.align == "right" else text + " " * (width - cells(text))
            for text, width, each in zip(texts, part.widths, part.columns, strict=True)
        ]
        lines.append((" " * part.gap).join(padded).rstrip())
    return lines
