"""From the columns a file happens to have to checked rows of judgments.

`Roles` says which column means what; a `Sieve` checks whole columns, keeps the good rows and remembers the bad ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

import polars as pl

from ..errors import InputError
from ..judgments import EXTRA_PREFIX, NAME_COLUMNS, VALUE_COLUMNS
from ..judgments.encoding import EXACT, as_text, naive_utc
from .base import RECORD, DropKind, Dropped, ReadOptions

#: For every role the usual column names, best first, in small letters and figures only.
GUESSES: Mapping[str, tuple[str, ...]] = {
    "system_a": ("systema", "modela", "left", "system1", "system1id", "model1", "modelx", "systemleft", "itema", "a"),
    "system_b": ("systemb", "modelb", "right", "system2", "system2id", "model2", "modely", "systemright", "itemb", "b"),
    "outcome": ("outcome",),
    "winner": ("winner", "winnermodel", "preference", "preferred", "vote", "verdict", "judgment", "label", "result"),
    "winner_a": ("winnermodela", "winnersystema", "winnera", "awins", "awin", "awon", "modelawins", "winnerleft"),
    "winner_b": ("winnermodelb", "winnersystemb", "winnerb", "bwins", "bwin", "bwon", "modelbwins", "winnerright"),
    "winner_tie": ("winnertie", "tie", "ties", "tied", "istie", "draw"),
    "winner_both_bad": ("winnerbothbad", "winnertiebothbad", "bothbad", "tiebothbad"),
    "loser": ("loser", "losermodel"),
    "rank_a": ("ranka", "system1rank", "rank1"),
    "rank_b": ("rankb", "system2rank", "rank2"),
    "chosen": ("chosenmodel", "chosensystem", "chosen"),
    "rejected": ("rejectedmodel", "rejectedsystem", "rejected"),
    "system": ("system", "systemid", "systemname", "model", "modelid", "mtsystem", "sys"),
    "score": ("score", "rating", "da", "esa", "likert", "grade", "rawscore", "value"),
    "lang_pair": ("langpair", "languagepair", "lp", "langs", "direction"),
    "source_lang": ("srclang", "sourcelang", "sourcelanguage", "src"),
    "target_lang": ("trglang", "tgtlang", "targetlang", "targetlanguage", "trg", "tgt"),
    "segment": (
        "segment", "segmentid", "segid", "srcindex", "sentenceid", "itemid", "item", "questionid", "promptid", "prompt",
        "instanceid", "docid",
    ),
    "judge": (
        "judge", "judgeid", "annotator", "annotatorid", "worker", "workerid", "rater", "raterid", "user", "username",
        "userid", "evaluator", "assessor", "evaluationsessionid",
    ),
    "ranking": ("ranking", "rankingid", "hit", "hitid", "taskid", "screen"),
    "weight": ("weight", "weights"),
    "position_a": ("positiona",),
    "position_b": ("positionb",),
    "time": ("time", "timestamp", "tstamp", "createdat", "date", "endtime"),
    "duration": ("duration", "seconds", "elapsed", "timetaken"),
}  # fmt: skip


_TO_IGNORE = "correct it, or ignore the column with --column {0}= (columns={{{0!r}: ''}} from Python)"
#: Seconds beyond this (the year 5138) are milliseconds, as JavaScript counts.
_MILLISECONDS = 1e11


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
        plain = {"".join(filter(str.isalnum, n.lower())): n for n in reversed(present)}
        # A column that was given a role by name is not guessed to have another one.
        plain = {guess: n for guess, n in plain.items() if n not in options.columns.values()}
        guessed = {role: plain[g] for role, guesses in GUESSES.items() for g in reversed(guesses) if g in plain}
        return cls({role: c for role, c in {**guessed, **options.columns}.items() if c}, present)

    def without(self, *roles: str) -> Roles:
        """The same columns, with no column in some roles."""
        return Roles({role: column for role, column in self.column.items() if role not in roles}, self.present)

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

    @classmethod
    def start(cls, frame: pl.DataFrame, roles: Roles, options: ReadOptions, **text: str) -> Sieve:
        """Records with their context (segment, judge, …) and the columns ``text`` asks for, trimmed.

        Values that cannot be read (a weight that is no number) are rejected.
        """
        known = _context(frame, roles, options)
        valued = [role for role in VALUE_COLUMNS if role in known]
        columns = {RECORD: frame[RECORD], **known}
        columns |= {name: name_values(frame, column) for name, column in text.items()}
        columns |= {f"_given_{role}": _given(frame, roles[role]) for role in valued}
        sieve = cls(pl.DataFrame(columns))
        for role in valued:
            sieve._reject_unread(role)
        if "weight" in valued:
            sieve.frame = sieve.frame.with_columns(pl.col("weight").fill_null(1.0))
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
        allowed = {"weight": "a number above 0", "time": "ISO 8601 or seconds since 1970"}
        allowed |= dict.fromkeys(("position_a", "position_b"), "a whole number")
        fault = f"{role} {{}} cannot be read; allowed: {allowed.get(role, 'a number')}; "
        remedy = _TO_IGNORE.format(role)
        self.reject(unread, pl.concat_str(pl.format(fault, quoted(f"_given_{role}")), pl.lit(remedy)))


def quoted(column: str) -> pl.Expr:
    """A value as a message shows it: quoted, on one line, and cut if it is long."""
    text = pl.col(column).fill_null("").str.slice(0, 40).str.replace_all(r"[\r\n]", " ")
    return pl.concat_str(pl.lit("'"), text, pl.lit("'"))


def name_values(frame: pl.DataFrame, column: str) -> pl.Series:
    """A column as trimmed text, null where it is empty; whole floats (a pandas habit) lose their ``.0``."""
    values = frame[column]
    if values.dtype.is_nested() or values.dtype == pl.Object:
        raise InputError(
            f"column {column!r} holds lists or objects, not names; say which column to use, e.g. "
            "--column chosen=chosen_model (columns={'chosen': 'chosen_model'} from Python)"
        )
    if values.dtype.is_float():
        values = values.fill_nan(None)
        whole = (values == values.round(0)) & (values.abs() < EXACT)
        if whole.fill_null(True).all():
            values = values.cast(pl.Int64)
    text = as_text(values).str.strip_chars()
    return pl.select(pl.when(text != "").then(text)).to_series()


def _context(frame: pl.DataFrame, roles: Roles, options: ReadOptions) -> dict[str, pl.Series]:
    """Everything about a judgment but its systems and outcome, where the frame has it."""
    known = {r: name_values(frame, roles[r]) for r in ("segment", "judge", "ranking") if roles.has(r)}
    if roles.has("lang_pair"):
        known["lang_pair"] = name_values(frame, roles["lang_pair"])
    elif roles.has("source_lang", "target_lang"):
        pair = [name_values(frame, roles[r]) for r in ("source_lang", "target_lang")]
        known["lang_pair"] = pl.select(pl.concat_str(pair, separator="-")).to_series()
    for role in VALUE_COLUMNS:
        if roles.has(role):
            column = roles[role]
            known[role] = _times(frame[column]) if role == "time" else _number(frame, column, role)
    for name in options.extra:
        if name not in roles.present:
            raise InputError(f"there is no column {name!r} to keep; present: {', '.join(roles.present)}")
        known[EXTRA_PREFIX + name] = frame[name]
    for name in roles.present:
        if name.startswith(EXTRA_PREFIX):
            known[name] = frame[name]
    return known


def _number(frame: pl.DataFrame, column: str, role: str) -> pl.Series:
    """Finite numbers; null where a value is none, or none that the role allows."""
    number = name_values(frame, column).cast(pl.Float64, strict=False)
    good = number.is_finite()
    if role == "weight":
        good &= number > 0
    elif VALUE_COLUMNS[role].is_integer():
        good &= (number == number.round(0)) & (number.abs() < 2**31)
    return pl.select(pl.when(good).then(number)).to_series()


def _times(column: pl.Series) -> pl.Series:
    """Times as they come: date-time values, seconds since 1970, or ISO 8601 text; others become null."""
    if column.dtype in (pl.Date, pl.Datetime):
        return naive_utc(column)
    text = name_values(pl.DataFrame({"time": column}), "time")
    seconds = text.cast(pl.Float64, strict=False)
    if seconds.null_count() > text.null_count():
        return _iso_times(text)
    if bool((seconds > _MILLISECONDS).all()):
        seconds = seconds / 1000
    moments = (seconds * 1e6).round(0).cast(pl.Int64, strict=False)
    return naive_utc(moments.cast(pl.Datetime("us")))


def _iso_times(text: pl.Series) -> pl.Series:
    """The usual form at once; other forms of ISO 8601, with time zones, one by one."""
    usual = text.str.replace(" ", "T", literal=True)
    times = usual.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f", time_unit="us", strict=False)
    rest = text.filter(times.is_null() & text.is_not_null()).unique()
    slow = [_iso_time(value) for value in rest]
    if not any(slow):
        return naive_utc(times)
    read = text.replace_strict(rest, pl.Series(slow, dtype=pl.Datetime("us")), default=None)
    return naive_utc(pl.select(pl.coalesce(times, read)).to_series())


def _given(frame: pl.DataFrame, column: str) -> pl.Series:
    """The values of a column as a message can show them."""
    if frame[column].dtype.is_temporal():  # as text, a time outside the calendar would be a panic
        return pl.select(pl.when(frame[column].is_not_null()).then(pl.lit("of another calendar"))).to_series()
    return name_values(frame, column)


def _iso_time(text: str) -> datetime | None:
    try:
        time = datetime.fromisoformat(text)
        return time if time.tzinfo is None else time.astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        return None
