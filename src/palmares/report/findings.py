"""Everything about every language pair as tables: an overview, and the tables of each part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..analysis.findings import Findings
from . import agreement, audit, compare, describe, diff, head_to_head, judges, ranking
from .tables import Column, Grouped, Layout, Table, View, group_title, or_dash, score_text


def tables(results: Sequence[Grouped[Findings]], part: str | None = None) -> list[Table]:
    """The overview, if there are several language pairs; then every table of each."""
    each_pair = [table for each in results for table in tables_of(each).values()]
    return [*([overview(results)] if len(results) > 1 else []), *each_pair]


def flat(results: Sequence[Grouped[Findings]], part: str | None = None) -> list[Table]:
    """The systems of every language pair, as `palmares rank` has them."""
    return ranking.flat([Grouped(each.result.ranking, each.group) for each in results])


VIEW = View(tables, flat, grouped=True)

#: The parts of findings, what lays them out as tables, and what these are called.
_LAYOUTS: dict[str, tuple[Layout, tuple[str, ...]]] = {
    "ranking": (ranking.tables, ("ranking",)),
    "head_to_head": (head_to_head.tables, ("head-to-head",)),
    "audit": (audit.tables, ("audit-checks", "audit-claims")),
    "agreement": (lambda results, part: agreement.tables(results, "judges"), ("agreement", "agreement-by-judge")),
    "judges": (judges.tables, ("judges",)),
    "comparison": (compare.tables, ("comparison",)),
    "changes": (diff.tables, ("changes",)),
    "overview": (describe.tables, ("amounts",)),
}


def tables_of(each: Grouped[Findings]) -> dict[str, Table]:
    """The tables of one language pair by a name of their own: ``ranking``, ``audit-checks``, ``audit-claims``, …"""
    found: dict[str, Table] = {}
    for part, (layout, names) in _LAYOUTS.items():
        result = getattr(each.result, part)
        if result is not None:
            found.update(zip(names, layout([Grouped(result, each.group)], None), strict=True))
    return found


def overview(results: Sequence[Grouped[Findings]], *, names: bool = True) -> Table:
    """One row per language pair: who may be best, how far systems are told apart, how far judges agree.

    Without ``names``, who may be best is said elsewhere.
    """
    columns = [
        Column("language pair", or_dash, "left"),
        *([Column("may be best", align="left", if_long="wrap")] if names else []),
        Column("systems"),
        Column("clusters", _or_dash),
        Column("pairs separated", or_dash),
        Column("kappa", _kappa),
        Column("checks flagged", or_dash),
    ]
    notes = [
        "Two systems are separated if their rank ranges do not overlap; kappa: how far judges agree with each other."
    ]
    return Table(columns, [_overview_row(each, names=names) for each in results], notes=notes)


def _overview_row(each: Grouped[Findings], *, names: bool) -> list[Any]:
    from .document.sentences import contenders

    found = each.result
    ranked = found.ranking
    separated = sum(pair.separated for pair in ranked.pairs) if ranked.ranged else None
    return [
        group_title(each.group) or found.lang_pair,
        *([", ".join(contenders(ranked))] if names else []),
        len(ranked.lines),
        len(ranked.clusters) if ranked.ranged else None,
        None if separated is None else f"{separated} of {len(ranked.pairs)}",
        None if found.agreement is None else found.agreement.inter.kappa.kappa,
        None if found.audit is None else f"{len(found.audit.flagged)} of {len(found.audit.findings)}",
    ]


def amounts(results: Sequence[Grouped[Findings]]) -> Table:
    """How much was judged, as findings papers print it (Bojar et al. 2014, Table 3), with a row for all."""
    columns = [
        Column("language pair", or_dash, "left"), Column("systems", _count), Column("rankings", _count),
        Column("judgments", _count), Column("per system", _count), Column("ties", _percent),
        Column("judges", _count), Column("segments", _count), Column("pairs compared", or_dash),
    ]  # fmt: skip
    rows: list[list[Any]] = []
    for each in results:
        counts = each.result.overview
        rows.append(
            [
                group_title(each.group) or counts.lang_pair, counts.systems, counts.rankings, counts.judgments,
                counts.per_system, counts.ties / counts.judgments, counts.judges, counts.segments,
                f"{counts.pairs_compared} of {counts.pairs}",
            ]
        )  # fmt: skip
    notes = ["per system: how many judgments a system is in, on average.", *_forced(results)]
    if len(rows) > 1:
        everywhere = [each.result.overview for each in results]
        systems, judgments = (sum(getattr(o, name) for o in everywhere) for name in ("systems", "judgments"))
        rankings = [o.rankings for o in everywhere]
        rows.append(
            [
                "all", systems, None if None in rankings else sum(r or 0 for r in rankings), judgments,
                2 * judgments / systems, sum(o.ties for o in everywhere) / judgments, None, None, None,
            ]
        )  # fmt: skip
        notes.append("Judges and segments of several language pairs may be the same, so they are not added up.")
    return Table(columns, rows, notes=notes, rules=frozenset({len(rows) - 1} if len(results) > 1 else ()))


def _forced(results: Sequence[Grouped[Findings]]) -> list[str]:
    """How many of the judgments nobody made, since systems shared their output."""
    counts = [each.result.overview for each in results]
    ties = sum(overview.forced_ties for overview in counts)
    kept = any(each.result.ranking.judgments == each.result.overview.judgments for each in results)
    fate = "some rankings count them" if kept else "rankings leave them out"
    return [f"{ties:,} of all judgments are forced ties, of systems that shared an output; {fate}."] if ties else []


def _count(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f}"


def _or_dash(value: int | None) -> str:
    return "–" if value is None else str(value)


def _kappa(value: float | None) -> str:
    return "–" if value is None else score_text(value)


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.0f} %"
