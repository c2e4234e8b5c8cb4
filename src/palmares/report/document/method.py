"""How a report's numbers were made, in two paragraphs with references."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...analysis.findings import Findings
from ...models import MODELS
from ..ranking import source_of_beliefs
from ..tables import level_text

#: The papers that a report may rest on, by the words that cite them.
REFERENCES = {
    "Bojar et al. 2014": (
        "Bojar, O., et al. (2014). Findings of the 2014 Workshop on Statistical Machine Translation. WMT."
    ),
    "Bradley & Terry 1952": (
        "Bradley, R. A., & Terry, M. E. (1952). Rank analysis of incomplete block designs. Biometrika 39."
    ),
    "Chen et al. 2013": "Chen, X., et al. (2013). Pairwise ranking aggregation in a crowdsourced setting. WSDM.",
    "Davidson 1970": "Davidson, R. R. (1970). On extending the Bradley–Terry model to accommodate ties. JASA 65.",
    "Herbrich et al. 2006": (
        "Herbrich, R., Minka, T., & Graepel, T. (2006). TrueSkill: a Bayesian skill rating system. NIPS."
    ),
    "Hopkins & May 2013": "Hopkins, M., & May, J. (2013). Models of translation competitions. ACL.",
    "Koehn 2012": "Koehn, P. (2012). Simulating human judgment in machine translation evaluation campaigns. IWSLT.",
    "Krippendorff 2004": "Krippendorff, K. (2004). Content analysis: an introduction to its methodology. Sage.",
    "Landis & Koch 1977": (
        "Landis, J. R., & Koch, G. G. (1977). The measurement of observer agreement for categorical data. "
        "Biometrics 33."
    ),
    "Lopez 2012": "Lopez, A. (2012). Putting human assessments of machine translation systems in order. WMT.",
    "MacKinnon & White 1985": (
        "MacKinnon, J. G., & White, H. (1985). Some heteroskedasticity-consistent covariance matrix estimators "
        "with improved finite sample properties. Journal of Econometrics 29."
    ),
    "Otani et al. 2016": (
        "Otani, N., et al. (2016). IRT-based aggregation model of crowdsourced pairwise comparison for evaluating "
        "machine translations. EMNLP."
    ),
    "Romano & Wolf 2005": (
        "Romano, J. P., & Wolf, M. (2005). Stepwise multiple testing as formalized data snooping. Econometrica "
        "73."
    ),
    "Sakaguchi et al. 2014": (
        "Sakaguchi, K., Post, M., & Van Durme, B. (2014). Efficient elicitation of annotations for human "
        "evaluation of machine translation. WMT."
    ),
}  # fmt: skip

#: What is cited for a model.
_CITED = {
    "bradley-terry": ("Bradley & Terry 1952",),
    "ordinal": ("Bradley & Terry 1952", "Davidson 1970"),
    "crowd-bt": ("Chen et al. 2013",),
    "graded-response": ("Otani et al. 2016",),
    "two-stage": ("Otani et al. 2016",),
    "expected-wins": ("Koehn 2012",),
    "bojar": ("Koehn 2012",),
    "orig-wmt": ("Koehn 2012",),
    "lopez": ("Lopez 2012",),
    "most-probable-ranking": ("Lopez 2012",),
    "monte-carlo-playoffs": ("Koehn 2012",),
    "trueskill": ("Herbrich et al. 2006", "Sakaguchi et al. 2014"),
    "hopkins-may": ("Hopkins & May 2013",),
    "irt-categorical": ("Hopkins & May 2013",),
}

#: What uncertainty is of, by the unit of the evidence.
_UNCERTAIN = {
    "two-way": (
        "allow for other judges and other segments at once, by leaving out one at a time (MacKinnon & White 1985)"
    ),
    "segment": "allow for other segments, with these judges",
    "judge": "allow for other judges, with these segments",
    "ranking": "allow for chance among the rankings of this campaign, not for other judges or segments",
    "pair": "treat every pairwise judgment as independent, which they are not where judges or segments repeat",
    "posterior": "span the model’s own posterior draws",
    "sign-test": "come from sign tests of every two systems",
}  # fmt: skip


@dataclass(frozen=True)
class Method:
    """Two paragraphs, what they cite, and the signatures of the rankings."""

    paragraphs: tuple[str, ...]
    references: tuple[str, ...]
    signatures: tuple[str, ...]


def method(results: Sequence[Findings]) -> Method:
    """How all of a report was made; where language pairs differ, the first one is told and the signatures have all."""
    paragraphs = (_ranked(results), _measured(results))
    cited = [words for words in REFERENCES if any(words in paragraph for paragraph in paragraphs)]
    return Method(paragraphs, tuple(REFERENCES[words] for words in cited), tuple(found.signature for found in results))


def _ranked(results: Sequence[Findings]) -> str:
    ranking = results[0].ranking
    model = ranking.fit.model
    ties = ("Davidson 1970",) if getattr(model, "ties", None) == "davidson" else ()
    cited = "; ".join((*_CITED.get(model.id, ()), *ties))
    name = f"{model.id} ({MODELS[model.id].summary}{'; ' + cited if cited else ''})"
    units = dict.fromkeys(found.ranking.record.facts.get("unit") for found in results)
    said = [f"Human judgments were reduced to pairwise judgments, and systems scored by the model {name}."]
    if ranking.ranged:
        level = level_text(ranking.record.facts["p"])
        words = [_UNCERTAIN.get(str(unit), "span the random runs of the model") for unit in units]
        differ = ", by language pair, " if len(words) > 1 else " "
        said.append(f"Rank ranges and intervals have a level of {level} and{differ}{' or '.join(words)}.")
        said.append(
            "A cluster ends where no rank range reaches beyond (Koehn 2012; Bojar et al. 2014). Solid boundaries hold "
            "all together, by a step-down test (Romano & Wolf 2005); dashed ones hold only each by itself."
        )
        said.append("Two systems are separated if their rank ranges do not overlap.")
        if ranking.better is not None:
            source = source_of_beliefs(ranking)
            said.append(f"Probabilities of being the best: {source[0].lower()}{source[1:]}")
        if ranking.looks != "once":
            said.append("Ranges and boundaries hold at every look, whatever chose the comparisons.")
    return " ".join(said)


def _measured(results: Sequence[Findings]) -> str:
    said = [
        "Head to head, shares leave out ties, and marks are two-sided sign tests of each pair by itself, not corrected "
        "for the number of pairs (Bojar et al. 2014)."
    ]
    if any(found.agreement is not None for found in results):
        said.append(
            "Agreement is Cohen’s κ over pairs of systems on one segment, as in Bojar et al. 2014, with the words of "
            "Landis & Koch 1977, and Krippendorff’s α (Krippendorff 2004)."
        )
    if any(found.judges is not None for found in results):
        said.append(
            "A judge’s sensitivity says how closely the judgments follow the order of the other judges: 1 is usual, 0 "
            "unrelated."
        )
    if any(found.audit is not None for found in results):
        said.append("The audit’s checks share one chance of a false alarm, at the level of the ranking.")
    if any(found.forecast is not None for found in results):
        said.append(
            "Forecasts assume that comparisons go on to be chosen as so far, and count until a boundary holds at every "
            "look."
        )
    return " ".join(said)
