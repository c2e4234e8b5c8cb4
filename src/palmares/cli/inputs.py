"""What a command reads: files, which of their judgments, and in which groups."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from ..errors import InputError
from ..ingest import ACROSS_JUDGES, FORMATS, OUTCOME_WORDS, OUTCOMES
from .again import again_option
from .help import READING, SELECTING, section
from .options import grouped, keyed, progress_bar, stacked
from .renaming import NewNames

if TYPE_CHECKING:
    from ..compute import Execution, Progress
    from ..ingest import AcrossJudges, Outcomes
    from ..ingest.base import ReadOptions, ReadReport
    from ..judgments import BoolArray, ForcedTies, Judgments, Weighing
    from ..report.tables import Group, Grouped

T = TypeVar("T")
Part = TypeVar("Part")


# -- files --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Inputs:
    """Files, how to read them, which judgments to keep, and in which groups."""

    from_: str
    columns: tuple[str, ...]
    header: str | None
    items: str | None
    extra: tuple[str, ...]
    outcomes: Outcomes
    outcome: tuple[str, ...]
    collapse: bool
    margin: float
    lower_is_better: bool
    across_judges: AcrossJudges
    forced_ties: ForcedTies
    weigh: Weighing | None
    encoding: str
    max_dropped: float
    strict: bool
    lenient: bool
    left_out: Literal["drop", "keep"]
    where: tuple[str, ...]
    exclude_judge: tuple[str, ...]
    exclude_system: tuple[str, ...]
    rename: Mapping[str, str] | None
    short_names: bool
    by: tuple[str, ...] = ()
    files: tuple[str, ...] = ()

    @property
    def options(self) -> ReadOptions:
        """How to read."""
        from ..ingest.base import MOST_DROPPED, ReadOptions, ScoreOptions

        if self.strict and self.lenient:
            raise InputError("--strict allows no faulty record, --lenient any; leave out one of them")
        if (self.strict or self.lenient) and self.max_dropped != MOST_DROPPED:
            asked = "--strict allows no" if self.strict else "--lenient allows any"
            raise InputError(f"{asked} faulty record, and --max-dropped says how many; leave out one of them")
        return ReadOptions(
            columns=keyed(self.columns, "--column", empty=True),
            extra=self.extra,
            merged="collapse" if self.collapse else "expand",
            scores=ScoreOptions(self.margin, self.lower_is_better, self.across_judges),
            outcomes=self.outcomes,
            values=_meanings(self.outcome),
            header=tuple(name.strip() for name in self.header.split(",")) if self.header else (),
            items=self.items or "",
            encoding=self.encoding,
            if_there=self._fields,
            faults="lenient" if self.lenient else 0.0 if self.strict else self.max_dropped,
            left_out=self.left_out,
        )

    @property
    def _fields(self) -> tuple[str, ...]:
        """What ``--by`` and ``--where`` name that is no role: a column of the file, if it has one, is kept for them."""
        from ..judgments import NAME_COLUMNS

        conditions = [match[1] for condition in self.where if (match := _CONDITION.fullmatch(condition))]
        roles = (*NAME_COLUMNS, "system", *_NUMBERS)
        return tuple(dict.fromkeys(name for name in (*self.by, *conditions) if name not in roles))

    def read(self, *more: str) -> Judgments:
        """The judgments of all files that were asked for, with ``more`` covariates.

        What was dropped is reported on standard error. What becomes of forced ties is left to what they are used for.
        """
        from ..ingest.files import concat

        return self._selected(concat([judgments for judgments, _ in self.read_each(*more)]))

    def read_each(self, *more: str) -> list[tuple[Judgments, ReadReport]]:
        """Every file by itself, whole, and the report of its reading."""
        from ..ingest.files import read_with_report

        options = replace(self.options, extra=(*self.extra, *more))
        parts = []
        for file in self.files:
            judgments, report = read_with_report(file, format=self.from_, options=options)
            if report.dropped:
                click.echo(report.summary(), err=True)
            parts.append((judgments, report))
        return parts

    def groups(self, *, extra: tuple[str, ...] = ()) -> dict[Group, Judgments]:
        """The judgments by language pair, then by ``--by``; ``extra`` are more covariates to keep."""
        whole = self.read(*extra)
        groups: dict[Group, Judgments] = {(): whole}
        for field in dict.fromkeys(("lang_pair", *self.by)):
            groups = {
                (*group, (field, value)): subset
                for group, part in groups.items()
                for value, subset in part.split(field, or_none=whole.has(field) or field in whole.extras).items()
            }
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
        origin = judgments.origin and replace(judgments.origin, selection=self._selection())
        chosen = (judgments if mask.all() else judgments.filter(mask)).with_origin(origin)
        named = self._named(chosen, judgments.systems)
        return named if self.weigh is None else named.weighed(self.weigh)

    def _named(self, judgments: Judgments, known: Sequence[str]) -> Judgments:
        """With the names that were asked for; ``known`` are the systems before any were left out."""
        if self.rename is not None:
            unknown = [name for name in self.rename if name not in known]
            if len(unknown) == len(self.rename):
                some = ", ".join(known[:5]) + (", …" if len(known) > 5 else "")
                raise InputError(f"--rename: no system is called {' or '.join(unknown[:3])}; there are: {some}")
            judgments = judgments.rename({old: self.rename[old] for old in self.rename if old in judgments.systems})
            if unknown and judgments.origin is not None:
                note = f"--rename: no system is called {', '.join(unknown)}"
                judgments = judgments.with_origin(judgments.origin.noted(note))
        return judgments.short_names() if self.short_names else judgments

    def _selection(self) -> dict[str, Any]:
        """The conditions that judgments had to satisfy, for the record."""
        given = {"where": self.where, "exclude_judge": self.exclude_judge, "exclude_system": self.exclude_system}
        asked = {} if self.forced_ties == "auto" else {"forced_ties": self.forced_ties}
        return {**{name: list(values) for name, values in given.items() if values}, **asked}


def _meanings(given: tuple[str, ...]) -> dict[str, str]:
    """``("1=a,0=b", "a=b=tie", "=skip")`` as a table; commas and equals signs may be part of a value."""
    table: dict[str, str] = {}
    for text in given:
        parts = re.findall(rf"(.*?)=({'|'.join(OUTCOME_WORDS)})(?:,|$)", text)
        if not parts or ",".join("=".join(part) for part in parts) != text:
            words = "|".join(OUTCOME_WORDS)
            raise InputError(f"--outcome: got {text!r}; allowed: VALUE={words}, and several with commas: 1=a,0=b")
        for value, word in parts:
            if table.setdefault(value, word) != word:
                raise InputError(f"--outcome: {value!r} cannot mean both {table[value]} and {word}")
    return table


#: Those of `palmares.judgments`, which is too heavy to import for a page of help.
_FORCED_TIES, _WEIGHINGS = ("auto", "keep", "drop"), ("ranking", "van-elteren")
_READING_OPTIONS = (
    click.option("--from", "from_", type=click.Choice(["auto", *FORMATS]), default="auto", show_default=True,
                 help="Format of the input."),
    click.option("--column", "columns", multiple=True, metavar="ROLE=NAME",
                 help="Column to use for a role, if it is not detected: judge=worker; time= uses none. "
                      "Repeat for several."),
    click.option("--header", metavar="A,B,…",
                 help="The names of the columns, for a file without a header line."),
    click.option("--items", metavar="FILE",
                 help="The data file of an annotation tool whose exports do not name systems (Potato)."),
    click.option("--extra", multiple=True, metavar="NAME",
                 help="Also keep this column, as a covariate. Repeat for several."),
    click.option("--outcomes", type=click.Choice(OUTCOMES), default="auto", show_default=True,
                 help="How outcomes are written: by the names of systems, by words for sides, in numbers, or in one "
                      "column for each."),
    click.option("--outcome", multiple=True, metavar="VALUE=a|b|tie|skip,…",
                 help="What a value of the outcome column means: 1=a,0=b,2=tie; =skip where it is empty. "
                      "Repeat for several."),
    click.option("--collapse", is_flag=True, help="Treat outputs shared by several systems as systems of their own."),
    click.option("--margin", type=float, default=0.0, show_default=True,
                 help="For files of scores: scores that differ by no more than this are a tie."),
    click.option("--lower-is-better", is_flag=True, help="For files of scores: lower scores are better."),
    click.option("--across-judges", type=click.Choice(ACROSS_JUDGES), default="no", show_default=True,
                 help="For files of scores: also compare scores of different judges, as they are (raw) or "
                      "standardised per judge."),
    click.option("--forced-ties", type=click.Choice(_FORCED_TIES), default="auto", show_default=True,
                 help="Ties of systems that shared an output, which nobody compared: keep or drop them. auto: as the "
                      "model does; official procedures keep them, others drop them."),
    click.option("--weigh", type=click.Choice(_WEIGHINGS),
                 help="Let a pair of a ranking of m outputs count 1/(m - 1) (ranking), or 3/(m + 1), which has the "
                      "least error where systems are close (van-elteren)."),
    click.option("--encoding", default="utf-8", show_default=True, help="Encoding of text files."),
    click.option("--max-dropped", type=click.FloatRange(0, 1), default=0.01, show_default=True, metavar="SHARE",
                 help="The largest share of faulty records that may be left out."),
    click.option("--strict", is_flag=True, help="Refuse files with any faulty record."),
    click.option("--lenient", is_flag=True,
                 help="Leave out any number of faulty records, also outcomes that cannot be read."),
    click.option("--left-out", type=click.Choice(["drop", "keep"]), default="drop", show_default=True,
                 help="Answers of judges whom a campaign's organisers left out: drop them, or keep them like others."),
)  # fmt: skip
_SELECTING_OPTIONS = (
    click.option("--where", multiple=True, metavar="CONDITION",
                 help="Keep judgments that satisfy this: 'judge=turker_*', 'lang_pair!=fr-en', 'duration>5'. "
                      "Repeat for several."),
    click.option("--exclude-judge", multiple=True, metavar="PATTERN",
                 help="Leave out these judges. Repeat for several."),
    click.option("--exclude-system", multiple=True, metavar="PATTERN",
                 help="Leave out these systems. Repeat for several."),
    click.option("--rename", type=NewNames(), metavar="FILE",
                 help="Other names for systems: a table of two columns, old and new, or a JSON object."),
    click.option("--short-names", is_flag=True,
                 help="Short names for systems of WMT's files: KIT for newstest2016.KIT.4482.de-en."),
)  # fmt: skip
_BY = click.option(
    "--by", multiple=True, metavar="FIELD",
    help="One result per value of judge, segment, or a column of the file. Repeat for several.",
)  # fmt: skip

_FILES = click.argument("files", nargs=-1, required=True, metavar="FILE...")

#: For a command that names its file in a way of its own.
reading_options = grouped(
    "inputs", Inputs, section(SELECTING, *_SELECTING_OPTIONS), section(READING, *_READING_OPTIONS)
)


def _inputs(files: Callable[..., Any]) -> Callable[..., Any]:
    """Files, and all that says what is read of them."""
    selecting = section(SELECTING, _BY, *_SELECTING_OPTIONS)
    reading = section(READING, *_READING_OPTIONS)
    return stacked(grouped("inputs", Inputs, files, selecting, reading), section(READING, again_option))


input_options = _inputs(_FILES)
#: For a command that can do without files.
optional_input_options = _inputs(click.argument("files", nargs=-1, metavar="[FILE...]"))


# -- groups -------------------------------------------------------------------------------------------


def for_each(
    groups: Mapping[Group, Part], execution: Execution, title: str, function: Callable[[Part, Execution], T]
) -> list[Grouped[T]]:
    """Call ``function(part, execution)`` on every group, with one progress bar; see `results_of`."""
    with progress_bar(title) as progress:
        places = iter([replace(execution, progress=_share(progress, k, len(groups))) for k in range(len(groups))])
        return results_of(groups, lambda part: function(part, next(places)))


def results_of(groups: Mapping[Group, Part], function: Callable[[Part], T]) -> list[Grouped[T]]:
    """Call a function on every group; an error says which group it is.

    Of groups that ``--by`` makes, some are too small for a result, such as a judge with one judgment. They do not stop
    the others: standard error says why, and every result says in a note which groups are missing. Without ``--by``,
    whole language pairs are asked for, and none may be missing.
    """
    from ..report.tables import Grouped, group_title

    results, missing = [], []
    for group, part in groups.items():
        try:
            with explained(group):
                results.append(Grouped(function(part), group))
        except InputError as error:
            if len(groups) == 1 or all(name == "lang_pair" for name, _ in group):
                raise
            missing.append((group_title(group) or "", error))
    if not missing:
        return results
    if not results:
        raise InputError(f"none of the {len(groups)} groups gives a result; the first: {missing[0][1]}")
    for _, reason in missing:
        click.echo(f"no result for {reason}", err=True)
    more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
    named = "; ".join(title for title, _ in missing[:_SHOWN]) + more
    note = f"{len(missing)} of {len(groups)} groups give no result and are missing here: {named}"
    return [replace(each, result=_noted(each.result, note)) for each in results]


#: So many missing groups are named in a note.
_SHOWN = 8


def _noted(result: Any, note: str) -> Any:
    """A result, or what it holds that has notes, with one more."""
    if hasattr(result, "notes"):
        return replace(result, notes=(*result.notes, note))
    part = next(name for name in ("ranking", "result") if hasattr(result, name))
    return replace(result, **{part: _noted(getattr(result, part), note)})


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
        raise InputError(f"--where: there is no field {field!r}; known: {', '.join(known)}, and the columns of a table")
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
