"""What every model must do. New entries of the registry are tested without a change here.

A model that lacks a property by definition says so in ``lacks``, with the reason.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import polars as pl
import pytest
from builders import counted, judged, pair_counts, random_rows

from palmares import MODELS, rank
from palmares.errors import InputError, UnplaceableError
from palmares.judgments import Judgments
from palmares.models.base import Fit, Model, create, settings
from palmares.uncertainty.resampling import resample
from palmares.uncertainty.units import UNITS

#: Settings that make a slow model quick enough for a test; they change no property.
QUICK = {"monte-carlo-playoffs": {"tournaments": "500"}}
#: What `lacks` may name.
PROPERTIES = {"monotone", "duplication", "relabelling", "row order"}

every_model = pytest.mark.parametrize("model", [create(name, QUICK.get(name)) for name in MODELS], ids=list(MODELS))


def needs(model: Model, name: str) -> None:
    if name in model.lacks:
        pytest.skip(f"lacks {name}: {model.lacks[name]}")


def fitted(model: Model, data: Judgments) -> Fit:
    fit = model.fit(data, rng=3)
    if fit.scores is None:
        pytest.skip("predicts, but does not rank")
    return fit


def by_name(fit: Fit) -> dict[str, float]:
    return dict(zip(fit.systems, fit.scores.tolist(), strict=True))


def order(scores: np.ndarray) -> list[int]:
    """Places from 0; scores that differ by rounding only share one."""
    return [int((scores > score + 1e-9).sum()) for score in scores]


def sample(seed: int, **options: object) -> Judgments:
    return Judgments.from_rows(random_rows(np.random.default_rng(seed), **options))


CYCLE = {("a", "b"): (4, 0, 1), ("b", "c"): (4, 0, 1), ("a", "c"): (1, 0, 4)}
SYMMETRIC = {
    "twins": counted({("a", "b"): (2, 0, 2), ("a", "c"): (3, 1, 1), ("b", "c"): (3, 1, 1)}),
    "a cycle": counted(CYCLE),
    "a cycle and a fourth": counted({**CYCLE, **{(x, "d"): (3, 0, 2) for x in "abc"}}),
    "crossed twins": counted(
        {
            ("a", "c"): (5, 0, 1),
            ("b", "d"): (5, 0, 1),
            ("a", "d"): (2, 0, 2),
            ("b", "c"): (2, 0, 2),
            ("a", "b"): (1, 0, 1),
        }
    ),
}


# -- the entry itself ------------------------------------------------------------------------------


@every_model
def test_a_model_is_frozen_settings_under_its_id(model: Model) -> None:
    assert isinstance(model, Model)
    assert isinstance(model, MODELS.load(model.id))
    for field in dataclasses.fields(model):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(model, field.name, None)


@every_model
def test_what_a_model_lacks_is_a_known_property_with_a_reason(model: Model) -> None:
    assert set(model.lacks) <= PROPERTIES
    assert all(len(reason) > 20 for reason in model.lacks.values())


@every_model
def test_an_unknown_setting_is_refused(model: Model) -> None:
    with pytest.raises(InputError, match=f"model '{model.id}' has no setting 'nonsense'; it has: "):
        create(model.id, {"nonsense": "1"})


@every_model
def test_settings_beside_a_finished_model_are_refused(model: Model) -> None:
    with pytest.raises(InputError, match="settings"):
        rank(sample(0), model=model, settings={"nonsense": "1"})


@every_model
def test_every_setting_is_in_the_signature(model: Model) -> None:
    fitted(model, sample(0))
    printed = rank(sample(0), model=model, resample=None, rng=0).signature.split("|")
    shown = {True: "yes", False: "no"}
    assert printed[0] == f"model:{model.id}"
    for name, value in settings(model).items():
        assert f"{name}:{shown.get(value, value) if isinstance(value, bool) else value}" in printed


@every_model
def test_a_fit_that_only_ranks_refuses_to_predict(model: Model) -> None:
    fit = model.fit(sample(0), rng=0)
    if fit.predicts:
        assert sum(fit.predict("s0", "s1")) == pytest.approx(1)
    else:
        with pytest.raises(InputError, match=f"model '{model.id}' ranks but does not predict"):
            fit.predict("s0", "s1")


# -- symmetry --------------------------------------------------------------------------------------


def renamed(judgments: Judgments, names: dict[str, str]) -> Judgments:
    systems = [pl.col(c).replace_strict(names) for c in ("system_a", "system_b")]
    return Judgments.from_rows(judgments.to_rows().with_columns(systems))


@every_model
@pytest.mark.parametrize(
    "judgments", [sample(1), sample(2, rankings=8), *SYMMETRIC.values()], ids=["many", "few", *SYMMETRIC]
)
def test_renaming_systems_renames_scores(model: Model, judgments: Judgments) -> None:
    needs(model, "relabelling")
    before = by_name(fitted(model, judgments))
    for seed in range(3):
        shuffled = np.random.default_rng(seed).permutation(judgments.systems).tolist()
        names = dict(zip(judgments.systems, shuffled, strict=True))
        after = by_name(fitted(model, renamed(judgments, names)))
        assert after == pytest.approx({names[s]: score for s, score in before.items()}, abs=1e-9)


@every_model
def test_swapping_the_sides_changes_nothing(model: Model) -> None:
    rows = random_rows(np.random.default_rng(4))
    a, b = rows["system_a"], rows["system_b"]
    swapped = rows.with_columns(b.alias("system_a"), a.alias("system_b"), -pl.col("outcome"))
    one, other = Judgments.from_rows(rows), Judgments.from_rows(swapped)
    assert one == other
    assert np.array_equal(fitted(model, one).scores, fitted(model, other).scores)


@every_model
def test_mirrored_outcomes_turn_a_clear_order_round(model: Model) -> None:
    judgments = counted({("a", "b"): (9, 1, 1), ("b", "c"): (9, 1, 1), ("a", "c"): (10, 0, 1)})
    mirrored = Judgments.from_rows(judgments.to_rows().with_columns(-pl.col("outcome")))
    assert order(fitted(model, judgments).scores) == [0, 1, 2]
    assert order(fitted(model, mirrored).scores) == [2, 1, 0]


# -- more of the same ------------------------------------------------------------------------------


def doubled(judgments: Judgments) -> Judgments:
    rows = judgments.to_rows()
    if "ranking" in rows.columns:
        rows = pl.concat([rows, rows.with_columns(pl.col("ranking") + "-again")])
        return Judgments.from_rows(rows)
    return Judgments.from_rows(pl.concat([rows, rows]))


@every_model
@pytest.mark.parametrize("seed", range(4))
def test_duplicated_data_changes_no_order(model: Model, seed: int) -> None:
    needs(model, "duplication")
    judgments = sample(seed, rankings=12)
    assert order(fitted(model, judgments).scores) == order(fitted(model, doubled(judgments)).scores)


@every_model
def test_duplicated_clear_data_changes_no_order_even_with_a_prior(model: Model) -> None:
    judgments = counted({("a", "b"): (9, 2, 3), ("b", "c"): (8, 2, 3), ("a", "c"): (12, 1, 2)})
    assert order(fitted(model, judgments).scores) == order(fitted(model, doubled(judgments)).scores) == [0, 1, 2]


@every_model
@pytest.mark.parametrize("seed", range(3))
def test_one_more_win_never_lowers_a_system(model: Model, seed: int) -> None:
    needs(model, "monotone")
    judgments = sample(seed, systems=4, rankings=8)
    rows = judgments.to_rows().select("system_a", "system_b", "outcome")
    before = fitted(model, judgments)
    for winner in judgments.systems:
        for loser in set(judgments.systems) - {winner}:
            win = pl.DataFrame({"system_a": [winner], "system_b": [loser], "outcome": [1]}, schema=rows.schema)
            after = fitted(model, Judgments.from_rows(pl.concat([rows, win])))
            i = before.code(winner)
            assert after.scores[i] >= before.scores[i] - 1e-9
            assert order(after.scores)[i] <= order(before.scores)[i]


# -- the same again --------------------------------------------------------------------------------


@every_model
def test_the_same_seed_gives_the_same_numbers(model: Model) -> None:
    fitted(model, sample(5))
    one, other = (rank(sample(5), model=model, resamples=40, rng=11) for _ in range(2))
    assert one.lines == other.lines
    assert one.signature == other.signature
    assert np.array_equal(one.replicates.scores, other.replicates.scores)
    assert np.array_equal(one.replicates.places, other.replicates.places)


@every_model
def test_a_drawn_seed_is_in_the_signature_and_repeats_the_ranking(model: Model) -> None:
    fitted(model, sample(5))
    first = rank(sample(5), model=model, resamples=40)
    seed = int(dict(part.split(":", 1) for part in first.signature.split("|"))["seed"])
    assert np.array_equal(
        first.replicates.scores, rank(sample(5), model=model, resamples=40, rng=seed).replicates.scores
    )


@every_model
@pytest.mark.parametrize("weights", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("unit", UNITS)
def test_the_order_of_rows_and_the_names_of_rankings_change_no_bit(model: Model, unit: str, weights: bool) -> None:
    needs(model, "row order")
    rows = random_rows(np.random.default_rng(6), weights=weights)
    shuffled = rows.sample(fraction=1, shuffle=True, seed=1).with_columns(ranking=pl.col("ranking").str.reverse())
    one, other = Judgments.from_rows(rows), Judgments.from_rows(shuffled)
    assert np.array_equal(fitted(model, one).scores, fitted(model, other).scores)
    first, second = (resample(model, data, unit=unit, resamples=8, seed=2) for data in (one, other))
    assert np.array_equal(first.scores, second.scores)
    assert np.array_equal(first.places, second.places)
    assert np.isfinite(first.scores).all()


# -- extremes --------------------------------------------------------------------------------------


@every_model
def test_a_system_that_won_and_one_that_lost_everything_stand_at_the_ends(model: Model) -> None:
    judgments = counted(
        {("best", "m1"): (5, 0, 0), ("best", "m2"): (5, 0, 0), ("best", "worst"): (5, 0, 0),
         ("m1", "m2"): (3, 1, 2), ("m1", "worst"): (5, 0, 0), ("m2", "worst"): (5, 0, 0)}
    )  # fmt: skip
    fit = fitted(model, judgments)
    assert np.isfinite(fit.scores).all()
    places = dict(zip(fit.systems, order(fit.scores), strict=True))
    assert (places["best"], places["worst"]) == (0, 3)


@every_model
@pytest.mark.parametrize("won", [(1, 0, 0), (3, 2, 1), (1000, 0, 500)], ids=str)
def test_two_systems_are_enough(model: Model, won: tuple[int, int, int]) -> None:
    fit = fitted(model, counted({("good", "bad"): won}))
    assert np.isfinite(fit.scores).all()
    assert by_name(fit)["good"] > by_name(fit)["bad"]


@every_model
def test_groups_that_never_met_are_refused_by_name(model: Model) -> None:
    with pytest.raises(UnplaceableError, match=r"2 groups.*: a, b, c; d, e") as refusal:
        model.fit(counted({("a", "b"): (1, 1, 2), ("b", "c"): (2, 0, 1), ("d", "e"): (1, 0, 1)}))
    assert "--largest-component" in str(refusal.value)


@every_model
def test_the_largest_group_can_be_ranked_alone(model: Model) -> None:
    judgments = counted({("a", "b"): (1, 1, 2), ("b", "c"): (2, 0, 1), ("d", "e"): (1, 0, 1)})
    fitted(model, judgments.select(system=["a", "b", "c"]))
    ranking = rank(judgments, model=model, largest_component=True, resample=None, rng=0)
    assert set(ranking.systems) == {"a", "b", "c"}
    assert ranking.judgments == 7
    assert "left out, because no judgment links them to the largest group: d, e" in ranking.notes


@every_model
def test_a_system_that_only_tied_is_refused_unless_ties_place_it(model: Model) -> None:
    judgments = counted({("a", "b"): (2, 0, 1), ("a", "tied"): (0, 3, 0), ("b", "tied"): (0, 3, 0)})
    if model.linked_by == "any":
        assert np.isfinite(fitted(model, judgments).scores).all()
        return
    with pytest.raises(UnplaceableError, match=r"a, b; tied.*never decided against another: tied"):
        model.fit(judgments)


@every_model
@pytest.mark.parametrize("systems", [0, 1])
def test_fewer_than_two_systems_are_refused(model: Model, systems: int) -> None:
    with pytest.raises(InputError, match=f"got {systems} system"):
        model.fit(pair_counts(np.zeros((systems, systems))))


@every_model
def test_counts_without_a_judgment_are_refused(model: Model) -> None:
    with pytest.raises(UnplaceableError, match="s0; s1; s2"):
        model.fit(pair_counts(np.zeros((3, 3))))


@every_model
def test_a_mixed_table_is_refused(model: Model) -> None:
    mixed = judged([("a", "b", 1), ("a", "b", -1)], lang_pair=["fr-en", "de-en"])
    for attempt in (model.fit, lambda data: rank(data, model=model)):
        with pytest.raises(InputError, match=r"mix 2 language pairs \(de-en, fr-en\).*split"):
            attempt(mixed)


def test_an_empty_table_is_refused() -> None:
    rows = pl.DataFrame(schema={"system_a": pl.String, "system_b": pl.String, "outcome": pl.Int64})
    with pytest.raises(InputError, match="no judgments: the table is empty"):
        Judgments.from_rows(rows)


def test_an_unknown_model_is_refused_with_a_guess() -> None:
    with pytest.raises(InputError, match=r"unknown model 'expected-win'; known: .*did you mean 'expected-wins'"):
        create("expected-win")


@pytest.mark.parametrize(
    ("given", "wording"),
    [
        ({"tournaments": "many"}, "setting tournaments: got 'many'; allowed: a whole number"),
        ({"tournaments": "0"}, "setting tournaments: got 0; allowed: at least 1"),
    ],
)
def test_a_wrong_value_of_a_setting_is_refused(given: dict[str, str], wording: str) -> None:
    with pytest.raises(InputError, match=wording):
        create("monte-carlo-playoffs", given)


@pytest.mark.parametrize(("text", "value"), [("yes", True), ("TRUE", True), ("0", False), (True, True), (False, False)])
def test_a_switch_is_read_from_words(text: str, value: bool) -> None:
    assert create("expected-wins", {"published": text}).published is value


def test_a_switch_refuses_other_words() -> None:
    with pytest.raises(InputError, match="setting published: got 'maybe'; allowed: yes, no"):
        create("expected-wins", {"published": "maybe"})
