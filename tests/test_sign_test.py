"""Sign tests and head-to-head tables."""

from __future__ import annotations

import numpy as np
import pytest
from builders import counted, judged, pair_counts
from scipy.stats import binomtest

from palmares import head_to_head, rank
from palmares.errors import InputError
from palmares.judgments import Judgments
from palmares.ranking.head_to_head import HeadToHead
from palmares.ranking.significance import mark, sign_test, sign_test_ranges


def compare(data: Judgments, **options: object) -> HeadToHead:
    return head_to_head(data, rank(data, **{"resample": None, "rng": 0, **options}))


@pytest.mark.parametrize("won", [0, 1, 5, 17, 40, 400])
@pytest.mark.parametrize("lost", [0, 1, 6, 17, 60, 470])
def test_p_is_that_of_scipys_binomial_test(won: int, lost: int) -> None:
    p = sign_test(pair_counts([[0, won], [lost, 0]], ties=[[0, 9], [9, 0]]))
    expected = binomtest(won, won + lost).pvalue if won + lost else 1.0
    assert p[0, 1] == pytest.approx(expected, rel=1e-9)
    assert p[1, 0] == p[0, 1]
    assert p[0, 0] == p[1, 1] == 1


@pytest.mark.parametrize(
    ("p", "sign"),
    [
        (0.0, "‡"),
        (0.01, "‡"),
        (0.0100001, "†"),
        (0.05, "†"),
        (0.0500001, "⋆"),
        (0.10, "⋆"),
        (0.1000001, ""),
        (1.0, ""),
    ],
)
def test_marks_begin_at_their_thresholds(p: float, sign: str) -> None:
    assert mark(p) == sign


def test_marks_of_a_table_by_hand() -> None:
    # 0 of 4: p = 2/16 = .125; 0 of 5: 2/32 = .0625 ⋆; 0 of 6: 2/64 = .031 †; 0 of 8: 2/256 = .0078 ‡.
    losses = {4: "", 5: "⋆", 6: "†", 8: "‡"}
    for count, sign in losses.items():
        table = compare(counted({("a", "b"): (count, 3, 0)}))
        assert table.mark(0, 1) == table.mark(1, 0) == sign


def test_a_cell_says_how_often_the_column_beat_the_row() -> None:
    table = compare(counted({("best", "worst"): (9, 5, 3)}))
    assert table.systems == ("best", "worst")
    assert table.share[1, 0] == 9 / 12  # column best, row worst
    assert table.share[0, 1] == 3 / 12
    assert np.isnan(table.share[0, 0])
    cell = next(c for c in table.to_dict()["cells"] if c["row"] == "worst")
    assert cell == {
        "row": "worst", "column": "best", "share": 0.75, "decided": 12.0,
        "p": pytest.approx(binomtest(9, 12).pvalue), "mark": "",
    }  # fmt: skip


def test_cells_of_a_pair_sum_to_one_and_pairs_that_never_met_are_empty() -> None:
    table = compare(
        counted({("a", "b"): (4, 1, 3), ("b", "c"): (2, 0, 1), ("c", "d"): (3, 2, 2), ("a", "d"): (0, 4, 0)})
    )
    met = ~np.isnan(table.share)
    assert (table.share + table.share.T)[met] == pytest.approx(1)
    index = {name: i for i, name in enumerate(table.systems)}
    for one, other in (("a", "c"), ("a", "d"), ("b", "d")):
        assert np.isnan(table.share[index[one], index[other]])
        assert table.mark(index[one], index[other]) == ""
    assert {c["share"] for c in table.to_dict()["cells"] if {c["row"], c["column"]} == {"a", "c"}} == {None}


def test_systems_stand_in_the_order_of_the_ranking_with_its_ranges() -> None:
    data = counted({("z", "a"): (40, 0, 1), ("z", "m"): (40, 0, 1), ("m", "a"): (40, 0, 1)})
    table = compare(data, resample="pair", resamples=200)
    assert table.systems == table.ranking.systems == ("z", "m", "a")
    assert [s["range"] for s in table.to_dict()["systems"]] == [[1, 1], [2, 2], [3, 3]]


@pytest.mark.slow
def test_systems_that_the_ranking_left_out_are_left_out() -> None:
    data = counted({("a", "b"): (3, 0, 1), ("b", "c"): (3, 0, 1), ("x", "y"): (1, 0, 2)})
    table = compare(data, largest_component=True)
    assert table.systems == ("a", "b", "c")
    assert table.share.shape == (3, 3)


# Bojar et al. 2014, Table 28 (Czech–English): how often the column's system beat the row's.
W14_TABLE_28 = """
ONLINE-B     –   .47 .43 .42 .39
UEDIN-PHRASE .53 –   .44 .44 .41
UEDIN-SYNTAX .57 .56 –   .49 .48
ONLINE-A     .58 .56 .51 –   .48
CU-MOSES     .61 .59 .52 .52 –
score        .57 .54 .47 .46 .44
"""


def test_the_shares_of_w14_table_28_give_its_scores() -> None:
    *lines, (_, *printed) = [line.split() for line in W14_TABLE_28.strip().splitlines()]
    names = [name for name, *_ in lines]
    share = np.array([[np.nan if cell == "–" else float(cell) for cell in cells] for _, *cells in lines])
    pairs = {
        (names[c], names[r]): (round(1000 * share[r, c]), 100, 1000 - round(1000 * share[r, c]))
        for r in range(5)
        for c in range(r)
    }
    table = compare(counted(pairs))
    assert table.systems == tuple(names)
    assert table.share == pytest.approx(share, nan_ok=True)
    # Printed scores were made from unrounded shares.
    assert table.expected_wins == pytest.approx([float(x) for x in printed], abs=0.01)


# -- rank ranges -----------------------------------------------------------------------------------


def test_ranges_of_sign_tests_by_hand() -> None:
    # s0 beats s1 and s2 10 : 0 (p = .002 two-sided); s1 and s2 are 6 : 5; so s0 is first, the others share 2 and 3.
    counts = pair_counts([[0, 10, 10], [0, 0, 6], [0, 5, 0]])
    assert sign_test_ranges(counts).tolist() == [[1, 1], [2, 3], [2, 3]]


def test_koehns_example_of_a_range() -> None:
    # Koehn 2012, §5.1: better than 9, worse than 2 and indistinguishable from 3 systems gives 3–6.
    wins = np.zeros((15, 15))
    wins[0, 1:10], wins[10:12, 0] = 20, 20
    wins[0, 12:], wins[12:, 0] = 10, 10
    assert sign_test_ranges(pair_counts(wins.tolist()))[0].tolist() == [3, 6]


def test_a_one_sided_test_decides_more() -> None:
    # 0 of 5: p = 1/32 = .031 one-sided, .0625 two-sided.
    counts = pair_counts([[0, 5], [0, 0]])
    assert sign_test_ranges(counts, sided=1).tolist() == [[1, 1], [2, 2]]
    assert sign_test_ranges(counts, sided=2).tolist() == [[1, 2], [1, 2]]
    assert sign_test_ranges(counts, sided=2, p=0.0625).tolist() == [[1, 1], [2, 2]]


def test_systems_that_never_met_are_not_told_apart() -> None:
    assert sign_test_ranges(pair_counts([[0, 9, 0], [0, 0, 0], [0, 0, 0]])).tolist() == [[1, 2], [2, 3], [1, 3]]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [({"sided": 3}, r"sided: got 3; allowed: 1 \(one-sided\), 2"), ({"p": 0}, "p: got 0; allowed")],
)
def test_wrong_settings_of_sign_test_ranges_are_refused(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        sign_test_ranges(pair_counts([[0, 5], [0, 0]]), **wrong)


def test_rank_takes_ranges_and_clusters_from_sign_tests() -> None:
    data = counted({("a", "b"): (10, 3, 0), ("a", "c"): (10, 0, 0), ("b", "c"): (6, 2, 5)})
    ranking = rank(data, resample="sign-test", rng=0)
    assert [(line.system, line.range, line.cluster) for line in ranking.lines] == [
        ("a", (1, 1), 1),
        ("b", (2, 3), 2),
        ("c", (2, 3), 2),
    ]
    assert "unit:sign-test|sided:2|p:0.05" in ranking.signature
    assert ranking.better is None
    assert [c.stability for c in ranking.stability] == [None, None]


def test_a_sign_test_counts_judgments_whatever_they_weigh() -> None:
    rows = [("a", "b", 1)] * 12 + [("a", "b", -1)] * 8
    expected = binomtest(12, 20).pvalue
    for weight in (0.02, 1.0, 100.0):
        data = judged(rows, weight=[weight] * 20)
        assert compare(data).p[0, 1] == pytest.approx(expected)
        assert rank(data, resample="sign-test", rng=0).lines[0].range == (1, 2)
