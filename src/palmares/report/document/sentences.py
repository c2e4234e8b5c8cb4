"""What a report says first, in sentences: who is best, how far the others are told apart, how sure that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...analysis.agreement import Kappa
from ...analysis.findings import Findings
from ...ranking.result import Ranking
from ...results import counted
from ..tables import interval_text, level_text, score_text

#: So many systems are named in a sentence; of more, their number and the first ones.
_NAMED = 4
#: So many clusters are named; a table has them all.
_CLUSTERS = 5
#: With fewer decided comparisons, a share of them says nothing.
_FEW = 20
#: Less likely systems are not named as the best.
_WORTH_A_WORD = 0.005
#: Landis & Koch's (1977) words for κ are .2 wide: an interval that is wider than two of them has none.
_WIDE = 0.4


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
    likely = {line.system: f" ({percent(line.best)})" for line in ranking.lines if line.best is not None}
    if len(first) > 1:
        return (*_names(first, likely), Phrase(" may each be the best: the judgments do not tell which."))
    if ranking.boundaries[0].joint:
        return (*_names(first, likely), Phrase(" is the best system."))
    alone = " comes first: its lead holds by itself, not jointly with the other boundaries between clusters."
    return (*_names(first, likely), Phrase(alone))


def contenders(ranking: Ranking) -> list[str]:
    """The systems whose rank range begins at 1; without ranges, the first."""
    if not ranking.ranged:
        return [ranking.systems[0]]
    return [line.system for line in ranking.lines if line.range is not None and line.range[0] == 1]


def _names(names: Sequence[str], remarks: Mapping[str, str] | None = None) -> Sentence:
    """``A``, ``A and B``, ``A, B and C``, or ``6 systems (A, B, C, D, …)``; each with a remark, if there is one."""
    said = remarks or {}
    if len(names) > _NAMED:
        inner = [piece for name in names[:_NAMED] for piece in (Phrase(name, name=True), Phrase(", "))]
        return (Phrase(f"{len(names)} systems ("), *inner, Phrase("…)"))
    pieces: list[Phrase] = []
    for number, name in enumerate(names, 1):
        joint = "" if number == 1 else " and " if number == len(names) else ", "
        pieces += [Phrase(joint), Phrase(name, name=True), Phrase(said.get(name, ""))]
    return tuple(piece for piece in pieces if piece.text)


def sureness(found: Findings) -> list[Sentence]:
    """How sure the first place is, how far the systems are told apart, and whether something is to be looked at."""
    ranking = found.ranking
    said: list[Sentence] = [*_chances(ranking), *_lead(found)]
    if ranking.ranged:
        said += [*_clusters(ranking), (Phrase(_apart(ranking)),)]
    if found.agreement is not None:
        said.append((Phrase(agreed(found)),))
    if found.audit is not None:
        said.append((Phrase(_audited([finding.check for finding in found.audit.flagged], len(found.audit.findings))),))
    return said


def _chances(ranking: Ranking) -> list[Sentence]:
    """P(best) of the likeliest, unless the headline has all that may be it."""
    first = contenders(ranking)
    if 1 <= len(first) <= _NAMED and len(first) < len(ranking.lines) and ranking.ranged:
        return []
    chances = [(line.best, line) for line in ranking.lines if line.best is not None and line.best >= _WORTH_A_WORD]
    if not chances:
        return []
    likely = [line for _, line in sorted(chances, key=lambda chance: -chance[0])[:_NAMED]]
    pieces = [Phrase("Probability of being the best: ")]
    for number, line in enumerate(likely):
        pieces += [Phrase(", ")] * (number > 0) + [Phrase(line.system, name=True), Phrase(f" ({percent(line.best)})")]
    return [(*pieces, Phrase("."))]


def _clusters(ranking: Ranking) -> list[Sentence]:
    """``Clusters, best first: A; then B to F (5 systems, ranks overlap); then G.``; nothing where there is only one."""
    clusters = ranking.clusters
    if len(clusters) < 2:
        return []
    pieces = [Phrase("Clusters, best first: ")]
    for number, cluster in enumerate(clusters[:_CLUSTERS]):
        pieces += [Phrase("; then ")] * (number > 0)
        pieces.append(Phrase(cluster[0], name=True))
        if len(cluster) > 1:
            # Not "tied": of a cluster, some systems may be told apart.
            two = len(cluster) == 2
            between, size = (" and ", "") if two else (" to ", f"{len(cluster)} systems, ")
            pieces += [Phrase(between), Phrase(cluster[-1], name=True), Phrase(f" ({size}ranks overlap)")]
    left = len(clusters) - _CLUSTERS
    return [(*pieces, Phrase(f"; and {left} more." if left > 0 else "."))]


def _lead(found: Findings) -> list[Sentence]:
    """What the lead of the first system over the second comes to, in comparisons of the two."""
    compared = found.head_to_head
    share, decided = compared.share[1, 0], compared.decided[1, 0]
    if decided < _FEW:
        return []
    first, second = compared.systems[:2]
    won = f" won {100 * float(share):.0f} % of {counted(float(decided), 'decided comparison')} with "
    return [(Phrase(first, name=True), Phrase(won), Phrase(second, name=True), Phrase(", the next."))]


def percent(share: float | None) -> str:
    """``86 %``; never 0 or 100, which no sample can show."""
    if share is None:
        return "–"
    if share < 0.005:
        return "< 1 %"
    return "> 99 %" if share >= 0.995 else f"{100 * share:.0f} %"


def _apart(ranking: Ranking) -> str:
    """``84 of 105 pairs of systems are separated. Of the 3 boundaries between 4 clusters, 2 hold jointly …``"""
    pairs, level = ranking.pairs, level_text(ranking.record.facts["p"])
    separated = sum(pair.separated for pair in pairs)
    said = f"{separated:,} of {counted(len(pairs), 'pair')} of systems {'is' if separated == 1 else 'are'} separated"
    begun = [boundary for boundary in ranking.boundaries if boundary.marginal]
    if not begun:
        return f"{said}, but no boundary divides all systems above it from all below ({level} rank ranges)."
    joint = sum(boundary.joint for boundary in begun)
    if len(begun) == 1:
        return f"{said}. The boundary between 2 clusters holds {'' if joint else 'only by itself '}({level})."
    between = f"{said}. Of the {len(begun)} boundaries between {len(begun) + 1} clusters, "
    if joint == len(begun):
        return f"{between}all hold jointly ({level})."
    if not joint:
        return f"{between}none holds jointly with the others, each only by itself ({level})."
    left = len(begun) - joint
    return (
        f"{between}{joint} {'holds' if joint == 1 else 'hold'} jointly, {left} only by "
        f"{'itself' if left == 1 else 'themselves'} ({level})."
    )


def _audited(flagged: Sequence[str], checks: int) -> str:
    if not flagged:
        return f"None of {checks} checks of the judgments asks for attention."
    ask = "asks" if len(flagged) == 1 else "ask"
    return f"{len(flagged)} of {checks} checks of the judgments {ask} for attention: {', '.join(flagged)}."


def agreed(found: Findings) -> str:
    """κ between judges and of judges with themselves, in words."""
    assert found.agreement is not None
    inter, intra = (_kappa(each.kappa) for each in (found.agreement.inter, found.agreement.intra))
    if inter is None and intra is None:
        return "How far judges agree is not known: nothing was judged twice."
    between = f"Judges agree with each other at {inter}" if inter else "No two judges judged the same"
    own = f"with themselves at {intra}" if intra else "and nobody judged anything twice"
    return f"{between}, {own}."


def _kappa(kappa: Kappa) -> str | None:
    """``κ = 0.326 [0.205, 0.429], “fair”``; without the word where the interval allows almost any."""
    if kappa.kappa is None:
        return None
    span = f" {interval_text(kappa.interval)}" if kappa.interval else ""
    wide = kappa.interval is None or kappa.interval[1] - kappa.interval[0] > _WIDE
    return f"κ = {score_text(kappa.kappa)}{span}" + (f", “{kappa.band}”" if kappa.band and not wide else "")
