"""How a number was made, so that it can be made again: printed as a signature, written to JSON, and read back."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed
from typing import Any

from .._version import __version__
from ..errors import InputError
from ..judgments import Origin
from ..models.base import Model
from ..models.by_name import setting_text, settings

#: What numbers may depend on besides this package.
_LIBRARIES = ("numpy", "scipy", "numba", "polars")


@cache
def library_versions() -> Mapping[str, str]:
    """The versions of Python and of the libraries that numbers may depend on."""
    found = {"python": platform.python_version()}
    for name in _LIBRARIES:
        try:
            found[name] = installed(name)
        except PackageNotFoundError:  # unpacked somewhere without its metadata
            found[name] = "unknown"
    return found


@dataclass(frozen=True)
class Record:
    """What a result was made with: a model and its settings, if there is one, and facts in the order they are printed.

    ``str(record)`` is the signature: ``model:…|setting:…|fact:…|version:…``. JSON has more: ``input``, what was read,
    how, and which part of it was used (`Origin.to_dict`; None where no reader made the judgments); ``versions`` of
    Python and the libraries that compute; and ``command``, the options of the command that printed it, if one did.
    """

    facts: Mapping[str, Any]
    model: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    version: str = __version__
    input: Mapping[str, Any] | None = None
    versions: Mapping[str, str] = field(default_factory=library_versions)
    command: Mapping[str, Any] | None = None

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
        own = ("model", "settings", "version", "input", "versions", "command")
        return cls(
            facts={name: value for name, value in entry.items() if name not in own},
            model=entry.get("model"),
            settings=dict(entry.get("settings") or {}),
            version=entry["version"],
            input=entry.get("input"),
            versions=dict(entry.get("versions") or {}),
            command=entry.get("command"),
        )

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        made_with = {"model": self.model, "settings": dict(self.settings), **self.facts, "version": self.version}
        asked = {} if self.command is None else {"command": dict(self.command)}
        return {**made_with, "input": self.input, "versions": dict(self.versions), **asked}

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
