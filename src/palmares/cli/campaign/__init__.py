"""``palmares campaign``: everything about a campaign but the web pages."""

from __future__ import annotations

import click

from ...registry import Entry, Registry
from .. import LazyGroup

#: Every command below ``palmares campaign``, by heading, in the order that help shows them.
CAMPAIGN_SECTIONS = {
    "Make": {
        "new": Entry("palmares.cli.campaign.texts:new", "Create a campaign from texts."),
        "add": Entry("palmares.cli.campaign.texts:add", "Add language pairs to a campaign."),
        "add-system": Entry("palmares.cli.campaign.late:add_system", "Add a system while people judge."),
        "check": Entry("palmares.cli.campaign.texts:check", "Check texts without storing anything."),
        "setup-link": Entry("palmares.cli.campaign.setup:setup_link", "Create a link to make campaigns on the web."),
        "settings": Entry("palmares.cli.campaign.settings:settings", "Print or change settings, with explanations."),
    },
    "Invite": {
        "invite": Entry("palmares.cli.campaign.invite:invite", "Create links for judges, organisers and observers."),
        "people": Entry("palmares.cli.campaign.people:people", "List the participants."),
        "langs": Entry("palmares.cli.campaign.people:langs", "Change the language pairs of a judge."),
        "revoke": Entry("palmares.cli.campaign.people:revoke", "End someone's links and sessions."),
        "pseudonymise": Entry(
            "palmares.cli.campaign.people:pseudonymise", "Delete someone's name, keep the pseudonym."
        ),
    },
    "Programs": {
        "token": Entry("palmares.cli.campaign.programs:token", "Create a token for a program that uses the API."),
        "tokens": Entry("palmares.cli.campaign.programs:tokens", "List or revoke the tokens of programs."),
    },
    "Workers of a platform": {
        "group-link": Entry("palmares.cli.campaign.crowd:group_link", "Create a link for the workers of a platform."),
        "group-links": Entry("palmares.cli.campaign.crowd:group_links", "List or revoke group links."),
        "workers": Entry("palmares.cli.campaign.crowd:workers", "Write a CSV file of workers, for payment."),
        "forget-worker": Entry("palmares.cli.campaign.crowd:forget_worker", "Erase the platform's ids of a worker."),
    },
    "Follow": {
        "list": Entry("palmares.cli.campaign.follow:list_", "List the campaigns of a database."),
        "status": Entry("palmares.cli.campaign.follow:status", "Show the progress of a campaign."),
        "state": Entry("palmares.cli.campaign.follow:state", "Open, pause or close a campaign."),
        "log": Entry("palmares.cli.campaign.follow:log", "Show who did what, and when."),
        "notes": Entry("palmares.cli.campaign.follow:notes", "Show what judges wrote beside their answers."),
    },
    "Decide": {
        "leave-out": Entry("palmares.cli.campaign.left_out:leave_out", "Let the answers of a judge count no more."),
        "take-back": Entry("palmares.cli.campaign.left_out:take_back", "Let the answers of a judge count again."),
        "reveal": Entry("palmares.cli.campaign.publish:reveal", "Tell observers which system is which."),
        "publish": Entry("palmares.cli.campaign.publish:publish", "Publish a report of the judgments there are."),
        "withdraw": Entry("palmares.cli.campaign.publish:withdraw", "Let the public see nothing any more."),
    },
    "Put away": {
        "archive": Entry("palmares.cli.campaign.end:archive", "Take a campaign out of the lists, or put it back."),
        "delete": Entry("palmares.cli.campaign.end:delete", "Delete a campaign and all that belongs to it."),
    },
    "Take home": {
        "export": Entry("palmares.cli.campaign.export:export", "Export judgments, or screens with their texts."),
        "backup": Entry("palmares.cli.campaign.upkeep:backup", "Copy an SQLite database while it is in use."),
        "upgrade": Entry("palmares.cli.campaign.upkeep:upgrade", "Upgrade a database to this version of palmares."),
    },
}
CAMPAIGN_COMMANDS = Registry(
    "command", {name: entry for commands in CAMPAIGN_SECTIONS.values() for name, entry in commands.items()}
)


@click.group(
    cls=LazyGroup,
    registry=CAMPAIGN_COMMANDS,
    sections=CAMPAIGN_SECTIONS,
    examples=(
        "palmares campaign new answers examples/answers.jsonl",
        "palmares campaign invite answers me --role organiser",
        "palmares campaign invite answers --count 10",
        "palmares serve",
        "palmares campaign status answers",
        "palmares campaign export answers judgments.csv",
    ),
)
def campaign() -> None:
    """Create a campaign, invite judges, follow their progress, and export their judgments.

    A campaign lives in a database, which `palmares serve` puts on the web.
    """
