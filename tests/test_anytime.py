"""Boundaries that hold at every look: the bound against its definition, claims by brute force, targets."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm, t

from palmares.design.targets import Target
from palmares.errors import InputError
from palmares.ranking.anytime import RHO, Claims, claims, critical


@pytest.mark.parametrize(("information", "pairs", "p"), [(0.5, 1, 0.05), (13.0, 7, 0.05), (400.0, 3, 0.1)])
def test_the_bound_is_where_the_mixture_of_likelihood_ratios_reaches_its_level(
    information: float, pairs: int, p: float
) -> None:
    motion = np.sqrt(critical(information, pairs, p) * information)

    def weighted(drift: float) -> float:
        return float(np.exp(drift * motion - drift**2 * information / 2) * norm.pdf(drift, scale=RHO**-0.5))

    peak = motion / (information + RHO)
    mixture, _ = quad(weighted, peak - 10, peak + 10, points=[peak], limit=500)
    assert mixture == pytest.approx(pairs / p, rel=1e-6)


def test_a_motion_without_drift_crosses_it_rarely_ever_and_the_usual_bound_nearly_always() -> None:
    rng, paths = np.random.default_rng(1), 4000
    information = np.geomspace(1e-2, 1e6, 1500)
    steps = rng.standard_normal((paths, len(information))) * np.sqrt(np.diff(information, prepend=0.0))
    z = steps.cumsum(axis=1) / np.sqrt(information)
    crossed = (z**2 >= critical(information, 1)).any(axis=1).mean()
    # By Ville's inequality at most p, and little less, since a martingale without jumps reaches its level.
    assert 0.03 < crossed < 0.05 + 3 * np.sqrt(0.05 * 0.95 / paths)
    assert (abs(z) >= 1.96).any(axis=1).mean() > 0.8


def test_with_few_degrees_of_freedom_the_bound_has_the_same_tail() -> None:
    usual, few = np.sqrt(critical(30.0, 7)), np.sqrt(critical(30.0, 7, df=12))
    assert t.sf(few, 12) == pytest.approx(norm.sf(usual), rel=1e-9)
    assert critical(30.0, 7, df=1e7) == pytest.approx(critical(30.0, 7), rel=1e-4)


def _by_definition(scores: np.ndarray, covariance: np.ndarray, p: float, df: float | None) -> list[bool]:
    """The rule as it is written down, one comparison at a time."""
    order = np.argsort(-scores, kind="stable")
    n, claimed = len(scores), [False] * (len(scores) - 1)
    while True:
        ends = [0, *(k + 1 for k in range(n - 1) if claimed[k]), n]
        pairs = max(1, sum((high - low) // 2 for low, high in pairwise(ends)))
        before = list(claimed)
        for k in range(1, n):
            passed = []
            for i, j in product(order[:k], order[k:]):
                v = covariance[i, i] + covariance[j, j] - 2 * covariance[i, j]
                passed.append((scores[i] - scores[j]) ** 2 / v >= critical(1 / v, pairs, p, df=df))
            claimed[k - 1] |= all(passed)
        if claimed == before:
            return claimed


@pytest.mark.parametrize("df", [None, 15.0])
def test_claims_are_those_of_the_rule_as_it_is_written_down(df: float | None) -> None:
    rng, total = np.random.default_rng(5), 0
    for _ in range(40):
        n = int(rng.integers(2, 8))
        scores = rng.normal(0, 2, n)
        root = rng.normal(0, 0.06, (n, n))
        covariance = root @ root.T + 0.003 * np.eye(n)
        expected = _by_definition(scores, covariance, 0.05, df)
        assert claims(scores, covariance, 0.05, df=df).claimed.tolist() == expected
        total += sum(expected)
    assert total > 20


def test_a_claim_makes_the_next_one_easier() -> None:
    # Errors of differences are .2, V = 25. Four systems: M = 2 and z must be 3.95; after the middle is claimed with
    # blocks of 2 and 2 still 2; but of three systems M is 1 from the start and z must be 3.72.
    covariance = np.eye(4) * 0.02
    assert np.sqrt(critical(25.0, 2)) == pytest.approx(np.sqrt(1.52 * (np.log(38 / 13) + 2 * np.log(40))), rel=1e-12)
    lead = 0.2 * (np.sqrt(float(critical(25.0, 2))) + np.sqrt(float(critical(25.0, 1)))) / 2
    alone = claims(np.array([2 * lead, lead, 0.0, -9.0]), covariance)  # blocks of 3 and 1: M = 1
    paired = claims(np.array([2 * lead, lead, -9.0, -9.0 - lead / 2]), covariance)  # blocks of 2 and 2: M = 2
    assert alone.claimed.tolist() == [True, True, True]
    assert paired.claimed.tolist() == [False, True, False]


def test_blocks_clusters_and_ranges_of_claims() -> None:
    some = Claims(np.array([3, 0, 2, 1]), np.array([True, False, True]), 0.05)
    assert some.blocks == ((0, 1), (1, 3), (3, 4))
    assert some.clusters.tolist() == [2, 3, 2, 1]
    assert some.ranges.tolist() == [[2, 3], [4, 4], [2, 3], [1, 1]]
    assert (some.open, some.pairs) == ((2,), 1)


def test_a_difference_without_a_known_variance_is_no_evidence() -> None:
    assert not claims(np.array([1.0, 0.0]), np.zeros((2, 2))).claimed.any()
    assert not claims(np.array([1.0, 0.0]), np.diag([np.inf, 1.0])).claimed.any()


# -- targets ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["pairs=0.8", "clusters=5", "widest=3", "best", "best=0.95"])
def test_targets_are_written_as_they_are_read(text: str) -> None:
    assert str(Target.parse(text)) == text


@pytest.mark.parametrize(
    "text", ["pairs", "pairs=0", "pairs=1.2", "clusters=1", "clusters=2.5", "widest=0", "best=1", "best=x", "all", "=3"]
)
def test_what_is_no_target_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"target: got .*(allowed|takes)"):
        Target.parse(text)


def test_more_clusters_than_systems_are_refused() -> None:
    with pytest.raises(InputError, match="only 4 systems"):
        Target.parse("clusters=5").check(4)


@pytest.mark.parametrize(
    ("text", "met"),
    # Blocks of 1, 2 and 1 of four systems: 5 of 6 pairs are separated.
    [("pairs=0.83", True), ("pairs=0.84", False), ("clusters=3", True), ("clusters=4", False), ("widest=2", True),
     ("widest=1", False), ("best", True), ("best=0.95", True)],
)  # fmt: skip
def test_whether_claims_meet_a_target(text: str, met: bool) -> None:
    assert Target.parse(text).is_met(Claims(np.arange(4), np.array([True, False, True]), 0.05)) == met


def test_many_states_at_once_are_as_each_by_itself() -> None:
    states = np.array(list(product([False, True], repeat=4)))
    for text in ("pairs=0.7", "clusters=3", "widest=2", "best"):
        target = Target.parse(text)
        alone = [target.is_met(Claims(np.arange(5), state, 0.05)) for state in states]
        assert target.reached(states).tolist() == alone
        assert 0 < sum(alone) < len(alone)


def test_of_next_to_nothing_no_bound_is_finite() -> None:
    """One degree of freedom and little information: beyond the largest number, and not a warning."""
    bounds = critical(np.array([0.004, 0.1, 10.0]), 10, df=1.0, rho=0.3)
    assert np.isinf(bounds[0])
    assert np.isfinite(bounds[2])
