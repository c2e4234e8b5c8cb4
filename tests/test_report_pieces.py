"""The pieces of a report for papers and slides: what is written, under which names, and what must not be in it."""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote

import pytest
from click.testing import CliRunner, Result
from test_report_latex import ODD, PLAIN, campaign, check_structure

import palmares
from palmares.campaign.spreadsheets import is_formula
from palmares.cli import cli
from palmares.ingest.files import write
from palmares.judgments import Judgments
from palmares.report.document.content import file_keys
from palmares.report.document.embedded import results_of
from palmares.report.document.pdf import _without_fonts
from palmares.report.plots import fonts

ROOT = Path(__file__).parents[1]
QUICK = ("--resamples", "100", "--seed", "1")
MODELS = ("--compare", "bradley-terry", "--compare", "expected-wins")
TABLES = {
    "ranking", "head-to-head", "agreement", "agreement-by-judge", "judges", "audit-checks", "audit-claims",
    "comparison", "amounts",
}  # fmt: skip
PLOTS = {"rank-ranges", "score-intervals", "head-to-head", "calibration"}
WHOLE = {"index.html", "report.html", "report.md", "report.json", "README.md", "all.tex"}


def written(folder: Path, *parts: Judgments) -> list[str]:
    """The paths of files with judgments."""
    folder.mkdir(exist_ok=True)
    paths = [str(folder / f"judgments-{number}.csv") for number in range(len(parts))]
    for path, part in zip(paths, parts, strict=True):
        write(part, path, format="pairwise")
    return paths


def report(paths: Sequence[str], folder: Path, *options: str) -> Result:
    done = CliRunner().invoke(cli, ["report", *paths, "-o", f"{folder}/", *QUICK, *options], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pieces of two language pairs."""
    folder = tmp_path_factory.mktemp("two")
    paths = written(folder / "from", campaign(PLAIN, "fr-en"), campaign(PLAIN[:4], "de-en", size=400))
    report(paths, folder / "pieces", *MODELS)
    return folder / "pieces"


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pieces of a campaign with all kinds of names."""
    folder = tmp_path_factory.mktemp("odd")
    report(written(folder / "from", campaign(ODD, "../en-fr/CA & co", size=1500)), folder / "pieces")
    return folder / "pieces"


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


# -- what is there ------------------------------------------------------------------------------------


def test_every_table_in_three_forms_and_every_plot_in_two(two: Path) -> None:
    expected = set(WHOLE)
    stems = {f"{key}-{name}" for key in ("fr-en", "de-en") for name in TABLES}
    stems |= {"rankings", "amounts-of-data", "agreement", "models", "at-a-glance"}
    expected |= {f"{stem}.{ending}" for stem in stems for ending in ("tex", "md", "csv")}
    expected |= {f"{key}-{name}.{e}" for key in ("fr-en", "de-en") for name in PLOTS for e in ("svg", "png")}
    assert {path.name for path in two.iterdir()} == expected
    for path in two.iterdir():
        assert path.stat().st_size > 100
        if path.suffix == ".tex" and path.name != "all.tex":
            check_structure(path.read_text(encoding="utf-8"))


def test_the_list_has_every_file_and_no_other(two: Path) -> None:
    text = (two / "README.md").read_text(encoding="utf-8")
    linked = re.findall(r"\]\(([^)]+)\)", text)
    assert len(linked) == len(set(linked))
    assert {*linked, "README.md", "index.html"} == {path.name for path in two.iterdir()}
    order = [re.match(r"[^.]+", name)[0] for name in linked]  # type: ignore[index]
    whole = ["rankings", "amounts-of-data", "agreement", "models"]
    assert [name for name in dict.fromkeys(order) if name in whole] == whole
    assert order.index("fr-en-ranking") < order.index("fr-en-rank-ranges") < order.index("fr-en-head-to-head")


def test_one_document_shows_every_table_and_plot(two: Path) -> None:
    text = (two / "all.tex").read_text(encoding="utf-8")
    shown = re.findall(r"\\input\{(.*)\}|\\includegraphics\[.*?\]\{(.*)\}", text)
    names = [table or plot for table, plot in shown]
    expected = {path.name for path in two.iterdir() if path.suffix in (".tex", ".png")} - {"all.tex"}
    assert set(names) == expected
    assert len(names) == len(set(names))
    assert "pdflatex all.tex" in text.splitlines()[0]


@pytest.mark.slow
def test_one_language_pair_has_no_tables_of_several(odd: Path) -> None:
    names = {path.stem for path in odd.iterdir()}
    assert {"amounts-of-data", "agreement"} <= names
    assert not {"rankings", "at-a-glance", "models"} & names


def test_the_same_judgments_give_the_same_bytes(two: Path, tmp_path: Path) -> None:
    paths = written(tmp_path / "from", campaign(PLAIN, "fr-en"))
    report(paths, tmp_path / "one", *MODELS)
    report(paths, tmp_path / "other", *MODELS)
    for path in (tmp_path / "one").iterdir():
        # The record of the whole has the command, with the name of the folder.
        if path.name not in ("report.json", "report.html"):
            assert path.read_bytes() == (tmp_path / "other" / path.name).read_bytes(), path.name
    # No picture depends on what else was drawn.
    assert (two / "fr-en-head-to-head.svg").read_bytes() == (tmp_path / "one" / "fr-en-head-to-head.svg").read_bytes()


# -- values -------------------------------------------------------------------------------------------


def test_csv_has_raw_values(two: Path) -> None:
    results = {entry["lang_pair"]: entry for entry in json.loads((two / "report.json").read_text(encoding="utf-8"))}
    for key, entry in results.items():
        known = {line["system"]: line for line in entry["ranking"]["systems"]}
        rows = rows_of(two / f"{key}-ranking.csv")
        assert {row["system"] for row in rows} == set(known)
        for row in rows:
            line = known[row["system"]]
            assert float(row["score"]) == pytest.approx(line["score"], abs=1e-9)
            assert [int(row["first"]), int(row["last"])] == line["range"]
            assert [float(row["low"]), float(row["high"])] == pytest.approx(line["interval"], abs=1e-9)
        shares = {(cell["row"], cell["column"]): cell["share"] for cell in entry["head_to_head"]["cells"]}
        compared = rows_of(two / f"{key}-head-to-head.csv")
        assert len(compared) == len(shares)
        for row in compared:
            assert float(row["share"]) == pytest.approx(shares[row["row"], row["column"]], abs=1e-9)
        kappas = {row["agreement"]: float(row["kappa"]) for row in rows_of(two / f"{key}-agreement.csv")}
        assert kappas["inter"] == pytest.approx(entry["agreement"]["inter"]["kappa"], abs=1e-9)
    together = rows_of(two / "rankings.csv")
    assert [(row["lang_pair"], row["system"]) for row in together] == [
        (key, row["system"]) for key in results for row in rows_of(two / f"{key}-ranking.csv")
    ]


def test_no_spreadsheet_runs_a_name(odd: Path) -> None:
    seen = set()
    for path in odd.glob("*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.reader(file):
                seen |= set(row)
    assert {"'=1+1", "'-minus--dash", "'@at~tilde^hat", "系统", "A_b & C#1 50%"} <= seen
    assert [cell for cell in seen if is_formula(cell) and not re.fullmatch(r"-[\d.e-]+", cell)] == []


def test_columns_of_the_file_are_no_formulas_either(tmp_path: Path) -> None:
    path = tmp_path / "judgments.csv"
    write(campaign(PLAIN, "fr-en"), path, format="pairwise")
    head, *lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([f"{head},=cmd", *(f"{line},{n % 2}" for n, line in enumerate(lines))]), encoding="utf-8")
    report([str(path)], tmp_path / "pieces", "--by", "=cmd")
    for written_table in (tmp_path / "pieces").glob("*.csv"):
        names = written_table.read_text(encoding="utf-8").splitlines()[0].split(",")
        assert "=cmd" not in names
    assert "'=cmd" in (tmp_path / "pieces" / "rankings.csv").read_text(encoding="utf-8").splitlines()[0].split(",")


# -- names of files -----------------------------------------------------------------------------------


def test_files_stay_in_the_folder_whatever_the_language_pair_is_called(odd: Path) -> None:
    names = [path.name for path in odd.iterdir()]
    assert "en-fr-ca-co-ranking.tex" in names
    assert all(re.fullmatch(r"[\w.-]+", name) and not name.startswith((".", "-")) for name in names)


def test_keys_are_safe_short_and_different() -> None:
    titles = ["../../etc", "a/b", "A b", "a_b", "x" * 300, "x" * 299, "…", "", "系统"]
    keys = file_keys(titles)
    assert len(set(keys)) == len(titles)
    assert all(re.fullmatch(r"\w[\w.-]*", key) and len(key.encode()) < 120 for key in keys)


# -- names that must not be there ---------------------------------------------------------------------


def test_drafts_without_names_have_none_in_any_piece(tmp_path: Path) -> None:
    names = [f"Secretlab-{word}" for word in ("Alpha", "Beta", "Gamma", "Delta")]
    data = campaign(names, "fr-en")
    paths = written(tmp_path / "from", data)
    report(paths, tmp_path / "pieces", "--anonymise", *MODELS)
    hidden = [*names, "Secretlab", "judge_0", "judge_4", str(tmp_path / "from")]
    files = list((tmp_path / "pieces").iterdir())
    assert len(files) > 40
    for path in files:
        content = path.read_bytes()
        if path.name == "report.html":
            content += json.dumps(results_of(content.decode(), "report.html")).encode()
        for name in hidden:
            assert name.encode() not in content, (path.name, name)
    # The same names are all over pieces that may have them.
    report(paths, tmp_path / "named")
    for ending in ("tex", "md", "csv", "svg"):
        assert names[0] in (tmp_path / "named" / f"fr-en-head-to-head.{ending}").read_text(encoding="utf-8")
    draft = (tmp_path / "pieces" / "README.md").read_text(encoding="utf-8")
    assert "Draft without names" in draft


# -- what is said -------------------------------------------------------------------------------------


def test_what_cannot_be_drawn_is_said(tmp_path: Path) -> None:
    paths = written(tmp_path / "from", campaign(PLAIN, "fr-en"))
    done = report(paths, tmp_path / "pieces", "--resample", "none")
    assert "fr-en-rank-ranges: not drawn: " in done.stderr
    assert "- Not drawn: Rank ranges and clusters, drawn: " in (tmp_path / "pieces/README.md").read_text(
        encoding="utf-8"
    )
    assert not list((tmp_path / "pieces").glob("*-rank-ranges.*"))


def test_scripts_without_a_font_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fonts, "has_letter", lambda letter: letter not in "系统")
    done = report(written(tmp_path / "from", campaign(ODD, "en-fr", size=800)), tmp_path / "pieces")
    told = [line for line in done.stderr.splitlines() if line.startswith("no font on this machine for ")]
    assert len(told) == 1
    assert "for Han in: 系统" in told[0]


def test_a_pdf_says_which_letters_have_no_font(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fonts, "has_letter", lambda letter: letter != "نظام"[0])
    page = '<p title="x">system <b>نظام</b> is Žižka &amp; 系</p>'
    (said,) = _without_fonts(page)
    assert said.startswith("no font on this machine for Arabic in: نظام;")
    monkeypatch.setattr(fonts, "has_letter", lambda letter: True)
    assert _without_fonts(page) == []


def test_comments_of_a_table_say_what_it_does_not_show(two: Path) -> None:
    text = (two / "fr-en-audit-checks.tex").read_text(encoding="utf-8")
    assert re.search(r"^% - removal: ", text, re.MULTILINE)
    for entry in json.loads((two / "report.json").read_text(encoding="utf-8")):
        signature = entry["signature"]
        assert f"% {signature}" in (two / f"{entry['lang_pair']}-ranking.tex").read_text(encoding="utf-8").splitlines()
        assert f"    {signature}" in (two / "README.md").read_text(encoding="utf-8").splitlines()


def test_the_page_about_pieces_shows_what_the_example_gives(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "report-pieces.md").read_text(encoding="utf-8")
    done = CliRunner().invoke(cli, ["report", str(ROOT / "examples" / "campaign.csv"), "-o", f"{tmp_path}/pieces/"])
    assert done.exit_code == 0, done.output
    pattern = r"\\begin\{tabular\}.*?\\end\{tabular\}"
    shown = re.findall(pattern, page, re.DOTALL)
    made = (tmp_path / "pieces" / "fr-en-ranking.tex").read_text(encoding="utf-8")
    assert shown == re.findall(pattern, made, re.DOTALL)
    for stem in re.findall(r"`(fr-en-[\w-]+)`", page):
        asked_for = stem in ("fr-en-comparison", "fr-en-calibration", "fr-en-changes")
        assert bool(list((tmp_path / "pieces").glob(f"{stem}.*"))) != asked_for, stem


# -- compiled, and real -------------------------------------------------------------------------------


@pytest.mark.parametrize("which", ["two", "odd"])
def test_the_document_with_everything_compiles(which: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    folder = tmp_path / "pieces"
    shutil.copytree(request.getfixturevalue(which), folder)
    compile_all(folder)


def compile_all(folder: Path) -> str:
    """Compile as the first line of the document says; its log."""
    first = (folder / "all.tex").read_text(encoding="utf-8").splitlines()[0]
    engine = first.split()[-2]
    if shutil.which(engine) is None:
        pytest.skip(f"{engine} is not installed")
    subprocess.run([engine, "-interaction=nonstopmode", "all.tex"], cwd=folder, check=False, capture_output=True,
                   timeout=200)  # fmt: skip
    log = (folder / "all.log").read_text(encoding="utf-8", errors="replace")
    assert (folder / "all.pdf").is_file()
    assert not re.findall(r"^! .*", log, re.MULTILINE)
    for wrong in ("Float too large", "Overfull", "multiply defined"):
        assert wrong not in log
    return log


@pytest.mark.real
@pytest.mark.parametrize(
    "files",
    [
        ["gec15/judgments.xml"],
        pytest.param([f"wmt16/wmt16.{p}-eng.csv" for p in ("ron", "tur", "deu")], marks=pytest.mark.slow),
    ],
)
def test_real_campaigns_have_all_pieces(files: list[str], real_data: Path, tmp_path: Path) -> None:
    report([str(real_data / name) for name in files], tmp_path / "pieces")
    folder = tmp_path / "pieces"
    tables = [path for path in folder.glob("*.tex") if path.name != "all.tex"]
    # All but a comparison and changes, which are not asked for; and those of all language pairs.
    assert len(tables) == (8 * 3 + 4 if len(files) > 1 else 8 + 2)
    for path in tables:
        check_structure(path.read_text(encoding="utf-8"))
        assert path.with_suffix(".csv").is_file()
    for entry in json.loads((folder / "report.json").read_text(encoding="utf-8")):
        systems = [line["system"] for line in entry["ranking"]["systems"]]
        assert [row["system"] for row in rows_of(folder / f"{_key(folder, len(files), entry)}-ranking.csv")] == systems
    compile_all(folder)


def _key(folder: Path, several: int, entry: dict[str, object]) -> str:
    return (
        str(entry["lang_pair"]) if several > 1 else next(folder.glob("*-ranking.csv")).name.removesuffix("-ranking.csv")
    )


def test_the_page_of_the_folder_shows_every_plot_and_links_to_every_file(tmp_path: Path) -> None:
    """Nothing is linked that is not there, and nothing is there that is not linked."""
    data = palmares.read(ROOT / "examples" / "campaign.csv")
    palmares.write_report(palmares.findings(data, resamples=50, rng=0), tmp_path / "pieces")
    page = (tmp_path / "pieces" / "index.html").read_text(encoding="utf-8")
    linked = {unquote(name) for name in re.findall(r'(?:href|src)="([^"#]+)"', page)}
    there = {path.name for path in (tmp_path / "pieces").iterdir()}
    assert there - linked == {"index.html", "README.md", "report.md"}
    assert linked <= there
    assert {f"{name}.svg" for name in ("fr-en-rank-ranges", "fr-en-head-to-head")} <= set(
        re.findall('src="(.*?)"', page)
    )
