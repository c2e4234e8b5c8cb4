"""What an analysis says of a language pair after some of its answers, and which process analyses."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    _snapshot()
    _screen()
    _analysis()


def _snapshot() -> None:
    op.create_table(
        "snapshot",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("language_pair_id", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("answer", sa.BigInteger(), nullable=False),
        sa.Column("answers", sa.Integer(), nullable=False),
        sa.Column("strategy", sa.Text(), nullable=False),
        sa.Column("choices", sa.JSON(), nullable=True),
        sa.Column("rule", sa.Text(), nullable=False),
        sa.Column("p", sa.Float(), nullable=False),
        sa.Column("met", sa.Boolean(), nullable=False),
        sa.Column("standing", sa.JSON(), nullable=True),
        sa.Column("ranking", sa.JSON(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["language_pair_id"], ["language_pair.id"], name=op.f("fk_snapshot_language_pair_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_snapshot")),
        sa.UniqueConstraint("language_pair_id", "version", name=op.f("uq_snapshot_language_pair_id_version")),
    )
    if op.get_bind().dialect.name == "sqlite":
        for action in ("update", "delete"):
            op.execute(
                f"create trigger snapshot_refuses_{action} before {action} on snapshot "
                "begin select raise(abort, 'rows of snapshot are never changed'); end"
            )
        return
    op.execute(
        "create trigger snapshot_append_only before update or delete or truncate on snapshot "
        "for each statement execute function palmares_append_only()"
    )


def _screen() -> None:
    name = op.f("fk_screen_snapshot_id")
    if op.get_bind().dialect.name == "sqlite":  # which adds a column with its reference, and no reference later
        op.execute(f"alter table screen add column snapshot_id bigint constraint {name} references snapshot (id)")
        return
    op.add_column("screen", sa.Column("snapshot_id", sa.BigInteger(), nullable=True))
    op.create_foreign_key(name, "screen", "snapshot", ["snapshot_id"], ["id"])


def _analysis() -> None:
    op.create_table(
        "analysis",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("holder", sa.Text(), nullable=False),
        sa.Column("process", sa.Text(), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_analysis")),
    )
