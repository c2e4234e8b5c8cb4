"""`palmares report`: what it says, that it can be verified, what a draft hides, and what is refused."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import palmares
from palmares.analysis.findings import PARTS, Asked, Findings, findings
from palmares.errors import InputError
from palmares.judgments.anonymous import anonymised
from palmares.models import MODELS
from palmares.report.document.embedded import results_of, shown
from palmares.report.document.method import _CITED, REFERENCES
from palmares.report.document.page import _apart
from palmares.report.document.scores import score_tables
from palmares.report.document.sentences import contenders, headline, plain, sureness

CAMPAIGN = Path(__file__).parent.parent / "examples" / "campaign.csv"
Run = Callable[..., Any]


@pytest.fixture(scope="module")
def found() -> Findings:
    return findings(CAMPAIGN, rng=0)


def two_pairs(path: Path, *, seed: int = 3, systems: str = "ABCDE", judges: int = 6) -> Path:
    """Judgments of two language pairs with a known order, A best; in the second, systems do not differ."""
    rng = np.random.default_rng(seed)
    lines = ["lang_pair,segment,judge,system_a,system_b,outcome"]
    for pair, apart in (("cs-en", 0.8), ("de-en", 0.0)):
        for n in range(1200):
            a, b = rng.choice(len(systems), 2, replace=False)
            lead = apart * (b - a) + rng.standard_normal()
            outcome = "tie" if abs(lead) < 0.2 else "a" if lead > 0 else "b"
            lines.append(f"{pair},s{n % 90},person-{rng.integers(judges)},{systems[a]},{systems[b]},{outcome}")
    path.write_text("\n".join(lines) + "\n")
    return path


# -- what is found ------------------------------------------------------------------------------------


def test_findings_are_what_the_single_functions_find(found: Findings) -> None:
    """Every part is the one that its own command gives, with the same seed."""
    data = palmares.read(CAMPAIGN)
    ranking = palmares.rank(data, rng=0)
    assert found.ranking.lines == ranking.lines
    assert found.head_to_head.to_dict()["cells"] == palmares.head_to_head(data, ranking).to_dict()["cells"]
    pairs = {
        "audit": palmares.audit(data, rng=0),
        "judges": palmares.judges(data, rng=0),
        "overview": palmares.describe(data),
        "agreement": palmares.agreement(data, judges=True, rng=0),
    }
    for name, alone in pairs.items():
        assert getattr(found, name).to_dict() == alone.to_dict(), name
    assert found.forecast is not None
    assert found.gaps == {}


def test_what_judgments_do_not_allow_is_said_not_left_out() -> None:
    rng = np.random.default_rng(1)
    rows = ["system_a,system_b,outcome"]
    rows += [f"A,{'BC'[rng.integers(2)]},{rng.choice(['a', 'b'], p=[0.7, 0.3])}" for _ in range(200)]
    import io

    found = findings(io.StringIO("\n".join(rows)), rng=0)
    assert found.agreement is None
    assert found.judges is None
    assert {"agreement", "judges"} <= set(found.gaps) <= set(PARTS)
    page = palmares_page(found)
    assert "Agreement is not known" in page
    assert "Nothing is known of judges" in page


def palmares_page(found: Findings) -> str:
    from palmares.report.document.files import Report
    from palmares.report.tables import Grouped, group_of

    return Report.of([Grouped(found, group_of(found))]).page


def test_models_and_an_earlier_ranking_join_if_asked() -> None:
    data = palmares.read(CAMPAIGN)
    half = data.filter(np.arange(len(data)) % 2 == 0)
    asked = Asked(models=("bradley-terry", "expected-wins"), before=palmares.rank(half, rng=1))
    found = findings(data, asked=asked, rng=0)
    assert found.comparison is not None
    assert {"bradley-terry", "expected-wins"} <= set(found.comparison.models)
    assert found.changes is not None
    page = palmares_page(found)
    assert "Which model predicts best" in page
    assert "What changed since the earlier ranking" in page


# -- sentences ----------------------------------------------------------------------------------------


def test_the_headline_says_who_is_best_as_far_as_it_is_shown(tmp_path: Path) -> None:
    pairs = palmares.read(two_pairs(tmp_path / "two.csv")).split()
    clear, level = (findings(pairs[name], rng=0) for name in ("cs-en", "de-en"))
    assert re.fullmatch(r"A is the best system \(probability > 99 %\)\.", plain(headline(clear.ranking)))
    assert clear.ranking.boundaries[0].joint
    assert len(contenders(level.ranking)) > 1
    assert "the judgments do not tell which" in plain(headline(level.ranking))
    separated = sum(pair.separated for pair in clear.ranking.pairs)
    assert any(plain(said).startswith(f"{separated} of 10 pairs of systems are separated") for said in sureness(clear))


def test_clusters_are_named_by_their_first_and_last_system(tmp_path: Path) -> None:
    """Two groups of systems that differ from each other, not within: nobody may call those of a group told apart."""
    rng, rows = np.random.default_rng(7), ["segment,judge,system_a,system_b,outcome"]
    for n in range(1500):
        a, b = rng.choice(6, 2, replace=False)
        lead = 1.5 * ((b > 3) * 1 - (a > 3) * 1) + rng.standard_normal()
        rows.append(f"s{n % 150},j{n % 9},{'ABCDEF'[a]},{'ABCDEF'[b]},{'a' if lead > 0 else 'b'}")
    (tmp_path / "groups.csv").write_text("\n".join(rows))
    found = findings(tmp_path / "groups.csv", rng=0)
    first, second = found.ranking.clusters
    assert (set(first), set(second)) == (set("ABCD"), set("EF"))
    said = [plain(sentence) for sentence in sureness(found) if plain(sentence).startswith("Clusters")]
    assert said == [
        f"Clusters, best first: {first[0]} to {first[-1]} (4 systems, ranks overlap); "
        f"then {second[0]} and {second[-1]} (ranks overlap)."
    ]


def test_without_samples_nobody_is_called_best() -> None:
    found = findings(CAMPAIGN, resample="none", rng=0)
    assert "nobody knows how sure that is" in plain(headline(found.ranking))
    assert found.audit is None
    assert "audit" in found.gaps


def test_every_model_that_ranks_has_its_references() -> None:
    from palmares.models.by_name import create

    ranking = {name for name in MODELS if create(name).ranks and not name.startswith("independent")}
    assert ranking - set(_CITED) == set()
    assert {words for cited in _CITED.values() for words in cited} <= set(REFERENCES)


# -- the page -----------------------------------------------------------------------------------------


def test_the_page_needs_nothing_else_and_is_the_same_every_time(run: Run, tmp_path: Path) -> None:
    for name in ("one.html", "two.html"):
        assert run("report", str(CAMPAIGN), "-o", str(tmp_path / name), "--seed", "5").status == 0
    one, two = ((tmp_path / name).read_text(encoding="utf-8") for name in ("one.html", "two.html"))
    assert one == two
    assert not re.search(r'(?:src|href)="(?!#)|@import|url\(|https?://', shown(one))
    assert "<script" not in shown(one)


def test_the_page_shows_the_ranking_and_carries_all_numbers(run: Run, tmp_path: Path, found: Findings) -> None:
    assert run("report", str(CAMPAIGN), "-o", str(tmp_path / "r.html"), "--title", "A & B <2026>").status == 0
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "<title>A &amp; B &lt;2026&gt;</title>" in page
    (entry,) = results_of(page, "r.html")
    assert [line["system"] for line in entry["ranking"]["systems"]] == list(found.ranking.systems)
    names = re.findall(r'<th role="rowheader" scope="row" class="system left"><bdi>(.*?)</bdi>', page)
    assert names == list(found.ranking.systems)
    record = json.loads(re.search(r'id="palmares-record">(.*?)</script>', page, re.DOTALL)[1])  # type: ignore[index]
    assert record["command"]["name"] == "report"
    assert record["input"]["files"][0]["sha256"]


def test_names_from_right_to_left_do_not_move_the_numbers_beside_them() -> None:
    said = _apart("judge فاطمة الزهراء (17 % of the rankings) <b>; مركز-2: 5")
    assert said == ("judge <bdi>فاطمة الزهراء</bdi> (17 % of the rankings) &lt;b&gt;; <bdi>مركز-2</bdi>: 5")
    assert _apart("judge A (17 %) <b>") == "judge A (17 %) <b>"


def test_names_cannot_end_a_block_or_become_markup(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "hostile.csv"
    evil = "</script><script>alert(1)</script>"
    rows = [
        f"s{n},j{n % 6},{evil if n % 3 else 'B'},{'C' if n % 2 else 'A'},{'a' if n % 5 else 'b'}" for n in range(300)
    ]
    file.write_text("segment,judge,system_a,system_b,outcome\n" + "\n".join(rows) + "\n")
    assert run("report", str(file), "-o", str(tmp_path / "r.html")).status == 0
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "<script>" not in page
    assert html.escape(evil) in page
    assert any(line["system"] == evil for line in results_of(page, "r")[0]["ranking"]["systems"])


def test_other_forms_say_the_same(run: Run, tmp_path: Path, found: Findings) -> None:
    two = two_pairs(tmp_path / "two.csv")
    for name in ("r.md", "r.json"):
        assert run("report", str(two), "-o", str(tmp_path / name)).status == 0
    text = (tmp_path / "r.md").read_text(encoding="utf-8")
    assert "**A is the best system (probability \\> 99 %).**" in text
    two_findings = [findings(part, rng=0) for part in palmares.read(two).split().values()]
    for each in two_findings:
        for line in each.ranking.lines:
            joint = "–".join(map(str, dict.fromkeys(line.joint_range or ())))
            assert re.search(rf"^\| .* {joint} \| .*% \| {line.system} +\|$", text, re.MULTILINE), line
    assert "solid line" not in text
    assert "Boundaries between clusters hold jointly (5 % chance that any is wrong)" in text
    assert text.count("## ") > 10
    entries = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert [entry["lang_pair"] for entry in entries] == ["cs-en", "de-en"]
    totals = [line for line in text.splitlines() if line.startswith("| all")]
    assert totals
    assert "2,400" in totals[0]


def test_scores_of_other_tasks_join_and_are_verified_with_the_page(run: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    gold = rng.random(40)
    for name, values in (("gold", gold), ("A", gold + 0.1 * rng.random(40)), ("B", rng.random(40))):
        (tmp_path / f"{name}.txt").write_text("\n".join(f"{value:.4f}" for value in values) + "\n")
    scores = tmp_path / "scores.json"
    files = {name: str(tmp_path / f"{name}.txt") for name in ("gold", "A", "B")}
    systems = [part for name in "AB" for part in ("--system", f"{name}={files[name]}")]
    asked = ("--label", "hter-share", "--gold", files["gold"], *systems, "--format", "json")
    told = run("score", "quality-estimation", "sentences", *asked)
    assert told.status == 0, told.err
    scores.write_text(told.out)
    target = tmp_path / "r.html"
    assert run("report", str(CAMPAIGN), "-o", str(target), "--scores", str(scores)).status == 0
    page = target.read_text(encoding="utf-8")
    entry = json.loads(told.out)
    (entry,) = entry if isinstance(entry, list) else [entry]
    mae = next(each for each in entry["measures"] if each["measure"] == "MAE")
    assert "<h3>Quality estimation: sentences</h3>" in page
    assert f"{mae['systems']['A']['value']:.2f} ±" in page
    assert page.index(">A</th>") < page.index(">B</th>")  # the better one first, although less is better
    assert run("verify", str(target), str(CAMPAIGN)).status == 0


def test_scores_without_a_test_have_no_marks_of_significance(run: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    for name in ("gold", "A", "B"):
        (tmp_path / f"{name}.txt").write_text("\n".join(f"{value:.4f}" for value in rng.random(40)) + "\n")
    systems = [part for name in "AB" for part in ("--system", f"{name}={tmp_path / name}.txt")]
    asked = ("--label", "hter-share", "--gold", f"{tmp_path / 'gold'}.txt", *systems, "--format", "json")
    for resamples, marked in (("200", True), ("0", False)):
        told = run("score", "quality-estimation", "sentences", *asked, "--resamples", resamples)
        assert told.status == 0, told.err
        results = json.loads(told.out)
        (table,) = score_tables(results if isinstance(results, list) else [results], "scores.json")
        shown = " ".join(cell for row in table.table.shown() for cell in row)
        assert ("•" in shown) == marked
        assert any("significantly" in note for note in table.table.notes) == marked


def test_what_an_earlier_ranking_has_nothing_of_is_said(run: Run, tmp_path: Path) -> None:
    two = two_pairs(tmp_path / "two.csv")
    last = tmp_path / "last.json"
    last.write_text(run("rank", str(two), "--seed", "1", "--format", "json").out)
    only = run("report", str(two), "-o", str(tmp_path / "r.html"), "--last", str(last), "--where", "lang_pair=cs-en")
    assert only.status == 0
    assert "only in" in only.err
    assert "de-en" in only.err
    other = run("report", str(CAMPAIGN), "-o", str(tmp_path / "o.html"), "--last", str(last))
    assert other.status == 2
    assert "has no ranking of the same group" in other.err


# -- verified -----------------------------------------------------------------------------------------


def test_a_page_is_verified_and_what_was_changed_is_found(run: Run, tmp_path: Path) -> None:
    file = two_pairs(tmp_path / "two.csv")
    target = tmp_path / "r.html"
    assert run("report", str(file), "-o", str(target), "--date", "1 March 2026").status == 0
    result = run("verify", str(target))
    assert result.status == 0, result.out + result.err
    assert "page as shown" in (result.out + result.err)
    page = target.read_text(encoding="utf-8")
    target.write_text(page.replace("A</bdi> is the best", "B</bdi> is the best"), encoding="utf-8")
    result = run("verify", str(target))
    assert result.status == 1
    assert re.search(r"page as shown\s+differs", (result.out + result.err))
    assert re.search(r"cs-en\s+equal", (result.out + result.err))


def test_a_page_made_in_python_is_verified(run: Run, tmp_path: Path, found: Findings) -> None:
    palmares.write_report(found, tmp_path / "r.html", title="From Python")
    result = run("verify", str(tmp_path / "r.html"), str(CAMPAIGN))
    assert result.status == 0, result.out + result.err


def test_a_page_without_its_numbers_is_no_report(run: Run, tmp_path: Path, found: Findings) -> None:
    palmares.write_report(found, tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    (tmp_path / "cut.html").write_text(shown(page), encoding="utf-8")
    (tmp_path / "torn.html").write_text(re.sub(r"\n[A-Za-z0-9+/]{100}", "\n", page, count=1), encoding="utf-8")
    for name, reason in (("cut.html", "carries no results"), ("torn.html", "damaged")):
        result = run("verify", str(tmp_path / name))
        assert result.status == 2
        assert reason in (result.out + result.err)


# -- drafts without names -----------------------------------------------------------------------------


def test_a_draft_names_nobody(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "secret-campaign.csv"
    names = {"A": "Kolmogorov", "B": "Lovelace", "C": "Turing", "D": "Noether", "E": "Hopper"}
    text = two_pairs(tmp_path / "two.csv").read_text()
    for short, name in names.items():
        text = re.sub(rf",{short}(?=,)", f",{name}", text)
    file.write_text(text.replace("person-", "annotator.smith."))
    for ending in (".html", ".md", ".json"):
        target = tmp_path / f"draft{ending}"
        result = run("report", str(file), "-o", str(target), "--anonymise")
        assert result.status == 0, result.out + result.err
        assert "are in the draft" not in (result.out + result.err)
        content = target.read_text(encoding="utf-8")
        content += str(results_of(content, "draft")) if ending == ".html" else ""
        for name in (*names.values(), "smith", "secret"):
            assert name not in content, (ending, name)
        assert "System 1" in content
    result = run("verify", str(tmp_path / "draft.html"), str(file))
    assert result.status == 0, result.out + result.err


def test_a_draft_numbers_systems_as_they_rank_and_judges_by_their_work(tmp_path: Path) -> None:
    data = palmares.read(two_pairs(tmp_path / "two.csv"))
    part = data.split()["cs-en"]
    order = palmares.rank(part, resample=None).systems
    hidden = anonymised(part, order)
    assert palmares.rank(hidden, resample=None).systems == tuple(f"System {n}" for n in range(1, 6))
    counts = [int((hidden.codes("judge") == code).sum()) for code in range(len(hidden.judges))]
    assert counts == sorted(counts, reverse=True)
    assert hidden.judges == tuple(f"Judge {n}" for n in range(1, 7))
    # The same people, whatever they are called.
    other = part.to_rows()
    swapped = other.with_columns(other["judge"].str.replace("person", "x"))
    assert anonymised(palmares.Judgments.from_rows(swapped), order).hash == hidden.hash


def test_how_a_draft_was_chosen_is_not_told_if_that_names_somebody(run: Run, tmp_path: Path) -> None:
    file = two_pairs(tmp_path / "two.csv")
    target = tmp_path / "draft.html"
    result = run("report", str(file), "-o", str(target), "--anonymise", "--exclude-judge", "person-1")
    assert result.status == 0, result.out + result.err
    assert "person-1" not in str(results_of(target.read_text(encoding="utf-8"), "draft"))
    result = run("verify", str(target), str(file))
    assert result.status == 2
    assert "left out names" in (result.out + result.err)


# -- refused ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["-o", "{tmp}/r.docx"], "allowed: .html, .md, .json, .pdf, or a folder"),
        (["-o", "{tmp}/no/where/r.html"], "there is no folder"),
        (["-o", "{tmp}/full"], "no report of palmares"),
        (["-o", "{tmp}/r.html", "--target", "nonsense"], "target"),
        (["-o", "{tmp}/r.html", "--anonymise", "--by", "judge"], "would bring names in"),
        (["-o", "{tmp}/r.html", "--scores", "{tmp}/other.json"], "record"),
        (["-o", "{tmp}/r.html", "--last", "{tmp}/other.json"], "not a ranking"),
        (["-o", "{tmp}/r.html", "--compare", "no-such-model"], "no-such-model"),
    ],
)
def test_what_cannot_be_written_is_refused_and_nothing_is_left(
    run: Run, tmp_path: Path, arguments: list[str], reason: str
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("mine")
    (tmp_path / "other.json").write_text('{"some": "thing"}')
    before = sorted(tmp_path.rglob("*"))
    result = run("report", str(CAMPAIGN), *[each.format(tmp=tmp_path) for each in arguments])
    assert result.status == 2
    assert reason in (result.out + result.err)
    assert sorted(tmp_path.rglob("*")) == before


def test_an_earlier_report_stays_if_the_new_one_fails(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "r.html"
    target.write_text("the earlier one")
    bad = tmp_path / "bad.csv"
    bad.write_text("system_a,system_b,outcome\nA,B,perhaps\n")
    assert run("report", str(bad), "-o", str(target)).status == 2
    assert target.read_text() == "the earlier one"


def test_python_is_told_what_it_may_give(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="write_report: give what"):
        palmares.write_report([], tmp_path / "r.html")
    with pytest.raises(InputError, match="pair counts"):
        palmares.findings(palmares.read(CAMPAIGN).counts)
