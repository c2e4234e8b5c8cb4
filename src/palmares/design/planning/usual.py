"""What a campaign is taken to be like before anybody knows."""

from __future__ import annotations

from ..campaign_plan import CampaignPlan

#: A campaign with effects of judges and segments about as large as those of real ones (docs/planning.md).
USUAL = CampaignPlan(judges=20, segments=2000, spread=8.0, tie_radius=4.0, judge_effect=1.0, segment_effect=6.0)
#: What of it was measured on real judgments, those of WMT13.
MEASURED = ("spread", "tie_radius", "judge_effect", "segment_effect")
