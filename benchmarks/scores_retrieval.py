"""A search for translated queries beside bm25s alone, which the package searches with."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from palmares.scoring.retrieval import Run, search_translations

from .common import measure, report

DOCUMENTS, SYSTEMS, QUERIES, DEPTH = 20_000, 10, 50, 1_000
_VOCABULARY = 50_000
_REPEATS = 3

_OURS = "runs = search_translations('{folder}/documents.tsv', '{folder}/queries.tsv', translations)"
_OURS_SETUP = """
from palmares.scoring.retrieval import search_translations
import bm25s
translations = {{f's{{i}}': f'{folder}/s{{i}}.tsv' for i in range({systems})}}
"""
#: The same settings; files are read, too, by nothing but a split at the tab.
PEER = """
def searched(path, engine, depth):
    queries = [line.split('\\t', 1)[1] for line in open(path, encoding='utf-8').read().splitlines()]
    return engine.retrieve(bm25s.tokenize(queries, stopwords='english', show_progress=False), k=depth,
        show_progress=False)
def found(folder, systems, depth):
    texts = [line.split('\\t', 1)[1] for line in open(f'{folder}/documents.tsv', encoding='utf-8')]
    engine = bm25s.BM25(method='lucene', k1=1.2, b=0.75, dtype='float64')
    engine.index(bm25s.tokenize(texts, stopwords='english', show_progress=False), show_progress=False)
    return [searched(f'{folder}/{name}.tsv', engine, depth) for name in (*(f's{i}' for i in range(systems)), 'queries')]
"""


def written(folder: Path, documents: int = DOCUMENTS, systems: int = SYSTEMS, queries: int = QUERIES) -> None:
    """Documents of 30 to 250 words, queries of ten, and translations in which words of a query are wrong."""
    rng = np.random.default_rng(0)
    chances = np.cumsum(1 / np.arange(1, _VOCABULARY + 1))

    def words(count: int) -> list[str]:
        return [f"w{code}" for code in np.searchsorted(chances, rng.random(count) * chances[-1])]

    def write(name: str, texts: list[list[str]]) -> None:
        lines = (f"{name[0]}{n:06d}\t{' '.join(text)}\n" for n, text in enumerate(texts))
        (folder / f"{name}.tsv").write_text("".join(lines), encoding="utf-8")

    write("documents", [words(int(length)) for length in rng.integers(30, 250, documents)])
    asked = [words(10) for _ in range(queries)]
    write("queries", asked)
    for system in range(systems):
        wrong = rng.random((queries, 10)) < 0.1 + 0.03 * system
        texts = [
            [other if miss else word for word, other, miss in zip(query, words(10), misses, strict=True)]
            for query, misses in zip(asked, wrong, strict=True)
        ]
        lines = (f"q{n:06d}\t{' '.join(text)}\n" for n, text in enumerate(texts))
        (folder / f"s{system}.tsv").write_text("".join(lines), encoding="utf-8")


def differences(folder: Path, systems: int = SYSTEMS, depth: int = DEPTH) -> tuple[int, int, float]:
    """Queries searched, lists that are not those of bm25s, and the largest difference of a score, relative.

    Where documents tie for the last places, bm25s takes any of them: those are not looked at, but their score is.
    """
    names = [f"s{number}" for number in range(systems)]
    runs = search_translations(
        folder / "documents.tsv", folder / "queries.tsv", {n: folder / f"{n}.tsv" for n in names}
    )
    scope: dict[str, object] = {}
    exec("import bm25s\n" + PEER, scope)
    every: list[Run] = [*(runs.systems[name] for name in names), runs.monolingual]
    queries = other = 0
    largest = 0.0
    for run, (places, scores) in zip(every, scope["found"](folder, systems, depth), strict=True):
        for (_, ours), own, values in zip(sorted(run.scores.items()), places, scores, strict=True):
            # With JAX bm25s gives scores in single precision, as the package does, and without it in double.
            single = np.asarray(values, dtype=np.float32).tolist()
            theirs = {f"d{place:06d}": value for place, value in zip(own, single, strict=True) if value > 0}
            queries += 1
            other += not _alike(ours, theirs)
            one, two = (np.array(sorted(each.values())) for each in (ours, theirs))
            largest = max(largest, float(np.abs(one / two - 1).max(initial=0))) if len(one) == len(two) else np.inf
    return queries, other, largest


def _alike(ours: Mapping[str, float], theirs: Mapping[str, float]) -> bool:
    """Whether both have the same documents above their last score."""
    if len(ours) != len(theirs):
        return False
    least = min(ours.values(), default=0.0)
    return {d for d, value in ours.items() if value > least} == {d for d, value in theirs.items() if value > least}


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        written(folder)
        ours, theirs = [], []
        for _ in range(_REPEATS):  # in turns: other load falls on both
            setup = _OURS_SETUP.format(folder=folder, systems=SYSTEMS)
            ours.append(measure(_OURS.format(folder=folder), setup=setup, repeats=1))
            setup = "import bm25s\n" + PEER
            theirs.append(measure(f"found({str(folder)!r}, {SYSTEMS}, {DEPTH})", setup=setup, repeats=1))
        queries, other, largest = differences(folder)
    own, peer = (min(seconds for seconds, _ in runs) for runs in (ours, theirs))
    own_memory, peer_memory = (min(memory for _, memory in runs) for runs in (ours, theirs))
    report(
        "scores-retrieval",
        f"Searching {DOCUMENTS:,} documents with {queries:,} queries, {SYSTEMS} systems and the queries themselves",
        ["palmares s", "bm25s s", "bm25s / palmares", "palmares peak MiB", "bm25s peak MiB", "other lists",
         "largest difference of a score"],
        [[own, peer, peer / own, round(own_memory), round(peer_memory), other, f"{largest:.0e}"]],
        [
            f"From files to the best {DEPTH:,} documents of every query; documents of 30 to 250 words out of "
            f"{_VOCABULARY:,}, queries of ten. Peer: bm25s 0.3.16 by itself with the same settings, which indexes all "
            "words; by the clock, each in a fresh interpreter, in turns, best of "
            f"{_REPEATS}. Other lists: queries for which the documents above the last score are not the same; of those "
            "that tie for the last places bm25s takes any. Scores are compared in single precision.",
        ],
    )  # fmt: skip


if __name__ == "__main__":
    main()
