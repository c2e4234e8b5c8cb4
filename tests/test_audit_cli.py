"""``palmares audit``: what it prints, and what it refuses."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import polars as pl
import pytest
from audit_campaigns import campaign, contrary_judge
from click.testing import CliRunner, Result

import palmares as pm
from palmares.analysis.audit import CHECKS
from palmares.cli import cli
from palmares.errors import PalmaresError
from palmares.judgments import Judgments

QUICK = ("--resamples", "60", "--executor", "serial")
FINDING = {
    "check", "sentence", "test", "p", "adjusted", "effect", "effect_name", "interval", "material", "flagged",
    "subjects", "skipped", "power",
}  # fmt: skip
REMOVAL = {"unit", "removed", "of", "limit", "leader", "then", "predicted", "chance", "what", "exact"}
CLAIM = {
    "claim", "kind", "system", "other", "difference", "interval", "probability", "p", "adjusted", "by_judge",
    "breaking", "ties", "boundary", "joint", "verdict", "reasons",
}  # fmt: skip


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two language pairs: a small clean campaign, and one with a contrary judge."""
    folder = tmp_path_factory.mktemp("audit")
    small = Judgments.from_rows(campaign(1, rankings=60, lang_pair="cs-en"))
    contrary = Judgments.from_rows(contrary_judge().to_rows().with_columns(lang_pair=pl.lit("fr-en")))
    pm.write(pm.concat([small, contrary]), folder / "campaign.csv")
    return folder / "campaign.csv"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["audit", *map(str, arguments), *QUICK], catch_exceptions=False)


@pytest.fixture(scope="module")
def shown(path: Path) -> str:
    return run(path).output


def test_every_language_pair_has_findings_and_claims(shown: str) -> None:
    assert shown.count("\ncs-en\n") + shown.startswith("cs-en\n") == 2
    assert shown.count("\nfr-en\n") == 2
    assert shown.count(f"|checks:{len(CHECKS)}|unit:two-way|resamples:60|permutations:999|p:0.05|seed:0|") == 2
    for check in CHECKS:
        assert len(re.findall(rf"(?m)^ *(yes|no|–)   {check} ", shown)) == 2


def test_flags_come_first_with_their_sentence(shown: str) -> None:
    below = shown.split("\nfr-en\n")[1].split("groups  ")[-1].splitlines()
    sentences = [line for line in below if ": " in line]
    assert sentences[0].startswith("- ! judge-differences: scores vary ")
    assert sentences[1].startswith("- ! judge-influence: judge-03 (")
    assert "yes   judge-influence" in shown


def test_away_from_a_terminal_a_finding_is_one_line(shown: str) -> None:
    listed = [part.split("\npower: ")[0] for part in shown.split("flag   check")[1:]]
    sentences = [line for part in listed for line in part.splitlines() if line.startswith("- ")]
    named = [line.removeprefix("- ").removeprefix("! ").split(":")[0] for line in sentences]
    assert sorted(named) == sorted([*CHECKS, *CHECKS])  # of both language pairs
    first = shown.splitlines().index(sentences[0])
    assert shown.splitlines()[first : first + len(CHECKS)] == sentences[: len(CHECKS)]


def test_json_has_the_documented_shape(path: Path) -> None:
    audits = json.loads(run(path, "--format", "json").stdout)
    assert [audit["group"] for audit in audits] == [{"lang_pair": "cs-en"}, {"lang_pair": "fr-en"}]
    for audit in audits:
        assert set(audit) == {
            "signature", "record", "model", "lang_pair", "judgments", "p", "findings", "claims", "notes", "group",
        }  # fmt: skip
        assert [finding["check"] for finding in audit["findings"]] == list(CHECKS)
        assert all(set(finding) == FINDING for finding in audit["findings"])
        assert all(set(claim) == CLAIM for claim in audit["claims"])
        for finding in audit["findings"]:
            more = REMOVAL if finding["check"] == "removal" else set()
            assert all(set(s) == {"name", "effect", "interval", "p", "detail"} | more for s in finding["subjects"])
    influence = audits[1]["findings"][2]
    assert influence["flagged"] is True
    assert influence["subjects"][0]["name"] == "judge-03"


@pytest.mark.parametrize(
    ("part", "first"), [("all", "check"), ("findings", "check"), ("claims", "sentence"), ("details", "check")]
)
def test_csv_is_one_table_with_the_language_pair_in_front(path: Path, part: str, first: str) -> None:
    result = run(path, "--format", "csv", "--show", part)
    head, *rows = list(csv.reader(io.StringIO(result.stdout)))
    assert head[:2] == ["lang_pair", first]
    assert {row[0] for row in rows} == {"cs-en", "fr-en"}
    assert all(len(row) == len(head) for row in rows)
    assert result.stderr.count("permutations:999") == 2


@pytest.mark.parametrize("output", ["table", "markdown", "latex"])
@pytest.mark.parametrize("part", ["findings", "claims", "details"])
def test_every_part_prints_in_every_form(path: Path, part: str, output: str) -> None:
    text = run(path, "--show", part, "--format", output, "--where", "lang_pair=fr-en").stdout
    assert ("verdict" in text) == (part == "claims")
    assert ("place 1" in text) == (part == "details")
    assert text.count("permutations:999") == 1


def test_level_and_seed_can_be_set(path: Path) -> None:
    text = run(path, "--p", "0.1", "--seed", "5", "--where", "lang_pair=fr-en").stdout
    assert "90 % interval" in text
    assert "|p:0.1|seed:5|" in text


def test_every_check_has_a_section_in_the_documentation() -> None:
    page = (Path(__file__).parents[1] / "docs" / "audit.md").read_text(encoding="utf-8")
    for check in CHECKS:
        assert f"\n## {check}\n" in page
    assert "\n```{checks}\n" in page  # which lists them with their questions


def test_without_samples_there_is_no_audit(path: Path) -> None:
    with pytest.raises(PalmaresError, match="cs-en: resample: got 'none'; an audit needs samples"):
        run(path, "--resample", "none")


def test_a_group_that_cannot_be_ranked_is_named(tmp_path: Path) -> None:
    (tmp_path / "ties.csv").write_text("system_a,system_b,winner,lang_pair\na,b,tie,x-y\n", encoding="utf-8")
    with pytest.raises(PalmaresError, match="x-y: no decisive judgment links any two systems"):
        run(tmp_path / "ties.csv", "--model", "expected-wins")
