"""What stands in a report, in the order in which people ask; how it looks is for those who write it down."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...analysis.audit.claims import Claim
from ...analysis.audit.run import Audit
from ...analysis.findings import Findings
from ...results import counted
from .. import findings as tables
from ..forecast import forecast_table
from ..ranking import legend, notes_of
from ..tables import Grouped, Table, group_title
from .method import Method, method
from .scores import ScoreTable
from .sentences import Sentence, headline, sureness

_SINGLE = (
    "Marks are of each pair by itself and take judgments for independent. The ranking allows for what judges and "
    "segments share, and for all pairs, so two systems with a mark need not be separated."
)
#: A longer table is cut, and a wider one of pairs left out: nobody reads them on a page.
_LONGEST_TABLE, _MOST_SYSTEMS = 250, 60
#: So many claims are told one by one.
_TOLD = 8
#: Names of files begin with a key, and may not be too long.
_LONGEST_KEY = 50
_QUESTIONS = "Each point is a question to the organisers, not a verdict on a person:"


@dataclass(frozen=True)
class Section:
    """One question about a language pair, and its answer.

    Attributes
    ----------
    key
        ``leaderboard``, ``head-to-head`` and so on; pages draw these two in ways of their own.
    said
        Sentences.
    listed
        Points of a list below them.
    folded
        Tables with details that a page shows only when asked.
    """

    key: str
    title: str
    said: tuple[str, ...] = ()
    listed: tuple[str, ...] = ()
    shown: tuple[Table, ...] = ()
    folded: tuple[Table, ...] = ()
    summary: str = ""


@dataclass(frozen=True)
class Chapter:
    """One language pair."""

    key: str
    title: str
    headline: Sentence
    sureness: tuple[Sentence, ...]
    sections: tuple[Section, ...]
    findings: Findings


@dataclass(frozen=True)
class Document:
    """A whole report."""

    title: str
    said: tuple[str, ...]
    chapters: tuple[Chapter, ...]
    amounts: Table
    method: Method
    overview: Table | None = None
    scores: tuple[ScoreTable, ...] = ()
    notes: tuple[str, ...] = field(default=())


def document(
    results: Sequence[Grouped[Findings]], *, title: str = "", date: str = "", scores: Sequence[ScoreTable] = (),
    notes: Sequence[str] = (),
) -> Document:  # fmt: skip
    """The content of a report.

    Parameters
    ----------
    title, date
        As they are to be printed; no date unless given, so that the same judgments give the same report.
    scores
        Tables of other tasks.
    notes
        What is to be said of the report as a whole.
    """
    keys = file_keys([each.title or "ranking" for each in results])
    several = len(results) > 1
    return Document(
        title=title or "Results of a human evaluation",
        said=tuple(filter(None, (date, _amount(results)))),
        chapters=tuple(_chapter(each, key) for each, key in zip(results, keys, strict=True)),
        amounts=tables.amounts(results),
        method=method([each.result for each in results]),
        overview=tables.overview(results, names=False) if several else None,
        scores=tuple(scores),
        notes=tuple(notes),
    )


def file_keys(titles: Sequence[str]) -> list[str]:
    """Names for anchors and files: letters, digits, dots and dashes, not many; no two alike."""
    found: list[str] = []
    for title in titles:
        stem = re.sub(r"[^\w.-]+", "-", title.casefold())[:_LONGEST_KEY].strip("-.") or "group"
        names = (stem, *(f"{stem}-{number}" for number in range(2, len(titles) + 2)))
        found.append(next(name for name in names if name not in found))
    return found


def _amount(results: Sequence[Grouped[Findings]]) -> str:
    """``3 language pairs, 29 submissions, 21,000 pairwise judgments``"""
    everywhere = [each.result.overview for each in results]
    judgments = counted(sum(o.judgments for o in everywhere), "pairwise judgment")
    if len(results) == 1:
        by = f" by {counted(everywhere[0].judges, 'judge')}" if everywhere[0].judges else ""
        return f"{counted(everywhere[0].systems, 'system')}, {judgments}{by}"
    # A system may take part in several language pairs, under one name or several.
    submissions = counted(sum(o.systems for o in everywhere), "submission")
    return f"{counted(len(results), 'language pair' if _by_pair(results) else 'group')}, {submissions}, {judgments}"


def _by_pair(results: Sequence[Grouped[Findings]]) -> bool:
    return all(name == "lang_pair" for each in results for name, _ in each.group)


def _chapter(each: Grouped[Findings], key: str) -> Chapter:
    found = each.result
    made = [
        _leaderboard(each), _head_to_head(each), _unsupported(each), _ahead(found), _agreement(each), _judges(each),
        _models(each), _changes(each),
    ]  # fmt: skip
    return Chapter(
        key=key,
        title=group_title(each.group) or found.lang_pair or "All judgments",
        headline=headline(found.ranking),
        sureness=tuple(sureness(found)),
        sections=tuple(_once([section for section in made if section is not None])),
        findings=found,
    )


def _once(sections: Sequence[Section]) -> Iterator[Section]:
    """The sections without notes and signatures that an earlier one has: all parts are of the same judgments."""
    said: set[str] = set()

    def new(table: Table) -> Table:
        lines = [*table.notes, table.signature or ""]
        kept = [line for line in table.notes if line not in said]
        if (rows := len(table.rows)) > _LONGEST_TABLE:
            kept.insert(
                0, f"The first {_LONGEST_TABLE} of {rows:,} rows; the JSON and the pieces of a report have all."
            )
            table = replace(table, rows=table.rows[:_LONGEST_TABLE])
        signature = None if table.signature in said else table.signature
        said.update(lines)
        return replace(table, notes=kept, signature=signature)

    for section in sections:
        yield replace(section, shown=tuple(map(new, section.shown)), folded=tuple(map(new, section.folded)))


def _table(each: Grouped[Findings], name: str) -> Table:
    """A table without its title, which the section has."""
    return replace(tables.tables_of(each)[name], title=None)


def _leaderboard(each: Grouped[Findings]) -> Section:
    ranking = each.result.ranking
    # Not with the forecast, which has a section of its own.
    notes = [*legend(ranking), *notes_of(ranking)]
    return Section("leaderboard", "Ranking", shown=(replace(_table(each, "ranking"), notes=notes),))


def _head_to_head(each: Grouped[Findings]) -> Section:
    table = _table(each, "head-to-head")
    if len(each.result.ranking.lines) > _MOST_SYSTEMS:
        why = f"A table of more than {_MOST_SYSTEMS} systems cannot be read; JSON and the pieces of a report have it."
        return Section("head-to-head", "Head to head", said=(why,))
    notes = [*table.notes, _SINGLE]
    return Section("head-to-head", "Head to head", shown=(replace(table, notes=notes),))


def _unsupported(each: Grouped[Findings]) -> Section:
    """What the audit found: claims that are not shown, and checks that were flagged."""
    key, title = "audit", "What the judgments do not support"
    audit = each.result.audit
    if audit is None:
        return Section(key, title, said=(_gap(each.result, "audit", "The judgments were not audited"),))
    weak = [claim for claim in audit.claims if claim.verdict != "supported"]
    said = f"All {len(audit.claims)} claims of the ranking, each system above the next, are supported."
    if weak:
        of = f"{len(weak)} of {counted(len(audit.claims), 'claim')}"
        said = f"{of} that a reader may take from the ranking {_are(weak)} not supported:"
    checks = tuple(f"{finding.check}: {finding.sentence}" for finding in audit.flagged)
    return Section(
        key, title, said=(said,), listed=(*_weak(weak), *checks),
        folded=(_table(each, "audit-checks"), _table(each, "audit-claims")),
        summary=f"All checks and claims ({_flags(audit)})",
    )  # fmt: skip


def _weak(claims: Sequence[Claim]) -> list[str]:
    """Claims by what is wrong with them: ``not shown: A is best; A is above B``."""
    by_reason: dict[str, list[str]] = {}
    for claim in claims:
        joined = "; ".join(claim.reasons)
        reason = f"{claim.verdict}, for {joined}" if claim.verdict == "not shown" and joined else claim.verdict
        reason = f"{claim.verdict}, not {joined.replace('; ', ', not ')}" if claim.verdict == "fragile" else reason
        by_reason.setdefault(reason, []).append(claim.sentence)
    return [f"{reason}: {_some(sentences)}" for reason, sentences in by_reason.items()]


def _some(sentences: Sequence[str]) -> str:
    """The first sentences; a table has them all."""
    more = len(sentences) - _TOLD
    return "; ".join(sentences[:_TOLD]) + (f"; and {more} more, below" if more > 0 else "")


def _flags(audit: Audit) -> str:
    return f"{len(audit.flagged)} of {len(audit.findings)} checks flagged"


def _are(items: Sequence[Any]) -> str:
    return "is" if len(items) == 1 else "are"


def _gap(found: Findings, part: str, what: str) -> str:
    return f"{what}: {found.gaps[part]}."


def _ahead(found: Findings) -> Section:
    key, title = "forecast", "How many more judgments would separate what"
    forecast = found.forecast
    if forecast is None:
        return Section(key, title, said=(_gap(found, "forecast", "There is no forecast"),))
    if not forecast.boundaries and forecast.target is None:
        return Section(key, title, said=("Nothing is open: every boundary between neighbours holds at every look.",))
    said = (
        "About so many until the boundary between two neighbours holds at every look, if comparisons are chosen as so "
        f"far; with {100 * forecast.level:g} % intervals, looking {forecast.horizon:,} judgments ahead. Never: more "
        "judgments of that kind would not do."
    )
    return Section(key, title, said=(said,), shown=(forecast_table(forecast, found.ranking.fit.systems),))


def _agreement(each: Grouped[Findings]) -> Section:
    key, title = "agreement", "How far judges agree"
    if each.result.agreement is None:
        return Section(key, title, said=(_gap(each.result, "agreement", "Agreement is not known"),))
    made = tables.tables_of(each)
    shown = replace(made["agreement"], title=None, columns=made["agreement"].columns[1:],
                    rows=[row[1:] for row in made["agreement"].rows], rules=frozenset())  # fmt: skip
    by_judge = [replace(made["agreement-by-judge"], title=None)] if "agreement-by-judge" in made else []
    return Section(key, title, shown=(shown,), folded=tuple(by_judge), summary="Every judge against the others")


def _judges(each: Grouped[Findings]) -> Section:
    key, title, found = "judges", "Judges", each.result.judges
    if found is None:
        return Section(key, title, said=(_gap(each.result, "judges", "Nothing is known of judges"),))
    people = counted(len(found.lines), "judge")
    said = f"{people}; nobody stands out."
    if found.flagged:
        stand = "stands" if len(found.flagged) == 1 else "stand"
        said = f"{len(found.flagged)} of {people} {stand} out. {_QUESTIONS}"
    asked = tuple(f"{line.judge}: {flag}" for line in found.flagged for flag in line.flags)
    return Section(key, title, said=(said,), listed=asked, folded=(_table(each, "judges"),), summary="All judges")


def _models(each: Grouped[Findings]) -> Section | None:
    key, title = "comparison", "Which model predicts best"
    if "comparison" in each.result.gaps:
        return Section(key, title, said=(_gap(each.result, "comparison", "Models were not compared"),))
    if each.result.comparison is None:
        return None
    return Section(key, title, shown=(_table(each, "comparison"),))


def _changes(each: Grouped[Findings]) -> Section | None:
    if each.result.changes is None:
        return None
    return Section("changes", "What changed since the earlier ranking", shown=(_table(each, "changes"),))
