"""``palmares score retrieval``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...errors import InputError
from .. import options
from ..help import Sectioned
from .shared import accept_option, encoding_option, named_files, pairs_option, resamples_option, typed_to_write

if TYPE_CHECKING:
    from ...compute import Execution
    from ...scoring.retrieval import BM25, Runs
    from ...scoring.retrieval.score import Over

_SEARCH = ("documents", "queries", "translations", "method", "k1", "b", "stopwords", "depth", "write_runs", "accept")


def _settings(**values: Any) -> BM25:
    from ...scoring.retrieval import BM25

    return BM25(**values)


_bm25_options = options.grouped(
    "bm25",
    _settings,
    click.option("--method", type=options.Vocabulary("palmares.scoring.retrieval.search:METHODS"), default="lucene",
                 show_default=True, help="Variant of BM25."),
    click.option("--k1", type=click.FloatRange(0), default=1.2, show_default=True,
                 help="How far more of the same word counts."),
    click.option("--b", type=click.FloatRange(0, 1), default=0.75, show_default=True,
                 help="How far the length of documents counts."),
    click.option("--stopwords", type=options.Vocabulary("palmares.scoring.retrieval.search:STOPWORDS"),
                 default="english", show_default=True, help="Language whose stop words are left out."),
    click.option("--depth", type=click.IntRange(1), default=1000, show_default=True,
                 help="Documents that are retrieved for a query, at most."),
)  # fmt: skip


@click.command(
    cls=Sectioned,
    leading={
        "What is scored": ["qrels", "runs", "monolingual", "level", "over"],
        "Searching here": [
            "documents",
            "queries",
            "translations",
            "accept",
            "method",
            "k1",
            "b",
            "stopwords",
            "depth",
            "write_runs",
        ],
        "What is shown": ["pairs", "gaps", "per_query"],
    },
    examples=(
        "palmares score retrieval --qrels topics.qrels --run A=a.run --run B=b.run",
        "palmares score retrieval --qrels topics.qrels --run A=a.run --monolingual english.run --gaps",
        "palmares score retrieval --qrels topics.qrels --documents docs.tsv --queries queries.tsv "
        "--translations A=a.txt --translations B=b.txt",
    ),
)
@click.option("--qrels", required=True, metavar="FILE", help="Relevance judgments: query, iteration, document, grade.")
@click.option(
    "--run",
    "runs",
    multiple=True,
    metavar="NAME=FILE",
    help="A TREC run: query, Q0, document, rank, score, tag. Repeat for each system.",
)
@click.option("--monolingual", metavar="FILE", help="The run of queries that are not translated, to compare with.")
@click.option("--documents", metavar="FILE", help="Search these documents: ID<tab>TEXT, JSON Lines or TREC's SGML.")
@click.option(
    "--queries", metavar="FILE", help="The queries in the language of the documents: ID<tab>TEXT or JSON Lines."
)
@click.option(
    "--translations",
    multiple=True,
    metavar="NAME=FILE",
    help="A system's translations of the queries, one per line or ID<tab>TEXT. Repeat for each system.",
)
@accept_option
@_bm25_options
@click.option("--write-runs", metavar="FOLDER", help="Save what was found as TREC runs, NAME.run.")
@click.option(
    "--level", type=click.IntRange(1), default=1, show_default=True, help="The least grade that counts as relevant."
)
@click.option(
    "--over",
    type=options.Vocabulary("palmares.scoring.retrieval.score:OVER"),
    default="judged",
    show_default=True,
    help="judged: mean over all judged queries, those that a run does not have count as 0."
    " answered: over those that every run has.",
)
@pairs_option
@click.option("--gaps", is_flag=True, help="Show every system beside the monolingual search instead, by all measures.")
@click.option("--per-query", is_flag=True, help="Show the values of every query instead.")
@resamples_option(10_000, "Bootstrap samples of queries; 0 for no intervals and tests.")
@options.level_option
@encoding_option
@options.execution_options
@options.printing_options
def retrieval(
    qrels: str, runs: tuple[str, ...], monolingual: str | None, documents: str | None, queries: str | None,
    translations: tuple[str, ...], accept: tuple[str, ...], bm25: BM25, write_runs: str | None, level: int, over: Over,
    pairs: bool, gaps: bool, per_query: bool, resamples: int, p: float, encoding: str, execution: Execution,
    printing: options.Printing,
) -> None:  # fmt: skip
    """Score searches, also with queries that systems translated.

    Either of runs in TREC's format (--run), or of BM25 over documents (--documents, --queries, --translations), where
    each system's translations are compared with the queries themselves. Measures are trec_eval's.
    """
    from ...scoring.retrieval import read_qrels, read_runs, score_retrieval, search_translations

    part = _part(pairs=pairs, gaps=gaps, queries=per_query)
    write_runs = write_runs if typed_to_write("write_runs") else None
    _check_sources(bool(runs), documents, queries, translations)
    if gaps and runs and monolingual is None:
        raise InputError("--gaps: there is nothing to compare with; name the run of it with --monolingual")
    # Before a search, which may take long.
    judged = read_qrels(qrels, encoding=encoding)
    if runs:
        given = read_runs(named_files(runs, "--run"), monolingual=monolingual, encoding=encoding)
    else:
        named = _named_translations(translations, write_runs)
        with options.progress_bar("reading documents") as progress:
            given = search_translations(
                documents or "", queries or "", named, bm25=bm25, accept=accept, encoding=encoding, progress=progress
            )
    with options.progress_bar("scoring") as progress:
        scores = score_retrieval(
            judged, given, level=level, over=over, resamples=resamples, p=p, encoding=encoding,
            execution=replace(execution, progress=progress),
        )  # fmt: skip
    if write_runs is not None:
        _write(given, write_runs)
    printing.show("score retrieval", [scores], part)


def _part(**asked: bool) -> str | None:
    given = [name for name, flag in asked.items() if flag]
    if len(given) > 1:
        raise InputError("--pairs, --gaps and --per-query each show something else; give one of them")
    return given[0] if given else None


def _check_sources(runs: bool, documents: str | None, queries: str | None, translations: tuple[str, ...]) -> None:
    """Runs to read, or all it takes to search, and nothing of both."""
    if runs:
        if wrong := [name for name in _SEARCH if options.typed(name)]:
            raise InputError(
                f"--run is for searches that were made elsewhere; leave out --{wrong[0].replace('_', '-')}, or --run"
            )
        return
    if options.typed("monolingual"):
        raise InputError("--monolingual names a run, beside --run; a search here finds with --queries by itself")
    needed = {"--documents": documents, "--queries": queries, "--translations": translations}
    if missing := [name for name, value in needed.items() if not value]:
        raise InputError(
            f"got no --run, and to search needs {', '.join(missing)} too; give --run NAME=FILE for every system, or "
            f"{', '.join(needed)}"
        )


def _named_translations(translations: tuple[str, ...], folder: str | None) -> dict[str, str]:
    """The files of systems, whose names must be names of files if runs are to be saved."""
    named = named_files(translations, "--translations")
    wrong = [name for name in named if name.startswith(".") or set(name) & set("/\\:\0")]
    if folder is not None and wrong:
        raise InputError(f"--write-runs: {wrong[0]!r} cannot be the name of a file; call the system something else")
    return named


def _write(runs: Runs, folder: str) -> None:
    """Every run to a file of its own, each whole or not at all."""
    from ...ingest.source import put
    from ...scoring.retrieval import run_text

    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made ({error.strerror or error})") from None
    for name, run in runs.named.items():
        path = Path(folder) / f"{name}.run"
        put(run_text(run, name).encode(), path)
        click.echo(f"wrote {path}", err=True)
