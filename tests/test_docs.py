"""The documentation mentions everything there is."""

from __future__ import annotations

import dataclasses
import importlib
import json
import pkgutil
import re
import sys
from pathlib import Path
from types import ModuleType

import click
import polars as pl
import pytest
from click.testing import CliRunner

import palmares as pm
from palmares.campaign.settings import Settings
from palmares.cli import COMMANDS, cli
from palmares.cli.help import SHARED, described, section_of
from palmares.design.next import STRATEGIES
from palmares.design.simulate import CampaignPlan
from palmares.errors import InputError
from palmares.experiments import EXPERIMENTS
from palmares.ingest.columns import GUESSES
from palmares.models import DEFAULT_MODEL
from palmares.models.by_name import create, setting_text
from palmares.registry import Registry
from palmares.report.plots import PLOTS
from palmares.report.tables import interval_text, score_text

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(path for path in DOCS.rglob("*.md") if "_build" not in path.parts)
TWO_SYSTEMS = pl.DataFrame({"system_a": ["a", "a"], "system_b": ["b", "b"], "outcome": [1, -1]})


sys.path.insert(0, str(DOCS))
reference, commands, models = map(importlib.import_module, ("reference", "reference.commands", "reference.models"))
COMMAND_PATHS = list(commands.all_commands())


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def page(name: str) -> str:
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


def directives(path: Path) -> list[tuple[str, str, str]]:
    """The generated parts of a page: the name of each directive, its argument and what the page adds."""
    names = "|".join(reference.DIRECTIVES)
    found = re.findall(rf"^```{{({names})}}(.*)\n((?:.*\n)*?)```$", path.read_text("utf-8"), re.MULTILINE)
    return [(name, argument.strip(), body) for name, argument, body in found]


#: Every generated part, by name and argument, with the pages that have it.
GENERATED: dict[tuple[str, str], list[Path]] = {}
for _path in PAGES:
    for _name, _argument, _ in directives(_path):
        GENERATED.setdefault((_name, _argument), []).append(_path)


def generated(name: str, argument: str) -> str:
    """What the one directive for this writes on its page."""
    pages = GENERATED.get((name, argument), [])
    assert len(pages) == 1, f"{name} {argument}: in {len(pages)} pages"
    (body,) = [each[2] for each in directives(pages[0]) if each[:2] == (name, argument)]
    return str(reference.written(name, argument, body, DOCS))


def generated_on(name: str, directive: str, argument: str) -> str:
    """What a directive that several pages have writes on one of them."""
    (body,) = [each[2] for each in directives(DOCS / f"{name}.md") if each[:2] == (directive, argument)]
    return str(reference.written(directive, argument, body, DOCS))


def options_in(text: str) -> set[str]:
    """The options that a generated text describes, each by its whole name."""
    terms = re.findall(r"^::::\{option\} (.*)$", text, re.MULTILINE)
    return {name for term in terms for name in re.findall(r"(?<!\S)--[a-z][a-z0-9-]*", term)}


def test_an_option_is_not_documented_by_a_longer_one() -> None:
    assert options_in("::::{option} -o FILE, --plot FILE\nand --p\n::::{option} --k1 NUMBER") == {"--plot", "--k1"}


@pytest.mark.parametrize("path", COMMAND_PATHS, ids=" ".join)
def test_every_command_and_option_is_documented(path: tuple[str, ...]) -> None:
    """Its own options on its page, the others there by name and described where all commands' are."""
    text = generated("command", " ".join(path))
    for option in commands.context_of(path).command.params:
        if isinstance(option, click.Option) and (name := max(option.opts, key=len)) not in options_in(text):
            title = section_of(option)
            assert title in SHARED, name
            (line,) = [line for line in text.splitlines() if line.startswith(f"- [{title}](")]
            assert f"`{name}`" in line
            assert name in options_in(generated("shared-options", title))


@pytest.mark.parametrize("path", COMMAND_PATHS, ids=" ".join)
def test_what_is_said_of_an_option_is_its_help(path: tuple[str, ...]) -> None:
    """The words of help, the allowed values and the default, whatever the page adds."""
    context = commands.context_of(path)
    text = generated("command", " ".join(path))
    everywhere = text + "".join(generated("shared-options", title) for title in SHARED)
    plain = re.sub(r"[\\`*]", "", everywhere)
    for option in context.command.params:
        if isinstance(option, click.Option) and not option.hidden:
            said = described(option, context)
            assert said is not None
            assert said.text, f"--{option.name} says nothing"
            assert said.text.replace("`", "").replace("*", "") in plain, option.name
            if isinstance(option.type, click.Choice):
                assert all(str(choice) in plain for choice in option.type.choices)
    examples = context.command.examples
    assert all(f"$ {example}\n" in text for example in examples)


def test_no_page_describes_a_command_that_there_is_not() -> None:
    described = {argument for name, argument in GENERATED if name == "command"}
    assert described == {" ".join(path) for path in COMMAND_PATHS}


def test_every_command_is_in_the_list_of_commands() -> None:
    text = generated("commands", "")
    assert re.findall(r"^- \[`palmares ([\w-]+)`\]", text, re.MULTILINE) == list(COMMANDS)


def test_an_option_that_is_otherwise_in_a_command_is_described_there_too() -> None:
    """Links are printed in three formats only."""
    assert "`--format table|csv|json`: Output format. *Default:* `table`." in generated("command", "campaign invite")
    assert "`--format table" not in generated("command", "rank")
    assert re.search(
        r"Of `palmares campaign invite`, [^\n]*: `--format table\|csv\|json`", generated("shared-options", "Output")
    )


@pytest.mark.parametrize("path", COMMAND_PATHS, ids=" ".join)
def test_defaults_and_limits_are_those_that_the_command_prints(path: tuple[str, ...]) -> None:
    """Whatever sets them: options, or what a command sets for options that others have too."""
    context = commands.context_of(path)
    entries = re.split(r"^  (?=-)|^\S", CliRunner().invoke(cli, [*path, "--help"]).output, flags=re.MULTILINE)
    for option in context.command.params:
        if isinstance(option, click.Option) and (said := described(option, context)) and said.facts:
            name, facts = ", ".join(option.opts), " ".join(f"[{'; '.join(said.facts)}]".split())
            (entry,) = [each for each in entries if re.match(rf"{name}(?![\w-])", each)]
            assert " ".join(entry.split()).endswith(facts), name


@pytest.mark.parametrize("command", ["coverage", "reproduce"])
def test_a_default_is_the_one_that_the_command_prints(command: str) -> None:
    """These two run in processes unless told otherwise; what they share with others is in threads."""
    printed = " ".join(CliRunner().invoke(cli, [command, "--help"]).output.split())
    assert "it never changes a number. [default: processes]" in printed
    (line,) = [line for line in generated("command", command).splitlines() if line.startswith("  - `--executor`: ")]
    assert line.endswith("*Default:* `processes`.")


@pytest.mark.parametrize("body", ["`--no-such`\n: what it does", "just text"])
def test_a_remark_on_nothing_is_refused(body: str) -> None:
    with pytest.raises(ValueError, match=r"--no-such|definition list"):
        reference.written("command", "rank", body, DOCS)


@pytest.mark.parametrize("model", pm.MODELS)
def test_every_model_and_setting_is_documented(model: str) -> None:
    text = generated("model", model)
    assert (DOCS / "models" / f"{model}.md").read_text("utf-8").startswith(f"# {model}\n\n```{{model}} {model}\n")
    for setting in dataclasses.fields(pm.MODELS.load(model)):
        (said,) = re.findall(rf"^`{setting.name}`\n: ((?:.*\n?)+?)(?=^`|\Z)", text, re.MULTILINE)
        assert f"*Default:* `{setting_text(setting.default)}`." in said
        assert len(said.split("*Default:*")[0]) > 3, f"{setting.name}: nothing says what it is"


@pytest.mark.parametrize("model", pm.MODELS)
def test_what_a_setting_is_said_to_allow_is_allowed(model: str) -> None:
    kind = pm.MODELS.load(model)
    for setting in dataclasses.fields(kind):
        allowed = models.allowed(kind, setting)
        for name in re.findall(r"`([a-z][^`]*)`", allowed):
            create(model, {setting.name: name})
        if re.search(r"a number above 0(?!\.)", allowed):
            create(model, {setting.name: "0.5" if isinstance(setting.default, float | str) else "1"})
            with pytest.raises(InputError):
                create(model, {setting.name: "-3"})


def test_what_a_model_declares_is_said_with_the_settings_that_change_it() -> None:
    said = " ".join(models.declared(pm.MODELS.load("trueskill")))
    assert "**Weighted judgments**: taken; with `mode=sequence` or `mode=shuffled` or `mode=rankings`: refused." in said
    said = " ".join(models.declared(pm.MODELS.load("independent-systems")))
    assert "**Not true of it** with `reconstruction=asymmetric`: the chances of a against b" in said
    said = " ".join(models.declared(pm.MODELS.load("uniform")))
    assert "**Gives** probabilities of outcomes, no scores." in said
    assert "Rank ranges" not in said


@pytest.mark.parametrize("model", pm.MODELS)
def test_the_overview_says_what_every_model_can_do(model: str) -> None:
    (row,) = [line for line in page("models/index").splitlines() if f"| [`{model}`]({model}.md) |" in line]
    fit = pm.MODELS.load(model)().fit(pm.Judgments.from_rows(TWO_SYSTEMS), rng=0)
    cells = [cell.strip() for cell in row.split("|")]
    assert cells[3:5] == ["yes" if able else "–" for able in (fit.ranks, fit.predicts)]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_is_documented(strategy: str) -> None:
    assert f"\n| `{strategy}` |" in page("next")
    assert f"`{strategy}`" in generated("command", "next")


def test_the_overview_names_the_default_model() -> None:
    rows = [line for line in page("models/index").splitlines() if "| the default: " in line]
    assert [row.split("|")[2].strip() for row in rows] == [f"[`{DEFAULT_MODEL}`]({DEFAULT_MODEL}.md)"]


@pytest.mark.parametrize("format_id", pm.FORMATS)
def test_every_format_is_documented_with_its_endings(format_id: str) -> None:
    assert f"\n## {format_id}\n\n```{{format}} {format_id}\n" in page("formats")
    kind = pm.FORMATS.load(format_id)
    (row,) = [line for line in generated_on("formats", "formats", "").splitlines() if f"- [`{format_id}`](" in line]
    for text in (row, generated("format", format_id)):
        assert set(re.findall(r"`\.(\w+)`", text)) >= set(kind.endings)
        assert ("read only" in text.lower()) == (not kind.endings)
        words = {"lang_pair": "language pair", "extra": "extra columns", "forced": "marks of forced ties"}
        assert "everything" in text or all(words.get(feature, feature) in text for feature in kind.holds)


@pytest.mark.parametrize(("name", "registry"), [("checks", pm.CHECKS), ("experiments", EXPERIMENTS), ("plots", PLOTS)])
def test_lists_have_everything(name: str, registry: Registry) -> None:
    lines = generated(name, "").splitlines()
    assert [re.findall(r"`([^`]+)`", line)[0] for line in lines] == list(registry)


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


@pytest.mark.parametrize("path", PAGES, ids=name_of)
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


@pytest.mark.parametrize("path", [*PAGES, ROOT / "README.md", ROOT / "CONTRIBUTING.md"], ids=name_of)
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


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_every_formula_can_be_set(path: Path) -> None:
    converter = importlib.import_module("docutils.utils.math.latex2mathml")
    text = re.sub(r"^```(?!\{).*?^```$|^    .*$|`[^`\n]+`", "", path.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    for block, inline in re.findall(r"\$\$(.+?)\$\$|\$([^$\n]+)\$", text, re.DOTALL):
        formula = (block or inline).strip()
        assert not re.search(r"\\frac\d", formula), f"{formula}: \\frac needs braces here"
        assert converter.tex2mathml(formula)


def test_every_picture_on_a_page_exists_and_is_used() -> None:
    shown = {
        name
        for path in [*PAGES, ROOT / "README.md"]
        for name in re.findall(r"images/([\w.-]+)", path.read_text("utf-8"))
    }
    assert shown == {path.name for path in (DOCS / "images").iterdir()}


def test_the_example_campaign_is_what_the_documented_command_makes(tmp_path: Path) -> None:
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
