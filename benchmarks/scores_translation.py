"""Metrics of translations against plain loops and sacrebleu, text for text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
import sacrebleu
from sacrebleu.significance import PairedTest

from palmares.compute import Execution
from palmares.judgments import FloatArray, IntArray
from palmares.scoring.comparison import Comparison, compared
from palmares.scoring.resampling import BLOCK, Sums, Units, resampled
from palmares.scoring.translation import metrics, score, score_translations
from palmares.scoring.translation.errors import Words, coded, covering_disjoint, position_independent, vocabulary
from palmares.scoring.translation.plan import Plan
from palmares.texts import LanguagePair, Segment, TestSet
from palmares.texts.testset import make

from .common import report
from .scores_quality import samples
from .scores_timing import Timed, in_turns

SYSTEMS, SEGMENTS = 10, 3_000
#: TER takes milliseconds for a segment.
_TER_SEGMENTS = 100
_RESAMPLES = 1_000
_VOCABULARY = 20_000


# -- texts -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Texts:
    """References of words as frequent as Zipf has them; systems change, leave out, add and move some."""

    references: list[str]
    outputs: Mapping[str, list[str]]

    @classmethod
    def drawn(cls, systems: int = SYSTEMS, segments: int = SEGMENTS) -> Texts:
        rng = np.random.default_rng(0)
        chances = np.cumsum(1 / np.arange(1, _VOCABULARY + 1))

        def words(count: int) -> list[str]:
            return [f"w{code}" for code in np.searchsorted(chances, rng.random(count) * chances[-1])]

        references = [words(int(length)) for length in np.maximum(rng.poisson(22, segments), 3)]
        outputs = {}
        for number, rate in enumerate(np.linspace(0.2, 0.56, systems)):
            outputs[f"s{number}"] = [" ".join(_changed(each, rate, words, rng)) for each in references]
        return cls([" ".join(each) for each in references], outputs)

    def test_set(self) -> TestSet:
        segments = [Segment(str(n), None, "", text) for n, text in enumerate(self.references)]
        return make(LanguagePair.parse("xh-en"), segments, self.outputs, has_sources=False)


def _changed(reference: Sequence[str], rate: float, words: Any, rng: np.random.Generator) -> list[str]:
    changed: list[str] = []
    for word, chance, other in zip(reference, rng.random(len(reference)) / rate, words(len(reference)), strict=True):
        if chance < 0.4:
            changed.append(other)
        elif chance >= 0.6:
            changed += [word, other] if chance < 0.8 else [word]
    if rng.random() < rate and len(changed) > 6:
        begin, end = sorted(rng.integers(0, len(changed) + 1, 2))
        block, rest = changed[begin:end], changed[:begin] + changed[end:]
        place = rng.integers(0, len(rest) + 1)
        changed = [*rest[:place], *block, *rest[place:]]
    return changed or [reference[0]]


# -- the same, written plainly -----------------------------------------------------------------------


@numba.njit
def plain_cder(hypotheses: IntArray, starts: IntArray, references: IntArray, reference_starts: IntArray) -> IntArray:
    """The recursion as it is written: a whole table for every segment."""
    edits = np.empty(len(starts) - 1, dtype=np.int64)
    for s in range(len(edits)):
        h = hypotheses[starts[s] : starts[s + 1]]
        r = references[reference_starts[s] : reference_starts[s + 1]]
        table = np.empty((len(r) + 1, len(h) + 1), dtype=np.int64)
        for i in range(len(h) + 1):
            table[0, i] = min(i, 1)
        for k in range(1, len(r) + 1):
            table[k, 0] = table[k - 1, 0] + 1
            for i in range(1, len(h) + 1):
                covered = table[k - 1, i - 1] + (r[k - 1] != h[i - 1])
                table[k, i] = min(covered, table[k - 1, i] + 1, table[k, i - 1] + 1)
            least = table[k].min()
            for i in range(len(h) + 1):
                table[k, i] = min(table[k, i], least + 1)
        edits[s] = table[len(r), len(h)]
    return edits


def plain_per(hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]]) -> IntArray:
    errors = [
        max(len(h), len(r)) - (Counter(h) & Counter(r)).total() for h, r in zip(hypotheses, references, strict=True)
    ]
    return np.array(errors)


# -- the table ---------------------------------------------------------------------------------------


def main() -> None:
    texts = Texts.drawn()
    contests = [("CDER", *cder(texts)), ("PER", *per(texts)), *ter(texts), *bleu(texts)]
    rows = [
        [name, peer, ours.cpu, theirs.cpu, theirs.cpu / ours.cpu, equal] for name, peer, ours, theirs, equal in contests
    ]
    report(
        "scores-translation",
        f"Metrics of translations, {SYSTEMS} systems × {SEGMENTS:,} segments",
        ["metric", "peer", "palmares s", "peer s", "peer / palmares", "equal"],
        rows,
        [
            f"About 22 words a segment, systems with 20 to 56 % of words changed; TER of {_TER_SEGMENTS} segments. "
            "One core, seconds spent on it, whatever else ran; in turns, best of 2 (CDER: of 20, PER: of 3). CDER: "
            "words as codes, compiled before; the loop is the same recursion with a whole table, compiled by numba. "
            "PER: words as codes here, split into lists there. TER: sacrebleu 2.6.0 counts the edits here too, once "
            "for segments that are alike but for the names of words; nothing is known before. BLEU: from texts to "
            f"scores and tests, {_RESAMPLES:,} resamples; all 45 pairs are compared here, by themselves and jointly, 9 "
            "with the first system by sacrebleu's `PairedTest`; both count n-grams by sacrebleu. The checks look for "
            "texts in a wrong language or on a wrong line; sacrebleu has none. Resampling alone: of the same samples, "
            "1,024, the scores of all systems. Equal: edits of every segment; scores by BLEU, to the last digit; of "
            "samples, to 1e-6, since sacrebleu adds them up in single precision.",
        ],
    )


Contest = tuple[str, Timed, Timed, str]


def cder(texts: Texts) -> Contest:
    """Edits of all systems."""
    given = _coded(texts)
    works = [
        lambda: [covering_disjoint(*pair) for pair in given],
        lambda: [plain_cder(h.codes, h.starts, r.codes, r.starts) for h, r in given],
    ]
    for work in works:
        work()  # compiled
    ours, plain = in_turns(works, repeats=20)
    return "compiled loop", ours, plain, _word(np.array_equal(ours.result, plain.result))


def per(texts: Texts) -> Contest:
    given = _coded(texts)
    references = [text.split() for text in texts.references]
    outputs = [[text.split() for text in each] for each in texts.outputs.values()]
    ours, plain = in_turns(
        [
            lambda: [position_independent(*pair) for pair in given],
            lambda: [plain_per(each, references) for each in outputs],
        ]
    )
    return "loop with `Counter`", ours, plain, _word(np.array_equal(ours.result, plain.result))


def _coded(texts: Texts) -> list[tuple[Words, Words]]:
    words = vocabulary(texts.references)
    references = coded(texts.references, words)
    return [(coded(each, words), references) for each in texts.outputs.values()]


def ter(texts: Texts) -> list[tuple[str, str, Timed, Timed, str]]:
    """Texts as they are, and lower-cased ones beside them, which differ in nothing that counts here."""
    references = texts.references[:_TER_SEGMENTS]
    outputs = [each[:_TER_SEGMENTS] for each in texts.outputs.values()]
    rows = []
    for name, cases in (("TER", (False,)), ("TER, texts as they are and lower-cased", (False, True))):

        def ours(cases: tuple[bool, ...] = cases) -> list[FloatArray]:
            metrics._edits.cache_clear()
            made = [
                metrics.metric("ter", [references], tokenize="13a", target="en", lowercase=lower) for lower in cases
            ]
            return [each.rows(output) for output in outputs for each in made]

        def theirs(cases: tuple[bool, ...] = cases) -> list[Any]:
            made = [sacrebleu.TER(case_sensitive=not lower, references=[references]) for lower in cases]
            return [each._extract_corpus_statistics(output, None) for output in outputs for each in made]

        own, peer = in_turns([ours, theirs], repeats=2)
        rows.append((name, "sacrebleu", own, peer, _word(np.array_equal(own.result, peer.result))))
    return rows


def bleu(texts: Texts) -> list[tuple[str, str, Timed, Timed, str]]:
    """From texts to tests, with the checks of texts and without; and resampling alone."""
    test_set, execution = texts.test_set(), Execution("serial", seed=0)

    def whole() -> list[float]:
        result = score_translations(
            test_set, metrics=["bleu"], prepare=["original"], resamples=_RESAMPLES, accept=("language",),
            execution=execution,
        )  # fmt: skip
        return _tested(result.comparisons[0])

    def unchecked() -> list[float]:
        plan = Plan.of(test_set, (), ["bleu"], ["original"], None, None, ())
        statistics, values = score._statistics(plan, execution)
        drawn = resampled(statistics, Units.single(SEGMENTS, "segment"), resamples=_RESAMPLES, execution=execution)
        return _tested(compared(plan.measures, test_set.systems, values, drawn, 0.05)[0])

    def theirs() -> list[float]:
        metric = sacrebleu.BLEU(references=[texts.references])
        named = list(texts.outputs.items())
        _, results = PairedTest(named, {"BLEU": metric}, None, test_type="bs", n_samples=_RESAMPLES)()
        return [float(each.score) for each in results["BLEU"]]

    whole()
    own, bare, peer = in_turns([whole, unchecked, theirs], repeats=2)
    return [
        ("BLEU, paired bootstrap", "sacrebleu", bare, peer, _word(bare.result == peer.result)),
        ("the same, with the checks of texts", "sacrebleu", own, peer, _word(own.result == peer.result)),
        ("BLEU, resampling alone", "sacrebleu", *bleu_samples(texts)),
    ]


def _tested(comparison: Comparison) -> list[float]:
    """The scores, once all pairs are compared."""
    assert len(comparison.pairs) == SYSTEMS * (SYSTEMS - 1) // 2
    return [float(value) for value in comparison.values]


def bleu_samples(texts: Texts) -> tuple[Timed, Timed, str]:
    """Scores of samples from the statistics of segments; sacrebleu's expression on the samples drawn here."""
    metric = sacrebleu.BLEU(references=[texts.references])
    rows = [
        np.array(metric._extract_corpus_statistics(each, None), dtype=np.float64) for each in texts.outputs.values()
    ]
    statistic = Sums(np.concatenate(rows, axis=1), score._Values(metrics.bleu_of, len(rows)))
    units, count = Units.single(len(texts.references), "segment"), 4 * BLOCK
    execution = Execution("serial", seed=0)

    def ours() -> FloatArray:
        return resampled({"": statistic}, units, resamples=count, execution=execution)[""]

    def theirs() -> FloatArray:
        picks = np.array(list(samples(units.count, count)))
        stats = [each.astype("float32") for each in rows]
        return np.array([[metric._compute_score_from_stats(s.sum(0)).score for s in each[picks]] for each in stats]).T

    own, peer = in_turns([ours, theirs], repeats=2)
    return own, peer, _word(np.allclose(own.result, peer.result, rtol=1e-6, atol=0))


def _word(equal: bool) -> str:
    return "yes" if equal else "NO"


if __name__ == "__main__":
    main()
