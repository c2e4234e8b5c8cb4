"""Plots of models: what they predict, and how well they predict what they have not seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ...errors import InputError
from ...models import DEFAULT_MODEL
from .. import inputs as reading
from .. import options
from ..plan_options import Numbers
from .drawing import Drawing, Kind, drawing_options, judgments_options

if TYPE_CHECKING:
    from ...analysis.compare.comparison import Comparison
    from ...analysis.compare.testing import Testing
    from ...analysis.compare.trials import Curve
    from ...compute import Execution
    from ...judgments import Judgments
    from ...report.tables import Grouped

F = TypeVar("F", bound=Callable[..., Any])


def _models_option(default: str) -> Callable[[F], F]:
    return click.option(
        "--model", "models", multiple=True, metavar="ID[:NAME=VALUE,…]",
        help=f"A model, optionally with settings. Repeat for several.  [default: {default}]",
    )  # fmt: skip


def _testing(folds: int | None, hold_out: str) -> Testing:
    from ...analysis.compare.testing import Testing

    return Testing(folds, hold_out)


_HOLD_OUT = click.option(
    "--hold-out", default="auto", show_default=True, metavar="FIELD",
    help="What is held out together: ranking, segment, judge, judgment or a column of the file. auto: ranking; without "
         "ranking ids segment; without either judgment.",
)  # fmt: skip
_testing_options = options.grouped(
    "testing", _testing,
    click.option("--folds", type=click.IntRange(2), default=None,
                 help="Number of folds; fewer are faster.  [default: 100]"),
    _HOLD_OUT,
)  # fmt: skip


# -- predictions --------------------------------------------------------------------------------------


@click.command(
    cls=Kind,
    examples=("palmares plot outcomes examples/campaign.csv --system system-04 -o outcomes.svg",
              "palmares plot outcomes examples/campaign.csv --system system-04 --model trueskill -o trueskill.svg"),
)  # fmt: skip
@drawing_options
@click.option("--system", required=True, metavar="NAME", help="The system whose outcomes are predicted.")
@_models_option(DEFAULT_MODEL)
@options.execution_options
@judgments_options
def outcomes(
    inputs: reading.Inputs, execution: Execution, drawing: Drawing, system: str, models: tuple[str, ...]
) -> None:
    """Draw predicted outcomes: how likely a system wins, ties and loses against every other, and what judges said."""
    from ...compute import Stream
    from ...judgments import settle_forced_ties
    from ...models.by_name import create

    made = [create(model) for model in models or (DEFAULT_MODEL,)]

    def fitted(data: Judgments, place: Execution) -> tuple[list[Any], Judgments]:
        judged = settle_forced_ties(data, "auto", "drop")
        return [model.fit(judged, rng=place.generator(Stream.FIT)) for model in made], judged

    found = reading.for_each(inputs.groups(), execution, "fitting", fitted)
    for note in dict.fromkeys(note for each in found for note in each.result[1].notes):
        click.echo(note, err=True)
    fits = [_with(each, each.result[0]) for each in found]
    drawing.draw("outcomes", fits, [{"judgments": each.result[1], "system": system} for each in found])


def _with(each: Grouped[Any], result: Any) -> Grouped[Any]:
    from ...report.tables import Grouped

    return Grouped(result, each.group)


# -- held-out judgments -------------------------------------------------------------------------------


def _compared(
    inputs: reading.Inputs, models: tuple[str, ...], testing: Testing, execution: Execution
) -> list[Grouped[Comparison]]:
    from ...analysis.compare.run import compare, contenders
    from ...judgments import settle_forced_ties

    contenders(models or None)  # wrong models are noticed before the files are read
    return reading.for_each(
        _groups(inputs, testing), execution, "fitting",
        lambda data, place: compare(settle_forced_ties(data, "auto", "drop"), models=models or None, testing=testing,
                                    execution=place),
    )  # fmt: skip


def _groups(inputs: reading.Inputs, testing: Testing) -> Any:
    """The judgments, with the column that is held out."""
    from ...analysis.compare.grouping import AUTO, SINGLE
    from ...judgments import NAME_COLUMNS

    known = testing.by in (AUTO, SINGLE, *NAME_COLUMNS, *inputs.extra)
    return inputs.groups(extra=() if known else (testing.by,))


@click.command(
    cls=Kind,
    examples=("palmares plot comparison examples/campaign.csv --folds 10 -o models.svg",
              "palmares plot comparison examples/campaign.csv --model bradley-terry --model trueskill -o models.png"),
)  # fmt: skip
@drawing_options
@_testing_options
@_models_option("all")
@options.execution_options
@judgments_options
def comparison(
    inputs: reading.Inputs, execution: Execution, drawing: Drawing, testing: Testing, models: tuple[str, ...]
) -> None:
    """Draw models beside each other: how well they predict judgments that they have not seen, with intervals."""
    drawing.draw("comparison", _compared(inputs, models, testing, execution))


@click.command(
    cls=Kind,
    examples=("palmares plot calibration examples/campaign.csv --model bradley-terry -o calibration.svg",
              "palmares plot calibration examples/campaign.csv --folds 10 -o calibration.png"),
)  # fmt: skip
@drawing_options
@_testing_options
@_models_option("all")
@options.execution_options
@judgments_options
def calibration(
    inputs: reading.Inputs, execution: Execution, drawing: Drawing, testing: Testing, models: tuple[str, ...]
) -> None:
    """Draw calibration: of judgments whose outcome a model gave this probability, the share that came true."""
    drawing.draw("calibration", _compared(inputs, models, testing, execution))


@click.command(
    "learning-curve",
    cls=Kind,
    examples=("palmares plot learning-curve examples/campaign.csv --sizes 400,800,1600 -o curve.svg",
              "palmares plot learning-curve examples/campaign.csv --noise 0.1,0.3 --model bradley-terry -o noise.svg"),
)  # fmt: skip
@drawing_options
@click.option("--sizes", type=Numbers(int, "whole numbers"), metavar="N,N,…",
              help="Train on this many judgments, test on the rest.")  # fmt: skip
@click.option("--noise", type=Numbers(float, "numbers"), metavar="SHARE,…",
              help="Instead: these shares of the judges answer at random.")  # fmt: skip
@click.option("--trials", type=click.IntRange(1), default=5, show_default=True, help="Repetitions.")
@_HOLD_OUT
@_models_option("all")
@options.execution_options
@judgments_options
def learning_curve(
    inputs: reading.Inputs,
    execution: Execution,
    drawing: Drawing,
    sizes: tuple[int, ...] | None,
    noise: tuple[float, ...] | None,
    trials: int,
    hold_out: str,
    models: tuple[str, ...],
) -> None:
    """Draw learning curves: how well models predict, by the judgments they are trained on, or with noisy judges."""
    from ...analysis.compare.curves import learning_curve as learn
    from ...analysis.compare.curves import noise_test
    from ...analysis.compare.run import contenders
    from ...judgments import settle_forced_ties

    if bool(sizes) == bool(noise):
        raise InputError("--sizes and --noise are two experiments; give one of them")
    contenders(models or None)
    testing = _testing(None, hold_out)

    def tried(data: Judgments, place: Execution) -> Curve:
        judged, given = settle_forced_ties(data, "auto", "drop"), models or None
        if sizes:
            return learn(judged, sizes=sizes, trials=trials, models=given, testing=testing, execution=place)
        return noise_test(judged, shares=noise or (), trials=trials, models=given, testing=testing, execution=place)

    drawing.draw("learning-curve", reading.for_each(_groups(inputs, testing), execution, "fitting", tried))
