"""Audits: which claims of a ranking the evidence carries."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ...registry import Entry, Registry

#: Every check, in the order that an audit makes them, with the question that it asks.
CHECKS = Registry(
    "check",
    {
        "position": Entry("palmares.analysis.audit.position:position", "do outputs shown earlier win more?"),
        "judge-differences": Entry("palmares.analysis.audit.judges:differences", "do judges prefer different systems?"),
        "judge-influence": Entry(
            "palmares.analysis.audit.influence:influence", "does one judge depart from the others?"
        ),
        "concentration": Entry(
            "palmares.analysis.audit.concentration:concentration", "do a few judges carry the votes?"
        ),
        "intransitivity": Entry(
            "palmares.analysis.audit.cycles:intransitivity", "do systems beat each other in circles?"
        ),
        "ties": Entry("palmares.analysis.audit.ties:ties", "does the way ties are counted decide a place?"),
        "drift": Entry("palmares.analysis.audit.drift:drift", "did the judging change over time?"),
        "rare-pairs": Entry("palmares.analysis.audit.design:rare_pairs", "were some pairs never or rarely compared?"),
        "groups": Entry("palmares.analysis.audit.design:groups", "do the judgments link all systems?"),
    },
)

_EXPORTS = {
    "audit": "palmares.analysis.audit.run",
    "Audit": "palmares.analysis.audit.run",
    "Claim": "palmares.analysis.audit.claims",
    "Finding": "palmares.analysis.audit.findings",
    "Subject": "palmares.analysis.audit.findings",
}


def __getattr__(name: str) -> Any:
    """`audit` and what it returns, loaded when first used."""
    if name in _EXPORTS:
        return getattr(import_module(_EXPORTS[name]), name)
    raise AttributeError(f"module 'palmares.analysis.audit' has no attribute {name!r}")
