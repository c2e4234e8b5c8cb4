"""Tables for people: escaping, rules between clusters, real minus signs."""

from __future__ import annotations

import csv
import io
import json

import pytest
from builders import counted

from palmares import describe, head_to_head, rank
from palmares.errors import InputError
from palmares.judgments import Judgments
from palmares.report import OUTPUTS, VIEWS
from palmares.report.ranking import ranking_table
from palmares.report.tables import (
    RENDERERS,
    Column,
    Grouped,
    Table,
    View,
    escape_latex,
    range_text,
    rendered,
    score_text,
    to_csv,
    to_latex,
    to_markdown,
    to_terminal,
)

NASTY = [
    r"back\slash", "a|b", "50%", "under_score", "$x$", "#1", "{b}", "~", "^", "A&B", "*bold*", "[link](url)",
    "<b>x</b>", "`code`", "&amp;", "[bold]rich[/bold]", "model:fire:", "trailing\\", "two\nlines", "tab\there",
    "esc\x1b[31mred", "日本語",
]  # fmt: skip


def named(names: list[str]) -> Table:
    columns = [Column("rank"), Column("system", align="left")]
    return Table(columns, [[i, name] for i, name in enumerate(names)], signature="model:x|seed:0")


# -- LaTeX -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a_b", r"a\_b"),
        ("50 %", r"50 \%"),
        (r"\input{x}", r"\textbackslash{}input\{x\}"),
        ("~^#&$", r"\textasciitilde{}\textasciicircum{}\#\&\$"),
        (".57‡", r".57$^\ddagger$"),
        ("−0.5", "$-$0.5"),
        ("1–3", "1--3"),
        ("<a|b>", r"\textless{}a\textbar{}b\textgreater{}"),
        ("two\n\nlines", "two  lines"),
        ("Žižka", "Žižka"),
    ],
)
def test_latex_prints_text_as_it_is(text: str, expected: str) -> None:
    assert escape_latex(text) == expected


def test_latex_writes_the_signs_of_our_tables_in_math_mode() -> None:
    assert escape_latex("Δ κ α ±") == r"$\Delta$ $\kappa$ $\alpha$ $\pm$"
    assert escape_latex("a → b, 2 × 3 ≤ 6") == r"a $\rightarrow$ b, 2 $\times$ 3 $\leq$ 6"
    head = to_latex(Table([Column("Δ"), Column("±")], [["0.5 ± 0.1", None]])).splitlines()[2]
    assert head == r"$\Delta$ & $\pm$ \\"


def test_a_signature_stays_on_its_line_in_every_form() -> None:
    table = Table([Column("n")], [[1]], signature="where:a\n\\evil|seed:0")
    for form in (to_latex, to_markdown, to_terminal):
        assert form(table).splitlines()[-1].endswith("where:a \\evil|seed:0")


def test_a_latex_row_cannot_begin_with_what_the_row_before_would_take_as_its_option() -> None:
    table = Table([Column("system", align="left")], [["[1cm]"], ["*"]])
    rows = to_latex(table).splitlines()
    assert r"{[}1cm{]} \\" in rows
    assert r"{*} \\" in rows


def test_latex_has_one_line_a_system_and_everything_else_in_comments() -> None:
    table = Table([Column("n"), Column("system", align="left")], [[i, n] for i, n in enumerate(NASTY)],
                  title="x\n\\evil", signature="sig", notes=["left out: a\n\\evil"])  # fmt: skip
    lines = to_latex(table).splitlines()
    body = lines[lines.index(r"\midrule") + 1 : lines.index(r"\bottomrule")]
    assert len(body) == len(NASTY)
    assert all(line.endswith(r" \\") and line.count(" & ") == 1 for line in body)
    assert lines[0] == r"% x \evil"
    assert lines[-2:] == [r"% left out: a \evil", "% sig"]


# -- Markdown --------------------------------------------------------------------------------------


def test_markdown_escapes_what_would_be_markup() -> None:
    lines = to_markdown(named(NASTY)).splitlines()
    body = lines[2 : 2 + len(NASTY)]
    assert lines[-1] == "model:x|seed:0"
    for name, line in zip(NASTY, body, strict=True):
        shown = line[2:-2].split(" | ", 1)[1].rstrip()
        plain = "".join(ch for i, ch in enumerate(shown) if ch != "\\" or (i and shown[i - 1] == "\\"))
        if "\\" not in name and name.isprintable():
            assert plain == name
        for sign in "*_`[<|":
            assert all(shown[i - 1] == "\\" for i, ch in enumerate(shown) if ch == sign)


def test_markdown_titles_and_notes_are_escaped_too() -> None:
    table = Table([Column("system")], [["a"]], title="a*b", notes=["note: x_y"], signature="s")
    lines = to_markdown(table).splitlines()
    assert lines[0] == r"**a\*b**"
    assert lines[-2:] == [r"note: x\_y", "s"]


def test_markdown_columns_are_as_wide_as_their_widest_cell() -> None:
    lines = to_markdown(named(["a", "a much longer name"])).splitlines()
    assert len({len(line) for line in lines[:4]}) == 1
    assert lines[1].startswith("| ---: | ----")


# -- terminal --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [n for n in NASTY if n.isprintable()])
def test_the_terminal_shows_a_name_letter_by_letter(name: str) -> None:
    assert to_terminal(named([name])).splitlines()[-2].endswith(name)


def test_the_terminal_shows_control_characters_by_their_code() -> None:
    text = to_terminal(named(["esc\x1b[31mred", "two\nlines"]))
    assert "\x1b" not in text
    assert r"esc\x1b[31mred" in text
    assert len(text.splitlines()) == len(to_terminal(named(["a", "b"])).splitlines())


@pytest.mark.parametrize("output", ["table", "markdown"])
def test_the_signature_is_the_last_line(output: str) -> None:
    assert RENDERERS[output](named(["a"])).endswith("\nmodel:x|seed:0\n")


# -- CSV -------------------------------------------------------------------------------------------


def test_csv_gives_names_back_as_they_were() -> None:
    rows = list(csv.reader(io.StringIO(to_csv(named(NASTY)))))
    assert rows[0] == ["rank", "system"]
    assert [name for _, name in rows[1:]] == NASTY


def test_csv_has_raw_numbers() -> None:
    ranking = rank(counted({("a", "b"): (2, 0, 1)}), model="expected-wins", resample=None, rng=0)
    rows = list(csv.DictReader(io.StringIO(rendered("rank", [Grouped(ranking, (("lang_pair", None),))], "csv").text)))
    assert [float(row["score"]) for row in rows] == pytest.approx([2 / 3, 1 / 3], abs=1e-11)
    assert rows[0] == {
        "lang_pair": "", "cluster": "", "rank": "1", "first": "", "last": "",
        "score": rows[0]["score"], "system": "a", "low": "", "high": "", "error": "", "best": "",
        "joint_cluster": "", "joint_first": "", "joint_last": "",
    }  # fmt: skip


# -- rankings --------------------------------------------------------------------------------------

CLEAR = counted({("a", "b"): (20, 0, 20), ("a", "c"): (40, 0, 0), ("b", "c"): (40, 0, 0)})


def test_a_rule_stands_between_clusters() -> None:
    ranking = rank(CLEAR, resample="pair", resamples=200, rng=0)
    table = ranking_table(ranking)
    assert ranking.clusters == [["a", "b"], ["c"]]
    assert table.rules == {2}
    latex = to_latex(table).splitlines()
    body = latex[latex.index(r"\midrule") + 1 :]
    assert body.index(r"\midrule") == 2
    drawn = [i for i, line in enumerate(to_terminal(table).splitlines()) if "──" in line]
    assert drawn == [1, 4]  # below the head, and above c


def test_without_resampling_there_are_ranks_and_no_rules() -> None:
    table = ranking_table(rank(CLEAR, resample=None, rng=0))
    assert [c.name for c in table.columns] == ["rank", "score", "system"]
    assert table.rules == frozenset()


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.5, "0.500"), (-1.25, "−1.250"), (-0.0, "0.000"), (-0.0004, "0.000"), (-0.0006, "−0.001"), (None, "")],
)
def test_scores_have_three_decimals_and_a_real_minus(value: float | None, text: str) -> None:
    assert score_text(value) == text


@pytest.mark.parametrize(("span", "text"), [((1, 1), "1"), ((2, 5), "2–5"), (None, "")])
def test_ranges_are_written_with_a_dash(span: tuple[int, int] | None, text: str) -> None:
    assert range_text(span) == text


def test_notes_are_below_the_table_and_go_with_the_csv_too() -> None:
    split = counted({("a", "b"): (2, 0, 1), ("b", "c"): (2, 0, 1), ("x", "y"): (1, 0, 0)})
    ranking = rank(split, resample=None, rng=0, largest_component=True)
    note = "note: left out, because no judgment links them to the largest group: x, y"
    assert to_terminal(ranking_table(ranking)).splitlines()[-2] == note
    assert rendered("rank", [Grouped(ranking)], "csv").remarks == (note, ranking.signature)


# -- other views -----------------------------------------------------------------------------------


def test_a_head_to_head_table_reads_like_the_published_ones() -> None:
    ranking = rank(CLEAR, resample="pair", resamples=200, rng=0)
    (table,) = VIEWS.load("head-to-head").tables([Grouped(head_to_head(CLEAR, ranking))], None)
    assert table.shown() == [
        ["1", "a", "–", ".50 ", ".00‡"],
        ["2", "b", ".50 ", "–", ".00‡"],
        ["3", "c", "1.00‡", "1.00‡", "–"],
        ["", "score", ".75", ".75", ".00"],
        ["", "rank", "1–2", "1–2", "3"],
        ["", "joint", "1–2", "1–2", "3"],
    ]


def mixed() -> Judgments:
    rows = counted({("a", "b"): (3, 1, 0)}).to_rows()
    return Judgments.from_rows(rows.with_columns(lang_pair=rows["outcome"].replace_strict({1: "cs-en", 0: "de-en"})))


def test_an_overview_counts_each_language_pair() -> None:
    (table,) = VIEWS.load("describe").tables([Grouped(describe(part)) for part in mixed().split().values()], None)
    shown = table.shown()
    assert [row[0] for row in shown] == ["cs-en", "de-en"]
    assert [row[3] for row in shown] == ["3", "1"]
    assert [row[5] for row in shown] == ["0.0 %", "100.0 %"]


def test_systems_of_several_language_pairs_can_be_told_apart_in_csv() -> None:
    overviews = [Grouped(describe(part)) for part in mixed().split().values()]
    text = rendered("describe", overviews, "csv", "systems").text
    assert [(row["lang_pair"], row["system"]) for row in csv.DictReader(io.StringIO(text))] == [
        ("cs-en", "a"), ("cs-en", "b"), ("de-en", "a"), ("de-en", "b")
    ]  # fmt: skip


def test_an_overview_by_hand() -> None:
    table = counted({("a", "b"): (3, 2, 1), ("b", "c"): (1, 0, 0), ("x", "y"): (0, 1, 0)})
    overview = describe(table)
    assert (overview.judgments, overview.systems, overview.ties, overview.per_system) == (8, 5, 3, 16 / 5)
    assert (overview.pairs, overview.pairs_compared, overview.least_compared, overview.most_compared) == (10, 3, 0, 6)
    assert overview.groups == [["a", "b", "c"], ["x", "y"]]
    assert (overview.rankings, overview.segments, overview.judges, overview.lang_pair) == (None, None, None, None)
    b = next(s for s in overview.by_system if s.system == "b")
    assert (b.judgments, b.wins, b.ties, b.losses, b.opponents) == (7, 2, 2, 3, 2)
    (shown,) = VIEWS.load("describe").tables([Grouped(overview)], None)
    assert "falls into 2 groups" in shown.notes[0]


# -- one way to a table ----------------------------------------------------------------------------


@pytest.mark.parametrize("command", VIEWS)
def test_everything_that_is_listed_can_be_shown(command: str) -> None:
    assert isinstance(VIEWS.load(command), View)


@pytest.mark.parametrize("command", ["campaign list", "campaign people", "campaign log", "experiments"])
@pytest.mark.parametrize("output", OUTPUTS)
def test_a_list_of_nothing_can_be_shown_too(command: str, output: str) -> None:
    text = rendered(command, [], output).text
    assert text == "[]\n" if output == "json" else text.splitlines()


@pytest.mark.parametrize(
    ("command", "output", "part", "wording"),
    [
        ("rank", "table", "probability", "rank: got part 'probability'; allowed: probabilities"),
        ("diff", "table", "all", "diff: got part 'all'; allowed: none"),
        ("rank", "tables", None, "rank: got format 'tables'; allowed: table, json, csv, markdown, latex"),
        ("ranks", "table", None, "unknown result 'ranks'; known: rank, .*; did you mean 'rank'?"),
    ],
)
def test_what_cannot_be_shown_is_refused(command: str, output: str, part: str | None, wording: str) -> None:
    with pytest.raises(InputError, match=wording):
        rendered(command, [], output, part)


def test_json_says_the_group_of_a_result() -> None:
    ranking = rank(CLEAR, resample=None, rng=0)
    group = (("lang_pair", "fr-en"), ("judge", "ann"))
    (entry,) = json.loads(rendered("rank", [Grouped(ranking, group)], "json").text)
    assert entry == {**json.loads(json.dumps(ranking.to_dict())), "group": {"lang_pair": "fr-en", "judge": "ann"}}


def test_groups_are_titles_for_people_and_columns_in_csv() -> None:
    grouped = Grouped(rank(CLEAR, resample=None, rng=0), (("lang_pair", "fr-en"), ("judge", "ann")))
    assert rendered("rank", [grouped], "table").text.startswith("fr-en, judge ann\n")
    lines = rendered("rank", [grouped, grouped], "csv").text.splitlines()
    assert lines[0].startswith("lang_pair,judge,cluster,")
    assert [line.startswith("fr-en,ann,") for line in lines] == [False, *[True] * 6]  # one header
