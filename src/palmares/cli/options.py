"""Options that several commands share."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from ..errors import InputError
from ..ingest import FORMATS
from ..models import DEFAULT_MODEL, MODELS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Executor

    from ..compute import Progress
    from ..judgments import Judgments

F = TypeVar("F", bound=Callable[..., Any])

OUTPUTS = ("table", "json", "csv", "markdown", "latex")


def stacked(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Several click decorators as one, in the order given."""

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


reading_options = stacked(
    click.option("--from", "from_", type=click.Choice(["auto", *FORMATS]), default="auto", show_default=True,
                 help="Format of the input."),
    click.option("--column", "columns", multiple=True, metavar="ROLE=NAME",
                 help="Which column plays a role, if not guessed right: judge=worker. time= uses none."),
    click.option("--extra", multiple=True, metavar="NAME", help="Keep this column as a covariate."),
    click.option("--collapse", is_flag=True, help="Keep outputs shared by several systems as systems of their own."),
    click.option("--margin", type=float, default=0.0, show_default=True,
                 help="Scores that differ by no more than this are a tie."),
    click.option("--lower-is-better", is_flag=True, help="Scores count errors."),
    click.option("--encoding", default="utf-8", show_default=True, help="Encoding of text files."),
    click.option("--strict", is_flag=True, help="Refuse a file with faulty lines instead of dropping them."),
)  # fmt: skip

selection_options = stacked(
    click.option("--where", multiple=True, metavar="CONDITION",
                 help="Keep judgments where this holds: 'judge=turker_*', 'lang_pair!=fr-en', 'duration>5'."),
    click.option("--exclude-judge", multiple=True, metavar="PATTERN", help="Leave out judges."),
    click.option("--exclude-system", multiple=True, metavar="PATTERN", help="Leave out systems."),
)  # fmt: skip

input_options = stacked(
    click.argument("files", nargs=-1, required=True, metavar="FILE..."), reading_options, selection_options
)

level_option = click.option("--p", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.05,
                            show_default=True, help="Ranges and intervals leave out this share.")  # fmt: skip

ranking_options = stacked(
    click.option("--model", type=click.Choice(list(MODELS)), default=DEFAULT_MODEL, show_default=True,
                 help="How to score."),
    click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="A setting of the model."),
    click.option("--resamples", type=click.IntRange(1), default=1000, show_default=True, help="Bootstrap samples."),
    click.option("--resample",
                 type=click.Choice(["auto", "pair", "ranking", "segment", "judge", "posterior", "sign-test", "none"]),
                 default="auto", show_default=True,
                 help="What is drawn together. auto: ranking, or pair without ranking ids. sign-test: draw nothing."),
    level_option,
    click.option("--sided", type=click.IntRange(1, 2), default=2, show_default=True,
                 help="One- or two-sided tests, for --resample sign-test."),
)  # fmt: skip

to_option = click.option("--to", "to", type=click.Choice(["auto", *FORMATS]), default="auto", show_default=True,
                         help="Format to write; auto goes by the ending.")  # fmt: skip

format_option = click.option(
    "--format", "output", type=click.Choice(OUTPUTS), default="table", show_default=True, help="How to print."
)
seed_option = click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed.")
_worker_options = stacked(
    click.option("--executor", type=click.Choice(["serial", "threads", "processes"]), default="threads",
                 show_default=True, help="Where resampling runs."),
    click.option("--workers", type=click.IntRange(1), default=None, help="How many at once.  [default: all cores]"),
    click.option("--dask", metavar="ADDRESS|FILE",
                 help="Run on a Dask cluster instead: tcp://HOST:PORT of its scheduler, or its scheduler file."),
)  # fmt: skip


def worker_options(function: F) -> F:
    """``--executor``, ``--workers`` and ``--dask``; a command sees the first two, where Dask is an executor."""

    @functools.wraps(function)
    def command(*args: Any, dask: str | None, **arguments: Any) -> Any:
        if dask is None:
            return function(*args, **arguments)
        with _connected(dask) as executor:
            return function(*args, **{**arguments, "executor": executor, "workers": None})

    return cast(F, _worker_options(command))


@contextmanager
def _connected(scheduler: str) -> Iterator[Executor]:
    from ..compute.dask import connect

    context = click.get_current_context()
    for name in ("executor", "workers"):
        if context.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE:
            raise InputError(f"--dask says where work runs, and so does --{name}; leave out one of them")
    with connect(scheduler, notify=lambda message: click.echo(message, err=True)) as executor:
        yield executor


def keyed(pairs: tuple[str, ...], what: str, *, empty: bool = False) -> dict[str, str]:
    """``("a=1",)`` as ``{"a": "1"}``; with ``empty``, ``a=`` is allowed too."""
    table = {}
    for pair in pairs:
        key, sign, value = pair.partition("=")
        if not (key and sign and (value or empty)):
            raise InputError(f"{what}: got {pair!r}; allowed: NAME=VALUE")
        table[key] = value
    return table


def ranking_arguments(arguments: Mapping[str, Any], shorthand: Mapping[str, str] | None = None) -> dict[str, Any]:
    """What `palmares.rank` takes, from the options above, ``--seed``, ``--executor`` and ``--workers``."""
    from ..models.base import create

    _check_sided(arguments["resample"])
    model = create(arguments["model"], {**keyed(arguments["settings"], "--set"), **(shorthand or {})})
    same = {name: arguments[name] for name in ("resamples", "resample", "p", "sided", "executor", "workers")}
    return {**same, "model": model, "rng": arguments["seed"]}


def _check_sided(resample: str) -> None:
    given = click.get_current_context().get_parameter_source("sided") == click.core.ParameterSource.COMMANDLINE
    if given and resample != "sign-test":
        raise InputError("--sided is about sign tests; give --resample sign-test too, or leave it out")


def load(arguments: Mapping[str, Any]) -> Judgments:
    """Read the files a command was given, say what was dropped, and select."""
    from ..ingest.base import ReadOptions
    from ..ingest.files import concat, read_with_report
    from .filters import select

    options = ReadOptions(
        keyed(arguments["columns"], "--column", empty=True),
        tuple(arguments["extra"]),
        "collapse" if arguments["collapse"] else "expand",
        arguments["margin"],
        arguments["lower_is_better"],
    )
    parts = []
    for file in arguments["files"]:
        judgments, report = read_with_report(
            file,
            format=arguments["from_"],
            options=options,
            encoding=arguments["encoding"],
            strict=arguments["strict"],
        )
        if report.dropped:
            click.echo(report.summary(), err=True)
        parts.append(judgments)
    return select(concat(parts), arguments["where"], arguments["exclude_judge"], arguments["exclude_system"])


@contextmanager
def progress_bar(what: str) -> Iterator[Progress | None]:
    """A bar on standard error, if that is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:.0f} %"))
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def share_of(progress: Progress | None, number: int, count: int) -> Progress | None:
    """Progress of one part of several, as progress of the whole."""
    if progress is None:
        return None
    return lambda done, total: progress(number * total + done, count * total)
