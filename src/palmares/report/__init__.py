"""From results to what people read. One module per command lays its results out as tables (`tables.View`), `tables.py`
writes tables for the terminal, as JSON, CSV, Markdown and LaTeX, and `plots/` draws pictures. `VIEWS` lists what can be
shown: ``report.tables.rendered("rank", results, "markdown")``.
"""

from __future__ import annotations

from ..registry import Entry, Registry

#: What results can be printed as.
OUTPUTS = ("table", "json", "csv", "markdown", "latex")

#: Every kind of result, by the command that prints it.
VIEWS = Registry(
    "result",
    {
        "rank": Entry("palmares.report.ranking:VIEW", "systems in order, with ranges, clusters and probabilities"),
        "head-to-head": Entry("palmares.report.head_to_head:VIEW", "every two systems compared"),
        "describe": Entry("palmares.report.describe:VIEW", "what a file of judgments contains"),
        "describe --columns": Entry("palmares.report.describe:FILES", "what the columns of files were taken for"),
        "agreement": Entry("palmares.report.agreement:VIEW", "how far judges agree"),
        "judges": Entry("palmares.report.judges:VIEW", "what stands out about each judge, as questions"),
        "segments": Entry("palmares.report.segments:VIEW", "how far segments tell systems apart"),
        "segments --baseline": Entry(
            "palmares.report.segments:BASELINE", "difficulties of segments against a baseline"
        ),
        "audit": Entry("palmares.report.audit:VIEW", "checks of the judgments and claims of the ranking"),
        "compare": Entry("palmares.report.compare:VIEW", "models on held-out judgments, and their learning curves"),
        "diff": Entry("palmares.report.diff:VIEW", "what changed between two rankings"),
        "verify": Entry("palmares.report.verify:VIEW", "whether a result could be made again"),
        "coverage": Entry("palmares.report.coverage:VIEW", "how often true ranks lie outside their ranges"),
        "next": Entry("palmares.report.next:VIEW", "what to judge next, and the boundaries that are open"),
        "plan": Entry("palmares.report.plan:VIEW", "judgments, rankings and judge-hours that a target takes"),
        "report": Entry("palmares.report.findings:VIEW", "all analyses of every language pair"),
        "score translation": Entry("palmares.report.translation:VIEW", "systems by automatic scores"),
        "score quality-estimation sentences": Entry(
            "palmares.report.quality_estimation:SENTENCES", "predictions of the quality of sentences"
        ),
        "score quality-estimation words": Entry(
            "palmares.report.quality_estimation:WORDS", "predictions of the quality of words"
        ),
        "score quality-estimation hter": Entry(
            "palmares.report.quality_estimation:HTER", "edits that post-editors made"
        ),
        "score quality-estimation baseline": Entry(
            "palmares.report.quality_baseline:VIEW", "a baseline that was trained, and its predictions"
        ),
        "score retrieval": Entry("palmares.report.retrieval:VIEW", "searches by what they find"),
        "experiments": Entry("palmares.report.experiments:EXPERIMENTS", "what can be reproduced"),
        "reproduce": Entry("palmares.report.experiments:VIEW", "published and measured numbers side by side"),
        "campaign list": Entry("palmares.report.campaign:LIST", "the campaigns of a database"),
        "campaign status": Entry("palmares.report.campaign:STATUS", "how far a campaign has come"),
        "campaign people": Entry("palmares.report.campaign:PEOPLE", "who takes part"),
        "campaign invite": Entry("palmares.report.campaign:INVITED", "links for those who were invited"),
        "campaign group-link": Entry("palmares.report.crowd:MADE", "a link for the workers of a platform"),
        "campaign group-links": Entry("palmares.report.crowd:LINKS", "group links and their places"),
        "campaign token": Entry("palmares.report.clients:MADE", "a token for a program"),
        "campaign tokens": Entry("palmares.report.clients:LIST", "the tokens of programs"),
        "campaign log": Entry("palmares.report.campaign:LOG", "who did what, and when"),
        "campaign notes": Entry("palmares.report.campaign:NOTES", "what judges wrote beside their answers"),
    },
)
