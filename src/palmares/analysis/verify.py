"""Whether a result that was made again is the one that was published: what was compared, and what differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

#: Numbers that differ by no more than this, or this share of them, are the same: machines round differently.
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Difference:
    """One value that is not as it was recorded; ``place`` is the way to it: ``systems[3].score``."""

    place: str
    recorded: Any
    found: Any


@dataclass(frozen=True)
class Verification:
    """One result, made again.

    ``compared`` counts the values that were compared; ``obstacle`` says why there was nothing to compare, if so;
    ``versions`` are those that have changed since, as (then, now).
    """

    group: Mapping[str, str | None]
    compared: int
    differences: tuple[Difference, ...] = ()
    obstacle: str | None = None
    versions: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def equal(self) -> bool:
        return not self.differences and self.obstacle is None

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        return {"equal": self.equal, **asdict(self)}


def verify(recorded: Mapping[str, Any], found: Mapping[str, Any]) -> Verification:
    """Compare a result in its documented JSON shape with the same result made again.

    Scores and other fractions may differ by `TOLERANCE`; ranks, counts, names, the digest of the judgments and what was
    read of which file not at all. Notes are compared if one version of a command printed both: their words may change,
    and they say how options were given (``--resample auto`` explains its choice).
    """
    then, now = _versions(recorded), _versions(found)
    differences = list(_differences(_facts(recorded), _facts(found), "record"))
    # Of other judgments, every number is another one: the digest says it all.
    if not any(difference.place == "record.data" for difference in differences):
        notes = then["palmares"] == now["palmares"] and bool(recorded["record"].get("command"))
        differences += _differences(_content(recorded, notes=notes), _content(found, notes=notes))
    return Verification(
        group=group_of(recorded),
        compared=_leaves(_content(recorded)) + _leaves(_facts(recorded)),
        differences=tuple(differences),
        versions={name: (then[name], now[name]) for name in then if name in now and then[name] != now[name]},
    )


def group_of(result: Mapping[str, Any]) -> dict[str, str | None]:
    """The group of judgments that a result is about: its language pair, and what it was split by."""
    made_from = result["record"].get("input") or {}
    group = {"lang_pair": result.get("lang_pair"), **(made_from.get("group") or {}), **(result.get("group") or {})}
    return {name: value for name, value in group.items() if name != "lang_pair" or value is not None}


def _content(result: Mapping[str, Any], *, notes: bool = True) -> dict[str, Any]:
    """A result without its record; of the signature, what does not depend on the version."""
    content = {name: value for name, value in result.items() if name not in ("record", "group", "notes")}
    if isinstance(signature := content.get("signature"), str):
        content["signature"] = "|".join(part for part in signature.split("|") if not part.startswith("version:"))
    if notes:
        content["notes"] = result.get("notes")
    # Parts of a whole, such as the ranking of a report, have notes and signatures of their own.
    return {
        name: _content(part, notes=notes) if isinstance(part, dict) and "signature" in part else part
        for name, part in content.items()
    }


def _facts(result: Mapping[str, Any]) -> dict[str, Any]:
    """What the record says of model, settings, evidence and what was read; not of versions and where files lay."""
    record = result["record"]
    facts = {n: value for n, value in record.items() if n not in ("version", "versions", "input", "command")}
    if not (made_from := record.get("input")):
        return facts
    files = [{n: value for n, value in file.items() if n != "name"} for file in made_from["files"]]
    return {**facts, "input": {**made_from, "files": files, "group": group_of(result)}}


def _versions(result: Mapping[str, Any]) -> dict[str, str]:
    record = result["record"]
    return {"palmares": record["version"], **(record.get("versions") or {})}


def _differences(recorded: Any, found: Any, place: str = "") -> Iterator[Difference]:
    """Every value that is not the same."""
    if isinstance(recorded, Mapping) and isinstance(found, Mapping):
        for name in {**recorded, **found}:
            inner = f"{place}.{name}" if place else str(name)
            yield from _differences(recorded.get(name), found.get(name), inner)
    elif _is_list(recorded) and _is_list(found):
        if len(recorded) != len(found):
            yield Difference(f"length of {place}", len(recorded), len(found))
            return
        for number, (old, new) in enumerate(zip(recorded, found, strict=True)):
            yield from _differences(old, new, f"{place}[{number}]")
    elif not _same(recorded, found):
        yield Difference(place, recorded, found)


def _same(recorded: Any, found: Any) -> bool:
    if isinstance(recorded, float) and isinstance(found, float):
        return recorded == found or abs(recorded - found) <= TOLERANCE * max(1.0, abs(recorded))
    return bool(recorded == found)


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _leaves(value: Any) -> int:
    if isinstance(value, Mapping):
        return sum(_leaves(part) for part in value.values())
    return sum(_leaves(part) for part in value) if _is_list(value) else 1
