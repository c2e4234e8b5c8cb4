"""`Judgments`: the one table in the middle.

Every reader makes one, everything else only reads it. A row is one pairwise judgment: two systems, an
outcome, and what is known about where it came from. Names are integer codes in sorted order, and the
two systems of a row stand in that order too, so neither the order of rows in a file nor the side a
system was shown on can change a result (which side it was is kept in the position columns).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fnmatch import translate
from functools import cached_property
from math import isfinite
from re import compile as compile_pattern
from typing import ClassVar

import numpy as np
import polars as pl

from ..errors import InputError
from ..results import Shown
from .arrays import BoolArray, CodeArray, FloatArray, IntArray
from .counts import PairCounts, encode_cells, outcome_index, pairs_of
from .digest import fingerprint
from .encoding import EXTRA_PREFIX, NAME_COLUMNS, check_names, compact, decode, encode_rows
from .names import check_new_names, short_names
from .origin import Origin
from .weighing import FORMULAS, PAIR_WEIGHTS, WEIGHINGS, Weighing, ranking_sizes


@dataclass(frozen=True, eq=False, repr=False)
class Judgments(Shown):
    """An immutable table of pairwise judgments.

    Make one with `from_rows`, or with a reader (`palmares.read`). ``frame`` holds the codes, ``names``
    the name each code stands for; ``system_a`` < ``system_b`` in every row and ``outcome`` is +1 (a
    better), 0 (tie) or −1 (b better).
    """

    shown_by: ClassVar[str] = "describe"

    frame: pl.DataFrame
    names: Mapping[str, pl.Series]
    #: Where they come from, if a reader made them; equality does not look at it.
    origin: Origin | None = None

    @classmethod
    def from_rows(cls, rows: pl.DataFrame, origin: Origin | None = None) -> Judgments:
        """Build the table from a frame of names.

        Parameters
        ----------
        rows
            ``system_a``, ``system_b`` (text) and ``outcome`` (+1, 0, −1); optionally any of
            `NAME_COLUMNS` (text), `VALUE_COLUMNS` and ``extra.*``. Names carry no white space around
            them; a ranking belongs to one judge and one segment. Rows must be valid already: readers
            report bad ones by line number before they come here; what is still wrong raises.
        """
        return cls(*encode_rows(rows), origin)

    @classmethod
    def from_codes(cls, frame: pl.DataFrame, names: Mapping[str, pl.Series], origin: Origin | None = None) -> Judgments:
        """Build the table from codes into sorted lists of names, which need not all occur.

        For judgments that were made, not read: nothing is checked but that there are any.
        """
        return cls(*compact(frame, names), origin)

    # -- what is in it ---------------------------------------------------------------------------

    def __len__(self) -> int:
        return self.frame.height

    def __repr__(self) -> str:
        counted = [f"{len(self.names[name])} {name}s" for name in self.names if name != "system"]
        return f"<Judgments: {len(self)} of {len(self.systems)} systems; {', '.join(counted) or 'no context'}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Judgments) and self.hash == other.hash

    def __hash__(self) -> int:
        return hash(self.hash)

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """The systems, sorted by name: code i is ``systems[i]``."""
        return tuple(self.names["system"])

    @property
    def lang_pairs(self) -> tuple[str, ...]:
        return self._names("lang_pair")

    @property
    def segments(self) -> tuple[str, ...]:
        return self._names("segment")

    @property
    def judges(self) -> tuple[str, ...]:
        return self._names("judge")

    @property
    def extras(self) -> tuple[str, ...]:
        """Names of the extra columns (covariates)."""
        return tuple(c.removeprefix(EXTRA_PREFIX) for c in self.frame.columns if c.startswith(EXTRA_PREFIX))

    def has(self, column: str) -> bool:
        """Whether any row has a value in this optional column."""
        return column in self.frame.columns

    def codes(self, column: str) -> CodeArray:
        """The codes (or outcomes) of a column as an array; −1 where a row has no name."""
        if column not in self.frame.columns:
            return np.full(len(self), -1, dtype=np.int32)
        return self.frame[column].to_numpy()

    def group_codes(self, column: str) -> IntArray:
        """The codes of a column of names, in which a row without a name is a group of its own."""
        codes = self.codes(column).astype(np.int64)
        alone = codes < 0
        return np.where(alone, codes.max(initial=-1) + np.cumsum(alone), codes)

    @cached_property
    def weights(self) -> FloatArray | None:
        """The weight of every judgment, or None where each counts once."""
        return self.frame["weight"].to_numpy() if self.has("weight") else None

    @cached_property
    def forced(self) -> BoolArray:
        """Which rows are forced ties: of systems that shared one output, which nobody compared."""
        return self.frame["forced"].to_numpy() if self.has("forced") else np.zeros(len(self), dtype=bool)

    @property
    def forced_ties(self) -> int:
        """How many rows are forced ties."""
        return int(self.forced.sum())

    @cached_property
    def counts(self) -> PairCounts:
        """Win, tie and loss counts of every pair of systems."""
        return PairCounts.from_cells(self.systems, self.cells, self.weights)

    @cached_property
    def cells(self) -> IntArray:
        """For every row, the cell of its (a, b, outcome); see `palmares.judgments.counts`."""
        index = outcome_index(self.codes("outcome"))
        return encode_cells(self.codes("system_a"), self.codes("system_b"), index, len(self.systems))

    @property
    def pairs(self) -> IntArray:
        """For every row, the pair of its two systems: a·n + b."""
        return pairs_of(self.cells)

    @cached_property
    def hash(self) -> str:
        """A stable digest of the content; the order of rows and the names of rankings do not matter."""
        return fingerprint(self.frame, {k: v for k, v in self.names.items() if k != "ranking"})

    def to_rows(self) -> pl.DataFrame:
        """The table with names instead of codes, in the form `from_rows` takes."""
        columns: dict[str, pl.Series] = {}
        for name in self.frame.columns:
            key = "system" if name.startswith("system_") else name
            column = self.frame[name]
            columns[name] = decode(column, self.names[key]) if key in self.names else column
        return pl.DataFrame(columns)

    def table(self, part: str | None = None) -> pl.DataFrame:
        """The same as `to_rows`; there are no parts of it to choose from."""
        if part is not None:
            raise InputError(f"judgments have no part {part!r}; leave it out")
        return self.to_rows()

    # -- parts of it -----------------------------------------------------------------------------

    def filter(self, mask: BoolArray | pl.Series) -> Judgments:
        """The rows where ``mask`` is true; names that no longer occur are forgotten."""
        origin = self.origin and self.origin.chosen()
        return Judgments.from_codes(self.frame.filter(pl.Series(mask)), self.names, origin)

    @property
    def notes(self) -> tuple[str, ...]:
        """What any result made of these judgments should say of how they were read."""
        forced = (self._said_of_forced_ties("counted like judgments (--forced-ties drop leaves them out)"),)
        return (*(self.origin.notes if self.origin else ()), *(forced if self.forced_ties else ()))

    def without_forced_ties(self) -> Judgments:
        """The judgments that somebody made: without the ties of systems that shared an output. A note counts them."""
        if not self.forced_ties:
            return self
        if self.forced.all():
            raise InputError(
                f"all {len(self):,} judgments are forced ties, of systems that shared an output, so nobody compared "
                "anything; count them with --forced-ties keep (forced_ties='keep' from Python)"
            )
        left = Judgments.from_codes(self.frame.filter(~pl.Series(self.forced)), self.names)
        gone = [name for name in self.systems if name not in left.systems]
        known = f"; nobody compared {', '.join(gone)} with another output" if gone else ""
        note = self._said_of_forced_ties(f"left out (--forced-ties keep counts them){known}")
        return left.with_origin(self._selecting(forced_ties="drop").noted(note))

    def keeping_forced_ties(self) -> Judgments:
        """The same judgments, of which every function is to count the forced ties, whatever it does by itself."""
        return self.with_origin(self._selecting(forced_ties="keep")) if self.forced_ties else self

    def _said_of_forced_ties(self, fate: str) -> str:
        return (
            f"{self.forced_ties:,} of {len(self):,} judgments are forced ties, of systems that shared an output, which "
            f"nobody compared: {fate}"
        )

    def weighed(self, by: Weighing = "ranking") -> Judgments:
        """The same judgments, each weighing so much more or less for the size of its ranking.

        Parameters
        ----------
        by
            ``ranking``: 1/(m − 1), m the systems that occur in the ranking, so that rankings count by their number of
            outputs. ``van-elteren``: 3/(m + 1), which gives the least error where systems are close. A judgment outside
            any ranking is a ranking of two, and weighs what it did.
        """
        if by not in WEIGHINGS:
            raise InputError(f"weigh: got {by!r}; allowed: {', '.join(WEIGHINGS)}")
        if not self.has("ranking"):
            raise InputError(
                f"cannot weigh by the size of rankings ({by}): the judgments have no ranking ids; name their column "
                "with --column ranking=NAME (columns={'ranking': 'NAME'} from Python), or leave out --weigh"
            )
        group, sides = self.group_codes("ranking"), (self.codes("system_a"), self.codes("system_b"))
        size = ranking_sizes(group, sides, len(self.systems))
        weight = PAIR_WEIGHTS[by](size.astype(np.float64)) * (1.0 if self.weights is None else self.weights)
        note = (
            f"judgments are weighed by the size of their ranking: {FORMULAS[by]} each, where m systems occur in it "
            f"(from {size.min()} to {size.max()})"
        )
        frame = self.frame.with_columns(pl.Series("weight", weight))
        return Judgments.from_codes(frame, self.names, self._selecting(weigh=by).noted(note))

    def _selecting(self, **choice: str) -> Origin:
        """The origin with one more choice among the judgments; of those that no reader made, with that alone."""
        origin = self.origin or Origin(complete=False)
        return replace(origin, selection={**origin.selection, **choice})

    def with_origin(self, origin: Origin | None) -> Judgments:
        """The same judgments, said to come from elsewhere."""
        return replace(self, origin=origin)

    def rename(self, names: Mapping[str, str]) -> Judgments:
        """The same judgments with other names for systems, ``{"old": "new"}``; those not mentioned keep theirs.

        Two systems of one language pair cannot get the same name. Codes follow the new names, so random draws, and
        with them rank ranges, may come out differently within their Monte Carlo error.
        """
        check_new_names(self.systems, names, self._fields())
        new = pl.Series("system", [names.get(system, system) for system in self.systems], dtype=pl.String)
        known = new.unique().sort()
        code = dict(zip(known, range(len(known)), strict=True))
        number = np.array([code[name] for name in new], dtype=np.int32)
        columns = [pl.Series(side, number[self.codes(side)]) for side in ("system_a", "system_b")]
        check_names("system", known)
        origin = self.origin and self.origin.renamed(names)
        return Judgments.from_codes(self.frame.with_columns(columns), {**self.names, "system": known}, origin)

    def short_names(self) -> Judgments:
        """The same judgments with short names for systems of WMT's files: KIT for ``newstest2016.KIT.4482.de-en``.

        Test set, number and language pair go, but what keeps the systems of a language pair apart stays. A note says
        what was done.
        """
        names = short_names(self.systems, self._fields())
        renamed = self.rename(names) if names else self
        return renamed.with_origin(self.origin and self.origin.shortened(names, len(self.systems)))

    def _fields(self) -> list[list[str]]:
        """The systems of every language pair."""
        pair = self.codes("lang_pair").astype(np.int64) * len(self.systems)
        fields: dict[int, list[str]] = {}
        for code in np.unique([pair + self.codes(side) for side in ("system_a", "system_b")]).tolist():
            fields.setdefault(code // len(self.systems), []).append(self.systems[code % len(self.systems)])
        return list(fields.values())

    def take(self, rows: CodeArray) -> Judgments:
        """Rows by index, repeats allowed; systems and codes stay as they are (for resampling)."""
        return Judgments(self.frame[rows], self.names)

    def keep(self, systems: Iterable[str]) -> Judgments:
        """The judgments among some of the systems only."""
        inside = np.isin(np.array(self.systems), list(systems))
        return self if inside.all() else self.filter(inside[self.codes("system_a")] & inside[self.codes("system_b")])

    def where(self, column: str, wanted: str | Iterable[str]) -> BoolArray:
        """Which rows have a name that matches one of ``wanted`` (shell patterns) in ``column``.

        ``system`` means either system of the row.
        """
        if column == "system":
            hit = self._matching("system", wanted)
            return np.asarray(hit[self.codes("system_a")] | hit[self.codes("system_b")])
        if column not in NAME_COLUMNS:
            raise InputError(f"cannot select by {column!r}; allowed: {', '.join(NAME_COLUMNS)}, system")
        # One more place than there are names, so that code −1 (no name) picks the False at the end.
        hit = np.append(self._matching(column, wanted), False)
        return np.asarray(hit[self.codes(column)])

    def select(self, **wanted: str | Iterable[str]) -> Judgments:
        """Keep the rows that match, e.g. ``select(lang_pair="fr-en", judge="turker_*")``.

        With ``system=`` both systems of a row must match.
        """
        mask = np.ones(len(self), dtype=bool)
        for column, names in wanted.items():
            if column == "system":
                hit = self._matching("system", names)
                mask &= hit[self.codes("system_a")] & hit[self.codes("system_b")]
            else:
                mask &= self.where(column, names)
        return self.filter(mask)

    def without(self, **unwanted: str | Iterable[str]) -> Judgments:
        """Drop the rows that match, e.g. ``without(system=["ref*"])``."""
        mask = np.ones(len(self), dtype=bool)
        for column, names in unwanted.items():
            mask &= ~self.where(column, names)
        return self.filter(mask)

    def split(self, by: str = "lang_pair", *, or_none: bool = False) -> dict[str | None, Judgments]:
        """One table per value of a column, sorted by it (numbers as numbers); the key of rows without a value is None.

        Parameters
        ----------
        by
            One of `NAME_COLUMNS` or the name of an extra column.
        or_none
            Take judgments without such a column for rows without a value, as those of a part are where all values are
            in another one.
        """
        column = by if by in NAME_COLUMNS else EXTRA_PREFIX + by
        if column not in self.frame.columns:
            if by == "lang_pair":
                return {None: self}
            if or_none:
                return {None: self.with_origin(self._split_origin(by, None))}
            have = [c for c in NAME_COLUMNS if self.has(c)] + list(self.extras)
            raise InputError(f"cannot split by {by!r}: no such column; present: {', '.join(have) or 'none'}")
        parts = self.frame.partition_by(column, as_dict=True, maintain_order=True)
        label = dict(enumerate(self._names(by))) if by in NAME_COLUMNS else {key: key for (key,) in parts}
        named = [(_key(label.get(key)), part) for (key,), part in parts.items()]
        order = _order([key for key, _ in named if key is not None])
        named.sort(key=lambda item: (item[0] is None, item[0] and order[item[0]]))
        if len(named) == 1:
            return {named[0][0]: self.with_origin(self._split_origin(by, named[0][0]))}
        return {value: Judgments.from_codes(part, self.names, self._split_origin(by, value)) for value, part in named}

    def _split_origin(self, by: str, value: str | None) -> Origin | None:
        return self.origin and self.origin.split(by, value)

    def _names(self, column: str) -> tuple[str, ...]:
        return tuple(self.names[column]) if column in self.names else ()

    def _matching(self, column: str, wanted: str | Iterable[str]) -> BoolArray:
        """For every name of the column, whether it is one of ``wanted`` or matches it as a shell pattern."""
        names = self._names(column)
        hit = np.zeros(len(names), dtype=bool)
        for pattern in [wanted] if isinstance(wanted, str) else wanted:
            match = compile_pattern(translate(pattern)).match
            matched = np.array([name == pattern or match(name) is not None for name in names], dtype=bool)
            if not matched.any():
                shown = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
                raise InputError(f"no {column} matches {pattern!r}; there are {len(names)}: {shown or 'none'}")
            hit |= matched
        return hit


def _key(value: object) -> str | None:
    """A value as the name of its group: whole numbers without decimals."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return None if value is None else str(value)


def _order(keys: list[str]) -> Mapping[str, float | str]:
    """What to sort keys by: as numbers if all of them are."""
    try:
        numbers = {key: float(key) for key in keys}
    except ValueError:
        return {key: key for key in keys}
    return numbers if all(map(isfinite, numbers.values())) else {key: key for key in keys}
