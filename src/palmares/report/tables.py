"""From results to tables, and from one table to its many forms."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import methodcaller
from typing import Any, Generic, Literal, TypeVar

from ..campaign.spreadsheets import safe_cell
from ..errors import InputError
from . import OUTPUTS, VIEWS

#: What a dashed line is made of.
DASHED = "╌"


def _plain(value: Any) -> str:
    return "" if value is None else str(value)


@dataclass(frozen=True)
class Column:
    """A heading, and how its values are shown to people (machines get them as they are).

    ``if_long`` says what becomes of a value that a terminal has no room for: a name loses its middle (``shorten``, for
    columns aligned to the left unless told otherwise), prose takes several lines (``wrap``), and numbers or links stay
    ``whole``.
    """

    name: str
    show: Callable[[Any], str] = _plain
    align: Literal["left", "right"] = "right"
    if_long: Literal["shorten", "wrap", "whole"] | None = None

    @property
    def when_long(self) -> Literal["shorten", "wrap", "whole"]:
        """``if_long``, or what is usual for the column."""
        return self.if_long or ("shorten" if self.align == "left" else "whole")


@dataclass(frozen=True)
class Table:
    """Rows of raw values; ``rules`` are the rows above which a line is drawn, ``dashed`` those with a weaker one.

    ``keys`` are the numbers of the columns that say what a row is about: a table that is printed in parts, because it
    is wider than the terminal, begins each part with them.
    """

    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]]
    title: str | None = None
    rules: frozenset[int] = frozenset()
    signature: str | None = None
    notes: Sequence[str] = field(default=())
    keys: tuple[int, ...] = (0,)
    dashed: frozenset[int] = frozenset()

    def shown(self) -> list[list[str]]:
        """The cells as text."""
        return [[c.show(v) for c, v in zip(self.columns, row, strict=True)] for row in self.rows]


# -- from results to text --------------------------------------------------------------------------

T = TypeVar("T")
#: The value of every field that judgments were split by, such as ``(("lang_pair", "fr-en"),)``.
Group = tuple[tuple[str, str | None], ...]


def group_title(group: Group) -> str | None:
    """``fr-en, judge turker_1``, or ``fr-en, no judge`` for those without; None for judgments that were not split."""
    named = [(name, value) for name, value in group if value is not None or name != "lang_pair"]
    parts = [f"no {name}" if value is None else value if name == "lang_pair" else f"{name} {value}"
             for name, value in named]  # fmt: skip
    return ", ".join(parts) or None


def group_of(result: Any) -> Group:
    """The group that a result is about, as far as it knows: by its record, or its language pair alone."""
    record = getattr(result, "record", None)
    if record is not None and record.input is not None and record.input.get("group"):
        return tuple(record.input["group"].items())
    return (("lang_pair", getattr(result, "lang_pair", None)),)


@dataclass(frozen=True)
class Grouped(Generic[T]):
    """A result, and the group of judgments that it is about."""

    result: T
    group: Group = ()

    @property
    def title(self) -> str | None:
        """The group in words."""
        return group_title(self.group)


def front(each: Grouped[Any]) -> dict[str, str | None]:
    """What stands before every row of a CSV file: the language pair, and what else judgments were split by."""
    return {"lang_pair": each.result.lang_pair, **dict(each.group)}


#: Lays out all results of a command; the second argument is the part of them that was asked for, None the usual one.
Layout = Callable[[Sequence[Grouped[Any]], str | None], list[Table]]


@dataclass(frozen=True)
class View:
    """How the results of one command are shown: to people, as CSV (flat rows under one header), and as JSON.

    Without ``flat``, CSV has the raw values of the tables for people. ``single``: there is one result, not a list.
    ``grouped``: JSON says which group each result is about. ``parts``: what can be asked for instead of the usual.
    ``more``: what JSON has only if a part is asked for, by the part.
    """

    tables: Layout
    flat: Layout | None = None
    to_dict: Callable[[Any], dict[str, Any]] = methodcaller("to_dict")
    single: bool = False
    grouped: bool = False
    parts: tuple[str, ...] = ()
    more: Mapping[str, Callable[[Any], dict[str, Any]]] = field(default_factory=dict)

    def json(self, results: Sequence[Grouped[Any]], part: str | None = None) -> Any:
        """The documented JSON shape."""
        more = self.more.get(part or "", lambda result: {})
        entries = [{**self.to_dict(r.result), **more(r.result)} for r in results]
        if self.single:
            return entries[0]
        return [
            {**entry, **({"group": dict(r.group)} if self.grouped else {})}
            for entry, r in zip(entries, results, strict=True)
        ]


@dataclass(frozen=True)
class Rendered:
    """Text, and remarks that belong beside it because its format has no place for them (CSV: notes and signatures)."""

    text: str
    remarks: tuple[str, ...] = ()


def rendered(
    command: str,
    results: Sequence[Grouped[Any]],
    output: str,
    part: str | None = None,
    *,
    width: int | None = None,
    made_by: Mapping[str, Any] | None = None,
    formulas: str = "keep",
) -> Rendered:
    """The results of a command (a key of `palmares.report.VIEWS`) in one of `OUTPUTS`.

    Parameters
    ----------
    part
        The part of the results that was asked for, None for the usual one.
    width
        What a line of a ``table`` may take, in cells of a terminal; None for as much as it needs.
    made_by
        What the records in JSON say of the command and its options, so that it can be run again.
    formulas
        What CSV does with texts that a spreadsheet would run (`palmares.campaign.spreadsheets.safe_cell`).
    """
    view = viewed(command, part)
    if output not in OUTPUTS:
        raise InputError(f"{command}: got format {output!r}; allowed: {', '.join(OUTPUTS)}")
    if output == "json":
        content = view.json(results, part)
        for entry in [content] if view.single else content:
            if made_by is not None and "record" in entry:
                entry["record"] = {**entry["record"], "command": dict(made_by)}
        return Rendered(json_text(content))
    return joined(laid_out(view, results, output, part), output, width=width, formulas=formulas)


def viewed(command: str, part: str | None) -> View:
    """The view of a command, which has the part that is asked for."""
    view: View = VIEWS.load(command)
    if part is not None and part not in view.parts:
        raise InputError(f"{command}: got part {part!r}; allowed: {', '.join(view.parts) or 'none'}")
    return view


def laid_out(view: View, results: Sequence[Grouped[Any]], output: str, part: str | None) -> list[Table]:
    """The tables of results: flat for CSV."""
    layout = view.flat if output == "csv" and view.flat is not None else view.tables
    return layout(results, part)


def joined(tables: Sequence[Table], output: str, *, width: int | None = None, formulas: str = "keep") -> Rendered:
    """Tables below each other; for CSV one header."""
    if output == "table":
        return Rendered("\n".join(to_terminal(table, width) for table in tables))
    if output != "csv":
        return Rendered("\n".join(RENDERERS[output](table) for table in tables))
    text = "".join(to_csv(table, header=number == 0, formulas=formulas) for number, table in enumerate(tables))
    return Rendered(text, tuple(line for table in tables for line in (*table.notes, table.signature) if line))


def json_text(value: Any) -> str:
    """JSON as every command prints it."""
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


# -- the forms of a table --------------------------------------------------------------------------


def to_terminal(table: Table, width: int | None = None) -> str:
    """A table for the terminal, as wide as it needs or as there is room; the signature is its last line."""
    from .terminal import drawn

    return drawn(table, width)


def to_markdown(table: Table) -> str:
    """A pipe table; clusters are told by their numbers, since Markdown has no rules between rows.

    Where a dashed line would be, a sign for it stands in the first cell of the row below.
    """
    body = [[escape_markdown(cell) for cell in row] for row in table.shown()]
    for number in table.dashed:
        body[number][0] = f"{DASHED} {body[number][0]}"
    widths = [max(len(c.name), 3, *(len(row[i]) for row in body)) for i, c in enumerate(table.columns)]
    right = [c.align == "right" for c in table.columns]

    def line(cells: Sequence[str]) -> str:
        padded = [c.rjust(w) if r else c.ljust(w) for c, w, r in zip(cells, widths, right, strict=True)]
        return "| " + " | ".join(padded) + " |"

    rule = "| " + " | ".join("-" * (w - 1) + (":" if r else "-") for w, r in zip(widths, right, strict=True)) + " |"
    head = [f"**{escape_markdown(table.title)}**", ""] if table.title else []
    notes = [escape_markdown(note) for note in table.notes]
    last = ["", *notes, *([one_line(table.signature)] if table.signature else [])] if below(table) else []
    return "\n".join([*head, line([c.name for c in table.columns]), rule, *map(line, body), *last]) + "\n"


def to_latex(table: Table) -> str:
    """A ``tabular`` for the ``booktabs`` package, with the signature as a comment; space stands for dashed lines."""
    spec = "".join("r" if c.align == "right" else "l" for c in table.columns)
    lines = [f"% {one_line(table.title)}"] if table.title else []
    lines += [rf"\begin{{tabular}}{{{spec}}}", r"\toprule"]
    lines += [" & ".join(escape_latex(c.name) for c in table.columns) + r" \\", r"\midrule"]
    for number, row in enumerate(table.shown()):
        if number in table.rules:
            lines.append(r"\midrule")
        if number in table.dashed:
            lines.append(r"\addlinespace")
        lines.append(" & ".join(escape_latex(cell) for cell in row) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}", *[f"% {line}" for line in below(table)]]
    return "\n".join(lines) + "\n"


def to_csv(table: Table, *, header: bool = True, formulas: str = "keep") -> str:
    """Raw values, comma separated; ``formulas`` says what becomes of texts that a spreadsheet would run."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    if header:
        writer.writerow([c.name for c in table.columns])
    writer.writerows([safe_cell(v, formulas) if isinstance(v, str) else v for v in row] for row in table.rows)
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
    "–": "--", "−": "$-$", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
    # What the headings and cells of tables here use, in math mode, since not every font and engine knows it.
    "±": r"$\pm$", "×": r"$\times$", "→": r"$\rightarrow$", "≤": r"$\leq$", "≥": r"$\geq$", "Δ": r"$\Delta$",
    "•": r"$\bullet$", "◦": r"$\circ$", "≈": r"$\approx$",
    "α": r"$\alpha$", "β": r"$\beta$", "κ": r"$\kappa$", "ρ": r"$\rho$", "σ": r"$\sigma$", "τ": r"$\tau$",
    # In braces, because the end of a row takes a following star or bracket for its own.
    "[": "{[}", "]": "{]}", "*": "{*}",
}  # fmt: skip

_BREAK = re.compile(r"\r\n|[\n\r\t\v\f\x85\u2028\u2029]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
#: What Markdown takes for more than itself inside a line.
_MARKDOWN = re.compile(r"[\\`*_\[\]<>|~&]")


def escape_latex(text: str) -> str:
    """Text that LaTeX prints as it is."""
    return "".join(_LATEX.get(ch, ch) for ch in one_line(text))


def one_line(text: str) -> str:
    """Text without line breaks, and with other control characters shown by their code: no name moves the cursor."""
    return _CONTROL.sub(lambda m: f"\\x{ord(m[0]):02x}", _BREAK.sub(" ", text))


def escape_markdown(text: str) -> str:
    return _MARKDOWN.sub(r"\\\g<0>", one_line(text))


def below(table: Table) -> list[str]:
    """The lines that stand below a table."""
    return [*map(one_line, table.notes), *([one_line(table.signature)] if table.signature else [])]


# -- how numbers are written -----------------------------------------------------------------------


#: Scores are compared and kept to so many decimals.
_MOST_DIGITS = 12


def score_text(value: float | None) -> str:
    """Three decimals, one where a score is in the hundreds (Elo), and a real minus sign."""
    if value is None:
        return ""
    digits = 1 if abs(value) >= 100 else 3
    # + 0.0 so that what rounds to zero has no sign.
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")


def range_text(span: tuple[int, int] | None) -> str:
    """``3–5``, or ``3`` where both ends are the same."""
    if span is None:
        return ""
    return str(span[0]) if span[0] == span[1] else f"{span[0]}–{span[1]}"


def interval_text(span: tuple[float, float] | None) -> str:
    """``[−0.1, 0.25]`` with three decimals, or as many as tell the ends apart.

    In brackets, because a dash would read as a minus.
    """
    if span is None:
        return ""
    ends, digits = [score_text(end) for end in span], 1
    while ends[0] == ends[1] and span[0] != span[1] and (digits := digits + 1) <= _MOST_DIGITS:
        ends = [f"{end:.{digits}f}".replace("-", "−") for end in span]
    return f"[{ends[0]}, {ends[1]}]"


def level_text(p: float) -> str:
    """``95 %`` for p = .05."""
    return f"{100 * (1 - p):g} %"


def chance_text(p: float | None) -> str:
    """``.031``, ``< .001``."""
    if p is None:
        return "–"
    return "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


def or_dash(value: str | None) -> str:
    """A text, or a dash where there is none."""
    return value or "–"


def share_text(value: float | None) -> str:
    """A share of samples or draws, ``.057``; 0 and 1 only where none of them, or every one, says so."""
    if value is None:
        return "–"
    if value in (0, 1):
        return str(int(value))
    return f"{min(max(value, 0.001), 0.999):.3f}".removeprefix("0")
