"""What outcomes mean is decided for a whole column: by names, by words for sides, by numbers, or not at all."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from palmares.errors import InputError
from palmares.ingest.base import ReadOptions
from palmares.ingest.files import DroppedRowsWarning, read, read_with_report, write
from palmares.ingest.scan import scan_with_report
from palmares.judgments import Judgments

MakeFile = Callable[..., Path]
#: (wins of the first, ties, wins of the second) for two systems in the order of their names.
Score = tuple[int, int, int]


def _score(judgments: Judgments, first: str, second: str) -> Score:
    """How two systems did, counted from the rows."""
    found = [0, 0, 0]
    for a, b, outcome in judgments.to_rows().select("system_a", "system_b", "outcome").iter_rows():
        if {a, b} == {first, second}:
            found[1 - (outcome if a == first else -outcome)] += 1
    return (found[0], found[1], found[2])


def _table(header: str, *rows: tuple[str, int]) -> str:
    """A header and rows, each so many times."""
    return "\n".join([header, *[row for row, copies in rows for _ in range(copies)]]) + "\n"


def _read(path: Path, **options: Any) -> Judgments:
    """Read a file, and make sure that scanning it gives the same counts."""
    settings = ReadOptions(**options)
    judgments, report = read_with_report(path, options=settings)
    counts, streamed = scan_with_report(path, settings)
    assert len(counts) == 1
    [scanned] = counts.values()
    assert scanned.systems == judgments.systems
    assert scanned.wins.tolist() == judgments.counts.wins.tolist()
    assert scanned.ties.tolist() == judgments.counts.ties.tolist()
    assert [(d.line, d.reason, d.kind) for d in streamed.dropped] == [
        (d.line, d.reason, d.kind) for d in report.dropped
    ]
    # Of judges and segments, counts know nothing.
    unseen = ("judge", "segment from")
    said = tuple(note for note in report.notes if note in streamed.notes or not any(word in note for word in unseen))
    assert streamed.notes == said
    return judgments


def _refusal(path: Path, **options: Any) -> str:
    """The message with which a file is refused, by reading and by scanning alike."""
    settings = ReadOptions(**options)
    with pytest.raises(InputError) as reading:
        read_with_report(path, options=settings)
    with pytest.raises(InputError) as scanning:
        scan_with_report(path, settings)
    assert str(scanning.value) == str(reading.value)
    return str(reading.value)


# -- systems that are called by words for sides ------------------------------------------------------

_SIDE_WORDS = [
    ("A", "B"), ("a", "b"), ("x", "y"), ("left", "right"), ("First", "Second"), ("model_a", "model_b"),
    ("Model A", "model-b"), ("system1", "system2"), ("system_a", "system_b"), ("1", "2"),
]  # fmt: skip


def _by_name(first: str, second: str) -> str:
    """The first wins 40 : 10, always standing second when it does."""
    return _table("system_a,system_b,winner", (f"{second},{first},{first}", 40), (f"{first},{second},{second}", 10))


@pytest.mark.parametrize(("first", "second"), _SIDE_WORDS)
def test_names_that_are_words_for_sides_are_refused_or_told(first: str, second: str, file: MakeFile) -> None:
    path = file(_by_name(first, second))
    message = _refusal(path)
    assert f"{second!r} : {first!r} is 10 : 40 by names, 50 : 0 " in message
    assert "--outcomes names" in message
    assert _refusal(path, faults="lenient") == message
    assert _score(_read(path, outcomes="names"), first, second) == (40, 0, 10)
    assert _score(_read(path, values={first: "a", second: "b"}), first, second) == (0, 0, 50)
    if first != "1":  # a bare number is no word for a side
        assert _score(_read(path, outcomes="sides"), first, second) == (0, 0, 50)


def test_the_command_line_says_how_to_choose(refused: Any, ok: Any, file: MakeFile) -> None:
    path = file(_by_name("A", "B"))
    for scan in ((), ("--scan",)):
        message = refused("rank", path, *scan)
        assert "column 'winner' can be read by names and by sides (a/b), and they disagree" in message
        assert "'B' : 'A' with 'A' (40 of 50 records) is won by 'A' by names, won by 'B' by sides" in message
        [ranking] = ok("rank", path, *scan, "--outcomes", "names", "--format", "json", "--resamples", "40").json
        assert [system["system"] for system in ranking["systems"]] == ["A", "B"]


@pytest.mark.parametrize(
    ("rows", "first_second"),
    [
        # Nobody else could be meant by C, so the column holds names.
        ([("B,A,A", 40), ("A,B,B", 10), ("C,A,C", 1)], (40, 0, 10)),
        # C cannot be the a of a row without A, so the column holds sides.
        ([("B,A,A", 40), ("A,B,B", 10), ("C,B,a", 1)], (0, 0, 50)),
        # Names and sides are the same where every system keeps its side.
        ([("A,B,A", 3), ("A,B,B", 2), ("A,B,tie", 1)], (3, 1, 2)),
        # A sentence about a name is about a name.
        ([("B,A,A is better", 4), ("A,B,prefer B", 1), ("C,A,C wins", 1)], (4, 0, 1)),
        ([("B,A,A>B", 4), ("C,A,C>>A", 1), ("A,B,A=B", 2)], (4, 2, 0)),
    ],
)
def test_the_rest_of_the_column_tells(rows: list[tuple[str, int]], first_second: Score, file: MakeFile) -> None:
    assert _score(_read(file(_table("system_a,system_b,winner", *rows))), "A", "B") == first_second


@pytest.mark.parametrize("odd", ["C,A,b", "C,A,C", "C,A,maybe"])
def test_one_odd_record_in_many_decides_nothing(odd: str, file: MakeFile) -> None:
    """Only sides, only names or neither reads it; it may as well be a fault."""
    rows = [("B,A,A", 400), ("A,B,B", 100)]
    for faults in (0.01, "lenient"):
        message = _refusal(file(_table("system_a,system_b,winner", *rows, (odd, 1))), faults=faults)
        assert "'B' : 'A' is 100 : 400 by names, 500 : 0 by sides" in message
    told = _read(file(_table("system_a,system_b,winner", *rows, (odd, 6))), faults="lenient", outcomes="names")
    assert _score(told, "A", "B") == (400, 0, 100)


def test_a_sentence_and_a_relation_can_be_ambiguous_too(file: MakeFile) -> None:
    for row in ("B,A,A is better", "B,A,A > B"):
        assert "--outcomes names" in _refusal(file(_table("system_a,system_b,winner", (row, 3))))


def test_small_letters_are_sides_even_if_systems_are_called_so_in_capitals(file: MakeFile) -> None:
    toy = file(_table("system_a,system_b,outcome", ("A,B,a", 5), ("B,A,a", 2), ("B,C,b", 1)))
    judgments = _read(toy)
    assert _score(judgments, "A", "B") == (5, 0, 2)
    assert _score(judgments, "B", "C") == (0, 0, 1)
    assert any("words for sides are read as sides" in note for note in judgments.notes)
    assert "--outcomes names" in _refusal(file(_table("system_a,system_b,outcome", ("A,B,A", 5), ("B,A,A", 2))))
    assert "--outcomes names" in _refusal(file(_table("system_a,system_b,outcome", ("a,b,a", 5), ("b,a,a", 2))))


def test_mixed_vocabularies_are_no_vocabulary(file: MakeFile) -> None:
    """Two families of words, or names and words of which each reads what the other cannot."""
    header = "system_a,system_b,winner"
    assert "unknown outcome 'left'" in _refusal(file(_table(header, ("P,Q,a", 3), ("P,Q,left", 1))))
    assert _score(_read(file(_table(header, ("P,Q,a", 3), ("P,Q,left", 1))), faults="lenient"), "P", "Q") == (3, 0, 0)
    mixed = _table(header, ("B,A,A", 5), ("P,B,P", 3), ("P,Q,b", 2))
    assert "--outcomes names or --outcomes sides" in _refusal(file(mixed), faults="lenient")
    assert _score(_read(file(mixed), faults="lenient", outcomes="names"), "A", "B") == (5, 0, 0)


def test_a_system_called_tie(file: MakeFile) -> None:
    path = file(_table("left,right,winner", ("tie,P,tie", 3), ("P,tie,P", 2)))
    message = _refusal(path)
    assert "is won by 'tie' by names, a tie with 'tie' as a word" in message
    assert "--outcomes names or --outcome tie=tie|skip" in message
    assert _score(_read(path, outcomes="names"), "P", "tie") == (2, 0, 3)
    assert _score(_read(path, values={"tie": "tie"}), "P", "tie") == (2, 3, 0)


def test_names_in_other_letters(file: MakeFile) -> None:
    path = file(_table("left,right,winner", ("GPT-4,Claude,gpt_4", 3), ("GPT-4,Claude,CLAUDE", 2)))
    judgments = _read(path)
    assert _score(judgments, "GPT-4", "Claude") == (3, 0, 2)
    assert judgments.origin is not None
    assert "5 names of winners are not written as those of the systems" in judgments.origin.notes[0]
    assert _score(_read(file(_table("left,right,winner", ("gpt,GPT,GPT", 3)))), "gpt", "GPT") == (0, 0, 3)


def test_the_columns_of_the_systems_are_words_for_sides(file: MakeFile) -> None:
    path = file(_table("human,mt,winner", ("P,Q,human", 3), ("Q,P,mt", 2)))
    columns = {"system_a": "human", "system_b": "mt"}
    assert _score(_read(path, columns=columns), "P", "Q") == (5, 0, 0)
    turned = file(_table("left,right,winner", ("P,Q,left", 3)))
    message = _refusal(turned, columns={"system_a": "right", "system_b": "left"})
    assert "--column system_a=left --column system_b=right" in message


@pytest.mark.parametrize("column", ["outcome", "winner"])
@pytest.mark.parametrize(
    ("a", "b", "tie"),
    [
        ("model_a", "model_b", "tie"), ("Response A", "Response B", "same"), ("system1", "system2", "equal"),
        ("[[A>>B]]", "[[B>A]]", "[[A=B]]"), ("A", "B", "no_preference"), ("win", "loss", "draw"), ("1st", "2nd", "="),
        ("left is slightly better", "right is much better", "both equal"), ("x > y", "y > x", "x = y"),
    ],
)  # fmt: skip
def test_vocabularies(column: str, a: str, b: str, tie: str, file: MakeFile) -> None:
    text = _table(f"system_a,system_b,{column}", (f"P,Q,{a}", 3), (f"P,Q,{b}", 2), (f"Q,P,{tie}", 1), (f"Q,P,{a}", 4))
    assert _score(_read(file(text)), "P", "Q") == (3, 1, 6)


# -- numbers -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "meaning"),
    [
        (("1", "0", "-1"), None),
        (("1", "0.5", "0"), None),
        (("1.0", "0.50", "0.0"), None),
        (("1", "0", "\u22121"), None),
        (("1", "tie", "-1"), None),
        (("1", "0", "2"), {"1": "a", "2": "b", "0": "tie"}),
        (("1.0", "0.0", "2.0"), {"1": "a", "2": "b", "0": "tie"}),
        (("0", "2", "1"), {"0": "a", "1": "b", "2": "tie"}),
        (("true", "", "false"), {"true": "a", "false": "b", "": "tie"}),
        (("yes", "tie", "no"), {"yes": "a", "no": "b"}),
    ],
)
def test_numbers(values: tuple[str, str, str], meaning: dict[str, str] | None, file: MakeFile) -> None:
    a, tie, b = values
    path = file(_table("system_a,system_b,outcome", (f"P,Q,{a}", 3), (f"P,Q,{tie}", 1), (f"P,Q,{b}", 2)))
    if meaning is None:
        assert _score(_read(path), "P", "Q") == (3, 1, 2)
        assert _score(_read(path, outcomes="numbers"), "P", "Q") == (3, 1, 2)
    else:
        assert "--outcome" in _refusal(path)
        assert _score(_read(path, values=meaning), "P", "Q") == (3, 1, 2)


def test_a_graded_preference_has_to_be_explained(file: MakeFile) -> None:
    path = file(_table("system_a,system_b,outcome", ("P,Q,2", 3), ("P,Q,1", 1), ("P,Q,-1", 2), ("P,Q,0", 2)))
    assert "numeric outcomes -1, 0, 1, 2 are ambiguous" in _refusal(path)
    assert _refusal(path, faults="lenient") == _refusal(path)
    assert _score(_read(path, values={"2": "a"}), "P", "Q") == (4, 2, 2)
    assert "unknown outcome '2'" in _refusal(path, outcomes="numbers")


@pytest.mark.parametrize("word", ["names", "sides"])
def test_what_was_asked_for_is_the_only_reading(word: str, file: MakeFile) -> None:
    path = file(_table("system_a,system_b,outcome", ("P,Q,1", 3), ("P,Q,-1", 2)))
    assert "unknown outcome '1'" in _refusal(path, outcomes=word)


# -- ties, skips and nothing -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "word",
    ["tied", "draw", "Equal", "same", "no preference", "no_preference", "No-Preference", "unsure", "both", "neither",
     "both good", "both_bad", "bothbad", "tie (bothbad)", "about the same", "can’t decide", "not sure"],
)  # fmt: skip
def test_ties_in_all_usual_spellings(word: str, file: MakeFile) -> None:
    path = file(_table("system_a,system_b,winner", ("P,Q,a", 3), (f"P,Q,{word}", 2)))
    judgments = _read(path, faults=0)
    assert _score(judgments, "P", "Q") == (3, 2, 0)
    assert judgments.origin is not None
    noted = [note for note in judgments.origin.notes if "read as ties" in note]
    assert bool(noted) == (word not in ("tied", "draw", "Equal"))
    assert all(f"{word!r} (2)" in note for note in noted)


def test_both_bad_is_kept_as_a_column(ok: Any, file: MakeFile, tmp_path: Path) -> None:
    rows = [("P,Q,model_a", 3), ("P,Q,tie", 2), ("Q,P,tie (bothbad)", 4)]
    path = file(_table("model_a,model_b,winner", *rows))
    judgments = _read(path)
    assert judgments.extras == ("both_bad",)
    ties = judgments.to_rows().filter(outcome=0)["extra.both_bad"].to_list()
    assert sorted(ties) == [0.0, 0.0, 1.0, 1.0, 1.0, 1.0]
    for target in ("x.csv", "x.jsonl", "x.parquet"):
        write(judgments, tmp_path / target)
        assert read(tmp_path / target) == judgments
    write(judgments, tmp_path / "votes.jsonl", format="arena")
    assert read(tmp_path / "votes.jsonl", format="arena") == judgments
    [left] = ok("describe", path, "--where", "both_bad=0", "--format", "json").json
    assert left["judgments"] == 5
    groups = ok("describe", path, "--by", "both_bad", "--format", "json").json
    assert [group["judgments"] for group in groups] == [5, 4]


def test_without_the_word_there_is_no_such_column(file: MakeFile) -> None:
    plain = _table("model_a,model_b,winner", ("P,Q,model_a", 3), ("P,Q,tie", 2))
    assert _read(file(plain)).extras == ()
    bad = file(_table("model_a,model_b,winner", ("P,Q,model_a", 3), ("P,Q,both_bad", 2)))
    assert _read(bad, values={"both_bad": "skip"}).extras == ()
    own = file(_table("system_a,system_b,outcome,extra.both_bad", ("P,Q,a,7", 3), ("P,Q,both bad,8", 2)))
    assert set(read(own).to_rows()["extra.both_bad"]) == {7.0, 8.0}


def test_what_the_judge_skipped_is_no_fault(file: MakeFile) -> None:
    path = file(_table("system_a,system_b,winner", ("P,Q,a", 3), ("P,Q,skipped", 2)))
    judgments = _read(path, faults=0)
    assert len(judgments) == 3
    assert judgments.origin is not None
    assert (judgments.origin.dropped, judgments.origin.sources[0].skipped) == (0.0, 2)


def test_a_missing_outcome_is_a_fault(file: MakeFile) -> None:
    """One in 200 may be left out, ten in 200 may not; what it means can be said."""
    few = file(_table("system_a,system_b,outcome", ("P,Q,a", 199), ("P,Q,", 1)), "few.csv")
    assert len(_read(few)) == 199
    many = file(_table("system_a,system_b,outcome", ("P,Q,a", 190), ('P,Q,""', 5), ("P,Q,NaN", 5)), "many.csv")
    message = _refusal(many)
    assert "the outcome is missing; if that means something, say so: --outcome =tie" in message
    assert "10 of 200 records are faulty (5 %)" in message
    assert _score(_read(many, values={"": "tie"}), "P", "Q") == (190, 10, 0)
    assert _score(_read(many, values={"": "tie", "nan": "b"}), "P", "Q") == (190, 5, 5)


# -- what the user says of values --------------------------------------------------------------------


def test_outcome_on_the_command_line(ok: Any, refused: Any, file: MakeFile) -> None:
    rows = [("P,Q,1", 3), ("P,Q,2", 2), ("P,Q,", 1), ('P,Q,"b, clearly"', 1), ("P,Q,a=b", 1)]
    path = file(_table("system_a,system_b,outcome", *rows))
    [found] = ok("describe", path, "--outcome", "1=a,2=b,=skip,b, clearly=b", "--outcome", "a=b=tie",
                 "--format", "json").json  # fmt: skip
    assert (found["judgments"], found["ties"]) == (7, 1)
    assert "got '1=c'; allowed: VALUE=a|b|tie|skip" in refused("describe", path, "--outcome", "1=c")
    for wrong in ("1", "", "1=a,"):
        assert f"got {wrong!r}; allowed" in refused("describe", path, "--outcome", wrong)
    assert "'1' cannot mean both a and b" in refused("describe", path, "--outcome", "1=a,1=b")


def test_values_that_do_not_occur(file: MakeFile) -> None:
    path = file(_table("system_a,system_b,outcome", ("P,Q,1", 3), ("P,Q,0", 2)))
    judgments = _read(path, values={"1": "a", "0": "b", "2": "tie"})
    assert _score(judgments, "P", "Q") == (3, 0, 2)
    assert judgments.origin is not None
    assert judgments.origin.notes == ("--outcome: column 'outcome' has no value '2'",)
    assert "column 'outcome' has no such value; it has: '1', '0'" in _refusal(path, values={"yes": "a"})
    with pytest.raises(InputError, match="got 'left' as its meaning; allowed: a, b, tie, skip"):
        read(path, outcomes={"1": "left"})
    assert "given two meanings" in _refusal(path, values={"1": "a", "1.0": "b"})


def test_with_a_side_told_nothing_else_is_a_name(file: MakeFile) -> None:
    path = file(_table("system_a,system_b,winner", ("B,A,A", 3), ("C,B,C", 2)))
    assert _score(_read(path), "A", "B") == (3, 0, 0)
    assert "unknown outcome 'C'" in _refusal(path, values={"A": "a"})


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("system1,system2,rank1,rank2\nP,Q,1,2\n", "two ranks tell the outcome"),
        ("winner,loser\nP,Q\n", "a winner and a loser are named"),
        ("chosen,rejected\nP,Q\n", "the chosen and the rejected system are named"),
        ("model_a,model_b,winner_model_a,winner_model_b\nP,Q,1,0\n", "marked in columns of its own"),
        ("segment,system,score\n1,P,1\n1,Q,2\n", "the format is 'scores'"),
    ],
)
def test_options_that_cannot_be_followed_are_refused(text: str, reason: str, file: MakeFile) -> None:
    assert reason in _refusal(file(text), outcomes="names")
    assert reason in _refusal(file(text), values={"1": "a"})
    assert len(read(file(text))) == 1


def test_columns_that_were_named_are_used(file: MakeFile) -> None:
    """In a file of votes with a winner and another verdict, and where ranks stand beside an outcome."""
    votes = file(_table("model_a,model_b,winner,verdict", ("P,Q,model_a,B", 3)))
    assert _score(_read(votes), "P", "Q") == (3, 0, 0)
    assert _score(_read(votes, columns={"winner": "verdict"}), "P", "Q") == (0, 0, 3)
    both = file(_table("system_a,system_b,outcome,winner,rank_a,rank_b", ("P,Q,a,tie,2,1", 3)))
    assert "say which counts: --column outcome=outcome or --column winner=winner" in _refusal(both)
    assert _score(_read(both, columns={"outcome": "outcome"}), "P", "Q") == (3, 0, 0)
    assert _score(_read(both, columns={"winner": "winner"}), "P", "Q") == (0, 3, 0)
    assert _score(_read(both, columns={"rank_a": "rank_a", "rank_b": "rank_b"}), "P", "Q") == (0, 0, 3)
    named = {"winner": "winner", "outcome": "outcome"}
    assert "--column winner=winner cannot be followed: outcomes are read from outcome" in _refusal(both, columns=named)
    assert "name the columns" in _refusal(both, columns={"rank_a": "rank_b"})
    twice = file(_table("model_a,model_b,winner,outcome", ("P,Q,model_a,b", 3)))
    assert _score(_read(twice), "P", "Q") == (3, 0, 0)
    assert _score(_read(twice, columns={"outcome": "outcome"}), "P", "Q") == (0, 0, 3)


# -- one column for every outcome --------------------------------------------------------------------

_HOT = "model_a,model_b,winner_model_a,winner_model_b,winner_tie"


@pytest.mark.parametrize(("yes", "no"), [("1", "0"), ("1.0", "0.0"), ("True", "False"), ("1", "")])
@pytest.mark.parametrize("header", [_HOT, "system_a,system_b,a_wins,b_wins,tie", "left,right,winner_a,winner_b,draw"])
def test_one_hot_winners(header: str, yes: str, no: str, file: MakeFile) -> None:
    rows = [(f"P,Q,{yes},{no},{no}", 3), (f"Q,P,{yes},{no},{no}", 2), (f"Q,P,{no},{no},{yes}", 1)]
    path = file(_table(header, *rows))
    assert _score(_read(path, faults=0), "P", "Q") == (3, 1, 2)
    assert _score(_read(path, outcomes="one-hot"), "P", "Q") == (3, 1, 2)


@pytest.mark.parametrize("row", ["P,Q,0,0,0", "P,Q,1,0,1", "P,Q,12,3,0", "P,Q,0.5,0.5,0"])
def test_not_exactly_one(row: str, file: MakeFile) -> None:
    path = file(_table(_HOT, ("P,Q,1,0,0", 999), (row, 1)))
    assert "allowed: " in _refusal(path)
    assert len(_read(path, faults="lenient")) == 999


def test_one_hot_has_to_be_there(file: MakeFile) -> None:
    message = _refusal(file("system_a,system_b,outcome\nP,Q,a\n"), outcomes="one-hot")
    assert "the table needs columns for winner_a, winner_b and winner_tie" in message


def test_one_hot_both_bad(file: MakeFile) -> None:
    header = "system_a,system_b,a_wins,b_wins,tie,both_bad"
    judgments = _read(file(_table(header, ("P,Q,1,0,0,0", 1), ("P,Q,0,0,1,0", 1), ("P,Q,0,0,0,1", 1))))
    assert _score(judgments, "P", "Q") == (1, 2, 0)
    assert sorted(judgments.frame["extra.both_bad"]) == [0.0, 0.0, 1.0]


# -- several raters a row ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("columns", "judges"),
    [
        (("rater1", "rater2", "rater3"), ("rater1", "rater2", "rater3")),
        (("winner_1", "winner_2", "winner_3"), ("winner_1", "winner_2", "winner_3")),
        (("annotator_1_preference", "annotator_2_preference", "annotator_3_preference"), None),
        (("Vote 1", "Vote 2", "Vote 10"), ("Vote 1", "Vote 10", "Vote 2")),
    ],
)
def test_several_raters_a_row(columns: tuple[str, ...], judges: tuple[str, ...] | None, file: MakeFile) -> None:
    path = file(f"system_a,system_b,{','.join(columns)}\nP,Q,a,b,a\nQ,P,tie,,a\nQ,P,,N/A,\n")
    judgments = _read(path, faults=0)
    assert judgments.judges == (judges or columns)
    assert _score(judgments, "P", "Q") == (2, 1, 2)
    assert judgments.origin is not None
    assert judgments.origin.notes[0].startswith(f"columns {', '.join(columns)}: read as the answers of one judge each")
    source = judgments.origin.sources[0]
    assert (source.records, source.dropped, source.skipped) == (9, 0, 4)


def test_raters_with_ids_of_their_own(file: MakeFile) -> None:
    text = "left,right,winner_1,winner_2,annotator_1,annotator_2\nP,Q,P,Q,ann,bob\nQ,P,P,P,cy,ann\n"
    judgments = _read(file(text))
    assert judgments.judges == ("ann", "bob", "cy")
    assert _score(judgments.select(judge="ann"), "P", "Q") == (2, 0, 0)


def test_raters_can_be_named(ok: Any, refused: Any, file: MakeFile) -> None:
    path = file("left,right,jo,al,worker\nP,Q,left,right,w\nP,Q,left,left,w\n")
    named = ("--column", "winner=jo,al")
    assert "--column winner=jo,al --column judge=" in refused("describe", path, *named)
    [found] = ok("describe", path, *named, "--column", "judge=", "--format", "json").json
    assert (found["judgments"], found["judges"]) == (4, 2)
    pair = file("jo,al,loser\nP,P,Q\n", "pair.csv")
    assert "system_a and system_b if the winner is in several columns" in refused("describe", pair, *named)
    assert "there is no column 'bo' for 'winner'" in refused("describe", path, "--column", "winner=jo,bo")
    given_twice = refused("describe", path, "--column", "winner=jo", "--column", "winner=al")
    assert "winner is given twice, as jo and as al" in given_twice


def test_an_answer_that_cannot_be_read_stops_the_command(file: MakeFile) -> None:
    path = file("left,right,rater1,rater2\nP,Q,left,right\nP,Q,left,perhaps\n")
    assert "line 3: unknown outcome 'perhaps'" in _refusal(path)
    assert len(_read(path, faults="lenient")) == 3
    ids = file("left,right,rater1,rater2\nP,Q,ann,bob\n")
    assert "unknown outcome 'ann'" in _refusal(ids)


# -- votes as LLM arenas publish them ----------------------------------------------------------------

_TALK = [{"role": "user", "content": "hi"}]
_CONVERSATIONS = [
    {"question_id": f"q{i}", "model_a": a, "model_b": b, "winner": winner, "judge": f"arena_user_{i}",
     "conversation_a": _TALK, "conversation_b": _TALK, "turn": 1, "anony": True, "language": language,
     "tstamp": 1682351591.13 + i, "openai_moderation": {"flagged": False}, "toxic_chat_tag": {"t5": {"flagged": False}}}
    for i, (a, b, winner, language) in enumerate([
        ("P", "Q", "model_a", "English"), ("Q", "P", "model_a", "German"), ("P", "Q", "tie", "English"),
        ("Q", "P", "tie (bothbad)", "English"),
    ])
]  # fmt: skip
_PREFERENCES = [
    {"id": f"{i}", "model_a": a, "model_b": b, "winner": winner, "evaluation_session_id": f"s{i // 2}",
     "evaluation_order": i % 2 + 1, "conversation_a": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}],
     "conversation_b": [], "full_conversation": [{"user": {"role": "user"}}], "conv_metadata": {"turns": 1},
     "language": "en", "is_code": False, "timestamp": "2025-04-24T22:27:01.5"}
    for i, (a, b, winner) in enumerate([
        ("P", "Q", "model_a"), ("Q", "P", "model_a"), ("P", "Q", "tie"), ("Q", "P", "both_bad")])
]  # fmt: skip
_KAGGLE = [
    {"id": i, "model_a": a, "model_b": b, "prompt": f'["hi {i}"]', "response_a": "[1]", "response_b": "[2]",
     "winner_model_a": won[0], "winner_model_b": won[1], "winner_tie": won[2]}
    for i, (a, b, won) in enumerate([("P", "Q", (1, 0, 0)), ("Q", "P", (1, 0, 0)), ("P", "Q", (0, 0, 1)),
                                     ("Q", "P", (0, 0, 1))])
]  # fmt: skip


def _published(records: list[dict[str, Any]], kind: str) -> bytes:
    if kind == "json":
        return json.dumps(records).encode()
    if kind == "jsonl":
        return "\n".join(map(json.dumps, records)).encode()
    if kind == "csv":
        flat = [{k: json.dumps(v) if isinstance(v, list | dict) else v for k, v in r.items()} for r in records]
        return pl.DataFrame(flat).write_csv().encode()
    buffer = BytesIO()
    pl.DataFrame(records).write_parquet(buffer)
    return buffer.getvalue()


@pytest.mark.parametrize("kind", ["json", "jsonl", "csv", "parquet"])
@pytest.mark.parametrize("release", ["conversations", "preferences", "kaggle"])
def test_arena_releases_are_read_as_they_are(release: str, kind: str, file: MakeFile) -> None:
    records = {"conversations": _CONVERSATIONS, "preferences": _PREFERENCES, "kaggle": _KAGGLE}[release]
    path = file(_published(records, kind), f"file.{kind}")
    judgments = _read(path, faults=0)
    assert _score(judgments, "P", "Q") == (1, 2, 1)
    assert judgments.has("position_a")
    notes = " ".join(judgments.origin.notes if judgments.origin else ())
    if release == "conversations":
        assert judgments.judges == tuple(f"arena_user_{i}" for i in range(4))
        assert judgments.segments == ("q0", "q1", "q2", "q3")
        by_language = read(path, extra=["language"]).split("language")
        assert {language: len(part) for language, part in by_language.items()} == {"English": 3, "German": 1}
    elif release == "preferences":
        assert judgments.judges == ("s0", "s1")
        assert judgments.extras == ("both_bad",)
    assert ("every session is taken for a judge" in notes) == (release == "preferences")


# -- writing -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("format_id", ["pairwise", "arena"])
@pytest.mark.parametrize("names", [("b", "c"), ("model_b", "z"), ("right", "zoo"), ("tie", "z")])
def test_what_is_written_is_read_as_it_was_meant(format_id: str, names: tuple[str, str], tmp_path: Path) -> None:
    """By names, b in a row of b and c would be b; as it is written here, it would be c."""
    rows = [(*names, 1), (*names, -1), (*names, -1), (*names, 0)]
    judgments = Judgments.from_rows(pl.DataFrame(rows, schema=["system_a", "system_b", "outcome"], orient="row"))
    write(judgments, tmp_path / "x.csv", format=format_id)
    back = _read(tmp_path / "x.csv", faults=0)
    assert _score(back, *names) == (1, 1, 2)


# -- planted faults ----------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.005, 0.1])
@pytest.mark.parametrize("one_sided", [True, False], ids=["wins of P", "any"])
@pytest.mark.parametrize("damage", ["perhaps", "", "1"])
def test_planted_faults(damage: str, one_sided: bool, share: float, file: MakeFile) -> None:
    """Among 600 wins of P and 400 of Q: damage is refused or, where it may be left out, said."""
    wins = ["P,Q,a"] * 600 + ["P,Q,b"] * 400
    hit = int(share * 1000)
    damaged = range(hit) if one_sided else range(0, 1000, 1000 // hit)
    rows = [f"P,Q,{damage}" if i in damaged else row for i, row in enumerate(wins)]
    path = file("\n".join(["system_a,system_b,outcome", *rows]))
    lost = [0, 0]
    for i in damaged:
        lost[i >= 600] += 1
    if damage or share > 0.01:  # only a few that are missing may go without asking
        _refusal(path)
        options: dict[str, Any] = {"faults": "lenient"}
    else:
        _refusal(path, faults=0)
        options = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DroppedRowsWarning)
        judgments = _read(path, **options)
    assert _score(judgments, "P", "Q") == (600 - lost[0], 0, 400 - lost[1])
    assert judgments.origin is not None
    assert judgments.origin.dropped == hit / 1000
    assert f"left out {hit} of 1000 records" in judgments.origin.notes[0]


# -- words for places, and where systems were shown ---------------------------------------------------


_PLACES = ("P,Q,Q,P,left", 5), ("P,Q,P,Q,left", 3)


@pytest.mark.parametrize(("left", "right"), [("left", "right"), ("left_system", "right_system"), ("First", "Second")])
def test_words_for_places_against_columns_of_places(left: str, right: str, file: MakeFile) -> None:
    path = file(_table(f"system_a,system_b,{left},{right},winner", *_PLACES))
    message = _refusal(path)
    assert "5 of 8 records" in message
    assert f"--column system_a={left} --column system_b={right}" in message
    assert "--outcome left=a" in message
    # Both remedies work: the one on the left won, which is Q five times; or P, which is always a.
    assert _score(_read(path, columns={"system_a": left, "system_b": right}), "P", "Q") == (3, 0, 5)
    assert _score(_read(path, values={"left": "a"}), "P", "Q") == (8, 0, 0)


def test_words_for_places_against_positions(file: MakeFile) -> None:
    header = "system_a,system_b,position_a,position_b,winner"
    path = file(_table(header, ("P,Q,2,1,left", 5), ("P,Q,1,2,right", 3)))
    message = _refusal(path)
    assert "5 of 8 records the positions (position_a, position_b)" in message
    assert "--outcome left=a,right=b" in message
    assert _score(_read(path, values={"left": "a", "right": "b"}), "P", "Q") == (5, 0, 3)
    # As the message says: with the system that was shown first in system_a.
    assert _score(_read(file(_table(header, ("Q,P,1,2,left", 5), ("P,Q,1,2,right", 3)))), "P", "Q") == (0, 0, 8)


@pytest.mark.parametrize(
    "row",
    ["P,Q,1,2,P,Q,left", "P,Q,2,1,Q,P,a", "P,Q,2,1,Q,P,tie", "P,Q,2,1,Q,P,P", "P,Q,,,text one,text two,left"],
)
def test_places_that_do_not_contradict_are_read(row: str, file: MakeFile) -> None:
    path = file(_table("system_a,system_b,position_a,position_b,left,right,winner", (row, 4)))
    assert _score(_read(path), "P", "Q") == ((0, 4, 0) if row.endswith("tie") else (4, 0, 0))


def test_names_that_are_words_for_places_are_no_places(file: MakeFile) -> None:
    path = file(_table("system_a,system_b,position_a,position_b,winner", ("left,Q,2,1,left", 3), ("left,Q,1,2,Q", 2)))
    assert _score(_read(path), "left", "Q") == (3, 0, 2)


@pytest.mark.parametrize(
    ("rows", "score", "said"),
    [
        ([("P,Q,1", 30), ("P,Q,0", 60), ("P,Q,-1", 3)], (30, 60, 3), "1 = a (30), 0 = tie (60), -1 = b (3)"),
        (
            [("P,Q,1.0", 3), ("Q,P,1", 2), ("P,Q,0.5", 1), ("P,Q,0", 4)],
            (3, 1, 6),
            "1 = a (5), 0.5 = tie (1), 0 = b (4)",
        ),
    ],
)
def test_how_numbers_are_read_is_said(rows: list[tuple[str, int]], score: Score, said: str, file: MakeFile) -> None:
    path = file(_table("system_a,system_b,outcome", *rows))
    judgments = _read(path)
    assert _score(judgments, "P", "Q") == score
    assert judgments.notes == (f"column 'outcome': numbers are read as {said}; --outcome says otherwise",)
    told = _read(path, values={"1": "a", "0": "b", "0.5": "tie", "-1": "skip"})
    assert not any("numbers are read as" in note for note in told.notes)


# -- outcomes in two places ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "row", "by_second"),
    [
        ("system_a,system_b,outcome,winner", "P,Q,a,Q", {"winner": "winner"}),
        ("system_a,system_b,winner,rank_a,rank_b", "P,Q,a,2,1", {"rank_a": "rank_a", "rank_b": "rank_b"}),
        ("system_a,system_b,outcome,a_wins,b_wins", "P,Q,a,0,1", {"winner_a": "a_wins", "winner_b": "b_wins"}),
    ],
)
def test_two_places_that_contradict(header: str, row: str, by_second: dict[str, str], file: MakeFile) -> None:
    path = file(_table(header, (row, 3)))
    message = _refusal(path)
    assert "3 records differ, e.g. 'P' : 'Q' is won by 'P' by the former, won by 'Q' by the latter" in message
    assert " ".join(f"--column {role}={name}" for role, name in by_second.items()) in message
    first = header.split(",")[2]
    assert f"--column {first}={first} or" in message
    assert _score(_read(path, columns={first: first}), "P", "Q") == (3, 0, 0)
    assert _score(_read(path, columns=by_second), "P", "Q") == (0, 0, 3)


@pytest.mark.parametrize(("winner", "noted"), [("P", False), ("", False), ("good one", True), ("7", True)])
def test_two_places_that_do_not_contradict(winner: str, noted: bool, file: MakeFile) -> None:
    judgments = _read(file(_table("system_a,system_b,outcome,winner", (f"P,Q,a,{winner}", 3))))
    assert _score(judgments, "P", "Q") == (3, 0, 0)
    said = "outcomes are read from 'outcome'; 'winner' cannot be read as outcomes and is not used"
    assert judgments.notes == ((said,) if noted else ())
