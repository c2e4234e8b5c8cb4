"""``palmares score translation``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from ...errors import InputError
from ...models import DEFAULT_MODEL, MODELS
from ...results import counted
from ...texts import TEXT_CHECKS, TEXT_FORMATS
from .. import options
from ..help import Sectioned
from .shared import encoding_option, named_files, pairs_option, resamples_option, systems_option

if TYPE_CHECKING:
    from ...compute import Execution
    from ...judgments import Judgments
    from ...judgments.origin import SourceFile
    from ...scoring.translation import SegmentScores, Truecasing
    from ...texts import TestSet

_MODULE = "palmares.scoring.translation"


@dataclass(frozen=True)
class Given:
    """The texts, and where they are."""

    texts: str | None
    source: str | None
    references: tuple[str, ...]
    documents: str | None
    systems: tuple[str, ...]
    langs: str | None
    from_: str
    encoding: str

    def read(self) -> tuple[TestSet, ...]:
        """The test sets; one for plain files."""
        from ...texts import read_texts

        plain = self.texts is None
        if plain and not self.references:
            raise InputError("no reference translation; scores need one: give --reference FILE")
        found = read_texts(
            path=self.texts,
            source=self.source,
            reference=self.references[0] if plain else None,
            documents=self.documents,
            systems=named_files(self.systems),
            langs=self.langs,
            format=self.from_,
            encoding=self.encoding,
            needs_source=False,
        )
        if len(found) > 1 and self.references:
            pairs = ", ".join(str(texts.langs) for texts in found)
            raise InputError(f"--reference: {self.texts} has several language pairs ({pairs}); choose one with --langs")
        return found

    def more_references(self, segments: int) -> list[tuple[str, ...]]:
        """References beside the one that the texts come with."""
        from ...texts.plain import read_file

        paths = self.references[1:] if self.texts is None else self.references
        files = [read_file(path, self.encoding) for path in paths]
        if wrong := [file for file in files if len(file.texts) != segments]:
            raise InputError(
                f"{wrong[0].name}: has {counted(len(wrong[0].texts), 'line')}, but there are "
                f"{counted(segments, 'segment')}; line n of a reference must belong to segment n"
            )
        return [file.texts for file in files]

    def sources(self, segments: int) -> list[SourceFile]:
        """The files of texts, for the record."""
        from pathlib import Path

        from ...scoring.record import source_of
        from ...texts.folder import files_of

        named: dict[str, str] = {}
        if self.texts is not None:
            whole = Path(self.texts).is_dir()
            named |= {str(file): "texts" for file in files_of(self.texts)} if whole else {self.texts: "texts"}
        plain = {"source": self.source, "documents": self.documents}
        files = [*named.items(), *((path, role) for role, path in plain.items() if path is not None)]
        files += [(path, "reference") for path in self.references]
        files += [(path, f"system {name}") for name, path in named_files(self.systems).items()]
        return [source_of(path, role, segments) for path, role in files]


_text_options = options.grouped(
    "given", Given,
    click.argument("texts", required=False, metavar="[TEXTS]"),
    click.option("--reference", "references", multiple=True, metavar="FILE",
                 help="Reference translations, one per line. Repeat for several."),
    systems_option("Outputs of a system, one per line."),
    click.option("--source", metavar="FILE", help="Source texts, one per line. Scores do without; checks are better."),
    click.option("--documents", metavar="FILE", help="The document of each line."),
    click.option("--langs", metavar="LANGS", 
                 help="Language pair, such as cs-en; of several in TEXTS, the one to take."),
    click.option("--from", "from_", type=click.Choice(["auto", *(id for id in TEXT_FORMATS if id != "plain")]),
                 default="auto", show_default=True, help="Format of TEXTS."),
    encoding_option,
)  # fmt: skip


@dataclass(frozen=True)
class How:
    """What is scored, and how systems are called."""

    metrics: tuple[str, ...]
    prepare: tuple[str, ...]
    tokenize: str | None
    truecase: str | None
    segment_scores: tuple[str, ...]
    lower_is_better: tuple[str, ...]
    contrastive: tuple[str, ...]
    unconstrained: tuple[str, ...]
    unit: str
    accept: tuple[str, ...]

    def truecasing(self, encoding: str) -> Truecasing | None:
        from ...scoring.translation import Truecasing

        return None if self.truecase is None else Truecasing.read(self.truecase, encoding=encoding)

    def scores(self, texts: TestSet, encoding: str) -> list[SegmentScores]:
        """The scores of metrics that were computed elsewhere."""
        from ...scoring.translation import read_segment_scores

        files = named_files(self.segment_scores, "--segment-scores")
        if unknown := sorted(set(self.lower_is_better) - set(files)):
            raise InputError(f"--lower-is-better: no --segment-scores are called {unknown[0]!r}; {_listed(files)}")
        lower = set(self.lower_is_better)
        return [
            read_segment_scores(name, path, texts, higher_is_better=name not in lower, encoding=encoding)
            for name, path in files.items()
        ]

    def sources(self, segments: int) -> list[SourceFile]:
        from ...scoring.record import source_of

        named = named_files(self.segment_scores, "--segment-scores")
        files = [*((path, f"scores {name}") for name, path in named.items())]
        files += [(self.truecase, "truecase")] if self.truecase is not None else []
        return [source_of(path, role, segments) for path, role in files]


def _listed(names: Any) -> str:
    return f"there are: {', '.join(names)}" if names else "there are none"


_how_options = options.grouped(
    "how", How,
    click.option("--metric", "metrics", multiple=True, type=options.Vocabulary(f"{_MODULE}.metrics:METRICS"),
                 help="A metric to compute. Repeat for several.  [default: all; only BLEU on original texts, if there "
                      "are others]"),
    click.option("--text", "prepare", multiple=True, type=options.Vocabulary(f"{_MODULE}.preparing:TEXTS"),
                 help="How texts are prepared: as they are; punctuation normalized; then truecased or lower-cased. "
                      "Repeat for several.  [default: original, truecased, lowercased]"),
    click.option("--tokenize", type=options.Vocabulary(f"{_MODULE}.metrics:TOKENIZERS"),
                 help="How BLEU, PER and CDER split words.  [default: sacrebleu's for the language: zh, ja-mecab, "
                      "ko-mecab, or 13a]"),
    click.option("--truecase", metavar="FILE",
                 help="What a truecaser learns from: a corpus, one sentence per line, or a model of Moses.  [default: "
                      "the references]"),
    click.option("--segment-scores", multiple=True, metavar="NAME=FILE",
                 help="Scores of another metric: a table with system, segment and score, or a file of WMT's metrics "
                      "task. Repeat for several."),
    click.option("--lower-is-better", multiple=True, metavar="NAME",
                 help="Lower scores of these --segment-scores are better. Repeat for several."),
    click.option("--contrastive", multiple=True, metavar="NAME", help="No primary submission. Repeat for several."),
    click.option("--unconstrained", multiple=True, metavar="NAME",
                 help="A system that used more than the task allowed. Repeat for several."),
    click.option("--unit", type=options.Vocabulary(f"{_MODULE}.score:UNITS"), default="auto", show_default=True,
                 help="What bootstrap samples draw. auto: documents, if at least five are known, else segments."),
    click.option("--accept", multiple=True, type=click.Choice(list(TEXT_CHECKS)),
                 help="Continue even if this check of the texts found errors. Repeat for several."),
)  # fmt: skip


@click.command(
    cls=Sectioned,
    leading={
        "Texts": ["references", "systems", "source", "documents", "langs", "from_", "encoding", "accept"],
        "What is scored": ["metrics", "prepare", "tokenize", "truecase", "segment_scores", "lower_is_better"],
        "What is shown": ["pairs", "human", "human_model", "agreement", "contrastive", "unconstrained"],
    },
    examples=(
        "palmares score translation texts --langs cs-en",
        "palmares score translation --reference ref.txt --system A=a.txt --system B=b.txt --langs cs-en",
        "palmares score translation texts --langs cs-en --metric bleu --text original --pairs",
        "palmares score translation texts --langs cs-en --human judgments.csv --agreement",
    ),
)
@_text_options
@_how_options
@click.option("--human", metavar="FILE", help="Judgments of the same systems: say how far metrics agree with people.")
@click.option(
    "--human-model",
    type=click.Choice(list(MODELS)),
    default=DEFAULT_MODEL,
    show_default=True,
    help="Model that ranks the judgments.",
)
@pairs_option
@click.option("--agreement", is_flag=True, help="Show the agreement with --human instead of the scores.")
@resamples_option(1000, "Bootstrap samples; 0 for no intervals and tests.")
@options.level_option
@options.execution_options
@options.printing_options
def translation(
    given: Given, how: How, human: str | None, human_model: str, pairs: bool, agreement: bool, resamples: int,
    p: float, execution: Execution, printing: options.Printing,
) -> None:  # fmt: skip
    """Score translations against references: BLEU, chrF, TER, PER and CDER, in per cent, higher being better.

    TEXTS is a folder with one file per system (reference.txt, A.txt, …), a folder of such folders named by language
    pair, or one file with everything; otherwise give --reference and --system. TER takes long: some 30 ms a sentence.
    """
    from ...scoring.translation import score_translations
    from ...scoring.translation.plan import DEFAULT_TEXTS

    if pairs and agreement:
        raise InputError("--pairs and --agreement each show something else; give one of them")
    if agreement and human is None:
        raise InputError("--agreement: there is nothing to agree with; give judgments with --human FILE")
    testsets = given.read()
    judged, judged_files = _judgments(human)
    results = []
    for texts in testsets:
        with options.progress_bar(f"scoring {texts.langs}") as progress:
            scores = score_translations(
                texts,
                references=given.more_references(len(texts)),
                metrics=how.metrics or None,
                prepare=how.prepare or DEFAULT_TEXTS,
                tokenize=how.tokenize,
                truecasing=how.truecasing(given.encoding),
                segment_scores=how.scores(texts, given.encoding),
                contrastive=how.contrastive,
                unconstrained=how.unconstrained,
                human=judged,
                human_model=human_model,
                unit=how.unit,
                resamples=resamples,
                p=p,
                accept=how.accept,
                sources=[*given.sources(len(texts)), *how.sources(len(texts)), *judged_files],
                execution=replace(execution, progress=progress),
            )
        results.append(scores)
    _show(results, printing, "pairs" if pairs else "agreement" if agreement else None)


def _judgments(path: str | None) -> tuple[Judgments | None, Sequence[SourceFile]]:
    from ...ingest.files import read_with_report

    if path is None:
        return None, ()
    judgments, report = read_with_report(path)
    if report.dropped:
        click.echo(report.summary(), err=True)
    return judgments, judgments.origin.sources if judgments.origin is not None else ()


def _show(results: Sequence[Any], printing: options.Printing, part: str | None) -> None:
    from ...report.tables import Grouped

    printing.show("score translation", [Grouped(r, (("lang_pair", r.lang_pair),)) for r in results], part)
