"""Readers and writers: files in, `Judgments` out, and back."""

from __future__ import annotations

from ..registry import Entry, Registry

#: Every format. The order is the order of detection: the more particular ones come first.
FORMATS = Registry(
    "format",
    {
        "appraise": Entry("palmares.ingest.appraise:Appraise", "Appraise result XML"),
        "preflib": Entry("palmares.ingest.preflib:PrefLib", "PrefLib orders (.soc, .toc, .soi, .toi)"),
        "wmt-pairwise": Entry("palmares.ingest.wmt:WmtPairwise", "WMT15/16 pairs with rankingID (CSV)"),
        "wmt": Entry("palmares.ingest.wmt:Wmt", "WMT five-way or n-way rankings (CSV)"),
        "arena": Entry("palmares.ingest.pairwise:Arena", "LLM-arena votes: model_a, model_b, winner"),
        "pairwise": Entry("palmares.ingest.pairwise:Pairwise", "any table of two systems and an outcome"),
        "chosen-rejected": Entry("palmares.ingest.pairwise:ChosenRejected", "DPO-style chosen / rejected pairs"),
        "scores": Entry("palmares.ingest.scores:Scores", "one score an output (DA, ESA, Likert), reduced to order"),
    },
)
