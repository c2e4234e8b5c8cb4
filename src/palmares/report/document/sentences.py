"""What a report says first, in sentences: who is best, how far the others are told apart, how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...analysis.agreement import Kappa
from ...analysis.findings import Findings
from ...ranking.result import Ranking
from ...results import counted
from .. import ranking_words as words
from ..tables import interval_text, level_text, score_text

#: So many clusters are named; a table has them all.
_CLUSTERS = 5
#: With fewer decided comparisons, a share of them says nothing.
_FEW = 20
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
    if not ranking.ranged:
        first = Phrase(ranking.systems[0], name=True)
        return (first, Phrase(" has the highest score; without resampling nobody knows how sure that is."))
    return _phrases(words.headline(_standings(ranking), joint=ranking.boundaries[0].joint))


def _standings(ranking: Ranking) -> list[words.Standing]:
    first = set(contenders(ranking))
    return [words.Standing(line.system, line.best, line.system in first) for line in ranking.lines]


def _phrases(pieces: words.Pieces) -> Sentence:
    return tuple(Phrase(text, name) for text, name in pieces)


def contenders(ranking: Ranking) -> list[str]:
    """The systems whose rank range begins at 1; without ranges, the first."""
    if not ranking.ranged:
        return [ranking.systems[0]]
    return [line.system for line in ranking.lines if line.range is not None and line.range[0] == 1]


def sureness(found: Findings) -> list[Sentence]:
    """How sure the first place is, how far the systems are told apart, and whether something is to be looked at."""
    ranking = found.ranking
    likely = _phrases(words.chances(_standings(ranking)))
    said: list[Sentence] = [*([likely] if likely else []), *_lead(found)]
    if ranking.ranged:
        said += [*_clusters(ranking), (Phrase(_apart(ranking)),)]
    if found.agreement is not None:
        said.append((Phrase(agreed(found)),))
    if found.audit is not None:
        said.append((Phrase(_audited([finding.check for finding in found.audit.flagged], len(found.audit.findings))),))
    return said


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


def _apart(ranking: Ranking) -> str:
    begun = [boundary.joint for boundary in ranking.boundaries if boundary.marginal]
    separated = sum(pair.separated for pair in ranking.pairs)
    return words.apart(separated, len(ranking.pairs), begun, level_text(ranking.record.facts["p"]))


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
