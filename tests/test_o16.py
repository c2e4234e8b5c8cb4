"""Otani et al. 2016 repeated: what was transcribed, how data sets are drawn, and what comes out of quick variants."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from builders import counted, judged, random_rows

from palmares import reproduce
from palmares.compute import Execution
from palmares.errors import InputError
from palmares.experiments.o16 import Source, _ends, _figure_4, _noise_checks, _spread, _table_1, against, scored_pairs
from palmares.experiments.o16_information import _lost, _peaks
from palmares.experiments.published import load
from palmares.judgments import Judgments

#: Their quick variants run in `test_reproduce` already.
SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in ("o16-baselines", "o16-noise")]


def test_table_1_as_printed() -> None:
    """Read off the paper by eye; GRM plus the difference of another model is that model's own number."""
    table = load("o16")["table_1"]
    assert table["noise"] == [0, 10, 20, 30, 40, 50]
    assert table["correlation"]["GRM"][0] + table["correlation"]["HM"][0] == pytest.approx(0.931)
    assert table["nDCG"]["GRM"][-1] + table["nDCG"]["HM"][-1] == pytest.approx(0.584)
    assert all(len(column) == 6 for part in ("correlation", "nDCG") for column in table[part].values())


def test_comparisons_with_a_baseline_come_from_whole_rankings() -> None:
    judgments = Judgments.from_rows(random_rows(np.random.default_rng(1), systems=5, rankings=120))
    part = against(judgments, 2, 60, np.random.default_rng(0))
    name = judgments.systems[2]
    assert len(part) == 60
    rows = part.to_rows()
    assert ((rows["system_a"] == name) | (rows["system_b"] == name)).all()
    # Two comparisons from every ranking of three that the baseline is in.
    assert set(rows["ranking"].value_counts()["count"]) == {2}
    assert part.systems == judgments.systems
    with pytest.raises(InputError, match=f"2 comparisons with {name} do not reach all other systems; use more"):
        against(judgments, 2, 2, np.random.default_rng(0))


def test_baselines_are_spread_from_the_weakest_to_the_strongest() -> None:
    interim = np.array([0.5, 0.1, 0.9, 0.3, 0.7])
    assert _spread(interim, 5) == _spread(interim, 99) == [1, 3, 0, 4, 2]
    assert _spread(interim, 3) == [1, 0, 2]


def test_perfect_scores_agree_with_gold_and_equal_ones_do_not() -> None:
    source = Source(counted({("a", "b"): (1, 0, 0), ("b", "c"): (1, 0, 0)}), np.array([3.0, 2.0, 1.0]))
    assert source.measured(np.array([30.0, 20.0, 10.0])) == pytest.approx((1.0, 1.0))
    assert source.measured(np.zeros(3))[0] == 0.0
    # By hand: gains 2, 1, 0; in the reverse order 1 / log2 3 + 2 / log2 4 = 1.631 of 2 + 1 / log2 3 = 2.631.
    assert source.measured(np.array([1.0, 2.0, 3.0])) == pytest.approx((-1.0, 1.6309 / 2.6309), abs=1e-4)


def test_expected_wins_and_hopkins_may_find_a_clear_order() -> None:
    judgments = counted({("a", "b"): (80, 10, 10), ("b", "c"): (80, 10, 10), ("a", "c"): (95, 3, 2)})
    source = Source(judgments, np.array([3.0, 2.0, 1.0]))
    found = scored_pairs(source, judgments, 250, (0, 1))
    assert found.shape == (2, 2)
    assert (found > 0.95).all()


def test_the_best_and_the_worst_baseline_are_those_at_the_largest_size() -> None:
    # (sizes, trials, baselines): at the smaller size the order is another.
    results = np.array([[[0.9, 0.1, 0.5]] * 2, [[0.5, 0.6, 0.4]] * 2])
    assert _ends(results) == (1, 2)
    rows = _figure_4(["x", "y"], np.array([[[[[0.7, 0.9], [0, 0]], [[0.8, 0.6], [0, 0]]]]]), np.array([0.1, -0.1]))
    values = {(row.label, row.at): row.measured for row in rows}
    assert values["x", "correlation less best"] == pytest.approx(-0.1)
    assert values["y", "nDCG less best"] == pytest.approx(-0.3)


def test_losses_to_noise_are_compared_within_data_sets() -> None:
    # (shares, data sets, GRM HM EW, measures)
    clean = np.array([[[0.9, 0.9], [0.9, 0.9], [0.8, 0.8]]] * 2)
    noisy = np.array([[[0.85, 0.85], [0.7, 0.9], [0.7, 0.7]]] * 2)
    results = np.stack([clean, noisy])
    holds = {check.claim: check.holds for check in _noise_checks(results, (0.0, 0.5))}
    assert holds["correlation: 50 % noisy judges cost GRM less than HM"]
    assert not holds["nDCG: 50 % noisy judges cost GRM less than HM"]
    assert holds["nDCG: 50 % noisy judges cost GRM less than EW"]
    rows = {(row.group, row.label, row.at): row for row in _table_1(results, (0.0, 0.5))}
    row = rows["correlation", "HM less GRM", "50 %"]
    assert (row.published, row.measured) == (-0.038, pytest.approx(-0.15))


def test_information_peaks_where_a_segment_is_hard() -> None:
    # With b close together the information is that of one threshold, which peaks there.
    assert _peaks(np.array([[0.99, 1.01], [-2.01, -1.99]])) == pytest.approx([1.0, -2.0], abs=0.006)
    rows = [("base", "x", 1)] * 3 + [("base", "x", -1)] + [("base", "y", 1)]
    data = judged(rows, segment=["1"] * 5)
    assert _lost(data, 0, np.array([0]), np.array([1])) == pytest.approx(3 / 4)


@pytest.mark.parametrize("name", ["o16-information", *SLOW])
def test_rows_say_what_they_ran_on(name: str) -> None:
    found = reproduce(name, quick=True, rng=0, execution=Execution("serial"))
    assert "simulated stand-in for WMT13 French–English (the paper: WMT13 Spanish–English" in found.notes[0]
    assert found.reference.startswith("Otani et al. 2016, ")


@pytest.mark.real
@pytest.mark.slow
def test_a_baseline_near_the_mean_beats_the_weakest_on_the_published_judgments(real_data: Path) -> None:
    found = reproduce("o16-baselines", quick=True, data=real_data)
    behind = {row.label: row.measured for row in found.rows if row.at == "correlation less best"}
    assert behind["MES-SIMPLIFIED"] == 0
