"""Bojar et al. 2014, Table 9: do three models put the systems in the same order and clusters?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from ..compute import ExperimentStream, generator
from ..ingest.files import read
from ..judgments import FloatArray, Judgments
from ..ranking.bootstrap import comparable
from ..ranking.rank import rank
from .base import Check, Context, Experiment, Findings, Row
from .campaigns import WMT13, from_table, tie_rate, wmt13_pool
from .published import HeadToHeadTable, head_to_head_tables, load
from .w14_accuracy import LABELS, models
from .w14_tables import expected_wins

IDS = ("expected-wins", "hopkins-may", "trueskill")
#: How many clusters the official rankings had: of expected wins in WMT13, of TrueSkill in WMT16.
OFFICIAL = {
    ("WMT13 French–English", 0): 8.0, ("WMT16 ron-eng", 2): 3.0, ("WMT16 tur-eng", 2): 3.0, ("WMT16 deu-eng", 2): 5.0,
}  # fmt: skip
WMT16 = {pair: f"wmt16/wmt16.{pair}.csv" for pair in ("ron-eng", "tur-eng", "deu-eng")}


def _run(context: Context, *, tables: tuple[int, ...], runs: int, resamples: int, rankings: int) -> Findings:
    chosen = [table for table in head_to_head_tables() if table.table in tables]
    scored = {table.table: _rebuilt_scores(context, table, runs) for table in chosen}
    german = next(table for table in chosen if table.table == 31)
    rows = [*_table_9(german, scored[31]), *_same_orders(chosen, scored)]
    checks = [_inside_official(chosen, scored)]
    sets = _data_sets(context, rankings)
    for number, (name, judgments) in enumerate(sets.items()):
        more, check = _side_by_side(context, name, judgments, runs, resamples, number)
        rows += more
        checks.append(check)
    notes = [
        "campaigns of WMT14 are rebuilt from the win shares of Tables 28–37 and the sizes of Table 3, with the tie "
        "rate that gives the published oracle; clusters by pair resampling, as published, at p = .05.",
        "n: systems, tasks or judgments. ρ is Spearman's. Published clusters: the official rankings'.",
    ]  # fmt: skip
    return Findings(rows, checks, notes, {name: judgments.hash for name, judgments in sets.items()})


def _data_sets(context: Context, rankings: int) -> dict[str, Judgments]:
    pool = wmt13_pool(context, rankings)
    sets = {pool.name: pool.train}
    if context.folder is not None:
        sets |= {f"WMT16 {pair}": read(context.folder / file) for pair, file in WMT16.items()}
    return sets


# -- WMT14, from its tables ------------------------------------------------------------------------


def _rebuilt_scores(context: Context, table: HeadToHeadTable, runs: int) -> list[FloatArray]:
    """Scores of the three models on the campaign behind a table; expected wins from the printed cells themselves."""
    paper = load("w14")
    size = next(line[2] for line in paper["table_3"] if line[0] == table.pair)
    counts = from_table(table, size, tie_rate(table, size, paper["table_7"][table.pair][3] / 100))
    others = [
        np.asarray(model.fit(counts, rng=generator(context.seed, table.table, m)).scores)
        for m, model in enumerate(models(runs)[1:], 1)
    ]
    return [expected_wins(table), *others]


def _table_9(table: HeadToHeadTable, scores: Sequence[FloatArray]) -> list[Row]:
    columns = [load("w14")["table_9"][model] for model in IDS]
    # A published order as scores: the first of 18 gets 18.
    printed = [np.array([-column.index(name) for name in table.systems], dtype=np.float64) for column in columns]
    n = len(table.systems)
    group = "Table 9, English–German"
    rows = [
        Row(f"ρ {LABELS[i]} – {LABELS[j]}", spearman(printed[i], printed[j]), spearman(scores[i], scores[j]),
            n=n, group=group)
        for i, j in combinations(range(3), 2)
    ]  # fmt: skip
    for label, own, scored in zip(LABELS, printed, scores, strict=True):
        moved = int(np.abs(order_places(own) - order_places(scored)).max())
        note = f"largest shift: {moved}"
        rows.append(
            Row(f"{label}: ρ with its printed column", None, spearman(own, scored), n=n, group=group, note=note)
        )
    return rows


def _same_orders(tables: Sequence[HeadToHeadTable], scored: dict[int, list[FloatArray]]) -> list[Row]:
    """In how many tasks expected wins and TrueSkill give the same total order."""
    complete = len(tables) == 10
    printed = [bool((np.diff(expected_wins(table)) <= 1e-9).all()) for table in tables]
    rebuilt = [bool((order_places(s[0]) == order_places(s[2])).all()) for s in scored.values()]
    tasks = {"printed cells against the printed (official) order": printed, "on rebuilt campaigns": rebuilt}
    return [
        Row(label, 8.0 if complete else None, float(sum(same)), n=len(tables), digits=0,
            group="tasks where expected wins and TrueSkill give the same order")
        for label, same in tasks.items()
    ]  # fmt: skip


def _inside_official(tables: Sequence[HeadToHeadTable], scored: dict[int, list[FloatArray]]) -> Check:
    reordered, across = 0, 0
    for table in tables:
        number = {name: k for k, group in enumerate(table.clusters) for name in group}
        pairs = disagreements(scored[table.table])
        reordered += len(pairs)
        across += sum(number[table.systems[i]] != number[table.systems[j]] for i, j in pairs)
    return Check(
        "reorderings between the three models stay inside the official clusters",
        across == 0,
        f"rebuilt campaigns of {len(tables)} tasks: {reordered} reordered pairs, {across} of them across clusters",
    )


# -- campaigns with judgments ----------------------------------------------------------------------


def _side_by_side(
    context: Context, name: str, judgments: Judgments, runs: int, resamples: int, number: int
) -> tuple[list[Row], Check]:
    """Orders and clusters of the three models on one data set."""
    seed = int(generator(context.seed, ExperimentStream.RANKINGS, number).integers(0, 2**63))
    execution = replace(context.execution, seed=seed)
    ranked = [
        rank(judgments, model=model, resample="pair", resamples=resamples, execution=execution)
        for model in models(runs)
    ]
    scores = [np.array([_by_name(r.systems, i) for i in judgments.systems], dtype=np.float64) for r in ranked]
    rows = [
        Row(f"ρ {LABELS[i]} – {LABELS[j]}", None, spearman(scores[i], scores[j]), n=len(judgments.systems), group=name)
        for i, j in combinations(range(3), 2)
    ]
    rows += [
        Row(f"clusters by {label}", OFFICIAL.get((name, m)), float(len(r.clusters)), n=len(judgments), group=name,
            digits=0)
        for m, (label, r) in enumerate(zip(LABELS, ranked, strict=True))
    ]  # fmt: skip
    skill = {line.system: line.cluster for line in ranked[2].lines}
    pairs = disagreements(scores)
    across = sum(skill[judgments.systems[i]] != skill[judgments.systems[j]] for i, j in pairs)
    return rows, Check(
        "reorderings between the three models stay inside the clusters of TrueSkill", across == 0,
        f"{name}: {len(pairs)} reordered pairs, {across} of them across clusters",
    )  # fmt: skip


def _by_name(order: Sequence[str], name: str) -> int:
    return -order.index(name)


# -- orders ----------------------------------------------------------------------------------------


def spearman(one: FloatArray, other: FloatArray) -> float:
    """Spearman's ρ of two lists of scores."""
    from scipy.stats import spearmanr

    return float(spearmanr(comparable(one), comparable(other)).statistic)


def order_places(scores: FloatArray) -> FloatArray:
    """Places from 1 in descending order; equal scores by index."""
    place = np.empty(len(scores))
    place[np.argsort(-comparable(scores), kind="stable")] = np.arange(1, len(scores) + 1)
    return place


def disagreements(scores: Sequence[FloatArray]) -> list[tuple[int, int]]:
    """Pairs of systems that not all lists of scores put in the same order."""
    signs = np.stack([np.sign(comparable(s)[:, None] - comparable(s)) for s in scores])
    differ = np.triu((signs.min(axis=0) < 0) & (signs.max(axis=0) > 0), 1)
    return [(int(i), int(j)) for i, j in zip(*np.nonzero(differ), strict=True)]


MODELS = Experiment(
    "w14-models",
    "expected wins, Hopkins & May and TrueSkill side by side",
    "Bojar et al. 2014, Table 9 and §3.6",
    _run,
    settings={"tables": tuple(range(28, 38)), "runs": 100, "resamples": 120, "rankings": 9996},
    quick={"tables": (28, 31), "runs": 4, "resamples": 40, "rankings": 200},
    files=(*WMT13, *WMT16.values()),
)
