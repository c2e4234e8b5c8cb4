"""Whether a result that was made again is the one that was published: what was compared, and what differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

#: Numbers that differ by no more than this, or this share of them, are the same: machines round differently.
TOLERANCE = 1e-9
#: Parts of a result that say how and with what it was made, in words; numbers do not hang on them.
_WORDS = frozenset(("signature", "record", "notes"))


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

    Scores and other fractions may differ by `TOLERANCE`; ranks, counts, names and the digest of the judgments not at
    all. Notes are words, and are not compared.
    """
    facts = _differences(_facts(recorded), _facts(found), "record")
    numbers = _differences(_numbers(recorded), _numbers(found), "")
    then, now = _versions(recorded), _versions(found)
    return Verification(
        group=group_of(recorded),
        compared=_leaves(_numbers(recorded)) + _leaves(_facts(recorded)),
        differences=(*facts, *numbers),
        versions={name: (then[name], now[name]) for name in then if name in now and then[name] != now[name]},
    )


def group_of(result: Mapping[str, Any]) -> dict[str, str | None]:
    """The group of judgments that a result is about: its language pair, and what it was split by."""
    made_from = result["record"].get("input") or {}
    group = {"lang_pair": result.get("lang_pair"), **(made_from.get("group") or {}), **(result.get("group") or {})}
    return {name: value for name, value in group.items() if value is not None}


def _numbers(result: Mapping[str, Any]) -> dict[str, Any]:
    """A result without its words."""
    return {name: value for name, value in result.items() if name not in (*_WORDS, "group")}


def _facts(result: Mapping[str, Any]) -> dict[str, Any]:
    """What the record says of model, settings and evidence; not where files lay and which versions were used."""
    besides = ("version", "versions", "input", "command")
    return {name: value for name, value in result["record"].items() if name not in besides}


def _versions(result: Mapping[str, Any]) -> dict[str, str]:
    record = result["record"]
    return {"palmares": record["version"], **(record.get("versions") or {})}


def _differences(recorded: Any, found: Any, place: str) -> Iterator[Difference]:
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
    both = (recorded, found)
    if any(isinstance(value, float) for value in both) and all(_is_number(value) for value in both):
        return bool(recorded == found or abs(recorded - found) <= TOLERANCE * max(1.0, abs(recorded)))
    return bool(recorded == found)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _leaves(value: Any) -> int:
    if isinstance(value, Mapping):
        return sum(_leaves(part) for part in value.values())
    return sum(_leaves(part) for part in value) if _is_list(value) else 1
