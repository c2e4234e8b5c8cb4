"""How often every two systems met: in all judgments, the first and the last of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..errors import InputError
from ..judgments import FloatArray, IntArray, Judgments

#: The first and the last part are so large unless told (Sakaguchi et al. 2014, Figures 5–7).
SHARE = 0.2


@dataclass(frozen=True)
class Part:
    """Some judgments, and how many of them each two systems have: an array (systems, systems)."""

    name: str
    judgments: int
    met: FloatArray = field(repr=False)

    @property
    def share(self) -> FloatArray:
        """Of the judgments of the part, those between two systems."""
        return self.met / max(self.judgments, 1)


@dataclass(frozen=True)
class Meetings:
    """How often every two systems met, in several parts of the judgments; ``order`` says how these are told apart."""

    systems: tuple[str, ...]
    parts: tuple[Part, ...]
    order: str
    lang_pair: str | None = None
    notes: tuple[str, ...] = ()


def meetings(judgments: Judgments, systems: Sequence[str], *, share: float = SHARE) -> Meetings:
    """Count meetings in all judgments, the first and the last: by time if every judgment has one, else as in the file.

    Parameters
    ----------
    systems
        The systems, in the order in which they are to be shown.
    share
        Of the judgments, the part that is first, and that is last.
    """
    if not 0 < share <= 0.5:
        raise InputError(f"share: got {share}; allowed: more than 0, up to 0.5")
    code = np.array([judgments.systems.index(name) for name in systems])
    place = np.full(len(judgments.systems), -1)
    place[code] = np.arange(len(code))
    pairs = np.stack([place[judgments.codes(side)] for side in ("system_a", "system_b")], axis=1)
    timed = judgments.has("time") and not judgments.frame["time"].null_count()
    if timed:
        pairs = pairs[np.argsort(judgments.frame["time"].to_numpy(), kind="stable")]
    pairs = pairs[(pairs >= 0).all(axis=1)]
    some = max(1, round(share * len(pairs)))
    pair = judgments.lang_pairs[0] if len(judgments.lang_pairs) == 1 else None
    order = f"first and last: {'by time' if timed else 'as judgments stand in the file'}"
    parts = (
        part_of("all judgments", pairs, len(code)),
        part_of(f"first {100 * share:g} %", pairs[:some], len(code)),
        part_of(f"last {100 * share:g} %", pairs[-some:], len(code)),
    )
    return Meetings(tuple(systems), parts, order, pair, judgments.notes)


def part_of(name: str, pairs: IntArray, systems: int) -> Part:
    """Count pairs of places: an array (judgments, 2)."""
    met = np.zeros((systems, systems))
    np.add.at(met, (pairs[:, 0], pairs[:, 1]), 1.0)
    return Part(name, len(pairs), met + met.T)
