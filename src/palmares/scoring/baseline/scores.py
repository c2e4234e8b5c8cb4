"""Predictions of a trained baseline, scored by gold labels beside the mean label of its training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...judgments import FloatArray
from ...texts.lines import Path
from ..quality.sentences import SentenceScores, score_sentences
from ..record import record_of, source_of
from .model import BaselineModel

#: The two systems that are compared.
SYSTEMS = ("baseline", "mean of the training labels")


def score_predictions(
    model: BaselineModel,
    predictions: FloatArray,
    gold: Path,
    *,
    files: Sequence[tuple[str, Path]] = (),
    notes: Sequence[str] = (),
    **options: Any,
) -> SentenceScores:
    """Errors of a model's predictions (MAE, RMSE, Pearson's r), with intervals and a paired test.

    Parameters
    ----------
    files
        What else the result was made of, for its record: the role of every file, and the file.
    notes
        What a reader should know of the predictions.
    options
        Of `score_sentences`: ``label``, ``resamples``, ``p``, ``encoding``, ``execution``.
    """
    constant = np.full(len(predictions), model.mean)
    systems = dict(zip(SYSTEMS, (predictions, constant), strict=True))
    scored = score_sentences(gold, systems, variant="scoring", **options)
    sources = [
        source_of(path, role, 1 if role == "model" else len(predictions))
        for role, path in (("gold labels", gold), *files)
    ]
    record = record_of({**scored.record.facts, "baseline_model": model.digest[:16]}, sources)
    return replace(scored, record=record, notes=(*notes, *scored.notes))
