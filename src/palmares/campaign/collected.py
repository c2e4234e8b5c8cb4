"""Judgments out of the store: the latest answer to every screen, as the pairs that it stands for.

Practice never counts. A screen that was asked again counts each time and is marked; the outputs of controls are left
out unless they are asked for. People appear by pseudonym.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from typing import Any, TypeAlias

import polars as pl
import sqlalchemy as sa

from ..errors import InputError
from ..ingest.base import LEFT_OUT, RECORD, ColumnUse, Dropped, Parsed, ReadOptions
from ..ingest.columns import Sieve
from ..ingest.left_out import REASON, note_of
from ..ingest.rankings import VALUE, pairs
from ..judgments import EXTRA_PREFIX
from ..texts.testset import RESERVED_PREFIX
from . import schema
from .database import Database
from .definition import CampaignInfo, find_campaign, was_watched
from .left_out import check_change, left_out_of
from .refusals import DatabaseError

#: Above the number of any answer.
_FOR_EVER = 2**63 - 1

Query: TypeAlias = sa.Select[*tuple[Any, ...]]

#: The name of a campaign behind a URL; what else may follow a '#' belongs to a path or a password.
_CAMPAIGN = re.compile(r"(.*)#([\w-]+)")
#: What a judge said besides the ranks. It is there where anyone said something, and only there.
_VERDICT = f"{EXTRA_PREFIX}verdict"
#: Whether a program judged; there if any did.
_PROGRAM = f"{EXTRA_PREFIX}program"
#: Whether what answers said so far could stop the campaign; there if so, for ranges that hold at every look.
_LOOKS = f"{EXTRA_PREFIX}looks"
_JUDGMENT, _SERVED, _SCREEN = schema.judgment.c, schema.served.c, schema.screen.c
#: What is known of every answer, with its type and where it is stored. The first five are used up; the others are
#: columns of the judgments. Lists come as JSON text, which polars reads faster.
_ANSWER: dict[str, tuple[pl.DataType, sa.ColumnElement[Any]]] = {
    RECORD: (pl.Int64(), _SERVED.id),
    "answer": (pl.Int64(), _JUDGMENT.id),
    "places": (pl.String(), sa.cast(_SERVED.places, sa.Text)),
    "ranks": (pl.String(), sa.cast(_JUDGMENT.ranks, sa.Text)),
    "skip": (pl.String(), _JUDGMENT.skip),
    # A campaign without languages has no pair to tell; its name in the store is for people.
    "lang_pair": (pl.String(), sa.case((schema.language_pair.c.source != "", schema.language_pair.c.name))),
    "segment": (pl.String(), schema.segment.c.name),
    "judge": (pl.String(), schema.person.c.pseudonym),
    "time": (pl.Datetime("us", "UTC"), _JUDGMENT.created_at),
    "duration": (pl.Float64(), _JUDGMENT.seconds),
    f"{EXTRA_PREFIX}strategy": (pl.String(), _SCREEN.strategy),
    f"{EXTRA_PREFIX}probability": (pl.Float64(), _SCREEN.probability),
    f"{EXTRA_PREFIX}repeat": (pl.Int8(), sa.case((_SERVED.repeat_of.is_(None), 0), else_=1)),
    _VERDICT: (pl.String(), _JUDGMENT.verdict),
    _PROGRAM: (pl.Int8(), sa.case((schema.person.c.program, 1), else_=0)),
}
_EXTRAS = tuple(
    name.removeprefix(EXTRA_PREFIX) for name in (*_ANSWER, _LOOKS, LEFT_OUT) if name.startswith(EXTRA_PREFIX)
)


def read_url(url: str, options: ReadOptions) -> tuple[str, Parsed]:
    """The judgments behind ``sqlite:///palmares.db#news``, and what messages call that."""
    named = _CAMPAIGN.fullmatch(url)
    address, campaign = named.groups() if named else (url, None)
    _check_extras(options)
    with closing(Database.open(address, read_only=True)) as db, _reading(db) as tx:
        info = _named(tx, db, campaign)
        name, parsed = f"{db.name}#{info.name}", _parsed(tx, info, options, controls=False)
    if not parsed.records:
        raise InputError(f"{name}: has no judgments yet; wait until a judge has answered a screen")
    return name, parsed


def collect(
    db: Database,
    campaign: str | None,
    options: ReadOptions,
    *,
    controls: bool = False,
    upto: int | None = None,
    left_out_as_of: int | None = None,
) -> Parsed:
    """The judgments of a campaign (None: the only one), all from one state of the store.

    Parameters
    ----------
    options
        ``merged`` applies (what becomes of outputs that several systems share), and ``left_out`` (of the answers of
        judges who are left out).
    controls
        Keep the outputs of controls, as the systems ``palmares:reference`` and ``palmares:degraded``.
    upto
        The number of an answer: all is as it was once that was stored, and none after it.
    left_out_as_of
        The number of a change to who is left out (0: before there was any): those who were left out after it. None:
        those who are left out now, whatever ``upto`` says.
    """
    with db.read() as tx:
        info = find_campaign(tx, campaign)
        check_change(tx, info.id, left_out_as_of)
        return _parsed(tx, info, options, controls, upto, left_out_as_of)


def answered(
    campaign_id: int, columns: Iterable[sa.ColumnElement[Any]], *, revisions: bool = False, upto: int | None = None
) -> Query:
    """Columns of the answers that count, in the order of screens; with ``revisions`` also of replaced ones.

    ``upto``: those that counted once the answer with this number was stored, and none after it.
    """
    judgment, served, screen = schema.judgment, schema.served, schema.screen
    segment, pair, person = schema.segment, schema.language_pair, schema.person
    query = (
        sa.select(*columns)
        .select_from(judgment)
        .join(served, judgment.c.served_id == served.c.id)
        .join(screen, served.c.screen_id == screen.c.id)
        .join(segment, screen.c.segment_id == segment.c.id)
        .join(pair, segment.c.language_pair_id == pair.c.id)
        .join(person, served.c.person_id == person.c.id)
        .where(pair.c.campaign_id == campaign_id, screen.c.purpose == "judge")
        .order_by(served.c.id, judgment.c.revision)
    )
    if not revisions:
        return query.where(schema.latest(served.c.id, upto=upto))
    return query if upto is None else query.where(judgment.c.id <= upto)


def shown_outputs(campaign_id: int, *columns: sa.ColumnElement[Any]) -> Query:
    """Columns of the outputs that were put on a screen and of the systems behind them; controls have no system."""
    output, link, system, segment = schema.output, schema.output_system, schema.system, schema.segment
    pair = schema.language_pair
    return (
        sa.select(*columns)
        .select_from(output)
        .join(segment, output.c.segment_id == segment.c.id)
        .join(pair, segment.c.language_pair_id == pair.c.id)
        .outerjoin(link, link.c.output_id == output.c.id)
        .outerjoin(system, link.c.system_id == system.c.id)
        .where(pair.c.campaign_id == campaign_id, output.c.id.in_(sa.select(schema.screen_output.c.output_id)))
        .order_by(output.c.id, system.c.name)
    )


def answer_columns() -> list[sa.ColumnElement[Any]]:
    """The columns that `read_answers` reads."""
    return [column for _, column in _ANSWER.values()]


def read_answers(tx: sa.Connection, query: Query) -> pl.DataFrame:
    """One row an answer, from a query of `answer_columns`; screens are known by the number they were served under."""
    types = {name: kind for name, (kind, _) in _ANSWER.items()}
    answers = pl.DataFrame(tx.execute(query).all(), schema=types, orient="row")
    return answers.with_columns(
        pl.col("places", "ranks").str.json_decode(pl.List(pl.Int64())),
        pl.col("segment").str.strip_chars(),  # as every reader trims names
    )


def judgments_of(
    answers: pl.DataFrame,
    systems: pl.DataFrame,
    options: ReadOptions,
    *,
    watched: bool,
    left_out: Iterable[str],
    programs: bool = False,
) -> Parsed:
    """The judgments that answers stand for.

    Parameters
    ----------
    answers
        As `read_answers` gives them: the latest of every screen, in the order of screens.
    systems
        The systems behind outputs, as `since_when` gives them.
    options
        As for `collect`.
    watched
        Whether what answers said could ever stop the campaign.
    left_out
        Judges who are left out, by pseudonym.
    programs
        Whether programs judge where these answers are only a part.
    """
    if options.merged == "collapse":
        systems = _collapsed(systems)
    left_out = sorted(left_out)
    if left_out:
        answers = answers.with_columns(pl.col("judge").is_in(left_out).cast(pl.Int8).alias(LEFT_OUT))
    sieve = Sieve(answers)
    reason = pl.format("skipped by the judge ({})", "skip")
    sieve.reject(pl.col("skip").is_not_null(), reason, kind="skipped")
    outputs = _comparable(sieve, _outputs(sieve.frame, systems))
    ranking = pl.format("s{}", RECORD).alias("ranking")
    rows = pairs(outputs.drop("shared"), sieve.frame.drop("places", "ranks", "skip", "answer").with_columns(ranking))
    unsaid = [name for name in ("lang_pair", _VERDICT) if rows[name].is_null().all()]
    rows = rows.drop(RECORD, *(unsaid if rows.height else [_VERDICT]))
    if not programs and not (rows[_PROGRAM] == 1).any():
        rows = rows.drop(_PROGRAM)
    if watched:
        rows = rows.with_columns(pl.lit("any").alias(_LOOKS))
    notes: tuple[str, ...] = ()
    if left_out and options.left_out == "drop":
        # At the end, so that there are the same columns as in a file that is read so.
        gone = answers.filter(pl.col(LEFT_OUT) == 1)
        rows, outputs = _counting(rows, gone), outputs.join(gone, on=RECORD, how="anti")
        _replace_reasons(sieve, gone[RECORD])
        if gone.height:
            notes = (note_of(gone.height, answers.height, gone["judge"].n_unique(), "screens"),)
    shared = outputs.filter("shared").select(RECORD, "position").n_unique()
    dropped = tuple(sorted(sieve.dropped, key=lambda record: record.line))
    return Parsed(rows, dropped, answers.height, "screen", _uses(rows), notes, layout="database", shared=shared)


# -- inside ------------------------------------------------------------------------------------------


@contextmanager
def _reading(db: Database) -> Iterator[sa.Connection]:
    """A transaction that only reads; if the database fails meanwhile, the user learns which and why."""
    try:
        with db.read() as tx:
            yield tx
    except sa.exc.DBAPIError as error:
        reason = (str(error.orig).strip() or type(error.orig).__name__).splitlines()[0]
        raise DatabaseError(f"{db.name}: cannot be read ({reason}); is it intact, and running?") from None


def _named(tx: sa.Connection, db: Database, campaign: str | None) -> CampaignInfo:
    try:
        return find_campaign(tx, campaign)
    except InputError as error:
        hint = "" if campaign else f"; its name follows the database, e.g. {db.name}#NAME"
        raise InputError(f"{db.name}: {error}{hint}") from None


def _check_extras(options: ReadOptions) -> None:
    for name in options.extra:
        if name not in _EXTRAS:
            raise InputError(f"there is no column {name!r} to keep; a campaign always keeps: {', '.join(_EXTRAS)}")


def _parsed(
    tx: sa.Connection,
    info: CampaignInfo,
    options: ReadOptions,
    controls: bool,
    upto: int | None = None,
    left_out_as_of: int | None = None,
) -> Parsed:
    answers = read_answers(tx, answered(info.id, answer_columns(), upto=upto))
    systems = since_when(_systems(tx, info.id, controls))
    left_out = left_out_of(tx, info.id, upto=left_out_as_of).values()
    # At any time: a rule that is taken back, or comes late, was a look all the same.
    return judgments_of(answers, systems, options, watched=was_watched(tx, info.id), left_out=left_out)


def _counting(rows: pl.DataFrame, gone: pl.DataFrame) -> pl.DataFrame:
    """Judgments of judges who are not left out."""
    return (rows.filter(pl.col(LEFT_OUT) == 0) if gone.height else rows).drop(LEFT_OUT)


def _replace_reasons(sieve: Sieve, gone: pl.Series) -> None:
    """Say of all screens of judges who are left out that they are, and nothing else."""
    numbers = set(gone)
    others = [record for record in sieve.dropped if record.line not in numbers]
    sieve.dropped = [*others, *(Dropped(number, REASON, "skipped") for number in sorted(numbers))]


def _uses(rows: pl.DataFrame) -> tuple[ColumnUse, ...]:
    """What the columns of the judgments hold, with examples."""
    examples = {
        name: rows[name].head(100).drop_nulls().cast(pl.String).unique(maintain_order=True) for name in rows.columns
    }
    role = {name: "covariate" if name.startswith(EXTRA_PREFIX) else name for name in rows.columns}
    return tuple(ColumnUse(role[name], name, "usual", tuple(examples[name].head(3))) for name in rows.columns)


def _systems(tx: sa.Connection, campaign_id: int, controls: bool) -> pl.DataFrame:
    """The systems behind every output, one a row; a control stands for itself if it is wanted."""
    system = schema.system.c
    query = shown_outputs(campaign_id, schema.output.c.id, schema.output.c.kind, system.name, system.added_after)
    types = {"places": pl.Int64(), "kind": pl.String(), "system": pl.String(), "since": pl.Int64()}
    systems = pl.DataFrame(tx.execute(query).all(), schema=types, orient="row")
    if controls:
        own = pl.format(f"{RESERVED_PREFIX}{{}}", "kind")
        systems = systems.with_columns(pl.coalesce("system", own).alias("system"))
    return systems.filter(pl.col("system").is_not_null()).drop("kind")


def since_when(systems: pl.DataFrame) -> pl.DataFrame:
    """The systems behind outputs, ``since`` which answer and ``until`` which; whether several were ``shared`` by one.

    A system that was added late says nothing of earlier answers, whatever output it shares. So an output stands behind
    a growing number of systems, each for answers with numbers above ``since`` and up to ``until``.
    """
    systems = systems.with_columns(pl.col("since").fill_null(0))
    of_several = (pl.len().over("places") > 1).alias("shared")
    at_once = systems.filter(pl.col("since").n_unique().over("places") == 1)
    joined_later = systems.filter(pl.col("since").n_unique().over("places") > 1)
    eras = [at_once.with_columns(pl.lit(_FOR_EVER, pl.Int64).alias("until"), of_several)]
    for _, behind in joined_later.group_by("places", maintain_order=True):
        starts = sorted(set(behind["since"].to_list()))
        for start, end in zip(starts, [*starts[1:], _FOR_EVER], strict=True):
            known = behind.filter(pl.col("since") <= start)
            lasts = (pl.lit(start, pl.Int64).alias("since"), pl.lit(end, pl.Int64).alias("until"))
            eras.append(known.with_columns(*lasts, of_several))
    return pl.concat(eras)


def _collapsed(systems: pl.DataFrame) -> pl.DataFrame:
    """One name an output, joined where several systems share it."""
    joined = systems.group_by("places", "since", "until", "shared", maintain_order=True).agg(
        pl.col("system").str.join(","), pl.col("system").alias("_behind")
    )
    twice = joined.unique(["system", "_behind"]).filter(pl.col("system").is_duplicated())
    if twice.height:
        raise InputError(
            f"systems that share an output are joined by commas, and {twice['system'][0]!r} would then be the name of "
            "different ones; do not collapse them"
        )
    return joined.drop("_behind")


def _outputs(screens: pl.DataFrame, systems: pl.DataFrame) -> pl.DataFrame:
    """One row per system on a screen; systems that share an output have its rank and its place.

    The store knows who is behind an output, so names are not taken apart as those in files must be.
    """
    shown = screens.select(RECORD, "answer", "places", "ranks").explode("places", "ranks")
    place = pl.int_range(1, pl.len() + 1, dtype=pl.Int32).over(RECORD)
    ranked = shown.with_columns(place.alias("position"), (-pl.col("ranks")).cast(pl.Float64).alias(VALUE))
    known = ranked.join(systems, on="places", maintain_order="left_right")
    return known.filter(pl.col("answer").is_between("since", "until", closed="right")).drop("answer", "since", "until")


def _comparable(sieve: Sieve, outputs: pl.DataFrame) -> pl.DataFrame:
    """Take out the screens that show one system only, which happens where a control stands beside it."""
    counted = outputs.group_by(RECORD).len("_systems")
    sieve.frame = sieve.frame.join(counted, on=RECORD, how="left", maintain_order="left")
    few = pl.col("_systems").fill_null(0) < 2
    sieve.reject(few, "shows one output beside a control, so it compares no systems", kind="skipped")
    sieve.frame = sieve.frame.drop("_systems")
    return outputs.join(sieve.frame.select(RECORD), on=RECORD, how="semi", maintain_order="left")
