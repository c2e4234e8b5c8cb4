"""The register of strategies."""

from __future__ import annotations

from ...registry import Entry, Registry

STRATEGIES = Registry(
    "strategy",
    {
        "balanced": Entry("palmares.design.next.even:Balanced", "what was chosen least so far, at random among equals"),
        "uniform": Entry("palmares.design.next.even:Uniform", "every segment and every set of outputs alike"),
    },
)
