"""The documentation mentions everything there is."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import click
import pytest

import palmares as pm
from palmares.cli import COMMANDS
from palmares.ingest.columns import GUESSES
from palmares.planning.simulate import CampaignPlan

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


def page(name: str) -> str:
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_section(command: str) -> None:
    assert f"## palmares {command}\n" in page("command-line")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_on_the_command_line_page(command: str) -> None:
    text = page("command-line") + page("simulation").replace("_", "-")
    for parameter in COMMANDS.load(command).params:
        if isinstance(parameter, click.Option):
            longest = max(parameter.opts, key=len)
            assert f"`{longest}" in text or f"`{longest.removeprefix('--')}`" in text, f"{command} {longest}"


@pytest.mark.parametrize("model", pm.MODELS)
def test_every_model_and_setting_is_documented(model: str) -> None:
    text = page("models")
    assert f"\n## {model}\n" in text
    section = text.split(f"\n## {model}\n")[1].split("\n## ")[0]
    for setting in dataclasses.fields(pm.MODELS.load(model)):
        assert f"`{setting.name}` (" in section, setting.name


@pytest.mark.parametrize("format_id", pm.FORMATS)
def test_every_format_is_documented_with_its_endings(format_id: str) -> None:
    text = page("formats")
    assert f"\n## {format_id}\n" in text
    row = next(line for line in text.splitlines() if line.startswith(f"| `{format_id}` |"))
    written = set(re.findall(r"`\.(\w+)`", row.split("|")[3]))
    assert written == set(pm.FORMATS.load(format_id).endings)
    held = {"lang_pair": "language pair"}
    for feature in pm.FORMATS.load(format_id).holds:
        assert format_id == "pairwise" or held.get(feature, feature) in row, feature


def test_every_column_role_is_documented() -> None:
    assert [role for role in GUESSES if f"`{role}`" not in page("formats")] == []


def test_every_setting_of_a_simulation_is_documented() -> None:
    fields = [f.name for f in dataclasses.fields(CampaignPlan)]
    assert [name for name in fields if f"| `{name}` |" not in page("simulation")] == []


def test_every_public_name_is_in_the_python_reference() -> None:
    listed = page("api") + page("quickstart") + page("architecture")
    assert [name for name in pm.__all__ if name != "__version__" and name not in listed] == []


def test_every_page_is_in_the_table_of_contents() -> None:
    contents = page("index")
    pages = [path.stem for path in DOCS.glob("*.md") if path.stem != "index"]
    assert [name for name in pages if f"\n{name}\n" not in contents] == []


def test_the_example_campaign_is_what_the_documented_command_makes(tmp_path: Path) -> None:
    from palmares.cli import cli

    line = re.search(r"palmares simulate (examples/campaign.csv .*)", page("simulation"))
    assert line is not None
    made = tmp_path / "campaign.csv"
    arguments = line[1].replace("examples/campaign.csv", str(made)).split()
    cli.main(["simulate", *arguments], standalone_mode=False)
    assert pm.read(made) == pm.read(ROOT / "examples" / "campaign.csv")


def test_the_readme_shows_what_the_example_really_gives() -> None:
    shown = (ROOT / "README.md").read_text(encoding="utf-8").split("```console")[1].split("```")[0]
    ranking = pm.rank(pm.read(ROOT / "examples" / "campaign.csv"), rng=0)
    assert ranking.signature in shown
    for line in ranking.lines:
        assert re.search(rf"{line.cluster} .* {line.score:.3f}   {line.system}\n", shown), line
