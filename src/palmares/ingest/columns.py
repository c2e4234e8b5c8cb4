"""From the columns a file happens to have to the roles a judgment needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

import polars as pl

from ..errors import InputError
from ..judgments import EXTRA_PREFIX, VALUE_COLUMNS
from ..judgments.encoding import EXACT, as_text, naive_utc
from .base import RECORD, ReadOptions

#: For every role the usual column names, best first, in the form `_plain_name` gives.
GUESSES: Mapping[str, tuple[str, ...]] = {
    "system_a": ("systema", "modela", "left", "system1", "system1id", "model1", "modelx", "systemleft", "itema", "a"),
    "system_b": ("systemb", "modelb", "right", "system2", "system2id", "model2", "modely", "systemright", "itemb", "b"),
    "outcome": ("outcome",),
    "winner": ("winner", "winnermodel", "preference", "preferred", "vote", "verdict", "judgment", "label", "result"),
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
        "userid", "evaluator", "assessor",
    ),
    "ranking": ("ranking", "rankingid", "hit", "hitid", "taskid", "screen"),
    "weight": ("weight", "weights"),
    "position_a": ("positiona",),
    "position_b": ("positionb",),
    "time": ("time", "timestamp", "tstamp", "createdat", "date", "endtime"),
    "duration": ("duration", "seconds", "elapsed", "timetaken"),
}  # fmt: skip


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
            if column and column not in present:
                raise InputError(f"there is no column {column!r} for {role!r}; present: {', '.join(present)}")
        plain = {_plain_name(n): n for n in reversed(present)}
        # A column that was given a role by name is not guessed to have another one.
        plain = {guess: n for guess, n in plain.items() if n not in options.columns.values()}
        found = {role: plain[g] for role, guesses in GUESSES.items() for g in reversed(guesses) if g in plain}
        return cls({role: c for role, c in {**found, **options.columns}.items() if c}, present)

    def has(self, *roles: str) -> bool:
        return all(role in self.column for role in roles)

    def __getitem__(self, role: str) -> str:
        return self.column[role]


def _plain_name(column: str) -> str:
    return "".join(ch for ch in column.lower() if ch.isalnum())


def name_values(frame: pl.DataFrame, column: str) -> pl.Series:
    """A column as trimmed text, null where it is empty; whole floats (a pandas habit) lose their ``.0``."""
    values = frame[column]
    if values.dtype.is_nested() or values.dtype == pl.Object:
        raise InputError(
            f"column {column!r} holds lists or objects, not names; say which column to use, e.g. "
            "--column chosen=chosen_model (columns={'chosen': 'chosen_model'} from Python)"
        )
    if values.dtype.is_float():
        values = _without_point(values.fill_nan(None))
    text = as_text(values).str.strip_chars()
    return pl.select(pl.when(text != "").then(text)).to_series()


def _without_point(values: pl.Series) -> pl.Series:
    whole = (values == values.round(0)) & (values.abs() < EXACT)
    return values.cast(pl.Int64) if bool(whole.fill_null(True).all()) else values


def context(frame: pl.DataFrame, roles: Roles, options: ReadOptions) -> dict[str, pl.Series]:
    """Everything about a judgment but its systems and outcome, where the frame has it."""
    found = {r: name_values(frame, roles[r]) for r in ("segment", "judge", "ranking") if roles.has(r)}
    if roles.has("lang_pair"):
        found["lang_pair"] = name_values(frame, roles["lang_pair"])
    elif roles.has("source_lang", "target_lang"):
        pair = [name_values(frame, roles[r]) for r in ("source_lang", "target_lang")]
        found["lang_pair"] = pl.select(pl.concat_str(pair, separator="-")).to_series()
    for role in VALUE_COLUMNS:
        if roles.has(role):
            column = roles[role]
            found[role] = times(frame[column]) if role == "time" else _number(frame, column, role)
    for name in options.extra:
        if name not in roles.present:
            raise InputError(f"there is no column {name!r} to keep; present: {', '.join(roles.present)}")
        found[EXTRA_PREFIX + name] = frame[name]
    for name in roles.present:
        if name.startswith(EXTRA_PREFIX):
            found[name] = frame[name]
    return found


def _number(frame: pl.DataFrame, column: str, role: str) -> pl.Series:
    """Finite numbers; null where a value is none, or none that the role allows."""
    number = name_values(frame, column).cast(pl.Float64, strict=False)
    good = number.is_finite()
    if role == "weight":
        good &= number > 0
    elif VALUE_COLUMNS[role].is_integer():
        good &= (number == number.round(0)) & (number.abs() < 2**31)
    return pl.select(pl.when(good).then(number)).to_series()


def times(column: pl.Series) -> pl.Series:
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


#: Seconds beyond this (the year 5138) are milliseconds, as JavaScript counts.
_MILLISECONDS = 1e11


def _iso_times(text: pl.Series) -> pl.Series:
    """The usual form at once; other forms of ISO 8601, with time zones, one by one."""
    usual = text.str.replace(" ", "T", literal=True)
    found = usual.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f", time_unit="us", strict=False)
    rest = text.filter(found.is_null() & text.is_not_null()).unique()
    slow = [_iso_time(value) for value in rest]
    if not any(slow):
        return naive_utc(found)
    read = text.replace_strict(rest, pl.Series(slow, dtype=pl.Datetime("us")), default=None)
    return naive_utc(pl.select(pl.coalesce(found, read)).to_series())


def given(frame: pl.DataFrame, column: str) -> pl.Series:
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
