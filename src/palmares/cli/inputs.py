"""What a command reads: files, which of their judgments, and in which groups."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Literal, TypeVar

import click

from ..errors import InputError
from ..ingest import FORMATS
from .options import grouped, keyed, progress_bar

if TYPE_CHECKING:
    from ..compute import Execution, Progress
    from ..judgments import Judgments
    from ..judgments.arrays import BoolArray
    from ..report.tables import Group, Grouped

T = TypeVar("T")
Part = TypeVar("Part")


# -- files --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Inputs:
    """Files, how to read them, and which judgments to keep."""

    from_: str
    columns: tuple[str, ...]
    extra: tuple[str, ...]
    collapse: bool
    margin: float
    lower_is_better: bool
    encoding: str
    strict: bool
    where: tuple[str, ...]
    exclude_judge: tuple[str, ...]
    exclude_system: tuple[str, ...]
    files: tuple[str, ...] = ()

    @property
    def roles(self) -> dict[str, str]:
        """Which column plays which role."""
        return keyed(self.columns, "--column", empty=True)

    def read(self, *more: str) -> Judgments:
        """The judgments of all files that were asked for, with ``more`` covariates.

        What was dropped is reported on standard error.
        """
        from ..ingest.base import ReadOptions, ScoreOptions
        from ..ingest.files import concat, read_with_report

        merged: Literal["collapse", "expand"] = "collapse" if self.collapse else "expand"
        scores = ScoreOptions(self.margin, self.lower_is_better)
        options = ReadOptions(self.roles, (*self.extra, *more), merged, scores)
        parts = []
        for file in self.files:
            judgments, report = read_with_report(
                file, format=self.from_, options=options, encoding=self.encoding, strict=self.strict
            )
            if report.dropped:
                click.echo(report.summary(), err=True)
            parts.append(judgments)
        return self._selected(concat(parts))

    def groups(self, by: str | None = None, *, extra: tuple[str, ...] = ()) -> dict[Group, Judgments]:
        """The judgments by language pair, then by ``by``; ``extra`` are covariates to keep besides those asked for."""
        groups: dict[Group, Judgments] = {}
        for pair, part in self.read(*extra).split("lang_pair").items():
            if by in (None, "lang_pair"):
                groups[("lang_pair", pair),] = part
            else:
                groups |= {(("lang_pair", pair), (by, value)): subset for value, subset in part.split(by).items()}
        return groups

    def _selected(self, judgments: Judgments) -> Judgments:
        """Keep what the options ask for; an option that matches nothing is refused."""
        import numpy as np

        mask = np.ones(len(judgments), dtype=bool)
        for condition in self.where:
            mask &= holds(judgments, condition)
        if self.exclude_judge:
            mask &= ~judgments.where("judge", self.exclude_judge)
        if self.exclude_system:
            mask &= ~judgments.where("system", self.exclude_system)
        if not mask.any():
            asked = [*[f"--where {w}" for w in self.where], *[f"--exclude-judge {j}" for j in self.exclude_judge],
                     *[f"--exclude-system {s}" for s in self.exclude_system]]  # fmt: skip
            raise InputError(f"no judgment is left after {', '.join(asked)}; {len(judgments)} were read")
        return judgments if mask.all() else judgments.filter(mask)


_READING_OPTIONS = (
    click.option("--from", "from_", type=click.Choice(["auto", *FORMATS]), default="auto", show_default=True,
                 help="Format of the input."),
    click.option("--column", "columns", multiple=True, metavar="ROLE=NAME",
                 help="Column to use for a role, if it is not detected: judge=worker; time= uses none. "
                      "Repeat for several."),
    click.option("--extra", multiple=True, metavar="NAME",
                 help="Also keep this column, as a covariate. Repeat for several."),
    click.option("--collapse", is_flag=True, help="Treat outputs shared by several systems as systems of their own."),
    click.option("--margin", type=float, default=0.0, show_default=True,
                 help="For files of scores: scores that differ by no more than this are a tie."),
    click.option("--lower-is-better", is_flag=True, help="For files of scores: lower scores are better."),
    click.option("--encoding", default="utf-8", show_default=True, help="Encoding of text files."),
    click.option("--strict", is_flag=True, help="Refuse files with invalid lines instead of dropping the lines."),
    click.option("--where", multiple=True, metavar="CONDITION",
                 help="Keep judgments that satisfy this: 'judge=turker_*', 'lang_pair!=fr-en', 'duration>5'. "
                      "Repeat for several."),
    click.option("--exclude-judge", multiple=True, metavar="PATTERN",
                 help="Leave out these judges. Repeat for several."),
    click.option("--exclude-system", multiple=True, metavar="PATTERN",
                 help="Leave out these systems. Repeat for several."),
)  # fmt: skip

input_options = grouped(
    "inputs", Inputs, click.argument("files", nargs=-1, required=True, metavar="FILE..."), *_READING_OPTIONS
)
#: For a command that names its file in a way of its own.
reading_options = grouped("inputs", Inputs, *_READING_OPTIONS)


# -- groups -------------------------------------------------------------------------------------------


def for_each(
    groups: Mapping[Group, Part], execution: Execution, title: str, function: Callable[[Part, Execution], T]
) -> list[Grouped[T]]:
    """Call ``function(part, execution)`` on every group, with one progress bar; an error says which group it is."""
    from ..report.tables import Grouped

    results = []
    with progress_bar(title) as progress:
        for number, (group, part) in enumerate(groups.items()):
            share = replace(execution, progress=_share(progress, number, len(groups)))
            with explained(group):
                results.append(Grouped(function(part, share), group))
    return results


def _share(progress: Progress | None, number: int, count: int) -> Progress | None:
    """Progress of one part of several, as progress of the whole."""
    if progress is None:
        return None
    return lambda done, total: progress(number * total + done, count * total)


@contextmanager
def explained(group: Group) -> Iterator[None]:
    """An error of the block says which group it is about."""
    try:
        yield
    except InputError as error:
        from ..report.tables import group_title

        title = group_title(group)
        raise (type(error)(f"{title}: {error}") if title else error) from None


# -- conditions ---------------------------------------------------------------------------------------

_CONDITION = re.compile(r"\s*([\w.\-]+?)\s*(!=|<=|>=|=|<|>)\s*(.*?)\s*")
_COMPARE = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge,
}  # fmt: skip
_NUMBERS = ("duration", "weight")


def holds(judgments: Judgments, condition: str) -> BoolArray:
    """For every row, whether a condition such as ``judge=turker_*`` or ``duration>5`` holds."""
    import numpy as np

    from ..judgments import EXTRA_PREFIX, NAME_COLUMNS

    match = _CONDITION.fullmatch(condition)
    if not match or not match[3]:
        raise InputError(f"--where: got {condition!r}; allowed: FIELD=PATTERN, FIELD!=PATTERN, FIELD<NUMBER, …")
    field, sign, value = match.groups()
    if field in (*NAME_COLUMNS, "system"):
        _check_equality(field, "a name", sign)
        named = judgments.where(field, [part.strip() for part in value.split(",")])
        return ~named if sign == "!=" else named
    column = field if field in _NUMBERS else EXTRA_PREFIX + field
    if field in _NUMBERS and not judgments.has(field):
        raise InputError(f"--where: got {condition!r}, but these judgments have no {field}")
    if column not in judgments.frame.columns:
        known = [*NAME_COLUMNS, "system", *_NUMBERS, *judgments.extras]
        raise InputError(f"--where: there is no field {field!r}; known: {', '.join(known)} (keep others with --extra)")
    values = judgments.frame[column]
    if values.dtype.is_numeric():
        try:
            return np.asarray(_COMPARE[sign](values.to_numpy(), float(value)))
        except ValueError:
            raise InputError(f"--where: {field} is a number, and {value!r} is not") from None
    _check_equality(field, "text", sign)
    matching = np.array([text is not None and _matches(text, value.split(",")) for text in values])
    return ~matching if sign == "!=" else matching


def _check_equality(field: str, kind: str, sign: str) -> None:
    if sign not in ("=", "!="):
        raise InputError(f"--where: {field} is {kind}; compare it with = or !=, not {sign}")


def _matches(text: str, patterns: Sequence[str]) -> bool:
    return any(text == part.strip() or fnmatchcase(text, part.strip()) for part in patterns)
