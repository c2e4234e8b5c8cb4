"""Delimited text as it is found: delimiters, comment lines, missing headers; and what is refused."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from palmares.errors import InputError
from palmares.ingest.base import ReadOptions
from palmares.ingest.files import DroppedRowsWarning, concat, read, read_with_report, write
from palmares.ingest.scan import scan_with_report
from palmares.judgments import Judgments

MakeFile = Callable[..., Path]

_RECORDS = [("m1", "m2", "a", "ann"), ("m2", "m3", "b", "bob"), ("m1", "m3", "tie", "ann")]
_HEADER = ("system_a", "system_b", "outcome", "judge")
#: What the records mean.
_MEANT = Judgments.from_rows(
    pl.DataFrame(
        [("m1", "m2", 1, "ann"), ("m2", "m3", -1, "bob"), ("m1", "m3", 0, "ann")], schema=_HEADER, orient="row"
    )
)


def _text(delimiter: str, *, header: bool = True) -> str:
    return "\n".join(delimiter.join(row) for row in [*([_HEADER] if header else []), *_RECORDS]) + "\n"


def _notes(judgments: Judgments) -> str:
    assert judgments.origin is not None
    return "\n".join(judgments.origin.notes)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", " ", "   "])
@pytest.mark.parametrize("name", ["file.csv", "file.tsv", "file.txt", "file.dat", "file"])
def test_the_content_tells_the_delimiter_and_not_the_ending(delimiter: str, name: str, file: MakeFile) -> None:
    path = file(_text(delimiter), name)
    assert read(path, faults=0) == _MEANT
    counts, _ = scan_with_report(path, ReadOptions(faults=0))
    assert counts[None].wins.tolist() == _MEANT.counts.wins.tolist()


@pytest.mark.parametrize(
    "text",
    [
        # Texts full of another delimiter.
        "system_a\tsystem_b\toutcome\tjudge\tsource\nm1\tm2\ta\tann\tyes, well, no; not\n"
        "m2\tm3\tb\tbob\tone, two\nm1\tm3\ttie\tann\tx|y|z, w\n",
        "system_a,system_b,outcome,judge,note\nm1,m2,a,ann,x;y\nm2,m3,b,bob,p;q\nm1,m3,tie,ann,r;s\n",
        'system_a|system_b|outcome|judge|note\nm1|m2|a|ann|"1|2"\nm2|m3|b|bob|1,2\nm1|m3|tie|ann|3,4\n',
        # A header with more of another delimiter than of its own.
        'system_a;system_b;outcome;judge;"a,b,c,d,e,f,g"\nm1;m2;a;ann;1\nm2;m3;b;bob;2\nm1;m3;tie;ann;3\n',
        "system_a\tsystem_b\toutcome\tjudge\tsure (1, 2, 3, 4, 5, 6)\nm1\tm2\ta\tann\t1\nm2\tm3\tb\tbob\t2\n"
        "m1\tm3\ttie\tann\t3\n",
        # Every line has a comma and a semicolon; the names of columns tell which of them counts.
        "system_a,system_b,outcome,judge;x\nm1,m2,a,ann;1\nm2,m3,b,bob;2\nm1,m3,tie,ann;3\n".replace(";", ",u;"),
        "sep=;\nsystem_a;system_b;outcome;judge\nm1;m2;a;ann\nm2;m3;b;bob\nm1;m3;tie;ann\n",
        "sep=:\r\nsystem_a:system_b:outcome:judge\r\nm1:m2:a:ann\r\nm2:m3:b:bob\r\nm1:m3:tie:ann\r\n",
    ],
)
def test_another_delimiter_in_the_texts(text: str, file: MakeFile) -> None:
    path = file(text)
    assert read(path, faults=0) == _MEANT
    counts, _ = scan_with_report(path, ReadOptions(faults=0))
    assert counts[None].ties.tolist() == _MEANT.counts.ties.tolist()


def test_names_with_a_delimiter_in_them(file: MakeFile) -> None:
    assert read(file("system_a,system_b,winner\nA|1,B|2,A|1\nA|1,C|3,C|3\n")).systems == ("A|1", "B|2", "C|3")


def test_two_delimiters_that_fit_are_not_guessed(file: MakeFile) -> None:
    text = "x1,x2;x3\nm1,m2;m1\nm1,m3;m3\n"
    with pytest.raises(InputError, match=r"the comma and the semicolon divide every line .*; say which .*: sep=,"):
        read(file(text))
    with pytest.raises(InputError, match="no known format has the columns x1, x2;x3"):
        read(file("sep=,\n" + text))


def test_faulty_lines_do_not_hide_the_delimiter(file: MakeFile) -> None:
    text = _text(",").replace("m2,m3,b,bob", "m2,m3") + "m1,m2,a,ann,x;y;z\n"
    with pytest.warns(DroppedRowsWarning, match=r"line 3: has 2 fields .*\n.*line 5: has 5 fields"):
        assert len(read(file(text), faults="lenient")) == 2


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "latin-1"])
@pytest.mark.parametrize("delimiter", [";", "|", "  "])
def test_with_an_encoding_and_compressed(delimiter: str, encoding: str, file: MakeFile) -> None:
    path = file(gzip.compress(_text(delimiter).replace("ann", "é").encode(encoding)), "file.gz")
    assert read(path, encoding="utf-8" if encoding == "utf-8-sig" else encoding).judges == ("bob", "é")


# -- comments ------------------------------------------------------------------------------------


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", " "])
def test_comment_lines_are_left_out_and_said(delimiter: str, file: MakeFile) -> None:
    lines = _text(delimiter).splitlines()
    text = "\n".join(["# a pilot, of 2024", "#", "", lines[0], '# don"t; not yet', *lines[1:3], "#end", lines[3]])
    path = file(text + "\n")
    judgments = read(path, faults=0)
    assert judgments == _MEANT
    assert "left out 4 comment lines, the first line 1" in _notes(judgments)
    counts, report = scan_with_report(path, ReadOptions(faults=0))
    assert counts[None].wins.tolist() == _MEANT.counts.wins.tolist()
    assert report.records == 3


def test_comments_far_below_are_found_by_scanning_too(file: MakeFile) -> None:
    text = _text(",") + "m1,m2,a,ann\n" * 20_000 + "# the end of the pilot\n" + "m2,m1,a,ann\n" * 3
    path = file(text)
    whole = read(path, faults=0).counts
    counts, report = scan_with_report(path, ReadOptions(faults=0))
    assert counts[None].wins.tolist() == whole.wins.tolist()
    assert (report.records, whole.total) == (20_006, 20_006)


def test_lines_are_counted_with_the_comments(file: MakeFile) -> None:
    text = '# one\n\nsystem_a,system_b,outcome,note\n# four\n\nm1,m2,a,"six\nseven"\n# eight\nm1,m1,a,nine\n'
    with pytest.warns(DroppedRowsWarning, match="line 9: system 'm1' is compared with itself"):
        assert len(read(file(text), faults="lenient")) == 1


def test_a_line_inside_quotes_is_no_comment(file: MakeFile) -> None:
    text = 'system_a,system_b,outcome,judge\nm1,m2,a,"ann\n# lee"\nm1,m2,b,bob\n'
    judgments = read(file(text), faults=0)
    assert judgments.judges == ("ann\n# lee", "bob")
    assert "comment" not in _notes(judgments)


@pytest.mark.parametrize("above", ["", "# a pilot of 2024\n"])
def test_a_header_behind_a_mark(above: str, file: MakeFile) -> None:
    judgments = read(file(above + "#" + _text("\t")), faults=0)
    assert judgments == _MEANT
    assert "the header is the comment line '#system_a" in _notes(judgments)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_column_called_by_a_mark(end: str, file: MakeFile) -> None:
    text = f"#,system_a,system_b,outcome,judge{end}" + "".join(
        f"{n},{','.join(r)}{end}" for n, r in enumerate(_RECORDS)
    )
    assert read(file(text), faults=0) == _MEANT


def test_a_record_that_may_be_commented_out_is_not_guessed(file: MakeFile) -> None:
    text = "segment,system_a,system_b,winner\n1,m1,m2,m1\n#2,m1,m2,m2\n3,m1,m2,m1\n"
    with pytest.raises(InputError, match=r"line 3 begins with # and has the fields of a record \('#2,m1,m2,m2'\)"):
        read(file(text))
    assert len(read(file(text.replace("#2", '"#2"')))) == 3
    assert len(read(file(text.replace("#2", "# 2")))) == 2


def test_ids_that_all_begin_with_a_mark_are_no_comments(file: MakeFile) -> None:
    text = "# numbers as on the forms\nsegment,system_a,system_b,winner\n#1,m1,m2,m1\n#2,m1,m2,m2\n"
    assert read(file(text), faults=0).segments == ("#1", "#2")


def test_only_comments(file: MakeFile) -> None:
    with pytest.raises(InputError, match=r"has comment lines .* and no table"):
        read(file("# nothing\n# yet, sorry\n"))


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_names_that_begin_with_a_mark_are_written_so_that_they_come_back(ending: str, tmp_path: Path) -> None:
    rows = pl.DataFrame({"system_a": ["#1", "# two", "x"], "system_b": ["y", "z", "y"], "outcome": [1, -1, 0]})
    judgments = Judgments.from_rows(rows)
    write(judgments, tmp_path / f"x.{ending}")
    assert read(tmp_path / f"x.{ending}", faults=0) == judgments


# -- JSON ----------------------------------------------------------------------------------------

_OBJECTS = [{"system_a": a, "system_b": b, "outcome": how, "judge": judge} for a, b, how, judge in _RECORDS]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize(
    ("wrapped", "path", "beside"),
    [
        ({"data": _OBJECTS}, "data", ""),
        ({"judgments": _OBJECTS, "more": []}, "judgments", "more"),
        ({"name": "pilot", "campaign": {"year": 2024, "votes": _OBJECTS}}, "campaign.votes", "name, campaign.year"),
    ],
)
def test_one_list_of_objects_inside_an_object(
    wrapped: dict[str, Any], path: str, beside: str, indent: int | None, file: MakeFile
) -> None:
    judgments = read(file(json.dumps(wrapped, indent=indent) + "\n", "file.json"), faults=0)
    assert judgments == _MEANT
    said = f"the list under {path!r} is read" + (f"; what stands beside it is not: {beside}" if beside else "")
    assert _notes(judgments).endswith(said)


def test_several_lists_are_named(file: MakeFile) -> None:
    text = json.dumps({"pilot": _OBJECTS, "main": {"votes": _OBJECTS}})
    with pytest.raises(
        InputError, match=r"has 2 lists of objects, under 'pilot', 'main.votes'; a file of judgments has one"
    ):
        read(file(text, "file.json"))


def test_a_single_object_is_a_judgment_even_with_a_list_in_it(file: MakeFile) -> None:
    text = json.dumps({"model_a": "m1", "model_b": "m2", "winner": "tie", "conversation_a": [{"role": "user"}]})
    for end in ("", "\n"):
        assert len(read(file(text + end, "file.json"), faults=0)) == 1


@pytest.mark.parametrize("form", ["lines", "list"])
def test_objects_inside_objects_are_columns_with_a_dot(form: str, file: MakeFile) -> None:
    objects = [
        {"pair": {"one": a, "two": b}, "vote": {"how": how, "by": {"name": judge}}} for a, b, how, judge in _RECORDS
    ]
    text = json.dumps(objects) if form == "list" else "\n".join(map(json.dumps, objects))
    path = file(text, "file.json")
    with pytest.raises(InputError, match=r"no known format has the columns pair.one, pair.two, vote.how, vote.by.name"):
        read(path)
    columns = {"system_a": "pair.one", "system_b": "pair.two", "outcome": "vote.how", "judge": "vote.by.name"}
    assert read(path, columns=columns, faults=0) == _MEANT


@pytest.mark.parametrize("form", ["lines", "list"])
def test_lists_are_no_names(form: str, file: MakeFile) -> None:
    objects = [{"left": ["A"], "right": "B", "winner": "left"}] * 2
    text = json.dumps(objects) if form == "list" else "\n".join(map(json.dumps, objects))
    with pytest.raises(InputError, match="column 'left' holds lists or objects, not names"):
        read(file(text, "file.json"))


# -- no header -----------------------------------------------------------------------------------


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", "  "])
def test_names_for_a_file_without_a_header(delimiter: str, file: MakeFile) -> None:
    path = file("# no header\n" + _text(delimiter, header=False))
    options = ReadOptions(header=_HEADER, faults=0)
    assert read(path, options=options) == _MEANT
    counts, _ = scan_with_report(path, options)
    assert counts[None].wins.tolist() == _MEANT.counts.wins.tolist()


def test_lines_of_a_file_without_a_header(file: MakeFile) -> None:
    text = _text(",", header=False) + "\nm1,m1,a,ann\n"
    with pytest.warns(DroppedRowsWarning, match="line 5: system 'm1' is compared with itself"):
        read(file(text), faults="lenient", options=ReadOptions(header=_HEADER))


@pytest.mark.parametrize(
    ("text", "shown"),
    [("m1,m2,a\nm1,m3,b\n", "m1,m2,a"), ("m1;m2;m1\nm1;m3;m3\n", "m1;m2;m1"), ("7\tm1\tm2\ttie\n", "7\tm1\tm2\ttie")],
)
def test_a_file_that_seems_to_have_no_header_is_shown(text: str, shown: str, file: MakeFile) -> None:
    with pytest.raises(InputError) as caught:
        read(file(text))
    message = str(caught.value)
    assert repr(shown) in message
    assert "--header" in message
    assert f"({len(shown.replace(';', ',').replace(chr(9), ',').split(','))} names)" in message


def test_a_header_is_not_suspected(file: MakeFile) -> None:
    with pytest.raises(InputError) as caught:
        read(file("judge,segment,colour\nann,1,red\n"))
    assert "--header" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "header", "message"),
    [
        ("m1,m2,a,ann\n", ("system_a", "system_b", "outcome"), "names 3 columns, and the first line has 4 fields"),
        ("m1;m2;a\n", ("system_a", "system_b", "outcome", "judge"), "names 4 columns, and the first line has 3 fields"),
        ("m1,m2,a\n", ("system_a", "system_a", "outcome"), "the header names 'system_a' twice"),
        (_text(","), _HEADER, "the first line is the header .* itself; leave out --header"),
        ('[{"left": "A", "right": "B", "winner": "left"}]', ("x", "y"), "is JSON, and --header names"),
        ('{"left": "A", "right": "B", "winner": "left"}\n', ("x", "y"), "is JSON, and --header names"),
        ("<r><ranking-item/></r>", ("x", "y"), "is of the format 'appraise', and --header names"),
        ("# ALTERNATIVE NAME 1: x\n1: 1\n", ("x", "y"), "is of the format 'preflib', and --header names"),
    ],
)
def test_a_header_that_does_not_fit(text: str, header: tuple[str, ...], message: str, file: MakeFile) -> None:
    with pytest.raises(InputError, match=message):
        read(file(text), options=ReadOptions(header=header))


def test_a_header_for_what_has_one(tmp_path: Path) -> None:
    frame = pl.DataFrame({"system_a": ["A"], "system_b": ["B"], "outcome": ["a"]})
    with pytest.raises(InputError, match="data frame: is a table, and --header"):
        read(frame, options=ReadOptions(header=("x",)))
    frame.write_parquet(tmp_path / "x.parquet")
    with pytest.raises(InputError, match="is Parquet, and --header"):
        read(tmp_path / "x.parquet", options=ReadOptions(header=("x",)))


def test_header_on_the_command_line(file: MakeFile, ok: Callable[..., object], refused: Callable[..., str]) -> None:
    path = file(_text(";", header=False), "votes.dat")
    assert "--header" in refused("rank", path)
    ok("rank", path, "--header", "system_a, system_b, outcome, judge")


def test_records_and_format_of_a_plain_file_stay(file: MakeFile) -> None:
    _, report = read_with_report(file(_text(",")))
    assert (report.format, report.records, report.judgments, report.notes) == ("pairwise", 3, 3, ())


@pytest.mark.parametrize("blank", [",,,\n", ",,,\r\n,,,\r\n", '"","","",""\n', "  \n\n,\n"])
def test_rows_without_content_above_the_header_are_not_the_header(blank: str, file: MakeFile) -> None:
    path = file(blank + _text(","))
    judgments, report = read_with_report(path, options=ReadOptions(faults=0))
    assert judgments == _MEANT
    assert report.records == 3
    counts, _ = scan_with_report(path, ReadOptions(faults=0))
    assert counts[None].wins.tolist() == _MEANT.counts.wins.tolist()
    faulty = file(blank + _text(",") + "m1,m2,what,ann\n")
    with pytest.raises(InputError, match=f"line {blank.count(chr(10)) + 5}: unknown outcome"):
        read(faulty)


def test_rows_without_content_are_no_records_however_the_file_is_read(file: MakeFile) -> None:
    text = _text(",") + ",,,\n" + 'm1,m2,a,"an"n"\n'  # reading record by record
    assert read_with_report(file(text), options=ReadOptions(faults="lenient"))[1].records == 4


@pytest.mark.parametrize("odd", ["", 'P\tQ\ta\tit is "odd\n'], ids=["fast", "record by record"])
def test_a_quotation_mark_that_swallows_records(odd: str, file: MakeFile) -> None:
    lines = [f"P\tQ\ta\ttext {n}\n" for n in range(98)]
    lines[8], lines[58] = 'P\tQ\ta\t"Yes\n', 'P\tQ\tb\tNo"\n'
    path = file("system_a\tsystem_b\twinner\ttext\n" + "".join(lines) + odd)
    for reader in (read, lambda path: scan_with_report(path, ReadOptions())):
        with pytest.raises(InputError, match=r"lines 10 to 60 are read as one record, .* each has the 4 fields"):
            reader(path)


@pytest.mark.parametrize(("text", "noted"), [("one\ntwo\nthree", False), ("one\nP,Q,two", False), ("1\n2,3,4,5", True)])
def test_texts_of_several_lines(text: str, noted: bool, file: MakeFile) -> None:
    judgments = read(file(f'system_a,system_b,winner,text\nP,Q,a,"{text}"\nP,Q,b,x\n'))
    assert len(judgments) == 2
    last = read(file(f'system_a,system_b,winner,text\nP,Q,b,x\nP,Q,a,"{text}"'))
    assert ("lines 3 to 4 are read as one record" in _notes(last)) == noted
    assert ("lines 2 to 3 are read as one record" in _notes(judgments)) == noted


def test_the_same_judgments_in_another_container_do_not_count_twice(file: MakeFile) -> None:
    rows = [(f"m{n % 3}", f"m{n % 3 + 1}", "a", f"j{n}") for n in range(12)]
    text = "system_a,system_b,winner,judge\n" + "".join(",".join(row) + "\n" for row in rows)
    first = read(file(text, "a.csv"))
    marked = read(file(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode(), "b.csv"))
    objects = [dict(zip(("system_a", "system_b", "winner", "judge"), row, strict=True)) for row in rows]
    as_json = read(file("".join(json.dumps(each) + "\n" for each in objects), "c.jsonl"))
    for again in (marked, as_json):
        with pytest.raises(InputError, match=r"has the same judgments as .*a\.csv"):
            concat([first, again])
    other = read(file(text.replace("j11", "j99"), "d.csv"))
    assert len(concat([first, other])) == 24
