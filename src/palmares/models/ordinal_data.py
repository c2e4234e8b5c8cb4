"""What ``ordinal`` reads of judgments: how often each outcome, by judge, pair, segment and covariates."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import polars as pl

from ..errors import InputError
from ..judgments import FloatArray, IntArray, Judgments, PairCounts, outcome_index, sides_of
from ..judgments.weighing import PAIR_WEIGHTS, ranking_sizes
from ..kernels.ordinal import Answers
from ..kernels.segment_effects import Outputs
from .base import check_one_lang_pair

#: The covariate that every file with positions has.
POSITION = "position"


@dataclass(frozen=True)
class Covariates:
    """What tells two outputs apart besides their systems: differences, a less b, on scales that a fit keeps.

    ``position`` is how far a stood before b, 1 for the first against the last place; any other is measured in
    standard deviations of its differences.
    """

    names: tuple[str, ...] = ()
    scales: FloatArray = field(default_factory=lambda: np.zeros(0), repr=False)

    @classmethod
    def of(cls, names: tuple[str, ...], judgments: Judgments) -> Covariates:
        """With the scales of these judgments."""
        scales = []
        for name in names:
            raw = _difference(judgments, name)
            scale = float(np.nanmax(np.abs(raw))) if name == POSITION else float(np.sqrt(np.nanmean(raw**2)))
            if not scale > 0:
                raise InputError(
                    f"covariate {name!r} is the same for both outputs of every judgment, so nothing can be said of it; "
                    "leave it out"
                )
            scales.append(scale)
        return cls(names, np.array(scales))

    def values(self, judgments: Judgments) -> FloatArray:
        """The differences of every judgment, (rows, covariates); 0 where one is not known."""
        columns = [_difference(judgments, name) / scale for name, scale in zip(self.names, self.scales, strict=True)]
        table = np.stack(columns, axis=1) if columns else np.zeros((len(judgments), 0))
        return np.nan_to_num(table, nan=0.0)

    def notes(self, judgments: Judgments) -> tuple[str, ...]:
        missing = {name: int(np.isnan(_difference(judgments, name)).sum()) for name in self.names}
        return tuple(
            f"{count:,} of {len(judgments):,} judgments do not tell the covariate {name!r} of both outputs; they are "
            "taken for equal in it"
            for name, count in missing.items()
            if count
        )


def _difference(judgments: Judgments, name: str) -> FloatArray:
    """The value of a less that of b; of positions, how much earlier a stood. NaN where it is not known."""
    if name == POSITION:
        if not judgments.has("position_a"):
            raise InputError(
                "covariate 'position': the judgments do not say where on the screen each output stood; name the "
                "columns with --column position_a=NAME --column position_b=NAME, or leave it out"
            )
        sides = ("position_b", "position_a")
    else:
        sides = _columns_of(judgments, name)
    first, second = (judgments.frame[side].cast(pl.Float64).fill_null(np.nan).to_numpy() for side in sides)
    return np.asarray(first - second)


def _columns_of(judgments: Judgments, name: str) -> tuple[str, str]:
    """The columns of a covariate: its values of the first and of the second output."""
    found = sides_of(name, judgments.extras)
    if found is None:
        raise InputError(
            f"covariate {name!r}: a covariate needs a value of each of the two outputs, in two columns such as "
            f"{name}_a and {name}_b that are kept when the file is read (--extra {name}_a --extra {name}_b); there "
            f"are: {', '.join(judgments.extras) or 'none'}"
        )
    stored = tuple(f"extra.{column}" for column in found)
    for column in stored:
        if not judgments.frame[column].dtype.is_numeric():
            example = judgments.frame[column].drop_nulls()[0]
            raise InputError(f"covariate {name!r}: column {column[6:]!r} holds {example!r}; allowed: numbers")
    return stored[0], stored[1]


@dataclass(frozen=True)
class Table:
    """Judgments by judge and pair, and where it matters by segment and covariates: the entry and outcome of every row,
    and what the entries are.
    """

    systems: tuple[str, ...]
    judges: tuple[str, ...]
    anonymous: int
    entry: IntArray = field(repr=False)
    outcome: IntArray = field(repr=False)
    #: How much every row counts, and the part of it that is due to its ranking.
    weights: FloatArray = field(repr=False)
    evidence: FloatArray = field(repr=False)
    #: Judge, a and b of every entry: an array (3, entries).
    keys: IntArray = field(repr=False)
    #: Rows in an order that does not depend on the file's, since floating sums depend on theirs; None: all weigh alike.
    order: IntArray | None = field(repr=False)
    #: The segment of every entry, where segments have effects, and their names.
    segment: IntArray | None = field(default=None, repr=False)
    segments: tuple[str, ...] = field(default=(), repr=False)
    covariates: Covariates = field(default_factory=Covariates)
    #: Of every entry, (entries, covariates).
    x: FloatArray = field(default_factory=lambda: np.zeros((0, 0)), repr=False)
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, data: Judgments | PairCounts, *, by_segment: bool = False, covariates: tuple[str, ...] = ()) -> Table:
        if isinstance(data, PairCounts):
            raise InputError("model 'ordinal' needs the judgments, not only their pair counts")
        check_one_lang_pair(data)
        a, b, judge = (data.codes(name).astype(np.int64) for name in ("system_a", "system_b", "judge"))
        names, missing = data.judges, int((judge < 0).sum())
        anonymous = len(names) if missing else -1
        judge = np.where(judge < 0, anonymous, judge)
        found = Covariates.of(covariates, data)
        nowhere = int((data.codes("segment") < 0).sum()) if by_segment else 0
        by_segment = by_segment and nowhere < len(data)
        values = found.values(data)
        columns = [judge, a, b]
        if by_segment:
            columns.append(data.group_codes("segment"))
        if covariates:
            columns.append(np.unique(values, axis=0, return_inverse=True)[1].reshape(-1))
        first, entry, keys = _distinct(columns)
        outcome = outcome_index(data.codes("outcome")).astype(np.int64)
        evidence = pair_evidence(data)
        weights, order = evidence if data.weights is None else evidence * data.weights, None
        if len(np.unique(weights)) > 1:
            order = np.lexsort((weights, outcome, entry))
        notes = (f"{missing:,} of {len(data):,} judgments name no judge and are taken for one judge's",) * (missing > 0)
        return cls(
            data.systems, names, anonymous, entry, outcome, weights, evidence, keys[:3], order,
            keys[3] if by_segment else None, data.segments if by_segment else (), found, values[first],
            (*notes, *_said_of_segments(nowhere, len(data)), *found.notes(data)),
        )  # fmt: skip

    def answers(self, weights: FloatArray | None) -> Answers:
        """The counts, with other weights than the judgments' own if given."""
        weights, entries = self.weights if weights is None else weights * self.evidence, self.keys.shape[1]
        place = self.outcome * entries + self.entry
        order = slice(None) if self.order is None else self.order
        counts = np.bincount(place[order], weights[order], 3 * entries).reshape(3, entries).astype(np.float64)
        judges = len(self.judges) + (self.anonymous >= 0)
        return Answers(len(self.systems), judges, self.keys[0], self.keys[1], self.keys[2], counts, self.x)

    def outputs(self) -> Outputs:
        """The outputs that the entries are about, where segments have effects."""
        assert self.segment is not None  # asked for only where they have
        return Outputs.of(self.segment, self.keys[1], self.keys[2], len(self.systems))


def _said_of_segments(nowhere: int, judgments: int) -> tuple[str, ...]:
    """What becomes of judgments that name no segment, where segments have effects."""
    if nowhere == judgments:
        return ("the judgments name no segment, so outputs are as good as their systems everywhere",)
    text = f"{nowhere:,} of {judgments:,} judgments name no segment; each is taken for a segment of its own"
    return (text,) * (nowhere > 0)


def pair_evidence(judgments: Judgments) -> FloatArray:
    """How much each judgment counts as evidence: 3/(m + 1) in a ranking of m, since its pairs are not independent.

    Of m alike outputs in random order, the number that one is placed before has (m + 1)/3 times the variance that it
    would have, were pairs independent. So the likelihood of a ranking's pairs is raised to that power (a composite
    likelihood with its magnitude adjusted, Pauli, Racugno & Ventura 2011): else spreads of judges and of outputs come
    out too large, and errors too small. Judgments that were weighed by the size of their ranking already are left so.
    """
    weighed = judgments.origin is not None and "weigh" in judgments.origin.selection
    if weighed or not judgments.has("ranking"):
        return np.ones(len(judgments))
    sides = (judgments.codes("system_a"), judgments.codes("system_b"))
    size = ranking_sizes(judgments.group_codes("ranking"), sides, len(judgments.systems))
    return np.asarray(PAIR_WEIGHTS["van-elteren"](size.astype(np.float64)))


def _distinct(columns: list[IntArray]) -> tuple[IntArray, IntArray, IntArray]:
    """Of rows of whole numbers: where each distinct one first stands, which one every row is, and the distinct ones."""
    key, room = columns[0].astype(np.int64), int(columns[0].max(initial=0)) + 1
    for column in columns[1:]:
        size = int(column.max(initial=0)) + 1
        if room * size >= 2**62:  # numbered anew, so that the product does not overflow
            known, key = np.unique(key, return_inverse=True)
            key, room = key.reshape(-1), len(known)
        key, room = key * size + column, room * size
    _, first, entry = np.unique(key, return_index=True, return_inverse=True)
    return first, entry.reshape(-1), np.stack([column[first] for column in columns])
