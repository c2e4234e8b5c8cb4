"""Files, data frames and databases in, `Judgments` out, and back.

`files` holds the doors (`read`, `write`), `scan` the streaming one; `source` reads bytes, `tables` makes records of
them, `columns` checks those, and every family of formats has a module of its own, loaded when it is used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from ..registry import Entry, Registry

if TYPE_CHECKING:
    from .base import Parsed, ReadOptions

#: Every format. The order is the order of detection: the more particular ones come first.
FORMATS = Registry(
    "format",
    {
        "appraise": Entry("palmares.ingest.appraise:Appraise", "Appraise result XML"),
        "preflib": Entry("palmares.ingest.preflib:PrefLib", "PrefLib orders (.soc, .toc, .soi, .toi)"),
        "wmt-pairwise": Entry("palmares.ingest.wmt:WmtPairwise", "WMT15/16 pairs with rankingID (CSV)"),
        "wmt": Entry("palmares.ingest.wmt:Wmt", "WMT five-way or n-way rankings (CSV)"),
        "label-studio": Entry(
            "palmares.ingest.label_studio:LabelStudio", "Label Studio exports with two sides (JSON, JSON-MIN, CSV)"
        ),
        "potato": Entry("palmares.ingest.potato:Potato", "Potato annotations of two sides, with --items"),
        "arena": Entry("palmares.ingest.pairwise:Arena", "LLM-arena votes: model_a, model_b, winner"),
        "pairwise": Entry("palmares.ingest.pairwise:Pairwise", "any table of two systems and an outcome"),
        "chosen-rejected": Entry("palmares.ingest.pairwise:ChosenRejected", "DPO-style chosen / rejected pairs"),
        "direct-assessment": Entry(
            "palmares.ingest.direct_assessment:DirectAssessment",
            "Appraise's scores for WMT (DA, ESA), without a header",
        ),
        "scores": Entry("palmares.ingest.scores:Scores", "one score per output (DA, ESA, Likert), reduced to order"),
    },
)

#: How the outcomes of a column may be written.
Outcomes = Literal["auto", "names", "sides", "numbers", "one-hot"]
OUTCOMES: tuple[Outcomes, ...] = get_args(Outcomes)
#: What the user may say that an outcome means.
OUTCOME_WORDS = ("a", "b", "tie", "skip")

#: Whether scores of different judges are compared, and how.
AcrossJudges = Literal["no", "raw", "standardised"]
ACROSS_JUDGES: tuple[AcrossJudges, ...] = get_args(AcrossJudges)

#: From a URL and options to what messages call the database, and its judgments.
StoreReader: TypeAlias = "Callable[[str, ReadOptions], tuple[str, Parsed]]"
#: Readers of databases, by the scheme of their URLs. Campaigns lie above this package, which knows nothing of them:
#: `palmares` itself, above both, registers how they are read.
STORES: dict[str, StoreReader] = {}
