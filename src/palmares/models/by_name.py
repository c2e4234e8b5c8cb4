"""Models by name: from text and settings to a model, and back."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from typing import Any, cast

from ..errors import InputError
from . import MODELS
from .base import Model
from .presets import PRESETS, check_preset


def settings(model: Model) -> dict[str, Any]:
    """The model's settings by name."""
    return {f.name: getattr(model, f.name) for f in dataclasses.fields(model)}  # type: ignore[arg-type]


def model_name(model: Model, *, apart_from: Collection[str] = ()) -> str:
    """The id of a model and, in brackets, its unusual settings, apart from those that the caller names elsewhere."""
    usual = {f.name: f.default for f in dataclasses.fields(model)}  # type: ignore[arg-type]
    own = [
        f"{name}={setting_text(value)}"
        for name, value in settings(model).items()
        if usual[name] != value and name not in apart_from
    ]
    return model.id + (f"({','.join(own)})" if own else "")


def setting_text(value: Any) -> str:
    """A setting or fact as signatures and listings write it."""
    if value is None or value == "":
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and float(short := f"{value:g}") == value:
        return short
    return str(value)


def create(model: str | Model, given: Mapping[str, Any] | None = None) -> Model:
    """A model from its id and settings; or the model itself.

    Parameters
    ----------
    model
        An id, alone or with settings: ``bradley-terry``, ``bradley-terry:ties=rao-kupper,scale=elo``; or the name of
        a preset, such as ``arena``, which may be given more settings but no others for those that it sets.
    given
        More settings, as text or as they are: ``{"published": "yes"}``.
    """
    if not isinstance(model, str):
        if given:
            raise InputError(f"settings ({', '.join(given)}) go with the id of a model; this one has its own already")
        if isinstance(model, type) or not isinstance(model, Model):
            raise InputError(f"model: got {model!r}; allowed: the id of a model, or a model such as BradleyTerry()")
        return model
    model_id, written = parse_model(model)
    wanted = {**written, **(given or {})}
    check_preset(model.partition(":")[0], wanted)
    kind = MODELS.load(model_id)
    known = {f.name: f for f in dataclasses.fields(kind)}
    if unknown := [name for name in wanted if name not in known]:
        raise InputError(f"model {model_id!r} has no setting {unknown[0]!r}; it has: {', '.join(known) or 'none'}")
    parsed = {n: _parse_setting(n, str(v), type(known[n].default), n in kind.fits) for n, v in wanted.items()}
    return cast(Model, kind(**parsed))


def parse_model(text: str) -> tuple[str, dict[str, str]]:
    """``ID`` or ``ID:NAME=VALUE,NAME=VALUE`` as an id and settings; a preset is the id and settings it stands for."""
    model_id, _, given = text.partition(":")
    pairs = [pair.partition("=") for pair in given.split(",") if pair]
    if bad := [name for name, sign, value in pairs if not (name and sign and value)]:
        raise InputError(f"model {text!r}: cannot read {bad[0]!r}; allowed: ID, or ID:NAME=VALUE,NAME=VALUE")
    wanted = {name.strip(): value.strip() for name, _, value in pairs}
    if model_id not in PRESETS:
        return model_id, wanted
    check_preset(model_id, wanted)
    own, settings = PRESETS[model_id]
    return own, {**settings, **wanted}


def _parse_setting(name: str, text: str, kind: type, can_fit: bool) -> Any:
    if can_fit and text == "fit":
        return text
    if can_fit and kind is str:  # what is fitted unless a number is given
        kind = float
    if kind is bool:
        words = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
        if text.lower() in words:
            return words[text.lower()]
        raise InputError(f"setting {name}: got {text!r}; allowed: yes, no")
    try:
        return kind(text)
    except ValueError:
        article = {"int": "a whole number", "float": "a number"}.get(kind.__name__, kind.__name__)
        raise InputError(f"setting {name}: got {text!r}; allowed: {article}{', or fit' * can_fit}") from None
