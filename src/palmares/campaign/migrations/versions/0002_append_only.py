"""What people did is only ever added to: the database itself refuses to change or delete it."""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision = "0001"

TABLES = ("event", "judgment", "setting")


def upgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        for table in TABLES:
            for action in ("update", "delete"):
                op.execute(
                    f"create trigger {table}_refuses_{action} before {action} on {table} "
                    f"begin select raise(abort, 'rows of {table} are never changed'); end"
                )
        return
    op.execute(
        "create function palmares_append_only() returns trigger language plpgsql as $$ "
        "begin raise exception 'rows of % are never changed', tg_table_name; end $$"
    )
    for table in TABLES:
        op.execute(
            f"create trigger {table}_append_only before update or delete or truncate on {table} "
            "for each statement execute function palmares_append_only()"
        )
