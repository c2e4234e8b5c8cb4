"""One judgment per record: the generic table, LLM-arena votes, and chosen / rejected pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

import polars as pl

from ..errors import InputError, LossyWriteError
from ..judgments import EXTRA_PREFIX, Judgments
from . import tables
from .answers import ONE_HOT, judge_columns, one_hot_columns, rater_columns, read_one_hot, refuse_judge, spread
from .base import MOST_DROPPED, RECORD, Feature, ReadOptions
from .columns import CONTEXT_ROLES, Roles, Sieve, listed, quoted
from .ids import as_written
from .outcomes import COPIES, WRITTEN, is_read_as, read_outcomes, refuse_settings
from .places import refuse_other_places
from .tables import TableFormat

#: Columns that say which system is better, and those that say where each was shown.
_ANSWER_ROLES = frozenset(("outcome", "winner", *ONE_HOT))
_POSITION_ROLES = ("position_a", "position_b")
#: What marks a tie of systems that shared an output.
_FORCED = "forced"
_EVERYTHING: frozenset[Feature] = frozenset(
    ("lang_pair", "segment", "judge", "ranking", "weight", "position", "time", "duration", "extra", "forced")
)
#: Words for a, b and a tie; the first that cannot be taken for names of systems are written, words for places last.
_VOCABULARIES = (("a", "b", "tie"), (">", "<", "="), ("[[A]]", "[[B]]", "[[C]]"), ("left", "right", "tie"))

#: Where a table has its outcomes: in one column, in one for every outcome or every rater, or in two ranks.
_Place = Literal["outcome", "winner", "one-hot", "ranks", "raters"]
_PLACES: Mapping[_Place, tuple[str, ...]] = {
    "outcome": ("outcome",),
    "winner": ("winner",),
    "one-hot": ("winner_a", "winner_b"),
    "ranks": ("rank_a", "rank_b"),
}
#: What else belongs to a place.
_MORE: Mapping[_Place, tuple[str, ...]] = {"one-hot": tuple(ONE_HOT), "raters": ("outcome", "winner")}


#: The extra column in which a campaign has what was said of two outputs besides their ranks, and its only value so far.
VERDICT, BOTH_BAD = f"{EXTRA_PREFIX}verdict", "both-bad"


class Pairwise(TableFormat):
    """The generic table: two systems and an outcome, a winner, a winner and a loser, or two ranks."""

    id = "pairwise"
    holds = _EVERYTHING
    rebuilds = True
    roles = (
        CONTEXT_ROLES | _ANSWER_ROLES | {"system_a", "system_b", "loser", "rank_a", "rank_b", *_POSITION_ROLES, _FORCED}
    )

    def matches(self, roles: Roles) -> bool:
        return (roles.has("system_a", "system_b") and bool(_places(roles))) or roles.has("winner", "loser")

    def sift(self, frame: pl.DataFrame, roles: Roles, options: ReadOptions) -> Sieve:
        if not self.matches(roles):
            raise InputError(_need(roles, "system_a and system_b with an outcome, a winner or two ranks"))
        if not roles.has("system_a", "system_b"):
            refuse_settings(options, "a winner and a loser are named")
            if roles["winner"] not in roles.present:
                raise InputError(_need(roles, "system_a and system_b if the winner is in several columns"))
            return _chosen_over(frame, roles, options, "winner", "loser")
        return _judged(frame, roles, options)

    def write(self, judgments: Judgments, ending: str) -> bytes:
        return _to_bytes(as_written(judgments.to_rows()), ending)

    def write_empty(self, rows: pl.DataFrame, ending: str) -> bytes:
        return _to_bytes(rows, ending)


def _to_bytes(rows: pl.DataFrame, ending: str) -> bytes:
    front = ["lang_pair", "segment", "judge", "ranking", "system_a", "system_b", "outcome"]
    named = rows.with_columns(_as_words(rows, _VOCABULARIES))
    order = [c for c in front if c in rows.columns] + [c for c in rows.columns if c not in front]
    return tables.to_bytes(named.select(order), ending)


class Arena(TableFormat):
    """LLM-arena votes: ``model_a``, ``model_b``, ``winner``; model_a was shown first."""

    id = "arena"
    holds = _EVERYTHING
    implies = frozenset(("position",))
    endings = ("jsonl", "csv", "parquet")
    roles = CONTEXT_ROLES | _ANSWER_ROLES | {_FORCED}

    def matches(self, roles: Roles) -> bool:
        return self._has_models(roles) and bool({"winner", "winner_model_a"} & set(roles.present))

    def sift(self, frame: pl.DataFrame, roles: Roles, options: ReadOptions) -> Sieve:
        if not self._has_models(roles):
            raise InputError(
                f"arena votes need the columns model_a, model_b and winner, and it has {', '.join(roles.present)}; "
                "any other table of pairs is read with --from pairwise (format='pairwise' from Python)"
            )
        unnamed = () if options.columns.get("outcome") else ("outcome",)
        sieve = _judged(frame, roles.without("position_a", "position_b", *unnamed), options)
        if roles.column.get("judge") == _SESSION and options.columns.get("judge") != _SESSION:
            sieve.notes.append(f"column {_SESSION!r}: every session is taken for a judge; one user may have several")
        shown = [pl.lit(1, pl.Int32).alias("position_a"), pl.lit(2, pl.Int32).alias("position_b")]
        sieve.frame = sieve.frame.with_columns(shown)
        return sieve

    def _has_models(self, roles: Roles) -> bool:
        models = [roles.column.get(role) for role in ("system_a", "system_b")]
        return models == ["model_a", "model_b"] and bool(_places(roles))

    def write(self, judgments: Judgments, ending: str) -> bytes:
        rows = judgments.to_rows()
        first = _shown_first(rows)
        names = {"segment": "question_id", "time": "timestamp"}
        of_the_pair = ("system_a", "system_b", "outcome", "position_a", "position_b")
        sides = rows.select(
            pl.when(first).then("system_a").otherwise("system_b").alias("system_a"),
            pl.when(first).then("system_b").otherwise("system_a").alias("system_b"),
            pl.when(first).then("outcome").otherwise(-pl.col("outcome")).alias("outcome"),
            *[pl.col(c).alias(names.get(c, c)) for c in rows.columns if c not in of_the_pair],
        )
        won = _as_words(sides, (("model_a", "model_b", "tie"), *_VOCABULARIES[1:]), ("model_a", "model_b"))
        named = sides.with_columns(_with_both_bad(sides, won))
        named = named.rename({"system_a": "model_a", "system_b": "model_b", "outcome": "winner"})
        return tables.to_bytes(named, ending)


def _with_both_bad(sides: pl.DataFrame, won: pl.Series) -> pl.Series:
    """Ties of two that are both bad by the word that arenas have for them, where judgments say so."""
    if VERDICT not in sides.columns:
        return won
    both_bad = (sides[VERDICT] == BOTH_BAD).fill_null(False) & (sides["outcome"] == 0)
    told = pl.select(pl.when(both_bad).then(pl.lit("tie (bothbad)")).otherwise(won)).to_series().alias(won.name)
    # Systems may be called by such words; then a plain tie is what is read back as it was meant.
    meant = is_read_as(sides.select("system_a", "system_b", "outcome"), told, ("model_a", "model_b"))
    return told if meant else won


#: What the newer releases of arena votes have instead of a judge.
_SESSION = "evaluation_session_id"


class ChosenRejected(TableFormat):
    """Preference pairs as DPO data sets have them: which of two was chosen, which rejected."""

    id = "chosen-rejected"
    holds = _EVERYTHING - {"position", "forced"}
    endings = ("jsonl", "csv", "parquet")
    roles = CONTEXT_ROLES | {"chosen", "rejected", *_POSITION_ROLES}

    def matches(self, roles: Roles) -> bool:
        return roles.has("chosen", "rejected")

    def sift(self, frame: pl.DataFrame, roles: Roles, options: ReadOptions) -> Sieve:
        if not self.matches(roles):
            raise InputError(_need(roles, "chosen and rejected (or chosen_model and rejected_model)"))
        refuse_settings(options, "the chosen and the rejected system are named")
        return _chosen_over(frame, roles, options, "chosen", "rejected")

    def write(self, judgments: Judgments, ending: str) -> bytes:
        rows = judgments.to_rows()
        tied = int((rows["outcome"] == 0).sum())
        if tied:
            raise LossyWriteError(
                f"format {self.id!r} cannot hold ties, and {tied} of {rows.height} judgments are; write another "
                "format, e.g. pairwise"
            )
        won = pl.col("outcome") == 1
        named = rows.with_columns(
            pl.when(won).then("system_a").otherwise("system_b").alias("chosen_model"),
            pl.when(won).then("system_b").otherwise("system_a").alias("rejected_model"),
        ).drop("system_a", "system_b", "outcome")
        return tables.to_bytes(named, ending)


def _chosen_over(frame: pl.DataFrame, roles: Roles, options: ReadOptions, better: str, worse: str) -> Sieve:
    """Records that name the better and the worse system."""
    sieve = _two_systems(frame, roles, options, roles[better], roles[worse])
    sieve.frame = sieve.frame.with_columns(pl.lit(1, pl.Int8).alias("outcome"))
    return sieve


def _two_systems(frame: pl.DataFrame, roles: Roles, options: ReadOptions, a: str, b: str, **more: str) -> Sieve:
    """A sieve with both systems (and ``more`` columns as text), each record checked for them."""
    sieve = Sieve.start(frame, roles, options, system_a=a, system_b=b, **more)
    if COPIES in frame.columns:
        sieve.frame = sieve.frame.join(frame.select(RECORD, COPIES), on=RECORD, how="left", maintain_order="left")
    sieve.reject(pl.col("system_a").is_null() | pl.col("system_b").is_null(), "a system is missing")
    sieve.reject(
        pl.col("system_a") == pl.col("system_b"), pl.format("system {} is compared with itself", quoted("system_a"))
    )
    return sieve


def _places(roles: Roles) -> list[_Place]:
    """Where the outcomes may be, best first."""
    found = [place for place, needed in _PLACES.items() if roles.has(*needed)]
    return found or (["raters"] if rater_columns(roles.present) else [])


def outcome_place(roles: Roles, options: ReadOptions) -> _Place:
    """Where the outcomes are: where the user said, else the best of the places that there are."""
    found = _places(roles)
    named = [place for place in found if place != "raters" and all(options.columns.get(r) for r in _PLACES[place])]
    if options.outcomes == "one-hot" and "one-hot" not in found:
        raise InputError(_need(roles, "winner_a, winner_b and winner_tie (1 for the outcome, 0 for the others)"))
    place: _Place = "one-hot" if options.outcomes == "one-hot" else (named or found)[0]
    if place in ("outcome", "winner") and len(listed(roles[place], roles.present)) > 1:
        place = "raters"
    used = (*_PLACES.get(place, ()), *_MORE.get(place, ()))
    for role in (role for needed in (*_PLACES.values(), *_MORE.values()) for role in needed):
        if options.columns.get(role) and role not in used:
            raise InputError(
                f"--column {role}={options.columns[role]} cannot be followed: outcomes are read from {place}; name the "
                "columns of one place only, and all of them (winner_a and winner_b, rank_a and rank_b)"
            )
    return place


def _judged(frame: pl.DataFrame, roles: Roles, options: ReadOptions) -> Sieve:
    """Records of two systems and what was said of them."""
    place = outcome_place(roles, options)
    sieve = _judged_at(place, frame, roles, options)
    chosen = options.outcomes == "one-hot" or any(options.columns.get(role) for role in _PLACES.get(place, ()))
    for other in _places(roles):
        if other != place and "raters" not in (other, place) and not chosen:
            _compare_places(sieve, frame, roles, options, (place, other))
    return sieve


def _compare_places(
    sieve: Sieve, frame: pl.DataFrame, roles: Roles, options: ReadOptions, places: tuple[_Place, _Place]
) -> None:
    """Refuse a table that says twice who won, and not the same; say so where the second is not read."""
    used, second = (", ".join(repr(roles[role]) for role in _PLACES[place]) for place in places)
    try:
        other = _judged_at(places[1], frame, roles, replace(options, values={}, outcomes="auto"))
    except InputError:
        sieve.notes.append(f"outcomes are read from {used}; {second} cannot be read as outcomes and is not used")
        return
    unread = sum(d.kind == "outcome" for d in other.dropped)
    if unread > MOST_DROPPED * frame.height:
        sieve.notes.append(f"outcomes are read from {used}; {second} cannot be read as outcomes and is not used")
        return
    both = sieve.frame.join(other.frame.select(RECORD, pl.col("outcome").alias("_second")), on=RECORD)
    differ = both.filter(pl.col("outcome") != pl.col("_second"))
    if differ.height:
        number = differ[COPIES].sum() if COPIES in differ.columns else differ.height
        a, b, first, last = differ.select("system_a", "system_b", "outcome", "_second").row(0)
        won = {1: f"won by {a!r}", -1: f"won by {b!r}", 0: "a tie"}
        remedies = [" ".join(f"--column {role}={roles[role]}" for role in _PLACES[place]) for place in places]
        raise InputError(
            f"outcomes are in {used} and in {second}, and {number} record{'s' * (number != 1)} differ, e.g. {a!r} : "
            f"{b!r} is {won[first]} by the former, {won[last]} by the latter; say which counts: {' or '.join(remedies)}"
        )


def _judged_at(place: _Place, frame: pl.DataFrame, roles: Roles, options: ReadOptions) -> Sieve:
    if place == "ranks":
        refuse_settings(options, "two ranks tell the outcome")
        return _with_ranks(frame, roles, options)
    if place == "one-hot":
        refuse_settings(options, "the outcome is marked in columns of its own", allowed="one-hot")
        columns = one_hot_columns(roles)
        sieve = _two_systems(frame, roles, options, roles["system_a"], roles["system_b"], **columns)
        read_one_hot(sieve, columns)
        return sieve
    if place == "raters":
        return _with_raters(frame, roles, options)
    sieve = _two_systems(frame, roles, options, roles["system_a"], roles["system_b"], **{WRITTEN: roles[place]})
    read_outcomes(sieve, roles[place], (roles["system_a"], roles["system_b"]), options)
    refuse_other_places(sieve, frame, roles, options)
    return sieve


def _with_raters(frame: pl.DataFrame, roles: Roles, options: ReadOptions) -> Sieve:
    """Records that hold the answers of several raters."""
    named = next((roles[role] for role in ("outcome", "winner") if options.columns.get(role)), None)
    answers = tuple(listed(named, roles.present)) if named else rater_columns(roles.present)
    refuse_judge(roles, answers)
    judges = judge_columns(answers, roles.present)
    columns = {f"_answer{number}": name for number, name in enumerate(answers)}
    columns |= {f"_judge{number}": judges[name] for number, name in enumerate(answers) if judges}
    sieve = _two_systems(frame, roles, options, roles["system_a"], roles["system_b"], **columns)
    spread(sieve, answers, judges, options)
    read_outcomes(sieve, ", ".join(answers), (roles["system_a"], roles["system_b"]), options)
    refuse_other_places(sieve, frame, roles, options)
    return sieve


def _as_words(
    rows: pl.DataFrame,
    vocabularies: tuple[tuple[str, str, str], ...],
    sides: tuple[str, str] = ("system_a", "system_b"),
) -> pl.Series:
    """Outcomes in words: the first that are read back as they were meant, whatever the systems are called."""
    for a, b, tie in vocabularies:
        words = pl.Series([b, tie, a]).gather(rows["outcome"].cast(pl.Int64) + 1).alias("outcome")
        if not rows.height or is_read_as(rows.select("system_a", "system_b", "outcome"), words, sides):
            return words
    raise LossyWriteError(
        "the systems are called by the words for sides, so that no outcome can be told from a name; rename them"
    )


def _with_ranks(frame: pl.DataFrame, roles: Roles, options: ReadOptions) -> Sieve:
    more = {"_ra": roles["rank_a"], "_rb": roles["rank_b"]}
    sieve = _two_systems(frame, roles, options, roles["system_a"], roles["system_b"], **more)
    ranks = pl.col("_ra", "_rb").cast(pl.Float64, strict=False)
    sieve.frame = sieve.frame.with_columns(ranks.name.suffix("_n"))
    for side in ("_ra", "_rb"):
        unread = ~pl.col(f"{side}_n").is_finite().fill_null(False)
        sieve.reject(unread, pl.format("rank {} is out of range; allowed: any number", quoted(side)))
    sign = (pl.col("_rb_n") - pl.col("_ra_n")).sign().cast(pl.Int8)
    sieve.frame = sieve.frame.with_columns(sign.alias("outcome"))
    return sieve


def _shown_first(rows: pl.DataFrame) -> pl.Expr:
    """Whether system a was shown before system b; by name where that is not known."""
    if "position_a" not in rows.columns:
        return pl.lit(True)
    if set(rows.select("position_a", "position_b").unique().iter_rows()) - {(1, 2), (2, 1)}:
        raise LossyWriteError("format 'arena' shows one system in position 1, the other in 2; --drop position")
    return pl.col("position_a") == 1


def _need(roles: Roles, wanted: str) -> str:
    return (
        f"the table needs columns for {wanted}; it has {', '.join(roles.present)}; name yours, e.g. "
        "--column system_a=left_model (columns={'system_a': 'left_model'} from Python)"
    )
