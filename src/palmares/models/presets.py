"""Conventions by name: a model and the settings that make it one. A name stands wherever the id of a model can."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import InputError

#: The id of the model, and its settings.
PRESETS: dict[str, tuple[str, dict[str, str]]] = {
    # As on leaderboards of language models: a tie is half a win for both, 400 points are odds of ten to one, mean 1000.
    "arena": ("bradley-terry", {"ties": "half", "scale": "elo"}),
}


def check_preset(name: str, given: Mapping[str, Any]) -> None:
    """Refuse settings that contradict a preset: the result would not be what its name says."""
    _, settings = PRESETS.get(name, ("", {}))
    if other := [setting for setting, value in settings.items() if str(given.get(setting, value)) != value]:
        raise InputError(
            f"preset {name!r} means {other[0]}={settings[other[0]]}, and {other[0]}={given[other[0]]} was given; "
            "leave out the preset or the setting"
        )
