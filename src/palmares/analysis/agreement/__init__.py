"""Do judges agree with each other, and with themselves?

`agreement` (``run``) counts what the same two outputs were judged to be (``tallies``) and turns the counts into κ and α
(``coefficients``).
"""

from __future__ import annotations

from .coefficients import Kappa
from .run import COUNTINGS, Agreement, JudgeAgreement, Measure, agreement

__all__ = ["COUNTINGS", "Agreement", "JudgeAgreement", "Kappa", "Measure", "agreement"]
