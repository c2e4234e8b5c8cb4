"""Constants that are fitted: where a difference is cut, by brute force, by simulation, and at the ends."""

from __future__ import annotations

import itertools
import math
from statistics import NormalDist

import numpy as np
import pytest
from builders import counted, judged, pair_counts
from scipy.optimize import minimize

from palmares.errors import InputError
from palmares.judgments import Judgments
from palmares.models.by_name import create
from palmares.models.cuts import Direction, cut_logs, fitted_constants
from palmares.models.hopkins_may import HopkinsMay
from palmares.models.irt_categorical import IrtCategorical, log_outcomes, outcome_shares
from palmares.models.trueskill import TrueSkill

PHI = NormalDist().cdf
COUNTS = {("a", "b"): (20, 9, 6), ("a", "c"): (25, 4, 3), ("b", "c"): (14, 11, 10)}


def surprise(outcomes: list[tuple[float, float, float]], counts: list[tuple[int, int, int]]) -> float:
    """−log-likelihood of counted outcomes, with one judgment of each outcome spread over the nine ordered pairs."""
    return -sum(n * math.log(p) for ps, ns in zip(outcomes, counts, strict=True) for p, n in zip(ps, ns, strict=True))


def cut(x: float, g: float) -> tuple[float, float, float]:
    return PHI(x - g), PHI(g - x) - PHI(-g - x), PHI(-x - g)


def all_pairs(scores: list[float], widths: list[float], slope: float, radius: float) -> float:
    """The same for three systems a, b, c: a difference of scores over its width, cut at ± the radius over its width."""
    judged_pairs = {(0, 1): COUNTS["a", "b"], (0, 2): COUNTS["a", "c"], (1, 2): COUNTS["b", "c"]}
    total = 0.0
    for i, j in itertools.product(range(3), repeat=2):
        width = math.hypot(widths[i], widths[j])
        outcomes = cut(slope * (scores[i] - scores[j]) / width, radius / width)
        total += surprise([outcomes], [(1 / 9, 1 / 9, 1 / 9)])
        if (i, j) in judged_pairs:
            total += surprise([outcomes], [judged_pairs[i, j]])
    return total


# -- the search ------------------------------------------------------------------------------------


def test_outcomes_of_a_cut_difference_and_their_slopes() -> None:
    x, g = np.linspace(-3, 3, 13), 0.7
    logs, by_apart, by_cut = cut_logs(x, g)
    assert np.exp(logs) == pytest.approx(np.array([cut(value, g) for value in x]).T)
    step = 1e-6
    assert by_apart == pytest.approx((cut_logs(x + step, g).logs - cut_logs(x - step, g).logs) / (2 * step), rel=1e-6)
    assert by_cut == pytest.approx((cut_logs(x, g + step).logs - cut_logs(x, g - step).logs) / (2 * step), rel=1e-6)
    # However far out.
    far = cut_logs(np.array([-60.0, 60.0]), 0.1)
    assert all(np.isfinite(part).all() for part in far)


def test_both_constants_are_those_of_a_blind_search() -> None:
    scores, widths = [0.5, 0.1, -0.3], [0.4, 0.5, 0.6]
    width = np.hypot.outer(widths, widths)
    apart = np.subtract.outer(scores, scores) / width
    found = fitted_constants(
        counted(COUNTS).counts, Direction(0.0, 0.0), [Direction(apart, 0.0), Direction(0.0, 1 / width)], [1.0, 0.1]
    )
    blind = minimize(
        lambda at: all_pairs(scores, widths, math.exp(at[0]), math.exp(at[1])), [0.0, -1.0], method="Nelder-Mead",
        options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 2000},
    )  # fmt: skip
    assert found == pytest.approx(np.exp(blind.x), rel=1e-5)


def test_what_judgments_say_nothing_about_stays() -> None:
    # Equal scores: any slope is as good as another; the radius follows from the tie rate, (24 + 1) / (102 + 3).
    nothing = np.zeros((3, 3))
    slope, radius = fitted_constants(
        counted(COUNTS).counts, Direction(0.0, 0.0), [Direction(nothing, 0.0), Direction(0.0, 1.0)], [1.0, 0.1]
    )
    assert slope == 1.0
    assert 2 * PHI(radius) - 1 == pytest.approx(25 / 105)


@pytest.mark.parametrize("won", [(500, 0, 0), (0, 500, 0), (1, 0, 0), (0, 1, 0), (0, 500, 1)], ids=str)
@pytest.mark.parametrize(
    "model", ["hopkins-may:radius=fit", "irt-categorical:radius=fit", "trueskill:mode=batch,radius=fit,spread=fit"]
)
def test_constants_stay_inside_where_all_judgments_agree(model: str, won: tuple[int, int, int]) -> None:
    fit = create(model).fit(counted({("a", "b"): won}), rng=0)
    assert all(np.isfinite(value) for value in fit.fitted.values())
    assert fit.fitted["radius"] > (-1 if fit.model.id == "irt-categorical" else 0)
    assert (fit.outcomes > 0).all()


# -- hopkins-may -----------------------------------------------------------------------------------


def latent_campaign(radius: float, rng: np.random.Generator, *, items: bool) -> Judgments:
    """Rankings of three of five systems as Hopkins & May describe them; every pair is seen afresh."""
    ability = np.array([-0.8, -0.3, 0.0, 0.4, 0.7])
    rows, segments = [], []
    for number in range(1500):
        shown = np.sort(rng.permutation(5)[:3])
        quality = ability[shown] + rng.normal(0, 0.5, 3)
        for i, j in itertools.combinations(range(3), 2):
            if not items:
                quality = ability[shown] + rng.normal(0, 0.5, 3)
            seen = quality[i] - quality[j] + rng.normal(0, math.sqrt(2))
            rows.append((f"s{shown[i]}", f"s{shown[j]}", 0 if abs(seen) < radius else int(np.sign(seen))))
            segments.append(f"x{number}" if items else f"x{number}-{i}-{j}")
    return judged(rows, segment=segments)


@pytest.mark.parametrize("radius", [0.1, 0.4, 1.5])
@pytest.mark.parametrize("items", [True, False], ids=["shared items", "lone"])
def test_hopkins_may_finds_the_radius_that_judges_had(radius: float, items: bool) -> None:
    data = latent_campaign(radius, np.random.default_rng(7), items=items)
    found = HopkinsMay().fitted_radius(data.counts)
    # With a share t of ties among 4500, the relative error is about 1 / √(4500 t): 7 %, 4 %, 2 %; three of them.
    share = float(np.mean(data.codes("outcome") == 0))
    assert found == pytest.approx(radius, rel=3 / math.sqrt(4500 * share))


def test_the_radius_is_the_same_for_fit_and_bootstrap_and_does_not_move_the_usual_fit() -> None:
    data = latent_campaign(1.2, np.random.default_rng(3), items=True)
    model = create("hopkins-may:radius=fit,iterations=60,burn_in=20")
    fit = model.fit(data, rng=1)
    given = HopkinsMay(radius=fit.fitted["radius"], iterations=60, burn_in=20).fit(data, rng=1)
    assert np.array_equal(fit.scores, given.scores)
    assert np.array_equal(fit.outcomes, given.outcomes)
    assert given.fitted == {}
    assert np.array_equal(model.rescore(data, rng=np.random.default_rng(1)), fit.scores)


# -- irt-categorical -------------------------------------------------------------------------------


def test_shares_of_a_radius_by_hand() -> None:
    # Differences −2 … 2 of three levels.
    assert outcome_shares(3, 0.0).tolist() == [[1, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 1]]
    assert outcome_shares(3, 0.25)[1].tolist() == [0, 0.25, 1, 0.25, 0]
    assert outcome_shares(3, 1.5)[2].tolist() == [0, 0, 0, 0, 0.5]
    assert outcome_shares(3, -0.4) == pytest.approx(np.array([[1, 1, 0.2, 0, 0], [0, 0, 0.6, 0, 0], [0, 0, 0.2, 1, 1]]))


@pytest.mark.parametrize("radius", [-0.7, 0.0, 0.6, 1.3])
def test_outcomes_of_levels_with_a_radius_are_sums_over_what_is_seen(radius: float) -> None:
    levels, sigma = 4, 0.8
    weight = [[math.exp(-((x - q) ** 2) / (2 * sigma**2)) for x in range(levels)] for q in range(levels)]
    noise = [[w / sum(row) for w in row] for row in weight]
    table = np.exp(log_outcomes(levels, sigma, radius))
    for p, q in itertools.product(range(levels), repeat=2):
        tie = better = 0.0
        for x, y in itertools.product(range(levels), repeat=2):
            seen = noise[p][x] * noise[q][y]
            share = min(max(radius + 1 - abs(x - y), 0), 1)
            tie += seen * share
            better += seen * (1 - share) * (1 if x > y else 0.5 if x == y else 0)
        assert table[:, p, q] == pytest.approx([1 - tie - better, tie, better], abs=1e-12)


def levels_campaign(radius: float, rng: np.random.Generator) -> Judgments:
    """Lone comparisons of four systems on eight levels, whose distributions are spread over three levels each."""
    rows = []
    for _ in range(6000):
        a, b = np.sort(rng.permutation(4)[:2])
        x, y = (1 + 1.5 * system + rng.integers(0, 3) for system in (a, b))
        x, y = (np.clip(np.round(q), 0, 7) for q in (x, y))
        weight = [np.exp(-((np.arange(8) - q) ** 2) / 2) for q in (x, y)]
        x, y = (rng.choice(8, p=w / w.sum()) for w in weight)
        tie = rng.random() < radius + 1 - abs(x - y)
        rows.append((f"s{a}", f"s{b}", 0 if tie else int(np.sign(x - y) or rng.choice([-1, 1]))))
    return judged(rows)


@pytest.mark.parametrize("radius", [-0.5, 0.0, 1.2])
def test_levels_predict_as_many_ties_as_there_were(radius: float) -> None:
    data = levels_campaign(radius, np.random.default_rng(2))
    fit = create("irt-categorical:radius=fit,iterations=150,burn_in=50").fit(data, rng=0)
    a, b = data.codes("system_a"), data.codes("system_b")
    ties = float(np.mean(data.codes("outcome") == 0))
    assert float(fit.outcomes[a, b, 1].mean()) == pytest.approx(ties, abs=0.01)
    # Levels can be taken for wider or narrower ones, so the radius itself is known only roughly.
    assert fit.fitted["radius"] == pytest.approx(radius, abs=0.5)


# -- trueskill -------------------------------------------------------------------------------------


@pytest.mark.parametrize("asked", [("radius",), ("spread",), ("radius", "spread")], ids=str)
def test_trueskill_fits_what_it_is_asked_to_given_its_skills(asked: tuple[str, ...]) -> None:
    data = counted(COUNTS)
    plain = TrueSkill(mode="batch", beta=0.5, margin=0.2).fit(data)
    fit = TrueSkill(mode="batch", beta=0.5, margin=0.2, **dict.fromkeys(asked, "fit")).fit(data)
    assert np.array_equal(fit.scores, plain.scores)
    assert set(fit.fitted) == set(asked)
    constants = {"radius": 0.1, "spread": 1.0, **fit.fitted}
    scores, widths = fit.scores.tolist(), fit.deviations.tolist()

    def value(radius: float, spread: float) -> float:
        return all_pairs(scores, widths, 1 / spread, radius / spread)

    best = value(**constants)
    for name, factor in itertools.product(asked, (0.99, 1.01)):
        assert value(**{**constants, name: constants[name] * factor}) > best
    width = constants["spread"] * math.hypot(widths[0], widths[1])
    expected = cut((scores[0] - scores[1]) / width, constants["radius"] / width)
    assert fit.predict("a", "b") == pytest.approx(expected)


@pytest.mark.parametrize("mode", ["replay", "sequence", "shuffled", "batch"])
def test_an_update_fits_to_all_judgments(mode: str) -> None:
    first, more = counted({("a", "b"): (8, 1, 3)}), counted({("a", "b"): (1, 30, 1)})
    fit = TrueSkill(mode=mode, beta=2.0, margin=0.5, runs=5, radius="fit").fit(first, rng=0)
    updated = fit.update(more)
    assert updated.counts.total == 44
    assert updated.fitted["radius"] > fit.fitted["radius"]


# -- settings --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("hopkins-may:radius=wide", "setting radius: got 'wide'; allowed: a number, or fit"),
        ("hopkins-may:sigma_a=fit", "setting sigma_a: got 'fit'; allowed: a number"),
        ("trueskill:beta=fit", "setting beta: got 'fit'; allowed: a number"),
        ("trueskill:spread=0", "setting spread: got 0.0; allowed: a number above 0"),
        ("irt-categorical:radius=-1", "setting radius: got -1.0; allowed: a number above -1 and below levels - 1"),
        ("irt-categorical:levels=3,radius=2", r"below levels - 1 \(2\), or fit"),
        ("irt-categorical:radius=fit,burn_in=5", "setting burn_in: got 5; allowed: at least 10 where radius=fit"),
    ],
)
def test_what_cannot_be_a_constant_is_refused(model: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        create(model)


def test_published_constants_are_the_defaults() -> None:
    assert (HopkinsMay().radius, IrtCategorical().radius, TrueSkill().radius, TrueSkill().spread) == (
        0.4,
        0.0,
        0.1,
        1.0,
    )
    assert all(create(name).fit(pair_counts(np.eye(2, k=1) + 1 - np.eye(2)), rng=0).fitted == {} for name in
               ("hopkins-may", "irt-categorical", "trueskill:runs=3"))  # fmt: skip
