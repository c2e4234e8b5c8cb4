"""One score per output (direct assessment, ESA, Likert), reduced to an order of the outputs of a segment.

Within one judge this needs no more than the scores. Where every judge scored other outputs, there is little to compare
so, and scores of different judges must be compared: as they are, or after each judge's were standardised.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import polars as pl

from ..errors import InputError
from ..judgments import EXTRA_PREFIX
from .base import RECORD, ReadOptions, ScoreOptions
from .columns import Roles, Sieve, name_values, plain_name, quoted
from .layouts import ITEM_TYPES
from .rankings import VALUE, pairs
from .repeats import told_apart
from .tables import TableFormat
from .usual import GUESSES

#: Roles of an output, which a comparison of two outputs cannot have.
OF_AN_OUTPUT = ("weight", "position_a", "position_b", "time", "duration", "forced")
#: The usual names of the column that says which items are controls; WMT's scripts call it is_bad.
_IS_BAD = "isbad"
ITEM_TYPE_NAMES = ("itemtype", "type", _IS_BAD)
_YES_OR_NO = {"true": "bad", "1": "bad", "yes": "bad", "false": "tgt", "0": "tgt", "no": "tgt"}
#: From this share of scores on that compare nothing, it is said what else could be done.
_MANY_ALONE = 0.1


class Scores(TableFormat):
    """``segment``, ``system``, ``score``, usually ``judge``: what one judge scored of one segment is a ranking.

    Scores that differ by no more than the margin are a tie. A judge's repeated scores of one output
    are averaged, unless a column tells them apart. Read only: an order has no scores to write back.
    """

    id = "scores"
    endings = ()
    roles = frozenset(
        ("system", "score", "segment", "document", "judge", "ranking", "lang_pair", "source_lang", "target_lang")
    )

    def matches(self, roles: Roles) -> bool:
        return roles.has("system", "score", "segment") and not roles.has("winner")

    def sift(self, frame: pl.DataFrame, roles: Roles, options: ReadOptions) -> Sieve:
        if not self.matches(roles):
            raise InputError(
                f"a table of scores needs the columns system, score and segment; it has {', '.join(roles.present)}; "
                "name yours, e.g. --column score=rating"
            )
        lost = [roles[role] for role in OF_AN_OUTPUT if roles.has(role)]
        sieve = Sieve.start(frame, roles.without(*OF_AN_OUTPUT), options, system=roles["system"], _score=roles["score"])
        reject_controls(sieve, item_types(frame, roles.present))
        sieve.reject(pl.col("segment").is_null(), "the segment is missing")
        read_values(sieve, options.scores)
        forbidden = GUESSES["document"] if options.columns.get("document") == "" else ()
        apart = told_apart(sieve, frame, (*lost, *[c for c in roles.present if plain_name(c) in forbidden]))
        standardise(sieve, options.scores, apart)
        note_left_out(sieve)
        compare(sieve, options.scores, lost, apart)
        return sieve


# -- steps that formats of scores share ---------------------------------------------------------------


def item_types(frame: pl.DataFrame, names: tuple[str, ...]) -> pl.Series | None:
    """The column that says which items are controls, as Appraise does (TGT, BAD, …), if there is one."""
    plain = {plain_name(name): name for name in reversed(names)}
    column = next((plain[name] for name in ITEM_TYPE_NAMES if name in plain), None)
    if column is None or frame[column].dtype not in (pl.String, pl.Boolean, pl.Int64):
        return None
    values = name_values(frame, column)
    if plain_name(column) == _IS_BAD:
        values = values.str.to_lowercase().replace(_YES_OR_NO).str.to_uppercase()
    return values if values.is_in(ITEM_TYPES).all() and "TGT" in values else None


def reject_controls(sieve: Sieve, types: pl.Series | None) -> None:
    """Take out the outputs that were there to check the judges; types of all items are those of the whole frame."""
    if types is None:
        return
    sieve.frame = sieve.frame.with_columns(types.alias("_type"))
    sieve.reject(pl.col("_type") != "TGT", pl.format("control (type {})", pl.col("_type")), kind="skipped")


def note_left_out(sieve: Sieve) -> None:
    """Note how many scores do not count, and why."""
    reasons = Counter(dropped.reason for dropped in sieve.dropped if dropped.skipped)
    if reasons:
        sieve.notes.append("left out: " + "; ".join(f"{count} × {reason}" for reason, count in reasons.most_common()))


def read_values(sieve: Sieve, scores: ScoreOptions) -> None:
    """Read the column ``_score`` as numbers, of which larger ones are better."""
    number = pl.col("_score").cast(pl.Float64, strict=False)
    sieve.reject(pl.col("system").is_null(), "the system is missing")
    sieve.reject(pl.col("_score").is_null(), "no score", kind="skipped")
    sieve.reject(~number.is_finite().fill_null(False), pl.format("score {} is not a number", quoted("_score")))
    sieve.frame = sieve.frame.with_columns((-number if scores.lower_is_better else number).alias(VALUE))


def standardise(sieve: Sieve, scores: ScoreOptions, apart: Iterable[str] = ()) -> None:
    """If it was asked for, measure every score in the standard deviations of its judge, from the judge's mean.

    Scores that differ in the columns ``apart`` are measured apart.
    """
    if scores.across_judges != "standardised":
        return
    if "judge" not in sieve.frame.columns:
        raise InputError("--across-judges standardised needs to know the judges, and there is no such column")
    sieve.reject(pl.col("judge").is_null(), "the judge is missing, so the score cannot be standardised")
    of_a_judge = [*_present(sieve.frame, "lang_pair", "judge"), *apart]
    spread = pl.col(VALUE).std().over(of_a_judge)
    same = "scores of a judge who gave no two different ones, which cannot be standardised"
    sieve.reject(spread.is_null() | (pl.col(VALUE).n_unique().over(of_a_judge) < 2), same, kind="skipped")
    sieve.frame = sieve.frame.with_columns(
        ((pl.col(VALUE) - pl.col(VALUE).mean().over(of_a_judge)) / spread).alias(VALUE)
    )


def compare(sieve: Sieve, scores: ScoreOptions, lost: list[str], apart: Iterable[str] = ()) -> None:
    """Make comparisons of the values of outputs, and say what became of them.

    Parameters
    ----------
    sieve
        ``system``, ``segment``, the value, and what else is known of every score.
    lost
        The columns that a comparison cannot have.
    apart
        Covariates such that scores that differ in them are not compared.
    """
    frame, apart = sieve.frame, list(apart)
    across = scores.across_judges != "no" and "judge" in frame.columns
    known = ("lang_pair", "segment") if across else ("lang_pair", "segment", "judge", "ranking")
    keys = [*_present(frame, *known), *apart]
    alone = pl.col("system").n_unique().over(keys) < 2
    nobody = "nobody scored another output of its segment" if across else "is the only output its judge scored here"
    sieve.reject(alone, f"{nobody}, so it compares nothing", kind="skipped")
    kept, unused = sieve.frame, frame.height - sieve.frame.height
    others = (
        0
        if across or "judge" not in frame.columns
        else _count(frame, [*_present(frame, "lang_pair", "segment"), *apart])
    )
    if not kept.height and others:
        raise InputError(
            f"no judge scored two outputs of one segment, so there is nothing to compare. {_advice(others)}"
        )
    sieve.frame, unshared = _as_pairs(kept, keys, scores)
    if unused >= _MANY_ALONE * frame.height and others > _count(kept, keys):
        sieve.notes.append(
            f"{unused} of {frame.height} scores are not used: their judge scored no other output of that segment, "
            f"which leaves {sieve.frame.height} comparisons. {_advice(others)}"
        )
    if across:
        sieve.notes.append(_of_different_judges(scores, sieve.frame.height))
    gone = ", ".join(["the scores themselves", *lost, *unshared])
    sieve.notes.append(f"scores became {sieve.frame.height} comparisons; not kept, for no comparison has them: {gone}")


def _present(frame: pl.DataFrame, *names: str) -> list[str]:
    return [name for name in names if name in frame.columns]


def _count(frame: pl.DataFrame, keys: list[str]) -> int:
    """How many comparisons groups of outputs give."""
    systems = frame.group_by(keys).agg(pl.col("system").n_unique())["system"].cast(pl.Int64)
    return int((systems * (systems - 1) // 2).sum())


def _advice(others: int) -> str:
    return (
        f"Scores of different judges would give {others} comparisons: as they are (--across-judges raw: systems that "
        "lenient judges happened to score then look better), or each judge's standardised to mean 0 and standard "
        "deviation 1 (--across-judges standardised: judges who happened to score better systems then look lenient)"
    )


def _of_different_judges(scores: ScoreOptions, count: int) -> str:
    how = (
        "each judge's standardised to mean 0 and standard deviation 1, in which --margin is measured"
        if scores.across_judges == "standardised"
        else "as they are, so that systems scored by lenient judges gain by it, which ranges and intervals do not show"
    )
    return (
        f"scores of different judges are compared, {how}. All outputs of a segment are one ranking, and a segment is "
        f"what is resampled; the {count} comparisons have no judge"
    )


def _as_pairs(frame: pl.DataFrame, keys: list[str], scores: ScoreOptions) -> tuple[pl.DataFrame, list[str]]:
    """Pairs of outputs, and the covariates that outputs of one ranking do not share, which no pair can have."""
    extras = [name for name in frame.columns if name.startswith(EXTRA_PREFIX)]
    extras = [name for name in extras if name not in keys]
    shared = [name for name in extras if frame.group_by(keys).agg(pl.col(name).n_unique())[name].max() == 1]
    of_a_judge = list(dict.fromkeys([*keys, *_present(frame, "judge"), "system"]))
    by_judge = frame.group_by(of_a_judge).agg(pl.col(VALUE).sort().mean(), *[pl.col(name).first() for name in shared])
    outputs = (
        by_judge.group_by(*keys, "system")
        .agg(pl.col(VALUE).sort().mean(), *[pl.col(name).first() for name in shared])
        .sort(*keys, "system")
    )
    group = pl.struct(keys).rank("dense").cast(pl.Int64)
    outputs = outputs.with_columns(group.alias(RECORD), pl.lit(None, pl.Int32).alias("position"))
    contexts = outputs.select(RECORD, *keys, *shared).unique(RECORD, maintain_order=True)
    rows = pairs(outputs, contexts, margin=scores.margin)
    rows = rows.with_columns(pl.col(RECORD).cast(pl.String).alias("ranking")).drop("position_a", "position_b")
    return rows, [name.removeprefix(EXTRA_PREFIX) for name in extras if name not in shared]
