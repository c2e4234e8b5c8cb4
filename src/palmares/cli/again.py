"""The options of a command as a result records them, and ``--again``: the same options with other data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from ..errors import InputError

#: Commands whose results can be made again; others write files, or serve.
REPEATABLE = (
    "rank",
    "describe",
    "head-to-head",
    "agreement",
    "judges",
    "segments",
    "audit",
    "compare",
    "diff",
    "coverage",
    "plan",
    "report",
    "reproduce",
    "score translation",
    "score quality-estimation sentences",
    "score quality-estimation words",
    "score quality-estimation hter",
    "score retrieval",
)
#: Options that say where and how something is shown or computed, and never change a number. They are not taken from a
#: result, either: a file that somebody sent must not write another one.
_NOT_RECORDED = frozenset(
    (
        "files", "output", "plot", "curves", "width", "height", "wide", "executor", "workers", "dask", "again",
        "write", "overwrite", "write_runs",
    )
)  # fmt: skip


@dataclass(frozen=True)
class Invocation:
    """A command and the values of its options, by the names that click has for them.

    The name is what people type after ``palmares``: ``rank``, ``score translation``.
    """

    name: str
    options: Mapping[str, Any]

    @classmethod
    def current(cls) -> Invocation | None:
        """What is running now, with every option that was set or has a default; None outside a command."""
        context = click.get_current_context(silent=True)
        if context is None or context.info_name is None:
            return None
        kept = {name: value for name, value in context.params.items() if name not in _NOT_RECORDED}
        given = {name: value for name, value in kept.items() if not (value is None or value is False or value == ())}
        return cls(_command_name(context), {n: list(v) if isinstance(v, tuple) else v for n, v in given.items()})

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape, in the record of a result."""
        return {"name": self.name, "options": dict(self.options)}


def _command_name(context: click.Context) -> str:
    """The name of a command with those of the groups it is in, but for the outermost, which is the program."""
    names: list[str] = []
    inner: click.Context | None = context
    while inner is not None:
        if inner.parent is not None or not isinstance(inner.command, click.Group):
            names.insert(0, str(inner.info_name))
        inner = inner.parent
    return " ".join(names)


def results_in(path: str | Path) -> list[dict[str, Any]]:
    """The results that a command printed as JSON, that a program wrote, or that a page carries: one, or a list."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not text; give a page, or what a command printed with --format json") from None
    return page_results(text, str(path)) if is_page(text) else _checked(_json(text, path), path)


def is_page(text: str) -> bool:
    """Whether a text is HTML, as `palmares report` writes it."""
    return text.lstrip()[:14].lower().startswith("<!doctype html")


def page_results(page: str, path: str) -> list[dict[str, Any]]:
    """The results that a report's page carries."""
    from ..report.document.embedded import results_of

    return _checked(results_of(page, path), path)


def _json(text: str, path: str | Path) -> list[Any]:
    try:
        content = json.loads(text)
    except ValueError as error:
        raise InputError(
            f"{path}: is not JSON ({error}); give what a command printed with --format json, or a page of a report"
        ) from None
    return content if isinstance(content, list) else [content]


def _checked(results: list[Any], path: str | Path) -> list[dict[str, Any]]:
    """Results that say how they were made."""
    if not results or not all(isinstance(each, dict) and isinstance(each.get("record"), dict) for each in results):
        raise InputError(
            f"{path}: has no record of how it was made; give what a command of this version printed with --format json"
        )
    if not all(_is_whole(each) for each in results):
        raise InputError(f"{path}: its record of how it was made is damaged; give the file as it was printed")
    return results


def _is_whole(result: Mapping[str, Any]) -> bool:
    """Whether a record has the documented shape, as far as it is used here."""
    record = result["record"]
    made_from, command = record.get("input") or {}, record.get("command") or {}
    maps = (made_from, command, command.get("options", {}) if isinstance(command, dict) else None)
    if not all(isinstance(part, dict) for part in maps):
        return False
    parts = [made_from.get(name) or {} for name in ("reading", "selection", "group")]
    parts += [record.get("settings") or {}, record.get("versions") or {}, result.get("group") or {}]
    files = made_from.get("files") or []
    named = isinstance(files, list) and all(isinstance(f, dict) and isinstance(f.get("name"), str) for f in files)
    return isinstance(record.get("version"), str) and named and all(isinstance(part, dict) for part in parts)


def invocation_of(result: Mapping[str, Any], path: str | Path) -> Invocation:
    """The command and options that a result was made with; a ranking from Python is made by ``rank``."""
    record = result["record"]
    recorded = record.get("command")
    if isinstance(recorded, Mapping) and isinstance(recorded.get("name"), str):
        if recorded["name"] not in REPEATABLE:
            raise InputError(f"{path}: was made by `palmares {recorded['name']}`, which is not made again")
        options = {name: value for name, value in recorded["options"].items() if name not in _NOT_RECORDED}
        return Invocation(recorded["name"], options)
    made_from = record.get("input")
    ranked = "systems" in result or "head_to_head" in result
    if record.get("model") is None or "unit" not in record or not ranked or not made_from:
        raise InputError(f"{path}: was not printed by a command, and is no ranking of judgments that were read")
    if not made_from.get("complete"):
        raise InputError(
            f"{path}: a program chose some of the judgments, or left out names, in a way that the record does not "
            "hold; repeat it as it was made"
        )
    options = {**_ranking_options(record), **_reading_options(made_from)}
    if "head_to_head" in result:
        heads = {name: result[name] for name in ("title", "date") if result.get(name)}
        return Invocation("report", {**options, **heads})
    return Invocation("rank", options)


def _ranking_options(record: Mapping[str, Any]) -> dict[str, Any]:
    """The options of ``rank`` behind the facts of a record."""
    from ..models.by_name import setting_text

    facts = {
        name: record[name] for name in ("resamples", "p", "seed", "largest_component", "looks") if record.get(name)
    }
    given = {name: value for name, value in record["settings"].items() if value not in (None, "")}
    settings = [f"{name}={setting_text(value)}" for name, value in given.items()]
    sided = {"sided": record["sided"]} if record.get("sided") else {}
    return {"model": record["model"], "settings": settings, "resample": record["unit"] or "none", **sided, **facts}


def _reading_options(made_from: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a command behind those of a reader, the selection and the groups."""
    reading, options = dict(made_from.get("reading") or {}), dict[str, Any]()
    pairs = {"columns": "columns", "values": "outcome"}
    options |= {pairs[name]: [f"{k}={v}" for k, v in reading.pop(name).items()] for name in pairs if name in reading}
    if "header" in reading:
        options["header"] = ",".join(reading.pop("header"))
    if "merged" in reading:
        options["collapse"] = reading.pop("merged") == "collapse"
    if "faults" in reading:
        faults = reading.pop("faults")
        options |= {"lenient": True} if faults == "lenient" else {"max_dropped": faults}
    if "format" in reading:
        options["from_"] = reading.pop("format")
    options |= reading.pop("scores", {})
    by = [name for name in made_from.get("group") or {} if name != "lang_pair"]
    return {**options, **reading, **(made_from.get("selection") or {}), **({"by": by} if by else {})}


def _load(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    """Make the options of a recorded result the defaults of this command."""
    if value is None:
        return
    recorded = invocation_of(results_in(value)[0], value)
    if recorded.name != (name := _command_name(context)):
        raise InputError(f"{value}: was made by `palmares {recorded.name}`, not by `palmares {name}`")
    context.default_map = defaults(recorded, context.command)


def defaults(recorded: Invocation, command: click.Command) -> dict[str, Any]:
    """Recorded options as the defaults of a command, which must have them."""
    if unknown := sorted(set(recorded.options) - {option.name for option in command.params}):
        raise InputError(f"the result was made with options that this version does not have: {', '.join(unknown)}")
    return dict(recorded.options)


again_option = click.option(
    "--again", metavar="RESULT.json", expose_value=False, is_eager=True, callback=_load,
    help="Take every option that is not given from a result that was printed with --format json.",
)  # fmt: skip
