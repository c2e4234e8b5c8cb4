"""The quality-estimation baseline from files to predictions: training, saving, predicting, and what is refused."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from palmares.cli.score.quality_baseline import baseline
from palmares.compute import Execution
from palmares.errors import InputError
from palmares.report.tables import Grouped, rendered
from palmares.scoring.baseline.model import BaselineModel, load
from palmares.scoring.baseline.regression import Grid
from palmares.scoring.baseline.scores import score_predictions
from palmares.scoring.baseline.training import TrainedBaseline, train_baseline
from palmares.scoring.baseline.training_data import TrainingFiles

pytest.importorskip("sklearn")

SMALL = Grid((0.5, 4.0), (0.005, 0.05), (0.2,))
COMMAND = ("score", "quality-estimation", "baseline")

# -- a translation campaign whose truth is known ---------------------------------------------------


@dataclass(frozen=True)
class Toy:
    """A toy language of words by rank of frequency, and a translator that fails on rare words and long sentences.

    It knows nothing of features: a post-edit undoes what the translator did to each word, and HTER is the share of
    words that it did something to.
    """

    rng: np.random.Generator
    words: int = 600

    def sentence(self) -> list[int]:
        frequencies = 1 / np.arange(1, self.words + 1)
        length = 3 + self.rng.poisson(self.rng.uniform(2, 22))
        return self.rng.choice(self.words, length, p=frequencies / frequencies.sum()).tolist()

    def translated(self, sentence: list[int]) -> tuple[list[int], float]:
        """What the translator makes of a sentence, and the edits that mend it, in percent of the words."""
        output, edits = [], 0
        for word in sentence:
            chance = 0.01 * len(sentence) + (0.35 if word > self.words // 15 else 0.02)
            if self.rng.random() >= chance:
                output.append(word)
                continue
            edits += 1
            fault = self.rng.integers(3)  # left out, another word, said twice
            output += [[], [int(self.rng.integers(self.words))], [word, word]][fault]
        return output, 100 * edits / len(sentence)

    def lines(self, number: int) -> tuple[list[str], list[str], list[str]]:
        rows = []
        for _ in range(number):
            sentence = self.sentence()
            output, hter = self.translated(sentence)
            rows.append((self.text(sentence, "s"), self.text(output, "t"), repr(hter)))
        return tuple(map(list, zip(*rows, strict=True)))  # type: ignore[return-value]

    def text(self, sentence: list[int], language: str) -> str:
        return " ".join([f"{language}{word}" for word in sentence] + ["."])


def write(folder: Path, name: str, lines: list[str]) -> Path:
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path


def make(folder: Path, seed: int, *, train: int = 240, test: int = 160, corpus: int = 800) -> TrainingFiles:
    """The files of a campaign: ``train.*``, ``test.*`` and a parallel corpus."""
    toy = Toy(np.random.default_rng(seed))
    sentences = [toy.sentence() for _ in range(corpus)]
    for side, language in (("source", "s"), ("target", "t")):
        write(folder, f"corpus.{side}", [toy.text(sentence, language) for sentence in sentences])
    for part, number in (("train", train), ("test", test)):
        for name, lines in zip(("source", "target", "hter"), toy.lines(number), strict=True):
            write(folder, f"{part}.{name}", lines)
    names = ("train.source", "train.target", "train.hter", "corpus.source", "corpus.target")
    return TrainingFiles(*(str(folder / name) for name in names))


def lines(path: str | Path) -> list[str]:
    return Path(path).read_text("utf-8").splitlines()


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> TrainingFiles:
    return make(tmp_path_factory.mktemp("campaign"), 1)


@pytest.fixture(scope="module")
def trained(campaign: TrainingFiles) -> TrainedBaseline:
    return train_baseline(campaign, grid=SMALL, resamples=1000, rng=0)


@pytest.fixture
def held_out(campaign: TrainingFiles) -> tuple[list[str], list[str], str]:
    folder = Path(campaign.source).parent
    return lines(folder / "test.source"), lines(folder / "test.target"), str(folder / "test.hter")


# -- training --------------------------------------------------------------------------------------


def test_the_baseline_beats_the_mean_label_on_sentences_it_never_saw(
    trained: TrainedBaseline, held_out: tuple[list[str], list[str], str]
) -> None:
    sources, targets, gold = held_out
    predictions = trained.model.predict(sources, targets)
    scored = score_predictions(
        trained.model, predictions, gold, label="hter", resamples=2000, execution=Execution("serial", seed=0)
    )
    mae = scored.comparison("MAE")
    labels = np.loadtxt(gold)
    mean = np.loadtxt(Path(gold).with_name("train.hter")).mean()
    assert mae.values == pytest.approx([np.abs(predictions - labels).mean(), np.abs(mean - labels).mean()])
    assert mae.values[0] < mae.values[1]
    assert mae.chances[0, 1] <= 0.05  # paired, two-sided
    assert np.corrcoef(predictions, labels)[0, 1] > 0.4


def test_what_was_learned_is_told(trained: TrainedBaseline, campaign: TrainingFiles) -> None:
    shape = trained.to_dict()
    assert shape["sentences"] == 240
    assert [feature["name"] for feature in shape["features"]][:2] == ["words of the source", "words of the translation"]
    lengths = [len(line.split()) for line in lines(campaign.source)]
    first = trained.features[0]
    assert (first.mean, first.deviation) == pytest.approx((np.mean(lengths), np.std(lengths, ddof=1)))
    labels = np.loadtxt(campaign.gold)
    assert first.correlation == pytest.approx(np.corrcoef(lengths, labels)[0, 1])
    assert trained.features[15].correlation is None  # one full stop in every source
    probability = {feature.name: feature.correlation for feature in trained.features}["log10 probability of the source"]
    assert probability is not None
    assert probability < -0.2  # long sentences of rare words are harder
    assert trained.settings.facts == shape["settings"]
    roles = [(file["name"], file["format"], file["records"]) for file in shape["record"]["input"]["files"]]
    assert roles[0] == (campaign.source, "source", 240)
    assert {role for _, role, _ in roles} == {"source", "target", "gold", "source corpus", "target corpus"}
    assert shape["record"]["versions"].keys() >= {"scikit-learn", "numpy"}
    assert "a little too good" in " ".join(trained.notes)


def test_cross_validated_errors_are_of_the_labels(trained: TrainedBaseline, campaign: TrainingFiles) -> None:
    # The mean of four fifths of the labels is near the mean of all, and its error near their mean deviation.
    labels = np.loadtxt(campaign.gold)
    own, mean = trained.comparison("MAE").values
    assert mean == pytest.approx(np.abs(labels - labels.mean()).mean(), rel=0.03)
    assert 0.3 * mean < own < mean
    low, high = trained.comparison("MAE").intervals[1]
    error = np.abs(labels - labels.mean()).std() / np.sqrt(len(labels))
    assert (high - low) / 2 == pytest.approx(1.96 * error, rel=0.12)


def test_the_same_seed_trains_the_same_model(campaign: TrainingFiles, trained: TrainedBaseline) -> None:
    again = train_baseline(campaign, grid=SMALL, resamples=1000, execution=Execution("threads", workers=2, seed=0))
    assert again.to_dict() == trained.to_dict()
    assert again.model.digest == trained.model.digest
    other = train_baseline(campaign, grid=SMALL, resamples=0, rng=1)
    assert other.comparison("MAE").values[0] != trained.comparison("MAE").values[0]
    assert other.comparison("MAE").usable is None


def test_nested_errors_owe_nothing_to_the_search(campaign: TrainingFiles) -> None:
    nested = train_baseline(campaign, grid=SMALL, resamples=0, nested=True, rng=0)
    assert "nested:yes" in nested.signature
    assert not any("too good" in note for note in nested.notes)


def test_translations_of_one_source_are_drawn_and_left_out_together(tmp_path: Path, campaign: TrainingFiles) -> None:
    files = {
        name: str(
            write(tmp_path, f"train.{name}", [line for line in lines(getattr(campaign, name))[:60] for _ in "ab"])
        )
        for name in ("source", "target", "gold")
    }
    twice = train_baseline(replace(campaign, **files), grid=SMALL, resamples=1000, rng=0)
    once = {name: str(write(tmp_path, name, lines(getattr(campaign, name))[:60])) for name in files}
    single = train_baseline(replace(campaign, **once), grid=SMALL, resamples=1000, rng=0)
    # Copies are no evidence: intervals are as wide, and the copy of a sentence is never learned from.
    widths = [np.ptp(each.comparison("MAE").intervals, axis=1) for each in (twice, single)]
    assert widths[0] == pytest.approx(widths[1], rel=0.2)
    assert twice.comparison("MAE").values[1] == pytest.approx(single.comparison("MAE").values[1])
    assert "unit:source sentence" in twice.signature
    assert "only 120 sentences to learn from" in twice.notes


def test_resources_may_be_given_instead_of_made(tmp_path: Path, campaign: TrainingFiles, held_out: tuple) -> None:
    def arpa(name: str, language: str) -> str:
        words = [f"{language}{word}" for word in range(600)]
        entries = [
            "-99\t<s>",
            "-1\t</s>",
            "-4\t<unk>",
            "-1\t.",
            *(f"-{1 + k / 300:g}\t{w}" for k, w in enumerate(words)),
        ]
        head = ["\\data\\", f"ngram 1={len(entries)}", "", "\\1-grams:"]
        return str(write(tmp_path, name, [*head, *entries, "", "\\end\\"]))

    table = [f"t{word} s{word} 0.9" for word in range(600)]
    files = replace(
        campaign,
        target_corpus=None,
        source_model=arpa("s.arpa", "s"),
        target_model=arpa("t.arpa", "t"),
        translations=str(write(tmp_path, "table", table)),
        translation_order="target-source",
    )
    given = train_baseline(files, grid=SMALL, resamples=0, rng=0)
    assert "source_lm:arpa|target_lm:arpa|translations:table target-source" in given.signature
    values = given.model.measure(held_out[0], held_out[1]).values
    words = held_out[0][0].split()
    expected = sum(-1 - int(word[1:]) / 300 if word != "." else -1 for word in words) - 1
    assert values[0, 3] == pytest.approx(expected, abs=1e-4)
    assert values[0, 6] == pytest.approx((len(words) - 1) / len(words))  # one translation each, none of the full stop
    given.model.save(tmp_path / "model")
    assert load(tmp_path / "model").predict(*held_out[:2]).tolist() == given.model.predict(*held_out[:2]).tolist()


def test_a_model_prepares_texts_as_its_training_did(campaign: TrainingFiles, tmp_path: Path, held_out: tuple) -> None:
    lowered = train_baseline(campaign, grid=SMALL, resamples=0, lowercase=True, tokenize="en-de", rng=0)
    lowered.model.save(tmp_path / "model")
    model = load(tmp_path / "model")
    sources, targets, _ = held_out
    shouted = [text.upper().replace(" .", ".") for text in sources], [text.upper() for text in targets]
    assert model.predict(*shouted).tolist() == lowered.model.predict(sources, targets).tolist()
    assert "words:moses en-de|case:lower" in lowered.signature


# -- saving ----------------------------------------------------------------------------------------


def test_a_saved_model_predicts_the_same_to_the_last_bit(
    trained: TrainedBaseline, tmp_path: Path, held_out: tuple[list[str], list[str], str]
) -> None:
    first, second = tmp_path / "a.model", tmp_path / "b.model"
    trained.model.save(first)
    read = load(first)
    sources, targets, _ = held_out
    assert read.predict(sources, targets).tolist() == trained.model.predict(sources, targets).tolist()
    assert (read.digest, read.facts, read.mean) == (trained.model.digest, trained.model.facts, trained.model.mean)
    read.save(second)
    assert first.read_bytes() == second.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.model", "b.model"]


@pytest.fixture
def saved(trained: TrainedBaseline, tmp_path: Path) -> Path:
    trained.model.save(tmp_path / "model")
    return tmp_path / "model"


def entries(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def pack(path: Path, parts: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)


def test_nothing_in_a_model_can_be_run(saved: Path) -> None:
    for name, data in entries(saved).items():
        if name.endswith(".npy"):
            assert np.load(io.BytesIO(data), allow_pickle=False).dtype.kind in "if"
        else:
            data.decode()


@pytest.mark.parametrize("cut", [0, 10, 1000, -1])
def test_a_model_that_is_cut_short_is_refused(saved: Path, cut: int) -> None:
    saved.write_bytes(saved.read_bytes()[:cut])
    with pytest.raises(InputError, match="is no model of the baseline, or damaged"):
        load(saved)


def test_damage_is_noticed_wherever_it_is(saved: Path) -> None:
    whole = saved.read_bytes()
    for place in np.linspace(100, len(whole) - 100, 12, dtype=int):
        saved.write_bytes(whole[:place] + bytes([whole[place] ^ 0x10]) + whole[place + 1 :])
        with pytest.raises(InputError, match="damaged"):
            load(saved)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, "is a model of version 2; this program reads version 1; make it again"),
        ({"intercept": 0.5}, "the model is damaged: its digest is not that of its content"),
        ({"kind": "another"}, "is no model of the baseline"),
    ],
)
def test_other_models_are_refused(saved: Path, change: dict, message: str) -> None:
    parts = entries(saved)
    parts["model.json"] = json.dumps({**json.loads(parts["model.json"]), **change}).encode()
    pack(saved, parts)
    with pytest.raises(InputError, match=message):
        load(saved)


def test_an_exchanged_array_is_noticed(saved: Path) -> None:
    parts = entries(saved)
    buffer = io.BytesIO()
    np.save(buffer, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    pack(saved, {**parts, "regression/weights.npy": buffer.getvalue()})
    with pytest.raises(InputError, match="damaged"):
        load(saved)


@pytest.mark.parametrize("content", [b"", b"{}", b"PK\x03\x04rubbish", b"0.5\n0.6\n"])
def test_files_that_are_no_models_are_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "model").write_bytes(content)
    with pytest.raises(InputError, match="is no model of the baseline"):
        load(tmp_path / "model")


# -- commands --------------------------------------------------------------------------------------


def options(files: TrainingFiles) -> list[str]:
    named = {
        "--source": files.source, "--target": files.target, "--gold": files.gold,
        "--source-corpus": files.source_corpus, "--target-corpus": files.target_corpus,
    }  # fmt: skip
    return [str(part) for pair in named.items() if pair[1] is not None for part in pair]


FAST = ("--c", "0.5,4", "--gamma", "0.005,0.05", "--epsilon", "0.2", "--resamples", "1000")


def test_from_files_to_predictions_on_the_command_line(
    ok: Callable, campaign: TrainingFiles, trained: TrainedBaseline, tmp_path: Path, held_out: tuple
) -> None:
    model = tmp_path / "qe.model"
    result = ok(*COMMAND, "train", *options(campaign), *FAST, "--output", model, "--format", "json")
    (shape,) = result.json
    assert result.err == f"wrote {model}\n"
    assert shape["model_digest"] == trained.model.digest == load(model).digest
    assert shape["measures"] == trained.to_dict()["measures"]
    assert shape["signature"] == trained.signature
    folder = Path(campaign.source).parent
    texts = ("--source", folder / "test.source", "--target", folder / "test.target")
    expected = trained.model.predict(*held_out[:2]).tolist()
    printed = ok(*COMMAND, "predict", "--model", model, *texts)
    assert [float(line) for line in printed.out.splitlines()] == expected
    assert printed.err == ""
    ok(*COMMAND, "predict", "--model", model, *texts, "--output", tmp_path / "p.txt")
    assert (tmp_path / "p.txt").read_text() == printed.out
    scored = ok(*COMMAND, "predict", "--model", model, *texts, "--gold", held_out[2], "--label", "hter",
                "--resamples", 1000, "--format", "json")  # fmt: skip
    (scores,) = scored.json
    assert scores["systems"] == ["baseline", "mean of the training labels"]
    mae = scores["measures"][0]["systems"]["baseline"]["value"]
    assert mae == pytest.approx(np.abs(np.array(expected) - np.loadtxt(held_out[2])).mean())
    assert [file["format"] for file in scores["record"]["input"]["files"]] == [
        "gold labels", "model", "source", "target"
    ]  # fmt: skip
    table = ok(*COMMAND, "features", "--model", model, *texts).out.splitlines()
    assert len(table) == 161
    values = trained.model.measure(*held_out[:2]).values
    assert [float(cell) for cell in table[1].split("\t")] == values[0].tolist()
    assert table[0].split("\t") == [feature.name for feature in trained.features]


def test_every_form_has_the_errors_and_the_notes(trained: TrainedBaseline) -> None:
    own = f"{trained.comparison('MAE').values[0]:.4f}"
    for output in ("table", "markdown", "latex", "json"):
        text = rendered("score quality-estimation baseline", [Grouped(trained)], output).text
        assert "log10 probability of the source" in text
        assert "a little too good" in text
        assert (own if output != "json" else repr(trained.comparison("MAE").values[0].item())) in text
    shown = rendered("score quality-estimation baseline", [Grouped(trained)], "csv")
    assert shown.text.splitlines()[0] == "number,feature,mean,sd,correlation"
    assert len(shown.text.splitlines()) == 18
    assert any(f"MAE: • {own}" in remark for remark in shown.remarks)
    assert shown.remarks[-1] == trained.signature


def test_notes_of_predictions_are_told(ok: Callable, saved: Path, file: Callable[..., Path]) -> None:
    source, target = file("\nNobody knows this.\n", "s"), file("x\n\n", "t")
    result = ok(*COMMAND, "predict", "--model", saved, "--source", source, "--target", target)
    assert len(result.out.splitlines()) == 2
    assert "note: 1 source without a word; their means and shares are 0\n" in result.err
    assert "of source words are unknown to the source's language model" in result.err


def test_the_group_lists_its_commands() -> None:
    text = CliRunner().invoke(baseline, ["--help"]).output
    assert [name for name in ("train", "predict", "features") if f"  {name} " in text] == [
        "train",
        "predict",
        "features",
    ]


@pytest.fixture
def changed(campaign: TrainingFiles, tmp_path: Path) -> Iterator[Callable[..., list[str]]]:
    """The options of training, with other lines in one of the files."""

    def change(name: str, content: str) -> list[str]:
        path = tmp_path / f"other.{name}"
        path.write_text(content, "utf-8")
        return [*options(replace(campaign, **{name: str(path)})), *FAST]

    yield change
    assert not (tmp_path / "model").exists()


HTER = "".join(f"{k}\n" for k in range(240))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("gold", "1\n2\n", r"the files differ in their number of lines"),
        ("gold", "", r"other.gold: the file is empty"),
        ("gold", HTER.replace("17\n", "0,17\n"), r"line 18: got '0,17'; .* write decimals with a point"),
        ("gold", HTER.replace("17\n", "nan\n"), r"line 18: got 'nan'"),
        ("gold", "3\n" * 240, r"all labels are 3; there is nothing to learn"),
        ("target", "one\ntwo\n", r"the files differ in their number of lines"),
        ("target_corpus", "one\ntwo\n", r"the files differ in their number of lines"),
        ("source_corpus", "\n" * 800, r"the corpus is empty"),
    ],
)
def test_wrong_files_are_refused(
    name: str, content: str, message: str, refused: Callable, changed: Callable, tmp_path: Path
) -> None:
    assert re.search(message, refused(*COMMAND, "train", *changed(name, content), "--output", tmp_path / "model"))


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--tokenize", "english"), "tokenize: got 'english'; allowed"),
        (("--c", "1,x"), "--c: got '1,x'; allowed: numbers with commas between them"),
        (("--gamma", "0"), "gamma: got 0.0; allowed: numbers above 0"),
        (("--translations", "nowhere"), "nowhere: no such file"),
        (("--resamples", "5"), "5 resamples are too few"),
        (("--output", "/nowhere/model"), "--output /nowhere/model: there is no folder /nowhere"),
    ],
)
def test_wrong_options_are_refused(more: tuple, message: str, refused: Callable, campaign: TrainingFiles) -> None:
    assert message in refused(*COMMAND, "train", *options(campaign), *FAST, *more)


def test_a_missing_corpus_is_refused(refused: Callable, campaign: TrainingFiles) -> None:
    message = refused(*COMMAND, "train", *options(campaign)[:-2], *FAST)
    assert message.startswith("there is no corpus of the target language; give --target-corpus, or both --target-lm")


def test_few_sentences_are_refused(refused: Callable, campaign: TrainingFiles, tmp_path: Path) -> None:
    few = {n: str(write(tmp_path, n, lines(getattr(campaign, n))[:9])) for n in ("source", "target", "gold")}
    message = refused(*COMMAND, "train", *options(replace(campaign, **few)), *FAST)
    assert "got 9 sentences; training needs at least 10" in message


def test_wrong_predictions_are_refused(refused: Callable, saved: Path, file: Callable[..., Path]) -> None:
    one, two, none = file("a\n", "one"), file("a\nb\n", "two"), file("", "none")
    predict = (*COMMAND, "predict", "--model", saved)
    assert "differ in their number of lines" in refused(*predict, "--source", one, "--target", two)
    assert "none: the file is empty" in refused(*predict, "--source", none, "--target", none)
    assert "--gold and --label belong together" in refused(*predict, "--source", one, "--target", one, "--gold", one)
    other = refused(*COMMAND, "predict", "--model", one, "--source", one, "--target", one)
    assert "is no model of the baseline, or damaged" in other


def test_texts_from_python_must_fit(trained: TrainedBaseline) -> None:
    with pytest.raises(InputError, match="got 2 sources and 1 translations"):
        trained.model.predict(["a", "b"], ["c"])


# -- studies ---------------------------------------------------------------------------------------


def noise(folder: Path, seed: int, sentences: int) -> TrainingFiles:
    """A campaign whose labels have nothing to do with its sentences: normal around 50, deviation 10."""
    files = make(folder, seed, train=sentences, test=1, corpus=150)
    labels = np.random.default_rng(10_000 + seed).normal(50, 10, sentences)
    write(folder, "train.hter", [repr(float(label)) for label in labels])
    return files


@pytest.mark.slow
def test_intervals_of_errors_keep_their_level(tmp_path: Path) -> None:
    """The mean of m labels misses another one by √(2/π) · 10 · √(1 + 1/m) on average."""
    inside, runs, n = 0, 200, 100
    truth = np.sqrt(2 / np.pi) * 10 * np.sqrt(1 + 1 / (0.8 * n))
    for seed in range(runs):
        trained = train_baseline(noise(tmp_path, seed, n), grid=Grid((1.0,), (0.01,), (0.2,)), resamples=1000, rng=seed)
        low, high = trained.comparison("MAE").intervals[1]
        inside += low <= truth <= high
    # 95 % of 200 is 190, with a standard error of 3.1; a bootstrap of 100 skewed errors may be a little short of it.
    assert 178 <= inside <= 199


@pytest.mark.slow
def test_nothing_is_learned_from_noise(tmp_path: Path) -> None:
    """The nested errors seldom say that the baseline is better than the mean label; never mind the search's own."""
    better = {True: 0, False: 0}
    runs, grid = 60, Grid((0.1, 1.0, 10.0), (0.001, 0.01, 0.1), (0.1, 0.5))
    for seed in range(runs):
        files = noise(tmp_path, seed, 100)
        for nested in better:
            trained = train_baseline(files, grid=grid, resamples=1000, nested=nested, rng=seed)
            mae = trained.comparison("MAE")
            better[nested] += bool(mae.values[0] < mae.values[1] and mae.chances[0, 1] <= 0.05)
    # One-sided it is 2.5 % of 60 = 1.5, with a standard error of 1.2.
    assert better[True] <= 5
    assert better[True] <= better[False] + 1
    print(f"better than the mean label by chance: {better}")


@pytest.mark.slow
@pytest.mark.real
def test_on_sentences_of_wmt14(real_data: Path, tmp_path: Path) -> None:
    """The share of words marked as bad in WMT14's Spanish translations. Half of the sources are the corpus.

    As their own corpus, training sentences look so usual that on others the mean label is better (28.6 to 36.2).
    """
    texts: dict[str, dict[str, list[str]]] = {}
    for part in ("train", "test"):
        sources = dict(line.split("\t", 1) for line in lines(real_data / "qe14" / f"EN_ES.source.{part}"))
        words: dict[str, list[list[str]]] = {}
        for line in lines(real_data / "qe14" / f"EN_ES.tgt_ann.{part}"):
            fields = line.split("\t")
            words.setdefault(fields[0], []).append(fields)
        ids = [name for name in sources if name in words]
        texts[part] = {
            "source": [sources[name].strip() for name in ids],
            "target": [" ".join(fields[2] for fields in words[name]) for name in ids],
            "gold": [repr(100 * float(np.mean([fields[-1] == "BAD" for fields in words[name]]))) for name in ids],
        }
        assert len(ids) > 300
    known = set(sorted(set(texts["train"]["source"]))[::2])
    parts: tuple[dict[str, list[str]], ...] = (
        {name: [] for name in texts["train"]},
        {name: [] for name in texts["train"]},
    )
    for row in zip(*texts["train"].values(), strict=True):
        for name, value in zip(texts["train"], row, strict=True):
            parts[row[0] in known][name].append(value)
    files = {name: str(write(tmp_path, name, own)) for name, own in parts[0].items()}
    corpus = {name: str(write(tmp_path, f"corpus.{name}", own)) for name, own in parts[1].items()}
    training = TrainingFiles(**files, source_corpus=corpus["source"], target_corpus=corpus["target"])
    trained = train_baseline(training, tokenize="en-es", resamples=1000, rng=0)
    gold = str(write(tmp_path, "test.gold", texts["test"]["gold"]))
    model: BaselineModel = trained.model
    predictions = model.predict(texts["test"]["source"], texts["test"]["target"])
    scored = score_predictions(
        model, predictions, gold, label="hter", resamples=1000, execution=Execution("serial", seed=0)
    )
    mae = scored.comparison("MAE")
    own, mean = mae.values
    print(f"test MAE {own:.2f}, mean label {mean:.2f}, cross-validation {trained.comparison('MAE').values}")
    assert own < mean
    assert mae.chances[0, 1] < 0.01
