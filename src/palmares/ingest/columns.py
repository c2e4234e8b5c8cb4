"""From the columns a file happens to have to checked rows of judgments.

`Roles` says which column means what; a `Sieve` checks whole columns, keeps the good rows and remembers the bad ones,
and what every column was taken for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

import polars as pl

from ..errors import InputError
from ..judgments import EXTRA_PREFIX, NAME_COLUMNS, VALUE_COLUMNS
from ..judgments.encoding import EXACT, as_text, naive_utc
from .base import RECORD, ColumnUse, DropKind, Dropped, ReadOptions
from .names import NO_VALUE, UNKNOWN, are_texts, without
from .usual import COUNTS, GUESSES, INSTEAD_OF, LOOSE
from .values import are_counts, marks, numbers, times

#: What may be known of a judgment besides its systems and its outcome.
CONTEXT_ROLES = frozenset(
    ("lang_pair", "source_lang", "target_lang", "segment", "document", "judge", "ranking", "weight", "time", "duration")
)
#: Those of them that name something.
NAME_ROLES = ("segment", "document", "judge", "ranking", "lang_pair", "source_lang", "target_lang")
#: Those of them that another column of a usual name can have, if the first one names nothing.
REPLACED = ("segment", "judge", "lang_pair", "source_lang", "target_lang")
_LANGUAGE_ROLES = ("lang_pair", "source_lang", "target_lang")
#: A column called src with more values than languages holds source texts: no campaign has more than so many, and none
#: has more than a few in a short file.
_MOST_LANGUAGES, _FEW_LANGUAGES = 200, 10
#: How many examples of a column's values are shown, and in how many of its records they are looked for.
_EXAMPLES, _LOOKED_AT = 3, 1000

_TO_IGNORE = "correct it, or ignore the column with --column {0}= (columns={{{0!r}: ''}} from Python)"


@dataclass(frozen=True)
class Roles:
    """Which column of a frame plays which role."""

    column: Mapping[str, str]
    present: tuple[str, ...]

    @classmethod
    def guess(cls, names: list[str], options: ReadOptions) -> Roles:
        """Match column names with the usual ones; ``options.columns`` overrides, an empty name forbids."""
        present = tuple(n for n in names if n != RECORD)
        for role, column in options.columns.items():
            if role not in GUESSES:
                raise InputError(f"unknown column role {role!r}; known: {', '.join(GUESSES)}")
            for name in listed(column, present) if role in ("winner", "outcome") else [column]:
                if name and name not in present:
                    raise InputError(f"there is no column {name!r} for {role!r}; present: {', '.join(present)}")
        plain = {plain_name(n): n for n in reversed(present)}
        # A column that was given a role by name is not guessed to have another one.
        plain = {guess: n for guess, n in plain.items() if n not in options.columns.values()}
        guessed = {role: plain[g] for role, guesses in GUESSES.items() for g in reversed(guesses) if g in plain}
        for role in (
            other for named, column in options.columns.items() if column for other in INSTEAD_OF.get(named, ())
        ):
            guessed.pop(role, None)
        return cls({role: c for role, c in {**guessed, **options.columns}.items() if c}, present)

    def without(self, *roles: str) -> Roles:
        """The same columns, with no column in some roles."""
        return Roles({role: column for role, column in self.column.items() if role not in roles}, self.present)

    def filled(self, frame: pl.DataFrame, options: ReadOptions) -> Roles:
        """Where a column of a usual name names nothing, the next one of a usual name for its role that does."""
        column = dict(self.column)
        plain = {plain_name(n): n for n in reversed(self.present)}
        for role in (role for role in REPLACED if role in column and role not in options.columns):
            if _names_nothing(frame, column[role]):
                others = [plain[guess] for guess in GUESSES[role] if guess in plain]
                free = [c for c in others if c not in column.values() and c not in options.columns.values()]
                column[role] = next((c for c in free if not _names_nothing(frame, c)), column[role])
        return Roles(column, self.present)

    def has(self, *roles: str) -> bool:
        return all(role in self.column for role in roles)

    def __getitem__(self, role: str) -> str:
        return self.column[role]


def listed(columns: str, present: tuple[str, ...]) -> list[str]:
    """One column, or several with commas between them."""
    return [columns] if columns in present else [name.strip() for name in columns.split(",")]


@dataclass
class Sieve:
    """A frame that loses rows check by check: ``dropped`` says which and why, ``notes`` what else is to be said."""

    frame: pl.DataFrame
    dropped: list[Dropped] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    #: How many answers a record of the file holds.
    answers: int = 1
    #: What the columns were taken for, and how many outputs several systems shared.
    columns: list[ColumnUse] = field(default_factory=list)
    shared: int = 0
    #: Whether it is known which judgments belong to one ranking (`palmares.ingest.ids`).
    settled: bool = False

    @classmethod
    def start(cls, frame: pl.DataFrame, roles: Roles, options: ReadOptions, **text: str) -> Sieve:
        """Records with their context (segment, judge, …) and the columns ``text`` asks for, trimmed.

        Values that cannot be read (a weight that is no number) are rejected. A word for no value is no system; only
        in columns whose label begins with ``_``, which hold something else, is it a word like any other.
        """
        context = Context(frame, roles, options)
        known = context.known
        valued = [role for role in VALUE_COLUMNS if role in known]
        columns = {RECORD: frame[RECORD], **known}
        for label, column in text.items():
            role = next((r for r, c in roles.column.items() if c == column), label)
            values = name_values(frame, column, role)
            if label in ("system_a", "system_b", "system") and role not in options.columns and are_texts(values):
                first = next(text for text in values if text)
                raise InputError(
                    f"column {column!r} holds texts ({first[:30]!r} …), not the names of systems; name the column that "
                    f"says whose they are: --column {role}=NAME (columns={{{role!r}: 'NAME'}} from Python)"
                )
            columns[label] = values if label.startswith("_") else without(values, NO_VALUE)
        columns |= {f"_given_{role}": _given(frame, roles[role]) for role in valued}
        sieve = cls(pl.DataFrame(columns), notes=context.notes, columns=context.uses(text))
        for role in valued:
            sieve._reject_unread(role)
        if "weight" in valued:
            sieve.reject(pl.col("weight").is_null(), "the weight is missing; " + _TO_IGNORE.format("weight"))
        return sieve

    def reject(self, bad: pl.Expr, reason: str | pl.Expr, *, kind: DropKind = "fault") -> None:
        """Take out the rows where ``bad`` holds (null counts as false)."""
        text = pl.lit(reason) if isinstance(reason, str) else reason
        mask = self.frame.select(bad.fill_null(False)).to_series()
        if mask.any():
            lost = self.frame.filter(mask).select(RECORD, text.alias("reason"))
            self.dropped += [Dropped(record, why, kind) for record, why in lost.iter_rows()]
            self.frame = self.frame.filter(~mask)

    def rows(self) -> pl.DataFrame:
        """What is left, with the columns that `Judgments.from_rows` takes."""
        wanted = {"system_a", "system_b", "outcome", *NAME_COLUMNS, *VALUE_COLUMNS}
        return self.frame.select(c for c in self.frame.columns if c in wanted or c.startswith(EXTRA_PREFIX))

    def _reject_unread(self, role: str) -> None:
        unread = pl.col(f"_given_{role}").is_not_null() & pl.col(role).is_null()
        weights = "a number from 1e-6 to 1e9"
        allowed = {"weight": weights, "time": "ISO 8601 or seconds since 1970"}
        allowed |= dict.fromkeys(("position_a", "position_b"), "a whole number") | {"forced": "true, false"}
        fault = f"{role} {{}} cannot be read; allowed: {allowed.get(role, 'a number')}; "
        remedy = _TO_IGNORE.format(role)
        self.reject(unread, pl.concat_str(pl.format(fault, quoted(f"_given_{role}")), pl.lit(remedy)))


def plain_name(column: str) -> str:
    """The name of a column in small letters and figures only."""
    return "".join(filter(str.isalnum, column.lower()))


def quoted(column: str) -> pl.Expr:
    """A value as a message shows it: quoted, on one line, and cut if it is long."""
    text = pl.col(column).fill_null("").str.slice(0, 40).str.replace_all(r"[\r\n]", " ")
    return pl.concat_str(pl.lit("'"), text, pl.lit("'"))


def name_values(frame: pl.DataFrame, column: str, role: str = "") -> pl.Series:
    """A column as trimmed text, null where it is empty; whole floats (a pandas habit) lose their ``.0``.

    Parameters
    ----------
    role
        What the column is read for, as an error says it.
    """
    values = frame[column]
    if values.dtype.is_nested() or values.dtype == pl.Object:
        role = role or "ROLE"
        none = f", or none with --column {role}=" if role in CONTEXT_ROLES else ""
        raise InputError(
            f"column {column!r} holds lists or objects, not names; say which column to use with --column {role}=NAME "
            f"(columns={{{role!r}: 'NAME'}} from Python){none}"
        )
    if values.dtype.is_float():
        values = values.fill_nan(None)
        whole = (values == values.round(0)) & (values.abs() < EXACT)
        if whole.fill_null(True).all():
            values = values.cast(pl.Int64)
    text = as_text(values).str.strip_chars()
    return pl.select(pl.when(text != "").then(text)).to_series()


def _names_nothing(frame: pl.DataFrame, column: str) -> bool:
    """Whether a column has only empty values and words for none."""
    if frame[column].dtype.is_nested() or frame[column].dtype == pl.Object:
        return False
    # Nearly always the first values tell.
    return all(
        bool(without(name_values(part, column), UNKNOWN).is_null().all()) for part in (frame.head(_LOOKED_AT), frame)
    )


class Context:
    """Everything that the frame has about a judgment but its systems and outcome: ``known``, column by column.

    ``notes`` is what a result should say of it.
    """

    def __init__(self, frame: pl.DataFrame, roles: Roles, options: ReadOptions) -> None:
        self.frame, self.roles, self.options = frame, roles.filled(frame, options), options
        self.notes: list[str] = []
        self._remarks: dict[str, str] = {}  # by column
        for role in (role for role in REPLACED if roles.has(role) and roles[role] != self.roles[role]):
            self._instead(roles[role], role, repr(self.roles[role]))
        self.known = self._names() | self._values() | self._covariates()

    def _instead(self, column: str, role: str, others: str) -> None:
        self._remarks[column] = "names nothing"
        self.notes.append(f"column {column!r} names nothing: the {role} is read from {others}")

    def _names(self) -> dict[str, pl.Series]:
        known = {r: self._known_names(r) for r in ("segment", "judge", "ranking") if self.roles.has(r)}
        pairs = self._lang_pairs()
        if pairs is not None and pairs.null_count() < len(pairs):
            known["lang_pair"] = pairs
        if self.roles.has("document"):
            self._name_by_document(known)
        return known

    def _lang_pairs(self) -> pl.Series | None:
        both = self.roles.has("source_lang", "target_lang")
        if self.roles.has("lang_pair"):
            pairs = self._known_names("lang_pair")
            if pairs.null_count() < len(pairs) or not both or "lang_pair" in self.options.columns:
                return pairs
            self._instead(self.roles["lang_pair"], "lang_pair", "the columns of both languages")
            self.roles = self.roles.without("lang_pair")
        if both:
            languages = [self._known_names(r) for r in ("source_lang", "target_lang")]
            return pl.select(pl.concat_str(languages, separator="-")).to_series()
        for role in (r for r in ("source_lang", "target_lang") if self.roles.has(r) and self.why(r) != "guessed"):
            column = self.roles[role]
            number = self._known_names(role).drop_nulls().n_unique()
            if number > 1:
                self.notes.append(
                    f"column {column!r} has {number} languages, which are one result together, since only one language "
                    f"of each pair is known; --column lang_pair={column} takes them apart"
                )
        return None

    def _name_by_document(self, known: dict[str, pl.Series]) -> None:
        """Put the document in front of segments that are numbered within it: the same number is there in several."""
        column = self.roles["document"]
        if "segment" not in known or column == self.roles["segment"]:
            self.roles = self.roles.without("document")
            return
        parts = {"document": without(name_values(self.frame, column, "document"), UNKNOWN), "segment": known["segment"]}
        of_a_segment = ["lang_pair", "segment"] if "lang_pair" in known else ["segment"]
        rows = pl.DataFrame(parts | {name: known[name] for name in of_a_segment})
        several = rows.drop_nulls(["document", "segment"]).group_by(of_a_segment).agg(pl.col("document").n_unique())
        if several.filter(pl.col("document") > 1).is_empty():
            self._remarks[column] = "every segment is in one document, so its name is enough"
            return
        if "segment" in self.options.columns and "document" not in self.options.columns:
            self._remarks[column] = "not taken, since the segment was named"
            self.notes.append(
                f"the same segment is in several documents: if they number their own segments, --column "
                f"document={column} tells them apart"
            )
            return
        self._remarks[column] = f"segments are numbered within each {column}, so both together name a segment"
        self.notes.append(self._remarks[column])
        known["segment"] = _together(rows.select("document", "segment"))

    def _known_names(self, role: str) -> pl.Series:
        """The names of a column that names something, with a remark where it has words for nothing."""
        column = self.roles[role]
        given = name_values(self.frame, column, role)
        most = min(_MOST_LANGUAGES, max(_FEW_LANGUAGES, len(given) // 4))
        if role in _LANGUAGE_ROLES and self.why(role) == "guessed" and given.n_unique() > most:
            self._remarks[column] = f"not taken for {role}: {given.n_unique()} different values are no languages"
            return given.clear().extend_constant(None, len(given))
        names = without(given, UNKNOWN)
        nothing = given.filter(given.is_not_null() & names.is_null())
        words = ", ".join(map(repr, nothing.unique().sort().head(3)))
        if names.null_count() == len(names) and self.why(role) == "named":
            raise InputError(f"--column {role}={column}: it has only {words or 'empty values'}, which name nothing")
        if len(nothing):
            if names.null_count() == len(names):
                self._remarks[column] = f"has only {words}, which names nothing"
            else:
                self._remarks[column] = f"{len(nothing)} of {len(given)} records have {words}, which is no {role}"
                self.notes.append(f"column {column!r}: {self._remarks[column]}")
        return names

    def _values(self) -> dict[str, pl.Series]:
        """Numbers and times; a column of weights that has none is not there."""
        known = {}
        for role in VALUE_COLUMNS:
            if self.roles.has(role):
                column = self.roles[role]
                given = without(name_values(self.frame, column), NO_VALUE) if role == "weight" else None
                if given is not None and given.null_count() == len(given):
                    self._remarks[column] = "is empty"
                    continue
                if role == "time":
                    known[role] = self._moments(column)
                elif role == "forced":
                    known[role] = marks(name_values(self.frame, column, role))
                else:
                    known[role] = numbers(name_values(self.frame, column, role), role)
        return known

    def _moments(self, column: str) -> pl.Series:
        values = self.frame[column]
        if values.dtype in (pl.Date, pl.Datetime):
            return naive_utc(values)
        return times(name_values(self.frame, column, "time"))

    def _covariates(self) -> dict[str, pl.Series]:
        present = self.roles.present
        for name in self.options.extra:
            if name not in present:
                raise InputError(f"there is no column {name!r} to keep; present: {', '.join(present)}")
        kept = {EXTRA_PREFIX + name: name for name in self.options.extra}
        kept |= {name: name for name in present if name.startswith(EXTRA_PREFIX)}
        return {stored: self.frame[name] for stored, name in kept.items()}

    def why(self, role: str) -> Literal["named", "usual", "guessed"]:
        """Why the column of a role has it."""
        column = self.roles[role]
        if self.options.columns.get(role) == column:
            return "named"
        return "guessed" if plain_name(column) in LOOSE.get(role, ()) else "usual"

    def uses(self, text: Mapping[str, str]) -> list[ColumnUse]:
        """What every column was taken for, those first that ``text`` asks for; the unused ones last."""
        roles, unused = self.roles, {column for column, remark in self._remarks.items() if remark.startswith("not ")}
        of_column = {c: r for r, c in roles.column.items() if r not in CONTEXT_ROLES}
        taken = [(of_column.get(column, label.strip("_")), column) for label, column in text.items()]
        taken += [(r, roles[r]) for r in (*NAME_ROLES, *VALUE_COLUMNS) if roles.has(r) and roles[r] not in unused]
        if roles.has("lang_pair"):
            taken = [(r, c) for r, c in taken if r not in ("source_lang", "target_lang")]
        uses = [self._use(role, c, self.why(role) if roles.column.get(role) == c else "usual") for role, c in taken]
        uses += [self._use("covariate", name, "named") for name in self.options.extra]
        used = {use.column for use in uses}
        rest = [c for c in roles.present if c not in used]
        kept = [self._use("covariate", c, "usual") for c in rest if c.startswith(EXTRA_PREFIX)]
        idle = [c for c in rest if not c.startswith(EXTRA_PREFIX)]
        if "system_a" in text and "weight" not in self.options.columns and "weight" not in self.known:
            self.notes += [
                f"column {c!r} looks like counts, but every record counts once; --column weight={c} weights them"
                for c in idle
                if plain_name(c) in COUNTS and are_counts(self.frame[c])
            ]
        return uses + kept + [self._use("", c, "not used") for c in idle]

    def _use(self, role: str, column: str, why: Literal["named", "usual", "guessed", "not used"]) -> ColumnUse:
        return ColumnUse(role, column, why, _examples(self.frame[column]), self._remarks.get(column, ""))


def _together(parts: pl.DataFrame) -> pl.Series:
    """Document and segment as one name, with a sign between them that leaves different ones different."""
    both = pl.col("document").is_not_null() & pl.col("segment").is_not_null()
    known = parts.drop_nulls("segment")
    for sign in ("/", ":", " / ", " : ", "/ /"):
        name = pl.when(both).then(pl.concat_str("document", "segment", separator=sign)).otherwise("segment")
        if known.select(name).n_unique() == known.n_unique():
            break
    return parts.select(name.alias("segment")).to_series()


def _examples(values: pl.Series) -> tuple[str, ...]:
    """The first few different values, from the top of the file."""
    if values.dtype.is_nested() or values.dtype == pl.Object:
        return ()
    looked_at = values.head(_LOOKED_AT)
    if looked_at.dtype in (pl.Date, pl.Datetime):
        looked_at = naive_utc(looked_at)
    shown = dict.fromkeys(str(value).strip() for value in looked_at.drop_nulls())
    return tuple(islice((text for text in shown if text), _EXAMPLES))


def _given(frame: pl.DataFrame, column: str) -> pl.Series:
    """The values of a column as a message can show them."""
    if frame[column].dtype.is_temporal():  # as text, a time outside the calendar would be a panic
        return pl.select(pl.when(frame[column].is_not_null()).then(pl.lit("of another calendar"))).to_series()
    return without(name_values(frame, column), NO_VALUE)
