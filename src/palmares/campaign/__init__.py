"""Collect judgments: a campaign's definition, its store, who may do what, and what is asked next.

Nothing here knows of the web. The store is one database (SQLite or PostgreSQL) that may hold several campaigns;
judgments and the journal are only ever added to.
"""

from __future__ import annotations

from enum import StrEnum

# What the command line offers too. It explains its options where the extra 'server' is not installed, so these words
# stand here, where nothing else is imported.

STATES = ("open", "paused", "closed")
#: How long a link or a session may last at most.
LONGEST_DAYS = 3650


class Role(StrEnum):
    """What someone may do in a campaign."""

    ORGANISER = "organiser"
    OBSERVER = "observer"
    JUDGE = "judge"
