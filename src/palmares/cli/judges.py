"""``palmares judges``."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import PurePath
from typing import TYPE_CHECKING

import click

from ..errors import InputError
from . import inputs as reading
from . import options
from .help import Sectioned

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..analysis.judges import Judges
    from ..compute import Execution
    from ..ingest.base import ReadReport
    from ..judgments import Judgments


@dataclass(frozen=True)
class NamedByFile(reading.Inputs):
    """Inputs of which a file that names no judge is one judge's, who has the name of the file without its ending."""

    def read_each(self, *more: str) -> list[tuple[Judgments, ReadReport]]:
        return [
            (_judged_by(judgments, PurePath(file).name.split(".")[0]), report)
            for file, (judgments, report) in zip(self.files, super().read_each(*more), strict=True)
        ]


def _judged_by(judgments: Judgments, name: str) -> Judgments:
    import polars as pl

    if judgments.has("judge"):
        return judgments
    note = f"{len(judgments):,} judgments of a file that names no judge are said to be by {name!r} (--judge-by-file)"
    origin = judgments.origin and judgments.origin.noted(note)
    return type(judgments).from_rows(judgments.to_rows().with_columns(pl.lit(name).alias("judge")), origin)


@click.command(
    cls=Sectioned,
    examples=(
        "palmares judges examples/campaign.csv",
        "palmares judges examples/campaign.csv --exclude-flagged",
        "palmares judges examples/campaign.csv --plot judges.svg",
    ),
)
@reading.input_options
@click.option("--programs", metavar="COLUMN",
              help="A column that marks judgments by programs: yes and no, llm and human, or the like.  "
                   "[default: the column 'program' of a campaign's export]")  # fmt: skip
@click.option("--program", multiple=True, metavar="PATTERN",
              help="Judges that are programs, by name or pattern. Repeat for several.")  # fmt: skip
@click.option("--judge-by-file", is_flag=True,
              help="A file that names no judge is one judge's, named like the file without its ending.")  # fmt: skip
@click.option("--exclude-flagged", is_flag=True,
              help="Also rank without the people who are flagged, and say what changes.")  # fmt: skip
@click.option("--false-flags", type=click.IntRange(0), default=0, metavar="N",
              help="Simulate N campaigns like this one with nobody at random, and count the flags.")  # fmt: skip
@options.level_option
@options.execution_options
@options.drawing_options
def judges(
    inputs: reading.Inputs,
    programs: str | None,
    program: tuple[str, ...],
    judge_by_file: bool,
    exclude_flagged: bool,
    false_flags: int,
    p: float,
    execution: Execution,
    printing: options.Printing,
) -> None:
    """Show what an organiser should know of each judge.

    For every judge: judgments, time, ties, sensitivity with its interval, agreement with the others, and preference for
    the output shown first. What stands out is put as a question. Programs stand beside people, and are compared with
    them.
    """  # fmt: skip
    from ..analysis.judges.run import judges as know

    if judge_by_file:
        inputs = NamedByFile(**{each.name: getattr(inputs, each.name) for each in fields(inputs)})
    groups = inputs.groups(extra=() if programs is None or programs in inputs.extra else (programs,))
    _check_patterns(program, [name for part in groups.values() for name in part.judges])

    def known(data: Judgments, place: Execution) -> Judges:
        return know(
            data, programs=programs, program=_matching(program, data.judges), exclude_flagged=exclude_flagged,
            false_flags=false_flags, p=p, execution=place,
        )  # fmt: skip

    found = reading.for_each(groups, execution, "knowing judges", known)
    if printing.plot is not None:
        from ..report.plots.judges import judge_sensitivities

        printing.draw(found, judge_sensitivities)
    printing.show("judges", found)


def _matching(patterns: Iterable[str], names: Iterable[str]) -> list[str]:
    """The patterns that match any of these names: a program need not judge every language pair."""
    from ..analysis.judges.programs import matching_judges

    return [pattern for pattern in patterns if matching_judges(names, pattern).any()]


def _check_patterns(patterns: tuple[str, ...], names: list[str]) -> None:
    if unknown := sorted(set(patterns) - set(_matching(patterns, names))):
        some = ", ".join(sorted(set(names))[:8])
        raise InputError(f"--program: no judge matches {unknown[0]!r}; there are: {some or 'none'}")
