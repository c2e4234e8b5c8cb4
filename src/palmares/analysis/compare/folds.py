"""Folds: which judgments are held out together, and what is left to train on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from ...compute import generator
from ...errors import InputError
from ...judgments import Judgments
from ...judgments.arrays import FloatArray, IntArray
from ...judgments.counts import PairCounts
from ...judgments.digest import row_words
from ...judgments.units import Unit, unit_codes
from ...models.base import CountModel, Model

By = Literal["judgment", "ranking", "segment", "judge"]
BY: tuple[By, ...] = get_args(By)

#: One or several shell patterns, or None for what is left.
Patterns = str | Sequence[str] | None

#: First words of the keys of generators, so that no two purposes share random numbers.
FOLDS, FITS, SUBSETS, NOISE = 20, 21, 22, 23


@dataclass(frozen=True)
class Folds:
    """Judgments and the fold of each; a model is trained on all but one fold and tested on that.

    ``fold`` is −1 for judgments that are only ever trained on. ``tables[f + 1]`` counts the cells of fold f.
    """

    judgments: Judgments
    fold: IntArray = field(repr=False)
    tables: FloatArray = field(repr=False)

    @property
    def count(self) -> int:
        return len(self.tables) - 1

    def training(self, model: Model, fold: int) -> Judgments | PairCounts:
        """What a model is trained on: counts where these are enough for it."""
        if isinstance(model, CountModel):
            return self.training_counts(fold)
        return self.judgments.take(np.flatnonzero(self.fold != fold))

    def training_counts(self, fold: int) -> PairCounts:
        # Added up, not subtracted from the total: sums of weights would leave rests where there should be nothing.
        table = np.delete(self.tables, fold + 1, axis=0).sum(axis=0)
        return PairCounts.from_table(self.judgments.systems, table)

    def cells(self, fold: int) -> IntArray:
        """The (a, b, outcome) that occur in a fold, in order."""
        return np.flatnonzero(self.tables[fold + 1])


def choose_by(judgments: Judgments, by: str) -> By:
    """The unit that folds are made of; ``auto`` is rankings, or single judgments where there are no ranking ids."""
    if by == "auto":
        return "ranking" if judgments.has("ranking") else "judgment"
    if by not in BY:
        raise InputError(f"by: got {by!r}; allowed: auto, {', '.join(BY)}")
    unit: By = by
    if unit != "judgment" and not judgments.has(unit):
        raise InputError(f"cannot make folds by {unit}: the judgments have no {unit}; use --by judgment")
    if unit in ("segment", "judge") and (missing := int((judgments.codes(unit) < 0).sum())):
        raise InputError(f"cannot make folds by {unit}: {missing} of {len(judgments)} judgments have no {unit}")
    return unit


def units_of(judgments: Judgments, by: By) -> IntArray:
    """The unit of every row, numbered by content."""
    if by == "judgment":
        return _numbered(judgments)
    return np.unique(unit_codes(judgments, by), return_inverse=True)[1].reshape(-1).astype(np.int64)


def _numbered(judgments: Judgments) -> IntArray:
    """A number for every row that the order of the file does not change.

    Rows that are alike but for their ranking are told apart by it: what is drawn by ranking and what is drawn by row
    must fit together in the same way whatever the order.
    """
    unit: Unit = "ranking" if judgments.has("ranking") else "pair"
    number = np.empty(len(judgments), dtype=np.int64)
    number[np.lexsort((row_words(judgments.frame), unit_codes(judgments, unit)))] = np.arange(len(judgments))
    return number


def random_folds(judgments: Judgments, *, folds: int, by: By, seed: int) -> Folds:
    """Units dealt out at random, the same number to every fold (up to one)."""
    if folds < 2:
        raise InputError(f"folds: got {folds}; allowed: at least 2, since one fold is tested and the others train")
    units = units_of(judgments, by)
    count = int(units.max()) + 1
    if count < 2:
        raise InputError(f"all judgments belong to one {by}, so none is left to train on; use another --by")
    place = generator(seed, FOLDS).permutation(count)
    return _with_tables(judgments, (place % min(folds, count))[units])


def judge_folds(judgments: Judgments, train: Patterns, test: Patterns) -> Folds:
    """One fold: the judgments of the test judges; train on those of the training judges. Other judgments are left out.

    Parameters
    ----------
    train, test
        Shell patterns; None stands for all judges that the other does not name.
    """
    if not judgments.has("judge"):
        raise InputError("cannot train and test by judge: the judgments have no judge")
    trained = None if train is None else judgments.where("judge", train)
    tested = None if test is None else judgments.where("judge", test)
    if trained is None or tested is None:
        known = tested if trained is None else trained
        assert known is not None  # one of the two was given
        trained, tested = (known, ~known) if tested is None else (~known, known)
    if both := int((trained & tested).sum()):
        raise InputError(
            f"{both} judgments are by judges who match both --train-judges and --test-judges; "
            "a model must not be tested on what it was trained on"
        )
    for part, name in ((trained, "train"), (tested, "test")):
        if not part.any():
            raise InputError(f"no judgment is left to {name} on: the judges named to the other part are all there are")
    kept = trained | tested
    return _with_tables(judgments.filter(kept), np.where(tested[kept], 0, -1))


def patterns_text(patterns: Patterns) -> str:
    """Patterns as signatures write them."""
    return "others" if patterns is None else patterns if isinstance(patterns, str) else ",".join(patterns)


def clusters_of(judgments: Judgments, by: By) -> tuple[IntArray, By]:
    """For standard errors: the group of dependent judgments that each row is in, and what the groups are."""
    unit: By = "ranking" if by == "judgment" and judgments.has("ranking") else by
    return units_of(judgments, unit), unit


def _with_tables(judgments: Judgments, fold: IntArray) -> Folds:
    size = len(judgments.systems) ** 2 * 3
    place = (fold + 1) * size + judgments.cells
    weights = judgments.weights
    if weights is not None:
        # Floating sums depend on their order: add in an order that does not depend on the rows'.
        order = np.lexsort((weights, place))
        place, weights = place[order], weights[order]
    count = int(fold.max()) + 2
    tables = np.bincount(place, weights, minlength=count * size).reshape(count, size).astype(np.float64)
    return Folds(judgments, fold, tables)
