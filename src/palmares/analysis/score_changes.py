"""Changes of scores between two rankings, and how sure they are."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..ranking.significance import holm
from .published import Published

#: Models whose scores move together, if at all, when others enter the field: differences of strength stay.
FIELD_FREE = ("bradley-terry",)
#: A score that no sample changed has no error to speak of; rankings write none (as of a system that won everything).
_NO_ERROR = 1e-9


class ScoreChange(NamedTuple):
    """The change of a score, its interval, and its p-value, adjusted over the systems."""

    change: float
    interval: tuple[float, float]
    p: float


def score_changes(old: Published, new: Published, overlap: float, p: float) -> dict[str, ScoreChange]:
    """The change of score of every system in both, with its interval and adjusted p-value.

    Parameters
    ----------
    old, new
        Rankings with scores on one scale.
    overlap
        The correlation of the two scores of a system that comes from judgments in both.
    p
        1 − p is the level of intervals.
    """
    names = compared(old, new)
    if len(names) < 2 and moves(old, new):
        return {}
    shift = _shift(old, new)
    errors_before, errors_after = (_errors(ranking, names, centred=moves(old, new)) for ranking in (old, new))
    found: dict[str, tuple[float, float]] = {}
    chances = []
    for name, a, b in zip(names, errors_before, errors_after, strict=True):
        moved = new.lines[name].score - old.lines[name].score - shift
        # The formula takes for granted that the campaign grew evenly; where it did not, this bounds the error.
        least = abs(a * a - b * b) if overlap else 0.0
        error = math.sqrt(max(a * a + b * b - 2 * overlap * a * b, least))
        df = min(old.df, new.df) if overlap else _welch((a, old.df), (b, new.df))
        found[name] = moved, _width(df, p) * error
        # An anchored system has no error, and no change either.
        chances.append(_two_sided(moved / error, df) if error > _NO_ERROR else 1.0)
    return {
        name: ScoreChange(moved, (moved - half, moved + half), chance)
        for (name, (moved, half)), chance in zip(found.items(), holm(chances), strict=True)
    }


def _welch(*parts: tuple[float, float]) -> float:
    """Degrees of freedom of the error of a difference, from errors and their degrees (Welch 1947, Satterthwaite 1946).

    Infinitely many where both errors are taken as known.
    """
    doubt = sum(error**4 / df for error, df in parts)
    return sum(error**2 for error, _ in parts) ** 2 / doubt if doubt else math.inf


def _width(df: float, p: float) -> float:
    """How many standard errors an interval reaches to either side."""
    from scipy.special import ndtri, stdtrit

    return float(ndtri(1 - p / 2) if math.isinf(df) else stdtrit(df, 1 - p / 2))


def _two_sided(value: float, df: float) -> float:
    """How likely chance alone gives so many standard errors, to either side."""
    from scipy.special import ndtr, stdtr

    return 2 * float(ndtr(-abs(value)) if math.isinf(df) else stdtr(df, -abs(value)))


def errors_of_differences(ranking: Published, names: list[str]) -> bool:
    """Whether the errors of the differences between these systems are all known."""
    return ranking.difference_errors is not None and bool(np.isfinite(_between(ranking, names)).all())


def _between(ranking: Published, names: list[str]) -> np.ndarray:
    assert ranking.difference_errors is not None  # asked for only where there are some
    order = list(ranking.lines)
    places = [order.index(name) for name in names]
    return ranking.difference_errors[np.ix_(places, places)]


def _errors(ranking: Published, names: list[str], *, centred: bool) -> list[float]:
    """Standard errors of scores; with ``centred``, of scores around the mean of these systems, where that is known."""
    if not (centred and errors_of_differences(ranking, names)):
        return [ranking.lines[name].error or 0.0 for name in names]
    squares = _between(ranking, names) ** 2
    return [math.sqrt(max(each, 0.0)) for each in (squares.mean(axis=1) - squares.mean() / 2).tolist()]


def unvarying(old: Published, new: Published) -> set[str]:
    """Systems without an error of the score in one of the rankings, though it is no anchor."""
    anchored = (new.anchor or "").partition("=")[0]
    names = [name for name in common(new, old) if name != anchored]
    return {name for name in names if any((r.lines[name].error or 0.0) <= _NO_ERROR for r in (old, new))}


def compared(old: Published, new: Published) -> list[str]:
    """The systems whose scores are compared."""
    unknown = unvarying(old, new)
    return [name for name in common(new, old) if name not in unknown]


def moves(old: Published, new: Published) -> bool:
    """Whether systems that are not compared move the scores of those that are; an anchor holds the scale in place.

    Scores of Bradley–Terry are around the mean of all: if one that won everything falls, the others rise by that alone.
    """
    seen = set(compared(old, new))
    return new.anchor is None and new.record.model in FIELD_FREE and any(seen != set(r.lines) for r in (old, new))


def _shift(old: Published, new: Published) -> float:
    """By how much the scale moved because of systems that are not compared."""
    if not moves(old, new):
        return 0.0
    names = compared(old, new)
    return sum(new.lines[name].score - old.lines[name].score for name in names) / len(names)


def common(ranking: Published, other: Published) -> list[str]:
    """The systems in both, in the order of the first."""
    return [name for name in ranking.lines if name in other.lines]
