"""Whether forced ties help to predict what people say: ``python -m benchmarks forced_ties``.

Real campaigns (PALMARES_REAL_DATA): ten folds of whole rankings; models are trained with and without forced ties and
scored on what people said in the fold that was left out, every decision once (systems that shared an output all have
the judgment of that output). Simulated ones: systems of one family share their output on a share of the segments.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

import palmares
from palmares.judgments import FloatArray, Judgments, outcome_index
from palmares.models.by_name import create

from .common import report

_FILES = {
    "WMT16 deu-eng": "wmt16/wmt16.collapsed.deu-eng.csv",
    "WMT16 ron-eng": "wmt16/wmt16.collapsed.ron-eng.csv",
    "WMT16 tur-eng": "wmt16/wmt16.collapsed.tur-eng.csv",
    "CoNLL-14": "gec15/judgments.xml",
}
_MODELS = ("bradley-terry", "bradley-terry:ties=rao-kupper", "independent-pairs", "hopkins-may")
_FOLDS, _SEED = 10, 7


def main() -> None:
    real = Path(os.environ["PALMARES_REAL_DATA"])
    rows = [row for name, file in _FILES.items() for row in _on_real(name, palmares.read(real / file))]
    report(
        "forced-ties",
        "Log loss of people's judgments, by models trained with and without forced ties",
        ("campaign", "forced ties", "model", "kept", "dropped", "one of each decision", "kept − dropped (error)"),
        rows,
        (
            "Nats per decision, ten folds of whole rankings. One of each decision: forced ties dropped, and the k "
            "copies that sharing an output makes of one decision weigh 1/k. The error is that of the mean difference, "
            "over rankings.",
            "`PALMARES_REAL_DATA=… python -m benchmarks forced_ties`",
        ),
    )
    report(
        "forced-ties-simulated",
        "Bradley–Terry with and without forced ties, where the truth is known",
        (
            "segments shared in a family", "forced ties", "errors of net preference",
            "kept, (a)", "dropped, (a)", "kept, (b)", "dropped, (b)",
            "error of P(tie), kept", "dropped",
            "misses of 95 % intervals, kept", "dropped",
        ),
        [row for share in (0.1, 0.3, 0.6) for row in _simulated(share)],
        (
            f"Mean absolute errors over pairs of systems in {_CAMPAIGNS} campaigns of {_RANKINGS} rankings of five "
            "outputs; nine systems, of which three and three are families that share outputs. Net preference: P(first "
            "better) − P(second better), (a) where people are shown two different outputs, (b) over all segments, "
            "identical outputs counting as ties. P(tie) is what people say of different outputs. Misses: how many of "
            "the nine scores have an interval (bootstrap by ranking, 200 samples) without the mean strength of the "
            "system's outputs over all segments.",
            "`python -m benchmarks forced_ties`",
        ),
    )  # fmt: skip


# -- real campaigns ---------------------------------------------------------------------------------


def decisions(judgments: Judgments) -> FloatArray:
    """What share of one human decision every row is: 1/k where sharing made k rows of it, 0 for a forced tie."""
    n = len(judgments.systems)
    group = judgments.group_codes("ranking")
    a, b = (group * n + judgments.codes(side) for side in ("system_a", "system_b"))
    size = int(max(a.max(), b.max())) + 1
    forced = judgments.forced
    links = csr_array((np.ones(forced.sum()), (a[forced], b[forced])), shape=(size, size))
    _, output = connected_components(links, directed=False)
    present = np.unique(np.concatenate([a, b]))
    sharers = np.bincount(output[present], minlength=output.max() + 1)
    return np.where(forced, 0.0, 1.0 / (sharers[output[a]] * sharers[output[b]]))


def _on_real(name: str, judgments: Judgments) -> Iterator[tuple[object, ...]]:
    once = decisions(judgments)
    ranking = np.unique(judgments.codes("ranking"), return_inverse=True)[1]
    fold = np.random.default_rng(_SEED).integers(_FOLDS, size=ranking.max() + 1)[ranking]
    weighted = Judgments(judgments.frame.with_columns(pl.Series("weight", np.maximum(once, 1e-3))), judgments.names)
    human = ~judgments.forced
    ways = {
        "kept": (judgments, np.ones(len(judgments), bool)),
        "dropped": (judgments, human),
        "once": (weighted, human),
    }
    for text in _MODELS:
        model, losses = create(text), {}
        for way, (data, used) in ways.items():
            if way == "once" and not model.weights:
                continue
            loss = np.zeros(len(judgments))
            for f in range(_FOLDS):
                fit = model.fit(data.take(np.flatnonzero(used & (fold != f))), rng=_SEED)
                rows = np.flatnonzero(human & (fold == f))
                q = fit.predict_rows(judgments.take(rows))
                loss[rows] = -np.log(q[np.arange(len(rows)), outcome_index(judgments.codes("outcome")[rows])])
            losses[way] = loss
        mean = {way: f"{loss @ once / once.sum():.4f}" for way, loss in losses.items()}
        by_ranking = np.bincount(ranking, (losses["kept"] - losses["dropped"]) * once)
        of = np.bincount(ranking, once)
        gain = by_ranking.sum() / of.sum()
        error = np.sqrt(((by_ranking - gain * of) ** 2).sum()) / of.sum()
        share = f"{100 * judgments.forced_ties / len(judgments):.1f} %"
        yield name, share, text, mean["kept"], mean["dropped"], mean.get("once", "–"), f"{gain:+.4f} ({error:.4f})"


# -- simulated campaigns ----------------------------------------------------------------------------

_STRENGTHS = np.array([0.9, 0.6, 0.3, 0.5, 0.1, -0.3, -0.5, -0.7, -0.9])
_FAMILY = np.array([0, 0, 0, 1, 1, 1, 2, 3, 4])
_NU, _CAMPAIGNS, _RANKINGS, _SHOWN = 0.6, 100, 600, 5


def _probabilities(x: FloatArray, y: FloatArray) -> FloatArray:
    """Davidson's model: P(first better), P(tie), P(second better) of outputs of these strengths."""
    parts = np.stack([np.exp((x - y) / 2), np.full_like(x - y, _NU), np.exp((y - x) / 2)])
    return np.asarray(parts / parts.sum(axis=0))


def _outputs(share: float, rng: np.random.Generator) -> tuple[FloatArray, np.ndarray]:
    """On one segment: the strength of every system's output, and which output it has."""
    output, strength = np.arange(len(_FAMILY)), _STRENGTHS.copy()
    for family in np.unique(_FAMILY):
        members = np.flatnonzero(family == _FAMILY)
        sharing = members[rng.random(len(members)) < np.sqrt(share)]  # so that any two share with probability share
        output[sharing] = sharing.min(initial=len(output))
        strength[sharing] = _STRENGTHS[sharing].mean() if len(sharing) else 0.0
    return strength, output


def _campaign(share: float, rng: np.random.Generator) -> Judgments:
    rows = []
    for number in range(_RANKINGS):
        strength, output = _outputs(share, rng)
        shown = rng.permutation(np.unique(output))[:_SHOWN]
        # Every two outputs shown are judged by themselves: rankings only link the rows here.
        for i, first in enumerate(shown):
            for second in shown[i:]:
                chances = _probabilities(strength[first], strength[second])
                outcome = 0 if first == second else 1 - int(rng.choice(3, p=chances))
                rows += [
                    (f"s{a}", f"s{b}", outcome, str(number), bool(first == second))
                    for a in np.flatnonzero(output == first)
                    for b in np.flatnonzero(output == second)
                    if first != second or a < b
                ]
    columns = ("system_a", "system_b", "outcome", "ranking", "forced")
    return Judgments.from_rows(pl.DataFrame(rows, schema=columns, orient="row"))


def _truth(share: float, rng: np.random.Generator, segments: int = 20_000) -> tuple[FloatArray, ...]:
    """Net preference of every pair over different outputs and over all segments, P(tie) of different outputs.

    And the mean strength of every system's outputs, centred.
    """
    n = len(_FAMILY)
    net, tie, differ = np.zeros((3, n, n))
    mean = np.zeros(n)
    for _ in range(segments):
        strength, output = _outputs(share, rng)
        q = _probabilities(strength[:, None], strength[None])
        different = output[:, None] != output
        net += (q[0] - q[2]) * different
        tie += q[1] * different
        differ += different
        mean += strength / segments
    differ = np.maximum(differ, 1)
    return net / differ, net / segments, tie / differ, mean - mean.mean()


def _simulated(share: float) -> Iterator[tuple[object, ...]]:
    rng = np.random.default_rng(_SEED)
    a, b, tie, strength = _truth(share, rng)
    first, second = np.triu_indices(len(_FAMILY), 1)
    related = _FAMILY[first] == _FAMILY[second]
    errors, forced, missed = np.zeros((2, 3, len(first))), 0.0, np.zeros(2)
    for number in range(_CAMPAIGNS):
        campaign = _campaign(share, rng)
        forced += campaign.forced_ties / len(campaign) / _CAMPAIGNS
        for way, data in enumerate((campaign, campaign.without_forced_ties())):
            ranking = palmares.rank(data, forced_ties="keep", resample="ranking", resamples=200, rng=number)
            found = [line.interval for line in sorted(ranking.lines, key=lambda line: line.system)]
            missed[way] += sum(not low <= truth <= high for (low, high), truth in zip(found, strength, strict=True))
            q = ranking.fit.predict_pairs()[first, second]
            net = q[:, 0] - q[:, 2]
            wrong = (net - a[first, second], net - b[first, second], q[:, 1] - tie[first, second])
            errors[way] += np.abs(np.stack(wrong)) / _CAMPAIGNS
    misses = [f"{100 * m / _CAMPAIGNS / len(_FAMILY):.1f} %" for m in missed]
    for name, pairs in (("within families", related), ("other pairs", ~related)):
        kept, dropped = errors[:, :, pairs].mean(axis=2).round(3)
        few = (f"{share:.0%}", f"{100 * forced:.0f} %", name)
        yield *few, kept[0], dropped[0], kept[1], dropped[1], kept[2], dropped[2], *misses


if __name__ == "__main__":
    main()
