"""Audits: which claims of a ranking the evidence carries."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..registry import Entry, Registry

#: Every check, in the order that an audit makes them, with the question that it asks.
CHECKS = Registry(
    "check",
    {
        "position": Entry("palmares.auditing.position:position", "do outputs shown earlier win more?"),
        "judge-differences": Entry("palmares.auditing.judges:differences", "do judges prefer different systems?"),
        "judge-influence": Entry("palmares.auditing.influence:influence", "does one judge depart from the others?"),
        "concentration": Entry("palmares.auditing.concentration:concentration", "do a few judges carry the votes?"),
        "intransitivity": Entry("palmares.auditing.cycles:intransitivity", "do systems beat each other in circles?"),
        "ties": Entry("palmares.auditing.ties:ties", "does the way ties are counted decide a place?"),
        "drift": Entry("palmares.auditing.drift:drift", "did the judging change over time?"),
        "rare-pairs": Entry("palmares.auditing.design:rare_pairs", "were some pairs never or rarely compared?"),
        "groups": Entry("palmares.auditing.design:groups", "do the judgments link all systems?"),
    },
)

_EXPORTS = {
    "audit": "palmares.auditing.run",
    "Audit": "palmares.auditing.run",
    "Claim": "palmares.auditing.claims",
    "Finding": "palmares.auditing.findings",
    "Subject": "palmares.auditing.findings",
}


def __getattr__(name: str) -> Any:
    """`audit` and what it returns, loaded when first used."""
    if name in _EXPORTS:
        return getattr(import_module(_EXPORTS[name]), name)
    raise AttributeError(f"module 'palmares.auditing' has no attribute {name!r}")
