"""BM25 over a collection, for queries and their translations. The search is bm25s's.

All queries are known before the documents are read. So an index of their words, and the lengths of documents, is all
that BM25 needs: scores are those of an index of all words, with a fraction of its memory.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np

from ...compute.execution import Progress
from ...errors import InputError, MissingExtraError
from ...judgments import FloatArray
from ...texts.lines import Path
from .collection import Lines, Queries, read_queries, read_translations, records
from .trec import MONOLINGUAL, Run, Runs, single

Method = Literal["lucene", "robertson", "atire"]
METHODS: tuple[Method, ...] = get_args(Method)
#: Languages with a list of stop words, which is bm25s's.
STOPWORDS = (
    "english", "danish", "dutch", "french", "german", "italian", "korean", "norwegian", "portuguese", "russian",
    "spanish", "swedish", "turkish", "none",
)  # fmt: skip


#: What `bm25s` takes for words, too.
_words = re.compile(r"\w\w+").findall
#: What dictionaries of words give for a stop word, and the number of all words that no query has.
_STOPWORD = _OTHER = 0


@dataclass(frozen=True)
class BM25:
    r"""Settings of the search.

    The score of a document d for a query is Σ idf(w) · f(w, d) / (f(w, d) + k1 · (1 − b + b · |d| / mean |d|)) over
    the words w of the query, where f counts a word; ``atire`` has another factor of k1 + 1. idf(w) of N documents, of
    which n have w, is ln(1 + (N − n + ½) / (n + ½)) for ``lucene``, ln((N − n + ½) / (n + ½)) or 0, whichever is more,
    for ``robertson``, and ln(N / n) for ``atire`` (Kamphuis et al. 2020). A word is two or more letters, digits or
    underscores in a row, in small letters; there is no stemming.

    Attributes
    ----------
    stopwords
        The language whose stop words are left out of documents and queries; ``none`` leaves out no word.
    depth
        How many documents are retrieved for a query at most.
    """

    method: Method = "lucene"
    k1: float = 1.2
    b: float = 0.75
    stopwords: str = "english"
    depth: int = 1000

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise InputError(f"method: got {self.method!r}; allowed: {', '.join(METHODS)}")
        if self.stopwords not in STOPWORDS:
            raise InputError(f"stopwords: got {self.stopwords!r}; allowed: {', '.join(STOPWORDS)}")
        if not (np.isfinite(self.k1) and self.k1 >= 0):
            raise InputError(f"k1: got {self.k1}; allowed: a number of at least 0")
        if not 0 <= self.b <= 1:
            raise InputError(f"b: got {self.b}; allowed: between 0 and 1")
        if self.depth < 1:
            raise InputError(f"depth: got {self.depth}; allowed: at least 1")

    @property
    def facts(self) -> dict[str, Any]:
        """What a signature says of it."""
        engine = _bm25s()
        return {
            "engine": f"bm25s-{engine.__version__}", "method": self.method, "k1": self.k1, "b": self.b,
            "words": "two-or-more-characters", "case": "lower", "stopwords": self.stopwords, "stemming": "none",
            "depth": self.depth,
        }  # fmt: skip


def search_translations(
    documents: Path,
    queries: Path,
    translations: Mapping[str, Path],
    *,
    bm25: BM25 | None = None,
    accept: Collection[str] = (),
    encoding: str = "utf-8",
    progress: Progress | None = None,
) -> Runs:
    """Search a collection with every system's translations of queries, and with the queries in its own language.

    Parameters
    ----------
    documents
        ``ID<tab>TEXT`` lines, JSON Lines (``{"id", "title", "text"}``) or TREC's SGML (``<DOC><DOCNO>``).
    queries
        The queries in the language of the documents, ``ID<tab>TEXT`` lines or JSON Lines.
    translations
        By system: a file with one translation per line in the order of the queries, or ``ID<tab>TEXT`` lines.
    accept
        Checks of translations beside the queries (``misaligned``, ``encoding``) whose errors are accepted.
    progress
        Called with (done, total) bytes of the documents.
    """
    bm25 = bm25 or BM25()
    if MONOLINGUAL in translations:
        raise InputError(f"a system is called {MONOLINGUAL!r}, as is the search it is compared with; rename it")
    given = read_queries(queries, encoding=encoding)
    sets = {
        name: read_translations(path, name, given, accept=accept, encoding=encoding)
        for name, path in translations.items()
    }
    every = {**sets, MONOLINGUAL: given}
    lines = Lines(documents, encoding=encoding, progress=progress)
    collection = _Collection.read(lines, _query_words(every, bm25), bm25)
    index = _Index(collection, bm25)
    runs = {name: index.run(each) for name, each in every.items()}
    notes = tuple(note for each in sets.values() for note in each.notes)
    sources = (lines.source("documents", len(collection)), given.source, *(each.source for each in sets.values()))
    return Runs(
        {name: runs[name] for name in sets}, runs[MONOLINGUAL], sources,
        {**bm25.facts, "documents": len(collection)}, ("bm25s",), notes, frozenset(collection.ids),
    )  # fmt: skip


def _bm25s() -> Any:
    try:
        import bm25s
    except ImportError:
        raise MissingExtraError("searching with BM25", "scoring", "bm25s") from None
    return bm25s


def _query_words(sets: Mapping[str, Queries], bm25: BM25) -> dict[str, int]:
    """Every word of a query with its number, from 1; stop words have `_STOPWORD`."""
    stopwords = None if bm25.stopwords == "none" else bm25.stopwords
    numbers = dict.fromkeys(_bm25s().tokenization.Tokenizer(stopwords=stopwords).stopwords, _STOPWORD)
    left_out = len(numbers)
    for each in sets.values():
        for text in each.texts.values():
            for word in _words(text.lower()):
                numbers.setdefault(word, len(numbers) - left_out + 1)
    return numbers


@dataclass(frozen=True)
class _Collection:
    """The words of queries in every document, by number, and how many other words it has.

    Its documents are lists of numbers as bm25s wants them, made while they are iterated over.
    """

    ids: tuple[str, ...]
    numbers: Mapping[str, int]
    words: array[int] = field(repr=False)
    ends: array[int] = field(repr=False)
    others: array[int] = field(repr=False)

    @classmethod
    def read(cls, lines: Lines, numbers: Mapping[str, int], bm25: BM25) -> _Collection:
        ids, words, ends, others = [], array("i"), array("q"), array("i")
        for _, name, text in records(lines, "document"):
            codes = list(map(numbers.get, _words(text.lower())))
            known = list(filter(None, codes))
            words.extend(known)
            ends.append(len(words))
            others.append(codes.count(None))
            ids.append(name)
        if not words and not any(others):
            raise InputError(f"{lines.name}: no document has a word; is it in the format that it seems to be in?")
        return cls(tuple(ids), numbers, words, ends, others)

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[list[int]]:
        begin = 0
        for end, others in zip(self.ends, self.others, strict=True):
            yield self.words[begin:end].tolist() + [_OTHER] * others
            begin = end


class _Index:
    """Ranks the documents of a collection."""

    def __init__(self, collection: _Collection, bm25: BM25) -> None:
        self._numbers, self._depth = collection.numbers, bm25.depth
        self._ids = collection.ids
        size = max(collection.numbers.values(), default=0) + 1
        self._engine = _bm25s().BM25(k1=bm25.k1, b=bm25.b, method=bm25.method, dtype="float64")
        self._engine.index(_Tokenized(collection, {str(i): i for i in range(size)}), show_progress=False)
        self._known: dict[tuple[int, ...], dict[str, float]] = {}

    def run(self, queries: Queries) -> Run:
        """What is found for every query; nothing where no document has a word of it."""
        return Run({query: self._search(text) for query, text in queries.texts.items()})

    def _search(self, text: str) -> dict[str, float]:
        numbers = tuple(number for word in _words(text.lower()) if (number := self._numbers[word]) != _STOPWORD)
        if not numbers:
            return {}
        if numbers not in self._known:
            self._known[numbers] = self._best(self._engine.get_scores_from_ids(list(numbers)))
        return self._known[numbers]

    def _best(self, scores: FloatArray) -> dict[str, float]:
        """The best documents in trec_eval's order; those that tie for the last places are taken in it, too."""
        values = single(scores)
        found = np.flatnonzero(values > 0)
        if len(found) > self._depth:
            least = np.partition(values[found], -self._depth)[-self._depth]
            found = found[values[found] >= least]
        by_id = sorted(found.tolist(), key=lambda i: self._ids[i], reverse=True)
        order = np.argsort(-values[by_id], kind="stable")[: self._depth]
        return {self._ids[by_id[i]]: float(values[by_id[i]]) for i in order}


@dataclass(frozen=True)
class _Tokenized:
    """What bm25s indexes: the numbers of the words of every document, and the names of numbers."""

    ids: _Collection
    vocab: dict[str, int]
