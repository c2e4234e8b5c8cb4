"""Scores as Appraise exports them for WMT: direct assessment, SQM and ESA, usually without a header.

Such a file numbers the items of a task, not the segments of a test set: item 7 is another segment for every judge. The
segment is the document and the place in it, which the order of a document's items tells where the document is whole.
"""

from __future__ import annotations

import re

import polars as pl

from ..errors import InputError
from .base import RECORD, ReadOptions
from .columns import Roles, Sieve, quoted
from .scores import (
    ITEM_TYPE_NAMES,
    OF_AN_OUTPUT,
    Scores,
    compare,
    item_types,
    note_left_out,
    read_values,
    reject_controls,
    standardise,
)
from .tables import TableFormat

#: The names that columns have, in small letters and figures, by what is in them.
_NAMES = {
    "judge": ("user", "username", "login"),
    "source_lang": ("source",),
    "target_lang": ("target",),
    "item": ("item", "itemid", "segment", "segmentid"),
    "type": ITEM_TYPE_NAMES,
    "document": ("document", "documentid", "docid"),
    "whole": ("wholedocument", "iscompletedocument", "flag", "unkcolalwaysfalse"),
    "spans": ("errorspans", "spanerrors", "spans", "mqm"),
    "start": ("starttime", "start"),
    "end": ("endtime", "end"),
}
_COPY = re.compile(r"#(bad|dup)\w*$", re.IGNORECASE)


class DirectAssessment(TableFormat):
    """User, system, item, type, languages, score, document, whole document?, error spans, start, end.

    Controls and tutorials are left out, and of the answers of a judge to one item the latest is kept. What one judge
    scored of one segment is a ranking. Read only: an order has no scores to write back.
    """

    id = "direct-assessment"
    endings = ()

    def matches(self, roles: Roles) -> bool:
        columns = _columns(roles)
        return roles.has("system", "score") and {"judge", "item", "type", "document"} <= set(columns)

    def sift(self, frame: pl.DataFrame, roles: Roles, options: ReadOptions) -> Sieve:
        columns = _columns(roles)
        types = item_types(frame, roles.present)
        if types is None or not self.matches(roles):
            return Scores().sift(frame, roles, options)
        if options.columns.get("judge") == "":
            raise InputError(
                "items are numbered for every judge, so the judge is needed to know their segments; to compare scores "
                "of different judges, use --across-judges raw or standardised"
            )
        context = {role: column for role, column in columns.items() if role in ("judge", "source_lang", "target_lang")}
        roles = Roles({**roles.column, **context}, roles.present).without(*OF_AN_OUTPUT, "ranking")
        named = "segment" in options.columns
        text = {f"_{k}": columns[k] for k in ("item", "document", "whole", "end") if k in columns}
        sieve = Sieve.start(
            frame, roles if named else roles.without("segment"), options,
            system=roles["system"], _score=roles["score"], **text,
        )  # fmt: skip
        if not named:
            sieve.frame = _with_segments(sieve.frame)
        reject_controls(sieve, types)
        _reject_others(sieve)
        read_values(sieve, options.scores)
        _keep_latest(sieve)
        standardise(sieve, options.scores)
        sieve.reject(pl.col("segment").is_null(), _PART, kind="skipped")
        note_left_out(sieve)
        compare(sieve, options.scores, [columns[k] for k in ("spans", "start", "end") if k in columns])
        return sieve


_PART = "part of a document, of which the file does not say which segments it has"


def _columns(roles: Roles) -> dict[str, str]:
    """Which column is what, as far as the names tell; roles that were named or have usual names come first."""
    plain = {"".join(filter(str.isalnum, name.lower())): name for name in reversed(roles.present)}
    found = {what: plain[name] for what, names in _NAMES.items() for name in reversed(names) if name in plain}
    return {**found, **{role: roles[role] for role in ("judge", "source_lang", "target_lang") if roles.has(role)}}


def _with_segments(frame: pl.DataFrame) -> pl.DataFrame:
    """Add the segment: the document, and the place of the item among those of the document that the judge saw.

    A document is as long as the longest run of items that any judge saw of it. Of a shorter run (a document that was
    divided between two tasks) nobody can tell which segments they are: the segment is null.
    """
    titles = frame.select("_document", "system").unique().drop_nulls()
    titles = titles.with_columns(
        pl.Series("_title", [_title(document, system) for document, system in titles.iter_rows()], dtype=pl.String)
    )
    frame = frame.join(titles, on=["_document", "system"], how="left", maintain_order="left")
    frame = frame.with_columns(pl.col("_item").cast(pl.Int64, strict=False).alias("_number"))
    of_title = [name for name in ("lang_pair", "_title") if name in frame.columns]
    of_run = [name for name in ("lang_pair", "judge", "_document") if name in frame.columns]
    whole = pl.col("_whole") == "True" if "_whole" in frame.columns else pl.lit(False)
    runs = (
        frame.filter(~whole.fill_null(False), pl.col("_number").is_not_null())
        .group_by(*of_run, "_title")
        .agg(
            pl.col("_number").min().alias("_first"),
            pl.col("_number").n_unique().cast(pl.Int64).alias("_length"),
            (pl.col("_number").max() - pl.col("_number").min() + 1).alias("_extent"),
        )
    )
    runs = runs.filter(pl.col("_extent") == pl.col("_length"))
    runs = runs.filter(pl.col("_length") == pl.col("_length").max().over(of_title))
    placed = frame.join(runs, on=[*of_run, "_title"], how="left", nulls_equal=True, maintain_order="left")
    place = pl.col("_number") - pl.col("_first") + 1
    return placed.with_columns(pl.format("{}:{}", "_title", place).alias("segment"))


def _title(document: str, system: str) -> str:
    """A document without the system and the mark of a copy that Appraise's batches add: ``news.7#ONLINE-W#bad3``."""
    document = _COPY.sub("", document)
    for at in [match.start() for match in re.finditer("#", document)]:
        names = document[at + 1 :].split("#")[0].split("+")
        if any(system == name or system.endswith(f".{name}") for name in names):
            return document[:at]
    return document


def _reject_others(sieve: Sieve) -> None:
    """Take out what is no score of an output of a system."""
    sieve.reject(pl.col("judge").is_null(), "the judge is missing")
    sieve.reject(pl.col("_document").is_null(), "the document is missing")
    tutorial = pl.any_horizontal(pl.col("system", "_document").str.contains("(?i)tutorial"))
    sieve.reject(tutorial, "tutorial", kind="skipped")
    sieve.reject(pl.col("_document").str.contains("(?i)#dup"), "copy to check the judge (#dup)", kind="skipped")
    if "_whole" in sieve.frame.columns:
        sieve.reject(pl.col("_whole") == "True", "score of a whole document", kind="skipped")
    number = pl.col("_item").cast(pl.Int64, strict=False)
    sieve.reject(number.is_null(), pl.format("item {} is not a whole number", quoted("_item")))


def _keep_latest(sieve: Sieve) -> None:
    """Keep the last of several answers of a judge to one item; of those at one time, the first in the file."""
    answer = [name for name in ("lang_pair", "judge", "_document", "_item", "system") if name in sieve.frame.columns]
    ended = pl.col("_end").cast(pl.Float64, strict=False) if "_end" in sieve.frame.columns else pl.lit(None, pl.Float64)
    order = sieve.frame.select(RECORD, *answer, ended.alias("_ended")).sort(
        "_ended", RECORD, descending=[True, False], nulls_last=True
    )
    latest = order.unique(answer, keep="first")[RECORD]
    sieve.reject(~pl.col(RECORD).is_in(latest.implode()), "answered again later, which counts", kind="skipped")
