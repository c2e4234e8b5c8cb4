"""The kinds of array that the package passes around, each with its one name."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
#: Codes of a column of `Judgments`, which are stored in as few bits as will do.
CodeArray = npt.NDArray[np.integer]
