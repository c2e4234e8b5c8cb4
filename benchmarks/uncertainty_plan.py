"""The project's own generator, `palmares.simulate`, with the true scores it implies."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np

from palmares.design.simulate import CampaignPlan, ranks_with_ties, simulate
from palmares.judgments import FloatArray, IntArray, Judgments

from .uncertainty_truth import Campaign, davidson

#: Its ties depend on all outputs of a ranking, so expected outcomes are counted, from so many independent rankings.
EXPECTED_FROM = 200_000


@dataclass(frozen=True)
class PlanWorld:
    """A plan; ``unequal`` shares of work as in the other generator; ``mixed`` draws the scatter anew for a campaign."""

    plan: CampaignPlan
    unequal: float = 0.0
    mixed: bool = False

    @property
    def judges(self) -> int:
        return self.plan.judges

    def draw(self, rng: np.random.Generator) -> Campaign:
        """A campaign and its truth."""
        plan = self.plan
        if self.mixed:
            # Qualities keep their scale, so more scatter, from all sources alike, is less spread of qualities.
            more = float(np.exp(rng.uniform(np.log(0.35), np.log(14))))
            names = ("spread", "segment_effect", "judge_effect", "tie_radius")
            plan = replace(plan, **{name: more * getattr(plan, name) for name in names})
        if self.unequal:
            judgments, quality = self._unequal(plan, rng)
        else:
            campaign = simulate(plan, rng=rng)
            judgments, quality = campaign.judgments, np.array(list(campaign.quality.values()))
        return Campaign.of(judgments, davidson(*expected(plan, quality, rng)), quality)

    def _unequal(self, plan: CampaignPlan, rng: np.random.Generator) -> tuple[Judgments, FloatArray]:
        """A larger campaign of which every judge keeps a share of rankings."""
        shares = np.arange(1, plan.judges + 1.0) ** -self.unequal
        kept = np.ceil(plan.rankings * shares / shares.sum())
        larger = simulate(plan, rankings=int(1.3 * plan.judges * kept.max()), rng=rng)
        judgments = larger.judgments
        judge = judgments.codes("judge")
        ranking = judgments.codes("ranking")
        _, first = np.unique(ranking, return_index=True)
        order = np.argsort(judge[first], kind="stable")
        done = np.bincount(judge[first], minlength=plan.judges)
        number = np.empty(len(first), dtype=np.int64)
        number[order] = np.arange(len(first)) - np.repeat(np.cumsum(done) - done, done)
        mask = number[ranking] < kept[judge]
        return judgments.filter(mask), np.array(list(larger.quality.values()))


def expected(plan: CampaignPlan, quality: FloatArray, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Expected wins and ties of every pair, in rankings that have neither judge nor segment in common."""
    n, m = plan.systems, plan.outputs
    # A choice of systems serves ten rankings: drawing it is what takes time.
    shown = np.repeat(rng.random((EXPECTED_FROM // 10, n)).argsort(axis=1)[:, :m], 10, axis=0)
    scatter = float(np.sqrt(plan.spread**2 + plan.segment_effect**2 + plan.judge_effect**2))
    ranks = ranks_with_ties(rng.normal(quality[shown], scatter), plan.tie_radius)
    wins, ties = np.zeros(n * n), np.zeros(n * n)
    for a, b in permutations(range(m), 2):
        cells: IntArray = shown[:, a] * n + shown[:, b]
        wins += np.bincount(cells[ranks[:, a] < ranks[:, b]], minlength=n * n)
        ties += np.bincount(cells[ranks[:, a] == ranks[:, b]], minlength=n * n)
    return wins.reshape(n, n), ties.reshape(n, n)
