"""Readers and writers: files and stores in, `Judgments` out, and back."""

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

#: What else judgments can be read from: the scheme of a URL, and a function ``(url, options) -> (name, Parsed)``.
STORES = Registry(
    "store",
    {
        "sqlite": Entry("palmares.campaign.collected:read_url", "a campaign's SQLite file: sqlite:///FILE"),
        "postgresql": Entry("palmares.campaign.collected:read_url", "PostgreSQL: postgresql://USER@HOST/NAME"),
        "postgres": Entry("palmares.campaign.collected:read_url", "the same: postgres://USER@HOST/NAME"),
    },
)
