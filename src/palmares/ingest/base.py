"""What every format shares: its options, what a reader hands back, what a writer declares."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import polars as pl

from ..errors import InputError, LossyWriteError
from ..judgments import EXTRA_PREFIX, Judgments, Origin, SourceFile
from . import ACROSS_JUDGES, OUTCOME_WORDS, OUTCOMES, AcrossJudges, Outcomes
from .source import Source

#: In frames on their way through a reader: which record of the file a row came from.
RECORD = "_record"

#: What judgments can have and a format may or may not hold.
Feature = Literal[
    "lang_pair", "segment", "judge", "ranking", "weight", "position", "time", "duration", "extra", "forced"
]


@dataclass(frozen=True)
class ScoreOptions:
    """How scores become an order.

    Parameters
    ----------
    margin
        Scores that differ by no more than this are a tie.
    lower_is_better
        For errors, which count downwards.
    across_judges
        ``no``: only scores of one judge are compared. ``raw``: those of different judges, too, as they are.
        ``standardised``: likewise, each judge's scores measured in standard deviations from their mean.
    """

    margin: float = 0.0
    lower_is_better: bool = False
    across_judges: AcrossJudges = "no"

    def __post_init__(self) -> None:
        if not self.margin >= 0:
            raise InputError(f"margin: got {self.margin}; allowed: a number of at least 0")
        if self.across_judges not in ACROSS_JUDGES:
            raise InputError(f"across_judges: got {self.across_judges!r}; allowed: {', '.join(ACROSS_JUDGES)}")


#: How a record ends its complaint that not exactly one of several columns is marked.
ONE_ALLOWED = "allowed: exactly one"
#: What may become of the answers of judges who are left out.
LEFT_OUT_JUDGES = ("drop", "keep")
#: The column of judges who are left out: 1 for these, 0 for others. It is there only if somebody is.
LEFT_OUT = f"{EXTRA_PREFIX}left_out"
#: Up to this share of faulty records may be left out unless something else was asked for.
MOST_DROPPED = 0.01


@dataclass(frozen=True)
class ReadOptions:
    """How to read. Every reader takes all of them and uses those that apply.

    Parameters
    ----------
    columns
        From role to column, where the usual names do not tell; an empty name forbids the role.
    extra
        Columns to keep as covariates.
    merged
        ``expand`` outputs shown once for several systems, or ``collapse`` them to systems of their own.
    scores
        How scores become an order.
    outcomes
        How the outcomes are written, where several readings fit: by the names of systems, by words for sides, in
        numbers, or in one-hot columns.
    values
        What values of the outcome column mean: ``{"1": "a", "0": "b", "2": "tie", "": "skip"}``, the empty text where
        nothing is written. Others are read as usual, but not as names if a value means a side.
    header
        The names of the columns of a file that has no header.
    items
        The file with the instances that were annotated, for a tool whose exports do not name systems (Potato).
    encoding
        Of a text file.
    if_there
        Columns to keep as covariates, too, if the file has them: no fault if it has not.
    faults
        The largest share of faulty records that may be left out; ``lenient`` for any, and for outcomes that cannot be
        read as well.
    left_out
        Answers of judges whom a campaign's organisers left out: ``drop`` them, or ``keep`` them like all others.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    extra: tuple[str, ...] = ()
    merged: Literal["expand", "collapse"] = "expand"
    scores: ScoreOptions = ScoreOptions()
    outcomes: Outcomes = "auto"
    values: Mapping[str, str] = field(default_factory=dict)
    header: tuple[str, ...] = ()
    items: str = ""
    encoding: str = "utf-8"
    if_there: tuple[str, ...] = ()
    faults: float | Literal["lenient"] = MOST_DROPPED
    left_out: Literal["drop", "keep"] = "drop"

    def __post_init__(self) -> None:
        if self.merged not in ("expand", "collapse"):
            raise InputError(f"merged outputs: got {self.merged!r}; allowed: expand, collapse")
        if self.left_out not in LEFT_OUT_JUDGES:
            raise InputError(f"left_out: got {self.left_out!r}; allowed: {', '.join(LEFT_OUT_JUDGES)}")
        if self.outcomes not in OUTCOMES:
            raise InputError(f"outcomes: got {self.outcomes!r}; allowed: {', '.join(OUTCOMES)}")
        for value, word in self.values.items():
            if word not in OUTCOME_WORDS:
                raise InputError(f"outcome {value!r}: got {word!r} as its meaning; allowed: {', '.join(OUTCOME_WORDS)}")
        if self.faults != "lenient" and not (isinstance(self.faults, int | float) and 0 <= self.faults <= 1):
            raise InputError(f"faults: got {self.faults!r}; allowed: a share from 0 to 1, or 'lenient'")

    def changed(self) -> dict[str, Any]:
        """The options that differ from their defaults, as plain values; what follows from groups is not among them."""
        return {
            f.name: _plain(value)
            for f in fields(self)
            if (value := getattr(self, f.name)) != getattr(_DEFAULTS, f.name) and f.name != "if_there"
        }

    def keeping(self, columns: Iterable[str]) -> ReadOptions:
        """With those of ``if_there`` that are among the columns of a file as covariates to keep."""
        more = [name for name in self.if_there if name in set(columns) and name not in self.extra]
        return replace(self, extra=(*self.extra, *more)) if more else self


_DEFAULTS = ReadOptions()


def _plain(value: Any) -> Any:
    """A value as JSON holds it."""
    if isinstance(value, ScoreOptions):
        return {f.name: getattr(value, f.name) for f in fields(value) if getattr(value, f.name) != f.default}
    return dict(value) if isinstance(value, Mapping) else list(value) if isinstance(value, tuple) else value


#: Why a record was left out: something is wrong with it; its outcome cannot be read; it says itself that it is no
#: judgment (the judge skipped it), which is no fault.
DropKind = Literal["fault", "outcome", "skipped"]


@dataclass(frozen=True)
class Dropped:
    """One record that was left out."""

    line: int
    reason: str
    kind: DropKind = "fault"

    @property
    def skipped(self) -> bool:
        return self.kind == "skipped"


@dataclass(frozen=True)
class ColumnUse:
    """What a column (of XML: an attribute) was taken for, and why.

    It was ``named``, or has a ``usual`` name, or a name that only may mean it and was ``guessed``; or it was
    ``not used``, and has no role. ``remark`` says what else is to be known of it.
    """

    role: str
    column: str
    why: Literal["named", "usual", "guessed", "not used"]
    examples: tuple[str, ...] = ()
    remark: str = ""


@dataclass(frozen=True)
class Table:
    """A frame with a `RECORD` column, and how to turn record numbers into line numbers (None: they are).

    ``layout`` says what kind of table it was read from.
    """

    frame: pl.DataFrame = field(repr=False)
    line_of: Callable[[int], int] | None = field(repr=False, default=None)
    dropped: tuple[Dropped, ...] = ()
    line_word: str = "line"
    notes: tuple[str, ...] = ()
    layout: str = ""

    def lines(self, dropped: Iterable[Dropped]) -> tuple[Dropped, ...]:
        """All that was dropped, by line number instead of record number."""
        if self.line_of is not None:
            dropped = [replace(d, line=self.line_of(d.line)) for d in dropped]
        return tuple(sorted([*self.dropped, *dropped], key=lambda d: d.line))


@dataclass(frozen=True)
class Parsed:
    """What a reader makes of a file: valid rows, the records it left out, what it took columns for, and remarks.

    ``layout`` says what kind of file it is, ``shared`` how many outputs several systems shared.
    """

    rows: pl.DataFrame
    dropped: tuple[Dropped, ...] = ()
    records: int = 0
    line_word: str = "line"
    columns: tuple[ColumnUse, ...] = ()
    notes: tuple[str, ...] = ()
    layout: str = ""
    shared: int = 0


@dataclass(frozen=True)
class ReadReport:
    """What was read, what was dropped and why, what columns were taken for, and what a result should say of it."""

    source: str
    format: str
    records: int
    judgments: int
    dropped: tuple[Dropped, ...] = field(repr=False)
    line_word: str = "line"
    digest: str | None = None
    columns: tuple[ColumnUse, ...] = field(repr=False, default=())
    notes: tuple[str, ...] = ()
    layout: str = ""
    shared: int = 0

    @property
    def rejected(self) -> tuple[Dropped, ...]:
        """The faulty records (skipped ones are not faults)."""
        return tuple(d for d in self.dropped if not d.skipped)

    def check(self, options: ReadOptions) -> None:
        """Refuse outcomes that cannot be read, and more faults than the options allow."""
        if options.faults == "lenient" or not self.rejected:
            return
        unread = self._only("outcome")
        if unread.dropped:
            # What stands in one column can be explained; of several columns, one is wrong.
            told = "Say what they mean (--outcome 1=a,0=b,2=tie, or --outcomes names|sides|numbers|one-hot)"
            remedy = "Correct them" if all(ONE_ALLOWED in d.reason for d in unread.dropped) else told
            raise InputError(
                f"{unread.summary(refused=True)}\nOutcomes that cannot be read may all be of one side. {remedy}, or "
                "leave these records out with --lenient (faults='lenient' from Python)"
            )
        share = len(self.rejected) / self.records
        if share > options.faults:
            limit = f"at most {100 * options.faults:.3g} % may be"
            asked = limit if options.faults else "--strict allows none"
            raise InputError(
                f"{self._only('fault').summary(refused=True)}\n"
                f"{len(self.rejected)} of {self.records} records are faulty ({100 * share:.3g} %), and {asked}. "
                "Correct them, or leave them out with --max-dropped SHARE or --lenient (faults=SHARE, faults='lenient' "
                "from Python)"
            )

    def _only(self, kind: DropKind) -> ReadReport:
        return replace(self, dropped=tuple(d for d in self.dropped if d.kind == kind))

    def origin(self, options: ReadOptions, format: str = "auto") -> Origin:
        """Where the judgments that were read come from; ``format`` is the one that was asked for.

        Results are published: of a file elsewhere on the machine, they have the name and not the folders.
        """
        faulty, name = len(self.rejected), self.source
        if Path(name).is_absolute():
            inside = Path(name).is_relative_to(Path.cwd())
            name = str(Path(name).relative_to(Path.cwd())) if inside else Path(name).name
        source = SourceFile(name, self.format, self.records, faulty, len(self.dropped) - faulty, self.digest)
        share = f"{faulty} of {self.records} records ({100 * faulty / self.records:.2g} %)" if faulty else ""
        left_out = [f"{self.source}: left out {share}, which cannot be read"] if faulty else []
        asked = {} if format == "auto" else {"format": format}
        # Wherever the file lies, results of it say the same.
        notes = (note.replace(self.source, Path(self.source).name) for note in (*left_out, *self.notes))
        return Origin((source,), {**asked, **options.changed()}, notes=tuple(notes))

    def lines(self, shown: int = 5, *, refused: bool = False) -> list[str]:
        """One sentence per reason, with the first line numbers; of a file that is refused, nothing was dropped."""
        verbs = {True: "skipped ", False: "" if refused else "dropped "}
        numbers: dict[tuple[bool, str], list[int]] = {}
        for item in self.dropped:
            numbers.setdefault((item.skipped, item.reason), []).append(item.line)
        return [
            f"{self.source}: {verbs[skipped]}{_listed(self.line_word, lines, shown)}: {reason}"
            for (skipped, reason), lines in numbers.items()
        ]

    def summary(self, reasons: int = 10, *, refused: bool = False) -> str:
        """The sentences of `lines`, cut after a few reasons."""
        lines = self.lines(refused=refused)
        more = len(lines) - reasons
        return "\n".join(lines[:reasons] + ([f"… and {more} more reasons"] if more > 0 else []))


def _listed(word: str, numbers: list[int], shown: int) -> str:
    listed = ", ".join(str(n) for n in sorted(numbers)[:shown])
    more = f" and {len(numbers) - shown} more" if len(numbers) > shown else ""
    return f"{word}{'s' if len(numbers) > 1 else ''} {listed}{more}"


class Format:
    """A kind of file. Subclasses read, and most write; each says what it can hold."""

    id: ClassVar[str]
    holds: ClassVar[frozenset[Feature]] = frozenset()
    #: What every file of this format has, whether or not the judgments written to it had it.
    implies: ClassVar[frozenset[Feature]] = frozenset()
    #: Endings (without compression) that a writer may be asked for; empty: read only.
    endings: ClassVar[tuple[str, ...]] = ()
    #: The roles that ``columns`` can give to a column (or attribute) of its files; None: all there are.
    roles: ClassVar[frozenset[str] | None] = None

    def parse(self, source: Source, options: ReadOptions) -> Parsed:
        raise NotImplementedError

    def write(self, judgments: Judgments, ending: str) -> bytes:
        raise NotImplementedError

    def write_empty(self, rows: pl.DataFrame, ending: str) -> bytes | None:
        """A file with the columns of ``rows`` and no judgment; None from a format that needs one."""
        return None

    def foreign_roles(self, options: ReadOptions) -> list[str]:
        """The roles that were named a column for and that this format does not have."""
        named = [role for role, column in options.columns.items() if column]
        return [] if self.roles is None else [role for role in named if role not in self.roles]

    def check_columns(self, options: ReadOptions) -> None:
        """Refuse to be told of columns for roles that this format does not have."""
        foreign = self.foreign_roles(options)
        if foreign:
            allowed = f"its roles are {', '.join(sorted(self.roles))}" if self.roles else "no column of it has a role"
            raise InputError(
                f"--column {foreign[0]}={options.columns[foreign[0]]}: format {self.id!r} has no such role; {allowed}; "
                "leave it out, or name another format with --from"
            )

    def check_holds(self, judgments: Judgments) -> None:
        """Refuse, naming what would be lost, if the format cannot hold these judgments."""
        lost = sorted(features(judgments) - self.holds)
        if lost:
            raise LossyWriteError(
                f"format {self.id!r} cannot hold: {', '.join(lost)}; write the format 'pairwise', which holds "
                f"everything, or drop them first (--drop {','.join(lost)}). Lost would be "
                f"{'; '.join(described(judgments, feature) for feature in lost)}"
            )


def features(judgments: Judgments) -> set[Feature]:
    """Which features these judgments have, so which ones a format must hold."""
    names: tuple[Feature, ...] = ("lang_pair", "segment", "judge", "weight", "time", "duration", "forced")
    present = {name for name in names if judgments.has(name)}
    if judgments.has("position_a") or judgments.has("position_b"):
        present.add("position")
    if judgments.extras:
        present.add("extra")
    ranking = judgments.codes("ranking")
    if len(np.unique(linked := ranking[ranking >= 0])) < len(linked):
        present.add("ranking")
    return present


def described(judgments: Judgments, feature: Feature) -> str:
    """What judgments have of a feature, in words."""
    if feature in ("lang_pair", "segment", "judge"):
        names = judgments.names[feature].to_list()
        shown = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
        word = {"lang_pair": "language pair", "segment": "segment", "judge": "judge"}[feature]
        return f"{len(names)} {word}{'s' * (len(names) != 1)} ({shown})"
    if feature == "ranking":
        return f"which judgments belong together ({len(judgments.names['ranking'])} rankings)"
    if feature == "forced":
        return f"which {judgments.forced_ties} ties nobody judged, since the systems shared an output"
    if feature == "extra":
        return f"the columns {', '.join(judgments.extras)}"
    column = "position_a" if feature == "position" else feature
    known = judgments.frame[column].is_not_null().sum()
    return f"the {feature} of {known} judgment{'s' * (known != 1)}"


def drop_features(judgments: Judgments, unwanted: set[str]) -> Judgments:
    """The judgments without some features (`Feature`), so that a format can hold them.

    Those of judges who are left out go with the column that marks them: nothing else would tell that they do not count.
    """
    rows, gone = judgments.to_rows(), columns_of(judgments.frame.columns, unwanted)
    if LEFT_OUT in gone and unmarked(judgments, unwanted):
        rows = rows.filter(pl.col(LEFT_OUT).cast(pl.Float64, strict=False).fill_null(0) != 1)
    rows = rows.drop(gone)
    return Judgments.from_rows(rows, judgments.origin and judgments.origin.chosen())


def unmarked(judgments: Judgments, dropped: set[str]) -> int:
    """How many judgments of judges who are left out are not written, because the column that marks them is not."""
    if "extra" not in dropped or LEFT_OUT not in judgments.frame.columns:
        return 0
    return int((judgments.frame[LEFT_OUT].cast(pl.Float64, strict=False) == 1).sum())


def columns_of(columns: Iterable[str], features: set[str]) -> set[str]:
    """Which columns of a table hold some features (`Feature`)."""
    kinds = {"position_a": "position", "position_b": "position"}
    return {c for c in columns if ("extra" if c.startswith(EXTRA_PREFIX) else kinds.get(c, c)) in features}
