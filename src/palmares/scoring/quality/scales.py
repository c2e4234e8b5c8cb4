"""What the quality of a sentence is measured in: which way is better, and what a label can be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...errors import InputError
from ...judgments import FloatArray
from ..numbers import Numbers, refuse_outside


@dataclass(frozen=True)
class Scale:
    """A kind of label.

    Attributes
    ----------
    limits
        The least and the largest label there can be, as files have it. Predictions may lie outside.
    factor
        What labels and predictions are multiplied by before anything is measured.
    unit
        What they are measured in then.
    """

    name: str
    summary: str
    unit: str
    limits: tuple[float, float]
    factor: float = 1.0
    lower_is_better: bool = True
    digits: int = 2

    def goodness(self, labels: FloatArray) -> FloatArray:
        """Labels turned so that the higher is the better."""
        return -labels if self.lower_is_better else labels

    def check(self, labels: Numbers) -> None:
        """Refuse labels that are not on the scale, by line, and percentages that look like shares."""
        refuse_outside(labels, *self.limits, f"a label of {self.name}")
        largest = float(labels.values.max())
        if self.name == "hter" and 0 < largest <= 1:
            raise InputError(
                f"{labels.name}: the largest label is {largest:g}, but hter is in percent; if these are shares "
                "from 0 to 1, say --label hter-share (label='hter-share' from Python)"
            )


#: The labels of WMT14 (Tasks 1.1 to 1.3), and quality itself.
SCALES = {
    scale.name: scale
    for scale in (
        Scale("effort", "perceived effort of post-editing: 1 perfect, 2 near miss, 3 to be redone", "points", (1, 3),
              digits=3),
        Scale("hter", "edits in percent of the words of the post-edit, capped at 100", "percent", (0, 100)),
        Scale("hter-share", "the same as a share from 0 to 1; measured in percent", "percent", (0, 1), factor=100),
        Scale("time", "time to post-edit, in seconds", "seconds", (0, np.inf)),
        Scale("time-ms", "the same in milliseconds; measured in seconds", "seconds", (0, np.inf), factor=0.001),
        Scale("quality", "any score of which higher is better", "points", (-np.inf, np.inf), lower_is_better=False,
              digits=3),
    )
}  # fmt: skip


def scale_named(name: str) -> Scale:
    """The scale of a kind of label."""
    if name not in SCALES:
        raise InputError(f"label: got {name!r}; allowed: {', '.join(SCALES)}")
    return SCALES[name]
