"""Which judgments belong together: what folds are made of, and what standard errors are taken over."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...errors import InputError
from ...judgments import EXTRA_PREFIX, NAME_COLUMNS, BoolArray, IntArray, Judgments, Unit, row_words, unit_codes

#: What folds can be made of besides a column of the judgments.
AUTO, SINGLE = "auto", "judgment"
#: With fewer judges to test on, errors by judge would say little; they then hold for these judges.
FEW_JUDGES = 5
#: Why single judgments are the last choice.
_PARTLY_SEEN = (
    "Where several judgments are of the same two outputs, models are tested on what they have partly seen, which "
    "favours those that learn every pair by heart (8,931 votes on language models: independent-pairs is best by vote, "
    "perplexity 2.72 against 2.75, and last by comparison, 2.98 against 2.76) and makes errors too small; --hold-out "
    "names the column that says what belongs together"
)


class Grouping(NamedTuple):
    """What judgments are held out together, and why."""

    by: str
    why: str


def choose_by(judgments: Judgments, by: str) -> Grouping:
    """What folds are made of.

    Parameters
    ----------
    by
        ``judgment``, ``ranking``, ``segment``, ``judge`` or an extra column. ``auto`` is rankings, without ranking ids
        segments, without either single judgments.
    """
    if by == AUTO:
        return _usual(judgments)
    column = by if by in NAME_COLUMNS else EXTRA_PREFIX + by
    if by != SINGLE and not judgments.has(column):
        present = [SINGLE, *[name for name in NAME_COLUMNS if judgments.has(name)], *judgments.extras]
        missing = by if by in NAME_COLUMNS else f"column {by!r}"
        raise InputError(
            f"cannot make folds by {by}: the judgments have no {missing}; allowed: {AUTO}, {', '.join(present)}"
        )
    if by not in (SINGLE, "ranking"):
        without = judgments.frame[column].is_null() if by not in NAME_COLUMNS else judgments.codes(by) < 0
        if count := int(np.asarray(without).sum()):
            raise InputError(f"cannot make folds by {by}: {count} of {len(judgments)} judgments have no {by}")
    why = "as asked" if by != SINGLE or judgments.has("ranking") else f"as asked. {_PARTLY_SEEN}"
    if by != "ranking" and (divided := divided_rankings(judgments, by)):
        why += f"; {divided} rankings are divided by it, so models are tested on rankings that they have partly seen"
    return Grouping(by, why)


def _usual(judgments: Judgments) -> Grouping:
    if judgments.has("ranking"):
        return Grouping("ranking", "judgments of one ranking depend on each other")
    if not judgments.has("segment"):
        return Grouping(SINGLE, f"there are neither ranking ids nor segments. {_PARTLY_SEEN}")
    why = "there are no ranking ids, and judgments of one segment share its outputs"
    if alone := int((judgments.codes("segment") < 0).sum()):
        why += f"; {alone} of {len(judgments)} have no segment and stand alone"
    return Grouping("segment", why)


def units_of(judgments: Judgments, by: str) -> IntArray:
    """The unit of every row, numbered by content: the order of the file does not change it."""
    if by in NAME_COLUMNS and by != "lang_pair":
        unit: Unit = by  # type: ignore[assignment]  # the names of the columns are those of the units
        return np.unique(unit_codes(judgments, unit), return_inverse=True)[1].reshape(-1).astype(np.int64)
    if by != SINGLE:
        column = judgments.frame[by if by in NAME_COLUMNS else EXTRA_PREFIX + by]
        return np.unique(column.to_numpy(), return_inverse=True)[1].reshape(-1).astype(np.int64)
    # Rows that are alike but for their ranking are told apart by it: what is drawn by ranking and what is drawn by row
    # must fit together in the same way whatever the order.
    unit = "ranking" if judgments.has("ranking") else "pair"
    number = np.empty(len(judgments), dtype=np.int64)
    number[np.lexsort((row_words(judgments.frame), unit_codes(judgments, unit)))] = np.arange(len(judgments))
    return number


def divided_rankings(judgments: Judgments, by: str) -> int:
    """How many rankings have judgments in more than one unit."""
    if not judgments.has("ranking"):
        return 0
    known = judgments.codes("ranking") >= 0
    ranking, unit = judgments.codes("ranking")[known].astype(np.int64), units_of(judgments, by)[known]
    pairs = np.unique(ranking * (int(unit.max(initial=0)) + 1) + unit)
    return int((np.bincount(pairs // (int(unit.max(initial=0)) + 1)) > 1).sum())


def errors_by(judgments: Judgments, chosen: Grouping) -> Grouping:
    """What standard errors are taken over, and why: the groups that folds are made of.

    Single judgments are the exception: where rankings are known, those of one ranking count together.
    """
    if chosen.by == SINGLE and judgments.has("ranking"):
        return Grouping("ranking", "judgments of one ranking depend on each other")
    return chosen


def errors_by_judges(judgments: Judgments, tested: BoolArray, asked: str) -> Grouping:
    """The same where the judges, and not folds, say what is tested: by judge, unless there are few to test on."""
    judges = len(np.unique(judgments.codes("judge")[tested]))
    if asked != AUTO:
        return errors_by(judgments, choose_by(judgments, asked))
    if judges < FEW_JUDGES:
        by = errors_by(judgments, choose_by(judgments, AUTO)).by
        return Grouping(by, f"only {judges} judges are tested, so errors hold for these judges")
    return Grouping("judge", "the judges are what is held out")


def judged_rows(judgments: Judgments) -> BoolArray:
    """Which rows may be tested on: ties that no judge gave (outputs that two systems share) are not."""
    if not judgments.has("forced"):
        return np.ones(len(judgments), dtype=bool)
    return np.asarray(~(judgments.codes("forced") > 0))


def judged(judgments: Judgments) -> Judgments:
    """The judgments that judges gave: all but those that cannot be tested on."""
    may = judged_rows(judgments)
    return judgments if may.all() else judgments.take(np.flatnonzero(may))
