"""Does it pay to know the judges? Half of them careful, half careless: the better half alone, and ``ordinal``.

``python -m benchmarks active --judges``. Judge k sees outputs with noise N(0, s_k²) of their own on top of the spread
of 10; s_k is 3 for ten of twenty judges and 20 for the others, so that an answer of a careless judge is worth a
quarter of a careful one's. Pairs, chosen by the open boundaries that are written apart, the valid rule, Bradley–Terry.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from palmares.models.ordinal import Ordinal
from palmares.ranking.anytime import claims

from . import active_own
from .active_measures import share, stacked
from .active_race import EVERY, FIRST, Looker
from .active_runs import STORE
from .active_tables import flat, shown
from .active_two_way import judgments_of
from .active_world import JUDGES, SPREAD, Collected, Ints, World, _add, koehn
from .common import report

CAREFUL, CARELESS = 3.0, 20.0
POLICIES = ("all", "estimated", "known")
#: Judgments after which the better half is chosen, and chosen again.
_CHOSEN_AT = (2000, 4000, 8000)
_UNTIL, _ORDINAL_AT, _SEED = 12_000, 8_000, 161_803


class Noisy(Collected):
    """Judges with noise of their own, of whom some may be at work."""

    def __init__(self, world: World, size: int, most: int, rng: np.random.Generator) -> None:
        super().__init__(world, size, most, rng)
        self.noise = rng.permutation(np.repeat([CAREFUL, CARELESS], JUDGES // 2))
        self.at_work = np.arange(JUDGES)

    def ask(self, screens: Ints) -> None:
        lo, hi = self.screens, self.screens + len(screens)
        judge = self.rng.choice(self.at_work, len(screens))
        spread = np.sqrt(SPREAD**2 + self.noise[judge] ** 2)[:, None]
        self.shown[lo:hi], self.judge[lo:hi] = screens, judge
        self.segment[lo:hi] = np.arange(lo, hi)
        seen = self.rng.normal(self.world.quality[screens], spread)
        _add(seen, screens, self.ranks[lo:hi], self.wins, self.ties)
        self.screens = hi


def main(runs: int, keep: bool, folder: Path = STORE) -> None:
    """Run what is missing, and print."""
    path = folder / "judges.jsonl"
    kept = [json.loads(line) for line in path.open()] if path.exists() else []
    with path.open("a", encoding="utf-8") as file:
        for run in range(len(kept), runs):
            kept.append(_run(run))
            file.write(json.dumps(kept[-1]) + "\n")
            file.flush()
    looks = np.arange(FIRST, _UNTIL + 1, EVERY, dtype=np.float64)
    curves = {policy: (looks, stacked([line[policy] for line in kept])) for policy in POLICIES}
    rows: list[list[object]] = []
    for policy in POLICIES:
        found = share(curves[policy], curves["all"], part=0.8)
        right = np.mean([line["right"] for line in kept]) if policy == "estimated" else ""
        rows.append([policy, len(kept), float(curves[policy][1][:, -1].mean()), shown(found), right])
    ordinal = np.array([line["ordinal"] for line in kept])
    ratio = float(np.median(ordinal[:, 0]))
    rng = np.random.default_rng(0)
    drawn = np.median(ordinal[rng.integers(0, len(ordinal), (2000, len(ordinal))), 0], axis=1)
    low, high = np.quantile(drawn, [0.025, 0.975])
    at = ", ".join(f"{n:,}" for n in _CHOSEN_AT)
    report(
        "active-judges",
        "Better judges first, and a model that knows them",
        ["judges at work", "runs", f"clusters at {_UNTIL:,}", "share of all's judgments", "of the best ten, chosen"],
        rows,
        [
            flat(f"""Koehn's campaigns by twenty judges, ten with noise of sd {CAREFUL:g}, ten with {CARELESS:g}.
                *estimated*: after {at} judgments the ten to whom `ordinal` gives the largest sensitivity go on alone;
                *known*: the ten best from the beginning. Share at 80 % of the clusters that all have at the end."""),
            flat(f"""`ordinal` instead of Bradley–Terry on the same {_ORDINAL_AT:,} uniform judgments by all: it says as
                much as Bradley–Terry would of {ratio:.2f} [{low:.2f}, {high:.2f}] times as many (median over runs of
                the ratio of Σ z² of all pairs); clusters by the valid rule {ordinal[:, 2].mean():.2f} against
                {ordinal[:, 1].mean():.2f}."""),
        ],
        keep=keep,
    )  # fmt: skip


def _run(run: int) -> dict[str, object]:
    world = koehn(np.random.default_rng([_SEED, run]))
    out: dict[str, object] = {}
    for number, policy in enumerate(POLICIES):
        out[policy], out["right"] = _collected(world, policy, np.random.default_rng([_SEED, run, number]))
        if policy == "estimated":
            right = out["right"]
    return {**out, "right": right, "ordinal": _ordinal(world, np.random.default_rng([_SEED, run, 9]))}


def _collected(world: World, policy: str, rng: np.random.Generator) -> tuple[list[int], float]:
    """Clusters at the looks, and how many of those chosen at last are of the best half."""
    data, n = Noisy(world, 2, _UNTIL + EVERY, rng), world.systems
    if policy == "known":
        data.at_work = np.flatnonzero(data.noise == CAREFUL)
    looker, clusters, left = Looker(data), [], list(_CHOSEN_AT)
    data.ask(active_own.uniform(n, 2, FIRST, rng))
    while True:
        looker.fit()
        claimed = looker.claimed("any")
        if data.judgments % EVERY == 0:
            clusters.append(1 + int(claimed.sum()))
        if data.judgments >= _UNTIL:
            return clusters, float((data.noise[data.at_work] == CAREFUL).mean())
        if policy == "estimated" and left and data.judgments >= left[0]:
            left.pop(0)
            data.at_work = _better_half(data)
        by_chance = int(rng.binomial(20, 0.1))
        chosen = active_own.open_boundaries(looker.state(claimed), 2, 20 - by_chance, rng, c=3.0)
        data.ask(np.concatenate([chosen, active_own.uniform(n, 2, by_chance, rng)]))


def _better_half(data: Collected) -> Ints:
    fit = Ordinal().fit(judgments_of(data))
    judge = np.array([int(name[1:]) for name in fit.judges])
    return judge[np.argsort(-fit.sensitivity)[: JUDGES // 2]]


def _ordinal(world: World, rng: np.random.Generator) -> list[float]:
    """Σ z² by ``ordinal`` over that by Bradley–Terry, and clusters by both."""
    data = Noisy(world, 2, _ORDINAL_AT, rng)
    data.ask(active_own.uniform(world.systems, 2, _ORDINAL_AT, rng))
    looker = Looker(data)
    looker.fit()
    judgments, model = judgments_of(data), Ordinal()
    fit = model.fit(judgments)
    rows = model.influence_rows(judgments, fit)
    covariance = np.linalg.inv(rows.whole)
    assert fit.scores is not None
    sums = []
    for theta, v in ((looker.theta, looker.covariance), (fit.scores, covariance)):
        own = np.diag(v)
        with np.errstate(invalid="ignore"):
            z2 = (theta[:, None] - theta) ** 2 / (own[:, None] + own - 2 * v)
        sums.append(float(np.nansum(z2)))
    clusters = [
        1 + int(claims(looker.theta, looker.covariance).claimed.sum()),
        1 + int(claims(fit.scores, covariance).claimed.sum()),
    ]
    return [sums[1] / sums[0], *map(float, clusters)]
