"""``palmares compare``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import InputError
from . import options

if TYPE_CHECKING:
    from ..analysis.compare.testing import Testing
    from ..compute import Execution, Progress

#: `palmares.analysis.compare.comparison.HIGHER_IS_BETTER`, which would be slow to import here.
MEASURES = ("accuracy_clusters", "accuracy_outcome", "perplexity", "log_loss", "brier")


@click.command()
@options.input_options
@click.option("--model", "models", multiple=True, metavar="ID[:NAME=VALUE,…]",
              help="A model, with settings if need be. Repeat for several.  [default: all]")  # fmt: skip
@click.option(
    "--folds", type=click.IntRange(2), default=None, help="Folds; fewer are quicker.  [default: 100; with --noise 10]"
)
@click.option("--by", type=click.Choice(["auto", "judgment", "ranking", "segment", "judge"]), default="auto",
              show_default=True,
              help="What is held out together. auto: ranking, or judgment without ranking ids.")  # fmt: skip
@click.option("--train-judges", multiple=True, metavar="PATTERN", help="Train on these judges only, test on others.")
@click.option("--test-judges", multiple=True, metavar="PATTERN", help="Test on these judges only, train on others.")
@click.option("--sizes", metavar="N,N,…", help="Learning curves: train on so many judgments, test on the rest.")
@click.option("--noise", metavar="SHARE,…", help="Noise test: let such shares of the judges answer at random.")
@click.option(
    "--trials", type=click.IntRange(1), default=5, show_default=True, help="Random draws, for --sizes and --noise."
)
@click.option("--gold", metavar="FILE|bootstrap",
              help="Compare scores with a CSV file's (system, score) or TrueSkill's over 1000 samples.")  # fmt: skip
@click.option("--radii", type=click.Choice(["every", "published"]), default="every", show_default=True,
              help="Decision radii to try: all that make a difference, or 0, .01, …, .25.")  # fmt: skip
@click.option("--runs", type=click.IntRange(1), default=10, show_default=True,
              help="Random runs of trueskill for each fit.")  # fmt: skip
@click.option("--calibration", is_flag=True, help="Also predicted against observed shares.")
@click.option("--sort", type=click.Choice(MEASURES), default=MEASURES[0], show_default=True,
              help="What puts models in order.")  # fmt: skip
@click.option(
    "--plot", type=click.Path(dir_okay=False), help="Draw the result to an .svg, .png, .pdf, .html or .json file."
)
@options.seed_option
@options.worker_options
@options.format_option
def compare(**arguments: Any) -> None:
    """Say which model best predicts judgments that it has not seen.

    Every model is trained on all folds but one and tested on that one. Prints accuracy, perplexity and Brier score
    with standard errors, and the distance from the best model.
    """  # fmt: skip
    from ..analysis.compare.run import contenders

    _check(arguments)
    contenders(_models(arguments))  # wrong models are noticed before the files are read
    results = _results(arguments)
    if arguments["plot"]:
        _plot(results, Path(arguments["plot"]), calibrated=arguments["calibration"])
    _print(results, arguments["output"], calibrated=arguments["calibration"])


def _models(arguments: dict[str, Any]) -> list[str] | None:
    return list(arguments["models"]) or None


def _testing(arguments: dict[str, Any]) -> Testing:
    from ..analysis.compare.testing import Testing

    train, test = (list(arguments[name]) or None for name in ("train_judges", "test_judges"))
    return Testing(arguments["folds"], arguments["by"], arguments["radii"], arguments["runs"], train, test)


def _execution(arguments: dict[str, Any], progress: Progress | None) -> Execution:
    from ..compute import Execution

    return Execution(arguments["executor"], arguments["workers"], progress, arguments["seed"])


def _check(arguments: dict[str, Any]) -> None:
    """Refuse options that say nothing about what was asked for."""
    judges = bool(arguments["train_judges"] or arguments["test_judges"])
    curve = "--sizes" if arguments["sizes"] else "--noise" if arguments["noise"] else None
    if arguments["sizes"] and arguments["noise"]:
        raise InputError("--sizes and --noise are two experiments; ask for one at a time")
    if arguments["noise"] and judges:
        raise InputError("--noise draws judges by itself; leave out --train-judges and --test-judges")
    if arguments["folds"] is not None and (arguments["sizes"] or judges):
        asked = "--sizes" if arguments["sizes"] else "--train-judges or --test-judges"
        raise InputError(f"{asked} says what is trained on and what is tested; leave out --folds")
    if curve and arguments["calibration"]:
        raise InputError(f"--calibration is of a comparison by folds or judges; leave it out, or leave out {curve}")
    if arguments["output"] == "csv" and arguments["calibration"] and arguments["gold"]:
        raise InputError(
            "--calibration and --gold are two tables, and CSV has one header; ask for one, or use --format json"
        )


def _results(arguments: dict[str, Any]) -> list[tuple[Any, Any, Any]]:
    """For every language pair: the result, the comparison with gold scores if asked for, and the keys."""
    from .groups import groups

    parts = list(groups(options.load(arguments), None))
    results = []
    for group in parts:
        try:
            gold = _gold(arguments, group.judgments)
            result, against = _experiment(arguments, group.judgments, gold)
        except InputError as error:
            raise group.explain(error) from None
        results.append((result, against, group.keys))
    return results


def _gold(arguments: dict[str, Any], judgments: Any) -> Any:
    from ..analysis.compare.gold import bootstrap_gold, read_gold

    if arguments["gold"] is None:
        return None
    if arguments["gold"] != "bootstrap":
        gold = read_gold(arguments["gold"])
        gold.aligned(judgments.systems)  # refuse before any work is done
        return gold
    with options.progress_bar("gold scores") as progress:
        return bootstrap_gold(judgments, execution=_execution(arguments, progress))


def _experiment(arguments: dict[str, Any], judgments: Any, gold: Any) -> tuple[Any, Any]:
    from ..analysis.compare.curves import learning_curve, noise_test
    from ..analysis.compare.gold import against_gold
    from ..analysis.compare.run import compare as compare_models

    models, trials, testing = _models(arguments), arguments["trials"], _testing(arguments)
    with options.progress_bar("fitting") as progress:
        run = _execution(arguments, progress)
        if arguments["sizes"]:
            sizes = [int(size) for size in _numbers("--sizes", arguments["sizes"], int)]
            return learning_curve(
                judgments, sizes=sizes, trials=trials, models=models, testing=testing, gold=gold, execution=run
            ), None
        if arguments["noise"]:
            shares = _numbers("--noise", arguments["noise"], float)
            return noise_test(
                judgments, shares=shares, trials=trials, models=models, testing=testing, gold=gold, execution=run
            ), None
        comparison = compare_models(judgments, models=models, testing=testing, sort=arguments["sort"], execution=run)
        if gold is None:
            return comparison, None
        quiet = _execution(arguments, None)
        return comparison, against_gold(judgments, gold, models=models, runs=testing.runs, execution=quiet)


def _numbers(option: str, text: str, kind: type[int] | type[float]) -> list[float]:
    try:
        return [kind(part) for part in text.split(",") if part.strip()]
    except ValueError:
        example = "400,800,1600" if kind is int else "0.1,0.3,0.5"
        raise InputError(f"{option}: got {text!r}; allowed: numbers with commas between them, e.g. {example}") from None


def _plot(found: Sequence[tuple[Any, Any, Any]], path: Path, *, calibrated: bool) -> None:
    from ..analysis.compare.trials import Curve
    from ..report.plots.calibration import calibration_plot
    from ..report.plots.comparisons import model_comparison
    from ..report.plots.curves import curve_plot
    from ..report.plots.files import save

    for result, _, keys in found:
        value = "-".join(str(v) for _, v in keys if v is not None).replace("/", "_")
        target = path if len(found) == 1 else path.with_stem(f"{path.stem}-{value}")
        draw = curve_plot if isinstance(result, Curve) else calibration_plot if calibrated else model_comparison
        save(draw(result), target)
        click.echo(f"wrote {target}", err=True)


def _print(found: Sequence[tuple[Any, Any, Any]], output: str, *, calibrated: bool) -> None:
    from .output import print_json, print_tables

    if output == "json":
        print_json([
            {**result.to_dict(), **({"gold": against.to_dict()} if against else {}), "group": dict(keys)}
            for result, against, keys in found
        ])  # fmt: skip
        return
    tables = [table for each in found for table in _tables(*each, output == "csv", calibrated)]
    print_tables(tables, output)


def _tables(result: Any, against: Any, keys: Any, flat: bool, calibrated: bool) -> list[Any]:
    from ..analysis.compare.trials import Curve
    from ..report import comparison_views as views
    from .groups import title

    if flat:
        # One header: what was asked for beyond the comparison takes its place.
        if isinstance(result, Curve):
            return [views.curve_csv_table(result)]
        if against is not None:
            return [views.gold_csv_table(against)]
        return [views.calibration_csv_table(result) if calibrated else views.comparison_csv_table(result)]
    if isinstance(result, Curve):
        return views.curve_tables(result, title=title(keys))
    tables = [views.comparison_table(result, title=title(keys))]
    tables += [views.calibration_table(result)] if calibrated else []
    return tables if against is None else views.with_gold(tables, against)
