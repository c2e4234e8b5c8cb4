"""What every model does with data at the edge of what can be ranked, and with data beyond it."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from builders import counted, judged, pair_counts
from contract import PREDICTS_ONLY, every_model, every_ranker, order, sample, scores

from palmares import rank
from palmares.errors import InputError, UnplaceableError
from palmares.judgments import Judgments
from palmares.models.base import Model
from palmares.models.bradley_terry import BradleyTerry
from palmares.models.by_name import create, model_name

#: Two groups that never met.
APART = counted({("a", "b"): (1, 1, 2), ("b", "c"): (2, 0, 1), ("d", "e"): (1, 0, 1)})


@every_ranker
def test_a_system_that_won_and_one_that_lost_everything_stand_at_the_ends(model: Model) -> None:
    judgments = counted(
        {("best", "m1"): (5, 0, 0), ("best", "m2"): (5, 0, 0), ("best", "worst"): (5, 0, 0),
         ("m1", "m2"): (3, 1, 2), ("m1", "worst"): (5, 0, 0), ("m2", "worst"): (5, 0, 0)}
    )  # fmt: skip
    found = scores(model, judgments)
    assert np.isfinite(found).all()
    places = dict(zip(judgments.systems, order(found), strict=True))
    assert (places["best"], places["worst"]) == (0, 3)


@every_ranker
@pytest.mark.parametrize("won", [(1, 0, 0), (3, 2, 1), (1000, 0, 500)], ids=str)
def test_two_systems_are_enough(model: Model, won: tuple[int, int, int]) -> None:
    judgments = counted({("good", "bad"): won})
    bad, good = scores(model, judgments)
    assert np.isfinite([bad, good]).all()
    # Where the order of judgments counts, the last of a few may outweigh the others.
    if sum(won) > 10 or "monotone" not in model.lacks:
        assert good > bad


@every_ranker
def test_a_single_tie_places_two_systems_alike_or_not_at_all(model: Model) -> None:
    judgments = counted({("a", "b"): (0, 1, 0)})
    if model.linked_by == "any":
        a, b = scores(model, judgments)
        tolerance = 1e-6 if model.ranges_from == "resampling" else 0.5
        assert a == pytest.approx(b, abs=tolerance)
        return
    with pytest.raises(UnplaceableError, match="a; b"):
        model.fit(judgments)


@every_ranker
def test_groups_that_never_met_are_refused_by_name(model: Model) -> None:
    with pytest.raises(UnplaceableError, match=r"2 groups.*: a, b, c; d, e") as refusal:
        model.fit(APART)
    assert "--largest-component" in str(refusal.value)


@every_ranker
def test_the_largest_group_can_be_ranked_alone(model: Model) -> None:
    ranking = rank(APART, model=model, largest_component=True, resample=None, rng=0)
    assert set(ranking.systems) == {"a", "b", "c"}
    assert ranking.judgments == 7
    assert "left out, because no judgment links them to the largest group: d, e" in ranking.notes


@every_ranker
def test_a_system_that_only_tied_is_refused_unless_ties_place_it(model: Model) -> None:
    judgments = counted({("a", "b"): (2, 0, 1), ("a", "tied"): (0, 3, 0), ("b", "tied"): (0, 3, 0)})
    if model.linked_by == "any":
        assert np.isfinite(model.fit(judgments, rng=3).scores).all()
        return
    with pytest.raises(UnplaceableError, match=r"a, b; tied.*never decided against another: tied"):
        model.fit(judgments)


@every_model
@pytest.mark.parametrize("systems", [0, 1])
def test_fewer_than_two_systems_are_refused(model: Model, systems: int) -> None:
    needs_rows = "" if model.needs == "counts" else "|needs the judgments"
    with pytest.raises(InputError, match=f"got {systems} system{needs_rows}"):
        model.fit(pair_counts(np.zeros((systems, systems))))


@every_ranker
def test_counts_without_a_judgment_are_refused(model: Model) -> None:
    needs_rows = "" if model.needs == "counts" else "|needs the judgments"
    with pytest.raises(InputError, match=f"s0; s1; s2{needs_rows}"):
        model.fit(pair_counts(np.zeros((3, 3))))


@every_model
def test_a_mixed_table_is_refused(model: Model) -> None:
    mixed = judged([("a", "b", 1), ("a", "b", -1)], lang_pair=["fr-en", "de-en"])
    for attempt in (model.fit, lambda data: rank(data, model=model)):
        with pytest.raises(InputError, match=r"mix 2 language pairs \(de-en, fr-en\).*split"):
            attempt(mixed)


@every_model
def test_weights_are_counted_or_refused(model: Model) -> None:
    weighted = judged([("a", "b", 1), ("a", "b", -1)], weight=[3.5, 1.0])
    if not model.weights:
        with pytest.raises(InputError, match=r"weigh"):
            model.fit(weighted, rng=3)
    elif model.ranks:
        a, b = scores(model, weighted)
        assert a > b


@pytest.mark.parametrize("name", sorted(PREDICTS_ONLY))
def test_a_model_that_only_predicts_refuses_to_rank(name: str) -> None:
    for data in (sample(0), sample(0).counts):
        with pytest.raises(InputError, match=f"model '{name}' predicts outcomes but gives no scores to rank by"):
            rank(data, model=name)


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


def test_a_model_is_written_as_text_with_its_settings() -> None:
    assert create("bradley-terry:ties=rao-kupper, sd=2") == BradleyTerry(ties="rao-kupper", sd=2.0)
    # What is given beside the text goes before what is in it; a value may have a sign of equality in it.
    assert create("bradley-terry:sd=2", {"sd": "3", "anchor": "a=10"}) == BradleyTerry(sd=3.0, anchor="a=10")
    assert create("bradley-terry:anchor=a=10").anchor == "a=10"
    for text in ("bradley-terry:ties", "bradley-terry:=half", "bradley-terry:ties="):
        with pytest.raises(InputError, match=r"cannot read '.*'; allowed: ID, or ID:NAME=VALUE,NAME=VALUE"):
            create(text)


def test_a_model_is_named_by_its_unusual_settings() -> None:
    assert model_name(create("bradley-terry")) == "bradley-terry"
    assert model_name(create("bradley-terry:sd=2.5,scale=elo")) == "bradley-terry(sd=2.5,scale=elo)"
    assert model_name(create("expected-wins:published=yes")) == "expected-wins(published=yes)"
    assert model_name(create("trueskill:runs=7,sigma=1"), apart_from=["runs"]) == "trueskill(sigma=1)"
