"""Rankings as tables: systems in order; who is better than whom, and how often samples say so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..design.forecast import Forecast
from ..errors import InputError
from ..judgments import FloatArray
from ..ranking.result import Ranking
from .forecast import forecast_lines
from .tables import (
    DASHED,
    Column,
    Grouped,
    Table,
    View,
    chance_text,
    interval_text,
    level_text,
    range_text,
    score_text,
    share_text,
)


def tables(results: Sequence[Grouped[Ranking]], part: str | None = None) -> list[Table]:
    """A ranking each. Below it, if asked for: with ``probabilities`` its clusters and P(better) of every two systems,
    with ``pairs`` which of these are separated.
    """
    more = {"probabilities": (cluster_table, probability_table), "pairs": (pair_table,)}.get(part or "", ())
    return [
        table
        for each in results
        for table in (ranking_table(each.result, title=each.title), *[below(each.result) for below in more])
    ]


def flat(results: Sequence[Grouped[Ranking]], part: str | None = None) -> list[Table]:
    """One row per system, with ``probabilities`` or ``pairs`` one for every two systems; the group in front."""
    layout = {"probabilities": _flat_probabilities, "pairs": _flat_pairs}.get(part or "", _flat_systems)
    return [layout(each) for each in results]


def _pairs_dict(ranking: Ranking) -> dict[str, Any]:
    return {"pairs": [pair.to_dict() for pair in ranking.pairs]}


VIEW = View(tables, flat, grouped=True, parts=("probabilities", "pairs"), more={"pairs": _pairs_dict})


def ranking_table(ranking: Ranking, *, title: str | None = None) -> Table:
    """Cluster, rank range, score, its interval, system; a line between clusters, dashed if it holds only by itself."""
    lines = ranking.lines
    columns = [Column("cluster"), Column("range", range_text)] if ranking.ranged else [Column("rank")]
    columns.append(Column("score", score_text))
    if sampled := ranking.replicates is not None:
        columns.append(
            Column(f"{level_text(ranking.record.facts['p'])} interval", lambda span: interval_text(span) or "–")
        )
    columns.append(Column("system", align="left"))
    rows: list[list[Any]] = [
        [
            *([ranking.cluster_of(line), ranking.range_of(line)] if ranking.ranged else [line.rank]),
            *([line.score, line.interval] if sampled else [line.score]),
            line.system,
        ]
        for line in lines
    ]
    solid = frozenset(b.above for b in ranking.boundaries if b.joint)
    dashed = frozenset(b.above for b in ranking.boundaries if b.marginal and not b.joint and not ranking.jointly)
    notes, by_name = [*legend(ranking), *notes_of(ranking), *_ahead(ranking)], (len(columns) - 1,)
    return Table(columns, rows, title, solid, ranking.signature, notes, keys=by_name, dashed=dashed)


def _ahead(ranking: Ranking) -> list[str]:
    """What further judgments are expected to show, if that was asked for."""
    return forecast_lines(ranking.forecast, ranking.fit.systems) if isinstance(ranking.forecast, Forecast) else []


def notes_of(ranking: Ranking) -> list[str]:
    """What is to be said of a ranking below any table of it."""
    return [f"note: {note}" for note in ranking.notes]


def legend(ranking: Ranking) -> list[str]:
    """What ranges and lines stand for, in one line; nothing where there is none."""
    if not ranking.boundaries:
        return []
    share = f"{100 * ranking.record.facts['p']:g} %"
    always = "" if ranking.looks == "once" else ", at every look"
    if ranking.jointly:
        said = f"ranges hold for all systems at once, lines all together{always}"
        return [f"{said}: {share} chance of any error in either"]
    joint = sum(b.joint for b in ranking.boundaries)
    alone = sum(b.marginal for b in ranking.boundaries) - joint
    solid = f"solid lines hold jointly{always} ({share} chance that any is wrong)"
    dashed = f"dashed lines ({DASHED}) hold only each by itself"
    if joint and alone:
        return [f"{solid}, {dashed}"]
    return [solid] if joint else [dashed] if alone else []


def cluster_table(ranking: Ranking) -> Table:
    """One row per cluster: its places, how stable it is, its systems."""
    columns = [Column("cluster"), Column("stability", share_text), Column("systems", align="left", if_long="wrap")]
    rows = [[c.number, c.stability, ", ".join(c.systems)] for c in ranking.stability]
    note = "stability: how likely it is that these systems, and no others, take the places of the cluster."
    return Table(columns, rows, notes=[note])


def probability_table(ranking: Ranking) -> Table:
    """P(the column's system is better than the row's), as in a head-to-head table; the last row is P(best).

    Columns are headed by the number that their system has in the rows.
    """
    better, lines = _better(ranking), ranking.lines
    n = len(lines)
    columns = [Column(""), Column("system", align="left"), *[Column(str(c + 1)) for c in range(n)]]
    rows: list[list[Any]] = [
        [r + 1, line.system, *["–" if r == c else share_text(better[c, r]) for c in range(n)]]
        for r, line in enumerate(lines)
    ]
    rows.append(["", "best", *[share_text(line.best) for line in lines]])
    notes = [
        f"How likely the column's system is better than the row's: {lines[0].system} (column 1) better than "
        f"{lines[1].system} (row 2) with {share_text(better[0, 1])}.",
        f"best: how likely the column's system is the best. {source_of_beliefs(ranking)}",
    ]
    return Table(columns, rows, rules=frozenset({n}), notes=notes, signature=ranking.signature, keys=(0, 1))


def source_of_beliefs(ranking: Ranking) -> str:
    """What probabilities are shares of."""
    if ranking.beliefs is ranking.replicates:
        return "Shares of the samples, or draws, that ranges come from."
    return "Draws from a posterior that shrinks scores by how far systems lie apart; too sure if they form two clumps."


def pair_table(ranking: Ranking) -> Table:
    """One row for every two systems, a line above the pairs of the next one."""
    pairs, level = ranking.pairs, level_text(ranking.record.facts["p"])
    sampled = ranking.replicates is not None
    columns = [Column("above", align="left"), Column("below", align="left"), Column("lead", score_text)]
    if sampled:
        columns += [Column(f"{level} interval", lambda span: interval_text(span) or "–"), Column("P", share_text)]
    columns += [] if ranking.tests is None else [Column("p", chance_text)]
    columns.append(Column("separated", lambda value: "yes" if value else "no"))
    columns += [] if ranking.joint is None else [Column("joint p", chance_text)]
    rows: list[list[Any]] = [
        [
            pair.above, pair.below, pair.difference, *([pair.interval, pair.better] if sampled else []),
            *([] if ranking.tests is None else [pair.p]), pair.separated,
            *([] if ranking.joint is None else [pair.adjusted]),
        ]
        for pair in pairs
    ]  # fmt: skip
    rules = frozenset(i for i in range(1, len(pairs)) if pairs[i].above != pairs[i - 1].above)
    return Table(columns, rows, rules=rules, notes=_pair_notes(ranking), signature=ranking.signature, keys=(0, 1))


def _pair_notes(ranking: Ranking) -> list[str]:
    pairs = ranking.pairs
    apart = sum(pair.separated for pair in pairs)
    notes = [f"{apart} of {len(pairs)} pairs are separated: the rank ranges of the two systems do not overlap."]
    if ranking.joint is not None:
        level = ranking.record.facts["p"]
        ordered = sum(pair.adjusted is not None and pair.adjusted <= level for pair in pairs)
        what = "adjusted for looking at every two systems"
        if ranking.looks == "any":
            what = "at every look, of the clearest boundary between the two"
        notes.append(f"{ordered} are ordered jointly: joint p, {what}, is at most {level:g}.")
    if ranking.replicates is not None:
        notes.append("lead: difference of scores; P: how likely the first system is better than the second.")
        if any(pair.interval is None for pair in pairs):
            notes.append(
                "–: every sample gives the same difference, or one of the two won or lost everything, so that samples "
                "do not show how sure it is."
            )
    if any(pair.difference < 0 for pair in pairs):
        notes.append(
            "A lead below 0: the order is one of several that are optimal, and scores are minus the mean place in all "
            "of them, which may say otherwise of two systems."
        )
    if ranking.tests is not None:
        sides = "one" if ranking.record.facts["sided"] == 1 else "two"
        notes.append(
            f"lead: difference of scores; p: of the {sides}-sided sign test on the comparisons of the two alone."
        )
    return notes


def _flat_systems(each: Grouped[Ranking]) -> Table:
    ranking, frame = each.result, each.result.table()
    names = [*dict(each.group), *frame.columns]
    rows = [[*dict(each.group).values(), *row] for row in frame.iter_rows()]
    return Table([Column(name) for name in names], rows, signature=ranking.signature, notes=notes_of(ranking))


def _flat_pairs(each: Grouped[Ranking]) -> Table:
    ranking, group = each.result, dict(each.group)
    names = [*group, "above", "below", "difference", "low", "high", "better", "p", "separated", "adjusted"]
    rows = [
        [*group.values(), pair.above, pair.below, pair.difference, *(pair.interval or (None, None)), pair.better,
         pair.p, "yes" if pair.separated else "no", pair.adjusted]
        for pair in ranking.pairs
    ]  # fmt: skip
    return Table([Column(name) for name in names], rows, signature=ranking.signature, notes=notes_of(ranking))


def _flat_probabilities(each: Grouped[Ranking]) -> Table:
    ranking, better = each.result, _better(each.result)
    names = [*dict(each.group), "system", "other", "better"]
    rows = [
        [*dict(each.group).values(), above, below, float(better[r, c])]
        for r, above in enumerate(ranking.systems)
        for c, below in enumerate(ranking.systems)
        if r != c
    ]
    return Table([Column(name) for name in names], rows, signature=ranking.signature)


def _better(ranking: Ranking) -> FloatArray:
    if ranking.better is None:
        raise InputError("a ranking without bootstrap samples or draws has no probabilities; use --resample auto")
    return ranking.better
