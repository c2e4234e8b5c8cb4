"""Tables fit the terminal: names lose their middle and stay distinct, wide tables come in parts, no number is cut."""

from __future__ import annotations

import fcntl
import os
import re
import struct
import subprocess
import sys
import termios
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

import palmares as pm
from palmares.analysis.describe import FileOverview
from palmares.campaign import Role
from palmares.campaign.people import Person
from palmares.experiments import EXPERIMENTS
from palmares.experiments.base import Reproduction, Row
from palmares.ingest.base import ColumnUse
from palmares.judgments import Judgments
from palmares.ranking.record import Record
from palmares.report.campaign import Invitation
from palmares.report.describe import file_tables
from palmares.report.shortening import shortened, wrapped
from palmares.report.tables import Column, Grouped, Table, rendered, to_terminal

LONG = "newstest2016.{}-constrained-primary-submission-with-a-name.{}.de-en"
SYSTEMS = 24


def renamed(judgments: Judgments) -> Judgments:
    """The same with names of more than sixty letters, which begin and end alike."""
    rows = judgments.to_rows()
    names = {name: LONG.format(name.replace("system", "uedin"), 4000 + k) for k, name in enumerate(judgments.systems)}
    judges = {name: f"{name}-of-the-university-of-{'somewhere' * 3}" for name in judgments.judges}
    replaced = {side: rows[side].replace(names) for side in ("system_a", "system_b")}
    return Judgments.from_rows(rows.with_columns(**replaced, judge=rows["judge"].replace(judges)))


@pytest.fixture(scope="module")
def judgments() -> Judgments:
    return renamed(
        pm.simulate(systems=SYSTEMS, rankings=250, judges=5, segments=60, lang_pair="de-en", rng=0).judgments
    )


@pytest.fixture(scope="module")
def results(judgments: Judgments) -> dict[str, list[Grouped]]:
    """A result of every command that reads judgments, and lists that need none."""
    ranking = pm.rank(judgments, resamples=60, rng=0)
    group = (("lang_pair", "de-en"), ("judge", judgments.judges[0]))
    found = {
        "rank": ranking,
        "head-to-head": pm.head_to_head(judgments, ranking),
        "describe": pm.describe(judgments),
        "agreement": pm.agreement(judgments, judges=True, resamples=60, rng=0),
        "audit": pm.audit(judgments, resamples=60, rng=0),
        "compare": pm.compare(
            judgments, models=["bradley-terry", "expected-wins", "uniform"], testing=pm.Testing(2), rng=0
        ),
        "diff": pm.diff(ranking, pm.rank(judgments.filter(np.arange(len(judgments)) % 2 == 0), resamples=60, rng=0)),
        "coverage": pm.coverage(campaigns=2, resamples=60, rng=0),
    }  # fmt: skip
    return {
        **{command: [Grouped(result, group)] for command, result in found.items()},
        "experiments": [Grouped(EXPERIMENTS.load(name)) for name in EXPERIMENTS],
    }


PARTS = [
    ("rank", None), ("rank", "probabilities"), ("rank", "pairs"), ("head-to-head", None), ("describe", None),
    ("describe", "systems"), ("agreement", "judges"), ("audit", None), ("audit", "details"), ("compare", "calibration"),
    ("diff", None), ("coverage", None), ("experiments", None),
]  # fmt: skip


@pytest.mark.parametrize("width", [80, 100, 132])
@pytest.mark.parametrize(("command", "part"), PARTS)
def test_every_table_fits(results: dict[str, list[Grouped]], command: str, part: str | None, width: int) -> None:
    whole = rendered(command, results[command], "table", part).text.splitlines()
    lines = rendered(command, results[command], "table", part, width=width).text.splitlines()
    over = [line for line in lines if cell_len(line) > width]
    # A signature can be copied; it is whole, and the only thing that may go beyond the edge.
    assert all("|version:" in line for line in over)
    assert set(over) <= set(whole)
    # What was printed with room for all of it is there, but for the middles of names.
    shown, numbers = "\n".join(lines), re.compile(r"(?<![\w.…-])[−.\d][\d.,]*(?:[‡†⋆]|(?![\w.…-]))")
    assert sorted(set(numbers.findall(shown))) == sorted(set(numbers.findall("\n".join(whole))))


def test_a_table_that_has_room_is_not_changed(results: dict[str, list[Grouped]]) -> None:
    for command, part in PARTS:
        whole = rendered(command, results[command], "table", part).text
        widest = max(map(cell_len, whole.splitlines()))
        assert rendered(command, results[command], "table", part, width=widest).text == whole


@pytest.mark.parametrize("output", ["markdown", "latex", "csv", "json"])
def test_other_formats_know_no_width(results: dict[str, list[Grouped]], output: str) -> None:
    for command, part in PARTS:
        narrow = rendered(command, results[command], output, part, width=80)
        assert narrow == rendered(command, results[command], output, part)
        assert "…" not in narrow.text.replace("<…>", "")


def test_names_of_a_ranking_stay_distinct(results: dict[str, list[Grouped]]) -> None:
    text = rendered("rank", results["rank"], "table", width=80).text
    shown = re.findall(r"…uedin\S*…\S*…$", text, re.MULTILINE)
    assert len(shown) == len(set(shown)) == SYSTEMS
    # Each fits one of the names only.
    systems = results["rank"][0].result.systems
    for text in shown:
        assert sum(re.fullmatch(re.escape(text).replace("…", ".*"), name) is not None for name in systems) == 1


# -- parts -----------------------------------------------------------------------------------------


def matrix(columns: int) -> Table:
    heads = [Column(""), Column("system", align="left"), *[Column(str(c)) for c in range(1, columns + 1)]]
    rows = [[r, f"name-{r}", *[f".{10 * r + c:03}" for c in range(1, columns + 1)]] for r in (1, 2)]
    return Table(heads, [*rows, ["", "score", *[f".{c:02}" for c in range(1, columns + 1)]]], "de-en",
                 frozenset({2}), "model:x|seed:0", ["A note."], keys=(0, 1))  # fmt: skip


def test_a_wide_matrix_is_printed_in_parts_with_the_names_of_its_rows() -> None:
    # Numbers, two spaces, names, and columns of four cells with two spaces before each: 1 + 2 + 6 + 6 k ≤ 40.
    assert to_terminal(matrix(7), 40).splitlines() == [
        "de-en",
        "   system     1     2     3     4     5",
        "─" * 39,
        "1  name-1  .011  .012  .013  .014  .015",
        "2  name-2  .021  .022  .023  .024  .025",
        "─" * 39,
        "   score    .01   .02   .03   .04   .05",
        "",
        "   system     6     7",
        "─" * 21,
        "1  name-1  .016  .017",
        "2  name-2  .026  .027",
        "─" * 21,
        "   score    .06   .07",
        "A note.",
        "model:x|seed:0",
    ]


KEYS = [
    ("audit", "findings", ["flag", "check"]), ("audit", "claims", ["system", "is"]),
    ("audit", "details", ["check", "who"]), ("diff", None, ["system"]), ("rank", None, ["system"]),
    ("compare", "calibration", ["model"]), ("coverage", None, ["model", "unit"]),
]  # fmt: skip


@pytest.mark.parametrize("width", [40, 60, 80])
@pytest.mark.parametrize(("command", "part", "keys"), KEYS)
def test_every_part_says_what_its_rows_are_about(
    results: dict[str, list[Grouped]], command: str, part: str | None, keys: list[str], width: int
) -> None:
    lines = rendered(command, results[command], "table", part, width=width).text.splitlines()
    headings = [lines[i - 1].split() for i, line in enumerate(lines) if set(line) == {"─"} and not _is_row(lines, i)]
    assert headings
    assert all(set(keys) <= set(heading) for heading in headings)


def _is_row(lines: list[str], i: int) -> bool:
    """Whether a rule stands between rows, not below a heading: above it, up to the last blank line, is another."""
    above = next((k for k in range(i - 1, -1, -1) if not lines[k] or set(lines[k]) == {"─"}), None)
    return above is not None and lines[above] != ""


def test_numbers_of_an_experiment_stand_beside_what_they_are() -> None:
    row = Row("perplexity of TrueSkill", 1.25, 1.5, 0.01, 12_345, group="Table 2: accuracy of the models", digits=2)
    result = Reproduction("x-1", "t", "r", False, {}, (row,), (), (), {}, Record.of({}))
    text = rendered("reproduce", [Grouped(result)], "table", width=60).text
    parts = [part for part in text.split("\n\n") if "+0.25" in part or "1.50" in part]
    assert len(parts) > 1
    assert all("perplexity" in part for part in parts)


def test_columns_stand_closer_before_a_table_is_cut() -> None:
    table = Table([Column("a"), Column("b"), Column("name", align="left")], [["111", "222", "x" * 10]])
    assert to_terminal(table).splitlines()[2] == "111   222   xxxxxxxxxx"
    assert to_terminal(table, 20).splitlines()[2] == "111  222  xxxxxxxxxx"


def test_headings_are_wrapped_before_names_are_cut() -> None:
    table = Table([Column("pairs compared"), Column("name", align="left")], [["1 of 2", "x" * 20]])
    assert to_terminal(table, 30).splitlines() == [
        "   pairs",
        "compared  name",
        "─" * 30,
        "  1 of 2  " + "x" * 20,
    ]


def test_prose_takes_several_lines_and_its_long_words_lose_their_middle() -> None:
    table = Table(
        [Column("n"), Column("detail", align="left", if_long="wrap")],
        [[1, "one two three four five six"], [2, "abcdefghijklmnopqrstuvwxyz short"]],
    )
    assert to_terminal(table, 20).splitlines()[2:] == [
        "1  one two three",
        "   four five six",
        # 17 cells: eight letters from the beginning, an ellipsis and eight from the end.
        "2  abcdefgh…stuvwxyz",
        "   short",
    ]


def test_numbers_and_links_are_never_cut() -> None:
    link = "https://example.org/eval/join/" + "x" * 60
    ann = Person(1, 1, "news", Role.JUDGE, "ann", "judge-1", (), consented=True, practised=True)
    text = rendered("campaign invite", [Grouped(Invitation(ann, link))], "table", width=40).text
    assert link in text
    numbers = Table([Column("n"), Column("m")], [["1" * 30, "2" * 30]])
    assert to_terminal(numbers, 40).splitlines()[2] == f"{'1' * 30}  {'2' * 30}"


def test_notes_and_titles_are_broken_between_words_and_lists_are_indented() -> None:
    note, item = "note: " + "word " * 20 + "end", "- ! check: " + "word " * 20 + "95 % end"
    table = Table([Column("n")], [[1]], title="a title of " + "words " * 10, notes=[note, item], signature="s|" * 60)
    lines = to_terminal(table, 40).splitlines()
    assert all(cell_len(line) <= 40 for line in lines[:-1])
    assert lines[-1] == "s|" * 60
    assert " ".join(" ".join(lines[:-1]).split()) == " ".join(
        f"{table.title} n {'─' * cell_len('1')} 1 {note} {item}".split()
    )
    start = next(i for i, line in enumerate(lines) if line.startswith("- !"))
    assert all(line.startswith("    word") or line.startswith("    95 %") for line in lines[start + 1 : -1])
    assert not any(line.endswith(" 95") or line.strip().startswith("%") for line in lines)  # a number keeps its sign


# -- names -----------------------------------------------------------------------------------------


def test_a_name_loses_its_middle() -> None:
    name = "newstest2016.KIT.4482.de-en"
    # 20 cells: ten letters, the ellipsis, nine letters.
    assert shortened([name, "short"], 20) == {name: "newstest20…482.de-en", "short": "short"}


def test_names_lose_first_what_all_of_them_share() -> None:
    own = ["KIT.4482", "uedin-pbmt.4362", "online-B.0"]
    names = [f"newstest2016.{name}.de-en" for name in own]
    # 26 do for all but the beginning (22 letters), 17 for the own parts alone (15), and 16 not for the longest of them.
    assert list(shortened(names, 26).values()) == [f"…{name}.de-en" for name in own]
    assert list(shortened(names, 17).values()) == [f"…{name}…" for name in own]
    assert list(shortened(names, 16).values()) == ["…KIT.4482…", "…uedin-p…t.4362…", "…online-B.0…"]
    # A short name that stands beside them shares nothing, and does not hinder.
    assert shortened([*names, "score"], 17)[names[0]] == "…KIT.4482…"


def test_a_part_of_a_name_that_fits_another_is_not_shown_alone() -> None:
    names = ["newstest2016.A.de-en", "newstest2016.large-A.de-en"]
    shown = shortened(names, 13)
    for name, text in shown.items():
        pattern = re.escape(text).replace("…", ".*")
        assert [other for other in names if re.fullmatch(pattern, other)] == [name]


def test_examples_of_a_column_are_wrapped_not_cut_into_each_other() -> None:
    use = ColumnUse("system_a", "model_a", "usual", ("Chronos Hermes", "Code Llama Instruct", "Falcon Instruct"), "")
    file = FileOverview(**{f.name: None for f in fields(FileOverview)} | {
        "file": "votes.csv", "columns": (use,), "format": "generic", "layout": "csv", "records": 1, "dropped": 0,
        "skipped": 0, "judgments": 1, "rankings": None, "repeated_judgments": 0, "repeated_rankings": 0,
        "shared_outputs": 0, "forced_ties": 0, "notes": (), "data": "x",
    })  # fmt: skip
    (table,) = file_tables([Grouped(file)])
    shown = to_terminal(table, 60)
    assert "…" not in shown
    assert all(word in shown for name in use.examples for word in name.split())


def test_what_is_shown_tells_names_apart_where_they_differ() -> None:
    ends = ["abcdefghij-x-klmnopqrst", "abcdefghij-y-klmnopqrst"]  # alike at both ends
    shown = shortened(ends, 14)
    assert ["x" in shown[ends[0]], "y" in shown[ends[1]]] == [True, True]
    # Seven letters from the end do not tell these apart; ten do, and leave five from the beginning.
    late = ["constrained-run-1-of-de-en", "constrained-run-2-of-de-en"]
    assert shortened(late, 16) == {late[0]: "const…1-of-de-en", late[1]: "const…2-of-de-en"}


def test_a_number_tells_apart_what_nothing_else_does() -> None:
    names = ["a" * 40, "a" * 50, "a" * 60]
    assert sorted(shortened(names, 10).values()) == ["aaaaaaaa…2", "aaaaaaaa…3", "aaaaaaaa…4"]


@given(
    st.lists(st.text("ab日\u0301-.", min_size=1, max_size=30), min_size=1, max_size=12, unique=True), st.integers(3, 20)
)
def test_shortened_names_fit_and_are_distinct(names: list[str], width: int) -> None:
    shown = shortened(names, width)
    assert set(shown) == set(names)
    assert len(set(shown.values())) == len(names)
    for name, text in shown.items():
        assert cell_len(text) <= width
        assert (text == name) == (cell_len(name) <= width)
        assert text == name or "…" in text


def test_wide_letters_and_marks_are_measured() -> None:
    # Each of these letters takes two cells: of the three on either side of the ellipsis, one is used and one is left.
    assert shortened(["日本語機械翻訳"], 7) == {"日本語機械翻訳": "日…訳"}
    marked = "e\u0301" * 12
    text = shortened([marked], 7)[marked]
    assert text == "e\u0301" * 3 + "…" + "e\u0301" * 3
    table = Table([Column("名前", align="left"), Column("n")], [["日本語", 1], ["ab", 2]])
    assert to_terminal(table).splitlines() == ["名前     n", "──────────", "日本語   1", "ab       2"]


def test_wrapped_text_is_broken_at_spaces_only() -> None:
    assert wrapped("one two three", 7) == ["one two", "three"]
    assert wrapped("a " + "x" * 20 + " b", 7) == ["a", "x" * 20, "b"]


# -- the terminal ----------------------------------------------------------------------------------


def printed(columns: int, *arguments: object) -> str:
    """What a command prints on a terminal of so many columns."""
    reader, terminal = os.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    with subprocess.Popen(
        [sys.executable, "-m", "palmares", *map(str, arguments)], stdout=terminal, stderr=subprocess.PIPE,
        env={**environment, "PYTHONIOENCODING": "utf-8"},
    ):  # fmt: skip
        os.close(terminal)
        parts = []
        while part := _read(reader):
            parts.append(part)
        os.close(reader)
    return b"".join(parts).decode().replace("\r\n", "\n")


def _read(reader: int) -> bytes:
    try:
        return os.read(reader, 1 << 16)
    except OSError:  # Linux says so where the other end is closed
        return b""


@pytest.fixture(scope="module")
def votes(tmp_path_factory: pytest.TempPathFactory, judgments: Judgments) -> Path:
    path = tmp_path_factory.mktemp("width") / "votes.csv"
    pm.write(judgments, path)
    return path


def test_a_command_looks_at_its_terminal(votes: Path, ok: object, monkeypatch: pytest.MonkeyPatch) -> None:
    quick = ("rank", votes, "--resample", "none")
    narrow, wide = printed(80, *quick), printed(80, *quick, "--wide")
    *table, signature = narrow.splitlines()
    assert max(map(cell_len, table)) <= 80
    assert "…" in narrow
    assert signature == wide.splitlines()[-1]
    # What nobody looks at is whole, whatever a wrapper says of columns.
    monkeypatch.setenv("COLUMNS", "80")
    assert ok(*quick).out == wide
    assert "…" not in wide


def test_a_group_of_many_systems_is_ranked_in_parts_that_fit() -> None:
    """Two hundred systems with names of sixty letters: 200 rows in each part, every column in one of them."""
    names = [f"{LONG.format('KIT', 1000 + k)[: 60 - 4]}{1000 + k}" for k in range(200)]
    assert {len(name) for name in names} == {60}
    table = Table([Column(""), Column("system", align="left"), *[Column(str(c)) for c in range(200)]],
                  [[r, name, *[".50‡"] * 200] for r, name in enumerate(names)], keys=(0, 1))  # fmt: skip
    lines = to_terminal(table, 80).splitlines()
    assert max(map(cell_len, lines)) <= 80
    heads = [line.split()[1:] for line in lines if line.split()[:1] == ["system"]]
    assert [int(head) for part in heads for head in part] == list(range(200))
    assert len({line.split()[1] for line in lines if "…" in line}) == 200
    assert to_terminal(replace(table, rows=table.rows[:1]), None).splitlines()[2].split()[1] == names[0]
