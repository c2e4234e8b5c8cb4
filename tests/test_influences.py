"""What leaving a unit out does to the scores, against fits without it."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import palmares as pm
from palmares.errors import InputError
from palmares.judgments import UnitKinds, unit_kinds
from palmares.kernels import bradley_terry, leaving_out
from palmares.models.base import Model
from palmares.models.bradley_terry import ELO, BradleyTerry
from palmares.models.by_name import create

TIES = ("davidson", "rao-kupper", "half", "ignore")


def refits_without(model: Model, judgments: pm.Judgments, column: str) -> dict[str, np.ndarray]:
    """The change of all scores when the rows with one value of a column are taken out of the table."""
    frame = judgments.to_rows()
    full = model.fit(judgments.counts).scores
    changes = {}
    for value in frame[column].unique():
        rest = pm.Judgments.from_rows(frame.filter(pl.col(column) != value))
        assert rest.systems == judgments.systems
        changes[value] = model.fit(rest.counts).scores - full
    return changes


def sorted_rows(rows: np.ndarray) -> np.ndarray:
    return rows[np.lexsort(np.round(rows, 6).T)]


def repeated(found: np.ndarray, kinds: UnitKinds) -> np.ndarray:
    return np.repeat(found, kinds.copies, axis=0)


@pytest.mark.parametrize("model_id", ["expected-wins", "bojar", "orig-wmt"])
@pytest.mark.parametrize("unit", ["judge", "ranking"])
def test_shares_change_as_when_the_unit_is_taken_out_of_the_table(model_id: str, unit: str) -> None:
    judgments = pm.simulate(systems=6, rankings=60, judges=7, rng=3).judgments
    model = create(model_id)
    expected = np.stack(list(refits_without(model, judgments, unit).values()))
    kinds = unit_kinds(judgments, unit)
    found = repeated(model.influences(judgments.counts, kinds), kinds)
    np.testing.assert_allclose(sorted_rows(found), sorted_rows(expected), atol=1e-12)


def test_weights_that_add_up_with_rounding_leave_nothing_behind() -> None:
    """0.1 + 0.2 − 0.2 − 0.1 is not 0, and would count x as having beaten y."""
    rows = {"system_a": ["x"] * 3 + ["y"], "system_b": ["y"] * 3 + ["z"], "outcome": [1, 1, -1, 1]}
    frame = pl.DataFrame({**rows, "weight": [0.1, 0.2, 0.5, 1.0], "judge": ["j", "j", "k", "k"]})
    judgments = pm.Judgments.from_rows(frame)
    changes = create("bojar").influences(judgments.counts, unit_kinds(judgments, "judge"))
    without = create("bojar").score(pm.Judgments.from_rows(frame[2:]).counts.batch, [np.random.default_rng(0)])
    full = create("bojar").fit(judgments.counts).scores
    assert any(np.allclose(full + change, without, atol=1e-12) for change in changes)


@pytest.mark.parametrize("ties", TIES)
def test_one_newton_step_is_close_to_a_refit(ties: str) -> None:
    judgments = pm.simulate(systems=6, rankings=600, judges=40, rng=4).judgments
    model = BradleyTerry(ties=ties)
    expected = np.stack(list(refits_without(model, judgments, "judge").values()))
    found = model.influences(judgments.counts, unit_kinds(judgments, "judge"))
    assert len(found) == len(expected)
    distance = np.abs(found[:, None] - expected[None]).max(axis=2)
    # The error of one step is of second order: far below the change itself.
    assert distance.min(axis=0).max() < 0.03 * np.abs(expected).max()
    assert len(set(distance.argmin(axis=0))) == len(expected)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("prior", ["normal", "none"])
@pytest.mark.parametrize("unit", ["judge", "pair", "ranking"])
def test_the_step_is_that_of_the_remaining_judgments(ties: str, prior: str, unit: str) -> None:
    """From the derivatives of the log posterior without the unit, formed and solved in full."""
    judgments = pm.simulate(systems=7, rankings=60, judges=4, rng=5).judgments
    model = BradleyTerry(ties=ties, prior=prior)
    counts, kinds = judgments.counts, unit_kinds(judgments, unit)
    place = model.fit(counts).place[:, None]
    one_of_each = kinds.tables(np.eye(len(kinds.copies), dtype=np.int64))
    rest = pm.PairCounts(counts.systems, counts.wins - one_of_each.wins, counts.ties - one_of_each.ties)
    expected = []
    for wins, rest_ties in zip(rest.wins, rest.ties, strict=True):
        half = rest_ties / 2 if ties == "half" else 0
        data = bradley_terry.Meetings.of((wins + half)[None], (rest_ties if model.kind else 0 * rest_ties)[None])
        slope = bradley_terry.gradient(model.kind, data, place, model.precision)[:, 0]
        curve = bradley_terry.information(model.kind, data, place, model.precision)[0]
        expected.append(np.linalg.solve(curve, slope)[:-1])
    np.testing.assert_allclose(model.influences(counts, kinds), expected, atol=1e-9)


def test_a_judge_who_holds_nearly_all_of_a_system() -> None:
    """The series converges too slowly there; the solution must not be the series cut short."""
    frame = pm.simulate(systems=5, rankings=200, judges=6, rng=6).judgments.to_rows()
    own = pl.DataFrame({"system_a": ["new"] * 40, "system_b": ["s1"] * 40, "outcome": [1, -1] * 20})
    columns = frame.select("system_a", "system_b", "outcome", "judge").with_columns(pl.col("outcome").cast(pl.Int64))
    name = columns["system_a"][0]
    own = own.with_columns(pl.lit(name).alias("system_b"), pl.Series("judge", ["keen"] * 39 + ["other"]))
    judgments = pm.Judgments.from_rows(pl.concat([columns, own.select(columns.columns)]))
    model = BradleyTerry()
    kinds = unit_kinds(judgments, "judge")
    found = model.influences(judgments.counts, kinds)
    by_hand = []
    place = model.fit(judgments.counts).place[:, None]
    for judge in ("keen",):
        rest = pm.Judgments.from_rows(judgments.to_rows().filter(pl.col("judge") != judge)).counts
        data = bradley_terry.Meetings.of(rest.wins[None], rest.ties[None])
        slope = bradley_terry.gradient(1, data, place, model.precision)[:, 0]
        by_hand.append(np.linalg.solve(bradley_terry.information(1, data, place, model.precision)[0], slope)[:-1])
    nearest = np.abs(found - by_hand[0]).max(axis=1).min()
    assert nearest < 1e-9
    assert np.abs(by_hand[0]).max() > 0.1


def test_many_units_are_cut_into_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    judgments = pm.simulate(systems=8, rankings=300, rng=7).judgments
    kinds = unit_kinds(judgments, "ranking")
    whole = BradleyTerry().influences(judgments.counts, kinds)
    monkeypatch.setattr(leaving_out, "_NUMBERS", 100)
    np.testing.assert_allclose(BradleyTerry().influences(judgments.counts, kinds), whole, atol=1e-13)


def test_the_changes_are_on_the_scale_of_the_scores() -> None:
    judgments = pm.simulate(systems=5, rankings=80, rng=8).judgments
    counts, kinds = judgments.counts, unit_kinds(judgments, "ranking")
    natural = BradleyTerry().influences(counts, kinds)
    np.testing.assert_allclose(natural.sum(axis=1), 0, atol=1e-9)
    np.testing.assert_allclose(BradleyTerry(scale="elo").influences(counts, kinds), ELO * natural, atol=1e-9)
    anchor = counts.systems[2]
    anchored = BradleyTerry(scale="elo", anchor=f"{anchor}=1200").influences(counts, kinds)
    np.testing.assert_allclose(anchored, ELO * (natural - natural[:, [2]]), atol=1e-9)


def test_their_squares_add_up_to_the_standard_errors() -> None:
    """Infinitesimal jackknife: with independent judgments, Σ change² is the variance that the information gives."""
    judgments = pm.simulate(systems=8, outputs=2, rankings=6000, rng=2).judgments
    kinds = unit_kinds(judgments, "pair")
    found = BradleyTerry().influences(judgments.counts, kinds)
    spread = np.sqrt((kinds.copies[:, None] * found**2).sum(axis=0))
    np.testing.assert_allclose(spread, BradleyTerry().fit(judgments).deviations, rtol=0.05)


def test_a_model_that_reads_rows_has_none() -> None:
    judgments = pm.simulate(systems=5, rankings=20, rng=1).judgments
    with pytest.raises(InputError, match=r"hopkins-may.*reads the judgments themselves"):
        create("hopkins-may").influences(judgments.counts, unit_kinds(judgments, "ranking"))
