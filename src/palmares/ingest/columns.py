"""From the columns a file happens to have to the roles a judgment needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from ..errors import InputError
from ..judgments import EXTRA_PREFIX, VALUE_COLUMNS
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
        """Match column names with the usual ones; ``options.columns`` overrides."""
        present = tuple(n for n in names if n != RECORD)
        for role, column in options.columns.items():
            if role not in GUESSES:
                raise InputError(f"unknown column role {role!r}; known: {', '.join(GUESSES)}")
            if column not in present:
                raise InputError(f"there is no column {column!r} for {role!r}; present: {', '.join(present)}")
        plain = {_plain_name(n): n for n in reversed(present)}
        found = {role: plain[g] for role, guesses in GUESSES.items() for g in reversed(guesses) if g in plain}
        return cls({**found, **options.columns}, present)

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
        values = values.fill_nan(None)
        if bool((values.drop_nulls() == values.drop_nulls().round(0)).all()):
            values = values.cast(pl.Int64, strict=False)
    text = values.cast(pl.String).str.strip_chars()
    return pl.select(pl.when(text != "").then(text)).to_series()


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
            found[role] = times(frame[roles[role]]) if role == "time" else _numbers(frame, roles[role])
    for name in options.extra:
        if name not in roles.present:
            raise InputError(f"there is no column {name!r} to keep; present: {', '.join(roles.present)}")
        found[EXTRA_PREFIX + name] = frame[name]
    for name in roles.present:
        if name.startswith(EXTRA_PREFIX):
            found[name] = frame[name]
    return found


def _numbers(frame: pl.DataFrame, column: str) -> pl.Series:
    return name_values(frame, column).cast(pl.Float64, strict=False)


def times(column: pl.Series) -> pl.Series:
    """Times as they come: date-time values, seconds since 1970, or ISO 8601 text; others become null."""
    kind = pl.Datetime("us")
    if column.dtype.is_temporal():
        plain = column.dt.convert_time_zone("UTC").dt.replace_time_zone(None) if _zoned(column) else column
        return plain.cast(kind, strict=False)
    seconds = column.cast(pl.Float64, strict=False)
    if seconds.null_count() > column.null_count():
        utc = column.cast(pl.String).str.to_datetime(time_unit="us", time_zone="UTC", strict=False)
        return utc.dt.replace_time_zone(None)
    return (seconds * 1e6).cast(pl.Int64, strict=False).cast(kind)


def _zoned(column: pl.Series) -> bool:
    return isinstance(column.dtype, pl.Datetime) and column.dtype.time_zone is not None
