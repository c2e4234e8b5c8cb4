"""Audits: which claims of a ranking the judgments support.

`audit` (``run``) makes every check of `CHECKS` on one `Case`, in which what checks share is made once, and judges every
claim (``claims``). A check is a function from a `Case` to a `Finding`; a new one needs a line below and a function.
"""

from __future__ import annotations

from ...registry import Entry, Registry

#: Every check, in the order that an audit makes them, with the question that it asks.
CHECKS = Registry(
    "check",
    {
        "position": Entry("palmares.analysis.audit.design:position", "do outputs shown earlier win more?"),
        "judge-differences": Entry("palmares.analysis.audit.judges:differences", "do judges prefer different systems?"),
        "judge-influence": Entry("palmares.analysis.audit.judges:influence", "does one judge depart from the others?"),
        "concentration": Entry(
            "palmares.analysis.audit.judges:concentration", "do a few judges hold most of the votes?"
        ),
        "intransitivity": Entry(
            "palmares.analysis.audit.cycles:intransitivity", "do systems beat each other in circles?"
        ),
        "duplicates": Entry("palmares.analysis.audit.duplicates:duplicates", "are two systems one and the same?"),
        "ties": Entry("palmares.analysis.audit.ties:ties", "does the way ties are counted decide a place?"),
        "drift": Entry("palmares.analysis.audit.drift:drift", "did the judging change over time?"),
        "removal": Entry("palmares.analysis.audit.removal:removal", "how few must go for another system to lead?"),
        "rare-pairs": Entry("palmares.analysis.audit.design:rare_pairs", "were some pairs never or rarely compared?"),
        "groups": Entry("palmares.analysis.audit.design:groups", "do the judgments link all systems?"),
    },
)
