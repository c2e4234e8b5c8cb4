"""``palmares campaign``: everything about a campaign but the web pages."""

from __future__ import annotations

import click

from ...registry import Entry, Registry
from .. import LazyGroup

#: Every command below ``palmares campaign``, in the order that help shows them.
CAMPAIGN_COMMANDS = Registry(
    "command",
    {
        "new": Entry("palmares.cli.campaign.texts:new", "Make a campaign of texts."),
        "add": Entry("palmares.cli.campaign.texts:add", "Add language pairs to a campaign."),
        "check": Entry("palmares.cli.campaign.texts:check", "Check texts, and store nothing."),
        "settings": Entry("palmares.cli.campaign.settings:settings", "Print settings, explained, or change them."),
        "invite": Entry("palmares.cli.campaign.invite:invite", "Make links for judges, organisers, observers."),
        "people": Entry("palmares.cli.campaign.people:people", "List who takes part."),
        "revoke": Entry("palmares.cli.campaign.people:revoke", "End someone's links and sessions."),
        "pseudonymise": Entry("palmares.cli.campaign.people:pseudonymise", "Forget someone's name."),
        "list": Entry("palmares.cli.campaign.follow:list_", "List the campaigns of a database."),
        "status": Entry("palmares.cli.campaign.follow:status", "Say how far a campaign has come."),
        "state": Entry("palmares.cli.campaign.follow:state", "Open, pause or close a campaign."),
        "log": Entry("palmares.cli.campaign.follow:log", "Say who did what, and when."),
        "export": Entry("palmares.cli.campaign.export:export", "Write the judgments, or the screens with their texts."),
        "backup": Entry("palmares.cli.campaign.upkeep:backup", "Copy an SQLite database while it is in use."),
        "upgrade": Entry("palmares.cli.campaign.upkeep:upgrade", "Bring a database to this version of palmares."),
    },
)


@click.group(cls=LazyGroup, registry=CAMPAIGN_COMMANDS)
def campaign() -> None:
    """Collect judgments: make a campaign, invite judges, follow their work, write what they said.

    A campaign lives in a database, which `palmares serve` puts on the web.
    """
