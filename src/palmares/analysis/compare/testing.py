"""How models are tested: what is held out together, what is left to train on, and what a fit is scored on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, Literal, get_args

import numpy as np

from ...errors import InputError
from ...judgments import (
    BoolArray,
    FloatArray,
    IntArray,
    Judgments,
    PairCounts,
    cell_count,
    decode_cells,
    outcome_index,
)
from ...models.base import Model
from .grouping import AUTO, SINGLE, judged_rows, units_of

Radii = Literal["every", "published"]
RADII: tuple[Radii, ...] = get_args(Radii)
#: One or several shell patterns, or None for what is left.
Patterns = str | Sequence[str] | None
#: A model whose score is a mean over random runs makes this many where it is tested, which fits it often.
RUNS = 10


@dataclass(frozen=True)
class Testing:
    """How models are tested.

    Attributes
    ----------
    folds
        How many; None for the usual number (100 for `compare`, 10 for `noise_test`). Where there are fewer units, each
        is a fold of its own.
    by
        What a fold is made of: ``judgment``, ``ranking``, ``segment``, ``judge`` or an extra column; ``auto`` is
        ``ranking``, without ranking ids ``segment``, without either ``judgment``.
    radii
        Decision radii to try on training judgments; see `palmares.analysis.compare.heldout.tuned_radius`.
    runs
        How many random runs a model of random runs makes for each fit, unless its own settings say.
    train_judges, test_judges
        Shell patterns: train on these judges and test on those, once, instead of folds. One of the two is enough.
    """

    folds: int | None = None
    by: str = AUTO
    radii: Radii = "every"
    runs: int = RUNS
    train_judges: Patterns = None
    test_judges: Patterns = None

    #: Test runners take classes with such a name for tests.
    __test__: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_radii(self.radii)
        for name in ("folds", "runs"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, int | np.integer):
                raise InputError(f"{name}: got {value!r}; allowed: a whole number")
        if self.by_judges and self.folds is not None:
            raise InputError("train_judges and test_judges say what is trained on and what is tested; leave out folds")

    @property
    def by_judges(self) -> bool:
        """Whether the judges, and not folds, say what is tested."""
        return self.train_judges is not None or self.test_judges is not None

    @property
    def judge_facts(self) -> dict[str, str]:
        """The two groups of judges, for signatures."""
        groups = {"train_judges": self.train_judges, "test_judges": self.test_judges}
        return {
            name: "others" if patterns is None else patterns if isinstance(patterns, str) else ",".join(patterns)
            for name, patterns in groups.items()
        }


def check_radii(radii: str) -> None:
    if radii not in RADII:
        raise InputError(f"radii: got {radii!r}; allowed: {', '.join(RADII)}")


# -- what a fit is scored on -----------------------------------------------------------------------


@dataclass(frozen=True)
class Tested:
    """What a fit is scored on: keys, each with two systems, an outcome, and how many judgments it stands for.

    Where a prediction depends on nothing but the two systems, a key is an (a, b, outcome) cell with all judgments that
    fall into it; where it depends on more, a key is a single judgment, and ``judgments`` has the rows.
    """

    a: IntArray = field(repr=False)
    b: IntArray = field(repr=False)
    #: 0 (a better), 1 (tie) or 2 (b better).
    outcome: IntArray = field(repr=False)
    amounts: FloatArray = field(repr=False)
    judgments: Judgments | None = None

    @classmethod
    def of(cls, model: Model, judgments: Judgments) -> Tested:
        """What a fit of this model is scored on, whatever the order of the rows."""
        if model.knows:
            return cls.of_rows(judgments.take(np.argsort(units_of(judgments, SINGLE))))
        cells, inverse = np.unique(judgments.cells, return_inverse=True)
        weights = judgments.weights
        if weights is None:
            return cls.of_cells(cells, np.bincount(inverse).astype(np.float64), len(judgments.systems))
        # Floating sums depend on their order: add in an order that does not depend on the rows'.
        order = np.lexsort((weights, inverse))
        amounts = np.bincount(inverse[order], weights[order]).astype(np.float64)
        return cls.of_cells(cells, amounts, len(judgments.systems))

    @classmethod
    def of_cells(cls, cells: IntArray, amounts: FloatArray, systems: int) -> Tested:
        """Cells as `Judgments.cells` numbers them."""
        return cls(*decode_cells(cells, systems), amounts)

    @classmethod
    def of_rows(cls, judgments: Judgments) -> Tested:
        a, b = (judgments.codes(name).astype(np.int64) for name in ("system_a", "system_b"))
        weights = np.ones(len(judgments)) if judgments.weights is None else judgments.weights
        return cls(a, b, outcome_index(judgments.codes("outcome")), weights, judgments)


@dataclass(frozen=True)
class Folds:
    """Judgments and the fold of each; a model is trained on all but one fold and tested on that.

    ``fold`` is −1 for judgments that are only ever trained on. Of a fold, only the ``testable`` rows are tested; the
    others are left out with it, for they belong together. ``tables[f + 1]`` counts the cells of fold f, and
    ``judged[f + 1]`` those of its testable rows.
    """

    judgments: Judgments
    fold: IntArray = field(repr=False)
    testable: BoolArray = field(repr=False)
    tables: FloatArray = field(repr=False)
    judged: FloatArray = field(repr=False)

    @classmethod
    def of(cls, judgments: Judgments, fold: IntArray) -> Folds:
        """Judgments with the fold of each, counted."""
        may, count = judged_rows(judgments), int(fold.max()) + 2
        tables = _tables(judgments, fold + 1, count)
        judged = tables if may.all() else _tables(judgments, np.where(may, fold + 1, count), count + 1)[:count]
        return cls(judgments, fold, may, tables, judged)

    @property
    def count(self) -> int:
        return len(self.tables) - 1

    @property
    def tested_rows(self) -> BoolArray:
        """Which rows are tested, each in its fold."""
        return np.asarray((self.fold >= 0) & self.testable)

    def training(self, model: Model, fold: int) -> Judgments | PairCounts:
        """What a model is trained on: counts where these are enough for it."""
        if model.needs == "counts":
            return self.training_counts(fold)
        return self.judgments.take(np.flatnonzero(self.fold != fold))

    def training_counts(self, fold: int, *, judged: bool = False) -> PairCounts:
        """The counts of all folds but one; ``judged``: without ties that no judge gave."""
        # Added up, not subtracted from the total: sums of weights would leave rests where there should be nothing.
        table = np.delete(self.judged if judged else self.tables, fold + 1, axis=0).sum(axis=0)
        return PairCounts.from_table(self.judgments.systems, table)

    def tested(self, model: Model, fold: int) -> Tested:
        """What a fit of the model is scored on."""
        if model.knows:
            return Tested.of_rows(self.judgments.take(self.rows(fold)))
        cells = self.cells(fold)
        return Tested.of_cells(cells, self.judged[fold + 1][cells], len(self.judgments.systems))

    def cells(self, fold: int) -> IntArray:
        """The (a, b, outcome) that are tested in a fold, in order."""
        return np.flatnonzero(self.judged[fold + 1])

    def rows(self, fold: int) -> IntArray:
        """The rows that are tested in a fold, in an order that does not depend on that of the file."""
        order = self._by_content
        return np.asarray(order[(self.fold[order] == fold) & self.testable[order]])

    @cached_property
    def _by_content(self) -> IntArray:
        return np.argsort(units_of(self.judgments, SINGLE))


# -- folds -----------------------------------------------------------------------------------------


def random_folds(judgments: Judgments, *, folds: int, by: str, rng: np.random.Generator) -> Folds:
    """Units dealt out at random, the same number to every fold (up to one)."""
    if folds < 2:
        raise InputError(f"folds: got {folds}; allowed: at least 2, since one fold is tested and the others train")
    units = units_of(judgments, by)
    count = int(units.max()) + 1
    if count < 2:
        raise InputError(f"all judgments belong to one {by}, so none is left to train on; use another --hold-out")
    place = rng.permutation(count)
    return Folds.of(judgments, (place % min(folds, count))[units])


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
            raise InputError(f"no judgment is left to {name} on: all judges are in the other group")
    kept = trained | tested
    return Folds.of(judgments.filter(kept), np.where(tested[kept], 0, -1))


def _tables(judgments: Judgments, part: IntArray, count: int) -> FloatArray:
    """The cells of every part of the judgments, counted: an array (count, cells)."""
    size = cell_count(len(judgments.systems))
    place, weights = part * size + judgments.cells, judgments.weights
    if weights is not None:
        # Floating sums depend on their order: add in an order that does not depend on the rows'.
        order = np.lexsort((weights, place))
        place, weights = place[order], weights[order]
    return np.bincount(place, weights, minlength=count * size).reshape(count, size).astype(np.float64)
