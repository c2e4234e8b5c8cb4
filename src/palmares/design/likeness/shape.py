"""The size of a campaign, as a plan without any effect."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import brentq

from ...errors import InputError
from ...judgments import FloatArray, Judgments
from ..campaign_plan import CampaignPlan
from ..screens import shares

#: No campaign's work is less equal than this.
_STEEPEST = 6.0


@dataclass(frozen=True)
class Shape:
    """A plan with the numbers and the shares of work of a campaign, and what was guessed about them."""

    plan: CampaignPlan
    notes: tuple[str, ...]
    #: How many judges of equal work would have the same sum of squared shares.
    effective: float

    @classmethod
    def of(cls, judgments: Judgments, spacing: str) -> Shape:
        """Of the judgments of one language pair."""
        if len(judgments.lang_pairs) > 1:
            raise InputError(
                f"the judgments are of {len(judgments.lang_pairs)} language pairs: {', '.join(judgments.lang_pairs)}; "
                "a plan is like one of them: name it with --lang-pair, or select it first"
            )
        if (parts := len(judgments.counts.components())) > 1:
            raise InputError(f"the systems fall into {parts} groups that no judgment links; fit a plan to one of them")
        notes: list[str] = []
        outputs, rankings = _screens(judgments, notes)
        work = _work(judgments)
        judges, segments = max(len(work), 1), len(judgments.segments)
        if not len(work):
            notes.append("judges are not known: one judge, without effects")
        if not segments:
            notes.append("segments are not known: every ranking is on a segment of its own")
        effective = 1 / float((work**2).sum()) if len(work) else 1.0
        plan = CampaignPlan(
            systems=len(judgments.systems), rankings=rankings, outputs=outputs, judges=judges,
            segments=segments or rankings, work=steepness(judges, effective), spacing=spacing,  # type: ignore[arg-type]
            lang_pair=judgments.lang_pairs[0] if judgments.lang_pairs else None,
        )  # fmt: skip
        return cls(plan, tuple(notes), effective)

    def noted(self, note: str) -> Shape:
        """The same, with one more thing to know."""
        return replace(self, notes=(*self.notes, note))

    def settings(self) -> list[tuple[str, float, str]]:
        """Setting, value and source of what was counted."""
        plan = self.plan
        counted = [(name, getattr(plan, name), "counted") for name in ("systems", "rankings", "outputs", "judges")]
        counted.append(("segments", plan.segments, "counted"))
        work = f"judges' shares of the work: as unequal as those of {self.effective:.1f} equal judges"
        return [*counted, ("work", plan.work, work)] if plan.judges > 1 else counted


def _screens(judgments: Judgments, notes: list[str]) -> tuple[int, int]:
    """Outputs on a screen and the number of screens, which together make as many judgments as there are."""
    if not judgments.has("ranking"):
        notes.append("rankings are not known: every judgment is taken for a screen of its own")
        return 2, len(judgments)
    pairs = np.bincount(np.unique(judgments.group_codes("ranking"), return_inverse=True)[1])
    sizes = (1 + np.sqrt(1 + 8 * pairs)) / 2
    outputs = int(np.clip(round(float(np.average(sizes, weights=pairs))), 2, len(judgments.systems)))
    rankings = max(round(len(judgments) / (outputs * (outputs - 1) / 2)), 1)
    if len(set(pairs.tolist())) > 1:
        notes.append(
            f"rankings have from {pairs.min()} to {pairs.max()} judgments; simulated ones all have {outputs} outputs "
            f"and {outputs * (outputs - 1) // 2} judgments, {rankings:,} of them instead of {len(pairs):,}"
        )
    return outputs, rankings


def _work(judgments: Judgments) -> FloatArray:
    """The share of every judge in the judgments; none where judges are not known."""
    if not judgments.has("judge"):
        return np.empty(0)
    done = np.bincount(judgments.codes("judge")[judgments.codes("judge") >= 0]).astype(np.float64)
    return np.asarray(done[done > 0] / done.sum())


def steepness(judges: int, effective: float) -> float:
    """The `CampaignPlan.work` with which judges work as unequally as so many who share it equally."""

    def missing(work: float) -> float:
        plan = CampaignPlan(judges=judges, work=work)
        return 1 / float((shares(plan) ** 2).sum()) - effective

    if judges == 1 or missing(0.0) <= 1e-9:
        return 0.0
    return float(brentq(missing, 0.0, _STEEPEST)) if missing(_STEEPEST) < 0 else _STEEPEST
