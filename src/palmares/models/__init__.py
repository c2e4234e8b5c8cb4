"""Models: from judgments to a score for every system."""

from __future__ import annotations

from ..registry import Entry, Registry

#: Every model, in the order that listings show them.
MODELS = Registry(
    "model",
    {
        "expected-wins": Entry(
            "palmares.models.ratios:ExpectedWins", "mean over opponents of the share of decided comparisons won"
        ),
        "bojar": Entry("palmares.models.ratios:Bojar", "wins / (wins + losses)"),
        "orig-wmt": Entry("palmares.models.ratios:OrigWmt", "(wins + ties) / (wins + ties + losses)"),
        "lopez": Entry("palmares.models.orders:Lopez", "order that contradicts the fewest majority votes"),
        "most-probable-ranking": Entry(
            "palmares.models.orders:MostProbableRanking", "order with the largest product of win probabilities"
        ),
        "monte-carlo-playoffs": Entry(
            "palmares.models.playoffs:MonteCarloPlayoffs", "mean place in simulated knock-out tournaments"
        ),
    },
)

DEFAULT_MODEL = "expected-wins"
