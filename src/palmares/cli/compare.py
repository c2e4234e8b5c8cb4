"""``palmares compare``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from ..errors import InputError
from . import inputs as reading
from . import options
from .help import Sectioned

if TYPE_CHECKING:
    from ..analysis.compare.gold import Gold
    from ..analysis.compare.testing import Testing
    from ..compute import Execution
    from ..judgments import Judgments
    from ..report.compare import Compared


def _testing(hold_out: Any, train_judges: tuple[str, ...], test_judges: tuple[str, ...], **values: Any) -> Testing:
    from ..analysis.compare.testing import Testing

    if values["folds"] is not None and (train_judges or test_judges):
        raise InputError(
            "--train-judges or --test-judges says what is trained on and what is tested; leave out --folds"
        )
    return Testing(**values, by=hold_out, train_judges=train_judges or None, test_judges=test_judges or None)


_TESTING_OPTIONS = (
    click.option("--folds", type=click.IntRange(2), default=None,
                 help="Number of folds; fewer are faster.  [default: 100, 10 with --noise]"),
    click.option("--hold-out", default="auto", show_default=True, metavar="FIELD",
                 help="What is held out together, and what errors are taken over: ranking, segment, judge, judgment or "
                      "a column of the file. auto: ranking; without ranking ids segment; without either judgment."),
    click.option("--train-judges", multiple=True, metavar="PATTERN",
                 help="Train on these judges only, test on the others."),
    click.option("--test-judges", multiple=True, metavar="PATTERN",
                 help="Test on these judges only, train on the others."),
    click.option("--radii", type=options.Vocabulary("palmares.analysis.compare.testing:RADII"), default="every",
                 show_default=True, help="Decision radii to try: all that make a difference, or 0, .01, …, .25."),
    click.option("--runs", type=click.IntRange(1), default=10, show_default=True,
                 help="Random runs of trueskill for each fit."),
)  # fmt: skip


@dataclass(frozen=True)
class Question:
    """What is asked of the models: a comparison, learning curves (``sizes``) or the noise test (``noise``)."""

    sizes: str | None
    noise: str | None
    trials: int
    gold: str | None
    calibration: bool
    sort: str

    def check(self, testing: Testing, output: str) -> None:
        """Refuse options that have no meaning for what was asked."""
        curve = "--sizes" if self.sizes else "--noise" if self.noise else None
        if self.sizes and self.noise:
            raise InputError("--sizes and --noise are two experiments; ask for one at a time")
        if self.noise and testing.by_judges:
            raise InputError("--noise draws judges by itself; leave out --train-judges and --test-judges")
        if testing.folds is not None and self.sizes:
            raise InputError("--sizes says what is trained on and what is tested; leave out --folds")
        if curve and self.calibration:
            raise InputError(f"--calibration needs a comparison by folds or judges; leave it out, or leave out {curve}")
        if output == "csv" and self.calibration and self.gold:
            raise InputError(
                "--calibration and --gold are two tables, and CSV has one header; ask for one, or use --format json"
            )

    def answer(
        self, judgments: Judgments, models: Sequence[str] | None, testing: Testing, execution: Execution
    ) -> Compared:
        """Fit and test the models."""
        from ..analysis.compare.curves import learning_curve, noise_test
        from ..analysis.compare.gold import against_gold
        from ..analysis.compare.run import compare as compare_models
        from ..judgments import settle_forced_ties
        from ..report.compare import Compared

        judgments = settle_forced_ties(judgments, "auto", "drop")
        gold = self._gold(judgments, execution)
        with options.progress_bar("fitting") as progress:
            place = replace(execution, progress=progress)
            if self.sizes:
                sizes = [int(size) for size in _numbers("--sizes", self.sizes, int)]
                return Compared(
                    learning_curve(judgments, sizes=sizes, trials=self.trials, models=models, testing=testing,
                                   gold=gold, execution=place)
                )  # fmt: skip
            if self.noise:
                shares = _numbers("--noise", self.noise, float)
                return Compared(
                    noise_test(judgments, shares=shares, trials=self.trials, models=models, testing=testing,
                               gold=gold, execution=place)
                )  # fmt: skip
            result = compare_models(judgments, models=models, testing=testing, sort=self.sort, execution=place)
        if gold is None:
            return Compared(result)
        return Compared(result, against_gold(judgments, gold, models=models, runs=testing.runs, execution=execution))

    def _gold(self, judgments: Judgments, execution: Execution) -> Gold | None:
        from ..analysis.compare.gold import bootstrap_gold, read_gold

        if self.gold is None:
            return None
        if self.gold != "bootstrap":
            gold = read_gold(self.gold)
            gold.aligned(judgments.systems)  # refuse before any work is done
            return gold
        with options.progress_bar("gold scores") as progress:
            return bootstrap_gold(judgments, execution=replace(execution, progress=progress))


_QUESTION_OPTIONS = (
    click.option("--sizes", metavar="N,N,…", help="Learning curves: train on this many judgments, test on the rest."),
    click.option("--noise", metavar="SHARE,…", help="Noise test: these shares of the judges answer at random."),
    click.option("--trials", type=click.IntRange(1), default=5, show_default=True,
                 help="Repetitions, for --sizes and --noise."),
    click.option("--gold", metavar="FILE|bootstrap",
                 help="Also compare scores with gold scores: a CSV file (system, score), or mean TrueSkill scores over "
                      "1000 bootstrap samples."),
    click.option("--calibration", is_flag=True, help="Also print predicted against observed shares."),
    click.option("--sort", type=options.Vocabulary("palmares.analysis.compare.comparison:HIGHER_IS_BETTER"),
                 default="accuracy_clusters", show_default=True,
                 help="Measure to sort the models by."),
)  # fmt: skip


@click.command(
    cls=Sectioned,
    leading={
        "Models": ["models", "presets"],
        "What is asked": ["sizes", "noise", "trials", "gold", "calibration", "sort"],
        "How models are tested": ["folds", "hold_out", "train_judges", "test_judges", "radii", "runs"],
    },
    examples=(
        "palmares compare examples/campaign.csv --folds 10",
        "palmares compare examples/campaign.csv --model expected-wins --model trueskill",
        "palmares compare examples/campaign.csv --folds 5 --plot models.svg",
    ),
)
@reading.input_options
@click.option("--model", "models", multiple=True, metavar="ID[:NAME=VALUE,…]",
              help="A model, optionally with settings. Repeat for several.  [default: all]")  # fmt: skip
@options.presets_option
@options.grouped("testing", _testing, *_TESTING_OPTIONS)
@options.grouped("question", Question, *_QUESTION_OPTIONS)
@options.execution_options
@options.drawing_options
def compare(
    inputs: reading.Inputs,
    models: tuple[str, ...],
    presets: tuple[str, ...],
    testing: Testing,
    question: Question,
    execution: Execution,
    printing: options.Printing,
) -> None:
    """Compare how well models predict judgments that they have not seen.

    Every model is trained on all folds but one and tested on that one. Prints accuracy, perplexity and Brier score
    with standard errors, and the distance from the best model.
    """  # fmt: skip
    from ..analysis.compare.grouping import AUTO, SINGLE
    from ..analysis.compare.run import contenders
    from ..judgments import NAME_COLUMNS

    question.check(testing, printing.output)
    models = (*models, *presets)
    contenders(models or None)  # wrong models are noticed before the files are read
    column = () if testing.by in (AUTO, SINGLE, *NAME_COLUMNS, *inputs.extra) else (testing.by,)
    results = reading.results_of(
        inputs.groups(extra=column), lambda judgments: question.answer(judgments, models or None, testing, execution)
    )
    if printing.plot is not None:
        printing.draw(results, _picture(question))
    printing.show("compare", results, "calibration" if question.calibration else None)


def _picture(question: Question) -> Any:
    from ..report.plots.calibration import calibration_plot
    from ..report.plots.comparisons import model_comparison
    from ..report.plots.curves import curve_plot

    draw: Any = calibration_plot if question.calibration else model_comparison
    draw = curve_plot if question.sizes or question.noise else draw
    return lambda compared, **given: draw(compared.result, **given)


def _numbers(option: str, text: str, kind: type[int] | type[float]) -> list[float]:
    try:
        return [kind(part) for part in text.split(",") if part.strip()]
    except ValueError:
        example = "400,800,1600" if kind is int else "0.1,0.3,0.5"
        raise InputError(f"{option}: got {text!r}; allowed: numbers with commas between them, e.g. {example}") from None
