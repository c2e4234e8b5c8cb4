"""Versions of the tables, by Alembic."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory

MIGRATIONS = Path(__file__).parent


def upgrade(connection: sa.Connection, target: str = "head", scripts: Path = MIGRATIONS) -> None:
    """Run the steps up to a version inside the caller's transaction."""
    config = _config(scripts)
    config.attributes["connection"] = connection
    command.upgrade(config, target)


@cache
def head() -> str:
    """The version this package works with."""
    revision = ScriptDirectory.from_config(_config()).get_current_head()
    assert revision is not None  # the package ships at least one
    return revision


@cache
def known() -> frozenset[str]:
    """Every version there has been."""
    return frozenset(step.revision for step in ScriptDirectory.from_config(_config()).walk_revisions())


def _config(scripts: Path = MIGRATIONS) -> Config:
    config = Config()
    config.set_main_option("script_location", str(scripts).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config
