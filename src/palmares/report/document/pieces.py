"""The pieces of a report for papers and slides: tables as LaTeX, Markdown and CSV, plots as SVG and PNG."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...analysis.findings import Findings
from ...campaign.spreadsheets import safe_cell
from ...errors import InputError
from .. import agreement, audit, compare, describe, diff, head_to_head, judges, ranking
from ..findings import tables_of
from ..plots import PLOTS, save
from ..tables import Column, Grouped, Table, escape_markdown, joined, to_markdown
from . import latex
from .content import Document, file_keys
from .page import to_gallery
from .scores import ScoreTable
from .tex import fonts, scripts, tex

#: What every table of a language pair is, by its name in `tables_of`, in the order in which a paper needs them.
_TABLES = {
    "ranking": "The ranking",
    "head-to-head": "Every two systems compared",
    "agreement": "How far judges agree",
    "agreement-by-judge": "Every judge against the others",
    "judges": "Every judge",
    "audit-checks": "Checks of the judgments",
    "audit-claims": "Which claims the judgments support",
    "comparison": "Models on held-out judgments",
    "changes": "What changed since the earlier ranking",
    "amounts": "How much was judged",
}
#: What lays out the raw values of a table, one header for all language pairs.
_FLAT: dict[str, Callable[[Any], list[Table]]] = {
    "ranking": ranking.flat,
    "head-to-head": head_to_head.flat,
    "agreement": agreement.flat,
    "agreement-by-judge": lambda results: agreement.flat(results, "judges"),
    "judges": judges.flat,
    "audit-checks": lambda results: audit.flat(results, "findings"),
    "audit-claims": lambda results: audit.flat(results, "claims"),
    "comparison": compare.flat,
    "changes": diff.flat,
    "amounts": describe.flat,
}
#: What a table is a part of; the others are called as their part is.
_PARTS = {
    "audit-checks": "audit", "audit-claims": "audit", "agreement-by-judge": "agreement", "amounts": "overview",
    "head-to-head": "head_to_head",
}  # fmt: skip
#: Plots of a language pair: what their files are called, the kind, what it draws, what they show.
_PLOTS = (
    ("rank-ranges", "ranges", "ranking", "Rank ranges and clusters, drawn"),
    ("score-intervals", "scores", "ranking", "Scores and their intervals, drawn"),
    ("head-to-head", "head-to-head", "head_to_head", "Every two systems compared, drawn"),
    ("calibration", "calibration", "comparison", "Predicted against observed shares, drawn"),
)
#: Plots stand behind these tables.
_BEHIND = {"ranking": ("rank-ranges", "score-intervals"), "head-to-head": ("head-to-head",),
           "comparison": ("calibration",)}  # fmt: skip
_DRAWN = (".svg", ".png")


@dataclass(frozen=True)
class Piece:
    """One table or plot: what its files are called but for their endings, and what it is, in a line."""

    stem: str
    said: str
    endings: tuple[str, ...]


@dataclass(frozen=True)
class Chapter:
    """The pieces about one language pair, or about all, and what could not be made."""

    title: str
    pieces: Sequence[Piece]
    missing: Sequence[str] = ()


def pieces(
    document: Document, findings: Sequence[Grouped[Findings]], folder: Path, tell: Callable[[str], None]
) -> None:
    """Write every table of all language pairs and of each, and its plots, to files that their names explain.

    Parameters
    ----------
    tell
        Called with what a reader should know: scripts without a font on this machine, plots that cannot be drawn.
    """
    made = _Made(folder, tell)
    pairs = latex.Pair.all_of(document.chapters)
    chapters = [made.everywhere(document, findings, pairs)]
    for content, each, pair in zip(document.chapters, findings, pairs, strict=True):
        chapters.append(made.of_pair(content.key, each, pair))
    folder.joinpath("all.tex").write_text(_whole(document, chapters, folder), encoding="utf-8")
    folder.joinpath("README.md").write_text(_contents(document, chapters), encoding="utf-8")
    folder.joinpath("index.html").write_text(to_gallery(document, [*chapters[1:], chapters[0]]), encoding="utf-8")
    _tell_fonts(document, tell)


class _Made:
    """Writes pieces, and keeps what was written."""

    def __init__(self, folder: Path, tell: Callable[[str], None]) -> None:
        self._folder, self._tell = folder, tell

    def everywhere(
        self, document: Document, findings: Sequence[Grouped[Findings]], pairs: Sequence[latex.Pair]
    ) -> Chapter:
        """What is about all language pairs at once."""
        made = []
        if len(pairs) > 1:
            every = [tables_of(each)["ranking"] for each in findings]
            made.append(self._table("rankings", "The rankings side by side", latex.rankings(pairs), every,
                                    _flat("ranking", findings)))  # fmt: skip
        made.append(self._table("amounts-of-data", "How much was judged", latex.amounts(pairs), [document.amounts],
                                _flat("amounts", findings)))  # fmt: skip
        if having := [each for each in findings if each.result.agreement is not None]:
            shown = agreement.tables(_part("agreement", having))
            made.append(self._table("agreement", "How far judges agree", latex.agreement(pairs), shown,
                                    _flat("agreement", having)))  # fmt: skip
        if having := [each for each in findings if each.result.comparison is not None]:
            shown = compare.tables(_part("comparison", having))
            made.append(self._table("models", "Models on held-out judgments", latex.models(pairs), shown,
                                    _flat("comparison", having)))  # fmt: skip
        if document.overview is not None:
            said, name, glance = "Every language pair in a line", "at-a-glance", document.overview
            made.append(self._table(name, said, latex.other(glance, said, name), [glance], [glance]))
        keys = file_keys([score.title for score in document.scores])
        for number, (key, score) in enumerate(zip(keys, document.scores, strict=True), 1):
            text = latex.other(score.table, score.title, f"scores-{number}")
            made.append(self._table(f"scores-{key}", score.title, text, [score.table], [_flat_scores(score)]))
        return Chapter("All language pairs" if len(pairs) > 1 else "The whole campaign", made)

    def of_pair(self, key: str, each: Grouped[Findings], pair: latex.Pair) -> Chapter:
        """Tables and plots of one language pair."""
        tables = tables_of(each)
        made: list[Piece] = []
        missing: list[str] = []
        for name, said in _TABLES.items():
            if name in tables and (flat := _flat(name, [each])):
                special = latex.BY_PAIR.get(name)
                text = special(pair) if special else latex.other(tables[name], f"{pair.title}: {_lower(said)}",
                                                                 f"{pair.key}-{name}")  # fmt: skip
                made.append(self._table(f"{key}-{name}", said, text, [tables[name]], flat))
            for plot in _PLOTS:
                if plot[0] in _BEHIND.get(name, ()):
                    made += self._plot(key, each, plot, missing)
        return Chapter(pair.title, made, missing)

    def _table(self, stem: str, said: str, text: str, shown: Sequence[Table], flat: Sequence[Table]) -> Piece:
        written = {
            ".tex": text,
            ".md": "\n".join(map(to_markdown, shown)),
            ".csv": joined([_safe_heads(table) for table in flat], "csv", formulas="escape").text,
        }
        for ending, content in written.items():
            self._folder.joinpath(f"{stem}{ending}").write_text(content, encoding="utf-8")
        return Piece(stem, said, tuple(written))

    def _plot(
        self, key: str, each: Grouped[Findings], plot: tuple[str, str, str, str], missing: list[str]
    ) -> Iterator[Piece]:
        name, kind, part, said = plot
        result = getattr(each.result, part)
        if result is None:
            return
        try:
            chart = PLOTS.load(kind)(result, group=each.title)
        except InputError as error:
            missing.append(f"{said}: {error}")
            self._tell(f"{key}-{name}: not drawn: {error}")
            return
        for ending in _DRAWN:
            save(chart, self._folder / f"{key}-{name}{ending}", notify=lambda line: None)  # of all at once, below
        yield Piece(f"{key}-{name}", said, _DRAWN)


def _part(name: str, findings: Sequence[Grouped[Findings]]) -> list[Grouped[Any]]:
    return [Grouped(getattr(each.result, name), each.group) for each in findings]


def _flat(name: str, findings: Sequence[Grouped[Findings]]) -> list[Table]:
    """The raw values of a table; nothing where there are none."""
    having = [each for each in _part(_PARTS.get(name, name), findings) if each.result is not None]
    if name == "agreement-by-judge":
        having = [each for each in having if each.result.by_judge]
    return _FLAT[name](having) if having else []


def _flat_scores(score: ScoreTable) -> Table:
    """One row per system and measure."""
    names = ("measure", "group", "system", "value", "low", "high", "winner", "joint_winner")
    rows = [
        [measure["measure"], measure.get("group"), system, line["value"], *(line["interval"] or (None, None)),
         line["winner"], line["joint_winner"]]
        for measure in score.entry["measures"]
        for system, line in measure["systems"].items()
    ]  # fmt: skip
    return Table([Column(name) for name in names], rows)


def _safe_heads(table: Table) -> Table:
    """Names of columns may be those of the file that was read, and no spreadsheet may run them."""
    return replace(table, columns=[Column(safe_cell(column.name), column.show) for column in table.columns])


def _lower(said: str) -> str:
    return said[0].lower() + said[1:]


def _tell_fonts(document: Document, tell: Callable[[str], None]) -> None:
    """Say what pictures show as empty boxes."""
    from ..plots.fonts import missing

    texts: list[str] = []
    for chapter in document.chapters:
        texts += [chapter.title, *chapter.findings.ranking.systems]
    for each in missing(texts):
        tell(str(each))


# -- a document with all of it, and a list ------------------------------------------------------------

_PREAMBLE = r"""\documentclass[10pt]{article}
\usepackage[a4paper,margin=2.2cm]{geometry}
\usepackage{iftex,booktabs,graphicx}
\ifPDFTeX\usepackage[T1]{fontenc}\usepackage{lmodern}\else\usepackage{fontspec}\fi
\extrafloats{200}
\renewcommand{\topfraction}{.95}\renewcommand{\textfraction}{.05}\renewcommand{\floatpagefraction}{.6}
"""
_NO_PDFTEX = r"""\ifPDFTeX\PackageError{report}{%s: no letters for these in pdfLaTeX; use xelatex or lualatex}{}
\expandafter\stop\fi
"""


def _whole(document: Document, chapters: Sequence[Chapter], folder: Path) -> str:
    """A document that shows every piece."""
    used = scripts("".join(
        folder.joinpath(f"{piece.stem}.tex").read_text(encoding="utf-8")
        for chapter in chapters for piece in chapter.pieces if ".tex" in piece.endings
    ) + document.title + "".join(document.notes))  # fmt: skip
    engine = "xelatex" if used else "pdflatex"
    lines = [f"% All pieces in one document. Twice: {engine} all.tex", _PREAMBLE.rstrip()]
    if used:
        lines += [(_NO_PDFTEX % ", ".join(used)).rstrip(), *fonts(used)]
    lines += [r"\begin{document}", rf"\section*{{{tex(document.title)}}}", *map(tex, document.said)]
    lines += [rf"\par\textbf{{{tex(note)}}}" for note in document.notes]
    for chapter in chapters:
        lines += [rf"\section*{{{tex(chapter.title)}}}", *(line for each in chapter.pieces for line in _shown(each))]
        lines.append(r"\clearpage")
    return "\n".join([*lines, r"\end{document}"]) + "\n"


def _shown(piece: Piece) -> list[str]:
    if ".tex" in piece.endings:
        return [rf"\input{{{piece.stem}.tex}}"]
    size = r"width=.9\linewidth,height=.8\textheight,keepaspectratio"
    return [
        r"\begin{figure}[!htbp]", r"\centering", rf"\includegraphics[{size}]{{{piece.stem}.png}}",
        rf"\caption{{{tex(piece.said.removesuffix(', drawn'))}.}}", r"\end{figure}",
    ]  # fmt: skip


def _contents(document: Document, chapters: Sequence[Chapter]) -> str:
    """What each file is, in the order in which a paper needs them."""
    lines = [f"# {escape_markdown(document.title)}", *map(escape_markdown, document.said)]
    lines += [f"**{escape_markdown(note)}**" for note in document.notes]
    lines.append(_USE)
    for chapter in chapters:
        lines.append(f"## {escape_markdown(chapter.title)}")
        lines.append("\n".join(_line(piece) for piece in chapter.pieces))
        if chapter.missing:
            lines.append("\n".join(f"- Not drawn: {escape_markdown(each)}" for each in chapter.missing))
    lines += ["## How they were made", *(f"    {signature}" for signature in document.method.signatures)]
    return "\n\n".join(lines) + "\n"


def _line(piece: Piece) -> str:
    links = ", ".join(f"[{ending[1:]}]({piece.stem}{ending})" for ending in piece.endings)
    return f"- {escape_markdown(piece.said)}: `{piece.stem}` ({links})"


_USE = """- The whole report: [page](report.html), [text](report.md), [all numbers](report.json)
- All of what follows in one document: [all.tex](all.tex), whose first line says how to compile it

Tables in LaTeX need booktabs and graphicx. CSV files have raw values, and an apostrophe before names that a spreadsheet
would run as a formula (those that begin with = + - @); `report.json` has names as they are. What a table does not show
stands in comments at its end, and below the same table in Markdown."""
