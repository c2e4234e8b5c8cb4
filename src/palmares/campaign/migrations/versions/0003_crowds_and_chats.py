"""Conversations, images and verdicts; workers who come by a group link; what judges have done and met, as numbers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    _conversations()
    _image()
    _done()
    _group_link()
    _worker()
    _hits()
    _unfinished()
    _met()
    _server()


def _conversations() -> None:
    for table in ("segment", "output"):
        op.add_column(table, sa.Column("turns", sa.JSON(), nullable=True))
    op.add_column("judgment", sa.Column("verdict", sa.Text(), nullable=True))
    op.add_column("judgment", sa.Column("problem", sa.Boolean(), server_default=sa.false(), nullable=False))


def _image() -> None:
    op.create_table(
        "image",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("campaign_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("media_type", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_image_campaign_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_image")),
        sa.UniqueConstraint("campaign_id", "name", name=op.f("uq_image_campaign_id_name")),
    )
    op.create_index("ix_image_campaign_id_digest", "image", ["campaign_id", "digest"], unique=False)


def _done() -> None:
    """Count what judges have dealt with so far: served screens of a lease that have an answer."""
    op.add_column("person", sa.Column("done", sa.Integer(), server_default="0", nullable=False))
    op.execute(
        "update person set done = (select count(*) from served where served.person_id = person.id"
        " and served.lease_id is not null"
        " and exists (select 1 from judgment where judgment.served_id = served.id))"
    )


def _group_link() -> None:
    op.create_table(
        "group_link",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("campaign_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("places", sa.Integer(), nullable=False),
        sa.Column("langs", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_group_link_campaign_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_group_link")),
        sa.UniqueConstraint("campaign_id", "name", name=op.f("uq_group_link_campaign_id_name")),
        sa.UniqueConstraint("digest", name=op.f("uq_group_link_digest")),
    )
    op.create_index(op.f("ix_group_link_campaign_id"), "group_link", ["campaign_id"], unique=False)


def _worker() -> None:
    op.create_table(
        "worker",
        sa.Column("person_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("campaign_id", sa.BigInteger(), nullable=False),
        sa.Column("group_link_id", sa.BigInteger(), nullable=False),
        sa.Column("worker", sa.Text(), nullable=True),
        sa.Column("study", sa.Text(), nullable=True),
        sa.Column("session", sa.Text(), nullable=True),
        sa.Column("resume_digest", sa.Text(), nullable=False),
        sa.Column("completion_code", sa.Text(), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.CheckConstraint("outcome in ('completed', 'screened-out', 'dropped-out')", name=op.f("ck_worker_outcome")),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_worker_campaign_id")),
        sa.ForeignKeyConstraint(["group_link_id"], ["group_link.id"], name=op.f("fk_worker_group_link_id")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_worker_person_id")),
        sa.PrimaryKeyConstraint("person_id", name=op.f("pk_worker")),
        sa.UniqueConstraint("campaign_id", "worker", name=op.f("uq_worker_campaign_id_worker")),
        sa.UniqueConstraint("resume_digest", name=op.f("uq_worker_resume_digest")),
    )
    op.create_index(op.f("ix_worker_group_link_id"), "worker", ["group_link_id"], unique=False)


def _hits() -> None:
    op.add_column("language_pair", sa.Column("hits", sa.Integer(), server_default="0", nullable=False))
    op.add_column("language_pair", sa.Column("designing_until", sa.DateTime(timezone=True), nullable=True))
    op.execute(
        "update language_pair set hits = (select count(*) from hit where hit.language_pair_id = language_pair.id)"
    )
    where = sa.text("not closed")
    op.create_index(
        "ix_hit_open", "hit", ["language_pair_id", "id"], unique=False, sqlite_where=where, postgresql_where=where
    )


def _unfinished() -> None:
    where = sa.text("finished_at is null")
    op.create_index(
        "ix_lease_unfinished", "lease", ["person_id"], unique=False, sqlite_where=where, postgresql_where=where
    )


def _met() -> None:
    op.create_table(
        "met",
        sa.Column("person_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("segment_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("times", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_met_person_id")),
        sa.ForeignKeyConstraint(["segment_id"], ["segment.id"], name=op.f("fk_met_segment_id")),
        sa.PrimaryKeyConstraint("person_id", "segment_id", name=op.f("pk_met")),
    )
    op.execute(
        "insert into met (person_id, segment_id, times)"
        " select served.person_id, screen.segment_id, count(*) from served join screen on served.screen_id = screen.id"
        " where served.repeat_of is null and screen.purpose = 'judge' group by served.person_id, screen.segment_id"
    )
    where = sa.text("repeat_of is not null")
    op.create_index(
        "ix_served_person_id_repeat", "served", ["person_id"], unique=False, sqlite_where=where, postgresql_where=where
    )


def _server() -> None:
    op.create_table(
        "server",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_server")),
    )
