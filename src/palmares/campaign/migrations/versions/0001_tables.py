"""The tables of a campaign."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    _campaign()
    _rate()
    _language_pair()
    _person()
    _setting()
    _event()
    _hit()
    _invite()
    _segment()
    _session()
    _system()
    _system_pair()
    _lease()
    _output()
    _screen()
    _output_system()
    _screen_output()
    _served()
    _draft()
    _judgment()


def _campaign() -> None:
    op.create_table(
        "campaign",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("state in ('open', 'paused', 'closed')", name=op.f("ck_campaign_state")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_campaign")),
        sa.UniqueConstraint("name", name=op.f("uq_campaign_name")),
    )


def _rate() -> None:
    op.create_table(
        "rate",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("slot", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("key", "slot", name=op.f("pk_rate")),
    )
    op.create_index("ix_rate_slot", "rate", ["slot"], unique=False)


def _language_pair() -> None:
    op.create_table(
        "language_pair",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("campaign_id", sa.BigInteger(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("least_compared", sa.Integer(), nullable=True),
        sa.Column("compared_after", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_language_pair_campaign_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_language_pair")),
        sa.UniqueConstraint("campaign_id", "name", name=op.f("uq_language_pair_campaign_id_name")),
    )


def _person() -> None:
    op.create_table(
        "person",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("campaign_id", sa.BigInteger(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("pseudonym", sa.Text(), nullable=False),
        sa.Column("langs", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("consented_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("practised_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("pseudonymised_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("role in ('organiser', 'observer', 'judge')", name=op.f("ck_person_role")),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_person_campaign_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_person")),
        sa.UniqueConstraint("campaign_id", "name", name=op.f("uq_person_campaign_id_name")),
        sa.UniqueConstraint("campaign_id", "pseudonym", name=op.f("uq_person_campaign_id_pseudonym")),
    )


def _setting() -> None:
    op.create_table(
        "setting",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("campaign_id", sa.BigInteger(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_setting_campaign_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_setting")),
        sa.UniqueConstraint("campaign_id", "revision", name=op.f("uq_setting_campaign_id_revision")),
    )


def _event() -> None:
    op.create_table(
        "event",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("campaign_id", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("person_id", sa.BigInteger(), nullable=True),
        sa.Column("by_id", sa.BigInteger(), nullable=True),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["by_id"], ["person.id"], name=op.f("fk_event_by_id")),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_event_campaign_id")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_event_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event")),
    )
    op.create_index(op.f("ix_event_campaign_id"), "event", ["campaign_id"], unique=False)


def _hit() -> None:
    op.create_table(
        "hit",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("language_pair_id", sa.BigInteger(), nullable=False),
        sa.Column("wanted", sa.Integer(), nullable=False),
        sa.Column("closed", sa.Boolean(), nullable=False),
        sa.Column("answers", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["language_pair_id"], ["language_pair.id"], name=op.f("fk_hit_language_pair_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_hit")),
    )
    op.create_index(op.f("ix_hit_language_pair_id"), "hit", ["language_pair_id"], unique=False)


def _invite() -> None:
    op.create_table(
        "invite",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("person_id", sa.BigInteger(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_invite_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invite")),
        sa.UniqueConstraint("digest", name=op.f("uq_invite_digest")),
    )
    op.create_index(op.f("ix_invite_person_id"), "invite", ["person_id"], unique=False)


def _segment() -> None:
    op.create_table(
        "segment",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("language_pair_id", sa.BigInteger(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("document", sa.Text(), nullable=True),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("reference", sa.Text(), nullable=True),
        sa.Column("designed", sa.Integer(), nullable=False),
        sa.Column("outputs", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["language_pair_id"], ["language_pair.id"], name=op.f("fk_segment_language_pair_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_segment")),
        sa.UniqueConstraint("language_pair_id", "name", name=op.f("uq_segment_language_pair_id_name")),
        sa.UniqueConstraint("language_pair_id", "position", name=op.f("uq_segment_language_pair_id_position")),
    )


def _session() -> None:
    op.create_table(
        "session",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("person_id", sa.BigInteger(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_session_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_session")),
        sa.UniqueConstraint("digest", name=op.f("uq_session_digest")),
    )
    op.create_index(op.f("ix_session_person_id"), "session", ["person_id"], unique=False)


def _system() -> None:
    op.create_table(
        "system",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("language_pair_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("designed", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["language_pair_id"], ["language_pair.id"], name=op.f("fk_system_language_pair_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_system")),
        sa.UniqueConstraint("language_pair_id", "name", name=op.f("uq_system_language_pair_id_name")),
    )


def _system_pair() -> None:
    op.create_table(
        "system_pair",
        sa.Column("first_id", sa.BigInteger(), nullable=False),
        sa.Column("second_id", sa.BigInteger(), nullable=False),
        sa.Column("designed", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["first_id"], ["system.id"], name=op.f("fk_system_pair_first_id")),
        sa.ForeignKeyConstraint(["second_id"], ["system.id"], name=op.f("fk_system_pair_second_id")),
        sa.PrimaryKeyConstraint("first_id", "second_id", name=op.f("pk_system_pair")),
    )


def _lease() -> None:
    op.create_table(
        "lease",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("hit_id", sa.BigInteger(), nullable=False),
        sa.Column("person_id", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("renewed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["hit_id"], ["hit.id"], name=op.f("fk_lease_hit_id")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_lease_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_lease")),
        sa.UniqueConstraint("hit_id", "person_id", name=op.f("uq_lease_hit_id_person_id")),
    )
    op.create_index("ix_lease_finished_at_renewed_at", "lease", ["finished_at", "renewed_at"], unique=False)
    op.create_index(op.f("ix_lease_person_id"), "lease", ["person_id"], unique=False)


def _output() -> None:
    op.create_table(
        "output",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("segment_id", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("original_id", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("kind in ('system', 'reference', 'degraded')", name=op.f("ck_output_kind")),
        sa.ForeignKeyConstraint(["original_id"], ["output.id"], name=op.f("fk_output_original_id")),
        sa.ForeignKeyConstraint(["segment_id"], ["segment.id"], name=op.f("fk_output_segment_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_output")),
    )
    op.create_index(op.f("ix_output_segment_id"), "output", ["segment_id"], unique=False)


def _screen() -> None:
    op.create_table(
        "screen",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("hit_id", sa.BigInteger(), nullable=True),
        sa.Column("segment_id", sa.BigInteger(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("control", sa.Text(), nullable=True),
        sa.Column("strategy", sa.Text(), nullable=False),
        sa.Column("probability", sa.Float(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("control in ('reference', 'degraded')", name=op.f("ck_screen_control")),
        sa.CheckConstraint("purpose in ('judge', 'practice')", name=op.f("ck_screen_purpose")),
        sa.ForeignKeyConstraint(["hit_id"], ["hit.id"], name=op.f("fk_screen_hit_id")),
        sa.ForeignKeyConstraint(["segment_id"], ["segment.id"], name=op.f("fk_screen_segment_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_screen")),
    )
    op.create_index(op.f("ix_screen_hit_id"), "screen", ["hit_id"], unique=False)


def _output_system() -> None:
    op.create_table(
        "output_system",
        sa.Column("output_id", sa.BigInteger(), nullable=False),
        sa.Column("system_id", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["output_id"], ["output.id"], name=op.f("fk_output_system_output_id")),
        sa.ForeignKeyConstraint(["system_id"], ["system.id"], name=op.f("fk_output_system_system_id")),
        sa.PrimaryKeyConstraint("output_id", "system_id", name=op.f("pk_output_system")),
    )


def _screen_output() -> None:
    op.create_table(
        "screen_output",
        sa.Column("screen_id", sa.BigInteger(), nullable=False),
        sa.Column("output_id", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["output_id"], ["output.id"], name=op.f("fk_screen_output_output_id")),
        sa.ForeignKeyConstraint(["screen_id"], ["screen.id"], name=op.f("fk_screen_output_screen_id")),
        sa.PrimaryKeyConstraint("screen_id", "output_id", name=op.f("pk_screen_output")),
    )


def _served() -> None:
    op.create_table(
        "served",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("public_id", sa.Text(), nullable=False),
        sa.Column("lease_id", sa.BigInteger(), nullable=True),
        sa.Column("screen_id", sa.BigInteger(), nullable=False),
        sa.Column("person_id", sa.BigInteger(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("places", sa.JSON(), nullable=False),
        sa.Column("repeat_of", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["lease_id"], ["lease.id"], name=op.f("fk_served_lease_id")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_served_person_id")),
        sa.ForeignKeyConstraint(["repeat_of"], ["served.id"], name=op.f("fk_served_repeat_of")),
        sa.ForeignKeyConstraint(["screen_id"], ["screen.id"], name=op.f("fk_served_screen_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_served")),
        sa.UniqueConstraint("public_id", name=op.f("uq_served_public_id")),
        sa.UniqueConstraint("repeat_of", name=op.f("uq_served_repeat_of")),
    )
    op.create_index(op.f("ix_served_lease_id"), "served", ["lease_id"], unique=False)
    op.create_index("ix_served_person_id_id", "served", ["person_id", "id"], unique=False)
    op.create_index(op.f("ix_served_screen_id"), "served", ["screen_id"], unique=False)
    op.create_index(
        "uq_served_person_id_screen_id",
        "served",
        ["person_id", "screen_id"],
        unique=True,
        sqlite_where=sa.text("repeat_of is null"),
        postgresql_where=sa.text("repeat_of is null"),
    )


def _draft() -> None:
    op.create_table(
        "draft",
        sa.Column("served_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("ranks", sa.JSON(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["served_id"], ["served.id"], name=op.f("fk_draft_served_id")),
        sa.PrimaryKeyConstraint("served_id", name=op.f("pk_draft")),
    )


def _judgment() -> None:
    op.create_table(
        "judgment",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("served_id", sa.BigInteger(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("submission", sa.Text(), nullable=False),
        sa.Column("ranks", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("skip", sa.Text(), nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("seconds", sa.Float(), nullable=True),
        sa.Column("late", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("(ranks is null) <> (skip is null)", name=op.f("ck_judgment_answer")),
        sa.ForeignKeyConstraint(["served_id"], ["served.id"], name=op.f("fk_judgment_served_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_judgment")),
        sa.UniqueConstraint("served_id", "revision", name=op.f("uq_judgment_served_id_revision")),
        sa.UniqueConstraint("served_id", "submission", name=op.f("uq_judgment_served_id_submission")),
    )
