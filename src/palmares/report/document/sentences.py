"""What a report says first, in sentences: who is best, how far the others are told apart, how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...analysis.findings import Findings
from ...ranking.result import Ranking
from ...results import counted
from ..tables import level_text

#: So many systems are named in a sentence; of more, their number and the first ones.
_NAMED = 4
#: Less likely systems are not named as the best.
_WORTH_A_WORD = 0.005
_ALONE = "holds only by itself, not for all systems at once"


@dataclass(frozen=True)
class Phrase:
    """A piece of a sentence; names of systems and judges are marked, so that pages can set them off."""

    text: str
    name: bool = False


#: A sentence in pieces.
Sentence = tuple[Phrase, ...]


def plain(sentence: Sentence) -> str:
    """A sentence as text."""
    return "".join(phrase.text for phrase in sentence)


def headline(ranking: Ranking) -> Sentence:
    """Who is best, as far as the judgments show it."""
    first = contenders(ranking)
    if not ranking.ranged:
        return (*_names(first), Phrase(" has the highest score; without resampling nobody knows how sure that is."))
    if len(first) == len(ranking.lines):
        return (Phrase(f"Any of the {len(first)} systems may be the best: the judgments do not tell which."),)
    if len(first) > 1:
        return (*_names(first), Phrase(" may each be the best: the judgments do not tell which."))
    if ranking.boundaries[0].joint:
        return (*_names(first), Phrase(" is the best system."))
    return (
        *_names(first),
        Phrase(
            " comes first: that holds by itself, but not once all boundaries between clusters are to hold together."
        ),
    )


def contenders(ranking: Ranking) -> list[str]:
    """The systems whose rank range begins at 1; without ranges, the first."""
    if not ranking.ranged:
        return [ranking.systems[0]]
    return [line.system for line in ranking.lines if line.range is not None and line.range[0] == 1]


def _names(names: Sequence[str]) -> Sentence:
    """``A``, ``A and B``, ``A, B and C``, or ``6 systems (A, B, C, D, …)``."""
    if len(names) > _NAMED:
        inner = [piece for name in names[:_NAMED] for piece in (Phrase(name, name=True), Phrase(", "))]
        return (Phrase(f"{len(names)} systems ("), *inner, Phrase("…)"))
    pieces = [Phrase(names[0], name=True)]
    for number, name in enumerate(names[1:], 2):
        pieces += [Phrase(" and " if number == len(names) else ", "), Phrase(name, name=True)]
    return tuple(pieces)


def sureness(found: Findings) -> list[Sentence]:
    """How sure the first place is, how far the systems are told apart, and whether something is to be looked at."""
    ranking = found.ranking
    said: list[Sentence] = []
    if ranking.ranged:
        said += [*_chances(ranking), (Phrase(_apart(ranking)),)]
    if found.audit is not None:
        said.append((Phrase(_audited(len(found.audit.flagged), len(found.audit.findings))),))
    return said


def _chances(ranking: Ranking) -> list[Sentence]:
    """P(best) of those who may be it."""
    likely = [line for line in ranking.lines if line.best is not None and line.best >= _WORTH_A_WORD][:_NAMED]
    if not likely:
        return []
    pieces = [Phrase("Probability of being the best: ")]
    for number, line in enumerate(likely):
        pieces += [Phrase(", ")] * (number > 0) + [Phrase(line.system, name=True), Phrase(f" {percent(line.best)}")]
    return [(*pieces, Phrase("."))]


def percent(share: float | None) -> str:
    """``86 %``; 0 and 100 only where no sample, or every one, says so."""
    if share is None:
        return "–"
    if 0 < share < 0.005:
        return "< 1 %"
    if 0.995 <= share < 1:
        return "> 99 %"
    return f"{100 * share:.0f} %"


def _apart(ranking: Ranking) -> str:
    """``84 of 105 pairs of systems are separated, in 4 clusters; 2 of the 3 boundaries hold together …``"""
    pairs, level = ranking.pairs, level_text(ranking.record.facts["p"])
    separated = sum(pair.separated for pair in pairs)
    said = f"{separated:,} of {counted(len(pairs), 'pair')} of systems {'is' if separated == 1 else 'are'} separated"
    begun = [boundary for boundary in ranking.boundaries if boundary.marginal]
    if not begun:
        return f"{said}, and no boundary between clusters can be drawn ({level} rank ranges)."
    joint = sum(boundary.joint for boundary in begun)
    if len(begun) == 1:
        return f"{said}. The boundary between 2 clusters {'holds' if joint else _ALONE} ({level})."
    if joint == len(begun):
        return f"{said}. The {joint} boundaries between {joint + 1} clusters hold all together ({level})."
    hold = f"{joint or 'none'} of the {len(begun)} boundaries hold{'s' if joint == 1 else ''}"
    return (
        f"{said}. There are {len(begun) + 1} clusters; {hold} together with all others, the rest only by themselves "
        f"({level})."
    )


def _audited(flagged: int, checks: int) -> str:
    if not flagged:
        return f"None of {checks} checks of the judgments asks for attention."
    return f"{flagged} of {checks} checks of the judgments ask{'s' if flagged == 1 else ''} for attention."


def agreed(found: Findings) -> str:
    """κ between judges and of judges with themselves, in words."""
    assert found.agreement is not None
    parts = []
    for measure, who in (
        (found.agreement.inter, "between judges"),
        (found.agreement.intra, "of judges with themselves"),
    ):
        kappa = measure.kappa
        if kappa.kappa is None:
            parts.append(f"unknown {who}, since nothing was judged twice")
            continue
        span = f" [{kappa.interval[0]:.3f}, {kappa.interval[1]:.3f}]" if kappa.interval else ""
        band = f", “{kappa.band}”" if kappa.band else ""
        parts.append(f"{kappa.kappa:.3f}{span} {who}{band}".replace("-", "−"))
    return f"Cohen’s κ is {parts[0]}; {parts[1]}."
