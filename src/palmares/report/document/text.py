"""A report as Markdown: headings, sentences, lists and pipe tables, to paste into a wiki or a paper's notes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...ranking.result import Ranking
from ..ranking import legend
from ..ranking_words import percent
from ..tables import DASHED, Column, Table, escape_markdown, range_text, to_markdown
from .content import Chapter, Document, Section
from .sentences import Sentence, plain


def to_text(document: Document) -> str:
    """The whole report."""
    lines = [f"# {escape_markdown(document.title)}", *map(escape_markdown, document.said)]
    lines += [f"**{escape_markdown(note)}**" for note in document.notes]
    if document.overview is not None:
        lines += ["## At a glance", "\n".join(_glance(chapter) for chapter in document.chapters)]
        lines.append(to_markdown(document.overview))
    for chapter in document.chapters:
        lines += [f"## {escape_markdown(chapter.title)}", f"**{_said(chapter.headline)}**"]
        lines += [_said(sentence) for sentence in chapter.sureness]
        lines += [line for section in chapter.sections for line in _section(section, chapter)]
    if document.scores:
        lines.append("## Other scores")
        for score in document.scores:
            lines += [f"### {escape_markdown(score.title)}", to_markdown(_open(score.table))]
    lines += ["## Amounts of data", to_markdown(document.amounts)]
    lines += ["## Method", *map(escape_markdown, document.method.paragraphs)]
    lines += ["### References", "\n".join(f"- {escape_markdown(each)}" for each in document.method.references)]
    return "\n\n".join(line.strip("\n") for line in lines) + "\n"


def _glance(chapter: Chapter) -> str:
    return f"- **{escape_markdown(chapter.title)}**: {_said(chapter.headline)}"


def _said(sentence: Sentence) -> str:
    return escape_markdown(plain(sentence))


def _section(section: Section, chapter: Chapter) -> list[str]:
    lines = [f"### {escape_markdown(section.title)}", *map(escape_markdown, section.said)]
    if section.listed:
        lines.append("\n".join(f"- {escape_markdown(each)}" for each in section.listed))
    shown = [_leaderboard(chapter, table) for table in section.shown] if section.key == "leaderboard" else section.shown
    return [*lines, *(to_markdown(_open(table)) for table in (*shown, *section.folded))]


def _leaderboard(chapter: Chapter, table: Table) -> Table:
    """The ranking with what pages show as lines and bars, in words and columns."""
    ranking = chapter.findings.ranking
    columns, rows = list(table.columns), [list(row) for row in table.rows]
    added: list[tuple[Column, list[Any]]] = []
    if any(line.joint_range for line in ranking.lines):
        added.append((Column("joint range", range_text), [line.joint_range for line in ranking.lines]))
    if any(line.best is not None for line in ranking.lines):
        added.append((Column("P(best)", percent), [line.best for line in ranking.lines]))
    for column, values in added:
        columns.insert(len(columns) - 1, column)
        for row, value in zip(rows, values, strict=True):
            row.insert(len(row) - 1, value)
    drawn = legend(ranking)
    notes = [*_boundaries(ranking), *(note for note in table.notes if note not in drawn)]
    return replace(table, columns=columns, rows=rows, notes=notes)


def _boundaries(ranking: Ranking) -> list[str]:
    """Which boundaries between clusters hold how: Markdown has no lines between rows."""
    begun = [boundary for boundary in ranking.boundaries if boundary.marginal]
    if not ranking.boundaries:
        return []
    share, always = f"{100 * ranking.record.facts['p']:g} %", "" if ranking.looks == "once" else ", at every look"
    said = "joint range: all of these hold at once."
    if not begun:
        return [said]
    if any(boundary.joint for boundary in begun):
        said += f" Boundaries between clusters hold jointly{always} ({share} chance that any is wrong)"
        said += f", but where {DASHED} stands, only by itself." if not all(b.joint for b in begun) else "."
    else:
        said += f" Boundaries between clusters ({DASHED}) hold only each by itself."
    return [said]


def _open(table: Table) -> Table:
    """A paragraph for every note."""
    return replace(table, notes=[part for note in table.notes if note for part in (note, "")])
