"""From human judgments to a ranking you can defend.

The public interface. Names are imported when they are first used, so that ``import palmares`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._version import __version__
from .ingest import STORES
from .results import LAYOUTS

#: Public name → "module:attribute", or a submodule.
_EXPORTS = {
    "Judgments": "palmares.judgments:Judgments",
    "PairCounts": "palmares.judgments:PairCounts",
    "read": "palmares.ingest.files:read",
    "write": "palmares.ingest.files:write",
    "ReadOptions": "palmares.ingest.base:ReadOptions",
    "ScoreOptions": "palmares.ingest.base:ScoreOptions",
    "scan": "palmares.ingest.scan:scan",
    "concat": "palmares.ingest.files:concat",
    "rank": "palmares.ranking.rank:rank",
    "Ranking": "palmares.ranking.result:Ranking",
    "head_to_head": "palmares.ranking.head_to_head:head_to_head",
    "describe": "palmares.analysis.describe:describe",
    "agreement": "palmares.analysis.agreement:agreement",
    "segments": "palmares.analysis.segments:segments",
    "audit": "palmares.analysis.audit.run:audit",
    "judges": "palmares.analysis.judges:judges",
    "findings": "palmares.analysis.findings:findings",
    "Asked": "palmares.analysis.findings:Asked",
    "write_report": "palmares.report.document.files:write_report",
    "compare": "palmares.analysis.compare.run:compare",
    "Testing": "palmares.analysis.compare.testing:Testing",
    "evaluate": "palmares.analysis.compare.heldout:evaluate",
    "learning_curve": "palmares.analysis.compare.curves:learning_curve",
    "noise_test": "palmares.analysis.compare.curves:noise_test",
    "diff": "palmares.analysis.diff:diff",
    "simulate": "palmares.design.simulate:simulate",
    "simulate_counts": "palmares.design.simulated_counts:simulate_counts",
    "CampaignPlan": "palmares.design.simulate:CampaignPlan",
    "plan_like": "palmares.design.likeness:plan_like",
    "coverage": "palmares.design.coverage:coverage",
    "next_screens": "palmares.design.next.screens:next_screens",
    "plan": "palmares.design.plan:plan",
    "reproduce": "palmares.experiments.base:reproduce",
    "CHECKS": "palmares.analysis.audit:CHECKS",
    "EXPERIMENTS": "palmares.experiments:EXPERIMENTS",
    "FORMATS": "palmares.ingest:FORMATS",
    "MODELS": "palmares.models:MODELS",
    "PalmaresError": "palmares.errors:PalmaresError",
    "Execution": "palmares.compute:Execution",
    "dask": "palmares.compute.dask",
    "errors": "palmares.errors",
    "models": "palmares.models",
    "plots": "palmares.report.plots",
}

__all__ = [
    "CHECKS",
    "EXPERIMENTS",
    "FORMATS",
    "MODELS",
    "Asked",
    "CampaignPlan",
    "Execution",
    "Judgments",
    "PairCounts",
    "PalmaresError",
    "Ranking",
    "ReadOptions",
    "ScoreOptions",
    "Testing",
    "__version__",
    "agreement",
    "audit",
    "compare",
    "concat",
    "coverage",
    "dask",
    "describe",
    "diff",
    "errors",
    "evaluate",
    "findings",
    "head_to_head",
    "judges",
    "learning_curve",
    "models",
    "next_screens",
    "noise_test",
    "plan",
    "plan_like",
    "plots",
    "rank",
    "read",
    "reproduce",
    "scan",
    "segments",
    "simulate",
    "simulate_counts",
    "write",
    "write_report",
]

if TYPE_CHECKING:
    import polars as pl

    from . import errors, models
    from .analysis.agreement import agreement
    from .analysis.audit import CHECKS
    from .analysis.audit.run import audit
    from .analysis.compare.curves import learning_curve, noise_test
    from .analysis.compare.heldout import evaluate
    from .analysis.compare.run import compare
    from .analysis.compare.testing import Testing
    from .analysis.describe import describe
    from .analysis.diff import diff
    from .analysis.findings import Asked, findings
    from .analysis.judges import judges
    from .analysis.segments import segments
    from .compute import Execution, dask
    from .design.coverage import coverage
    from .design.likeness import plan_like
    from .design.next.screens import next_screens
    from .design.plan import plan
    from .design.simulate import CampaignPlan, simulate
    from .design.simulated_counts import simulate_counts
    from .errors import PalmaresError
    from .experiments import EXPERIMENTS
    from .experiments.base import reproduce
    from .ingest import FORMATS
    from .ingest.base import Parsed, ReadOptions, ScoreOptions
    from .ingest.files import concat, read, write
    from .ingest.scan import scan
    from .judgments import Judgments, PairCounts
    from .models import MODELS
    from .ranking.head_to_head import head_to_head
    from .ranking.rank import rank
    from .ranking.result import Ranking
    from .report import plots
    from .report.document.files import write_report


def __getattr__(name: str) -> Any:
    if name not in _EXPORTS:
        raise AttributeError(f"module 'palmares' has no attribute {name!r}")
    module, _, attribute = _EXPORTS[name].partition(":")
    value = getattr(import_module(module), attribute) if attribute else import_module(module)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


def _read_campaign(url: str, options: ReadOptions) -> tuple[str, Parsed]:
    from .campaign.collected import read_url

    return read_url(url, options)


def _html(result: Any) -> str:
    from .report.notebooks import html

    return html(result)


def _frame(result: Any, part: str | None) -> pl.DataFrame:
    from .report.notebooks import frame

    return frame(result, part)


# What reads files lies below campaigns and knows nothing of them; here, above both, they meet. So do results and the
# layer that shows them.
STORES.update(dict.fromkeys(("sqlite", "postgresql", "postgres"), _read_campaign))
LAYOUTS.html, LAYOUTS.frame = _html, _frame
