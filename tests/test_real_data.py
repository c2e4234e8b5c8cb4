"""Rankings of published campaigns, against what was published about them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
import pytest
from scipy.stats import spearmanr

from palmares import PairCounts, rank, read
from palmares.models.ratios import ExpectedWins

pytestmark = pytest.mark.real


class Line(NamedTuple):
    """One line of a published table."""

    cluster: int
    score: float
    first: int
    last: int
    system: str


def published_table(folder: Path, title: str) -> list[Line]:
    """The lines below a heading of gec15/EXPECTED.txt (Grundkiewicz et al. 2015)."""
    text = (folder / "gec15" / "EXPECTED.txt").read_text(encoding="utf-8")
    below = text.split(f"# {title}", 1)[1].split("\n#", 1)[0]
    pattern = re.compile(r"^(\d+) (-?[\d.]+) (\d+)-(\d+) (\S+)$", re.MULTILINE)
    return [Line(int(c), float(s), int(a), int(b), name) for c, s, a, b, name in pattern.findall(below)]


@pytest.fixture(scope="module")
def gec15(real_data: Path) -> tuple[list[Line], object]:
    published = published_table(real_data, "Table 3b ExpectedWins")
    return published, rank(read(real_data / "gec15" / "judgments.xml"), model="expected-wins", resample="pair", rng=0)


def test_gec15_scores_are_the_published_ones_to_three_decimals(gec15: tuple) -> None:
    published, ranking = gec15
    assert len(published) == 13
    assert {line.system: round(line.score, 3) for line in ranking.lines} == {p.system: p.score for p in published}
    assert ranking.systems == tuple(p.system for p in published)


def test_gec15_rank_ranges_overlap_the_published_ones(gec15: tuple) -> None:
    published, ranking = gec15
    ours = {line.system: line.range for line in ranking.lines}
    for line in published:
        first, last = ours[line.system]
        assert first <= line.last
        assert last >= line.first


def test_gec15_has_the_published_first_and_last_cluster(gec15: tuple) -> None:
    published, ranking = gec15
    last = max(line.cluster for line in published)
    assert ranking.clusters[0] == [line.system for line in published if line.cluster == 1]
    assert ranking.clusters[-1] == [line.system for line in published if line.cluster == last]


def test_gec15_rankings_are_less_certain_than_their_pairs(real_data: Path, gec15: tuple) -> None:
    # Pairs of one ranking are not independent: drawn as if they were, ranges come out too narrow.
    def width(ranking: object) -> int:
        return sum(line.range[1] - line.range[0] for line in ranking.lines)

    assert width(rank(read(real_data / "gec15" / "judgments.xml"), resample="ranking", rng=0)) > width(gec15[1])


@pytest.mark.parametrize("pair", ["deu-eng", "ron-eng", "tur-eng"])
def test_wmt16_expected_wins_order_systems_like_the_official_ranking(real_data: Path, pair: str) -> None:
    folder = real_data / "wmt16"
    official = [
        line.split()[0] for line in (folder / f"wmt16.{pair}.official.txt").read_text().splitlines() if line[0] != "+"
    ]
    found = rank(read(folder / f"wmt16.{pair}.csv"), model="expected-wins", resample=None, rng=0).systems
    assert set(found) == set(official)
    assert spearmanr([found.index(name) for name in official], range(len(official))).statistic >= 0.95


def test_wmt13_begins_and_ends_like_the_published_clusters(real_data: Path) -> None:
    # Sakaguchi et al. 2014, Table 1.
    found = rank(read(real_data / "wmt13" / "fr-en.train.csv"), model="expected-wins", resample=None, rng=0).systems
    assert len(found) == 13
    assert "uedin-heafield" in found[0].lower()
    assert "shef-wproa" in found[-1].lower()


def evalica_scores(folder: Path, algorithm: str, systems: tuple[str, ...]) -> list[float]:
    """What the library evalica gave for these votes; ties count as half a win for both."""
    golden = pl.read_csv(folder / "llmfao" / "golden.csv").filter(pl.col("algorithm") == algorithm)
    scores = dict(golden.select("item", "score").iter_rows())
    return [scores[name] for name in systems]


def test_votes_on_language_models_are_counted_as_another_library_does(real_data: Path) -> None:
    counts = read(real_data / "llmfao" / "crowd-comparisons.csv").counts
    halved = counts.wins + counts.ties / 2
    assert halved.sum(axis=1).tolist() == evalica_scores(real_data, "counting", counts.systems)
    batch = PairCounts(counts.systems, halved[None], np.zeros_like(halved)[None])
    expected = evalica_scores(real_data, "average_win_rate", counts.systems)
    np.testing.assert_allclose(ExpectedWins().score(batch, [])[0], expected, atol=1e-12)
