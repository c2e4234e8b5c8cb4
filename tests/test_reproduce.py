"""The papers' experiments: what was transcribed, what is computed from it, and that every one runs."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm

from palmares import EXPERIMENTS, reproduce
from palmares.analysis.compare.heldout import evaluate
from palmares.compute import Execution
from palmares.errors import InputError
from palmares.experiments.base import Context, Experiment
from palmares.experiments.campaigns import from_table, oracle, tie_rate, track, wmt13_pool
from palmares.experiments.hm13 import scarce
from palmares.experiments.predictions import cut, drawn, measured, split
from palmares.experiments.published import HeadToHeadTable, head_to_head_tables, load
from palmares.experiments.s14_nway import matches_of
from palmares.experiments.s14_selection import by_difference, by_quality, choose
from palmares.experiments.w14_accuracy import accuracy
from palmares.experiments.w14_models import disagreements, spearman
from palmares.experiments.w14_tables import expected_wins, uneven_pairs
from palmares.judgments import Judgments
from palmares.judgments.counts import PairCounts
from palmares.models.baselines import IndependentPairs
from palmares.models.trueskill import TrueSkill
from palmares.models.trueskill_rows import chains_of

DOCS = Path(__file__).parents[1] / "docs"
TABLES = [pytest.param(table, id=str(table.table)) for table in head_to_head_tables()]


# -- what was transcribed --------------------------------------------------------------------------


def test_there_are_ten_tables_with_the_systems_of_table_3() -> None:
    systems = {name: count for name, count, _, _ in load("w14")["table_3"][:10]}
    assert {table.pair: len(table.systems) for table in head_to_head_tables()} == systems
    assert [table.table for table in head_to_head_tables()] == list(range(28, 38))


@pytest.mark.parametrize("table", TABLES)
def test_every_cell_is_there(table: HeadToHeadTable) -> None:
    n = len(table.systems)
    assert table.better.shape == (n, n)
    assert len(table.score) == len(table.rank) == n
    assert (np.isnan(table.better) == np.eye(n, dtype=bool)).all()
    assert len(set(table.systems)) == n


def test_single_cells_as_printed() -> None:
    """Column against row: read off the paper by eye."""
    cells = {
        (28, "UEDIN-SYNTAX", "ONLINE-B"): 0.57,
        (29, "COMMERCIAL2", "CU-DEPFX"): 0.76,
        (31, "UU-DOCENT", "UEDIN-SYNTAX"): 0.75,
        (34, "IIT-HYDERABAD", "ONLINE-B"): 0.94,
        (36, "AFRL-PE", "RBMT4"): 0.21,
    }
    tables = {table.table: table for table in head_to_head_tables()}
    for (number, row, column), value in cells.items():
        table = tables[number]
        assert table.better[table.systems.index(row), table.systems.index(column)] == value


def test_the_cells_of_a_pair_add_up_to_one_but_for_four_that_the_paper_prints_otherwise() -> None:
    uneven = [(table.table, *pair) for table in head_to_head_tables() for pair in uneven_pairs(table)]
    assert uneven == [
        (31, "ONLINE-A", "UU", 0.37, 0.62),
        (33, "MATRAN", "ONLINE-C", 0.32, 0.67),
        (34, "ONLINE-B", "IIT-HYDERABAD", 0.0, 0.94),
        (37, "PROMT-RULE", "RBMT1", 0.0, 0.91),
    ]


def test_table_9_has_the_systems_of_table_31_three_times() -> None:
    table = head_to_head_tables()[3]
    columns = load("w14")["table_9"]
    assert all(sorted(column) == sorted(table.systems) for column in columns.values())
    # The official order is TrueSkill's.
    assert tuple(columns["trueskill"]) == table.systems


def test_table_7_means_are_the_means_of_its_columns() -> None:
    lines = dict(load("w14")["table_7"])
    mean = lines.pop("MEAN")
    means = np.array(list(lines.values())).mean(axis=0)
    assert means[:3] == pytest.approx(mean[:3], abs=0.05)
    # The oracle's column averages 49.48, not 49.2 as printed.
    assert (means[3], mean[3]) == (pytest.approx(49.48), 49.2)


def test_official_clusters_of_a_table() -> None:
    assert head_to_head_tables()[0].clusters == [
        {"ONLINE-B"}, {"UEDIN-PHRASE"}, {"UEDIN-SYNTAX", "ONLINE-A"}, {"CU-MOSES"},
    ]  # fmt: skip


# -- what is computed from it ----------------------------------------------------------------------


@pytest.mark.parametrize("table", TABLES)
def test_expected_wins_from_the_cells_are_the_printed_scores(table: HeadToHeadTable) -> None:
    assert expected_wins(table) == pytest.approx(table.score, abs=0.01)
    # By hand: the mean of the column, as printed.
    by_hand = [sum(c for c in column if c == c) / (len(table.systems) - 1) for column in table.better.T.tolist()]
    assert by_hand == pytest.approx(table.score, abs=0.01)


def test_all_110_scores_are_within_a_hundredth() -> None:
    found = reproduce("w14-head-to-head")
    assert len(found.rows) == 110
    assert all(abs(row.difference) <= 0.01 for row in found.rows)
    assert "110 of 110" in found.checks[0].evidence


def test_the_amounts_of_data_add_up_but_for_one_average() -> None:
    found = reproduce("w14-data", quick=True)
    far = [row.label for row in found.rows if abs(row.difference) >= 0.1]
    assert far == ["WMT12"]  # 101,969 / 103 = 990.0, printed as 999.6


def test_a_campaign_is_rebuilt_with_the_oracle_that_was_wanted() -> None:
    table = head_to_head_tables()[0]
    counts = from_table(table, 21130, tie_rate(table, 21130, 0.412))
    assert counts.total == pytest.approx(21130, abs=10)
    assert oracle(counts) == pytest.approx(0.412, abs=0.002)
    assert counts.wins[0, 1] / counts.decided[0, 1] == pytest.approx(0.53, abs=0.001)


def test_the_oracle_by_hand() -> None:
    wins = np.array([[0.0, 5, 2], [3, 0, 1], [2, 0, 0]])
    ties = np.array([[0.0, 2, 4], [2, 0, 0], [4, 0, 0]])
    assert oracle(PairCounts(("a", "b", "c"), wins, ties)) == pytest.approx((5 + 4 + 1) / (10 + 8 + 1))


def test_accuracy_of_a_partial_order_by_hand() -> None:
    wins = np.array([[0.0, 8, 9], [2, 0, 3], [1, 3, 0]])
    ties = np.array([[0.0, 0, 0], [0, 0, 4], [0, 4, 0]])
    counts = PairCounts(("a", "b", "c"), wins, ties)
    # b and c are .05 apart: together they are right 4 times of 10, in order 3 times.
    assert accuracy(np.array([0.5, 0.1, 0.05]), counts, counts) == pytest.approx((8 + 9 + 4) / 30)


# -- predictions -----------------------------------------------------------------------------------


def test_the_published_cut_puts_the_tie_between_0_and_the_radius() -> None:
    table = cut(np.array([0.2, 0.0]), np.array([0.5, 0.5]), 0.3, symmetric=False)
    expected = [1 - norm.cdf(0.1), norm.cdf(0.1) - norm.cdf(-0.2), norm.cdf(-0.2)]
    assert table[0, 1] == pytest.approx(expected)
    assert table[1, 0] == pytest.approx(expected[::-1])


def test_the_symmetric_cut() -> None:
    table = cut(np.array([0.2, 0.0]), np.array([0.5, 0.5]), 0.3, symmetric=True)
    assert table[0, 1] == pytest.approx([norm.sf(0.1), norm.cdf(0.1) - norm.cdf(-0.5), norm.cdf(-0.5)])


def test_accuracy_and_perplexity_by_hand() -> None:
    counts = PairCounts(("a", "b"), np.array([[0.0, 2], [1, 0]]), np.array([[0.0, 1], [1, 0]]))
    assert measured(np.full((2, 2, 3), 1 / 3), counts)[1] == pytest.approx(3)
    table = np.array([[[1 / 3] * 3, [0.5, 0.25, 0.25]], [[0.25, 0.25, 0.5], [1 / 3] * 3]])
    # Two of four right; mean log2: (−1 − 1 − 2 − 2) / 4.
    assert measured(table, counts) == pytest.approx((0.5, 2**1.5))


def test_predictions_are_measured_as_everywhere_else() -> None:
    train, test = (track(600, systems=6, reference=False, rng=np.random.default_rng(seed)) for seed in (0, 1))
    found = evaluate(IndependentPairs(), train, test, seed=0)
    expected = (found.accuracy_outcome, found.perplexity)
    assert measured(IndependentPairs().fit(train).outcomes, test.counts) == pytest.approx(expected)


def test_the_test_set_is_the_judgments_on_the_rarest_segments() -> None:
    judgments = track(200, systems=6, reference=False, rng=np.random.default_rng(0))
    segment = judgments.codes("segment")
    sizes = np.bincount(segment)
    mask = scarce(judgments, 60)
    k = sizes[segment[mask]].max()
    assert mask.sum() >= 60
    assert (mask == (sizes[segment] <= k)).all()
    assert (sizes[segment] < k).sum() < 60  # no smaller k would do


# -- campaigns -------------------------------------------------------------------------------------


def test_a_stand_in_has_experts_a_crowd_and_test_judgments_of_the_same_systems() -> None:
    pool = wmt13_pool(Context(Execution(seed=1)), 300)
    assert not pool.real
    assert pool.train.systems == pool.test.systems == pool.experts.systems
    assert (len(pool.experts), len(pool.crowd), len(pool.test)) == (1000, 2000, 2000)


def test_a_split_keeps_development_rankings_out_of_training() -> None:
    pool = wmt13_pool(Context(Execution(seed=1)), 300)
    everyone, researchers = split(pool, "all", 20, 0), split(pool, "res", 20, 0)
    assert (len(everyone.train), len(researchers.train)) == (2800, 800)
    assert everyone.dev.hash == researchers.dev.hash
    assert everyone.dev.total == 200


def test_a_draw_that_links_no_systems_is_refused() -> None:
    pool = wmt13_pool(Context(Execution(seed=1)), 300)
    with pytest.raises(InputError, match="3 of 3000 judgments do not link 13 systems"):
        drawn(pool.train, 3, np.random.default_rng(0))


def test_a_reference_is_far_better_than_all_others() -> None:
    made = track(3000, systems=5, reference=True, rng=np.random.default_rng(0))
    decided = made.counts.decided
    assert (made.counts.wins[-1, :-1] / decided[-1, :-1]).min() > 0.8


@pytest.mark.parametrize("ways", [2, 3, 4, 5])
def test_matches_are_complete_rankings_of_so_many(ways: int) -> None:
    matches = matches_of(wmt13_pool(Context(Execution(seed=1)), 300).train)
    chosen = matches.drawn(ways, 50, np.random.default_rng(0))
    chains = chains_of(chosen)
    assert len(chosen) == 50 * ways * (ways - 1) // 2
    assert np.diff(chains.starts).tolist() == [ways] * 50
    assert chains.note is None


# -- what TrueSkill chooses ------------------------------------------------------------------------


def test_weights_of_opponents() -> None:
    assert by_difference(np.array([0.0, -1.0]), np.zeros(2), 1.0) == pytest.approx([1, np.exp(-1)])
    # c² = 2 · 1 + 2 = 4, by Sakaguchi et al. 2014, §2.4.
    assert by_quality(np.array([2.0]), np.array([2.0]), 1.0) == pytest.approx(np.sqrt(0.5) * np.exp(-0.5))


def test_recorded_runs_end_where_the_compiled_ones_do() -> None:
    counts = wmt13_pool(Context(Execution(seed=2)), 300).train.counts
    model = TrueSkill(runs=60)
    compiled = model.fit(counts, rng=0)
    steps = round(counts.total)
    runs = np.array([choose(counts, steps, by_difference, np.random.default_rng(run))[1] for run in range(8)])
    error = compiled.draws.std(axis=0) / np.sqrt(8)
    assert (np.abs(runs.mean(axis=0) - compiled.scores) < 4.5 * error).all()


def test_disagreements_and_spearman_by_hand() -> None:
    one, other = np.array([3.0, 2.0, 1.0]), np.array([3.0, 1.0, 2.0])
    assert disagreements([one, other]) == [(1, 2)]
    assert spearman(one, other) == pytest.approx(0.5)


# -- the registry ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_is_described(name: str) -> None:
    experiment: Experiment = EXPERIMENTS.load(name)
    assert experiment.id == name
    papers = r"(Hopkins & May 2013|Koehn 2012|Sakaguchi et al\. 2014|Bojar et al\. 2014|Otani et al\. 2016)"
    assert re.match(rf"{papers}, (Table|Figure)", experiment.reference)
    assert experiment.quick
    assert set(experiment.quick) <= set(experiment.settings)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_has_a_section_of_results(name: str) -> None:
    text = (DOCS / "reproduction.md").read_text(encoding="utf-8")
    section = text.split(f"\n## {name}\n")[1].split("\n## ")[0]
    assert f"palmares reproduce {name}" in section
    assert EXPERIMENTS.load(name).reference in section


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_quick_variant_runs(name: str) -> None:
    found = reproduce(name, quick=True, rng=0, execution=Execution("serial"))
    assert found.rows
    assert found.checks
    assert all(row.n is not None for row in found.rows)
    assert all(row.measured is not None or row.at for row in found.rows)
    assert "|seed:0|" in found.signature
    assert found.signature.startswith(f"experiment:{name}|quick:yes|")
    figures = [row.measured for row in found.rows if row.measured is not None]
    assert np.isfinite(figures).all()


@pytest.mark.parametrize("name", ["hm13-abilities", "w14-accuracy"])
def test_the_seed_decides_and_where_work_runs_does_not(name: str) -> None:
    one, again, other = (
        reproduce(name, quick=True, rng=seed, execution=Execution(where))
        for seed, where in ((1, "serial"), (1, "threads"), (2, "serial"))
    )
    assert one.rows == again.rows
    assert one.rows != other.rows


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_full_experiment_runs(name: str) -> None:
    import os

    found = reproduce(name, rng=0, execution=Execution("serial"), data=os.environ.get("PALMARES_REAL_DATA") or None)
    assert found.rows
    assert "|quick:no|" in found.signature


@pytest.mark.real
def test_the_official_ranking_comes_out_of_the_published_judgments(real_data: Path) -> None:
    found = reproduce("s14-ranking", data=real_data)
    scores = [row for row in found.compared if row.digits == 3]
    assert [row.label for row in scores] == list(load("s14")["table_1"])
    assert max(abs(row.difference) for row in scores) < 0.003
    ranges = {row.label: row.measured for row in found.rows if row.group == "rank ranges as published"}
    assert ranges["resampled by pair"] >= 11


def test_without_a_seed_an_experiment_runs_with_0() -> None:
    seeds = [reproduce("w14-head-to-head", quick=True, execution=run).settings["seed"] for run in (None, Execution())]
    assert seeds == [0, 0]
    assert reproduce("w14-head-to-head", quick=True, execution=Execution(seed=7)).settings["seed"] == 7


def test_a_folder_without_the_judgments_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has no wmt13/fr-en.train.csv, which s14-nway reads; .*--data"):
        reproduce("s14-nway", data=tmp_path)


def test_judgments_of_a_pool_have_digests() -> None:
    pool = wmt13_pool(Context(Execution(seed=1)), 90)
    assert isinstance(pool.train, Judgments)
    assert list(pool.data.values()) == [pool.train.hash, pool.test.hash]
