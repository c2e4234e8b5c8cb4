"""Do judges agree with each other, and with themselves?

`agreement` (``run``) counts what the same two outputs were judged to be (``tallies``), turns the counts into κ and α
(``coefficients``), and gives κ an interval (``intervals``) from what each segment and judge adds to them (``sums``).
"""

from __future__ import annotations

from .coefficients import Kappa
from .result import COUNTINGS, Agreement, JudgeAgreement, Measure
from .run import agreement

__all__ = ["COUNTINGS", "Agreement", "JudgeAgreement", "Kappa", "Measure", "agreement"]
