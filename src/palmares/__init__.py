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
    "simulate": "palmares.planning.simulate:simulate",
    "CampaignPlan": "palmares.planning.simulate:CampaignPlan",
    "FORMATS": "palmares.ingest:FORMATS",
    "MODELS": "palmares.models:MODELS",
    "PalmaresError": "palmares.errors:PalmaresError",
    "errors": "palmares.errors",
    "models": "palmares.models",
    "plots": "palmares.plots",
}

__all__ = [
    "FORMATS",
    "MODELS",
    "CampaignPlan",
    "Judgments",
    "PairCounts",
    "PalmaresError",
    "Ranking",
    "__version__",
    "concat",
    "describe",
    "errors",
    "head_to_head",
    "models",
    "plots",
    "rank",
    "read",
    "scan",
    "simulate",
    "write",
]

if TYPE_CHECKING:
    from . import errors, models, plots
    from .counts import PairCounts
    from .errors import PalmaresError
    from .ingest import FORMATS
    from .ingest.files import concat, read, write
    from .ingest.scan import scan
    from .judgments import Judgments
    from .models import MODELS
    from .overview import describe
    from .planning.simulate import CampaignPlan, simulate
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
