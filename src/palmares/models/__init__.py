"""Models: from judgments to a score for every system, or to a prediction for every judgment.

`base` has what a model declares and what a fit gives; every other module is a family of models.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..registry import Entry, Registry

#: Every model, in the order that listings show them.
MODELS = Registry(
    "model",
    {
        "bradley-terry": Entry("palmares.models.bradley_terry:BradleyTerry", "strengths on a logistic scale; ties"),
        "ordinal": Entry("palmares.models.ordinal:Ordinal", "all pairs, and judges who differ in ties and sensitivity"),
        "crowd-bt": Entry(
            "palmares.models.crowd_bt:CrowdBT", "all pairs, and judges who tell the truth with unequal probability"
        ),
        "graded-response": Entry(
            "palmares.models.graded_response:GradedResponse", "all against one baseline, by judge and segment"
        ),
        "two-stage": Entry(
            "palmares.models.two_stage:TwoStage", "all against one baseline, by outputs and biased judges"
        ),
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
        "trueskill": Entry("palmares.models.trueskill:TrueSkill", "Gaussian skills; WMT's official ranking 2014–16"),
        "uniform": Entry("palmares.models.baselines:Uniform", "⅓ for every outcome; predicts only"),
        "adjusted-uniform": Entry("palmares.models.baselines:AdjustedUniform", "the overall tie rate; predicts only"),
        "independent-pairs": Entry(
            "palmares.models.baselines:IndependentPairs", "smoothed outcome shares of every pair by itself"
        ),
        "independent-systems": Entry(
            "palmares.models.baselines:IndependentSystems", "smoothed outcome shares of every system by itself"
        ),
        "hopkins-may": Entry(
            "palmares.models.hopkins_may:HopkinsMay", "Gaussian abilities, items and judges, by Gibbs sampling"
        ),
        "irt-categorical": Entry(
            "palmares.models.irt_categorical:IrtCategorical", "items on a scale of levels, by Gibbs sampling"
        ),
    },
)

DEFAULT_MODEL = "bradley-terry"


def __getattr__(name: str) -> Any:
    """The classes of the registry by name (``palmares.models.BradleyTerry``), `create` and `choose_baseline`."""
    also = ["palmares.models.by_name:create", "palmares.models.against_baseline:choose_baseline"]
    targets = [*also, *(entry.target for entry in MODELS.values())]
    for module, _, attribute in (target.partition(":") for target in targets):
        if attribute == name:
            return getattr(import_module(module), name)
    raise AttributeError(f"module 'palmares.models' has no attribute {name!r}")
