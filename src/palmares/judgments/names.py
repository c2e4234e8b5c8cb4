"""Other names for systems: given ones, and short ones for those of WMT's files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ..errors import InputError

_SET, _PAIR, _NUMBER = r"(?P<set>[A-Za-z]\w*\d{4}\w*)", r"(?P<pair>[a-z]{2,3}-[a-z]{2,3})", r"(?:\.(?P<number>\d+))?"
#: ``newstest2016.KIT.4482.de-en`` and ``newstest2013.fr-en.KIT_primary.2658``: test set, name, number, language pair.
_WMT = (
    re.compile(rf"{_SET}\.(?P<name>.+?){_NUMBER}\.{_PAIR}"),
    re.compile(rf"{_SET}\.{_PAIR}\.(?P<name>.+?){_NUMBER}"),
)
#: Names are shortened if at least this share of them has the form.
_MOST = 0.5


def short_names(systems: Sequence[str], fields: Iterable[Iterable[str]]) -> dict[str, str]:
    """Shorter names for systems whose names are made of test set, name, number and language pair; none if few are.

    Systems of one of the ``fields`` (the systems of one language pair) keep different names: where the short ones would
    be the same, the number is kept, then the test set.
    """
    ladders = {system: found for system in systems if (found := _ladder(system))}
    if len(ladders) < _MOST * len(systems):
        return {}
    compared = [list(field) for field in fields]
    step = dict.fromkeys(ladders, 0)
    while True:
        names = {system: ladders[system][step[system]] if system in ladders else system for system in systems}
        clashing = set()
        for field in compared:
            often = Counter(names[system] for system in field)
            clashing |= {system for system in field if system in ladders and often[names[system]] > 1}
        if not clashing:
            return {system: name for system, name in names.items() if name != system}
        # Whole names, the last of a ladder, clash with nothing but shorter ones, and those give way.
        step |= {system: min(step[system] + 1, len(ladders[system]) - 1) for system in clashing}


def _ladder(system: str) -> list[str]:
    """Names of a system from the shortest to the whole; empty if it is not made of such parts.

    An output that several systems share has their names with + between them.
    """
    parts = [_parts(part) for part in system.split("+")]
    if not all(parts):
        parts = [_parts(system)]
    return ["+".join(names) for names in zip(*parts, strict=True)]


def _parts(name: str) -> list[str]:
    match = next((found for pattern in _WMT if (found := pattern.fullmatch(name))), None)
    if match is None:
        return []
    numbered = ".".join(filter(None, (match["name"], match["number"])))
    return [match["name"], numbered, f"{match['set']}.{numbered}", name]


def check_new_names(systems: Sequence[str], names: Mapping[str, str], fields: Iterable[Iterable[str]]) -> None:
    """Refuse names for systems that there are not, and one name for two systems that were compared in one field."""
    if unknown := [name for name in names if name not in set(systems)]:
        raise InputError(f"cannot rename {unknown[0]!r}: no system has this name; there are: {', '.join(systems)}")
    for field in fields:
        taken: dict[str, str] = {}
        for system in field:
            new = names.get(system, system)
            if (other := taken.setdefault(new, system)) != system:
                raise InputError(
                    f"{other!r} and {system!r} would both be called {new!r} and be taken for one system; "
                    "give them different names"
                )
