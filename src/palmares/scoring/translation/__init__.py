"""Translations scored automatically: BLEU, chrF, TER, PER and CDER, with intervals and tests of all pairs.

`score` has the door (`score_translations`). `plan` says what is scored, `preparing` what happens to texts before;
`metrics` and `errors` are the metrics, `segment_scores` holds scores that were computed elsewhere, and `human` compares
all of them with a ranking of judgments.
"""

from __future__ import annotations

from .human import Agreement, HumanComparison
from .metrics import METRICS, TOKENIZERS
from .preparing import TEXTS, Truecasing
from .result import Translations
from .score import score_translations
from .segment_scores import SegmentScores, read_segment_scores

__all__ = [
    "METRICS",
    "TEXTS",
    "TOKENIZERS",
    "Agreement",
    "HumanComparison",
    "SegmentScores",
    "Translations",
    "Truecasing",
    "read_segment_scores",
    "score_translations",
]
