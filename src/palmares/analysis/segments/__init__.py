"""Which segments tell systems apart, and which would do for a smaller test set?

`segments` (``run``) fits the judge-aware model, gives every segment a slope (``slopes``, ``spread``) from its judgments
(``rows``), and chooses the most telling ones (``choosing``); or it asks how segments fare against a baseline
(``difficulty``).
"""

from __future__ import annotations

from .difficulty import Difficulties, DifficultyLine
from .result import Check, Choice, SegmentLine, Segments
from .run import segments

__all__ = ["Check", "Choice", "Difficulties", "DifficultyLine", "SegmentLine", "Segments", "segments"]
