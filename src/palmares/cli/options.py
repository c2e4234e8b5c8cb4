"""Options that several commands share. Those that travel together reach a command as one object."""

from __future__ import annotations

import functools
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from ..errors import ConvergenceError, InputError
from ..ingest import FORMATS
from ..models import DEFAULT_MODEL, MODELS
from ..models.presets import PRESETS
from ..ranking import LOOKS, SOURCES
from ..report import OUTPUTS
from .again import Invocation
from .help import OUTPUT, RANKING, WORK, section

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from ..compute import Execution, Progress
    from ..judgments import Judgments, PairCounts
    from ..models.base import Model
    from ..ranking.result import Ranking
    from ..report.tables import Grouped, Table

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])


def stacked(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Several click decorators as one, in the order given."""

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def grouped(name: str, kind: Callable[..., Any], *options: Callable[[F], F]) -> Callable[[F], F]:
    """Click decorators whose values a command gets as one object: ``name=kind(**values)``."""

    def decorate(function: F) -> F:
        @functools.wraps(function)
        def command(*args: Any, **values: Any) -> Any:
            own = {key: values.pop(key) for key in names}
            return function(*args, **{name: kind(**own)}, **values)

        before = len(getattr(command, "__click_params__", ()))
        decorated = stacked(*options)(cast(F, command))
        names = [option.name for option in decorated.__click_params__[before:]]  # type: ignore[attr-defined]
        return decorated

    return decorate


class Vocabulary(click.Choice):  # type: ignore[type-arg]  # generic since click 8.2
    """A choice among the words that a module has: ``palmares.analysis.diff:SHARED``.

    The module is imported when the option is parsed or explained, so that listing commands stays quick and no word is
    written down twice.
    """

    def __init__(self, target: str) -> None:
        super().__init__(())
        self._module, _, self._attribute = target.partition(":")
        del self.choices

    def __getattr__(self, name: str) -> Any:
        if name != "choices":
            raise AttributeError(name)
        self.choices = tuple(str(word) for word in getattr(import_module(self._module), self._attribute))
        return self.choices


# -- what is printed, and how -------------------------------------------------------------------------


@dataclass(frozen=True)
class Printing:
    """How results are shown: one of `OUTPUTS`, and a picture if a file was named for it.

    ``wide``: tables take what they need, even if the terminal is narrower. ``formulas``: what CSV does with texts that
    a spreadsheet would run.
    """

    output: str
    wide: bool = False
    plot: str | None = None
    width: int | None = None
    height: int | None = None
    formulas: str = "keep"

    def __post_init__(self) -> None:
        given = [f"--{name}" for name in ("width", "height") if getattr(self, name) is not None]
        if given and self.plot is None:
            raise InputError(f"{' and '.join(given)}: there is no plot to size; name its file with --plot")

    def show(self, command: str, results: Iterable[Any], part: str | None = None) -> None:
        """Print results, or `Grouped` ones, as their command does; what a format has no place for goes to stderr."""
        from ..report.tables import Grouped, rendered

        grouped = [result if isinstance(result, Grouped) else Grouped(result) for result in results]
        invocation = Invocation.current()
        made_by = None if invocation is None else invocation.to_dict()
        shown = rendered(
            command, grouped, self.output, part, width=self.columns, made_by=made_by, formulas=self.formulas
        )
        click.echo(shown.text, nl=False)
        for remark in shown.remarks:
            click.echo(remark, err=True)

    def show_table(self, table: Table, records: list[dict[str, Any]]) -> None:
        """Print a listing: a table, or its records as JSON."""
        from ..report.tables import joined, json_text

        text = json_text(records) if self.output == "json" else joined([table], self.output, width=self.columns).text
        click.echo(text, nl=False)

    @property
    def columns(self) -> int | None:
        """What a line of a table may take: the width of the terminal; None for as much as it needs.

        What goes to a file or another program is whole, whatever the variable COLUMNS says: wrappers set it, too.
        """
        return shutil.get_terminal_size().columns if sys.stdout.isatty() and not self.wide else None

    def draw(self, results: Sequence[Grouped[T]], picture: Callable[..., Any]) -> None:
        """Draw every result, if a file was named; of several, the names of their groups are added to it.

        ``picture`` is called with a result and, by name, the ``group`` it is about and the size of the picture.
        """
        from ..report.plots.files import save, targets

        if self.plot is None:
            return
        for each, target in zip(results, targets(self.plot, [each.group for each in results]), strict=True):
            chart = picture(each.result, group=each.title, width=self.width, height=self.height)
            save(chart, target, sharp=self.width is None and self.height is None)
            click.echo(f"wrote {target}", err=True)


_OUTPUT_OPTION = click.option(
    "--format", "output", type=click.Choice(OUTPUTS), default="table", show_default=True, help="Output format."
)
_WIDE_OPTION = click.option(
    "--wide", is_flag=True, help="Tables as wide as they need, with all names whole, even if the terminal is narrower."
)
_PLOT_OPTIONS = (
    click.option(
        "--plot", type=click.Path(dir_okay=False), help="Also plot it, to an .svg, .png, .pdf, .html or .json file."
    ),
    click.option("--width", type=click.IntRange(1), help="Width of the plot in pixels."),
    click.option("--height", type=click.IntRange(1), help="Height of the plot in pixels."),
)


def formulas_option(default: str) -> Callable[[F], F]:
    """What becomes of cells of a CSV file that a spreadsheet would run."""
    return click.option(
        "--formulas", type=click.Choice(["escape", "refuse", "keep"]), default=default, show_default=True,
        help="CSV cells that a spreadsheet would run (= + - @): an apostrophe before them, an error, or as they are.",
    )  # fmt: skip


printing_options = grouped("printing", Printing, section(OUTPUT, _OUTPUT_OPTION, _WIDE_OPTION))
#: For tables with what people have called themselves or written.
people_printing_options = grouped(
    "printing", Printing, section(OUTPUT, _OUTPUT_OPTION, _WIDE_OPTION, formulas_option("escape"))
)
drawing_options = grouped("printing", Printing, section(OUTPUT, _OUTPUT_OPTION, *_PLOT_OPTIONS, _WIDE_OPTION))

to_option = click.option("--to", "to", type=click.Choice(["auto", *FORMATS]), default="auto", show_default=True,
                         help="Format to write; auto: by the file extension.")  # fmt: skip
drop_option = click.option("--drop", default="", metavar="A,B",
                           help="What may be dropped where the format cannot hold it, such as time,duration; an error "
                                "names what it is.")  # fmt: skip
level_option = click.option("--p", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.05,
                            show_default=True, help="Significance level: 0.05 gives 95 % intervals.")  # fmt: skip


# -- how to rank --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RankingOptions:
    """How systems are ranked: the model, and what their rank ranges come from."""

    model: Model
    resample: str
    resamples: int
    p: float
    looks: str = "auto"

    @classmethod
    def parsed(
        cls,
        model: str,
        settings: tuple[str, ...],
        resample: str,
        sided: int,
        preset: str | None = None,
        scale: str | None = None,
        anchor: str | None = None,
        **samples: Any,
    ) -> RankingOptions:
        """From what was typed. The model is made before any file is read, so that a wrong setting is reported at once.

        ``--scale`` and ``--anchor`` are short for settings of bradley-terry; ``--sided`` is for sign tests only.
        """
        from ..models.by_name import create

        if typed("sided") and resample != "sign-test":
            raise InputError("--sided is for sign tests; give --resample sign-test too, or leave it out")
        if preset is not None and typed("model") and model != PRESETS[preset][0]:
            raise InputError(
                f"--preset {preset} is a use of {PRESETS[preset][0]}, not of {model}; leave out one of them"
            )
        short = {name: value for name, value in (("scale", scale), ("anchor", anchor)) if value is not None}
        unit = "one-sided-sign-test" if resample == "sign-test" and sided == 1 else resample
        return cls(create(preset or model, {**keyed(settings, "--set"), **short}), unit, **samples)

    def rank(self, data: Judgments | PairCounts, execution: Execution, *, largest_component: bool = False) -> Ranking:
        """Rank one table."""
        from ..ranking.rank import rank

        return rank(
            data, model=self.model, resample=self.resample, resamples=self.resamples, p=self.p,
            largest_component=largest_component, looks=self.looks, execution=execution,
        )  # fmt: skip


def typed(option: str) -> bool:
    """Whether an option was given, rather than left to its default."""
    return click.get_current_context().get_parameter_source(option) == click.core.ParameterSource.COMMANDLINE


_PRESET_HELP = (
    "A convention by name. arena: bradley-terry with ties as half a win for both, on an Elo scale of mean 1000."
)
#: For a command that takes one model, and for those that take several.
_PRESET = click.option("--preset", type=click.Choice(list(PRESETS)), help=_PRESET_HELP)
presets_option = click.option(
    "--preset", "presets", type=click.Choice(list(PRESETS)), multiple=True,
    help=f"{_PRESET_HELP} Repeat for several, and with --model.",
)  # fmt: skip

_RANKING_OPTIONS = (
    click.option("--model", type=click.Choice(list(MODELS)), default=DEFAULT_MODEL, show_default=True,
                 help="Model that scores the systems."),
    click.option("--set", "settings", multiple=True, metavar="NAME=VALUE",
                 help="A setting of the model. Repeat for several."),
    _PRESET,
    click.option("--resamples", type=click.IntRange(1), default=1000, show_default=True,
                 help="Bootstrap samples, or draws."),
    click.option("--resample",
                 type=click.Choice([source for source in SOURCES if source != "one-sided-sign-test"]),  # --sided 1
                 default="auto", show_default=True,
                 help="What uncertainty is of. two-way: judges and segments at once. pair, ranking, segment, judge: "
                      "units of a bootstrap. auto: two-way, or what is known; a note says which. posterior: the "
                      "model's own draws. sign-test: sign tests instead."),
    level_option,
    click.option("--sided", type=click.IntRange(1, 2), default=2, show_default=True,
                 help="One- or two-sided sign tests, for --resample sign-test."),
    click.option("--looks", type=click.Choice(LOOKS), default="auto", show_default=True,
                 help="once: ranges for one look at comparisons that no answer chose. any: ranges that hold at every "
                      "look, whatever chose them. auto: any where the judgments say that a learning strategy chose, or "
                      "that a rule could stop the campaign by them."),
)  # fmt: skip
_SHORTHANDS = (
    click.option("--scale", type=click.Choice(["natural", "elo"]), help="Scale of bradley-terry scores."),
    click.option("--anchor", metavar="NAME=VALUE", help="Fix the score of one system, for bradley-terry."),
)

ranking_options = grouped("ranking", RankingOptions.parsed, section(RANKING, *_RANKING_OPTIONS))
#: With the short forms of settings that the command whose only subject is a ranking takes.
all_ranking_options = grouped("ranking", RankingOptions.parsed, section(RANKING, *_RANKING_OPTIONS, *_SHORTHANDS))


def keyed(pairs: tuple[str, ...], option: str, *, empty: bool = False) -> dict[str, str]:
    """``("a=1",)`` as ``{"a": "1"}``; with ``empty``, ``a=`` is allowed too."""
    table: dict[str, str] = {}
    for pair in pairs:
        key, sign, value = pair.partition("=")
        if not (key and sign and (value or empty)):
            raise InputError(f"{option}: got {pair!r}; allowed: NAME=VALUE")
        if table.setdefault(key, value) != value:
            raise InputError(f"{option}: {key} is given twice, as {table[key]} and as {value}; leave one of them out")
    return table


def check_converged(rankings: Iterable[Ranking]) -> None:
    """What was printed may not be trusted where a fit did not converge; the exit status says so."""
    for ranking in rankings:
        fit = ranking.fit
        if not fit.convergence.converged:
            pair = f"{ranking.lang_pair}: " if ranking.lang_pair else ""
            raise ConvergenceError(f"{pair}model {fit.model.id!r} did not converge ({fit.convergence.detail})")


# -- where work runs ----------------------------------------------------------------------------------

seed_option = section(
    WORK, click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed.")
)
_EXECUTION_OPTIONS = section(
    WORK,
    seed_option,
    click.option("--executor", metavar="threads|processes|serial", default="threads", show_default=True,
                 help="How work is run in parallel; it never changes a number."),
    click.option("--workers", type=click.IntRange(1), default=None,
                 help="Threads or processes to use.  [default: all cores]"),
    click.option("--dask", metavar="ADDRESS|FILE",
                 help="Run on a Dask cluster instead: the address of its scheduler (tcp://HOST:PORT), or its "
                      "scheduler file."),
)  # fmt: skip


def execution_options(function: F) -> F:
    """``--seed``, ``--executor``, ``--workers`` and ``--dask``; a command gets an ``execution``."""

    @functools.wraps(function)
    def command(*args: Any, seed: int, executor: Any, workers: int | None, dask: str | None, **values: Any) -> Any:
        from ..compute import Execution

        with nullcontext(executor) if dask is None else _connected(dask) as place:
            return function(*args, execution=Execution(place, workers, seed=seed), **values)

    return cast(F, _EXECUTION_OPTIONS(command))


@contextmanager
def _connected(scheduler: str) -> Iterator[Executor]:
    from ..compute.dask import connect

    for name in ("executor", "workers"):
        if typed(name):
            raise InputError(f"--dask says where work runs, and so does --{name}; leave out one of them")
    with connect(scheduler, notify=lambda message: click.echo(message, err=True)) as executor:
        yield executor


@contextmanager
def progress_bar(title: str) -> Iterator[Progress | None]:
    """A bar on standard error, if that is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:.0f} %"))
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
