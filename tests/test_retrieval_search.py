"""The search: BM25 by its formula, documents and translations in all their formats, and what is refused."""

from __future__ import annotations

import gzip
import json
import math
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from palmares.errors import InputError
from palmares.scoring.retrieval import BM25, Runs, score_retrieval, search_translations
from palmares.scoring.retrieval.collection import Lines, read_queries, records

DOCUMENTS = {
    "d1": "The heart, and heart failure.",
    "d2": "Failure of the liver",
    "d3": "heart heart heart surgery in the elderly patient",
    "d4": "",
    "d5": "Elderly care x",
}
QUERIES = {"q1": "heart failure", "q2": "elderly elderly liver", "q3": "the", "q4": "zebra"}
File = Callable[..., Path]


def tabbed(texts: dict[str, str]) -> str:
    return "".join(f"{name}\t{text}\n" for name, text in texts.items())


def lined(texts: dict[str, str]) -> str:
    return "".join(f"{text}\n" for text in texts.values())


def searched(file: File, translations: str | dict[str, str] = QUERIES, **settings: object) -> Runs:
    given = translations if isinstance(translations, str) else lined(translations)
    return search_translations(
        file(tabbed(DOCUMENTS), "documents"), file(tabbed(QUERIES), "queries"), {"A": file(given, "a")},
        bm25=BM25(**settings),  # type: ignore[arg-type]
    )  # fmt: skip


# -- BM25 ----------------------------------------------------------------------------------------------


def by_formula(query: str, documents: dict[str, str], method: str, k1: float, b: float) -> dict[str, float]:
    """Kamphuis et al. 2020, Table 1, without stop words; only documents with a score above 0."""
    bags = {name: re.findall(r"[a-z]{2,}", text.lower()) for name, text in documents.items()}
    mean = sum(map(len, bags.values())) / len(bags)
    total = dict.fromkeys(bags, 0.0)
    for word in re.findall(r"[a-z]{2,}", query.lower()):
        having = sum(word in bag for bag in bags.values())
        if not having:
            continue
        odds = (len(bags) - having + 0.5) / (having + 0.5)
        idf = {
            "lucene": math.log(1 + odds), "robertson": max(math.log(odds), 0), "atire": math.log(len(bags) / having)
        }[method]  # fmt: skip
        for name, bag in bags.items():
            count = bag.count(word)
            more = k1 + 1 if method == "atire" else 1
            if count:
                total[name] += idf * count * more / (count + k1 * (1 - b + b * len(bag) / mean))
    return {name: score for name, score in total.items() if score > 0}


@pytest.mark.parametrize("method", ["lucene", "robertson", "atire"])
@pytest.mark.parametrize(("k1", "b"), [(1.2, 0.75), (0.9, 0.4), (2.0, 0.0), (0.5, 1.0)])
def test_scores_are_those_of_the_formula(method: str, k1: float, b: float, file: File) -> None:
    runs = searched(file, method=method, k1=k1, b=b, stopwords="none")
    for query, text in QUERIES.items():
        expected = by_formula(text, DOCUMENTS, method, k1, b)
        for run in runs.named.values():
            assert dict(run.scores[query]) == pytest.approx(expected, rel=1e-6), query
    assert runs.monolingual is not None
    assert runs.monolingual.scores["q3"] or method == "robertson"


def test_an_index_of_query_words_scores_like_one_of_all_words(file: File) -> None:
    library = pytest.importorskip("bm25s")
    rng = np.random.default_rng(3)
    words = [f"w{i}" for i in range(300)] + ["the", "and", "of"]
    chances = 1 / np.arange(1, len(words) + 1)
    chances /= chances.sum()
    documents = {f"d{i}": " ".join(rng.choice(words, rng.integers(1, 60), p=chances)) for i in range(400)}
    queries = {f"q{i}": " ".join(rng.choice(words, 4)) for i in range(25)}
    tokens = library.tokenize(list(documents.values()), stopwords="english", show_progress=False)
    whole = library.BM25(k1=1.2, b=0.75, method="lucene", dtype="float64")
    whole.index(tokens, show_progress=False)
    runs = search_translations(
        file(tabbed(documents), "documents"), file(tabbed(queries), "queries"), {"A": file(lined(queries), "a")}
    )
    for query, text in queries.items():
        known = [word for word in text.split() if word in whole.vocab_dict]
        scores = whole.get_scores(known) if known else np.zeros(len(documents))
        expected = {name: score for name, score in zip(documents, scores, strict=True) if score > 0}
        assert dict(runs.systems["A"].scores[query]) == pytest.approx(expected, rel=1e-6)


def test_stop_words_do_not_count_in_documents_or_queries(file: File) -> None:
    with_all, without = searched(file, stopwords="none").systems["A"], searched(file).systems["A"]
    assert set(with_all.scores["q3"]) == {"d1", "d2", "d3"}
    assert without.scores["q3"] == {}
    thinned = {name: re.sub(r"\b(the|and|of|in)\b", " ", text.lower()) for name, text in DOCUMENTS.items()}
    assert dict(without.scores["q1"]) == pytest.approx(by_formula("heart failure", thinned, "lucene", 1.2, 0.75))


def test_no_more_documents_are_retrieved_than_asked_for_whichever_tie(file: File) -> None:
    documents = {f"d{i}": "heart" if i % 2 else "liver heart" for i in range(20)}
    paths = file(tabbed(documents), "documents"), file("q\theart\n", "queries"), {"A": file("heart\n", "a")}
    found = search_translations(*paths, bm25=BM25(depth=7)).systems["A"].scores["q"]
    # The short ones are better, and equal; of equal ones those with the largest ids.
    assert list(found) == sorted((f"d{i}" for i in range(1, 20, 2)), reverse=True)[:7]
    turned = file(tabbed(dict(reversed(documents.items()))), "turned")
    assert search_translations(turned, *paths[1:], bm25=BM25(depth=7)).systems["A"].scores["q"] == found


def test_queries_that_find_nothing_are_noted(file: File) -> None:
    qrels = file("".join(f"q{i} 0 d1 {i % 2}\n" for i in range(1, 5)), "qrels")
    scores = score_retrieval(qrels, searched(file, "heart\n\nx\nliver\n"), resamples=0)
    assert scores.notes == (
        "A: nothing retrieved for 2 queries (q2, q3): empty, or without a word that counts in any document; counted as "
        "0",
        "monolingual: nothing retrieved for 2 queries (q3, q4): empty, or without a word that counts in any document; "
        "counted as 0",
        "no relevant document for 2 queries (q2, q4); they count as 0 for every system, as in trec_eval",
    )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"method": "bm25+"}, "method: got 'bm25+'; allowed: lucene, robertson, atire"),
        ({"stopwords": "latin"}, "stopwords: got 'latin'; allowed: english"),
        ({"k1": -1}, "k1: got -1"),
        ({"k1": math.nan}, "k1: got nan"),
        ({"b": 1.5}, "b: got 1.5; allowed: between 0 and 1"),
        ({"depth": 0}, "depth: got 0; allowed: at least 1"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        BM25(**settings)  # type: ignore[arg-type]


# -- documents -----------------------------------------------------------------------------------------

JSON_LINES = '{"_id": "d1", "title": "On", "text": "the heart"}\n\n{"id": 2, "contents": "liver"}\n'
SGML = """<DOC>
<DOCNO> d1 </DOCNO>
<TITLE>On</TITLE> the heart &amp; <B>liver</B>
</DOC>

<doc><docno>d2</docno> a < b </doc>
"""


def read(path: Path) -> dict[str, str]:
    return {name: " ".join(text.split()) for _, name, text in records(Lines(path), "document")}


def test_documents_are_read_from_all_formats(file: File) -> None:
    assert read(file("d1\tOn\tthe heart\nd2\t\n")) == {"d1": "On the heart", "d2": ""}
    assert read(file(JSON_LINES)) == {"d1": "On the heart", "2": "liver"}
    assert read(file(SGML)) == {"d1": "On the heart & liver", "d2": "a < b"}


@pytest.mark.parametrize("text", ["d1\tOn\tthe heart\nd2\t\n", JSON_LINES, SGML], ids=["TSV", "JSON Lines", "SGML"])
@pytest.mark.parametrize(
    "changed",
    [
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: gzip.compress(text.encode()),
    ],
    ids=["BOM", "CR LF", "gz"],
)
def test_documents_are_the_same_however_they_are_written(
    text: str, changed: Callable[[str], bytes], file: File
) -> None:
    assert read(file(changed(text))) == read(file(text, "plain"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "file.csv: the file is empty; give one document per line, ID<tab>TEXT"),
        ("d1 heart\n", "line 1: has no tab; allowed: ID<tab>TEXT, one document per line"),
        ("id\ttext\nd1\theart\n", r"line 1 looks like a heading \('id\\ttext'\); take it out"),
        ("d1\theart\nd1\tliver\n", "line 2: document d1 is there twice; ids must differ"),
        ("d 1\theart\n", "line 1: got id 'd 1'; allowed: an id without spaces"),
        ("\theart\n", "line 1: got id ''; allowed: an id without spaces"),
        ('{"id": "d1", "text": "x"}\n{"id": "d2"}\n', "line 2: must have one of text, .*; has none of them"),
        ('{"id": "d1", "_id": "d1", "text": "x"}\n', "line 1: must have one of id, .*; has id and _id"),
        ('{"id": "d1", "text": 3}\n', 'line 1: "text" must be a text; got 3'),
        ('{"id": "d1", "text": "x"}\n["d2"]\n', "line 2: every line must be one object"),
        ('{"id": "d1", "text": "x"\n', "line 1: is not JSON"),
        ("<DOC>\n<DOCNO>d1</DOCNO>\n", "line 1: this document has no </DOC>; is the file cut off?"),
        ("<DOC>\nheart\n</DOC>\n", "line 1: got 0 <DOCNO> before </DOC>"),
        ("<DOC>\n<DOCNO>d1</DOCNO>\n</DOC>\nheart\n", "line 4: got 'heart' between documents; allowed: <DOC>"),
        (b"d1\theart\nd2\t\xff\n", "line 2 is not valid utf-8; name the file's real encoding with --encoding"),
        ("\ufeffd1\theart\n".encode("utf-16-le"), "looks like UTF-16; convert it to UTF-8"),
        (b"d1\theart\rd2\tliver\r", "line 1 has a carriage return .* inside; lines must end in LF or CR LF; convert"),
        (b"d1\theart\nd2\tli\0ver\n", "line 2 has the control character U.0000, .*; is the file damaged"),
        (
            gzip.compress("".join(f"d{i}\theart\n" for i in range(999)).encode())[:-20],
            "the compressed file is cut short or damaged",
        ),
    ],
)
def test_other_documents_are_refused_by_line(content: str | bytes, message: str, file: File) -> None:
    with pytest.raises(InputError, match=message):
        read(file(content))


def test_encodings_that_cannot_be_read_line_by_line_are_refused(file: File) -> None:
    for encoding, message in (("UTF-16", "are not read in UTF-16; convert it"), ("klingon", "unknown encoding 'kling")):
        with pytest.raises(InputError, match=message):
            list(records(Lines(file("d1\theart\n"), encoding=encoding), "document"))
    latin = file("d1\tcœur blessé\n".replace("œ", "oe").encode("latin-1"))
    assert list(records(Lines(latin, encoding="latin-1"), "document")) == [(1, "d1", "coeur blessé")]


def test_documents_without_words_are_refused(file: File) -> None:
    with pytest.raises(InputError, match="no document has a word; is it in the format that it seems to be in"):
        search_translations(file("d1\t-\n", "d"), file("q\theart\n", "q"), {"A": file("heart\n", "a")})
    with pytest.raises(InputError, match="nowhere: no such file"):
        search_translations("nowhere", file("q\theart\n", "q"), {"A": file("heart\n", "a")})


def test_how_far_reading_has_come_is_told_in_bytes(file: File) -> None:
    told: list[tuple[int, int]] = []
    path = file("".join(f"d{i}\theart\n" for i in range(5000)))
    lines = Lines(path, progress=lambda done, total: told.append((done, total)))
    assert sum(1 for _ in records(lines, "document")) == 5000
    size = path.stat().st_size
    assert [total for _, total in told] == [size, size]
    assert 0 < told[0][0] <= told[1][0] <= size


# -- queries and translations --------------------------------------------------------------------------


def test_translations_stand_in_the_order_of_queries_or_have_ids(file: File) -> None:
    in_order = searched(file).systems["A"]
    by_id = searched(file, tabbed(dict(reversed(QUERIES.items())))).systems["A"]
    assert by_id == in_order
    as_json = "".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in QUERIES.items())
    assert read_queries(file(as_json, "json")).texts == QUERIES


def test_the_first_of_several_translations_counts(file: File) -> None:
    several = "q1\theart failure\nq1\tliver\n" + tabbed({k: v for k, v in QUERIES.items() if k != "q1"})
    runs = searched(file, several)
    assert runs.systems["A"] == searched(file).systems["A"]
    assert [note for note in runs.notes if "has several translations of 1 query (q1); only the first" in note]


@pytest.mark.parametrize(
    ("translations", "message"),
    [
        ("", "a: the file is empty; give one translation per line"),
        ("heart\nliver\n", r"the files differ in their number of lines:\n +4 .*queries\n +2 .*/a\n"),
        (lined(QUERIES) + "\n", r"the files differ .*\n.*4 .*\n.*5 .*/a \(its last line is empty\)"),
        ("q1\theart\nliver\n", "line 2: has no tab, but other lines have one; allowed: ID<tab>TEXT on all, or on none"),
        ("q7\theart\n", "line 1: 'q7' is no id of a query in .*queries; allowed: ID<tab>TEXT"),
        ("q1\theart\nq2\t\n", r"has no translation of 2 queries \(q3, q4\); give their lines"),
    ],
)
def test_other_translations_are_refused(translations: str, message: str, file: File) -> None:
    with pytest.raises(InputError, match=message):
        searched(file, translations)
