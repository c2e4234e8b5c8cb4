"""Whether knowing the judges would predict a campaign better: the note under a ranking that leaves them out."""

from __future__ import annotations

import numpy as np

from ..compute import Execution, Stream
from ..errors import PalmaresError
from ..judgments import BoolArray, FloatArray, IntArray, Judgments
from ..models.base import Model
from ..models.by_name import create, model_name

_AWARE = "ordinal"
#: Judgments that the two models are tried on: enough to see a difference that matters, and quickly.
_MOST = 50_000
#: Nothing is said of fewer judges or judgments than these.
_LEAST_JUDGES, _LEAST = 5, 200
#: What a model gives less than this to, it does not foresee.
_IMPOSSIBLE = 1e-9
#: A difference is one if it is so many standard errors, with judges as units.
_CLEARLY = 2.0


def judge_aware_note(judgments: Judgments, model: Model, execution: Execution) -> str | None:
    """A note if `ordinal` predicts held-out judgments clearly better than a model that knows no judges, else None.

    Each half of the rankings (else of the segments, else of the judgments) is predicted by fits to the other half; of
    many judgments, on whole rankings drawn at random.
    """
    if model.knows or not model.predicts or len(judgments) < _LEAST or len(judgments.judges) < _LEAST_JUDGES:
        return None
    rng = execution.generator(Stream.JUDGE_AWARE)
    by = next((unit for unit in ("ranking", "segment") if judgments.has(unit)), "judgment")
    units = judgments.group_codes(by) if by != "judgment" else np.arange(len(judgments))
    place = rng.permutation(int(units.max()) + 1)[units]
    sample = place < _units_of(place)
    tried, half = judgments.filter(sample), place[sample] % 2 == 0
    losses = _losses(tried, half, [model, create(_AWARE)])
    if losses is None:
        return None
    gain = losses[0] - losses[1]
    by_judge = np.bincount(tried.group_codes("judge"), gain - gain.mean())
    error = float(np.sqrt(by_judge @ by_judge)) / len(gain)
    if gain.mean() <= _CLEARLY * error:
        return None
    plain, aware = (2 ** (loss.mean() / np.log(2)) for loss in losses)
    part = f" of {len(tried):,} judgments" if len(tried) < len(judgments) else ""
    return (
        f"{_AWARE}, which knows the judges, predicts these judgments better: held-out perplexity {aware:.3f} against "
        f"{plain:.3f} of {model_name(model)} (halves by {by}{part}); --model {_AWARE} ranks by it"
    )


def _units_of(place: IntArray) -> int:
    """How many of the units, in random order, hold no more judgments than are tried; one at least."""
    return max(1, int(np.searchsorted(np.cumsum(np.bincount(place)), _MOST, side="right")))


def _losses(judgments: Judgments, half: BoolArray, models: list[Model]) -> list[FloatArray] | None:
    """−log P of every judgment, by each model fitted to the other half; None where a half cannot be fitted."""
    outcome, rows = 1 - judgments.codes("outcome"), np.arange(len(judgments))
    losses = [np.empty(len(judgments)) for _ in models]
    for tested in (half, ~half):
        if not 0 < tested.sum() < len(tested):
            return None
        train, test = judgments.filter(~tested), judgments.filter(tested)
        for model, loss in zip(models, losses, strict=True):
            try:
                predicted = model.fit(train, rng=0).predict_rows(test)
            except PalmaresError:
                return None
            where = rows[tested]
            given = predicted[np.arange(len(test)), outcome[where]]
            if (given < _IMPOSSIBLE).any():  # such as ties, where they count as half a win: nothing to compare
                return None
            loss[where] = -np.log(given)
    return losses
