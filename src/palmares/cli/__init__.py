"""The command line. Commands are imported when they are called, so that ``--help`` is quick."""

from __future__ import annotations

import errno
import os
import sys
from typing import Any, NoReturn

import click

from .._version import __version__
from ..errors import PalmaresError
from ..registry import Entry, Registry
from .help import SectionedGroup


class LazyGroup(SectionedGroup):
    """A group that knows its commands by name and loads only the one that is called."""

    def __init__(self, *args: Any, registry: Registry, **options: Any) -> None:
        super().__init__(*args, **options)
        self.registry = registry

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.registry)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.registry:
            return None
        command: click.Command = self.registry.load(cmd_name)
        return command

    def summary_of(self, ctx: click.Context, name: str) -> str:
        return self.registry[name].summary


#: Every command, by the heading that help has it under, in the order that help shows them.
SECTIONS = {
    "Analyse": {
        "rank": Entry("palmares.cli.rank:rank", "Rank systems: score, rank range, cluster."),
        "describe": Entry("palmares.cli.describe:describe", "Show what a file of judgments contains."),
        "head-to-head": Entry("palmares.cli.head_to_head:head_to_head", "Compare every two systems, with sign tests."),
        "agreement": Entry("palmares.cli.agreement:agreement", "Measure how far judges agree: kappa and alpha."),
        "judges": Entry("palmares.cli.judges:judges", "Know each judge: sensitivity, ties, habits, questions to ask."),
        "segments": Entry("palmares.cli.segments:segments", "Show which segments tell systems apart."),
    },
    "Compare and check": {
        "audit": Entry("palmares.cli.audit:audit", "Check which claims of a ranking the judgments support."),
        "compare": Entry("palmares.cli.compare:compare", "Compare how well models predict unseen judgments."),
        "diff": Entry("palmares.cli.diff:diff", "Show what changed between two rankings, beyond chance."),
        "verify": Entry("palmares.cli.verify:verify", "Make a result again, and say whether it is the same."),
    },
    "Plan and simulate": {
        "plan": Entry("palmares.cli.plan:plan", "Plan how many judgments, judges and hours a target takes."),
        "next": Entry("palmares.cli.next:next_", "Show what to judge next, and for which boundary between ranks."),
        "simulate": Entry("palmares.cli.simulate:simulate", "Simulate a campaign whose truth is known."),
        "coverage": Entry("palmares.cli.coverage:coverage", "Check by simulation whether rank ranges can be trusted."),
    },
    "Collect": {
        "campaign": Entry("palmares.cli.campaign:campaign", "Collect judgments: texts, judges, progress, export."),
        "serve": Entry("palmares.cli.serve:serve", "Serve campaigns to judges and organisers on the web."),
    },
    "Publish": {
        "plot": Entry("palmares.cli.plot:plot", "Draw rankings, pairs, judges, models: every plot by its kind."),
        "report": Entry("palmares.cli.report:report", "Write a report: one page, a PDF, or pieces for a paper."),
    },
    "Other": {
        "score": Entry("palmares.cli.score:score", "Score translations, predictions of quality, and searches."),
        "convert": Entry("palmares.cli.convert:convert", "Read judgments in one format, write them in another."),
        "formats": Entry("palmares.cli.lists:formats", "List the file formats and what they hold."),
        "models": Entry("palmares.cli.lists:models", "List the models and their settings."),
        "reproduce": Entry("palmares.cli.reproduce:reproduce", "Repeat the papers' experiments, and compare numbers."),
        "warm-up": Entry("palmares.cli.warm_up:warm_up", "Compile models ahead, so that nobody waits for it later."),
    },
}
COMMANDS = Registry("command", {name: entry for commands in SECTIONS.values() for name, entry in commands.items()})


@click.group(
    cls=LazyGroup,
    registry=COMMANDS,
    sections=SECTIONS,
    examples=(
        "palmares describe examples/campaign.csv               # what the file holds",
        "palmares rank examples/campaign.csv                   # who is best",
        "palmares audit examples/campaign.csv                  # what can be claimed",
        "palmares report examples/campaign.csv -o report.html  # all on one page",
        "palmares rank --help                                  # options and examples",
        "palmares serve --demo                                 # collecting judgments",
    ),
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="palmares")
def cli() -> None:
    """From human judgments to a ranking you can defend."""


def main(argv: list[str] | None = None) -> Any:
    """Run a command; errors that a user causes are one message on standard error, without a traceback."""
    try:
        return cli.main(args=argv, prog_name="palmares", standalone_mode=True)
    except PalmaresError as error:
        click.echo(f"palmares: error: {error}", err=True)
        sys.exit(error.exit_status)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        click.echo(f"palmares: error: what is printed cannot be written ({error.strerror})", err=True)
        _exit_without_flushing(2)
    except SystemError as error:
        if not _interrupted(error):
            raise
        click.echo("\nAborted!", err=True)
        sys.exit(1)


def _exit_without_flushing(status: int) -> NoReturn:
    """End although standard output still holds what cannot be written; Python would try again, and fail aloud."""
    sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  # it lives as long as the process
    sys.exit(status)


def _interrupted(error: BaseException | None) -> bool:
    """Whether this is what Ctrl-C becomes while compiled code runs; click knows it by its own name only."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__
    return error is not None
