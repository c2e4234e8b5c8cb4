"""``palmares score quality-estimation baseline``: train it, predict with it, look at its features."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ...errors import InputError
from .. import options
from ..help import Sectioned, SectionedGroup
from .shared import accept_option, encoding_option, resamples_option

if TYPE_CHECKING:
    from ...compute import Execution
    from ...scoring.baseline.features import Measured
    from ...scoring.baseline.model import BaselineModel
    from ...scoring.baseline.regression import Grid
    from ...scoring.baseline.training_data import TrainingFiles

F = TypeVar("F", bound=Callable[..., object])


@click.group(
    cls=SectionedGroup,
    sections={"Commands": ["train", "predict", "features"]},
    examples=(
        "palmares score quality-estimation baseline train --source train.en --target train.es --gold train.hter "
        "--source-corpus corpus.en --target-corpus corpus.es --output model",
        "palmares score quality-estimation baseline predict --model model --source test.en --target test.es",
    ),
)
def baseline() -> None:
    """Make the baseline of WMT's tasks: 17 features in a support vector regression.

    It learns from sources, translations and their labels, and needs a parallel corpus for what words are like.
    """


def _numbers(context: click.Context, parameter: click.Parameter, value: str | None) -> tuple[float, ...] | None:
    """``0.5,1,2`` as numbers."""
    if value is None:
        return None
    try:
        return tuple(float(part) for part in value.split(","))
    except ValueError:
        raise InputError(
            f"--{parameter.name}: got {value!r}; allowed: numbers with commas between them: 0.5,1,2"
        ) from None


def _grid_option(name: str, help: str, default: str) -> Callable[[F], F]:
    return click.option(f"--{name}", metavar="X,Y,…", callback=_numbers, help=f"{help}  [default: {default}]")


def _file_option(name: str, field: str, help: str, *, required: bool = False) -> Callable[[F], F]:
    return click.option(f"--{name}", field, metavar="FILE", required=required, help=help)


_texts_options = options.stacked(
    _file_option("source", "source", "Sources, one per line.", required=True),
    _file_option("target", "target", "Their translations, one per line.", required=True),
)


def _training_files(**values: Any) -> TrainingFiles:
    from ...scoring.baseline.training_data import TrainingFiles

    return TrainingFiles(**values)


def _grid(**values: tuple[float, ...] | None) -> Grid:
    from ...scoring.baseline.regression import Grid

    return Grid(**{name: tried for name, tried in values.items() if tried is not None})


@baseline.command(
    cls=Sectioned,
    leading={
        "Texts and corpora": [
            "source",
            "target",
            "gold",
            "source_corpus",
            "target_corpus",
            "source_model",
            "target_model",
            "translations",
            "translation_order",
            "encoding",
            "accept",
            "tokenize",
            "lowercase",
        ],
        "What is learnt": ["order", "iterations", "c", "gamma", "epsilon", "folds", "nested"],
        "What is written": ["model_file"],
    },
    examples=(
        "palmares score quality-estimation baseline train --source train.en --target train.es --gold train.hter "
        "--source-corpus corpus.en --target-corpus corpus.es --output model",
        "palmares score quality-estimation baseline train --source train.en --target train.es --gold train.hter "
        "--source-corpus corpus.en --target-corpus corpus.es --tokenize en-es --lowercase --nested",
    ),
)
@options.grouped(
    "files",
    _training_files,
    _texts_options,
    _file_option("gold", "gold", "The label of every translation, one per line.", required=True),
    _file_option("source-corpus", "source_corpus", "A corpus of the source language.", required=True),
    _file_option("target-corpus", "target_corpus", "Its translation, line by line."),
    _file_option("source-lm", "source_model", "A language model (ARPA) instead of one of the source corpus."),
    _file_option("target-lm", "target_model", "A language model (ARPA) instead of one of the target corpus."),
    _file_option("translations", "translations", "Lines of source word, target word, probability; not IBM model 1."),
    click.option("--translation-order", type=options.Vocabulary("palmares.scoring.baseline.translations:ORDERS"),
                 default="source-target", show_default=True, help="Order of the words in --translations."),
    encoding_option,
    accept_option,
)  # fmt: skip
@click.option("--tokenize", metavar="SRC-TGT", help="Tokenise with Moses' rules of these languages: en-es.")
@click.option("--lowercase", is_flag=True, help="Turn all texts into small letters.")
@click.option("--order", type=click.IntRange(1, 5), default=3, show_default=True,
              help="Words in n-grams of estimated language models.")  # fmt: skip
@click.option("--iterations", type=click.IntRange(1), default=5, show_default=True, help="Iterations of IBM model 1.")
@options.grouped(
    "grid",
    _grid,
    _grid_option("c", "Values of C to try.", "0.125,0.5,2,8,32"),
    _grid_option("gamma", "Values of the kernel's γ to try.", "every other power of 2, from −11 to −3"),
    _grid_option("epsilon", "Values of ε to try, in standard deviations of the labels.", "0.5,0.25,0.1"),
)
@click.option("--folds", type=click.IntRange(2), default=5, show_default=True, help="Folds of the cross-validation.")
@click.option("--nested", is_flag=True,
              help="Nested cross-validation: errors that owe nothing to the search. 3 × slower.")  # fmt: skip
@resamples_option(10_000, "Bootstrap samples for intervals of the errors; 0 for none.")
@options.level_option
@_file_option("output", "model_file", "Write the model to this file.")
@options.execution_options
@options.printing_options
def train(files: TrainingFiles, model_file: str | None, printing: options.Printing, **settings: Any) -> None:
    """Train the baseline and show what it learned from.

    The errors shown are of cross-validation among the training sentences, beside those of predicting their mean label.
    """
    from ...scoring.baseline.training import train_baseline

    if model_file is not None:
        if Path(model_file).is_dir():
            raise InputError(f"--output {model_file}: is a folder; name a file")
        if not (folder := Path(model_file).absolute().parent).is_dir():
            raise InputError(f"--output {model_file}: there is no folder {folder}; make it first")
    trained = train_baseline(files, **settings, bars=options.progress_bar)
    if model_file is not None:
        trained.model.save(model_file)
        click.echo(f"wrote {model_file}", err=True)
    printing.show("score quality-estimation baseline", [trained])


_model_option = _file_option("model", "model_file", "A model that train wrote.", required=True)


@baseline.command(
    cls=Sectioned,
    examples=(
        "palmares score quality-estimation baseline predict --model model --source test.en --target test.es",
        "palmares score quality-estimation baseline predict --model model --source test.en --target test.es "
        "--gold test.hter --label hter",
    ),
)
@_model_option
@_texts_options
@_file_option("output", "predictions_file", "Write the predictions to this file, one per line.")
@_file_option("gold", "gold", "Also score the predictions by these labels, beside the mean label of the training.")
@click.option(
    "--label",
    type=options.Vocabulary("palmares.scoring.quality.scales:SCALES"),
    help="What the labels are, for --gold.",
)
@resamples_option(None, "Bootstrap samples, for --gold; 0 for none.  [default: by the number of sentences]")
@options.level_option
@encoding_option
@accept_option
@options.execution_options
@options.printing_options
def predict(
    model_file: str,
    source: str,
    target: str,
    predictions_file: str | None,
    gold: str | None,
    label: str | None,
    resamples: int | None,
    p: float,
    encoding: str,
    accept: tuple[str, ...],
    execution: Execution,
    printing: options.Printing,
) -> None:
    """Predict labels with a trained baseline.

    Predictions go to standard output, one per line, or to --output. With --gold they are scored instead, as
    `palmares score quality-estimation sentences` does.
    """
    if (gold is None) != (label is None):
        raise InputError("--gold and --label belong together: labels, and what they are")
    model, measured = _measured(model_file, source, target, encoding, accept)
    predictions = model.regression.predict(measured.values)
    lines = "".join(f"{value!r}\n" for value in predictions.tolist())
    if gold is not None and label is not None:
        from ...scoring.baseline.scores import score_predictions

        scored = score_predictions(
            model, predictions, gold, files=(("model", model_file), ("source", source), ("target", target)),
            notes=measured.notes, label=label, resamples=resamples, p=p, encoding=encoding, execution=execution,
        )  # fmt: skip
        _write(lines, predictions_file)
        printing.show("score quality-estimation sentences", [scored])
        return
    for note in measured.notes:
        click.echo(f"note: {note}", err=True)
    if predictions_file is None:
        click.echo(lines, nl=False)
    else:
        _write(lines, predictions_file)


@baseline.command(
    cls=Sectioned,
    examples=(
        "palmares score quality-estimation baseline features --model model --source test.en --target test.es",
        "palmares score quality-estimation baseline features --model model --source test.en --target test.es "
        "--output features.tsv",
    ),
)
@_model_option
@_texts_options
@_file_option("output", "features_file", "Write the features to this file instead.")
@encoding_option
@accept_option
def features(
    model_file: str, source: str, target: str, features_file: str | None, encoding: str, accept: tuple[str, ...]
) -> None:
    """Print the 17 features of every translation, with tabs between them.

    The first line has the names of the features; then comes one line per translation.
    """
    from ...scoring.baseline.features import FEATURES

    _, measured = _measured(model_file, source, target, encoding, accept)
    rows = ["\t".join(map(repr, row)) for row in measured.values.tolist()]
    lines = "\n".join(["\t".join(FEATURES), *rows]) + "\n"
    for note in measured.notes:
        click.echo(f"note: {note}", err=True)
    if features_file is None:
        click.echo(lines, nl=False)
    else:
        _write(lines, features_file)


def _measured(
    model_file: str, source: str, target: str, encoding: str, accept: tuple[str, ...]
) -> tuple[BaselineModel, Measured]:
    """A model, and the features of the texts in two files."""
    from ...scoring.baseline.model import load
    from ...scoring.baseline.training_data import translation_notes
    from ...texts.lines import read_lines, refuse_different_counts

    model = load(model_file)
    texts = read_lines(source, encoding=encoding), read_lines(target, encoding=encoding)
    refuse_different_counts(texts)
    if not texts[0].texts:
        raise InputError(f"{texts[0].name}: the file is empty; give a source on every line")
    notes = translation_notes(*texts, accept)
    measured = model.measure(texts[0].texts, texts[1].texts)
    return model, replace(measured, notes=(*notes, *measured.notes))


def _write(lines: str, path: str | None) -> None:
    """Write lines to a file, if one was named."""
    from ...ingest.source import put

    if path is not None:
        put(lines.encode(), path)
        click.echo(f"wrote {path}", err=True)
