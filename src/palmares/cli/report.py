"""``palmares report``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ..errors import InputError
from . import inputs as reading
from . import options
from .again import Invocation, results_in
from .help import Sectioned

if TYPE_CHECKING:
    from ..analysis.findings import Findings
    from ..analysis.published import Published
    from ..compute import Execution
    from ..design.targets import Target
    from ..judgments import Judgments
    from ..report.document.files import Report
    from ..report.document.scores import ScoreTable
    from ..report.tables import Group, Grouped


@dataclass(frozen=True)
class Wanted:
    """What a report contains besides what every campaign gets, and how it is headed."""

    title: str
    date: str
    target: Target | None
    compare: tuple[str, ...]
    last: str | None
    scores: tuple[str, ...]
    anonymise: bool

    @classmethod
    def parsed(
        cls, target: str | None, title: str | None, date: str | None, compare: tuple[str, ...], **others: Any
    ) -> Wanted:
        """From what was typed; targets and models that are none are refused before anything is read."""
        from ..analysis.compare.run import contenders
        from ..design.targets import Target

        if compare:
            contenders(compare)
        aim = None if target is None else Target.parse(target)
        return cls(title=title or "", date=date or "", target=aim, compare=compare, **others)

    def check(self, inputs: reading.Inputs) -> None:
        """Refuse what would name systems in a draft without names."""
        if not self.anonymise:
            return
        given = {"--last": self.last, "--scores": self.scores, "--by": inputs.by}
        if naming := [option for option, value in given.items() if value]:
            raise InputError(f"--anonymise: {', '.join(naming)} would bring names in; leave out one of the two")

    def before(self) -> Mapping[Group, Published]:
        """Earlier rankings by group."""
        if self.last is None:
            return {}
        from ..analysis.published import read_published

        return read_published(self.last)

    def score_tables(self) -> list[ScoreTable]:
        """The tables of other tasks."""
        from ..report.document.scores import score_tables

        return [table for path in self.scores for table in score_tables(results_in(path), path)]


_WANTED = options.grouped(
    "wanted", Wanted.parsed,
    click.option("--title", metavar="TEXT", help="Title of the report."),
    click.option("--date", metavar="TEXT", help="A date to print below the title; none unless given."),
    click.option("--target", metavar="TARGET",
                 help="Also forecast when this is reached: pairs=0.8, clusters=5, widest=3 or best."),
    click.option("--compare", multiple=True, metavar="MODEL",
                 help="Also compare how well models predict unseen judgments: bradley-terry, trueskill:mode=replay. "
                      "Repeat for every model."),
    click.option("--last", metavar="RANKING.json",
                 help="Also say what changed since an earlier ranking, printed by palmares rank --format json."),
    click.option("--scores", multiple=True, metavar="SCORES.json",
                 help="Also show scores, printed by palmares score … --format json. Repeat for several."),
    click.option("--anonymise", is_flag=True,
                 help="Number systems as they rank, and judges, instead of naming them: for drafts."),
)  # fmt: skip


@click.command(
    cls=Sectioned,
    leading={
        "What is written": ["output", "title", "date", "anonymise"],
        "What is in it besides": ["compare", "target", "last", "scores"],
    },
    examples=(
        "palmares report examples/campaign.csv -o report.html",
        "palmares report examples/campaign.csv -o pieces/ --compare bradley-terry --compare trueskill",
        "palmares report examples/campaign.csv -o draft.pdf --anonymise",
    ),
)
@click.option("-o", "--output", required=True, metavar="FILE",
              help="The report: .html, .md, .pdf, .json, or a folder/ with all of it in pieces. - is the page on "
                   "standard output.")  # fmt: skip
@_WANTED
@reading.input_options
@options.ranking_options
@click.option("--largest-component", is_flag=True, help="Rank only the largest group of systems that judgments link.")
@options.execution_options
def report(
    output: str,
    wanted: Wanted,
    inputs: reading.Inputs,
    ranking: options.RankingOptions,
    largest_component: bool,
    execution: Execution,
) -> None:
    """Write a report: who is best, how sure that is, what is not shown, and what it rests on.

    One file that needs nothing else, for every language pair: ranking with rank ranges and clusters, head-to-head
    comparisons, what the judgments do not support, how many more would separate what, agreement, judges, amounts of
    data and the method. A page carries all its numbers: palmares verify makes them again and compares.
    """  # fmt: skip
    from ..judgments.anonymous import names_nobody
    from ..report.document.files import check_target, write

    if output != "-":
        check_target(output)
    wanted.check(inputs)
    before, scores = wanted.before(), wanted.score_tables()
    groups: Mapping[Group, Judgments] = inputs.groups()
    _match(before, groups, wanted.last)
    names = _names(groups, inputs.files) if wanted.anonymise else []
    nameless = all(part.origin is not None and names_nobody(part.origin) for part in groups.values())
    if wanted.anonymise:
        groups = {group: _anonymous(part, ranking) for group, part in groups.items()}
    made = reading.for_each(
        groups, execution, "analysing",
        lambda data, place: _findings(data, ranking, wanted, before, place, largest_component=largest_component),
    )  # fmt: skip
    written = _report(made, wanted, scores, nameless=nameless)
    if output == "-":
        click.echo(written.page, nl=False)
    else:
        write(written, output, partial(click.echo, err=True))
        click.echo(f"wrote {output}", err=True)
    _warn_of_names(written, names)
    options.check_converged(each.result.ranking for each in made)


def _match(before: Mapping[Group, Published], groups: Mapping[Group, Judgments], path: str | None) -> None:
    """Earlier rankings of nothing that is judged now are said to be so; there must be one that is."""
    from ..report.tables import group_title

    unused = [group_title(group) or "a ranking without a language pair" for group in before if group not in groups]
    if unused and len(unused) == len(before):
        now = "; ".join(group_title(group) or "judgments without a language pair" for group in groups)
        raise InputError(f"--last {path}: has no ranking of the same group; it has: {'; '.join(unused)}; judged: {now}")
    if unused:
        click.echo(f"only in {path}: {'; '.join(unused)}", err=True)


def _findings(
    data: Judgments, ranking: options.RankingOptions, wanted: Wanted, before: Mapping[Group, Published],
    execution: Execution, *, largest_component: bool,
) -> Findings:  # fmt: skip
    from ..analysis.findings import Asked, findings

    earlier = None if data.origin is None else before.get(tuple(data.origin.group.items()))
    return findings(
        data, model=ranking.model, resample=ranking.resample, resamples=ranking.resamples, p=ranking.p,
        looks=ranking.looks, largest_component=largest_component,
        asked=Asked(wanted.compare, wanted.target, earlier), execution=execution,
    )  # fmt: skip


def _report(
    made: Sequence[Grouped[Findings]], wanted: Wanted, scores: Sequence[ScoreTable], *, nameless: bool
) -> Report:
    """The report; how a draft was made is kept only if that names nobody."""
    from ..report.document.files import Report

    invocation = Invocation.current()
    assert invocation is not None  # a command runs
    return Report.of(
        made,
        title=wanted.title,
        date=wanted.date,
        scores=scores,
        notes=["Draft without names: systems are numbered as they rank."] if wanted.anonymise else [],
        made_by=invocation.to_dict() if nameless or not wanted.anonymise else None,
    )


# -- drafts without names -----------------------------------------------------------------------------


def _anonymous(data: Judgments, ranking: options.RankingOptions) -> Judgments:
    """Numbered as they rank, which takes no samples."""
    from ..judgments.anonymous import anonymised
    from ..ranking.rank import rank

    return anonymised(data, rank(data, model=ranking.model, resample=None, rng=0).systems)


def _names(groups: Mapping[Group, Judgments], files: Sequence[str]) -> list[str]:
    """All that must not stand in a draft; names of one or two letters stand in every text."""
    named = [name for part in groups.values() for name in (*part.systems, *part.judges)]
    return [name for name in dict.fromkeys((*named, *files)) if len(name) > 2]


def _warn_of_names(written: Report, names: Sequence[str]) -> None:
    """Say which names stand in a draft all the same: they may be parts of segments' names, or usual words."""
    import re

    from ..report.document.embedded import shown

    if not names:
        return
    content = f"{shown(written.page)} {written.results}"
    found = [name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", content)]
    if found:
        some = ", ".join(found[:8]) + (f" and {len(found) - 8} more" if len(found) > 8 else "")
        warning = "these names, or words like them, are in the draft all the same; look before it goes around"
        click.echo(f"{warning}: {some}", err=True)
