"""``--settings FILE`` and ``--set NAME=VALUE``: settings of a campaign from the command line."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from .. import options
from .store import need_server_extra

if TYPE_CHECKING:
    from ...campaign.settings import Settings

set_option = click.option(
    "--set", "changes", multiple=True, metavar="NAME=VALUE",
    help="A setting, such as screen.outputs=3; an empty value means the default. Repeat for several.",
)  # fmt: skip
settings_options = options.stacked(
    click.option("--settings", metavar="FILE", help="A settings file; 'palmares campaign settings' prints one."),
    set_option,
)


@dataclass(frozen=True)
class GivenSettings:
    """Settings, and the names of those that a file or an option gave: ``screen.outputs``."""

    settings: Settings
    said: frozenset[str]

    def but(self, **changes: Any) -> GivenSettings:
        """Other settings, where nothing else was said."""
        new = {name: value for name, value in changes.items() if name not in self.said}
        return GivenSettings(self.settings.replace(**new), self.said)


def settings_from(file: str | None, changes: tuple[str, ...]) -> GivenSettings:
    """The settings of a file, or the default ones, with single changes."""
    need_server_extra("a campaign")
    from ...campaign.settings import Settings

    read = Settings() if file is None else Settings.read(file)
    in_file = {
        f"{section}.{name}" for section in read.model_fields_set for name in getattr(read, section).model_fields_set
    }
    return GivenSettings(
        changed(read, changes), frozenset(in_file | options.keyed(changes, "--set", empty=True).keys())
    )


def changed(settings: Settings, changes: tuple[str, ...]) -> Settings:
    """Other settings; the settings' own checks say what is wrong with a change."""
    texts = options.keyed(changes, "--set", empty=True)
    return settings.replace(**{key: _value(key, text) for key, text in texts.items()})


def _value(key: str, text: str) -> Any:
    """A text as the setting's type wants it; what cannot be that is left to be refused."""
    from ...campaign.settings import kind_of

    if text == "":
        return None
    if kind_of(key) is str:
        return text
    try:
        (value,) = tomllib.loads(f"value = {text}").values()
    except (tomllib.TOMLDecodeError, ValueError):
        return text
    return value
