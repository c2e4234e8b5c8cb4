"""The documentation mentions everything there is."""

from __future__ import annotations

import dataclasses
import importlib
import json
import pkgutil
import re
from pathlib import Path
from types import ModuleType

import click
import polars as pl
import pytest

import palmares as pm
from palmares.campaign.settings import Settings
from palmares.cli import COMMANDS, LazyGroup
from palmares.cli.campaign import CAMPAIGN_COMMANDS
from palmares.design.next import STRATEGIES
from palmares.design.simulate import CampaignPlan
from palmares.ingest.columns import GUESSES
from palmares.models import DEFAULT_MODEL
from palmares.report.tables import interval_text, score_text

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("*.md"))
TWO_SYSTEMS = pl.DataFrame({"system_a": ["a", "a"], "system_b": ["b", "b"], "outcome": [1, -1]})


def page(name: str) -> str:
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_section(command: str) -> None:
    assert f"## palmares {command}\n" in page("command-line")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_in_the_section_of_its_command(command: str) -> None:
    shared, own = (heading_of("command-line", name) for name in ("Options that commands share", f"palmares {command}"))
    plan = (
        {f"--{f.name.replace('_', '-')}" for f in dataclasses.fields(CampaignPlan)} if "(simulation.md)" in own else ()
    )
    assert options_of(COMMANDS.load(command)) - options_in(shared) - options_in(own) - set(plan) == set()


@pytest.mark.parametrize("command", CAMPAIGN_COMMANDS)
def test_every_option_of_a_campaign_command_is_in_its_section(command: str) -> None:
    shared, *sections = heading_of("command-line", "palmares campaign").split("\n### ")
    (own,) = [section for section in sections if section.startswith(f"palmares campaign {command}\n")]
    assert options_of(CAMPAIGN_COMMANDS.load(command)) - options_in(shared) - options_in(own) == set()


def score_commands(name: str = "score", command: click.Command | None = None) -> dict[str, click.Command]:
    """Every command below ``palmares score``, those of inner groups too, by what people type."""
    command = command or COMMANDS.load("score")
    if not isinstance(command, LazyGroup):
        return {name: command}
    inner = [score_commands(f"{name} {part}", command.registry.load(part)) for part in command.registry]
    return {name: each for found in inner for name, each in found.items()}


@pytest.mark.parametrize("command", score_commands())
def test_every_option_of_a_score_command_is_in_its_section(command: str) -> None:
    shared = heading_of("command-line", "Options that commands share")
    general, *sections = heading_of("command-line", "palmares score").split("\n### ")
    (own,) = [section for section in sections if section.startswith(f"palmares {command}\n")]
    options = options_of(score_commands()[command])
    assert options - options_in(shared) - options_in(general) - options_in(own) == set()


def heading_of(name: str, heading: str) -> str:
    """What stands on a page under a heading of the second level."""
    (section,) = re.findall(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", page(name), re.DOTALL | re.MULTILINE)
    return section


def options_of(command: click.Command) -> set[str]:
    return {max(p.opts, key=len) for p in command.params if isinstance(p, click.Option)}


def options_in(text: str) -> set[str]:
    """Options that a text has as code; ``--plot`` is not ``--p``."""
    return {
        option for code in re.findall(r"`([^`\n]+)`", text) for option in re.findall(r"(?<!\S)--[a-z][a-z0-9-]*", code)
    }


def test_an_option_is_not_documented_by_a_longer_one() -> None:
    assert options_in("`--plot FILE`, `--scale natural\\|elo` and --p, or ``x--y``") == {"--plot", "--scale"}


def model_section(model: str) -> str:
    """The section on a model, from whichever page of models has it."""
    pages = [path.read_text(encoding="utf-8") for path in sorted(DOCS.glob("models*.md"))]
    found = [text.split(f"\n## {model}\n")[1].split("\n## ")[0] for text in pages if f"\n## {model}\n" in text]
    assert len(found) == 1, f"{model} has {len(found)} sections on the pages docs/models*.md"
    return found[0]


@pytest.mark.parametrize("model", pm.MODELS)
def test_every_model_and_setting_is_documented(model: str) -> None:
    section = model_section(model)
    for setting in dataclasses.fields(pm.MODELS.load(model)):
        assert re.search(rf"^`{setting.name}` \(", section, re.MULTILINE), setting.name


@pytest.mark.parametrize("model", pm.MODELS)
def test_every_default_that_is_documented_is_the_default(model: str) -> None:
    section = model_section(model)
    words = {True: "yes", False: "no", "": "none"}
    for setting in dataclasses.fields(pm.MODELS.load(model)):
        shown = re.search(rf"^`{setting.name}` \((.*?)\)$", section, re.MULTILINE)
        default = setting.default
        named = words.get(default, default) if isinstance(default, bool | str) else default
        assert shown is None or shown[1] == str(named), setting.name


@pytest.mark.parametrize("model", pm.MODELS)
def test_the_overview_says_what_every_model_can_do(model: str) -> None:
    (row,) = [line for line in page("models").splitlines() if f"| `{model}` |" in line]
    fit = pm.MODELS.load(model)().fit(pm.Judgments.from_rows(TWO_SYSTEMS), rng=0)
    cells = [cell.strip() for cell in row.split("|")]
    assert cells[3:5] == ["yes" if able else "–" for able in (fit.ranks, fit.predicts)]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_is_documented(strategy: str) -> None:
    assert f"\n| `{strategy}` |" in page("next")
    assert strategy in heading_of("command-line", "palmares next")


def test_the_overview_names_the_default_model() -> None:
    rows = [line for line in page("models").splitlines() if "| the default: " in line]
    assert [row.split("|")[2].strip() for row in rows] == [f"`{DEFAULT_MODEL}`"]


@pytest.mark.parametrize("format_id", pm.FORMATS)
def test_every_format_is_documented_with_its_endings(format_id: str) -> None:
    text = page("formats")
    assert f"\n## {format_id}\n" in text
    (row,) = [line for line in text.splitlines() if line.startswith(f"| `{format_id}` |")]
    kind, (_, _, _, endings, holds, _) = pm.FORMATS.load(format_id), row.split("|")
    assert set(re.findall(r"`\.(\w+)`", endings)) == set(kind.endings)
    words = {"lang_pair": "language pair"}
    features = {words.get(feature, feature) for feature in kind.holds}
    assert format_id == "pairwise" or set(holds.split(";")[0].strip().split(", ")) - {""} == features


def test_every_column_role_is_documented() -> None:
    (sentence,) = re.findall(r"the roles are (.*?)\.\s", page("formats"), re.DOTALL)
    assert set(re.findall(r"`(\w+)`", sentence)) == set(GUESSES)


def test_every_setting_of_a_simulation_is_documented() -> None:
    fields = [f.name for f in dataclasses.fields(CampaignPlan)]
    assert [name for name in fields if f"| `{name}` |" not in page("simulation")] == []


def test_every_setting_of_a_campaign_is_documented_with_its_default() -> None:
    text = page("campaigns")
    for section, values in Settings():
        for name, setting in type(values).model_fields.items():
            row = re.search(rf"^\| `{section}\.{name}` \| (.*?) \| (.*?) \|$", text, re.MULTILINE)
            assert row is not None, f"{section}.{name}"
            shown = "none" if setting.default is None else f"`{_as_toml(setting.default)}`"
            assert row[1] == shown
            assert row[2].startswith(setting.description)


def _as_toml(value: object) -> str:
    """A default as it stands in a settings file: JSON writes these alike."""
    return json.dumps(value)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_no_page_has_a_gap_left_to_fill(path: Path) -> None:
    prose = re.sub(r"```.*?```|`[^`]*`|\$[^$]*\$", "", path.read_text("utf-8"), flags=re.DOTALL)
    assert re.findall(r"\b(?:(?!PALMARES_)[A-Z]{3,}_[A-Z_]{3,}|TODO|TBD)\b", prose) == []


@pytest.mark.parametrize("name", [name for name in pm.__all__ if name != "__version__"])
def test_every_public_name_is_in_the_python_reference(name: str) -> None:
    """By a directive of its own, or by one for the module that it is or comes from."""
    described = re.findall(r"^\.\. (?:auto\w+|data):: (\S+)$", page("api"), re.MULTILINE)
    public = getattr(pm, name)
    if isinstance(public, ModuleType):
        own = (f"{public.__name__}.", f"palmares.{name}.")
        assert any(f"{target}.".startswith(own) for target in described)
    else:
        modules = re.findall(r"^\.\. automodule:: (\S+)\n   :members:$", page("api"), re.MULTILINE)
        assert f"palmares.{name}" in described or getattr(public, "__module__", "") in modules


@pytest.mark.parametrize("path", [*PAGES, ROOT / "README.md", ROOT / "CONTRIBUTING.md"], ids=lambda path: path.stem)
def test_every_name_of_the_package_on_a_page_exists(path: Path) -> None:
    names = set(re.findall(r"(?<![\w./-])palmares(?:\.\w+)+", path.read_text("utf-8")))
    files = {"palmares.db", "palmares.db.before"}
    assert [name for name in sorted(names - files) if not resolves(name)] == []


def resolves(name: str) -> bool:
    try:
        pkgutil.resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True


def test_every_page_is_in_the_table_of_contents() -> None:
    contents = page("index")
    pages = [path.stem for path in DOCS.glob("*.md") if path.stem != "index"]
    assert [name for name in pages if f"\n{name}\n" not in contents] == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_every_formula_can_be_set(path: Path) -> None:
    converter = importlib.import_module("docutils.utils.math.latex2mathml")
    for block, inline in re.findall(r"\$\$(.+?)\$\$|\$([^$\n]+)\$", path.read_text("utf-8"), re.DOTALL):
        formula = (block or inline).strip()
        assert not re.search(r"\\frac\d", formula), f"{formula}: \\frac needs braces here"
        assert converter.tex2mathml(formula)


def test_every_picture_on_a_page_exists_and_is_used() -> None:
    shown = {name for path in DOCS.glob("*.md") for name in re.findall(r"images/([\w.-]+)", path.read_text("utf-8"))}
    assert shown == {path.name for path in (DOCS / "images").iterdir()}


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
        interval = re.escape(interval_text(line.interval))
        assert re.search(rf"{line.cluster} .* {score_text(line.score)} +{interval}   {line.system}\n", shown), line
