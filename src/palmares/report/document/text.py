"""A report as Markdown: headings, sentences, lists and pipe tables, to paste into a wiki or a paper's notes."""

from __future__ import annotations

from dataclasses import replace

from ..tables import Table, escape_markdown, to_markdown
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
        lines += [line for section in chapter.sections for line in _section(section)]
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


def _section(section: Section) -> list[str]:
    lines = [f"### {escape_markdown(section.title)}", *map(escape_markdown, section.said)]
    if section.listed:
        lines.append("\n".join(f"- {escape_markdown(each)}" for each in section.listed))
    return [*lines, *(to_markdown(_open(table)) for table in (*section.shown, *section.folded))]


def _open(table: Table) -> Table:
    """A paragraph for every note."""
    return replace(table, notes=[part for note in table.notes if note for part in (note, "")])
