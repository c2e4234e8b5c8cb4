"""The one table in the middle: judgments, their counts, their digest, and what is drawn together."""

from __future__ import annotations

from .counts import PairCounts
from .table import A_BETTER, B_BETTER, EXTRA_PREFIX, NAME_COLUMNS, TIE, VALUE_COLUMNS, Judgments

__all__ = ["A_BETTER", "B_BETTER", "EXTRA_PREFIX", "NAME_COLUMNS", "TIE", "VALUE_COLUMNS", "Judgments", "PairCounts"]
