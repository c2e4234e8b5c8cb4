"""LaTeX tables of reports: as findings papers print them, whatever systems are called."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from builders import judged

from palmares.analysis.findings import Asked, findings
from palmares.judgments import Judgments
from palmares.report.document import latex
from palmares.report.document.tex import breakable, scripts, tex
from palmares.report.tables import Column, Table

ODD = [
    "A_b & C#1 50%", "=1+1", "系统", "نظام جديد", "-minus--dash", "@at~tilde^hat", "{brace}\\back$lash", "[x]",
    "*star*", "|pipe|<b>", "Система", "Ελληνικό", "日本語システム-v2",
    *[f"university-of-somewhere-very-long-transformer-big-{number}" for number in range(7)],
]  # fmt: skip
PLAIN = [f"team-{letter}" for letter in "abcdef"]
WESTERN = ["Žižka", "naïve_système", "Łódź 50%", "b--c", "``d''"]


def campaign(names: list[str], lang_pair: str, *, size: int = 600, judges: bool = True) -> Judgments:
    """Judgments in which earlier systems are better."""
    draw = random.Random(1)
    rows, who, where = [], [], []
    for number in range(size):
        a, b = draw.sample(range(len(names)), 2)
        seen = (b - a) * 3 / len(names) + draw.gauss(0, 1)
        rows.append((names[a], names[b], 1 if seen > 0.2 else -1 if seen < -0.2 else 0))
        who.append(f"judge_{draw.randrange(5)}")
        where.append(f"s{number % 10}")
    more = {"judge": who} if judges else {}
    return judged(rows, segment=where, lang_pair=[lang_pair] * size, **more)


def pair(data: Judgments, title: str, key: str) -> latex.Pair:
    return latex.Pair(title, key, findings(data, resamples=100, rng=0))


@pytest.fixture(scope="module")
def plain() -> latex.Pair:
    return pair(campaign(PLAIN, "fr-en"), "fr-en", "fr-en")


@pytest.fixture(scope="module")
def odd() -> latex.Pair:
    return pair(campaign(ODD, "en-fr/CA & co", size=1500), "en-fr/CA & co", "en-fr-ca-co")


@pytest.fixture(scope="module")
def alone() -> latex.Pair:
    """Without judges, so without agreement."""
    return pair(campaign(WESTERN, "cs-en", judges=False), "cs-en", "cs-en")


# -- what a table is made of --------------------------------------------------------------------------


def grids(text: str) -> list[tuple[int, list[str]]]:
    """Every tabular: how many columns it declares, and its lines."""
    found = []
    for spec, body in re.findall(r"\\begin\{tabular\}\{([^\n]*)\}\n(.*?)\\end\{tabular\}", text, re.DOTALL):
        found.append((len(re.sub(r"@\{\\hspace\{\w+\}\}", "", spec)), body.splitlines()))
    return found


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)&", line.removesuffix(r" \\"))]


def check_structure(text: str) -> None:
    """Environments end in the order in which they began, every row has all columns, every float a caption and label."""
    code = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
    opened: list[str] = []
    for kind, name in re.findall(r"\\(begin|end)\{([a-z*]+)\}", code):
        if kind == "begin":
            opened.append(name)
        else:
            assert opened.pop() == name
    assert not opened
    plain_braces = re.sub(r"\\[{}\\]", "", code)
    assert plain_braces.count("{") == plain_braces.count("}")
    for columns, lines in grids(text):
        assert (lines[0], lines[-1]) == (r"\toprule", r"\bottomrule")
        rows = [line for line in lines if line.endswith(r"\\")]
        assert len(rows) > 1
        assert {len(cells(row)) for row in rows} == {columns}
    floats = re.findall(r"\\begin\{table\*?\}.*?\\end\{table\*?\}", code, re.DOTALL)
    assert floats
    for each in floats:
        assert each.count(r"\caption{") == 1
        assert re.search(r"\\label\{tab:[!-~]+\}", each)
    labels = re.findall(r"\\label\{(.*)\}", code)
    assert len(labels) == len(set(labels))


def rows_of(text: str) -> list[list[str]]:
    return [cells(line) for _, lines in grids(text) for line in lines[2:] if line.endswith(r"\\")]


EVERY: dict[str, Callable[[list[latex.Pair]], str]] = {
    "ranking": lambda pairs: latex.ranking(pairs[0]),
    "rankings": latex.rankings,
    "head-to-head": lambda pairs: latex.head_to_head(pairs[0]),
    "amounts": latex.amounts,
    "agreement": latex.agreement,
}


@pytest.mark.parametrize("name", EVERY)
def test_every_table_is_whole(name: str, plain: latex.Pair, odd: latex.Pair, alone: latex.Pair) -> None:
    for pairs in ([plain], [odd, plain, alone], [alone, odd]):
        check_structure(EVERY[name](pairs))


# -- texts --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A_b & C#1 50%", r"A\_b \& C\#1 50\%"),
        ("a--b", "a-{}-b"),
        ("a---b", "a-{}-{}-b"),
        ("``x''", "`{}`x'{}'"),
        ("系统", r"\otherscript{Han}{系统}"),
        ("日本語システム-v2", r"\otherscript{Han}{日本語}\otherscript{Katakana}{システム}-v2"),
        ("نظام جديد", r"\otherscript{Arabic}{نظام جديد}"),
        ("نظام-جديد_2", r"\otherscript{Arabic}{نظام{\rmfamily -}جديد}\_2"),
        ("نظام_جديد", r"\otherscript{Arabic}{نظام{\rmfamily \_}جديد}"),
        ("e\u0301te\u0301", "été"),
        ("Łódź “x”", "Łódź “x”"),
        ("Ħal", r"\otherscript{Latin}{Ħ}al"),
        ("1–3", "1--3"),
        ("Ελληνικό κ=.5, Δ", r"\otherscript{Greek}{Ελληνικό} $\kappa$=.5, $\Delta$"),
        ("κατά 2", r"\otherscript{Greek}{κατά} 2"),
    ],
)
def test_names_are_printed_as_they_are(text: str, expected: str) -> None:
    assert tex(text) == expected


def test_long_names_may_be_broken_after_signs_and_say_the_same() -> None:
    name = "university-of-" + "x" * 60
    parts = breakable(name).split(r"\allowbreak{}")
    assert "".join(parts) == name
    assert parts[0] == "university-"
    assert max(map(len, parts)) <= 24
    assert breakable("two words") == "two words"
    assert r"\allowbreak" not in breakable("نظام جديد " * 8)  # words from the right have one order


def test_a_file_says_which_engine_its_names_need(odd: latex.Pair, alone: latex.Pair) -> None:
    head = latex.ranking(odd).splitlines()[:6]
    assert head[2].startswith("% Letters of: Arabic, Cyrillic, Greek, Han, Katakana. ")
    assert "XeLaTeX or LuaLaTeX with fontspec" in head[2]
    assert r"\providecommand{\otherscript}[2]{#2}" in head
    assert "otherscript" not in latex.ranking(alone)
    assert scripts("abc é 系") == ["Han"]


# -- rankings -----------------------------------------------------------------------------------------


def lines_above(text: str, systems: tuple[str, ...]) -> dict[str, str]:
    """What stands above the row of a system, in the first tabular."""
    (_, lines), *_ = grids(text)
    found = {}
    for before, line in pairwise(lines[2:]):
        if line.endswith(r"\\") and not before.endswith(r"\\"):
            found[systems[len([each for each in lines[3 : lines.index(line)] if each.endswith(r"\\")])]] = before
    return found


def test_lines_and_spaces_stand_where_clusters_begin() -> None:
    names = [f"s{number}" for number in range(8)]
    seen = set()
    for size in (150, 300, 600, 1200):
        made = pair(campaign(names, "fr-en", size=size), "fr-en", "fr-en")
        ranked = made.found.ranking
        expected = {ranked.systems[b.above]: r"\midrule" if b.joint else r"\addlinespace"
                    for b in ranked.boundaries if b.marginal}  # fmt: skip
        text = latex.ranking(made)
        found = lines_above(text, ranked.systems)
        assert {name: line for name, line in found.items() if name != ranked.systems[0]} == expected
        assert ("hold all together" in text) == (r"\midrule" in expected.values())
        assert ("hold only each by itself" in text) == (r"\addlinespace" in expected.values())
        seen |= set(expected.values())
    assert seen == {r"\midrule", r"\addlinespace"}


def test_a_ranking_has_cluster_score_range_and_system(plain: latex.Pair) -> None:
    text, ranked = latex.ranking(plain), plain.found.ranking
    assert cells(grids(text)[0][1][1]) == [r"\#", "score", "range", "system"]
    rows = rows_of(text)
    assert [row[-1] for row in rows] == list(ranked.systems)
    for row, line in zip(rows, ranked.lines, strict=True):
        assert float(row[1].replace("$-$", "-")) == pytest.approx(line.score, abs=5e-4)
        assert line.range is not None
        first, last = line.range
        assert row[2] == (str(first) if first == last else f"{first}--{last}")
    clusters = [line.cluster for line in ranked.lines]
    assert [row[0] for row in rows] == ["" if i and c == clusters[i - 1] else str(c) for i, c in enumerate(clusters)]
    for note in ranked.notes:
        assert f"Note: {tex(note)}" in text


def test_without_resampling_it_says_that_nobody_knows() -> None:
    made = latex.Pair("fr-en", "fr-en", findings(campaign(PLAIN, "fr-en"), resample="none", rng=0))
    text = latex.ranking(made)
    check_structure(text)
    assert cells(grids(text)[0][1][1]) == ["rank", "score", "system"]
    assert "nobody knows how sure" in text
    assert "range" not in text


def test_all_rankings_stand_side_by_side_in_their_order(plain: latex.Pair, alone: latex.Pair) -> None:
    several = [replace(plain, title=f"p{number}") for number in range(7)]
    text = latex.rankings([*several, alone])
    assert text.count(r"\begin{minipage}") == 3
    assert re.findall(r"\\textbf\{(p\d|cs-en)\}", text) == [*(f"p{n}" for n in range(7)), "cs-en"]
    assert len(grids(text)) == 8
    check_structure(text)


def test_rankings_that_fill_more_than_a_page_go_on_over_several(plain: latex.Pair) -> None:
    text = latex.rankings([replace(plain, title=f"p{number}") for number in range(40)])
    check_structure(text)
    assert len(grids(text)) == 40
    floats = re.split(r"\\begin\{table\*\}", text)[1:]
    assert len(floats) > 1
    for each in floats:
        for column in each.split(r"\begin{minipage}")[1:]:
            assert sum(len(rows) + 3 for rows in [rows_of(column)]) <= 58
    assert f"(Part 1 of {len(floats)}.)" in floats[0]


def test_a_ranking_too_long_for_a_page_is_said_to_be_elsewhere(plain: latex.Pair) -> None:
    names = [f"system{number:03}" for number in range(60)]
    large = pair(campaign(names, "xx-yy", size=1500), "xx-yy", "xx-yy")
    text = latex.rankings([plain, large])
    assert len(grids(text)) == 1
    assert "in tables of their own, for their size: xx-yy." in text
    own = latex.ranking(large)
    check_structure(own)
    assert [row[-1] for row in rows_of(own)] == list(large.found.ranking.systems)
    compared = latex.head_to_head(large)
    check_structure(compared)
    shares = [cell for row in rows_of(compared) if row[0] not in ("score", "rank") for cell in row[1:]]
    assert len(shares) == 60 * 60
    assert max(columns for columns, _ in grids(compared)) <= 21
    assert [cell for row in rows_of(compared) if row[0] == "rank" for cell in row[1:]] == [
        tex("–".join(map(str, dict.fromkeys(line.range or ())))) for line in large.found.ranking.lines
    ]


# -- head to head -------------------------------------------------------------------------------------


def test_head_to_head_has_shares_marks_and_the_winner_in_bold() -> None:
    rows = [("a", "b", 1)] * 30 + [("a", "b", -1)] * 10 + [("a", "b", 0)] * 5
    rows += [("a", "c", 1)] * 12 + [("a", "c", -1)] * 12 + [("b", "c", 1)] * 9 + [("b", "c", -1)] * 3
    found = findings(judged(rows), resamples=100, rng=0)
    order = list(found.ranking.systems)
    text = latex.head_to_head(latex.Pair("x", "x", found))
    body = {row[0]: dict(zip(order, row[1:], strict=True)) for row in rows_of(text)}
    # 30 of 40: two-sided p = .002; 9 of 12: p = .146; 12 of 24 is even, so nobody won.
    assert body["b"]["a"] == r"\textbf{.75}$^\ddagger$"
    assert body["a"]["b"] == r".25$^\ddagger$"
    assert body["c"]["b"] == r"\textbf{.75}"
    assert (body["b"]["c"], body["c"]["a"], body["a"]["c"]) == (".25", ".50", ".50")
    assert {body[name][name] for name in order} == {"--"}
    # Expected wins: the mean share against the others, of a (.75 + .50) / 2.
    assert body["score"] == {"a": ".62", "b": ".50", "c": ".38"}


def test_columns_of_clusters_stand_apart_as_their_rows_do() -> None:
    made = pair(campaign([f"s{number}" for number in range(8)], "fr-en", size=1200), "fr-en", "fr-en")
    text, ranked = latex.head_to_head(made), made.found.ranking
    begin = [boundary.above for boundary in ranked.boundaries if boundary.marginal]
    assert begin
    (spec,) = re.findall(r"\\begin\{tabular\}\{(.*)\}", text)
    parts = spec.split(r"@{\hspace{8pt}}")
    # Before the first of these are the names and the first cluster's columns.
    places = [sum(map(len, parts[: number + 1])) - 1 for number in range(len(parts) - 1)]
    assert places == begin


def test_long_heads_are_turned_very_long_ones_numbered(plain: latex.Pair, odd: latex.Pair) -> None:
    names = plain.found.ranking.systems
    head = cells(grids(latex.head_to_head(plain))[0][1][1])
    assert head == ["", *(rf"\rotatebox{{90}}{{{name}}}" for name in names)]
    _, lines = grids(latex.head_to_head(odd))[0]
    assert cells(lines[1]) == ["", *map(str, range(1, 21))]
    first = tex(odd.found.ranking.systems[0])
    assert any(f"1 {first}" in row[0] for row in rows_of(latex.head_to_head(odd)))


# -- all language pairs -------------------------------------------------------------------------------


def test_amounts_are_added_up(plain: latex.Pair, alone: latex.Pair) -> None:
    rows = rows_of(latex.amounts([plain, alone]))
    assert rows == [
        ["fr-en", "6", "600", "100.0"],
        ["cs-en", "5", "600", "120.0"],
        [r"\textsc{total}", "11", "1,200", "109.1"],
    ]
    assert rows_of(latex.amounts([plain])) == [["fr-en", "6", "600", "100.0"]]


def test_amounts_say_which_judgments_nobody_made(plain: latex.Pair) -> None:
    overview = replace(plain.found.overview, forced_ties=123, notes=("so they are",))
    forced = replace(plain, found=replace(plain.found, overview=overview))
    assert "123 judgments are forced ties" in latex.amounts([forced, plain])
    assert "% fr-en: so they are" in latex.amounts([forced]).splitlines()
    assert "forced" not in latex.amounts([plain])


def test_models_have_a_row_for_every_language_pair_and_a_mean() -> None:
    pairs = []
    for key, size in (("fr-en", 600), ("de-en", 400)):
        asked = Asked(models=["bradley-terry", "expected-wins"])
        made = findings(campaign(PLAIN, key, size=size), resamples=100, rng=0, asked=asked)
        pairs.append(latex.Pair(key, key, made))
    text = latex.models(pairs)
    check_structure(text)
    head = cells(grids(text)[0][1][1])
    rows = rows_of(text)
    assert sorted(head[1:3]) == ["bradley-terry", "expected-wins"]
    assert [row[0] for row in rows] == ["fr-en", "de-en", r"\textsc{mean}"]
    for row, each in zip(rows, pairs, strict=False):
        compared = each.found.comparison
        assert compared is not None
        for name, cell in zip(head[1:3], row[1:3], strict=True):
            measure = compared[name].accuracy_clusters
            assert measure is not None
            assert float(cell) == pytest.approx(100 * measure.value, abs=0.051)
        assert float(row[3]) == pytest.approx(100 * compared.oracle.value, abs=0.051)
    for column in (1, 2, 3):
        assert float(rows[2][column]) == pytest.approx((float(rows[0][column]) + float(rows[1][column])) / 2, abs=0.11)
    assert "% without accuracy by clusters: adjusted-uniform, uniform" in text


def test_agreement_has_a_mean_and_says_what_is_not_known(plain: latex.Pair, odd: latex.Pair, alone: latex.Pair) -> None:
    text = latex.agreement([plain, odd, alone])
    rows = rows_of(text)
    kappas = []
    for each in (plain, odd):
        assert each.found.agreement is not None
        kappas.append(each.found.agreement.inter.kappa.kappa)
    assert rows[2] == ["cs-en", "--", "", "--", ""]
    assert float(rows[3][1].replace("$-$", "-")) == pytest.approx(sum(filter(None, kappas)) / 2, abs=6e-4)
    assert "--: not known; the mean is of the others." in text
    assert "not known" not in latex.agreement([plain])


def test_prose_and_long_names_take_several_lines() -> None:
    prose = "a sentence with quite a few words that no single line of a table has any room for"
    columns = [Column("n"), Column("why", align="left", if_long="wrap")]
    table = Table(columns, [[n, prose] for n in range(40)], rules=frozenset({20}), notes=["note: x"], signature="s")
    text = latex.other(table, "Why & how", "why")
    check_structure(text)
    assert text.count(r"\parbox") == 40
    assert r"\caption{Why \& how. (Part 1 of 3.)}" in text
    assert text.count(r"\midrule") == 3 + 1
    assert text.splitlines()[-2:] == ["% note: x", "% s"]


# -- compiled -----------------------------------------------------------------------------------------


def compiled(engine: str, text: str, folder: Path) -> str:
    """The log of a minimal document with one piece."""
    if shutil.which(engine) is None:
        pytest.skip(f"{engine} is not installed")
    font = r"\usepackage[T1]{fontenc}" if engine == "pdflatex" else r"\usepackage{fontspec}"
    folder.joinpath("piece.tex").write_text(text, encoding="utf-8")
    folder.joinpath("main.tex").write_text(
        rf"\documentclass{{article}}{font}\usepackage{{booktabs,graphicx}}"
        "\n" + r"\begin{document}\input{piece.tex}\end{document}",
        encoding="utf-8",
    )
    subprocess.run([engine, "-interaction=nonstopmode", "-halt-on-error", "main.tex"], cwd=folder, check=False,
                   capture_output=True, timeout=100)  # fmt: skip
    assert folder.joinpath("main.pdf").is_file(), folder.joinpath("main.log").read_text(errors="replace")[-2000:]
    return folder.joinpath("main.log").read_text(encoding="utf-8", errors="replace")


@pytest.mark.parametrize("name", EVERY)
def test_every_table_compiles_by_itself(name: str, plain: latex.Pair, alone: latex.Pair, tmp_path: Path) -> None:
    log = compiled("pdflatex", EVERY[name]([alone, plain]), tmp_path)
    assert "LaTeX Error" not in log
    assert "Overfull" not in log


def test_names_of_all_scripts_compile(odd: latex.Pair, tmp_path: Path) -> None:
    for number, name in enumerate(EVERY):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert "LaTeX Error" not in compiled("xelatex", EVERY[name]([odd]), folder)
