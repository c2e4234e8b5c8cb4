"""Alembic's way in: the caller brings the connection, and its transaction."""

from __future__ import annotations

from alembic import context

from palmares.campaign.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,  # SQLite cannot alter a column in place
)
context.run_migrations()
