"""The bootstrap: what is drawn, how often, and that nothing but the seed decides it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest
from builders import counted, judged, random_rows

from palmares import Execution, rank, simulate
from palmares.compute import seed_of
from palmares.errors import InputError
from palmares.judgments import Judgments
from palmares.judgments.counts import PairCounts
from palmares.judgments.units import UNITS, unit_codes, unit_kinds
from palmares.models.base import Fit, ModelBase
from palmares.models.bradley_terry import BradleyTerry
from palmares.models.by_name import create
from palmares.models.ratios import ExpectedWins
from palmares.ranking import SOURCES
from palmares.ranking import bootstrap as resampling
from palmares.ranking.bootstrap import places_of, resample
from palmares.ranking.ranges import clusters, rank_ranges
from palmares.ranking.record import signature

ROWS = random_rows(np.random.default_rng(0), rankings=60)
JUDGMENTS = Judgments.from_rows(ROWS)
WEIGHTED = Judgments.from_rows(random_rows(np.random.default_rng(1), rankings=60, weights=True))


@dataclass(frozen=True)
class Refitted(ModelBase):
    """Expected wins of every bootstrap sample's own judgments: a model that is refitted."""

    id = "refitted"
    needs = "rows"
    predicts = False
    linked_by = "decisive"

    def fit(self, data: Judgments | PairCounts, *, rng: object = None) -> Fit:
        return ExpectedWins().fit(data)

    def rescore(self, judgments: Judgments, *, rng: np.random.Generator) -> np.ndarray:
        counts = judgments.counts
        return ExpectedWins().score(PairCounts(counts.systems, counts.wins[None], counts.ties[None]), [rng])[0]


# -- nothing but the seed --------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["bradley-terry", "expected-wins", "lopez", "monte-carlo-playoffs"])
@pytest.mark.parametrize("judgments", [JUDGMENTS, WEIGHTED], ids=["plain", "weighted"])
def test_it_does_not_matter_where_the_work_runs(model: str, judgments: Judgments) -> None:
    made = create(model, {"tournaments": "50"} if model == "monte-carlo-playoffs" else None)
    task = {"unit": "ranking", "resamples": 25}
    serial = resample(made, judgments, **task, execution=Execution("serial", seed=5))
    for place in (Execution(workers=1, seed=5), Execution(workers=3, seed=5), Execution("threads", 2, seed=5)):
        elsewhere = resample(made, judgments, **task, execution=place)
        assert np.array_equal(serial.scores, elsewhere.scores)
        assert np.array_equal(serial.places, elsewhere.places)


def test_processes_give_the_numbers_of_threads() -> None:
    task = {"unit": "ranking", "resamples": 12}
    threads = resample(ExpectedWins(), WEIGHTED, **task, execution=Execution(seed=5))
    processes = resample(ExpectedWins(), WEIGHTED, **task, execution=Execution("processes", 2, seed=5))
    assert np.array_equal(threads.scores, processes.scores)
    assert np.array_equal(threads.places, processes.places)


def test_an_executor_passed_in_is_used_and_stays_open() -> None:
    with ThreadPoolExecutor(2) as pool:
        task = {"unit": "pair", "resamples": 10}
        pooled = resample(ExpectedWins(), JUDGMENTS, **task, execution=Execution(pool, seed=1))
        serial = resample(ExpectedWins(), JUDGMENTS, **task, execution=Execution("serial", seed=1))
        assert np.array_equal(pooled.scores, serial.scores)
        assert pool.submit(int, "7").result() == 7


@pytest.mark.parametrize("model", [ExpectedWins(), BradleyTerry(), Refitted()], ids=["counts", "newton", "refit"])
@pytest.mark.parametrize("judgments", [JUDGMENTS, WEIGHTED], ids=["plain", "weighted"])
def test_it_does_not_matter_how_replicates_are_cut_into_pieces(
    monkeypatch: pytest.MonkeyPatch, model: object, judgments: Judgments
) -> None:
    task = {"unit": "segment", "resamples": 13, "execution": Execution("serial", seed=5)}
    whole = resample(model, judgments, **task)
    monkeypatch.setattr(resampling, "_NUMBERS_IN_A_PIECE", 1)
    assert np.array_equal(whole.scores, resample(model, judgments, **task).scores)


@pytest.mark.parametrize("model", [ExpectedWins(), BradleyTerry()], ids=["counts", "newton"])
def test_a_longer_run_begins_with_the_replicates_of_a_shorter_one(model: object) -> None:
    short, long = (
        resample(model, JUDGMENTS, unit="pair", resamples=n, execution=Execution(seed=5)).scores for n in (10, 30)
    )
    assert np.array_equal(short, long[:10])


def test_different_seeds_and_replicates_differ() -> None:
    one, other = (
        resample(ExpectedWins(), JUDGMENTS, unit="pair", resamples=20, execution=Execution(seed=s)).scores
        for s in (0, 1)
    )
    assert len(np.unique(np.concatenate([one, other]), axis=0)) == 40


def test_progress_is_reported_to_the_end() -> None:
    seen = []
    execution = Execution(seed=0, progress=lambda done, total: seen.append((done, total)))
    resample(ExpectedWins(), JUDGMENTS, unit="pair", resamples=20, execution=execution)
    assert seen == [(k, len(seen)) for k in range(1, len(seen) + 1)]
    assert len(seen) > 1


@pytest.mark.parametrize("executor", ["serial", "threads"])
def test_workers_below_one_are_refused(executor: str) -> None:
    with pytest.raises(InputError, match="workers: got -1; allowed: at least 1"):
        resample(ExpectedWins(), JUDGMENTS, unit="pair", resamples=5, execution=Execution(executor, -1, seed=0))


def test_an_unknown_executor_is_refused() -> None:
    with pytest.raises(
        InputError, match="executor: got 'cluster'; allowed: serial, threads, processes, or an Executor"
    ):
        resample(ExpectedWins(), JUDGMENTS, unit="pair", resamples=5, execution=Execution("cluster", seed=0))


def test_an_error_in_a_worker_comes_out() -> None:
    with pytest.raises(ZeroDivisionError):
        Execution("threads").run(divmod, [(1, 1), (1, 0), (2, 1)])


# -- what is drawn ---------------------------------------------------------------------------------

DRAWS = 4000


def drawn_tables(data: Judgments | PairCounts, unit: str) -> np.ndarray:
    """Wins and ties of many bootstrap samples, one flat row each."""
    kinds = unit_kinds(data, unit)
    rng = np.random.default_rng(7)
    tables = kinds.tables(np.stack([kinds.draw(rng) for _ in range(DRAWS)]))
    return np.concatenate([tables.wins.reshape(DRAWS, -1), tables.ties.reshape(DRAWS, -1)], axis=1)


def flat(counts: PairCounts) -> np.ndarray:
    return np.concatenate([counts.wins.ravel(), counts.ties.ravel()])


def assert_moments(drawn: np.ndarray, mean: np.ndarray, covariance: np.ndarray) -> None:
    """Mean within 5 standard errors; covariance likewise, with the error of a normal's covariance."""
    deviation = np.sqrt(np.diag(covariance))
    assert (np.abs(drawn.mean(0) - mean) <= 5 * deviation / np.sqrt(DRAWS) + 1e-9).all()
    error = np.sqrt((covariance**2 + np.outer(deviation**2, deviation**2)) / DRAWS)
    assert (np.abs(np.cov(drawn.T) - covariance) <= 6 * error + 1e-6).all()


def vectors_by(judgments: Judgments, unit: str) -> np.ndarray:
    """The vector of counts of every unit, by splitting the table."""
    size = len(judgments.systems) ** 2
    found = []
    for name in sorted(set(judgments.to_rows()[unit])):
        part = judgments.take(np.flatnonzero((judgments.to_rows()[unit] == name).to_numpy()))
        found.append(flat(part.counts))
    assert len(found[0]) == 2 * size
    return np.array(found)


@pytest.mark.parametrize("data", [JUDGMENTS, JUDGMENTS.counts], ids=["judgments", "counts"])
def test_pairs_are_drawn_as_a_multinomial(data: Judgments | PairCounts) -> None:
    total = len(JUDGMENTS)
    counts = flat(JUDGMENTS.counts)
    share = counts / total
    covariance = total * (np.diag(share) - np.outer(share, share))
    # A tie stands in two cells of the symmetric matrix: they move together.
    n = len(JUDGMENTS.systems)
    for i in range(n):
        for j in range(n):
            one, other = n * n + i * n + j, n * n + j * n + i
            covariance[one, other] = covariance[one, one]
    drawn = drawn_tables(data, "pair")
    assert_moments(drawn, counts, covariance)
    assert (drawn[:, : n * n].sum(1) + drawn[:, n * n :].sum(1) / 2 == total).all()


@pytest.mark.parametrize("unit", ["ranking", "segment", "judge"])
@pytest.mark.parametrize("judgments", [JUDGMENTS, WEIGHTED], ids=["plain", "weighted"])
def test_clusters_of_judgments_are_drawn_whole(judgments: Judgments, unit: str) -> None:
    # The sum of U vectors drawn with replacement: mean U·x̄, covariance U times that of the vectors.
    vectors = vectors_by(judgments, unit)
    units = len(vectors)
    assert_moments(drawn_tables(judgments, unit), vectors.sum(0), units * np.cov(vectors.T, ddof=0))


def test_the_check_of_moments_notices_the_wrong_unit() -> None:
    vectors = vectors_by(JUDGMENTS, "judge")
    with pytest.raises(AssertionError):
        assert_moments(drawn_tables(JUDGMENTS, "pair"), vectors.sum(0), len(vectors) * np.cov(vectors.T, ddof=0))


def test_weighted_pairs_are_drawn_with_their_weights() -> None:
    vectors = np.array([flat(WEIGHTED.take(np.array([k])).counts) for k in range(len(WEIGHTED))])
    assert_moments(drawn_tables(WEIGHTED, "pair"), vectors.sum(0), len(vectors) * np.cov(vectors.T, ddof=0))


def test_equal_units_are_one_kind_and_drawn_as_often_as_all_of_them() -> None:
    # 30 copies of one ranking and 10 of another: a draw of the first is binomial(40, 3/4).
    rows = [("a", "b", 1), ("a", "c", 1)] * 30 + [("a", "b", -1), ("b", "c", 0)] * 10
    names = [f"r{k // 2}" for k in range(80)]
    kinds = unit_kinds(judged(rows, ranking=names), "ranking")
    assert sorted(kinds.copies.tolist()) == [10, 30]
    assert kinds.units == 40
    rng = np.random.default_rng(0)
    first = np.array([kinds.draw(rng)[kinds.copies.argmax()] for _ in range(DRAWS)])
    assert first.mean() == pytest.approx(30, abs=5 * np.sqrt(40 * 0.75 * 0.25 / DRAWS))
    assert first.var() == pytest.approx(40 * 0.75 * 0.25, rel=5 * np.sqrt(2 / DRAWS))


@pytest.mark.parametrize("copies", [(1, 1, 1, 1, 1), (2, 1, 1, 1), (9, 8, 3)], ids=["distinct", "some", "merged"])
def test_every_way_of_drawing_has_binomial_margins(copies: tuple[int, ...]) -> None:
    # The three branches of `draw`: all distinct, a few merged, and few kinds with many copies.
    rows, names = [], []
    for kind, count in enumerate(copies):
        rows += [(f"s{kind}", "z", 1)] * count
        names += [f"{kind}-{k}" for k in range(count)]
    kinds = unit_kinds(judged(rows, ranking=names), "ranking")
    rng = np.random.default_rng(1)
    drawn = np.array([kinds.draw(rng) for _ in range(DRAWS)])
    total = sum(copies)
    share = kinds.copies / total
    assert (drawn.sum(1) == total).all()
    assert np.abs(drawn.mean(0) - kinds.copies).max() < 5 * np.sqrt(total * (share * (1 - share)).max() / DRAWS)
    assert drawn.var(0) == pytest.approx(total * share * (1 - share), rel=0.15)


def test_many_different_weights_need_no_more_memory_than_there_are_judgments() -> None:
    rows = random_rows(np.random.default_rng(2), rankings=400, weights=True)
    kinds = unit_kinds(Judgments.from_rows(rows), "ranking")
    assert len(kinds.cells) == len(kinds.amounts) == 1200
    assert kinds.tables(kinds.copies[None]).total == pytest.approx(rows["weight"].sum())


@pytest.mark.parametrize("unit", UNITS)
def test_drawing_every_unit_once_gives_the_counts_back(unit: str) -> None:
    for judgments in (JUDGMENTS, WEIGHTED):
        kinds = unit_kinds(judgments, unit)
        once = kinds.tables(kinds.copies[None])
        assert once.wins[0] == pytest.approx(judgments.counts.wins)
        assert once.ties[0] == pytest.approx(judgments.counts.ties)


def test_a_judgment_without_a_ranking_is_a_unit_of_its_own() -> None:
    table = judged([("a", "b", 1)] * 4 + [("a", "b", -1)] * 2, ranking=["r1", "r1", "r2", "r2", None, None])
    kinds = unit_kinds(table, "ranking")
    assert kinds.units == 4
    assert len(np.unique(unit_codes(table, "ranking"))) == 4


# -- models that are refitted ----------------------------------------------------------------------


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("judgments", [JUDGMENTS, WEIGHTED], ids=["plain", "weighted"])
def test_refitting_spreads_like_resampled_counts(judgments: Judgments, unit: str) -> None:
    assert Refitted().needs == "rows"
    task = {"unit": unit, "resamples": 400, "execution": Execution(seed=3)}
    refitted, counts = resample(Refitted(), judgments, **task), resample(ExpectedWins(), judgments, **task)
    assert np.isfinite(refitted.scores).all()
    spread = counts.scores.std(0)
    assert refitted.scores.std(0) == pytest.approx(spread, rel=0.25)  # 5 standard errors of a ratio of two
    assert (np.abs(refitted.scores.mean(0) - counts.scores.mean(0)) < 5 * spread * np.sqrt(2 / 400)).all()


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("weights", [False, True], ids=["plain", "weighted"])
def test_refitting_does_not_depend_on_the_order_of_rows(unit: str, weights: bool) -> None:
    rows = random_rows(np.random.default_rng(2), weights=weights)
    mixed = rows.sample(fraction=1, shuffle=True, seed=3).with_columns(ranking=pl.col("ranking").str.reverse())
    task = {"unit": unit, "resamples": 6, "execution": Execution(seed=3)}
    one, other = (resample(Refitted(), Judgments.from_rows(r), **task) for r in (rows, mixed))
    assert np.array_equal(one.scores, other.scores)
    assert np.array_equal(one.places, other.places)


def test_refitting_needs_the_judgments() -> None:
    with pytest.raises(InputError, match="model 'refitted' needs the judgments, not only their pair counts"):
        resample(Refitted(), JUDGMENTS.counts, unit="pair", resamples=5, execution=Execution(seed=0))


# -- clear errors ----------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", ["ranking", "segment", "judge"])
def test_counts_are_resampled_by_pair_only(unit: str) -> None:
    wording = f"resampling unit '{unit}' needs the judgments; pair counts can be resampled by 'pair' only"
    with pytest.raises(InputError, match=wording):
        resample(ExpectedWins(), JUDGMENTS.counts, unit=unit, resamples=5, execution=Execution(seed=0))
    with pytest.raises(InputError, match=wording):
        rank(JUDGMENTS.counts, resample=unit)


def test_sums_of_weights_cannot_be_resampled() -> None:
    with pytest.raises(InputError, match="sums of weights, which cannot be resampled; give the judgments"):
        resample(ExpectedWins(), WEIGHTED.counts, unit="pair", resamples=5, execution=Execution(seed=0))


@pytest.mark.parametrize(
    ("unit", "wording"),
    [
        ("judge", "cannot resample by judge: the judgments have no judge; use --resample pair"),
        ("sentence", "unknown resampling unit 'sentence'; allowed: auto, two-way, pair, ranking, segment, judge"),
    ],
)
def test_a_unit_the_judgments_lack_is_refused(unit: str, wording: str) -> None:
    table = counted({("a", "b"): (2, 0, 1)})
    with pytest.raises(InputError, match=wording):
        rank(table, resample=unit)
    with pytest.raises(InputError, match=wording):
        resample(ExpectedWins(), table, unit=unit, resamples=5, execution=Execution(seed=0))


def test_judgments_without_a_judge_are_counted_in_the_refusal() -> None:
    table = judged([("a", "b", 1), ("a", "b", -1), ("a", "b", 1)], judge=["x", None, None])
    with pytest.raises(InputError, match="cannot resample by judge: 2 of 3 judgments have no judge"):
        rank(table, resample="judge")


def test_without_ranking_ids_pairs_are_drawn_and_the_ranking_says_so() -> None:
    ranking = rank(counted({("a", "b"): (50, 0, 10)}), resamples=40, rng=0)
    assert "unit:pair" in ranking.signature.split("|")
    assert ranking.notes == (
        "uncertainty is for these judges and segments, with pairs drawn as if independent: judgments do not name "
        "their judges, and judgments do not name their segments",
    )


def test_no_resample_is_refused() -> None:
    with pytest.raises(InputError, match="resamples: got 0; allowed: at least 1"):
        resample(ExpectedWins(), JUDGMENTS, unit="pair", resamples=0, execution=Execution(seed=0))


# -- rank ranges and clusters ----------------------------------------------------------------------


def test_25_of_1000_ranks_are_dropped_at_each_end() -> None:
    # System 0 was 25 times first and 25 times last: all dropped. System 1 was so 26 times: one is left.
    places = np.full((1000, 2), 5)
    places[:25, 0], places[-25:, 0] = 1, 9
    places[:26, 1], places[-26:, 1] = 1, 9
    np.random.default_rng(0).shuffle(places)
    assert rank_ranges(places, p=0.05).tolist() == [[5, 5], [1, 9]]


@pytest.mark.parametrize(
    ("samples", "p", "cut"),
    [(1000, 0.05, 25), (1000, 0.10, 50), (100, 0.05, 3), (40, 0.05, 1), (1000, 0.002, 1), (400, 0.5, 100)],
)
def test_the_cut_is_half_of_p_rounded_up(samples: int, p: float, cut: int) -> None:
    places = np.arange(1, samples + 1)[:, None]
    assert rank_ranges(places, p=p).tolist() == [[cut + 1, samples - cut]]


@pytest.mark.parametrize(
    ("samples", "p", "enough"),
    [(39, 0.05, 40), (3, 0.05, 40), (1, 0.5, 4), (999, 0.002, 1000), (10, 0.9, 20)],
)
def test_too_few_resamples_are_refused_with_a_number_that_is_enough(samples: int, p: float, enough: int) -> None:
    with pytest.raises(InputError, match=f"{samples} resamples are too few for p = {p}; use at least {enough}$"):
        rank_ranges(np.ones((samples, 2), dtype=int), p=p)
    assert rank_ranges(np.ones((enough, 2), dtype=int), p=p).tolist() == [[1, 1], [1, 1]]


@pytest.mark.parametrize("p", [0, 1, -0.1, float("nan")])
def test_p_lies_between_0_and_1(p: float) -> None:
    with pytest.raises(InputError, match=r"p: got .*; allowed: between 0 and 1"):
        rank_ranges(np.ones((100, 2), dtype=int), p=p)


@pytest.mark.parametrize(
    ("ranges", "expected"),
    [
        ([(1, 1), (2, 3), (2, 3), (4, 4)], [1, 2, 2, 3]),
        ([(1, 2), (2, 3), (3, 4), (5, 5)], [1, 1, 1, 2]),  # a chain of overlaps
        # (2, 2) lies inside (1, 4): after it alone, (3, 4) would begin a cluster, though it meets (1, 4).
        ([(1, 4), (2, 2), (3, 4), (5, 5)], [1, 1, 1, 2]),
        ([(5, 5), (1, 4), (3, 4), (2, 2)], [2, 1, 1, 1]),  # in any order
        ([(1, 5)] * 5, [1] * 5),
        ([(1, 1)], [1]),
    ],
)
def test_clusters_are_the_finest_split_into_disjoint_ranges(ranges: list[tuple[int, int]], expected: list[int]) -> None:
    assert clusters(np.array(ranges)).tolist() == expected


def test_equal_scores_are_ordered_at_random() -> None:
    rng = np.random.default_rng(0)
    drawn = np.array([places_of(np.array([0.1 + 0.2, 0.9, 0.3]), rng) for _ in range(4000)])
    assert (drawn[:, 1] == 1).all()
    first = (drawn[:, 0] == 2).mean()
    assert first == pytest.approx(0.5, abs=5 * 0.5 / np.sqrt(4000))
    assert (np.sort(drawn, axis=1) == [1, 2, 3]).all()


def test_tied_systems_share_both_places_in_a_bootstrap() -> None:
    # All judgments of a and b are wins over c: whatever is drawn, both score 1.
    table = counted({("a", "c"): (200, 0, 0), ("b", "c"): (200, 0, 0)})
    drawn = resample(ExpectedWins(), table, unit="pair", resamples=2000, execution=Execution(seed=0))
    assert (drawn.places[:, 2] == 3).all()
    assert (drawn.places[:, 0] == 1).mean() == pytest.approx(0.5, abs=5 * 0.5 / np.sqrt(2000))
    ranking = rank(table, rng=0)
    assert [line.range for line in ranking.lines] == [(1, 2), (1, 2), (3, 3)]
    assert [line.rank for line in ranking.lines] == [1, 1, 3]
    assert ranking.clusters == [["a", "b"], ["c"]]


def test_a_ranking_without_resampling_has_ranks_only() -> None:
    ranking = rank(JUDGMENTS, resample="none", rng=0)
    assert ranking.replicates is None
    assert {(line.range, line.cluster) for line in ranking.lines} == {(None, None)}
    assert "unit:none" in ranking.signature.split("|")


def test_ranges_contain_where_the_replicates_mostly_are() -> None:
    ranking = rank(JUDGMENTS, resamples=200, rng=0, p=0.1)
    for line in ranking.lines:
        places_of = ranking.replicates.places[:, ranking.replicates.systems.index(line.system)]
        inside = (places_of >= line.range[0]) & (places_of <= line.range[1])
        assert inside.mean() >= 0.9


# -- seeds and signatures --------------------------------------------------------------------------


def test_a_seed_is_a_seed_in_any_form() -> None:
    assert seed_of(0) == 0
    assert seed_of(np.int64(5)) == 5
    assert seed_of(np.random.SeedSequence(5)) == 5
    assert seed_of(np.random.default_rng(5)) == seed_of(np.random.default_rng(5))
    assert seed_of(np.random.SeedSequence(5).spawn(2)[0]) != seed_of(np.random.SeedSequence(5).spawn(2)[1])
    assert seed_of(None) != seed_of(None)


def test_numbers_in_a_signature_can_be_read_back() -> None:
    facts = {"p": 0.05, "radius": 0.1234567891, "whole": 10.0, "unit": None, "resamples": 1000000}
    found = dict(part.split(":") for part in signature(facts, ExpectedWins(published=True)).split("|"))
    assert found["published"] == "yes"
    assert (found["p"], found["whole"], found["unit"], found["resamples"]) == (
        "0.05",
        "10",
        "none",
        "1000000",
    )
    assert float(found["radius"]) == 0.1234567891


def test_counts_and_judgments_rank_alike() -> None:
    one, other = (rank(data, resample="pair", resamples=100, rng=0) for data in (JUDGMENTS, JUDGMENTS.counts))
    assert one.lines == other.lines
    assert np.array_equal(one.replicates.scores, other.replicates.scores)


@pytest.mark.parametrize(("unit", "warned"), [("judge", True), ("segment", False), ("ranking", False), ("pair", False)])
def test_too_few_units_are_named(unit: str, warned: bool) -> None:
    campaign = simulate(judges=8, segments=200, rankings=300, rng=1)
    ranked = rank(campaign.judgments, resample=unit, resamples=50, rng=0)
    notes = tuple(note for note in ranked.notes if "likely the best" not in note)
    expected = (
        "only 8 judges to draw from; intervals and ranges are widened for that (t distribution with 7 degrees of "
        "freedom)"
    )
    assert notes == ((expected,) if warned else ())


# -- one unit --------------------------------------------------------------------------------------


def test_one_judge_cannot_be_resampled() -> None:
    data = judged([("a", "b", 1), ("a", "b", -1), ("b", "c", 1)], judge=["ann"] * 3)
    with pytest.raises(InputError, match="cannot resample by judge: there is only one judge, so every sample would be"):
        rank(data, resample="judge", rng=0)


def test_one_ranking_has_no_ranges() -> None:
    data = judged([("a", "b", 1), ("a", "c", 1), ("b", "c", 1)], ranking=["r"] * 3, judge=["j"] * 3, segment=["1"] * 3)
    ranking = rank(data, rng=0)
    assert [line.range for line in ranking.lines] == [None] * 3
    assert "only one ranking, so there is nothing to resample and there are no ranges" in ranking.notes


def test_ranges_can_come_from_every_unit() -> None:
    assert [source for source in SOURCES if source in UNITS] == list(UNITS)
