"""One table, many forms."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

FORMATS = ("table", "json", "csv", "markdown", "latex")


def _plain(value: Any) -> str:
    return "" if value is None else str(value)


@dataclass(frozen=True)
class Column:
    """A heading, and how its values are shown to people (machines get them as they are)."""

    name: str
    show: Callable[[Any], str] = _plain
    align: Literal["left", "right"] = "right"


@dataclass(frozen=True)
class Table:
    """Rows of raw values; ``rules`` are the rows above which a line is drawn."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]]
    title: str | None = None
    rules: frozenset[int] = frozenset()
    signature: str | None = None
    notes: Sequence[str] = field(default=())

    def shown(self) -> list[list[str]]:
        """The cells as text."""
        return [[c.show(v) for c, v in zip(self.columns, row, strict=True)] for row in self.rows]


def to_terminal(table: Table) -> str:
    """A table for the terminal, as wide as it needs; the signature is its last line."""
    from rich.box import Box
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table as RichTable

    # Eight lines: of these, only the one below the head and the one between sections are drawn.
    box = Box("    \n    \n ── \n    \n ── \n    \n    \n    \n")
    drawn = RichTable(box=box, pad_edge=False, show_edge=False)
    for column in table.columns:
        drawn.add_column(escape(column.name), justify=column.align, no_wrap=True)
    for number, cells in enumerate(table.shown()):
        if number in table.rules:
            drawn.add_section()
        drawn.add_row(*map(escape, cells))
    buffer = io.StringIO()
    Console(file=buffer, width=10_000, highlight=False, color_system=None).print(drawn)
    lines = [line.rstrip() for line in buffer.getvalue().splitlines()]
    return "\n".join([*([table.title] if table.title else []), *lines, *_below(table)]) + "\n"


def to_markdown(table: Table) -> str:
    """A pipe table; clusters are told by their numbers, since Markdown has no rules between rows."""
    body = [[_escape_markdown(cell) for cell in row] for row in table.shown()]
    widths = [max(len(c.name), 3, *(len(row[i]) for row in body)) for i, c in enumerate(table.columns)]
    right = [c.align == "right" for c in table.columns]

    def line(cells: Sequence[str]) -> str:
        padded = [c.rjust(w) if r else c.ljust(w) for c, w, r in zip(cells, widths, right, strict=True)]
        return "| " + " | ".join(padded) + " |"

    rule = "| " + " | ".join("-" * (w - 1) + (":" if r else "-") for w, r in zip(widths, right, strict=True)) + " |"
    head = [f"**{table.title}**", ""] if table.title else []
    below = [""] + _below(table) if _below(table) else []
    return "\n".join([*head, line([c.name for c in table.columns]), rule, *map(line, body), *below]) + "\n"


def to_latex(table: Table) -> str:
    """A ``tabular`` for the ``booktabs`` package, with the signature as a comment."""
    spec = "".join("r" if c.align == "right" else "l" for c in table.columns)
    lines = [f"% {table.title}"] if table.title else []
    lines += [rf"\begin{{tabular}}{{{spec}}}", r"\toprule"]
    lines += [" & ".join(escape_latex(c.name) for c in table.columns) + r" \\", r"\midrule"]
    for number, row in enumerate(table.shown()):
        if number in table.rules:
            lines.append(r"\midrule")
        lines.append(" & ".join(escape_latex(cell) for cell in row) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}", *[f"% {line}" for line in _below(table)]]
    return "\n".join(lines) + "\n"


def to_csv(table: Table, *, header: bool = True) -> str:
    """Raw values, comma separated."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    if header:
        writer.writerow([c.name for c in table.columns])
    writer.writerows(table.rows)
    return buffer.getvalue()


RENDERERS: dict[str, Callable[[Table], str]] = {
    "table": to_terminal,
    "markdown": to_markdown,
    "latex": to_latex,
    "csv": to_csv,
}

_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "⋆": r"$^\star$", "†": r"$^\dagger$", "‡": r"$^\ddagger$",
    "–": "--", "−": "$-$",
}  # fmt: skip


def escape_latex(text: str) -> str:
    """Text that LaTeX prints as it is."""
    return "".join(_LATEX.get(ch, ch) for ch in text)


def _escape_markdown(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("*", "\\*").replace("\n", " ")


def _below(table: Table) -> list[str]:
    return [*table.notes, *([table.signature] if table.signature else [])]
