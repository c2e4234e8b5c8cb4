"""Predictions of the quality of sentences and words, and post-editing, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..results import counted
from ..scoring.comparison import JOINT_WINNER, WINNER, Comparison
from ..scoring.quality.post_edits import PostEditing
from ..scoring.quality.sentences import VARIANTS, Savings, SentenceScores
from ..scoring.quality.words import WordScores
from ..scoring.result import Scored
from .scores import flat_pairs, flat_values, mark_notes, number_text, pair_tables, value_column, value_text
from .tables import Column, Grouped, Table, View, front, level_text

#: The sign of a system that does not differ from the baseline.
SAME = "≈"


def _in_order(comparisons: Sequence[Comparison]) -> list[str]:
    """Names of the systems: best first by the first measure, equal ones by the next."""
    places = []
    for comparison in comparisons:
        good = comparison.values if comparison.measure.higher_is_better else -comparison.values
        places.append({n: -v if v == v else float("inf") for n, v in zip(comparison.systems, good, strict=True)})
    return sorted(comparisons[0].systems, key=lambda name: tuple(place[name] for place in places))


def _notes(result: Scored) -> list[str]:
    return [f"note: {note}" for note in result.notes]


def _by_part(results: Sequence[Grouped[Any]], part: str | None) -> list[Table]:
    return flat_pairs(results) if part == "pairs" else flat_values(results)


# -- sentences ---------------------------------------------------------------------------------------


def _sentences(results: Sequence[Grouped[SentenceScores]], part: str | None = None) -> list[Table]:
    if part == "pairs":
        return pair_tables(results)
    if part == "savings":
        return [_savings(each.result, each.title) for each in results]
    return [_variant(each, variant) for each in results for variant in each.result.variants]


def _variant(each: Grouped[SentenceScores], variant: str) -> Table:
    """Systems by the measures of a variant, as W14's Tables 11 to 16."""
    result = each.result
    comparisons = [c for c in result.comparisons if c.measure.name in VARIANTS[variant]]
    rows = []
    for name in _in_order(comparisons):
        cells = [_beside_baseline(result, comparison, name) for comparison in comparisons]
        rows.append([*cells, f"{name} (baseline)" if name == result.baseline else name])
    columns = [*map(value_column, comparisons), Column("system", align="left")]
    units = [c.measure.name for c in comparisons if c.measure.name not in ("Pearson", "Spearman")]
    notes = [
        f"{' and '.join(units)} in {result.scale.unit}; {counted(result.sentences, 'sentence')}, mean label "
        f"{number_text(result.mean, result.scale.digits)}",
        *mark_notes(comparisons),
        *_baseline_notes(result, comparisons),
    ]
    last = variant == result.variants[-1]
    title = ": ".join(filter(None, (each.title, variant)))
    return Table(
        columns, rows, title, signature=result.signature if last else None, keys=(len(columns) - 1,),
        notes=[*notes, *(_notes(result) if last else ())],
    )  # fmt: skip


def _beside_baseline(result: SentenceScores, comparison: Comparison, name: str) -> str:
    system = comparison.systems.index(name)
    text = value_text(comparison, system)
    return f"{text} {SAME}" if result.against_baseline(comparison)[system] == "no difference" else text


def _baseline_notes(result: SentenceScores, comparisons: Sequence[Comparison]) -> list[str]:
    if not any("no difference" in result.against_baseline(comparison) for comparison in comparisons):
        return []
    return [f"{SAME} no significant difference from the baseline, compared by itself"]


def _savings(result: SentenceScores, title: str | None) -> Table:
    """What the sentences that look best save, a line per share and system."""
    digits, saved = result.scale.digits, "saved" if result.scale.lower_is_better else "gained"
    rows: list[list[Any]] = []
    rules = []
    for each in result.savings:
        rules.append(len(rows))
        for system in each.gained.order:
            gained = float(each.gained.values[system])
            rows.append([
                each.gained.measure.group, f"{each.sentences:,}", number_text(_of_taken(result, gained), digits),
                value_text(each.gained, system), number_text(gained * each.sentences, max(digits - 2, 0)),
                each.gained.systems[system],
            ])  # fmt: skip
        best = number_text(_of_taken(result, each.best), digits)
        rows.append([each.gained.measure.group, f"{each.sentences:,}", best, number_text(each.best, digits),
                     number_text(each.best * each.sentences, max(digits - 2, 0)), "(a perfect order)"])  # fmt: skip
    columns = [Column("taken", align="left"), Column("sentences"), Column("mean label"), Column(saved),
               Column(f"{saved} in all"), Column("system", align="left")]  # fmt: skip
    notes = [*map(_in_words, [result] * len(result.savings), result.savings),
             f"{saved}: in {result.scale.unit} per sentence that is taken, against sentences taken at random",
             *mark_notes([each.gained for each in result.savings]), *_notes(result)]  # fmt: skip
    return Table(columns, rows, title, frozenset(r for r in rules if r), result.signature, notes, keys=(0, 5))


def _of_taken(result: SentenceScores, gained: float) -> float:
    """The mean label of the sentences that are taken."""
    return result.mean - gained if result.scale.lower_is_better else result.mean + gained


def _in_words(result: SentenceScores, savings: Savings) -> str:
    gained, digits, unit = savings.gained, result.scale.digits, result.scale.unit
    first = int(gained.order[0])
    value = float(gained.values[first])
    low, high = gained.intervals[first]
    known = low == low
    ends = (
        f" ({level_text(gained.p)} interval {number_text(low, digits)} to {number_text(high, digits)})" if known else ""
    )
    share = f"{100 * savings.share:g} %"
    mean, less = number_text(_of_taken(result, value), digits), "less" if result.scale.lower_is_better else "more"
    return (
        f"The {share} of sentences that {gained.systems[first]} predicts to be best have a mean label of {mean} "
        f"{unit}, {number_text(value, digits)} {less} than the mean of all, {number_text(result.mean, digits)}{ends}."
    )


def _flat_sentences(results: Sequence[Grouped[SentenceScores]], part: str | None = None) -> list[Table]:
    return _flat_savings(results) if part == "savings" else _by_part(results, part)


def _flat_savings(results: Sequence[Grouped[SentenceScores]]) -> list[Table]:
    names = ("system", "share", "sentences", "gained", "low", "high", "best", "winner", "joint_winner")
    tables = []
    for each in results:
        ahead = front(each)
        rows = [
            [*ahead.values(), c.systems[i], savings.share, savings.sentences, float(c.values[i]),
             *(None if end != end else float(end) for end in c.intervals[i]), savings.best, bool(c.winners[i]),
             bool(c.joint_winners[i])]
            for savings in each.result.savings for c in [savings.gained] for i in c.order
        ]  # fmt: skip
        columns = [Column(name) for name in (*ahead, *names)]
        tables.append(Table(columns, rows, signature=each.result.signature, notes=_notes(each.result)))
    return tables


SENTENCES = View(_sentences, _flat_sentences, parts=("pairs", "savings"))


# -- words -------------------------------------------------------------------------------------------


def _words(results: Sequence[Grouped[WordScores]], part: str | None = None) -> list[Table]:
    if part == "pairs":
        return pair_tables(results)
    layout = _classes if part == "classes" else _granularity
    return [layout(each, granularity) for each in results for granularity in each.result.granularities]


def _granularity(each: Grouped[WordScores], granularity: str) -> Table:
    """Systems by the measures of a granularity, as W14's Tables 17 to 19; above them the trivial baselines."""
    result = each.result
    alone = [c for c in result.comparisons if c.measure.group == granularity]
    beside = [c for c in result.with_baselines if c.measure.group == granularity]
    own = set(result.systems)
    baselines = [name for name in beside[0].systems if name not in own]
    rows = [[*(_unmarked(c, name) for c in beside), name] for name in baselines]
    systems = [name for name in _in_order(alone) if name in own]
    rows += [[*(value_text(c, c.systems.index(name)) for c in alone), name] for name in systems]
    columns = [*map(value_column, beside), Column("system", align="left")]
    notes = [
        f"in percent; {counted(result.words, 'word')} of {counted(result.sentences, 'sentence')}; ordered by "
        f"{beside[0].measure.name}; MCC of a constant answer is 0 by definition",
        *(mark_notes(alone) if systems else mark_notes(beside)[:1]),
        *_not_better(beside[0], systems, baselines),
    ]
    return _of_group(each, granularity, columns, rows, notes, frozenset({len(baselines)} if systems else ()))


def _unmarked(comparison: Comparison, name: str) -> str:
    """A baseline is never marked: it takes no part."""
    return (
        value_text(comparison, comparison.systems.index(name)).removeprefix(WINNER).removeprefix(JOINT_WINNER).strip()
    )


def _not_better(comparison: Comparison, systems: Sequence[str], baselines: Sequence[str]) -> list[str]:
    """Systems that do not beat the better baseline."""
    if comparison.usable is None or not systems:
        return []
    values = [float(comparison.values[comparison.systems.index(name)]) for name in baselines]
    best = baselines[values.index(max(values))]
    words = dict(zip(comparison.systems, comparison.against(comparison.systems.index(best)), strict=True))
    beaten = [name for name in systems if words[name] not in ("better", None)]
    if not beaten:
        return [f"every system is significantly better than {best} by {comparison.measure.name}"]
    return [f"not significantly better than {best} by {comparison.measure.name}: {', '.join(beaten)}"]


def _classes(each: Grouped[WordScores], granularity: str) -> Table:
    """Every class against the rest, for every system."""
    columns = [Column("system", align="left"), Column("class", align="left"), Column("words"),
               *(Column(name, _percent) for name in ("precision", "recall", "F1", "MCC"))]  # fmt: skip
    rows: list[list[Any]] = []
    rules = []
    for system, scores in each.result.classes[granularity].items():
        rules.append(len(rows))
        values = zip(scores.precision, scores.recall, scores.f1, scores.mcc, strict=True)
        rows += [
            [system, name, int(count), *map(float, line)]
            for name, count, line in zip(scores.classes, scores.counts, values, strict=True)
        ]
    notes = ["in percent, each class against the rest; words: of this class among the gold labels; –: has no value"]
    return _of_group(each, granularity, columns, rows, notes, frozenset(rule for rule in rules if rule))


def _percent(value: float) -> str:
    return number_text(100 * value, 2)


def _of_group(
    each: Grouped[WordScores], granularity: str, columns: Sequence[Column], rows: Sequence[Sequence[Any]],
    notes: Sequence[str], rules: frozenset[int],
) -> Table:  # fmt: skip
    """The table of a granularity; the last one has what holds for all."""
    result = each.result
    last = granularity == result.granularities[-1]
    keys = tuple(i for i, column in enumerate(columns) if column.align == "left")
    return Table(
        columns, rows, ": ".join(filter(None, (each.title, granularity))), rules, result.signature if last else None,
        [*notes, *(_notes(result) if last else ())], keys=keys,
    )  # fmt: skip


def _flat_words(results: Sequence[Grouped[WordScores]], part: str | None = None) -> list[Table]:
    if part == "classes":
        return [_flat_classes(each) for each in results]
    if part == "pairs":
        return flat_pairs(results)
    # The baselines stand beside the systems, but take no part: what is marked is marked among systems.
    return [_with_baselines(each, table) for each, table in zip(results, flat_values(results), strict=True)]


def _with_baselines(each: Grouped[WordScores], table: Table) -> Table:
    own = {*each.result.systems} or {*each.result.comparisons[0].systems}
    ahead = list(front(each).values())
    rows = [
        [*ahead, name, c.measure.name, c.measure.group,
         *(None if v != v else float(v) for v in (value, *ends)), None, None]
        for c in each.result.with_baselines
        for name, value, ends in zip(c.systems, c.values, c.intervals, strict=True)
        if name not in own
    ]  # fmt: skip
    return replace(table, rows=[*table.rows, *rows])


def _flat_classes(each: Grouped[WordScores]) -> Table:
    names = ("group", "system", "class", "words", "precision", "recall", "f1", "mcc")
    ahead = front(each)
    rows = [[*ahead.values(), *(entry[name] for name in names)] for entry in each.result.to_dict()["classes"]]
    columns = [Column(name) for name in (*ahead, *names)]
    return Table(columns, rows, signature=each.result.signature, notes=_notes(each.result))


WORDS = View(_words, _flat_words, parts=("pairs", "classes"))


# -- HTER --------------------------------------------------------------------------------------------


def _hter(results: Sequence[Grouped[PostEditing]], part: str | None = None) -> list[Table]:
    return pair_tables(results) if part == "pairs" else [_edited(each.result, each.title) for each in results]


def _edited(result: PostEditing, title: str | None) -> Table:
    columns = [*map(value_column, result.comparisons), Column("edits"), Column("words"), Column("untouched"),
               Column("system", align="left")]  # fmt: skip
    rows = []
    for name in _in_order(result.comparisons):
        i = result.systems.index(name)
        counts = [f"{values[i].sum():,.0f}" for values in (result.edits, result.words)]
        values = [value_text(comparison, i) for comparison in result.comparisons]
        rows.append([*values, *counts, f"{number_text(result.untouched[i], 1)} %", name])
    notes = [
        f"in percent of the words of post-edits: HTER, the mean of {counted(result.sentences, 'sentence')}; corpus "
        "HTER, all edits by all words; untouched: sentences without an edit",
        *mark_notes(result.comparisons),
        *_notes(result),
    ]
    return Table(columns, rows, title, signature=result.signature, notes=notes, keys=(len(columns) - 1,))


def _flat_hter(results: Sequence[Grouped[PostEditing]], part: str | None = None) -> list[Table]:
    return _by_part(results, part)


HTER = View(_hter, _flat_hter, parts=("pairs",))
