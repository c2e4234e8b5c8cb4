"""``palmares score quality-estimation``: predictions of the quality of translations."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...errors import InputError
from ...ingest.source import put
from ...registry import Entry, Registry
from .. import LazyGroup
from ..help import Sectioned
from .shared import (
    accept_option,
    encoding_option,
    named_files,
    options,
    pairs_option,
    resamples_option,
    systems_option,
    typed_to_write,
)

if TYPE_CHECKING:
    from ...compute import Execution

_HERE = "palmares.cli.score.quality_estimation"
#: Every command below ``palmares score quality-estimation``, in the order that help shows them.
QUALITY_COMMANDS = Registry(
    "command",
    {
        "sentences": Entry(f"{_HERE}:sentences", "Score predictions of the quality of sentences."),
        "words": Entry(f"{_HERE}:words", "Score predictions of which words are wrong."),
        "hter": Entry(f"{_HERE}:hter", "Measure how much of every translation was post-edited."),
        "baseline": Entry("palmares.cli.score.quality_baseline:baseline", "Train the 17-feature baseline; predict."),
    },
)


@click.group(
    cls=LazyGroup,
    registry=QUALITY_COMMANDS,
    examples=(
        "palmares score quality-estimation sentences --label hter --gold gold.txt --system A=a.txt --system B=b.txt",
        "palmares score quality-estimation words --gold gold.tsv --system A=a.tsv",
    ),
)
def quality_estimation() -> None:
    """Score predictions of translation quality, measure post-editing, or make a baseline."""


_documents_option = click.option(
    "--documents",
    metavar="FILE",
    help="The document of every sentence, one name per line; bootstrap samples draw them.",
)
_unit_option = click.option(
    "--unit", type=click.Choice(["auto", "sentence", "document"]), default="auto", show_default=True,
    help="What bootstrap samples draw. auto: documents, if --documents names at least five; else sentences.",
)  # fmt: skip


@click.command(
    cls=Sectioned,
    leading={
        "What is scored": ["gold", "systems", "label", "variant", "documents", "encoding"],
        "What is shown": ["baseline", "savings", "pairs"],
    },
    examples=(
        "palmares score quality-estimation sentences --label hter --gold gold.txt --system A=a.txt --system B=b.txt",
        "palmares score quality-estimation sentences --label effort --gold gold.txt --system A=a.txt "
        "--system base=base.txt --baseline base",
        "palmares score quality-estimation sentences --label time --gold gold.txt --system A=a.txt --savings",
    ),
)
@click.option("--gold", required=True, metavar="FILE", help="The gold label of every sentence, one per line.")
@systems_option("Predictions: one number per line, or a WMT submission (method, segment, score, rank).")
@click.option(
    "--label",
    type=options.Vocabulary("palmares.scoring.quality.scales:SCALES"),
    required=True,
    help="What labels are. effort: 1 to 3. hter: edits in percent (hter-share: 0 to 1). time: seconds (time-ms: "
    "milliseconds). quality: any score of which higher is better; of all others, lower.",
)
@click.option("--variant", type=click.Choice(["both", "scoring", "ranking"]), default="both", show_default=True,
              help="scoring: MAE, RMSE, Pearson's r. ranking: DeltaAvg, Spearman's ρ.")  # fmt: skip
@click.option("--baseline", metavar="NAME", help="Mark the systems that do not differ from this one.")
@_documents_option
@_unit_option
@click.option("--savings", is_flag=True,
              help="Show instead what post-editing the best quarter or half by each system saves.")  # fmt: skip
@pairs_option
@resamples_option(None, "Bootstrap samples; 0: no intervals and tests.  [default: 1,000,000 for MAE and RMSE, 100,000 "
                        "for the others; fewer for much data]")  # fmt: skip
@options.level_option
@encoding_option
@options.execution_options
@options.printing_options
def sentences(
    systems: tuple[str, ...],
    savings: bool,
    pairs: bool,
    execution: Execution,
    printing: options.Printing,
    **values: Any,
) -> None:
    """Score predictions of the quality of sentences, as WMT's shared task does.

    Systems that may be the best are marked •, by a paired bootstrap test.
    """
    from ...scoring.quality.sentences import SAVINGS, score_sentences

    if savings and pairs:
        raise InputError("--savings and --pairs are tables of their own; give one of them")
    files = named_files(systems)
    with options.progress_bar("resampling") as bar:
        result = score_sentences(
            systems=files, savings=SAVINGS if savings else (), execution=replace(execution, progress=bar), **values
        )
    part = "savings" if savings else "pairs" if pairs else None
    printing.show("score quality-estimation sentences", [result], part)


@click.command(
    cls=Sectioned,
    leading={
        "What is scored": ["gold", "systems", "training", "documents", "encoding"],
        "What is shown": ["classes", "pairs"],
    },
    examples=(
        "palmares score quality-estimation words --gold gold.tsv --system A=a.tsv --system B=b.tsv",
        "palmares score quality-estimation words --gold gold.tsv --training train.tsv --system A=a.tsv --classes",
    ),
)
@click.option("--gold", required=True, metavar="FILE",
              help="The gold label of every word, between tabs: segment, number of word, word, one label "
                   "or three.")  # fmt: skip
@systems_option("Predicted labels in the same layout, or a WMT submission.")
@click.option("--training", metavar="FILE",
              help="Training data, for the baseline that always answers their commonest error.  "
                   "[default: the gold labels]")  # fmt: skip
@_documents_option
@_unit_option
@click.option("--classes", is_flag=True, help="Show instead precision, recall, F1 and MCC of every class.")
@pairs_option
@resamples_option(10_000, "Bootstrap samples; 0: no intervals and tests.")
@options.level_option
@encoding_option
@options.execution_options
@options.printing_options
def words(
    systems: tuple[str, ...],
    classes: bool,
    pairs: bool,
    execution: Execution,
    printing: options.Printing,
    **values: Any,
) -> None:
    """Score predictions of which words are wrong, as WMT's shared task does.

    Labels are of one granularity or of several: binary (OK, BAD), level 1 (OK, Accuracy, Fluency) and multi-class
    (types of error). Two trivial baselines stand beside the systems.
    """
    from ...scoring.quality.words import score_words

    if classes and pairs:
        raise InputError("--classes and --pairs are tables of their own; give one of them")
    with options.progress_bar("resampling") as bar:
        result = score_words(systems=named_files(systems), execution=replace(execution, progress=bar), **values)
    part = "classes" if classes else "pairs" if pairs else None
    printing.show("score quality-estimation words", [result], part)


@click.command(
    cls=Sectioned,
    leading={
        "What is measured": [
            "systems",
            "post_edits",
            "case_sensitive",
            "normalize",
            "uncapped",
            "documents",
            "encoding",
            "accept",
        ],
        "What is shown": ["pairs"],
        "What is written": ["write", "overwrite"],
    },
    examples=(
        "palmares score quality-estimation hter --system A=a.txt --post-edit A=a.edited.txt",
        "palmares score quality-estimation hter --system a.txt --post-edit a.edited.txt --write a.hter.txt",
    ),
)
@systems_option("Translations of a system, one per line.")
@click.option("--post-edit", "post_edits", multiple=True, required=True, metavar="NAME=FILE",
              help="The same after post-editing. Repeat for each system.")  # fmt: skip
@click.option("--case-sensitive", is_flag=True, help="Let changes of case count as edits.")
@click.option("--normalize", is_flag=True, help="Tokenize punctuation first, as tercom's normalisation does.")
@click.option("--uncapped", is_flag=True, help="Let sentences have more than 100 % edits.")
@click.option("--write", multiple=True, metavar="[NAME=]FILE",
              help="Write the HTER of every sentence in percent, one per line. Repeat for each system.")  # fmt: skip
@click.option("--overwrite", is_flag=True, help="Let --write replace files.")
@accept_option
@_documents_option
@_unit_option
@pairs_option
@resamples_option(10_000, "Bootstrap samples; 0: no intervals and tests.")
@options.level_option
@encoding_option
@options.execution_options
@options.printing_options
def hter(
    systems: tuple[str, ...], post_edits: tuple[str, ...], write: tuple[str, ...], overwrite: bool, pairs: bool,
    uncapped: bool, execution: Execution, printing: options.Printing, **values: Any,
) -> None:  # fmt: skip
    """Measure HTER: the edits between translations and what post-editors made of them, per word.

    Counted by sacrebleu's TER. A change of case is no edit, and a sentence has 100 % at most, unless options say
    otherwise.
    """
    from ...scoring.quality.post_edits import measure_hter

    files = named_files(systems)
    targets = _for_systems(write, files, "--write") if typed_to_write("write") else {}
    _check_targets(targets, overwrite)
    with options.progress_bar("counting edits") as bar:
        result = measure_hter(
            files, _for_systems(post_edits, files, "--post-edit"), capped=not uncapped,
            execution=replace(execution, progress=bar), **values,
        )  # fmt: skip
    for name, path in targets.items():
        put(result.lines(name).encode(), path)
        click.echo(f"wrote {path}", err=True)
    printing.show("score quality-estimation hter", [result], "pairs" if pairs else None)


def _check_targets(targets: dict[str, str], overwrite: bool) -> None:
    """Refuse files that cannot be written before anything is counted."""
    taken: dict[Path, str] = {}
    for name, path in targets.items():
        place = Path(path).absolute()
        if (other := taken.setdefault(place, name)) != name:
            raise InputError(f"--write: {path} is given for {other} and for {name}; give each its own file")
        if place.is_dir():
            raise InputError(f"--write: {path} is a folder; name a file")
        if not overwrite and place.exists():
            raise InputError(f"{path}: exists already; name another file, or replace it with --overwrite")
        if not place.parent.is_dir():
            raise InputError(f"--write {path}: there is no folder {place.parent}; make it first")


def _for_systems(given: tuple[str, ...], systems: dict[str, str], option: str) -> dict[str, str]:
    """Files by system; one without a name is that of the only system."""
    if not systems:
        raise InputError("got no system; give at least one: --system NAME=FILE")
    if len(given) == len(systems) == 1 and "=" not in given[0]:
        return {next(iter(systems)): given[0]}
    files = named_files(given, option)
    if unknown := [name for name in files if name not in systems]:
        raise InputError(f"{option}: got {unknown[0]}; the systems are {', '.join(systems)}")
    return files
