"""What all kinds of plots share: the file and the size of a picture, the judgments, an experiment."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from ...errors import InputError
from ...experiments import EXPERIMENTS
from ...report.plots import PLOTS
from .. import inputs as reading
from .. import options
from ..help import SELECTING, Sectioned, section

if TYPE_CHECKING:
    from ...compute import Execution
    from ...experiments.base import Reproduction
    from ...report.tables import Grouped

F = TypeVar("F", bound=Callable[..., Any])


class Kind(Sectioned):
    """A command that draws one kind of plot; its help has the picture first."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, leading={"Picture": ["target", "title", "width", "height"]}, **settings)


# -- the picture --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Drawing:
    """Where a picture goes, its title and its size; refused at once where nothing could be written."""

    target: str
    title: str | None
    width: int | None
    height: int | None

    def __post_init__(self) -> None:
        from ...report.plots.files import check_ending, check_writer
        from ...report.plots.theme import altair

        check_ending(self.target)
        altair()
        check_writer()
        folder = Path(self.target).parent
        if not folder.is_dir():
            raise InputError(f"{self.target}: there is no folder {str(folder)!r}; make it first")

    def draw(self, kind: str, results: Sequence[Grouped[Any]], more: Sequence[Mapping[str, Any]] | None = None) -> None:
        """Draw every result by the function of its kind; of several, files have the names of their groups.

        All are drawn before any is written, so that an error leaves no part of them. ``more`` are arguments of the
        function, for each of the results.
        """
        from ...report.plots.files import save, targets

        picture, given = PLOTS.load(kind), more or [{}] * len(results)
        charts = [
            picture(
                each.result, title=self._titled(each, results), group=each.title, width=self.width, height=self.height,
                **arguments,
            )
            for each, arguments in zip(results, given, strict=True)
        ]  # fmt: skip
        files = targets(self.target, [each.group for each in results])
        told: list[str] = []
        for chart, target in zip(charts, files, strict=True):
            save(chart, target, sharp=self.width is None and self.height is None, notify=told.append)
            click.echo(f"wrote {target}", err=True)
        for line in dict.fromkeys([*_notes(results), *told]):
            click.echo(line, err=True)

    def _titled(self, each: Grouped[Any], results: Sequence[Grouped[Any]]) -> str | None:
        """The title that was asked for; of several pictures, with what each is of."""
        if self.title is None or len(results) == 1:
            return self.title
        return f"{self.title}: {each.title}"


def _notes(results: Sequence[Grouped[Any]]) -> Iterator[str]:
    """What tables say below them, of the judgments and of what was done: a picture has no place for it."""
    for each in results:
        parts = (each.result, getattr(each.result, "ranking", None))
        notes = dict.fromkeys(note for part in parts for note in getattr(part, "notes", ()))
        yield from (f"{each.title}: {note}" if len(results) > 1 and each.title else note for note in notes)


_DRAWING_OPTIONS = (
    click.option("-o", "--output", "target", required=True, type=click.Path(), metavar="FILE",
                 help="The picture: an .svg, .png, .pdf, .html or .json file. Of several language pairs or groups, "
                      "several files."),
    click.option("--title", help="Title, instead of what the judgments are of."),
    click.option("--width", type=click.IntRange(1), help="Width of the picture in pixels."),
    click.option("--height", type=click.IntRange(1), help="Height of the picture in pixels."),
)  # fmt: skip
drawing_options = options.grouped("drawing", Drawing, *_DRAWING_OPTIONS)


# -- judgments ----------------------------------------------------------------------------------------


_BY = click.option(
    "--by",
    multiple=True,
    metavar="FIELD",
    help="One picture per value of judge, segment, or a column of the file. Repeat for several.",
)


def _with_files(required: bool) -> Callable[[F], F]:
    """``FILE...``, how to read it, and in which groups: a command gets ``inputs``."""

    def decorate(function: F) -> F:
        @functools.wraps(function)
        def command(
            *args: Any, files: tuple[str, ...], by: tuple[str, ...], inputs: reading.Inputs, **rest: Any
        ) -> Any:
            return function(*args, inputs=replace(inputs, files=files, by=by), **rest)

        metavar = "FILE..." if required else "[FILE...]"
        return options.stacked(
            click.argument("files", nargs=-1, required=required, metavar=metavar),
            reading.reading_options,
            section(SELECTING, _BY),
        )(cast(F, command))

    return decorate


judgments_options = _with_files(required=True)
#: For a kind that can be drawn of something else.
maybe_judgments_options = _with_files(required=False)


# -- experiments --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FromExperiment:
    """Whether a reproduced experiment is drawn instead of judgments, and how it runs."""

    experiment: bool
    quick: bool
    data: str | None

    def check(self, files: Sequence[str]) -> None:
        """Refuse judgments and an experiment at once, and neither of them."""
        if self.experiment and files:
            raise InputError("--experiment draws an experiment, and FILE judgments; leave out one of them")
        if not self.experiment and not files:
            raise InputError("nothing to draw: name a FILE of judgments, or give --experiment")
        if self.quick and not self.experiment:
            raise InputError("--quick is for --experiment; give that too, or leave it out")

    def run(self, name: str, execution: Execution) -> Reproduction:
        """Run an experiment again, in several processes unless somebody said otherwise."""
        from ...experiments.base import reproduce

        if not (options.typed("executor") or options.typed("dask")):
            execution = replace(execution, executor="processes")
        with options.progress_bar(name) as progress:
            return reproduce(name, quick=self.quick, data=self.data, execution=replace(execution, progress=progress))


def experiment_options(name: str) -> Callable[[F], F]:
    """For a kind that can also draw this experiment; a command gets ``source``."""
    reference = EXPERIMENTS[name].summary
    return options.grouped(
        "source", FromExperiment,
        click.option("--experiment", is_flag=True,
                     help=f"Draw the experiment {name} instead of judgments: {reference}."),
        *_RUNNING,
    )  # fmt: skip


def only_experiment_options(function: F) -> F:
    """For a kind that draws nothing but an experiment; a command gets ``source``."""
    return options.grouped("source", functools.partial(FromExperiment, True), *_RUNNING)(function)


_RUNNING = (
    click.option("--quick", is_flag=True, help="Run a small variant of the experiment: fewer trials and judgments."),
    click.option("--data", type=click.Path(), envvar="PALMARES_REAL_DATA", metavar="FOLDER", show_envvar=True,
                 help="Folder with the published judgments; without it, the experiment simulates campaigns."),
)  # fmt: skip
