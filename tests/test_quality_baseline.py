"""What the quality-estimation baseline measures and learns, against values worked out by hand and other programs."""

from __future__ import annotations

import gzip
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from palmares.compute import Execution
from palmares.errors import InputError
from palmares.scoring.baseline import translations as translations_module
from palmares.scoring.baseline.arpa import read_arpa
from palmares.scoring.baseline.features import FEATURES, Resources, is_punctuation, measured
from palmares.scoring.baseline.language_model import LanguageModel
from palmares.scoring.baseline.ngrams import Frequencies
from palmares.scoring.baseline.regression import Grid, Scale, Settings, folds_of, learned, searched
from palmares.scoring.baseline.translations import Translations, ibm1, read_translations
from palmares.scoring.baseline.words import Corpus, Preparation, Vocabulary

Make = Callable[..., Path]


def corpus(*lines: str) -> Corpus:
    return Corpus.of([line.split() for line in lines])


# -- the 17 features, by hand ----------------------------------------------------------------------

SOURCE_CORPUS = ("the cat sat .", "the dog sat .", "the cat ran", "a dog", "the cat sat")
SOURCE_ARPA = """\\data\\
ngram 1=9
ngram 2=4

\\1-grams:
-99\t<s>\t-0.3
-1.0\t</s>
-2.0\t<unk>\t-0.25
-0.7\tthe\t-0.2
-0.8\tcat\t-0.4
-0.9\tsat
-1.1\ta\t-0.1
-1.2\tdog
-0.6\t.\t-0.05

\\2-grams:
-0.1\t<s> the
-0.5\tthe cat
-0.6\tsat </s>
-0.01\t. </s>

\\end\\
"""
TARGET_ARPA = """\\data\\
ngram 1=5

\\1-grams:
-99\t<s>
-1.5\t</s>
-3\t<unk>
-0.5\tle
-1\tchien

\\end\\
"""
#: the: 2 above .2, 2 above .01; cat: 1 and 2; sat: 0 (.2 is not above .2) and 2; a: 2 and 2 (.005 is not above .01);
#: dog and the full stop: 1 and 1.
TABLE = """the le .6
the la .4
cat chat .9
cat minou .1
sat assis .2
sat s' .15
a un .5
a une .495
a l' .005
dog chien 1
. . 1
"""


@pytest.fixture
def resources(file: Make) -> Resources:
    return Resources(
        read_arpa(file(SOURCE_ARPA, "source.arpa")),
        read_arpa(file(TARGET_ARPA, "target.arpa")),
        Frequencies.of(corpus(*SOURCE_CORPUS)),
        read_translations(file(TABLE, "table.txt")),
    )


#: Of "the cat sat on a dog ." and "le chat , le chien .".
#: In the corpus: the 4, cat 3, sat 3, "." 2, dog 2, ran 1, a 1. In order 1 1 2 2 3 3 4; the first quartile of 7 ends
#: with number 2 (frequency 1), the third with number 6 (frequency 3): first quartile 1, fourth above 3.
#: Bigrams: the cat 3, cat sat 2, sat . 2, the dog 1, dog sat 1, cat ran 1, a dog 1: 1 1 1 1 2 2 3, likewise 1 and 2.
#: Trigrams: the cat sat 2; cat sat . 1, the dog sat 1, dog sat . 1, the cat ran 1: 1 1 1 1 2, number 2 and number 4: 1.
BY_HAND = {
    "words of the source": 7,
    "words of the translation": 6,
    "letters per source word": (3 + 3 + 3 + 2 + 1 + 3 + 1) / 7,
    # <s> the; the cat; cat sat: b(cat) and sat; sat on: unknown; on a: b(unknown) and a; a dog: b(a) and dog;
    # dog .: no weight, and "."; . </s>
    "log10 probability of the source": -0.1 - 0.5 + (-0.4 - 0.9) - 2.0 + (-0.25 - 1.1) + (-0.1 - 1.2) - 0.6 - 0.01,
    # le, chat (unknown), "," (unknown), le, chien, "." (unknown), </s>
    "log10 probability of the translation": -0.5 - 3 - 3 - 0.5 - 1 - 3 - 1.5,
    "times a word of the translation is in it": 6 / 5,
    "translations per source word, P > 0.2": (2 + 1 + 0 + 0 + 2 + 1 + 1) / 7,
    # Divided by how often the word is in the corpus; "on" is not in it.
    "translations per source word, P > 0.01, by inverse frequency": (2 / 4 + 2 / 3 + 2 / 3 + 0 + 2 / 1 + 1 / 2 + 1 / 2)
    / 7,
    "share of words, first quartile": 1 / 7,  # a
    "share of words, fourth quartile": 1 / 7,  # the
    "share of bigrams, first quartile": 1 / 6,  # a dog
    "share of bigrams, fourth quartile": 1 / 6,  # the cat
    "share of trigrams, first quartile": 0 / 5,
    "share of trigrams, fourth quartile": 1 / 5,  # the cat sat
    "share of distinct words in the corpus": 6 / 7,  # all but "on"
    "punctuation marks of the source": 1,
    "punctuation marks of the translation": 2,
}


def test_the_features_are_those_worked_out_by_hand(resources: Resources) -> None:
    # "the the cat ran": trigrams "the the cat" (0) and "the cat ran" (1, the first quartile); three distinct words.
    sources = [["the", "cat", "sat", "on", "a", "dog", "."], ["the", "the", "cat", "ran"], []]
    targets = [["le", "chat", ",", "le", "chien", "."], ["le"], []]
    values = measured(sources, targets, resources).values
    assert tuple(BY_HAND) == FEATURES
    for place, (name, value) in enumerate(BY_HAND.items()):
        assert values[0, place] == pytest.approx(value, abs=1e-12), name
    second = dict(zip(FEATURES, values[1], strict=True))
    assert second["share of trigrams, first quartile"] == 1 / 2
    assert second["share of words, fourth quartile"] == 2 / 4
    assert second["share of words, first quartile"] == 1 / 4  # ran
    assert second["share of distinct words in the corpus"] == 1
    assert np.all(values[2] == 0)


def test_a_sentence_has_the_same_features_whatever_is_measured_with_it(resources: Resources) -> None:
    sources = [line.split() for line in (*SOURCE_CORPUS, "", "the zebra sat . .")]
    targets = [["le"], [], ["chien", "le"], ["x"], ["le", "le"], [], ["chien"]]
    together = measured(sources, targets, resources).values
    for number in range(len(sources)):
        alone = measured(sources[number : number + 1], targets[number : number + 1], resources).values
        assert np.array_equal(alone[0], together[number])


@pytest.mark.parametrize(
    ("word", "mark"),
    [(".", True), ("...", True), ("¿", True), ("«", True), ("&quot;", True), ("&#91;", True), ("n't", False),
     ("&", True), ("$", False), ("a.", False), ("&amp;", True), ("。", True), ("&x;", False)],
)  # fmt: skip
def test_what_counts_as_punctuation(word: str, mark: bool) -> None:
    assert is_punctuation(word) is mark


def test_texts_prepared_in_another_way_are_noticed(resources: Resources) -> None:
    sources, targets = [["THE", "CAT", "Sat."]] * 3, [["le", "chien"]] * 3
    notes = measured(sources, targets, resources).notes
    assert "100 % of source words are unknown to the source's language model; are both tokenised" in notes[0]
    assert "100 % of source words have no translation" in notes[1]
    assert "50 % of sentences end in a mark that stands on a word" in notes[2]
    assert measured([["the", "cat", "."]], [["le", "chien"]], resources).notes == ()
    assert measured([[], ["the"]], [["le"], []], resources).notes == (
        "1 source without a word; their means and shares are 0",
        "1 translation without a word; their means and shares are 0",
    )


def test_words_become_what_the_preparation_says() -> None:
    assert Preparation().source([" The  cat\tsat. "]) == [["The", "cat", "sat."]]
    assert Preparation(lowercase=True).target(["LE Chat"]) == [["le", "chat"]]
    assert Preparation("en-fr").source(['It isn\'t "so".']) == [["It", "isn", "'t", '"', "so", '"', "."]]
    assert Preparation("en-fr").notes() == ()
    assert Preparation("en-xx").notes() == (
        "Moses' tokeniser has no list of abbreviations for xx; it takes the English one",
    )
    with pytest.raises(InputError, match="tokenize: got 'english'; allowed: the languages of source and target"):
        Preparation("english")


# -- language models -------------------------------------------------------------------------------


def word_chances(model: LanguageModel, sentence: str) -> list[float]:
    """log₁₀ P of every word and of the end."""
    return model.of_words(model.vocabulary.encoded([sentence.split()]).framed())[1:].tolist()


def brute_force(lines: Sequence[str], order: int) -> Callable[[str, Sequence[str]], float]:
    """Interpolated Witten–Bell by its definition, with dictionaries."""
    follow: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for line in lines:
        words = ["<s>", *line.split(), "</s>"]
        for i in range(1, len(words)):
            for n in range(order):
                if i - n >= 0:
                    follow[tuple(words[i - n : i])][words[i]] += 1
    outcomes = len({word for line in lines for word in line.split()} | {"</s>", "<unk>"})

    def chance(word: str, history: Sequence[str]) -> float:
        context = tuple(history)[-(order - 1) :] if order > 1 else ()
        lower = 1 / outcomes if not context else chance(word, context[1:])
        counts = follow.get(context)
        if not counts:
            return lower
        return (counts[word] + len(counts) * lower) / (sum(counts.values()) + len(counts))

    return chance


LINES = ("a b", "a a", "b c a b c", "c", "a b c d e a b", "d d d")


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_an_estimated_model_is_witten_bell(order: int) -> None:
    model = LanguageModel.estimated(corpus(*LINES), order)
    known = brute_force(LINES, order)
    for sentence in (*LINES, "e e a b c a", "x a b y", "d c b a", "<s> a </s>"):
        history, expected = ["<s>"], []
        for word in [*sentence.split(), "</s>"]:
            expected.append(math.log10(known(word, history)))
            history.append(word)
        if "<s>" in sentence:  # signs in a text are words that nobody knows
            expected = [math.log10(known("<unk>", ["<s>"])), math.log10(known("a", ["?"])),
                        math.log10(known("<unk>", ["?", "a"] if order > 2 else ["a"]))]  # fmt: skip
            assert word_chances(model, sentence)[:3] == pytest.approx(expected)
            continue
        assert word_chances(model, sentence) == pytest.approx(expected, abs=1e-12), sentence


def test_an_estimate_by_hand() -> None:
    # "a b", "a a": a 3, b 1 and the end 2 of 6 words, 3 kinds; a uniform 1/4 below (a, b, the end, unknown).
    model = LanguageModel.estimated(corpus("a b", "a a"), 2)
    p_b = (1 + 3 * 1 / 4) / (6 + 3)
    # After a come b, a and the end, once each: 3 of 3 kinds.
    assert word_chances(model, "a b")[1] == pytest.approx(math.log10((1 + 3 * p_b) / (3 + 3)))
    # After an unknown word nothing is known: P(b) itself.
    assert word_chances(model, "x b")[1] == pytest.approx(math.log10(p_b))


@pytest.mark.parametrize("history", ["", "a", "a b", "b c", "d d", "x", "e x", "c a", "</s> q"])
def test_probabilities_add_up_to_one(history: str) -> None:
    model = LanguageModel.estimated(corpus(*LINES), 3)
    place = len(history.split())
    words = [*sorted({word for line in LINES for word in line.split()}), "never-seen"]
    chances = [word_chances(model, f"{history} {word}")[place] for word in words]
    chances.append(word_chances(model, history)[place])  # the end
    assert sum(10**chance for chance in chances) == pytest.approx(1, abs=1e-12)


TRIGRAMS = """
a comment above is allowed

\\data\\
ngram 1=5
ngram 2=4
ngram 3=2

\\1-grams:
-99 <s> -0.5
-1.0 </s>
-0.4 a -0.3
-0.6 b -0.2
-2.5 <UNK>

\\2-grams:
-0.2 <s> a -0.1
-0.3 a b 0.05
-0.7 b a -0.4
-0.25 b </s>

\\3-grams:
-0.05 <s> a b
-0.15 a b </s>

\\end\\
"""


def test_back_off_is_followed_by_hand(file: Make) -> None:
    model = read_arpa(file(TRIGRAMS, "t.arpa"))
    assert model.order == 3
    # a after <s>: the bigram, as there is no longer history. b after <s> a and the end after a b: trigrams.
    assert word_chances(model, "a b") == pytest.approx([-0.2, -0.05, -0.15])
    # b after <s>: b(<s>) + b. a after <s> b: no such history, so the bigram b a. a after b a: b(b a) + b(a) + a.
    # The end after a a: no such history; b(a) + the end.
    assert word_chances(model, "b a a") == pytest.approx([-0.5 - 0.6, -0.7, -0.4 - 0.3 - 0.4, -0.3 - 1.0])
    # a after a b: b(a b) = +.05, and the bigram b a. Unknown after b a: b(b a) + b(a) + unknown; the end after it.
    assert word_chances(model, "a b a z") == pytest.approx([-0.2, -0.05, 0.05 - 0.7, -0.4 - 0.3 - 2.5, -1.0])


def test_compressed_models_and_their_ends_of_line_are_read(file: Make) -> None:
    plain = read_arpa(file(TRIGRAMS, "t.arpa"))
    packed = read_arpa(file(gzip.compress(TRIGRAMS.replace("\n", "\r\n").replace(" ", "\t").encode()), "t.arpa.gz"))
    assert word_chances(packed, "a b a z") == word_chances(plain, "a b a z")


def test_a_closed_model_leaves_unknown_words_out_and_says_so(file: Make, resources: Resources) -> None:
    closed = TRIGRAMS.replace("-2.5 <UNK>\n", "").replace("ngram 1=5", "ngram 1=4")
    model = read_arpa(file(closed, "t.arpa"))
    assert model.closed
    sums, left = model.of_sentences([["a", "z", "b"], ["a", "b"]])
    # z has none; b after an unknown word is b alone; the end after b.
    assert sums == pytest.approx([-0.2 - 0.6 - 0.25, -0.4])
    assert left.tolist() == [1, 0]
    other = Resources(model, resources.target_model, resources.frequencies, resources.translations)
    notes = measured([["a", "z", "b"]], [["le"]], other).notes
    assert any("1 word of the sources not counted in their probability" in note for note in notes)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("\\data\\", "data"), r"line \d+: there is no \\data\\ above; this is not a language model"),
        (("ngram 2=4", "ngram 2=5"), r"line 22: above are 4 2-grams; the head announces 5"),
        (("ngram 2=4\n", ""), r"line 6: got 'ngram 3=2'; expected the number of 2-grams"),
        (("-0.3 a b 0.05", "-0.3 a c 0.05"), r"line 18: 'c' is none of the words of"),
        (("-0.3 a b 0.05", "-0,3 a b 0.05"), r"line 18: got '-0,3 a b 0.05'; the first and the last field"),
        (("-0.3 a b 0.05", "0.3 a b 0.05"), r"line 18: .* logarithms \(base 10\) of at most 0"),
        (("-0.3 a b 0.05", "nan a b 0.05"), r"line 18: .* logarithms"),
        (("-0.3 a b 0.05", "-0.3 a b inf"), r"line 18: .* logarithms"),
        (("-0.3 a b 0.05", "-0.3 a"), r"line 18: got 2 fields; expected a probability, 2 words"),
        (("-0.7 b a -0.4", "-0.7 a b -0.4"), r"line 19: this n-gram is in line 18, too"),
        (("-0.05 <s> a b", "-0.05 a a b"), r"line 23: the shorter n-gram 'a a' is missing"),
        (("-0.6 b -0.2", "-0.6 a -0.2"), r"line 13: 'a' is there twice"),
        (("-1.0 </s>", "-1.0 c"), r"has no word </s>"),
        (("\\3-grams:", "\\4-grams:"), r"line 22: got '\\4-grams:'; expected \\3-grams:"),
        (("\\end\\", ""), r"ends without \\end\\; is the file cut short"),
    ],
)
def test_malformed_models_are_refused_by_line(change: tuple[str, str], message: str, file: Make) -> None:
    assert change[0] in TRIGRAMS
    with pytest.raises(InputError, match=message):
        read_arpa(file(TRIGRAMS.replace(*change), "t.arpa"))


@pytest.mark.parametrize("content", ["", "\n\n", "hello\nworld\n", "\\data\\\n\n\\end\\\n"])
def test_what_is_no_model_is_refused(content: str, file: Make) -> None:
    with pytest.raises(InputError, match=r"t\.arpa: "):
        read_arpa(file(content, "t.arpa"))


# -- translations ----------------------------------------------------------------------------------


def em(pairs: Sequence[tuple[str, str]], iterations: int) -> tuple[dict[tuple[str, str], float], list[float]]:
    """IBM model 1 word by word, and the logarithm of the likelihood before every iteration."""
    split = [(["NULL", *s.split()], t.split()) for s, t in pairs]
    words = {w for _, t in split for w in t}
    chance = defaultdict(lambda: 1 / (len(words)))
    likelihoods = []
    for _ in range(iterations):
        counts: dict[tuple[str, str], float] = defaultdict(float)
        totals: dict[str, float] = defaultdict(float)
        likelihood = 0.0
        for source, target in split:
            for t in target:
                whole = sum(chance[s, t] for s in source)
                likelihood += math.log(whole / len(source))
                for s in source:
                    counts[s, t] += chance[s, t] / whole
                    totals[s] += chance[s, t] / whole
        chance = defaultdict(float, {(s, t): c / totals[s] for (s, t), c in counts.items()})
        likelihoods.append(likelihood)
    return dict(chance), likelihoods


PAIRS = (
    ("das haus", "the house"),
    ("das das buch", "the book the"),
    ("ein buch", "a book"),
    ("ein haus haus", "a house house a"),
    ("klein", "small"),
)


@pytest.mark.parametrize("block", [4_000_000, 5])
@pytest.mark.parametrize("iterations", [1, 2, 7])
def test_model_1_is_the_expectation_maximisation_of_its_definition(
    iterations: int, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(translations_module, "_BLOCK", block)
    source, target = (corpus(*side) for side in zip(*PAIRS, strict=True))
    keys, chances = ibm1(source, target, iterations=iterations)
    expected, likelihoods = em(PAIRS, iterations)
    names = {0: "NULL", **dict(enumerate(source.vocabulary.words[3:], 3))}
    size = len(target.vocabulary)
    found = {(names[k // size], target.vocabulary.words[k % size]): c for k, c in zip(keys, chances, strict=True)}
    assert found == pytest.approx(expected, abs=1e-12)
    assert likelihoods == sorted(likelihoods)


def test_model_1_leaves_out_what_it_cannot_use() -> None:
    source = corpus("das haus", "", "a " * 101, "das buch", "ein")
    target = corpus("the house", "x", "y", "the book", "")
    keys, chances = ibm1(source, target)
    rest_keys, rest = ibm1(corpus("das haus", "das buch"), corpus("the house", "the book"))
    assert len(keys) == len(rest_keys)
    assert sorted(chances) == pytest.approx(sorted(rest))
    with pytest.raises(InputError, match="no pair of sentences of 1 to 100 words"):
        ibm1(corpus("", "a"), corpus("b", ""))


def test_a_fifth_is_not_more_than_a_fifth() -> None:
    # Five translations of equal probability, however often they are iterated, are .2 each: none above .2, five above
    # .01. The word for nothing shares every one of them, and takes no part.
    source, target = corpus(*["w"] * 5), corpus(*"vwxyz")
    counts = Translations.estimated(source, target, iterations=9)
    code = source.vocabulary.numbers["w"]
    assert (counts.often[code], counts.ever[code]) == (0, 5)


def test_tables_are_read_in_both_orders(file: Make) -> None:
    turned = "\n".join(" ".join([t, s, p]) for s, t, p in (line.split() for line in TABLE.splitlines()))
    one = read_translations(file(TABLE, "a.txt"))
    two = read_translations(file(turned + "\nNULL the 0\nle NULL 0.1\n", "b.txt"), order="target-source")
    for word, often, ever in (("the", 2, 2), ("cat", 1, 2), ("sat", 0, 2), ("a", 2, 2), ("dog", 1, 1)):
        for table in (one, two):
            code = table.vocabulary.numbers[word]
            assert (table.often[code], table.ever[code]) == (often, ever), word


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("the le 1.2\n", r"line 1: got 1.2; a probability must lie between 0 and 1"),
        ("the le -0.1\n", r"line 1: got -0.1; a probability must lie"),
        ("the le nan\n", r"line 1: got 'nan'; a probability must be a finite number"),
        ("the le 0,5\n", r"line 1: got '0,5'; .* write decimals with a point"),
        ("the le 0.5\n\nthe la\n", r"line 3: got 2 fields; expected two words and a probability"),
        ("the le 0.5\nthe le 0.4\n", r"line 2: the pair 'the' and 'le' is in line 1, too"),
        ("le the .6\nle a .7\n", r"'le' have probabilities that add up to 1.300; .* --translation-order target-source"),
        ("", r"the file is empty"),
    ],
)
def test_wrong_tables_are_refused(content: str, message: str, file: Make) -> None:
    with pytest.raises(InputError, match=message):
        read_translations(file(content, "table.txt"))


# -- the regression --------------------------------------------------------------------------------


def drawn(n: int, seed: int, columns: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Features on different scales, one of them constant, and labels that depend on two of them."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, columns)) * 10.0 ** np.arange(columns) + 5
    labels = 20 + 3 * np.tanh(values[:, 0] - 5) + (values[:, 1] - 5) / 5 + rng.normal(size=n)
    values[:, -1] = 0.1
    return values, labels


def test_predictions_are_those_of_scikit_learn() -> None:
    svm = pytest.importorskip("sklearn.svm")
    values, labels = drawn(150, 1)
    new = drawn(80, 2)[0]
    new[0, -1] = 7.0
    own = learned(values, labels, Settings(2.0, 0.1, 0.2))
    scale = Scale(values.mean(axis=0), np.where(np.ptp(values, axis=0) > 0, values.std(axis=0), 1.0))
    machine = svm.SVR(C=2.0, gamma=0.1, epsilon=0.2).fit(
        own.features.apply(values), (labels - labels.mean()) / labels.std()
    )
    expected = labels.mean() + labels.std() * machine.predict(own.features.apply(new))
    assert own.predict(new) == pytest.approx(expected, abs=1e-12)
    assert own.features.means[:3] == pytest.approx(scale.means[:3])
    assert own.features.deviations == pytest.approx(scale.deviations)


def test_a_prediction_depends_on_its_own_sentence_alone() -> None:
    values, labels = drawn(150, 1)
    own = learned(values, labels, Settings(2.0, 0.1, 0.2))
    together = own.predict(values)
    assert [float(own.predict(row[None])[0]) for row in values] == together.tolist()
    assert own.predict(values[::-1]).tolist() == together[::-1].tolist()


def test_settings_are_chosen_as_scikit_learn_does() -> None:
    selection = pytest.importorskip("sklearn.model_selection")
    compose = pytest.importorskip("sklearn.compose")
    pipeline = pytest.importorskip("sklearn.pipeline")
    preprocessing = pytest.importorskip("sklearn.preprocessing")
    svm = pytest.importorskip("sklearn.svm")
    values, labels = drawn(100, 3)
    grid = Grid((0.5, 4.0), (0.01, 0.1), (0.1, 0.4))
    folds = folds_of(np.arange(100), 5, Execution("serial", seed=4))
    search = searched(values, labels, folds, grid, Execution("serial", seed=4), nested=True)

    def other(rows: np.ndarray) -> object:
        inner = pipeline.make_pipeline(preprocessing.StandardScaler(), svm.SVR())
        whole = compose.TransformedTargetRegressor(inner, transformer=preprocessing.StandardScaler())
        names = {"C": grid.c, "gamma": grid.gamma, "epsilon": grid.epsilon}
        tried = {f"regressor__svr__{name}": each for name, each in names.items()}
        split = selection.PredefinedSplit(folds[rows])
        return selection.GridSearchCV(whole, tried, cv=split, scoring="neg_mean_absolute_error").fit(
            values[rows], labels[rows]
        )

    everything = other(np.arange(100))
    best = {name.split("__")[-1]: value for name, value in everything.best_params_.items()}
    assert search.chosen.facts == best
    assert np.abs(search.predictions - labels).mean() == pytest.approx(-everything.best_score_, abs=1e-3)
    assert search.nested is not None
    for k in range(5):
        refitted = other(np.flatnonzero(folds != k))
        assert search.nested[folds == k] == pytest.approx(refitted.predict(values[folds == k]), abs=0.05)
        assert search.means[folds == k] == pytest.approx(labels[folds != k].mean())


@pytest.mark.parametrize("place", ["threads", pytest.param("processes", marks=pytest.mark.slow)])
def test_where_the_search_runs_changes_nothing(place: str) -> None:
    values, labels = drawn(60, 5)
    folds = folds_of(np.arange(60), 3, Execution("serial", seed=1))
    grid = Grid((1.0,), (0.01, 0.1), (0.1,))
    one = searched(values, labels, folds, grid, Execution("serial", seed=1))
    two = searched(values, labels, folds, grid, Execution(place, workers=2, seed=1))
    assert one.chosen == two.chosen
    assert one.predictions.tolist() == two.predictions.tolist()


def test_translations_of_one_source_are_in_one_fold() -> None:
    groups = np.repeat(np.arange(20), 3)
    folds = folds_of(groups, 5, Execution("serial", seed=0))
    assert all(len(set(folds[groups == g])) == 1 for g in range(20))
    assert np.bincount(folds).tolist() == [12] * 5
    assert not np.array_equal(folds, folds_of(groups, 5, Execution("serial", seed=1)))
    with pytest.raises(InputError, match="got 3 different source sentences; 5 folds need at least as many"):
        folds_of(np.array([0, 1, 2, 2, 1]), 5, Execution("serial", seed=0))


def test_a_choice_at_an_end_of_the_grid_is_told() -> None:
    grid = Grid((1.0, 2.0, 4.0), (0.1,), (0.1, 0.2))
    assert grid.edges(Settings(4.0, 0.1, 0.1)) == [
        "C = 4 is the largest that was tried",
        "epsilon = 0.1 is the least that was tried",
    ]
    assert grid.edges(Settings(2.0, 0.1, 0.2)) == ["epsilon = 0.2 is the largest that was tried"]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ((0.0, 1.0), "C: got 0.0, 1.0; allowed: numbers above 0"),
        ((), "C: got nothing"),
        ((1.0, 1.0), "each value once"),
    ],
)
def test_wrong_grids_are_refused(wrong: tuple[float, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Grid(c=wrong)


def test_signs_of_language_models_are_no_words_of_a_text() -> None:
    vocabulary = Vocabulary(("<unk>", "<s>", "</s>", "a"))
    assert vocabulary.encoded([["a", "<s>", "</s>", "<unk>", "b"]]).ids.tolist() == [3, 0, 0, 0, 0]
    assert Corpus.of([["<s>", "a"]]).vocabulary.words == ("<unk>", "<s>", "</s>", "a")
