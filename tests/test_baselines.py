"""The baselines against fractions worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from builders import counted, judged, pair_counts

from palmares import Execution, rank
from palmares.errors import InputError, UnplaceableError
from palmares.judgments.counts import PairCounts
from palmares.models.base import Model
from palmares.models.baselines import RECONSTRUCTIONS, AdjustedUniform, IndependentPairs, IndependentSystems, Uniform
from palmares.models.by_name import create
from palmares.ranking.bootstrap import resample

#: a beat b 6 times, tied once, lost 2; a beat c 3 times; b and c never met.
#: So a has 9 wins, 1 tie, 2 losses of 12; b 2, 1, 6 of 9; c 0, 0, 3 of 3; and 1 judgment of 12 is a tie.
DATA = counted({("a", "b"): (6, 1, 2), ("a", "c"): (3, 0, 0)})
BASELINES: list[Model] = [
    Uniform(), AdjustedUniform(), IndependentPairs(), *(IndependentSystems(reconstruction=r) for r in RECONSTRUCTIONS)
]  # fmt: skip
every_baseline = pytest.mark.parametrize("model", BASELINES, ids=lambda m: getattr(m, "reconstruction", m.id))


def test_uniform_gives_a_third_each() -> None:
    assert Uniform().fit(DATA).predict("a", "b") == pytest.approx((1 / 3, 1 / 3, 1 / 3))


def test_adjusted_uniform_gives_the_smoothed_tie_rate_to_every_pair() -> None:
    fit = AdjustedUniform().fit(DATA)
    for pair in (("a", "b"), ("b", "a"), ("b", "c")):
        assert fit.predict(*pair) == pytest.approx((13 / 30, 2 / 15, 13 / 30))


@pytest.mark.parametrize(("row", "tie"), [((5, 0, 4), 1 / 12), ((0, 9, 0), 10 / 12)], ids=["no tie", "only ties"])
def test_an_adjusted_tie_rate_is_never_0_or_1(row: tuple[int, int, int], tie: float) -> None:
    assert AdjustedUniform().fit(counted({("a", "b"): row})).predict("a", "b").tie == pytest.approx(tie)


def test_independent_pairs_by_hand() -> None:
    fit = IndependentPairs().fit(DATA)
    assert fit.predict("a", "b") == pytest.approx((7 / 12, 2 / 12, 3 / 12))
    assert fit.predict("a", "c") == pytest.approx((4 / 6, 1 / 6, 1 / 6))
    assert fit.predict("b", "c") == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    # a: (7/12 + 1/12 + 4/6 + 1/12) / 2; b: (3/12 + 1/12 + 1/2) / 2; c: (1/6 + 1/12 + 1/2) / 2
    assert fit.scores == pytest.approx([17 / 24, 10 / 24, 9 / 24])


def test_independent_pairs_with_little_smoothing_are_the_shares() -> None:
    fit = IndependentPairs(alpha=1e-9).fit(DATA)
    assert fit.predict("a", "b") == pytest.approx((6 / 9, 1 / 9, 2 / 9))
    assert fit.predict("b", "c") == pytest.approx((1 / 3, 1 / 3, 1 / 3))


#: Q(· | a) = (10, 2, 3) / 15, Q(· | b) = (3, 2, 7) / 12 and Q(· | c) = (1, 1, 4) / 6.
ROOTS = [math.sqrt(10 / 15 * 7 / 12), math.sqrt(2 / 15 * 2 / 12), math.sqrt(3 / 15 * 3 / 12)]


@pytest.mark.parametrize(
    ("reconstruction", "ab", "ba"),
    [
        ("asymmetric", (10 / 15, 2 / 15, 3 / 15), (3 / 12, 2 / 12, 7 / 12)),
        ("arithmetic", (75 / 120, 18 / 120, 27 / 120), (27 / 120, 18 / 120, 75 / 120)),
        ("geometric", [r / sum(ROOTS) for r in ROOTS], [r / sum(ROOTS) for r in reversed(ROOTS)]),
    ],
)
def test_independent_systems_by_hand(reconstruction: str, ab: tuple[float, ...], ba: tuple[float, ...]) -> None:
    fit = IndependentSystems(reconstruction=reconstruction).fit(DATA)
    assert fit.predict("a", "b") == pytest.approx(ab)
    assert fit.predict("b", "a") == pytest.approx(ba)


def test_independent_systems_know_something_of_a_pair_that_never_met() -> None:
    fit = IndependentSystems().fit(DATA)
    assert fit.predict("b", "c") == pytest.approx(((3 / 12 + 4 / 6) / 2, (2 / 12 + 1 / 6) / 2, (7 / 12 + 1 / 6) / 2))
    # Q(win) + ½ Q(tie) is 11/15, 4/12 and 3/12 by system; a pair gets the mean of one and 1 − the other.
    mine = np.array([11 / 15, 4 / 12, 3 / 12])
    expected = [(mine[i] + 1 - (mine.sum() - mine[i]) / 2) / 2 for i in range(3)]
    assert fit.scores == pytest.approx(expected)


def test_the_asymmetric_score_is_the_systems_own_share() -> None:
    assert IndependentSystems(reconstruction="asymmetric").fit(DATA).scores == pytest.approx([11 / 15, 4 / 12, 3 / 12])


@pytest.mark.parametrize("reconstruction", RECONSTRUCTIONS)
def test_only_the_asymmetric_reconstruction_says_that_it_lacks_symmetry(reconstruction: str) -> None:
    model = IndependentSystems(reconstruction=reconstruction)
    q = model.fit(DATA).outcomes
    symmetric = np.allclose(q, np.swapaxes(q, 0, 1)[..., ::-1])
    assert symmetric == ("symmetric" not in model.lacks)
    assert symmetric == (reconstruction != "asymmetric")


@every_baseline
def test_weights_count_as_so_many_judgments(model: Model) -> None:
    rows = [("a", "b", 1), ("a", "b", 0), ("a", "b", -1), ("a", "c", 1)]
    weighted = judged(rows, weight=[6.0, 1.0, 2.0, 3.0])
    assert np.array_equal(model.fit(weighted).outcomes, model.fit(DATA).outcomes)


@every_baseline
def test_a_batch_is_scored_like_its_members(model: Model) -> None:
    members = [pair_counts([[0, 3, 1], [2, 0, 0], [1, 4, 0]]), pair_counts([[0, 0, 9], [1, 0, 2], [0, 1, 0]])]
    batch = PairCounts(members[0].systems, np.stack([m.wins for m in members]), np.stack([m.ties for m in members]))
    fits = [model.fit(member) for member in members]
    assert np.array_equal(model.outcomes(batch), [fit.outcomes for fit in fits])
    if fits[0].scores is not None:
        assert np.array_equal(model.score(batch, []), [fit.scores for fit in fits])


@every_baseline
def test_judgments_of_some_of_the_systems_can_be_added(model: Model) -> None:
    more = counted({("a", "c"): (1, 2, 0)})
    together = counted({("a", "b"): (6, 1, 2), ("a", "c"): (4, 2, 0)})
    for addition in (more, more.counts):
        updated = model.fit(DATA).update(addition)
        assert np.array_equal(updated.outcomes, model.fit(together).outcomes)


@every_baseline
def test_adding_leaves_the_first_fit_alone(model: Model) -> None:
    fit = model.fit(DATA)
    before = fit.outcomes.copy()
    fit.update(counted({("a", "b"): (0, 0, 50)}))
    assert np.array_equal(fit.outcomes, before)


@every_baseline
def test_a_new_system_can_be_added(model: Model) -> None:
    updated = model.fit(DATA).update(counted({("a", "d"): (1, 0, 0)}))
    together = counted({("a", "b"): (6, 1, 2), ("a", "c"): (3, 0, 0), ("a", "d"): (1, 0, 0)})
    assert updated.systems == ("a", "b", "c", "d")
    assert np.array_equal(updated.outcomes, model.fit(together).outcomes)


@pytest.mark.parametrize("model", [Uniform(), AdjustedUniform()], ids=lambda m: m.id)
def test_models_that_treat_all_alike_need_no_links_and_do_not_rank(model: Model) -> None:
    fit = model.fit(counted({("a", "b"): (1, 1, 2), ("c", "d"): (2, 0, 1)}))
    assert fit.scores is None
    assert fit.predict("a", "d") == fit.predict("c", "b")
    with pytest.raises(InputError, match=f"model '{model.id}' predicts outcomes but gives no scores to rank by"):
        rank(DATA, model=model)
    with pytest.raises(InputError, match=f"model '{model.id}' predicts outcomes but gives no scores to rank by"):
        resample(model, DATA, unit="pair", resamples=2, execution=Execution(seed=0))


@pytest.mark.parametrize("model", [IndependentPairs(), IndependentSystems()], ids=lambda m: m.id)
def test_a_tie_is_link_enough_and_a_gap_is_not(model: Model) -> None:
    tied = model.fit(counted({("a", "b"): (2, 0, 1), ("b", "c"): (0, 3, 0)}))
    assert tied.scores is not None
    with pytest.raises(UnplaceableError, match="a, b; c, d"):
        model.fit(counted({("a", "b"): (1, 1, 2), ("c", "d"): (2, 0, 1)}))


@pytest.mark.parametrize("name", ["independent-pairs", "independent-systems"])
@pytest.mark.parametrize("alpha", ["0", "-1", "nan", "inf"])
def test_smoothing_must_be_a_number_above_0(name: str, alpha: str) -> None:
    with pytest.raises(InputError, match=f"setting alpha: got {alpha}; allowed: a number above 0"):
        create(name, {"alpha": alpha})


def test_another_reconstruction_is_refused() -> None:
    with pytest.raises(InputError, match="got 'harmonic'; allowed: arithmetic, geometric, asymmetric"):
        create("independent-systems", {"reconstruction": "harmonic"})
