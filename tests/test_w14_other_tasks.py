"""The other tasks of WMT14: what was transcribed of their tables, and what is computed from it."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from palmares import reproduce
from palmares.experiments.published import load
from palmares.experiments.w14_medical import MEASURES, Entry, entries, separation
from palmares.experiments.w14_quality import always_ok, always_wrong, expected_delta, least_correlation, rebuilt

QUALITY, MEDICAL = load("w14_quality"), load("w14_medical")


# -- what was transcribed --------------------------------------------------------------------------


def test_tables_of_the_medical_task_have_the_lines_that_the_paper_prints() -> None:
    sizes = {table: [len(lines) for lines in MEDICAL[table].values()] for table in ("table_25", "table_26")}
    assert sizes == {"table_25": [8, 9, 9, 8, 9, 10], "table_26": [6, 8, 8, 7, 8, 7]}
    assert len(MEDICAL["table_27"]["rows"]) == 6


def test_single_cells_of_the_medical_task_as_printed() -> None:
    """Read off the paper by eye."""
    summaries, queries = entries("table_25"), entries("table_26")
    online = summaries["English→French"][-1]
    assert (online.team, online.section, online.original) == ("ONLINE", "online", None)
    assert (online.values[0], online.halves[0], online.values[7], online.halves[7]) == (58.63, 1.26, 72.63, 0.94)
    uedin = queries["English→Czech"][3]
    assert (uedin.team, uedin.original) == ("UEDIN", 6.64)
    assert uedin.values == (6.21, -2.35, 5.95, -0.97, 14.35, 14.51, 24.96, 15.11)
    assert MEDICAL["table_27"]["rows"][4][1:4] == ["UEDIN", 0.444, 0.43]


@pytest.mark.parametrize("table", ["table_25", "table_26"])
def test_every_direction_has_constrained_unconstrained_and_online_systems(table: str) -> None:
    for lines in entries(table).values():
        sections = [entry.section for entry in lines]
        assert sections == sorted(sections, key=["constrained", "unconstrained", "online"].index)
        assert sections.count("online") == 1
        assert next(entry.team for entry in lines if entry.section == "unconstrained") == "CUNI"
        assert all(len(entry.values) == len(entry.halves) == len(MEASURES) for entry in lines)


# -- the medical task --------------------------------------------------------------------------------


def test_a_lead_is_measured_in_standard_errors_of_two_independent_systems() -> None:
    first = Entry("a", "constrained", None, (30.0,), (3 * 1.959964,))
    second = Entry("b", "constrained", None, (20.0,), (4 * 1.959964,))
    assert separation(first, second, 0) == pytest.approx(10 / 5)


def test_claims_of_the_medical_task_by_printed_intervals() -> None:
    found = reproduce("w14-medical")
    assert [check.holds for check in found.checks] == [True, True, True, False, False]
    # By hand: 37.79 ± 1.26 and 36.87 ± 1.23.
    row = next(row for row in found.rows if row.label == "Czech→English: UM-DA over UEDIN")
    assert row.measured == pytest.approx(0.92)
    assert row.error == pytest.approx(math.sqrt(1.26**2 + 1.23**2) / 1.96, rel=1e-4)
    assert any("misprint" in note for note in found.notes)


def test_shares_of_the_monolingual_queries() -> None:
    found = reproduce("w14-retrieval")
    (row,) = [row for row in found.rows if row.label.endswith("UEDIN") and row.group.startswith("MAP")]
    assert row.measured == pytest.approx(0.2843 / 0.3035)
    assert all(check.holds for check in found.checks)


# -- quality estimation ------------------------------------------------------------------------------


def test_tables_of_quality_estimation_have_the_lines_that_the_paper_prints() -> None:
    sizes = {n: [len(lines) for lines in QUALITY[f"table_{n}"]["pairs"].values()] for n in range(11, 20)}
    assert sizes == {
        11: [8, 6, 6, 6], 12: [10, 7, 7, 5], 13: [6], 14: [11], 15: [6], 16: [10],
        17: [9, 4, 4, 4], 18: [8, 4, 4, 4], 19: [8, 4, 4, 4],
    }  # fmt: skip
    winners = {n: [sum(line[1] for line in each) for each in QUALITY[f"table_{n}"]["pairs"].values()] for n in sizes}
    assert winners == {
        11: [3, 3, 1, 2], 12: [5, 3, 1, 2], 13: [3], 14: [3], 15: [2], 16: [6],
        17: [1, 1, 1, 1], 18: [1, 1, 1, 1], 19: [1, 1, 1, 1],
    }  # fmt: skip


def test_the_matrix_of_a_binary_submission_follows_from_two_numbers() -> None:
    """By hand: 100 words, 40 of them wrong; 30 found, 10 missed, 5 false alarms."""
    f1, accuracy = 2 * 30 / (2 * 30 + 15), 0.85
    scores = rebuilt(f1, accuracy, 0.4)
    assert scores.f1_err == pytest.approx(f1)
    assert scores.accuracy == pytest.approx(accuracy)
    f1_ok = 2 * 55 / (2 * 55 + 15)
    assert scores.f1_all == pytest.approx(0.6 * f1_ok + 0.4 * f1)
    assert scores.mcc_all == pytest.approx((30 * 55 - 5 * 10) / math.sqrt(35 * 40 * 60 * 65))


def test_trivial_baselines_by_hand() -> None:
    assert always_ok(0.6).f1_all == pytest.approx(0.6 * (2 * 0.6 / 1.6))
    wrong = always_wrong(0.3, 0.6)
    assert wrong.f1_err == pytest.approx(0.3 / 0.4 * (2 * 0.3 / 1.3))
    assert (wrong.mcc_all, wrong.accuracy) == (0.0, pytest.approx(0.3))


def test_the_correlation_that_makes_a_difference_significant() -> None:
    """Errors with standard deviations of 3 and 4 and correlation 0 differ with one of 5 / √100 = .5."""
    best, other = (10.0, math.sqrt(109)), (10 + 1.959964 * 0.5, math.sqrt((10 + 1.959964 * 0.5) ** 2 + 16))
    assert least_correlation(best, other, 100) == pytest.approx(0.0, abs=1e-6)
    # Equal MAEs never differ significantly, distant ones always.
    assert least_correlation(best, best, 100) == 1.0
    assert least_correlation(best, (30.0, 31.0), 100) == -1.0


def test_delta_avg_of_perfect_predictions_of_normal_labels() -> None:
    """By definition, on the quantiles of a normal distribution: the mean over n of a mean of means of the top k / n."""
    from statistics import NormalDist

    normal, n_sentences = NormalDist(), 400
    labels = [normal.inv_cdf(1 - (i + 0.5) / n_sentences) for i in range(n_sentences)]
    totals = [0.0]
    for label in labels:
        totals.append(totals[-1] + label)
    deltas = []
    for n in range(2, n_sentences // 2 + 1):
        q = n_sentences // n
        deltas.append(sum(totals[k * q] / (k * q) for k in range(1, n)) / (n - 1) - totals[-1] / n_sentences)
    exact = sum(deltas) / len(deltas)
    found = expected_delta(1.0, n_sentences, 40, 0, 1)
    assert found.mean == pytest.approx(exact, abs=4 * found.spread / math.sqrt(40))


def test_marks_of_winners_are_possible_in_every_set() -> None:
    found = reproduce("w14-quality-sentences", quick=True)
    (marks,) = [check for check in found.checks if "marks" in check.claim]
    assert marks.holds
    assert marks.evidence.count(" to ") == 6


def test_word_level_numbers_follow_from_prints() -> None:
    found = reproduce("w14-quality-words")
    assert all(check.holds for check in found.checks)
    assert sum(row.group.endswith("from F1-BAD and accuracy") for row in found.rows) == 26


def test_trivial_baselines_on_gold_labels(real_data: Path) -> None:
    found = reproduce("w14-quality-words", data=real_data)
    rows = [row for row in found.rows if "on gold labels" in row.group]
    assert len(rows) == 18
    assert all(round(row.measured, 2) == row.published for row in rows)
