"""``palmares campaign new``, ``add`` and ``check``: the ways in for texts."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from shlex import quote
from typing import TYPE_CHECKING

import click

from ...errors import InputError
from ...results import counted
from ...texts import TEXT_CHECKS, TEXT_FORMATS
from .. import options
from ..help import Sectioned, section
from .changes import GivenSettings, settings_from, settings_options
from .store import database_option, opened, opened_or_made

if TYPE_CHECKING:
    from ...campaign.database import Database
    from ...campaign.settings import Settings
    from ...texts import CheckReport, TestSet

#: Of many findings of one language pair, so many are printed.
_MOST = 20


@dataclass(frozen=True)
class TextOptions:
    """The texts of a campaign: where they are, how they are read, and which errors in them are accepted."""

    texts: str | None
    source: str | None
    reference: str | None
    documents: str | None
    systems: tuple[str, ...]
    langs: str | None
    from_: str
    encoding: str
    images: str | None
    accept: tuple[str, ...]


text_options = options.grouped(
    "given", TextOptions,
    click.argument("texts", required=False, metavar="[TEXTS]"),
    section(
        "Texts",
        click.option("--source", metavar="FILE", help="Source texts, one per line."),
        click.option("--reference", metavar="FILE", help="Reference translations, one per line."),
        click.option("--documents", metavar="FILE", help="The document of each line."),
        click.option("--system", "systems", multiple=True, metavar="NAME=FILE",
                     help="Outputs of a system, one per line. Repeat for each system."),
        click.option("--langs", metavar="LANGS",
                     help="Language pair, such as fr-en, or the language of prompts and answers, such as en; of "
                          "several in TEXTS, the one to take."),
        click.option("--from", "from_", type=click.Choice(["auto", *(id for id in TEXT_FORMATS if id != "plain")]),
                     default="auto", show_default=True, help="Format of TEXTS."),
        click.option("--encoding", default="utf-8", show_default=True, help="Encoding of text files."),
        click.option("--images", metavar="FOLDER", help="Folder of the images that texts show (PNG, JPEG, GIF, WebP)."),
        click.option("--accept", multiple=True, type=click.Choice(list(TEXT_CHECKS)),
                     help="Continue even if this check found errors. Repeat for several."),
    ),
)  # fmt: skip


@click.command(
    cls=Sectioned,
    examples=(
        "palmares campaign new answers examples/answers.jsonl",
        "palmares campaign new news texts/ --langs fr-en --set judge.screens=50",
        "palmares campaign new news --langs fr-en --source source.txt --system A=a.txt --system B=b.txt",
    ),
)
@click.argument("name")
@text_options
@click.option(
    "--task", metavar="QUESTION", help="What judges are asked on every screen, such as 'Which answer helps more?'."
)
@settings_options
@database_option
def new(
    name: str,
    given: TextOptions,
    task: str | None,
    settings: str | None,
    changes: tuple[str, ...],
    database: str | None,
) -> None:
    """Create a campaign from texts.

    TEXTS is a folder with one file per system (source.txt, reference.txt, A.txt, …), a folder of such folders named by
    language pair, or one file with everything; otherwise give --source and --system. Prompts with their answers, one
    JSON object a line, and battles of an LLM arena need no language pair. The texts are checked first; if a check finds
    errors, nothing is stored.
    """  # fmt: skip
    chosen = settings_from(settings, changes)  # before the texts, so that a wrong setting is noticed at once
    if task is not None:
        if "task.question" in chosen.said and chosen.settings.task.question != task:
            raise InputError("--task and the setting task.question ask different questions; leave one of them out")
        chosen = replace(chosen, settings=chosen.settings.replace(**{"task.question": task}))
    from ...campaign.create import PROMPT_SETTINGS, create_campaign, holds_prompts

    testsets = _checked(given)
    prompts = holds_prompts(testsets)
    if prompts:
        chosen = chosen.but(**PROMPT_SETTINGS)
    with opened_or_made(database) as db:
        create_campaign(db, name, chosen.settings, testsets)
        _say_what_was_stored(db, name, chosen.settings, testsets)
    if prompts:
        _say_what_was_chosen(chosen)
    _say_what_is_next(name, database)


@click.command(
    cls=Sectioned,
    examples=(
        "palmares campaign add news more-texts/ --langs de-en",
        "palmares campaign add news --langs de-en --source source.txt --system A=a.txt --system B=b.txt",
    ),
)
@click.argument("name")
@text_options
@database_option
def add(name: str, given: TextOptions, database: str | None) -> None:
    """Add language pairs to a campaign.

    The texts are given and checked as for `palmares campaign new`.
    """
    with opened(database) as db:
        from ...campaign.create import add_pairs
        from ...campaign.definition import find_campaign, settings_of

        with db.read() as tx:  # before the texts, so that a wrong name is noticed at once
            settings = settings_of(tx, find_campaign(tx, name).id)
        testsets = _checked(given)
        add_pairs(db, name, testsets)
        _say_what_was_stored(db, name, settings, testsets)


@click.command(
    cls=Sectioned,
    examples=(
        "palmares campaign check examples/answers.jsonl",
        "palmares campaign check texts/ --langs fr-en --accept identical",
    ),
)
@text_options
def check(given: TextOptions) -> None:
    """Check texts without storing anything.

    Prints common problems of test sets with their line numbers, errors first. Exits with status 2 if there is an error
    that --accept does not name.
    """
    testsets = _checked(given)
    for testset in testsets:
        click.echo(testset.described())


# -- inside ----------------------------------------------------------------------------------------------


def _checked(given: TextOptions) -> tuple[TestSet, ...]:
    """Read the texts, say what checks found, and refuse errors that were not accepted."""
    from ...texts import check as check_texts

    testsets = _read(given)
    reports = []
    with options.progress_bar("checking texts") as progress:
        for number, testset in enumerate(testsets, 1):
            reports.append(check_texts(testset))
            if progress is not None:
                progress(number, len(testsets))
    for report in reports:
        if report.findings:
            click.echo(report.summary(_MOST), err=True)
    _refuse_errors(reports, given.accept)
    return testsets


def _read(given: TextOptions) -> tuple[TestSet, ...]:
    from ...texts import read_texts

    return read_texts(
        path=given.texts,
        source=given.source,
        reference=given.reference,
        documents=given.documents,
        systems=options.keyed(given.systems, "--system"),
        langs=given.langs,
        format=given.from_,
        encoding=given.encoding,
        images=given.images,
    )


def _refuse_errors(reports: list[CheckReport], accepted: tuple[str, ...]) -> None:
    blocking = [finding for report in reports for finding in report.blocking(accepted)]
    if not blocking:
        return
    checks = list(dict.fromkeys(finding.check for finding in blocking))
    number = f"{len(blocking)} error{'s' if len(blocking) > 1 else ''}"
    accept = " ".join(f"--accept {check}" for check in checks)
    raise InputError(f"the texts have {number}, so nothing was stored; fix them, or accept them with {accept}")


def _say_what_was_stored(db: Database, name: str, settings: Settings, testsets: tuple[TestSet, ...]) -> None:
    from ...campaign.create import shown_as_another

    click.echo(f"stored in campaign {name!r} of {db.name}:")
    for testset in testsets:
        click.echo(f"  {testset.described()}")
        alike = shown_as_another(testset, settings)
        if alike:
            click.echo(
                f"    {counted(alike, 'output')} differing from another in white space alone: shown once for both, and "
                "tied; with screen.spacing = true they are told apart"
            )


def _say_what_was_chosen(chosen: GivenSettings) -> None:
    """Settings that follow from the texts being prompts and answers, those apart that somebody gave."""
    from ...campaign.create import PROMPT_SETTINGS

    names = [name for name in PROMPT_SETTINGS if name not in chosen.said]
    if names:
        listed = ", ".join(f"{name} = {json.dumps(PROMPT_SETTINGS[name])}" for name in names)
        click.echo(f"set for prompts and answers (--settings or --set say otherwise): {listed}")


def _say_what_is_next(name: str, database: str | None) -> None:
    option = f" --database {quote(database)}" if database else ""
    click.echo("next:")
    click.echo(f"  palmares campaign invite {name} me --role organiser{option}")
    click.echo(f"  palmares campaign invite {name} --count 10{option}")
    click.echo(f"  palmares serve{option}")
