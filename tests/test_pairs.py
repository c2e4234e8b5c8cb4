"""Every two systems: which of them are separated, and matrices that read the same way."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders import counted, random_rows
from scipy.stats import binomtest

import palmares as pm
from palmares.errors import InputError
from palmares.judgments import Judgments
from palmares.ranking.result import Ranking
from palmares.report import VIEWS
from palmares.report.tables import Grouped, rendered

#: a and b are alike, and both much better than c.
CLEAR = counted({("a", "b"): (20, 4, 20), ("a", "c"): (38, 0, 2), ("b", "c"): (37, 0, 3)})


@pytest.fixture(scope="module")
def ranking() -> Ranking:
    return pm.rank(CLEAR, resample="pair", resamples=200, rng=0)


def table(command: str, result: Any, part: str | None, which: int = 0) -> list[list[str]]:
    return VIEWS.load(command).tables([Grouped(result)], part)[which].shown()


# -- rank --pairs ----------------------------------------------------------------------------------


def test_every_two_systems_are_listed_by_rank(ranking: Ranking) -> None:
    first, second, third = ranking.systems
    assert [(pair.above, pair.below) for pair in ranking.pairs] == [(first, second), (first, third), (second, third)]


def test_a_pair_is_separated_where_rank_ranges_do_not_overlap(ranking: Ranking) -> None:
    assert ranking.clusters == [["a", "b"], ["c"]]
    assert [pair.separated for pair in ranking.pairs] == [False, True, True]


def test_pairs_of_one_cluster_can_be_separated() -> None:
    """Of ranges 1–2, 2–3 and 3–4 the first and the last do not overlap, though the second links them into a cluster."""
    data = Judgments.from_rows(random_rows(np.random.default_rng(3), systems=8, rankings=90))
    ranking = pm.rank(data, resample="pair", resamples=200, rng=0)
    lines = {line.system: line for line in ranking.lines}
    expected = [max(lines[p.above].range) < min(lines[p.below].range) for p in ranking.pairs]
    assert [pair.separated for pair in ranking.pairs] == expected
    same_cluster = [lines[p.above].cluster == lines[p.below].cluster for p in ranking.pairs]
    assert any(apart and same for apart, same in zip(expected, same_cluster, strict=True))
    assert all(apart or same for apart, same in zip(expected, same_cluster, strict=True))


def test_differences_are_of_scores_with_an_interval_over_samples(ranking: Ranking) -> None:
    score = {line.system: line.score for line in ranking.lines}
    replicates = ranking.replicates
    for pair in ranking.pairs:
        assert pair.difference == pytest.approx(score[pair.above] - score[pair.below])
        one, other = (replicates.scores[:, replicates.systems.index(name)] for name in (pair.above, pair.below))
        # p = .05 of 200 samples: five are dropped at each end.
        kept = sorted(one - other)[5:-5]
        assert pair.interval == pytest.approx((kept[0], kept[-1]), abs=1e-9)
    beliefs = ranking.beliefs
    for pair in ranking.pairs:
        one, other = (beliefs.scores[:, beliefs.systems.index(name)] for name in (pair.above, pair.below))
        assert pair.better == pytest.approx(np.mean(one > other))


def test_an_interval_of_no_width_is_not_printed() -> None:
    # Every comparison of a and b is won by a, so every sample has bojar's scores 1 and 0.
    ranking = pm.rank(counted({("a", "b"): (40, 0, 0)}), model="bojar", resample="pair", resamples=100, rng=0)
    (pair,) = ranking.pairs
    assert (pair.interval, pair.better, pair.separated) == (None, 1.0, True)
    text = rendered("rank", [Grouped(ranking)], "table", "pairs").text
    assert "–: every sample gives the same difference" in text
    assert "[1.000, 1.000]" not in text.split("pairs are separated")[0].split("below")[1]


@pytest.mark.parametrize(("source", "alternative"), [("sign-test", "two-sided"), ("one-sided-sign-test", "greater")])
def test_with_sign_tests_a_pair_has_its_own_p(source: str, alternative: str) -> None:
    wins = {("a", "b"): (20, 20), ("a", "c"): (38, 2), ("b", "c"): (37, 3)}
    ranking = pm.rank(CLEAR, resample=source, rng=0)
    for pair in ranking.pairs:
        won, lost = wins.get((pair.above, pair.below)) or wins[pair.below, pair.above][::-1]
        assert pair.p == pytest.approx(binomtest(won, won + lost, alternative=alternative).pvalue)
        assert (pair.interval, pair.better) == (None, None)
    assert [row[:2] + row[-2:-1] for row in table("rank", ranking, "pairs", 1)] == [
        ["a", "b", "no"], ["a", "c", "yes"], ["b", "c", "yes"]
    ]  # fmt: skip


def test_the_table_says_how_many_are_separated(ranking: Ranking) -> None:
    shown = VIEWS.load("rank").tables([Grouped(ranking)], "pairs")[1]
    assert [column.name for column in shown.columns] == [
        "above", "below", "lead", "95 % interval", "P", "separated", "joint p"
    ]  # fmt: skip
    assert shown.notes[0].startswith("2 of 3 pairs are separated")
    # 38 and 37 of 40 are far more than three comparisons ask for, 20 of 40 is not.
    assert shown.notes[1].startswith("2 are ordered jointly: joint p")
    assert shown.rules == {2}  # above the pairs of the second system


def test_without_ranges_nothing_can_be_separated() -> None:
    with pytest.raises(InputError, match="has no rank ranges that could separate systems; use --resample auto"):
        _ = pm.rank(CLEAR, resample=None, rng=0).pairs


def test_csv_and_json_have_the_pairs_too(ok: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    pm.write(CLEAR, path)
    options = ("rank", path, "--resample", "pair", "--resamples", 200, "--pairs")
    rows = list(csv.DictReader(io.StringIO(ok(*options, "--format", "csv").out)))
    assert list(rows[0]) == [
        "lang_pair", "above", "below", "difference", "low", "high", "better", "p", "separated", "adjusted"
    ]  # fmt: skip
    assert [(row["above"], row["below"], row["separated"]) for row in rows][1:] == [
        ("a", "c", "yes"), ("b", "c", "yes")
    ]  # fmt: skip
    (found,) = ok(*options, "--format", "json").json
    assert [(p["above"], p["below"], p["separated"]) for p in found["pairs"]] == [
        ("a", "b", False), ("a", "c", True), ("b", "c", True)
    ]  # fmt: skip
    assert found["pairs"][1]["interval"] == pytest.approx([float(rows[1]["low"]), float(rows[1]["high"])])
    assert "pairs" not in json.loads(ok(*options[:-1], "--format", "json").out)[0]


def test_two_tables_of_pairs_are_refused(refused: Callable[..., str], tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    pm.write(CLEAR, path)
    assert "ask for one at a time" in refused("rank", path, "--pairs", "--probabilities")


# -- one way to read a matrix ----------------------------------------------------------------------


def test_rows_and_columns_mean_the_same_in_both_tables(ranking: Ranking) -> None:
    """In both, c's row is full of others' successes, and its column of its own."""
    compared = table("head-to-head", pm.head_to_head(CLEAR, ranking), None)
    sampled = table("rank", ranking, "probabilities", 2)
    for matrix in (compared, sampled):
        names = [row[1] for row in matrix[:3]]
        assert names == list(ranking.systems)
        column = 2 + names.index("a")
        cell, mirrored = matrix[names.index("c")][column], matrix[names.index("a")][2 + names.index("c")]
        assert float(cell.rstrip(" ⋆†‡")) > 0.9 > 0.1 > float(mirrored.rstrip(" ⋆†‡"))
    # a won 38 of 40, and stands above c in every sample.
    assert compared[names.index("c")][column] == ".95‡"
    assert sampled[names.index("c")][column] == "1"


def test_both_tables_say_how_to_read_a_cell(ranking: Ranking) -> None:
    first, second, _ = ranking.systems
    compared = pm.head_to_head(CLEAR, ranking)
    text = rendered("head-to-head", [Grouped(compared)], "table").text
    assert (
        "How often the column's system was judged better than the row's, ties ignored: "
        f"{first} (column 1) better than {second} (row 2) in .50.\n" in text
    )
    text = rendered("rank", [Grouped(ranking)], "table", "probabilities").text
    share = f"{ranking.better[0, 1]:.3f}".removeprefix("0")
    assert (
        "How likely the column's system is better than the row's: "
        f"{first} (column 1) better than {second} (row 2) with {share}.\n" in text
    )


def test_an_example_is_a_pair_that_met() -> None:
    data = counted({("a", "b"): (0, 9, 0), ("b", "c"): (9, 0, 3), ("a", "c"): (9, 1, 3)})
    ranking = pm.rank(data, resample=None, rng=0)
    compared = pm.head_to_head(data, ranking)
    text = rendered("head-to-head", [Grouped(compared)], "table").text
    top = ranking.systems[0]  # a or b, which never decided anything between them
    assert f"ties ignored: {top} (column 1) better than c (row 3) in .75.\n" in text


def test_a_group_is_in_the_title_and_the_csv(ranking: Ranking) -> None:
    group = (("lang_pair", "de-en"), ("judge", "ann"))
    each = [Grouped(pm.head_to_head(CLEAR, ranking), group)]
    assert rendered("head-to-head", each, "table").text.startswith("de-en, judge ann\n")
    assert rendered("head-to-head", each, "csv").text.startswith("lang_pair,judge,row,column,share,")
    assert json.loads(rendered("head-to-head", each, "json").text)[0]["group"] == dict(group)
