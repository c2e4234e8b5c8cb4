"""The line that says how a number was made, so that it can be made again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._version import __version__
from ..models.base import Model, settings


def signature(facts: Mapping[str, Any], model: Model | None = None) -> str:
    """``model:…|setting:…|fact:…|version:…``, the facts in the order given."""
    front = [("model", model.id), *settings(model).items()] if model is not None else []
    parts = [*front, *facts.items(), ("version", __version__)]
    return "|".join(f"{name}:{fact_text(value)}" for name, value in parts)


def fact_text(value: Any) -> str:
    """A setting or fact as signatures and listings write it."""
    if value is None or value == "":
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and float(short := f"{value:g}") == value:
        return short
    return str(value)
