"""The settings file: it explains itself, comes back as it went out, and refuses by name what cannot be."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic.fields import FieldInfo

from palmares.campaign.setting_refusals import Problem, SettingsError, choices_of, fields_of
from palmares.campaign.settings import Settings, kind_of
from palmares.design.next import STRATEGIES
from palmares.errors import InputError


@dataclass(frozen=True)
class Setting:
    """What is declared of one setting; ``least`` and ``most`` are None where there is no such limit."""

    name: str
    kind: type
    says: str
    least: float | None
    most: float | None


def declared(section: str, name: str, field: FieldInfo) -> Setting:
    limits = {type(limit).__name__: limit for limit in field.metadata}
    least, most = getattr(limits.get("Ge"), "ge", None), getattr(limits.get("Le"), "le", None)
    kind = kind_of(f"{section}.{name}")
    assert kind is not None
    assert field.description
    return Setting(name, kind, field.description, least, most)


SECTIONS = {
    section: [declared(section, name, field) for name, field in type(values).model_fields.items()]
    for section, values in Settings()
}
SETTINGS = [pytest.param(s, f, id=f"{s}.{f.name}") for s, found in SECTIONS.items() for f in found]

ENDS = [
    pytest.param(s, f, end, id=f"{s}.{f.name}-{end}")
    for s, found in SECTIONS.items()
    for f in found
    for end in ("least", "most")
    if getattr(f, end) is not None
]


def value_of(section: str, setting: Setting) -> st.SearchStrategy[Any]:
    """Anything that a setting can be."""
    least, most = setting.least, setting.most
    if choices := choices_of(fields_of(Settings, section)[setting.name]):
        return st.sampled_from(choices)
    text = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
    moment = st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1), timezones=st.just(UTC))
    return {
        int: lambda: st.integers(least, min(most or 10**9, 2**62)),
        float: lambda: st.floats(least, most),
        bool: st.booleans,
        str: lambda: text,
        datetime: lambda: moment,
    }[setting.kind]()


@st.composite
def changes(draw: st.DrawFn) -> dict[str, Any]:
    """Some settings, each within its range; together they may not fit."""
    names = draw(st.lists(st.sampled_from([p.values for p in SETTINGS]), unique_by=lambda p: (p[0], p[1].name)))
    return {f"{section}.{f.name}": draw(value_of(section, f)) for section, f in names}


def refused(text: str) -> str:
    with pytest.raises(InputError) as error:
        Settings.from_toml(text, "news.toml")
    return str(error.value)


# -- there and back ------------------------------------------------------------------------------------


@given(changes())
def test_settings_come_back_as_they_were_written(given: dict[str, Any]) -> None:
    try:
        settings = Settings().replace(**given)
    except InputError:  # they do not fit together
        return
    assert Settings.from_toml(settings.to_toml()) == settings
    assert Settings.from_toml(settings.to_toml(explained=True)) == settings
    for key, value in given.items():
        section, _, name = key.partition(".")
        assert getattr(getattr(settings, section), name) == value


@pytest.mark.parametrize(
    "text", ['say "no"', "a\\b", "line\nline\r\n", "\x7f\x01\t", "日本語 العربية", "'''", "\u2028\x85"]
)
def test_any_text_survives(text: str) -> None:
    settings = Settings().replace(**{"words.instructions": text})
    assert Settings.from_toml(settings.to_toml()).words.instructions == text


def test_a_moment_is_kept_in_universal_time() -> None:
    east = datetime(2026, 5, 1, 1, 30, tzinfo=timezone(timedelta(hours=3)))
    settings = Settings().replace(**{"stop.until": east})
    assert "until = 2026-04-30T22:30:00Z" in settings.to_toml()
    assert Settings.from_toml("schema = 1\n[stop]\nuntil = 2026-05-01T00:00:00").stop.until == datetime(
        2026, 5, 1, tzinfo=UTC
    )


def test_the_version_alone_gives_the_defaults() -> None:
    assert Settings.from_toml("schema = 1") == Settings()


def test_replace_changes_one_setting_and_clears_another() -> None:
    settings = Settings().replace(**{"stop.screens": 100, "screen.outputs": 3})
    assert (settings.stop.screens, settings.screen.outputs) == (100, 3)
    assert settings.replace(**{"stop.screens": None}).stop.screens is None
    assert Settings().screen.outputs == 5


# -- the file explains itself --------------------------------------------------------------------------


@pytest.mark.parametrize(("section", "setting"), SETTINGS)
def test_every_setting_stands_in_the_explained_file_with_its_meaning_and_range(section: str, setting: Setting) -> None:
    text = Settings().to_toml(explained=True)
    part = re.split(r"\n\[(\w+)\]\n", text)
    lines = dict(zip(part[1::2], part[2::2], strict=True))[section].splitlines()
    number = next(i for i, line in enumerate(lines) if re.match(rf"(# )?{setting.name} =", line))
    explanation = lines[number - 1]
    assert explanation.startswith("# ")
    assert setting.says in explanation
    for end in (setting.least, setting.most):
        assert end is None or re.search(rf"\b{end}\b", explanation)


def test_the_plain_file_has_no_comments_and_every_default() -> None:
    table = tomllib.loads(Settings().to_toml())
    assert "#" not in Settings().to_toml()
    named = {(s, f.name) for s, found in SECTIONS.items() for f in found if getattr(getattr(Settings(), s), f.name)
             is not None}  # fmt: skip
    assert {(s, name) for s, part in table.items() if s != "schema" for name in part} == named


# -- refusals ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("section", "setting"), SETTINGS)
def test_a_value_of_another_kind_is_refused_by_name(section: str, setting: Setting) -> None:
    wrong = "true" if setting.kind is not bool else "1"
    assert refused(f"schema = 1\n[{section}]\n{setting.name} = {wrong}").startswith(
        f"news.toml: {section}.{setting.name}: got {'True' if wrong == 'true' else 1}; allowed: "
    )


@pytest.mark.parametrize(("section", "setting", "end"), ENDS)
def test_a_range_includes_its_ends_and_nothing_beyond(section: str, setting: Setting, end: str) -> None:
    limit, step = getattr(setting, end), -1 if end == "least" else 1
    beyond = limit + step if setting.kind is int else limit + step * 1e-6
    message = refused(f"schema = 1\n[{section}]\n{setting.name} = {beyond}")
    assert message.startswith(f"news.toml: {section}.{setting.name}: got {beyond}; allowed: ")
    assert re.search(rf"(?<![\d.]){limit}\b", message.partition("; allowed: ")[2])
    plain = {"overlap.share": 0.0, "screen.reference": False, "controls.repeats": 0.0, "controls.degraded": 0.0}
    plain["judge.screens"] = 1  # which judge.most may not be below
    settings = Settings().replace(**{**plain, f"{section}.{setting.name}": limit})
    assert getattr(getattr(settings, section), setting.name) == limit


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "news.toml: schema version: got none; this version of palmares reads 1: the file must begin with"),
        ("schema = 2", "news.toml: schema version: got 2; this version of palmares reads 1"),
        ("schema = true", "news.toml: schema version: got True"),
        ("schema = '1'", "news.toml: schema version: got '1'"),
        ("schema =", "news.toml: is not valid TOML ("),
        ("schema = 1\n[screens]", "news.toml: section: got 'screens'; known: task, screen, hit, "),
        ("schema = 1\nscreen = 5", "news.toml: screen: got 5; it is a section: write [screen] and its settings"),
        ("schema = 1\n[screen]\noutput = 5", "news.toml: screen: got 'output'; known: outputs, reference, context"),
        ("schema = 1\n[screen]\nwidth = 5", "news.toml: screen: got 'width'; known: outputs, reference, context"),
        ("schema = 1\n[screen]\noutputs = 3.0", "news.toml: screen.outputs: got 3.0; allowed: a whole number (2 to 7)"),
        ("schema = 1\n[hit]\nlease_minutes = nan", "news.toml: hit.lease_minutes: got nan; allowed: a number (0.1 to"),
        ("schema = 1\n[stop]\nuntil = '2026-01-01'", "allowed: a moment such as 2026-12-31T18:00:00Z, without quotes"),
        ("schema = 1\n[stop]\nuntil = 2026-01-01", "news.toml: stop.until: got datetime.date(2026, 1, 1); allowed:"),
        ("schema = 1\n[stop]\nuntil = 9999-12-31T23:59:59-12:00", "allowed: a moment of the years 1 to 9999"),
        ("schema = 1\n[stop]\nscreens = 99999999999999999999", "news.toml: got a number of 67 bits; allowed: up to 63"),
        ("schema = 1\n[controls]\nrepeats = 0.3\ndegraded = 0.3", "news.toml: controls: got 0.6 in all; at most half"),
        ("schema = 1\n[controls]\nreference = 0.1", "set screen.reference = false or controls.reference = 0"),
        ("schema = 1\n[overlap]\nredundancy = 2", "news.toml: overlap.judges: got 2, no more than overlap.redundancy"),
        ("schema = 1\n[choice]\nstrategy = 'best'", "news.toml: choice.strategy: unknown strategy 'best'; known: bal"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_in_words(text: str, message: str) -> None:
    assert message in refused(text)


def test_a_close_name_is_suggested() -> None:
    assert refused("schema = 1\n[screens]").endswith("did you mean 'screen'?")
    assert refused("schema = 1\n[hit]\nscreen = 3").endswith("did you mean 'screens'?")
    assert "did you mean" not in refused("schema = 1\n[zzz]")


def test_shares_of_exactly_half_are_allowed() -> None:
    shares = {"controls.repeats": 0.1, "controls.reference": 0.2, "controls.degraded": 0.2, "screen.reference": False}
    assert Settings().replace(**shares).controls.degraded == 0.2


def test_half_a_character_is_refused() -> None:
    with pytest.raises(InputError, match=r"words\.consent: got half a character"):
        Settings().replace(**{"words.consent": "a\ud800b"})


def test_everything_that_is_wrong_is_said_at_once() -> None:
    text = """schema = 1
    [screen]
    outputs = 99
    contxt = 2
    [hit]
    screens = true
    [task]
    markup = "html"
    [judge]
    screens = 10
    most = 5
    """
    with pytest.raises(SettingsError) as error:
        Settings.from_toml(text, "news.toml")
    assert sorted(problem.key for problem in error.value.problems) == [
        "hit.screens", "judge.most", "screen", "screen.outputs", "task.markup"
    ]  # fmt: skip
    lines = str(error.value).splitlines()
    assert len(lines) == 5
    assert all(line.startswith("news.toml: ") for line in lines)
    assert "news.toml: task.markup: got 'html'; allowed: plain, markdown" in lines


def test_every_way_in_which_settings_do_not_fit_together_is_said_at_once() -> None:
    text = "schema = 1\n[controls]\nrepeats = 0.3\nreference = 0.3\n[overlap]\nredundancy = 2"
    with pytest.raises(SettingsError) as error:
        Settings.from_toml(text)
    assert [problem.key for problem in error.value.problems] == ["controls", "controls.reference", "overlap.judges"]


def test_what_a_wrong_setting_takes_part_in_is_not_guessed() -> None:
    # With the default of 30 screens, 'most' would be too few; but 'screens' is not known.
    with pytest.raises(SettingsError) as error:
        Settings.from_toml("schema = 1\n[judge]\nscreens = 0\nmost = 5")
    assert error.value.problems == (Problem("judge.screens", "got 0; allowed: a whole number (at least 1)"),)


def test_choices_among_words_are_declared() -> None:
    found = {key: choices_of(fields_of(Settings, s)[n]) for key in ("task.vocabulary", "task.markup", "choice.strategy",
             "task.question") for s, _, n in [key.partition(".")]}  # fmt: skip
    assert found == {
        "task.vocabulary": ("translation", "prompt"),
        "task.markup": ("plain", "markdown"),
        "choice.strategy": tuple(STRATEGIES),
        "task.question": (),
    }


# -- files ---------------------------------------------------------------------------------------------


def test_a_file_is_read_with_or_without_byte_order_mark(file: Callable[..., Path]) -> None:
    text = Settings().replace(**{"screen.outputs": 4, "words.consent": "Ça va ?"}).to_toml()
    for start in (b"", b"\xef\xbb\xbf"):
        assert Settings.read(file(start + text.encode(), "news.toml")).screen.outputs == 4


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, file: Callable[..., Path]) -> None:
    with pytest.raises(InputError, match=r"none\.toml: no such file; 'palmares campaign settings' prints one"):
        Settings.read(tmp_path / "none.toml")
    with pytest.raises(InputError, match=r"bad\.toml: cannot be read \("):
        Settings.read(file(b"\xff\xfe\x00", "bad.toml"))
    with pytest.raises(InputError, match="cannot be read"):
        Settings.read(tmp_path)
