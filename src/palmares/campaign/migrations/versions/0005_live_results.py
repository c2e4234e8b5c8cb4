"""Live results, judges left out, programs as judges and clients, campaigns made in the browser, published reports."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    _columns()
    _numbered_once()
    _deletable()
    _client()
    _setup_link()
    _setup_draft()
    _left_out()
    _board()
    _milestone()
    _publication()


def _id() -> sa.Column[int]:
    return sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False)


def _columns() -> None:
    op.add_column("campaign", sa.Column("revealed_at", _MOMENT, nullable=True))
    op.add_column("campaign", sa.Column("archived_at", _MOMENT, nullable=True))
    op.add_column("system", sa.Column("added_after", sa.BigInteger(), nullable=False, server_default="0"))
    op.add_column("person", sa.Column("program", sa.Boolean(), nullable=False, server_default=sa.false()))


def _numbered_once() -> None:
    """Let SQLite never give the number of a deleted answer to another one, as PostgreSQL never does."""
    if op.get_bind().dialect.name != "sqlite":
        return
    columns = "id, served_id, revision, submission, ranks, skip, note, seconds, late, created_at, verdict, problem"
    op.execute(
        "create table judgment_0005 ("
        "id integer not null constraint pk_judgment primary key autoincrement, served_id bigint not null, "
        "revision integer not null, submission text not null, ranks json, skip text, note text, seconds float, "
        "late boolean not null, created_at datetime not null, verdict text, problem boolean default 0 not null, "
        "constraint ck_judgment_answer check ((ranks is null) <> (skip is null)), "
        "constraint fk_judgment_served_id foreign key(served_id) references served (id), "
        "constraint uq_judgment_served_id_revision unique (served_id, revision), "
        "constraint uq_judgment_served_id_submission unique (served_id, submission))"
    )
    op.execute(f"insert into judgment_0005 ({columns}) select {columns} from judgment order by id")
    op.execute("drop trigger judgment_refuses_update")
    op.execute("drop trigger judgment_refuses_delete")
    op.execute("drop table judgment")
    op.execute("alter table judgment_0005 rename to judgment")
    _append_only("judgment")


def _deletable() -> None:
    """Let a transaction that says so delete rows that are otherwise kept for ever: those of a whole campaign.

    On SQLite it takes the triggers away and puts them back, since there is nobody else who writes meanwhile.
    """
    if op.get_bind().dialect.name == "sqlite":
        return
    op.execute(
        "create or replace function palmares_append_only() returns trigger language plpgsql as $$ "
        "begin "
        "if tg_op = 'DELETE' and current_setting('palmares.deletes_campaign', true) = 'yes' then return null; end if; "
        "raise exception 'rows of % are never changed', tg_table_name; end $$"
    )


def _append_only(table: str) -> None:
    if op.get_bind().dialect.name == "sqlite":
        for action in ("update", "delete"):
            op.execute(
                f"create trigger {table}_refuses_{action} before {action} on {table} "
                f"begin select raise(abort, 'rows of {table} are never changed'); end"
            )
        return
    op.execute(
        f"create trigger {table}_append_only before update or delete or truncate on {table} "
        "for each statement execute function palmares_append_only()"
    )


def _client() -> None:
    op.create_table(
        "client",
        _id(),
        sa.Column("campaign_id", sa.BigInteger(), nullable=True),
        sa.Column("person_id", sa.BigInteger(), nullable=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("scopes", sa.JSON(), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("by_id", sa.BigInteger(), nullable=True),
        sa.Column("expires_at", _MOMENT, nullable=True),
        sa.Column("revoked_at", _MOMENT, nullable=True),
        sa.Column("used_at", _MOMENT, nullable=True),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_client_campaign_id")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_client_person_id")),
        sa.ForeignKeyConstraint(["by_id"], ["person.id"], name=op.f("fk_client_by_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_client")),
        sa.UniqueConstraint("digest", name=op.f("uq_client_digest")),
    )
    op.create_index(op.f("ix_client_campaign_id"), "client", ["campaign_id"])


def _setup_link() -> None:
    op.create_table(
        "setup_link",
        _id(),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("expires_at", _MOMENT, nullable=False),
        sa.Column("used_at", _MOMENT, nullable=True),
        sa.Column("session_digest", sa.Text(), nullable=True),
        sa.Column("session_expires_at", _MOMENT, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_setup_link")),
        sa.UniqueConstraint("digest", name=op.f("uq_setup_link_digest")),
        sa.UniqueConstraint("session_digest", name=op.f("uq_setup_link_session_digest")),
    )


def _setup_draft() -> None:
    op.create_table(
        "setup_draft",
        _id(),
        sa.Column("setup_link_id", sa.BigInteger(), nullable=True),
        sa.Column("person_id", sa.BigInteger(), nullable=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("texts", sa.LargeBinary(), nullable=False),
        sa.Column("findings", sa.JSON(), nullable=False),
        sa.Column("accepted", sa.Boolean(), nullable=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["setup_link_id"], ["setup_link.id"], name=op.f("fk_setup_draft_setup_link_id")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_setup_draft_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_setup_draft")),
        sa.UniqueConstraint("setup_link_id", name=op.f("uq_setup_draft_setup_link_id")),
        sa.UniqueConstraint("person_id", name=op.f("uq_setup_draft_person_id")),
    )


def _left_out() -> None:
    op.create_table(
        "left_out",
        _id(),
        sa.Column("campaign_id", sa.BigInteger(), nullable=False),
        sa.Column("person_id", sa.BigInteger(), nullable=False),
        sa.Column("out", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("by_id", sa.BigInteger(), nullable=True),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_left_out_campaign_id")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_left_out_person_id")),
        sa.ForeignKeyConstraint(["by_id"], ["person.id"], name=op.f("fk_left_out_by_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_left_out")),
    )
    op.create_index(op.f("ix_left_out_campaign_id"), "left_out", ["campaign_id"])
    op.create_index(op.f("ix_left_out_person_id"), "left_out", ["person_id"])
    _append_only("left_out")


def _board() -> None:
    op.create_table(
        "board",
        sa.Column("language_pair_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("answer", sa.BigInteger(), nullable=False),
        sa.Column("left_out", sa.BigInteger(), nullable=False),
        sa.Column("judgments", sa.Integer(), nullable=False),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["language_pair_id"], ["language_pair.id"], name=op.f("fk_board_language_pair_id")),
        sa.PrimaryKeyConstraint("language_pair_id", name=op.f("pk_board")),
    )


def _milestone() -> None:
    op.create_table(
        "milestone",
        _id(),
        sa.Column("language_pair_id", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("answer", sa.BigInteger(), nullable=False),
        sa.Column("left_out", sa.BigInteger(), nullable=False),
        sa.Column("judgments", sa.Integer(), nullable=False),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["language_pair_id"], ["language_pair.id"], name=op.f("fk_milestone_language_pair_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_milestone")),
        sa.UniqueConstraint("language_pair_id", "version", name=op.f("uq_milestone_language_pair_id_version")),
    )
    _append_only("milestone")


def _publication() -> None:
    op.create_table(
        "publication",
        _id(),
        sa.Column("campaign_id", sa.BigInteger(), nullable=False),
        sa.Column("not_before", _MOMENT, nullable=True),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("by_id", sa.BigInteger(), nullable=True),
        sa.Column("answer", sa.BigInteger(), nullable=True),
        sa.Column("left_out", sa.BigInteger(), nullable=True),
        sa.Column("page", sa.LargeBinary(), nullable=True),
        sa.Column("failed", sa.Text(), nullable=True),
        sa.Column("made_at", _MOMENT, nullable=True),
        sa.Column("withdrawn_at", _MOMENT, nullable=True),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_publication_campaign_id")),
        sa.ForeignKeyConstraint(["by_id"], ["person.id"], name=op.f("fk_publication_by_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_publication")),
    )
    op.create_index(op.f("ix_publication_campaign_id"), "publication", ["campaign_id"])
