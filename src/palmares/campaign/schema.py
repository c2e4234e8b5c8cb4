"""The tables. What people did (`judgment`, `event`, `setting`, `left_out`) and what was made of it (`snapshot`,
`milestone`) is only ever added to; triggers see to it.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import CheckConstraint, Column, ForeignKey, Index, Table, UniqueConstraint

#: Tables that refuse UPDATE and DELETE.
APPEND_ONLY = ("event", "judgment", "left_out", "milestone", "setting", "snapshot")

metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class Moment(sa.types.TypeDecorator[datetime]):
    """A moment in universal time; SQLite, which has no time zones, keeps it without one."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        if value is None:
            return None
        value = value.astimezone(UTC)
        return value.replace(tzinfo=None) if dialect.name == "sqlite" else value

    def process_result_value(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def _id() -> Column[int]:
    # SQLite numbers a primary key by itself only if it is exactly INTEGER.
    return Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), primary_key=True)


def _to(table: str, *, optional: bool = False, name: str | None = None, **options: Any) -> Column[int]:
    return Column(name or f"{table}_id", sa.BigInteger, ForeignKey(f"{table}.id"), nullable=optional, **options)


def _text(name: str, *, optional: bool = False, **options: Any) -> Column[str]:
    return Column(name, sa.Text, nullable=optional, **options)


def _at(name: str = "created_at", *, optional: bool = False) -> Column[datetime]:
    return Column(name, Moment, nullable=optional)


def _where(condition: str) -> dict[str, Any]:
    """Of an index: only rows for which this holds are in it."""
    return {f"{dialect}_where": sa.text(condition) for dialect in ("sqlite", "postgresql")}


# -- what the organiser brings -----------------------------------------------------------------------

campaign = Table(
    "campaign",
    metadata,
    _id(),
    _text("name", unique=True),
    _text("state"),  # open, paused, closed
    _text("secret"),  # keys what must not be guessed or traced: hashes of addresses
    _at(),
    _at("revealed_at", optional=True),  # since when observers may know which system is which
    _at("archived_at", optional=True),
    CheckConstraint("state in ('open', 'paused', 'closed')", name="state"),
)

setting = Table(
    "setting",
    metadata,
    _id(),
    _to("campaign"),
    Column("revision", sa.Integer, nullable=False),
    _text("body"),
    _at(),
    UniqueConstraint("campaign_id", "revision"),
)

language_pair = Table(
    "language_pair",
    metadata,
    _id(),
    _to("campaign"),
    _text("source"),
    _text("target"),
    _text("name"),
    # What the rule "comparisons of every two systems" was told last: the least of them, after so many answered screens.
    Column("least_compared", sa.Integer, nullable=True),
    Column("compared_after", sa.Integer, nullable=True),
    Column("hits", sa.Integer, nullable=False, default=0, server_default="0"),  # those in stock included
    _at("designing_until", optional=True),  # a worker designs HITs ahead of demand
    UniqueConstraint("campaign_id", "name"),
)

system = Table(
    "system",
    metadata,
    _id(),
    _to("language_pair"),
    _text("name"),
    Column("designed", sa.Integer, nullable=False, default=0),  # screens it was chosen for
    # The last answer there was when it was added: earlier ones say nothing of it, whatever output it shares.
    Column("added_after", sa.BigInteger, nullable=False, default=0, server_default="0"),
    UniqueConstraint("language_pair_id", "name"),
)

system_pair = Table(
    "system_pair",
    metadata,
    Column("first_id", sa.BigInteger, ForeignKey("system.id"), primary_key=True),  # the lower of the two ids
    Column("second_id", sa.BigInteger, ForeignKey("system.id"), primary_key=True),
    Column("designed", sa.Integer, nullable=False, default=0),  # screens both were chosen for
)

segment = Table(
    "segment",
    metadata,
    _id(),
    _to("language_pair"),
    Column("position", sa.Integer, nullable=False),
    _text("name"),
    _text("document", optional=True),
    _text("source"),
    Column("turns", sa.JSON(none_as_null=True), nullable=True),  # of a conversation: [{"role", "content"}, …]
    _text("reference", optional=True),
    Column("designed", sa.Integer, nullable=False, default=0),  # screens it was chosen for
    Column("outputs", sa.Integer, nullable=False),  # different outputs there are to compare
    UniqueConstraint("language_pair_id", "position"),
    UniqueConstraint("language_pair_id", "name"),
)

output = Table(
    "output",
    metadata,
    _id(),
    _to("segment", index=True),
    _text("kind"),  # system, reference, degraded
    _text("text"),
    Column("turns", sa.JSON(none_as_null=True), nullable=True),  # of an answer that is a conversation itself
    _to("output", optional=True, name="original_id"),  # of a degraded one
    CheckConstraint("kind in ('system', 'reference', 'degraded')", name="kind"),
)

output_system = Table(
    "output_system",
    metadata,
    Column("output_id", sa.BigInteger, ForeignKey("output.id"), primary_key=True),
    Column("system_id", sa.BigInteger, ForeignKey("system.id"), primary_key=True),
)

image = Table(
    "image",
    metadata,
    _id(),
    _to("campaign"),
    _text("name"),  # as the texts name it
    _text("media_type"),
    _text("digest"),
    Column("body", sa.LargeBinary, nullable=False),
    UniqueConstraint("campaign_id", "name"),
    Index("ix_image_campaign_id_digest", "campaign_id", "digest"),
)

# -- who takes part ----------------------------------------------------------------------------------

person = Table(
    "person",
    metadata,
    _id(),
    _to("campaign"),
    _text("role"),
    _text("name"),
    _text("pseudonym"),
    Column("langs", sa.JSON, nullable=False),  # names of language pairs; empty: all
    _at(),
    _at("consented_at", optional=True),
    _at("practised_at", optional=True),
    _at("pseudonymised_at", optional=True),
    Column("done", sa.Integer, nullable=False, default=0, server_default="0"),  # screens dealt with, practice apart
    Column("program", sa.Boolean, nullable=False, default=False, server_default=sa.false()),  # a judge by the interface
    UniqueConstraint("campaign_id", "name"),
    UniqueConstraint("campaign_id", "pseudonym"),
    CheckConstraint("role in ('organiser', 'observer', 'judge')", name="role"),
)

invite = Table(
    "invite",
    metadata,
    _id(),
    _to("person", index=True),
    _text("digest", unique=True),
    _at(),
    _at("expires_at"),
    _at("revoked_at", optional=True),
)

session = Table(
    "session",
    metadata,
    _id(),
    _to("person", index=True),
    _text("digest", unique=True),
    _at(),
    _at("expires_at"),
    _at("revoked_at", optional=True),
)

#: A program that uses the JSON interface by a token. Without a campaign it may make campaigns; with a person it judges.
client = Table(
    "client",
    metadata,
    _id(),
    _to("campaign", optional=True, index=True),
    _to("person", optional=True),
    _text("name"),
    _text("digest", unique=True),
    Column("scopes", sa.JSON, nullable=False),
    _at(),
    _to("person", optional=True, name="by_id"),
    _at("expires_at", optional=True),
    _at("revoked_at", optional=True),
    _at("used_at", optional=True),
)

#: A link that works once and lets whoever opens it make campaigns in the browser, as long as the session lasts.
setup_link = Table(
    "setup_link",
    metadata,
    _id(),
    _text("digest", unique=True),
    _at(),
    _at("expires_at"),
    _at("used_at", optional=True),
    _text("session_digest", optional=True, unique=True),
    _at("session_expires_at", optional=True),
)

#: Texts that were uploaded and checked, until a campaign is made of them or a language pair added. Each session of who
#: makes campaigns has one at most, and so has each organiser.
setup_draft = Table(
    "setup_draft",
    metadata,
    _id(),
    _to("setup_link", optional=True, unique=True),
    _to("person", optional=True, unique=True),
    _text("name"),  # what the campaign is to be called; empty for a language pair
    Column("texts", sa.LargeBinary, nullable=False),  # test sets, packed
    Column("findings", sa.JSON, nullable=False),
    Column("accepted", sa.Boolean, nullable=False),  # whether somebody has read the findings and goes on
    _text("settings"),
    _at(),
)

group_link = Table(
    "group_link",
    metadata,
    _id(),
    _to("campaign", index=True),
    _text("name"),
    _text("digest", unique=True),
    Column("places", sa.Integer, nullable=False),  # workers it may make judges of
    Column("langs", sa.JSON, nullable=False),  # names of language pairs; empty: all
    _at(),
    _at("expires_at"),
    _at("revoked_at", optional=True),
    UniqueConstraint("campaign_id", "name"),
)

#: A judge who came by a group link. The ids are the platform's, and are erased on request.
worker = Table(
    "worker",
    metadata,
    Column("person_id", sa.BigInteger, ForeignKey("person.id"), primary_key=True, autoincrement=False),
    _to("campaign"),
    _to("group_link", index=True),
    _text("worker", optional=True),
    _text("study", optional=True),
    _text("session", optional=True),
    _text("resume_digest", unique=True),  # of the code shown at the start, to go on in another browser
    _text("completion_code", optional=True),
    _at("ended_at", optional=True),  # whatever the outcome
    _text("outcome", optional=True),  # completed, screened-out, dropped-out
    UniqueConstraint("campaign_id", "worker"),
    CheckConstraint("outcome in ('completed', 'screened-out', 'dropped-out')", name="outcome"),
)

# -- what is asked, and of whom ----------------------------------------------------------------------

hit = Table(
    "hit",
    metadata,
    _id(),
    _to("language_pair", index=True),
    Column("wanted", sa.Integer, nullable=False),  # judges who shall do it
    Column("closed", sa.Boolean, nullable=False),  # every screen has the answers it shall have
    Column("answers", sa.Integer, nullable=False, default=0),  # latest answers with ranks, repeats apart
    _at(),
    Index("ix_hit_open", "language_pair_id", "id", **_where("not closed")),
)

screen = Table(
    "screen",
    metadata,
    _id(),
    _to("hit", optional=True, index=True),  # a practice screen is in none
    _to("segment"),
    Column("position", sa.Integer, nullable=False),
    _text("purpose"),  # judge, practice
    _text("control", optional=True),  # reference, degraded
    _text("strategy"),
    Column("probability", sa.Float, nullable=False),  # of this segment and these outputs, when they were chosen
    _to("snapshot", optional=True),  # whose choices were drawn from, whatever chose in the end
    _at(),
    CheckConstraint("purpose in ('judge', 'practice')", name="purpose"),
    CheckConstraint("control in ('reference', 'degraded')", name="control"),
)

screen_output = Table(
    "screen_output",
    metadata,
    Column("screen_id", sa.BigInteger, ForeignKey("screen.id"), primary_key=True),
    Column("output_id", sa.BigInteger, ForeignKey("output.id"), primary_key=True),
)

lease = Table(
    "lease",
    metadata,
    _id(),
    _to("hit"),
    _to("person", index=True),
    _at(),
    _at("renewed_at"),
    _at("finished_at", optional=True),
    UniqueConstraint("hit_id", "person_id"),
    Index("ix_lease_finished_at_renewed_at", "finished_at", "renewed_at"),
    Index("ix_lease_unfinished", "person_id", **_where("finished_at is null")),
)

served = Table(
    "served",
    metadata,
    _id(),
    _text("public_id", unique=True),
    _to("lease", optional=True, index=True),  # a practice screen has none
    _to("screen", index=True),
    _to("person"),
    Column("position", sa.Integer, nullable=False),
    Column("places", sa.JSON, nullable=False),  # output ids from top to bottom
    _to("served", optional=True, name="repeat_of", unique=True),  # a screen comes back once at most
    _at(),
    Index("ix_served_person_id_id", "person_id", "id"),
    Index("ix_served_person_id_repeat", "person_id", **_where("repeat_of is not null")),
    # Whoever has been given a screen is not given it again as if it were new.
    Index("uq_served_person_id_screen_id", "person_id", "screen_id", unique=True, **_where("repeat_of is null")),
)

# -- what came back ----------------------------------------------------------------------------------

judgment = Table(
    "judgment",
    metadata,
    _id(),
    _to("served"),
    Column("revision", sa.Integer, nullable=False),
    _text("submission"),
    Column("ranks", sa.JSON(none_as_null=True), nullable=True),  # from top to bottom; null: skipped
    _text("skip", optional=True),
    _text("verdict", optional=True),  # both-bad: a tie of two outputs that are both no good
    _text("note", optional=True),
    Column("problem", sa.Boolean, nullable=False, default=False, server_default=sa.false()),  # the note reports one
    Column("seconds", sa.Float, nullable=True),
    Column("late", sa.Boolean, nullable=False),
    _at(),
    UniqueConstraint("served_id", "revision"),
    UniqueConstraint("served_id", "submission"),
    CheckConstraint("(ranks is null) <> (skip is null)", name="answer"),
    # What rests on the answers up to one must not come to mean others, once a campaign and its answers are deleted.
    sqlite_autoincrement=True,
)

#: Whether the answers of a judge count: the last row says so. None of them is deleted.
left_out = Table(
    "left_out",
    metadata,
    _id(),
    _to("campaign", index=True),
    _to("person", index=True),
    Column("out", sa.Boolean, nullable=False),
    _text("reason", optional=True),
    _to("person", optional=True, name="by_id"),
    _at(),
)

#: How often a judge was given a segment; practice and repeats do not count.
met = Table(
    "met",
    metadata,
    Column("person_id", sa.BigInteger, ForeignKey("person.id"), primary_key=True, autoincrement=False),
    Column("segment_id", sa.BigInteger, ForeignKey("segment.id"), primary_key=True, autoincrement=False),
    Column("times", sa.Integer, nullable=False),
)

draft = Table(
    "draft",
    metadata,
    Column("served_id", sa.BigInteger, ForeignKey("served.id"), primary_key=True, autoincrement=False),
    Column("ranks", sa.JSON, nullable=False),
    Column("version", sa.Integer, nullable=False),
    _at("updated_at"),
)

event = Table(
    "event",
    metadata,
    _id(),
    _to("campaign", index=True),
    _at(),
    _text("kind"),
    _to("person", optional=True),  # whom it is about
    _to("person", optional=True, name="by_id"),  # who did it; null: the command line
    Column("body", sa.JSON, nullable=False),
)

rate = Table(
    "rate",
    metadata,
    Column("key", sa.Text, primary_key=True),
    Column("slot", sa.BigInteger, primary_key=True, autoincrement=False),
    Column("count", sa.Integer, nullable=False),
    Index("ix_rate_slot", "slot"),
)

#: What the analysis of a language pair says after some of its answers. Screens name the one they were chosen by.
snapshot = Table(
    "snapshot",
    metadata,
    _id(),
    _to("language_pair"),
    Column("version", sa.Integer, nullable=False),  # from 1, of its language pair
    # The number of the last judgment it rests on, with all before it and none after; 0: none. (A reference would close
    # a circle, for judgments are of screens, and screens name snapshots.)
    Column("answer", sa.BigInteger, nullable=False),
    Column("answers", sa.Integer, nullable=False),  # as `hit.answers` counts them
    _text("strategy"),
    Column("choices", sa.JSON(none_as_null=True), nullable=True),  # what to draw from; null: nothing is known yet
    _text("rule"),  # `stop.rule` that it decided by; empty: none
    Column("p", sa.Float, nullable=False),
    Column("met", sa.Boolean, nullable=False),  # whether the rule says that it is enough
    Column("standing", sa.JSON(none_as_null=True), nullable=True),  # where the rule stands, and what is still open
    Column("ranking", sa.JSON(none_as_null=True), nullable=True),  # only of those for which one was computed
    _at(),
    UniqueConstraint("language_pair_id", "version"),
)

#: The results of a language pair as its page shows them, newest only. They rest on all answers up to one, and on who
#: was left out up to one row of `left_out` (0: nobody ever was).
board = Table(
    "board",
    metadata,
    Column("language_pair_id", sa.BigInteger, ForeignKey("language_pair.id"), primary_key=True, autoincrement=False),
    Column("version", sa.Integer, nullable=False),  # from 1, of its language pair
    Column("answer", sa.BigInteger, nullable=False),
    Column("left_out", sa.BigInteger, nullable=False),
    Column("judgments", sa.Integer, nullable=False),
    Column("body", sa.JSON, nullable=False),
    _at(),
)

#: What is kept of earlier results, to show how rank ranges narrowed: one for every few per cent more judgments.
milestone = Table(
    "milestone",
    metadata,
    _id(),
    _to("language_pair"),
    Column("version", sa.Integer, nullable=False),  # of the results it is of
    Column("answer", sa.BigInteger, nullable=False),
    Column("left_out", sa.BigInteger, nullable=False),
    Column("judgments", sa.Integer, nullable=False),
    Column("body", sa.JSON, nullable=False),
    _at(),
    UniqueConstraint("language_pair_id", "version"),
)

#: A report that the public may read, not before a moment if one is set. It is asked for here, and made apart.
publication = Table(
    "publication",
    metadata,
    _id(),
    _to("campaign", index=True),
    _at("not_before", optional=True),
    _at(),
    _to("person", optional=True, name="by_id"),
    Column("answer", sa.BigInteger, nullable=True),  # the last answer it rests on
    Column("left_out", sa.BigInteger, nullable=True),  # the last row of `left_out` it rests on; 0: none
    Column("page", sa.LargeBinary, nullable=True),
    _text("failed", optional=True),  # why it could not be made
    _at("made_at", optional=True),
    _at("withdrawn_at", optional=True),
)

#: The process that analyses this database, one row: who has the claim, and when they last showed that they live.
analysis = Table(
    "analysis",
    metadata,
    _id(),
    _text("holder"),
    _text("process"),  # for people: number and machine
    _at("since"),
    _at("seen_at"),
)

#: Where this database is served: the address of the server that was started last.
server = Table("server", metadata, _id(), _text("address"), _at("started_at"))


_LATER = judgment.alias("later")


def latest(
    served_id: sa.ColumnElement[int] | int, answer: sa.FromClause = judgment, *, upto: int | None = None
) -> sa.ColumnElement[bool]:
    """The condition that ``answer``, a row of `judgment`, is the latest revision for a served screen.

    ``upto``: as it was once the judgment with this number was there, and none after it.
    """
    newer = sa.exists().where(_LATER.c.served_id == answer.c.served_id, _LATER.c.revision > answer.c.revision)
    if upto is None:
        return sa.and_(answer.c.served_id == served_id, ~newer)
    return sa.and_(answer.c.served_id == served_id, answer.c.id <= upto, ~newer.where(_LATER.c.id <= upto))
