"""How a number was made, so that it can be made again: printed as a signature, written to JSON, and read back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .._version import __version__
from ..errors import InputError
from ..judgments import Origin
from ..models.base import Model, setting_text, settings


@dataclass(frozen=True)
class Record:
    """What a result was made with: a model and its settings, if there is one, and facts in the order they are printed.

    ``str(record)`` is the signature: ``model:…|setting:…|fact:…|version:…``.
    """

    facts: Mapping[str, Any]
    model: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    version: str = __version__
    #: What was read, how, and which part of it was used (`Origin.to_dict`); None where no reader made the judgments.
    input: Mapping[str, Any] | None = None

    @classmethod
    def of(cls, facts: Mapping[str, Any], model: Model | None = None, origin: Origin | None = None) -> Record:
        """The record of a result that this version makes."""
        made_from = None
        if origin is not None:
            facts, made_from = {**facts, **origin.facts}, origin.to_dict()
        if model is None:
            return cls(facts, input=made_from)
        return cls(facts, model.id, settings(model), input=made_from)

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> Record:
        """The record that `to_dict` wrote."""
        if not isinstance(entry, Mapping) or not isinstance(entry.get("version"), str):
            raise InputError("its record of how it was made is damaged; rank its judgments again")
        own = ("model", "settings", "version", "input")
        facts = {name: value for name, value in entry.items() if name not in own}
        made_with = dict(entry.get("settings") or {})
        return cls(facts, entry.get("model"), made_with, entry["version"], entry.get("input"))

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        front = {"model": self.model, "settings": dict(self.settings), **self.facts}
        return {**front, "version": self.version, "input": self.input}

    def texts(self) -> dict[str, str]:
        """Every part by name, as the signature writes it."""
        front = {} if self.model is None else {"model": self.model, **self.settings}
        parts = {**front, **self.facts, "version": self.version}
        return {name: setting_text(value) for name, value in parts.items()}

    def __str__(self) -> str:
        return "|".join(f"{name}:{text}" for name, text in self.texts().items())


def signature(facts: Mapping[str, Any], model: Model | None = None) -> str:
    """The signature of a result made with these."""
    return str(Record.of(facts, model))
