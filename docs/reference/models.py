"""Models: what a class declares, and what it allows its settings to be."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

from palmares.errors import PalmaresError
from palmares.models import DEFAULT_MODEL, MODELS
from palmares.models.by_name import setting_text
from palmares.models.presets import PRESETS

from .commands import Pages
from .text import Remarks, check_known, code, codes, prose, sentence

#: Texts that a setting of many may be, and that change what a model declares.
_TELLING = ("position",)
#: What a setting is tried with, to be told what it may be; none of them is allowed of any setting with limits.
_TRIED = ("?!", float("nan"), -1e9)


def model(argument: str, given: Remarks, pages: Pages) -> str:
    """A model: what its class says of it, and its settings."""
    kind = MODELS.load(argument)
    check_known(given, [field.name for field in dataclasses.fields(kind)], f"model {argument}")
    usage = f"`palmares rank FILE --model {argument}`, " if kind().ranks else ""
    parts = [
        f"{sentence(prose(MODELS[argument].summary))} {'It is the default.' if argument == DEFAULT_MODEL else ''}",
        f"{usage}`palmares compare FILE --model {argument}`; from Python `palmares.models.{kind.__name__}`."
        if kind().predicts
        else f"{usage.removesuffix(', ')}; from Python `palmares.models.{kind.__name__}`.",
        "\n".join(f"- {line}" for line in declared(kind)),
    ]
    if settings := dataclasses.fields(kind):
        said = _attributes(kind)
        parts += ["::::{rubric} Settings\n::::"]
        parts += [_setting(kind, each, given.get(each.name) or prose(said.get(each.name, ""))) for each in settings]
    else:
        parts += ["It has no settings."]
    return "\n\n".join(parts)


def _setting(kind: Any, field: dataclasses.Field[Any], text: str) -> str:
    facts = [f"*Default:* {code(setting_text(field.default))}."]
    if limits := allowed(kind, field):
        facts.append(f"*Allowed:* {limits}.")
    body = f"{text}\n\n{' '.join(facts)}" if text else " ".join(facts)
    indented = body.replace("\n", "\n  ")
    return f"`{field.name}`\n: {indented}"


# -- what a class declares ----------------------------------------------------------------------------

_NEEDS = {"counts": "how often every two systems met, and with what outcome", "rows": "every judgment by itself"}
_RANGES = {
    "resampling": "from resampling the judgments",
    "posterior": "from its own posterior draws",
    "runs": "from its own random runs",
}
_LINKS = {"any": "any judgments", "decisive": "judgments that are not ties"}
_TIES = {"drop": "are dropped", "keep": "are kept"}
#: What is true of every other model, by the names that `ModelBase.lacks` has.
_PROPERTIES = {
    "monotone": "a further win never lowers a score",
    "duplication": "the same judgments twice give the same order",
    "relabelling": "other names of systems change nothing",
    "row order": "another order of judgments changes nothing",
    "symmetric": "the chances of a against b are those of b against a, turned round",
    "update": "adding judgments to a fit is the fit to all of them",
}


def declared(kind: Any) -> Iterator[str]:
    """What the class declares, a line each; with what settings change of it."""
    gives = {(True, True): "scores and probabilities of outcomes", (True, False): "scores, no probabilities",
             (False, True): "probabilities of outcomes, no scores"}  # fmt: skip
    yield f"**Reads** {_by_settings(kind, lambda one: _NEEDS[one.needs])}."
    yield f"**Gives** {_by_settings(kind, lambda one: gives[one.ranks, one.predicts])}."
    if kind().predicts:
        yield f"**Predictions depend on** {_by_settings(kind, _known)}."
    if kind().ranks:
        ranges = _by_settings(kind, lambda one: _RANGES[one.ranges_from])
        yield f"**Rank ranges**, unless told otherwise, come {ranges}."
        yield f"**Systems are linked** by {_by_settings(kind, lambda one: _LINKS[one.linked_by])}."
    yield f"**Weighted judgments**: {_by_settings(kind, lambda one: 'taken' if one.weights else 'refused')}."
    more = _by_settings(kind, lambda one: "yes, with `fit.update`" if one.updates else "no, fit all of them together")
    yield f"**More judgments** can be added to a fit: {more}."
    yield (
        "**Ties of systems that shared an output**, unless `--forced-ties` says otherwise, "
        f"{_by_settings(kind, lambda one: _TIES[one.forced_ties])}."
    )
    if kind.fits:
        yield f"**Estimated from the judgments** if set to `fit`: {codes(kind.fits)}."
    for name, (base, settings) in PRESETS.items():
        if base == kind.id:
            yield f"**Preset** `{name}`: {codes([f'{key}={value}' for key, value in settings.items()])}."
    yield from _not_true(kind)


def _not_true(kind: Any) -> Iterator[str]:
    """What is true of other models and not of this one, as it is or with other values of its settings."""
    usual, variants = kind().lacks, list(_variants(kind))
    for trait, reason in usual.items():
        true = [when for when, one in variants if trait not in one.lacks]
        unless = f", unless with {' or '.join(true)}" if true else ""
        yield f"**Not true of it**{unless}: {_PROPERTIES[trait]}. {sentence(prose(reason))}"
    others: dict[tuple[str, str], list[str]] = {}
    for when, one in variants:
        for trait in [trait for trait in one.lacks if trait not in usual]:
            others.setdefault((trait, one.lacks[trait]), []).append(when)
    for (trait, reason), whens in others.items():
        yield f"**Not true of it** with {' or '.join(whens)}: {_PROPERTIES[trait]}. {sentence(prose(reason))}"


def _known(one: Any) -> str:
    more = sorted(one.knows)
    return "the two systems only" if not more else f"the two systems and the {', the '.join(more)}"


def _by_settings(kind: Any, say: Callable[[Any], str]) -> str:
    """What is said of the model as it is, and with other values of its settings where that differs."""
    usual = say(kind())
    others: dict[str, list[str]] = {}
    for when, one in _variants(kind):
        if (said := say(one)) != usual:
            others.setdefault(said, []).append(when)
    return "; ".join([usual, *(f"with {' or '.join(when)}: {said}" for said, when in others.items())])


def _variants(kind: Any) -> Iterator[tuple[str, Any]]:
    """The model with each value of the settings that have few, and what was set."""
    for setting in dataclasses.fields(kind):
        open_text = isinstance(setting.default, str) and not _limits(kind, setting)
        for value in _TELLING if open_text else _values(kind, setting):
            yield code(f"{setting.name}={setting_text(value)}"), kind(**{setting.name: value})


def _values(kind: Any, field: dataclasses.Field[Any]) -> list[Any]:
    """The values of a setting that has few: yes and no, or names."""
    if isinstance(field.default, bool):
        return [False, True]
    limits = _limits(kind, field)
    names = [name.strip() for name in limits.split(",")]
    return names if isinstance(field.default, str) and all(re.fullmatch(r"[a-z][\w-]*", name) for name in names) else []


# -- what settings may be -----------------------------------------------------------------------------


def allowed(kind: Any, field: dataclasses.Field[Any]) -> str:
    """What a setting may be: as the model says when it refuses another value."""
    if isinstance(field.default, bool):
        return "`yes`, `no`"
    if names := _values(kind, field):
        return codes(names)
    limits = _limits(kind, field)
    fit = ", or `fit`" if field.name in kind.fits and "fit" not in limits else ""
    return f"{prose(limits).replace(' or fit', ' or `fit`')}{fit}" if limits else ""


def _limits(kind: Any, field: dataclasses.Field[Any]) -> str:
    for value in _TRIED:
        if isinstance(field.default, int) and value == _TRIED[-1]:
            value = int(value)
        try:
            kind(**{field.name: value})
        except PalmaresError as error:
            _, _, limits = str(error).partition("allowed: ")
            return limits.strip()
        except (TypeError, ValueError, AttributeError):
            continue
    return ""


def _attributes(kind: Any) -> dict[str, str]:
    """What the docstring says of every setting."""
    _, _, listed = inspect.cleandoc(kind.__doc__ or "").partition("Attributes\n----------\n")
    found = {}
    for names, text in re.findall(r"^(\w[\w, ]*)\n((?:[ ]+.*\n?|\n)+)", listed, re.MULTILINE):
        for name in names.split(", "):
            found[name] = " ".join(text.replace("``", "`").split())
    return found


def listed(argument: str, given: Remarks, pages: Pages) -> str:
    """All models, one line each."""
    return "\n".join(
        f"- [`{name}`](/models/{name}.md): {prose(entry.summary)}{' (the default)' if name == DEFAULT_MODEL else ''}"
        for name, entry in MODELS.items()
    )
