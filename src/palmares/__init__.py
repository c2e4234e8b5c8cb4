"""From human judgments to a ranking you can defend.

The public interface. Names are imported when they are first used, so that ``import palmares`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._version import __version__

#: Public name → "module:attribute", or a submodule.
_EXPORTS = {
    "Judgments": "palmares.judgments:Judgments",
    "PairCounts": "palmares.counts:PairCounts",
    "read": "palmares.ingest.files:read",
    "write": "palmares.ingest.files:write",
    "scan": "palmares.ingest.scan:scan",
    "concat": "palmares.ingest.files:concat",
    "rank": "palmares.uncertainty.ranking:rank",
    "Ranking": "palmares.uncertainty.ranking:Ranking",
    "head_to_head": "palmares.uncertainty.head_to_head:head_to_head",
    "describe": "palmares.overview:describe",
    "agreement": "palmares.reliability.agreement:agreement",
    "audit": "palmares.auditing.run:audit",
    "compare": "palmares.evaluation.compare:compare",
    "evaluate": "palmares.evaluation.heldout:evaluate",
    "learning_curve": "palmares.evaluation.curves:learning_curve",
    "noise_test": "palmares.evaluation.noise:noise_test",
    "diff": "palmares.changes.difference:diff",
    "simulate": "palmares.planning.simulate:simulate",
    "CampaignPlan": "palmares.planning.simulate:CampaignPlan",
    "coverage": "palmares.planning.coverage:coverage",
    "reproduce": "palmares.evaluation.reproduce.base:reproduce",
    "CHECKS": "palmares.auditing:CHECKS",
    "EXPERIMENTS": "palmares.evaluation.reproduce:EXPERIMENTS",
    "FORMATS": "palmares.ingest:FORMATS",
    "MODELS": "palmares.models:MODELS",
    "PalmaresError": "palmares.errors:PalmaresError",
    "cluster": "palmares.cluster",
    "errors": "palmares.errors",
    "models": "palmares.models",
    "plots": "palmares.plots",
}

__all__ = [
    "CHECKS",
    "EXPERIMENTS",
    "FORMATS",
    "MODELS",
    "CampaignPlan",
    "Judgments",
    "PairCounts",
    "PalmaresError",
    "Ranking",
    "__version__",
    "agreement",
    "audit",
    "cluster",
    "compare",
    "concat",
    "coverage",
    "describe",
    "diff",
    "errors",
    "evaluate",
    "head_to_head",
    "learning_curve",
    "models",
    "noise_test",
    "plots",
    "rank",
    "read",
    "reproduce",
    "scan",
    "simulate",
    "write",
]

if TYPE_CHECKING:
    from . import cluster, errors, models, plots
    from .auditing import CHECKS
    from .auditing.run import audit
    from .changes.difference import diff
    from .counts import PairCounts
    from .errors import PalmaresError
    from .evaluation.compare import compare
    from .evaluation.curves import learning_curve
    from .evaluation.heldout import evaluate
    from .evaluation.noise import noise_test
    from .evaluation.reproduce import EXPERIMENTS
    from .evaluation.reproduce.base import reproduce
    from .ingest import FORMATS
    from .ingest.files import concat, read, write
    from .ingest.scan import scan
    from .judgments import Judgments
    from .models import MODELS
    from .overview import describe
    from .planning.coverage import coverage
    from .planning.simulate import CampaignPlan, simulate
    from .reliability.agreement import agreement
    from .uncertainty.head_to_head import head_to_head
    from .uncertainty.ranking import Ranking, rank


def __getattr__(name: str) -> Any:
    if name not in _EXPORTS:
        raise AttributeError(f"module 'palmares' has no attribute {name!r}")
    module, _, attribute = _EXPORTS[name].partition(":")
    value = getattr(import_module(module), attribute) if attribute else import_module(module)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
