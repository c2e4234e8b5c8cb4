"""Make the files of a small year of shared tasks, whose truth is known: python examples/shared_tasks.py FOLDER

A toy world: sentences of a small grammar in French, word by word in English, translated by five systems that go wrong
more or less often. People rank the outputs, post-edit those of one system and mark its wrong words; programs predict
that; and translated queries search a collection. Nothing here imports palmares.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

#: English and French.
PEOPLE = {"nurse": "infirmière", "doctor": "médecin", "patient": "malade", "child": "enfant", "mother": "mère"}
VERBS = {"examines": "examine", "helps": "aide", "calls": "appelle", "watches": "observe", "treats": "traite"}
ILLS = {
    "fever": "fièvre", "cough": "toux", "wound": "blessure", "burn": "brûlure", "rash": "éruption", "asthma": "asthme",
    "fracture": "fracture", "infection": "infection", "allergy": "allergie", "swelling": "enflure", "flu": "grippe",
    "anaemia": "anémie",
}  # fmt: skip
CURES = {
    "bandage": "pansement", "tablet": "comprimé", "vaccine": "vaccin", "syrup": "sirop", "injection": "piqûre",
    "ointment": "pommade",
}  # fmt: skip
HOW = {"today": "aujourd'hui", "tomorrow": "demain", "slowly": "lentement", "carefully": "prudemment", "early": "tôt"}
SMALL = {"the": "le", "with": "avec", "after": "après", "and": "et", ".": "."}
LEXICON = {**PEOPLE, **VERBS, **ILLS, **CURES, **HOW, **SMALL}
#: Systems and how often they get a word wrong.
SYSTEMS = {"atlas": 0.06, "borea": 0.08, "cirrus": 0.15, "delta": 0.22, "eos": 0.30}
#: What becomes of a wrong word, as annotators name it: type of error, and what it is at level 1.
ERRORS = {"Mistranslation": "Accuracy", "Untranslated": "Accuracy", "Word_order": "Fluency", "Agreement": "Fluency"}
DOCUMENT = 5  # sentences


@dataclass(frozen=True)
class Word:
    """A word of an output: what stands there, what should, and the type of error, if it is one."""

    text: str
    right: str
    error: str = "OK"


def english(rng: Random, ill: str | None = None) -> list[str]:
    """A sentence, about an illness if it is named."""

    def one(words: dict[str, str]) -> str:
        return rng.choice(list(words))

    words = ["the", one(PEOPLE), one(VERBS), "the", one(PEOPLE), "with", "the", ill or one(ILLS)]
    if ill is None and rng.random() < 0.5:
        words += ["and", "the", one(ILLS)]
    if rng.random() < 0.5:
        words += ["after", "the", one(CURES)]
    return [*words, one(HOW), "."]


def french(words: Sequence[str]) -> str:
    return " ".join(LEXICON[word] for word in words)


def translated(words: Sequence[str], rate: float, rng: Random) -> list[Word]:
    """The output of a system; long words are harder, and so are some sentences."""
    hard = rng.betavariate(2, 2) * 2
    output = []
    for word in words:
        wrong = word != "." and rng.random() < rate * hard * (0.6 if len(word) < 5 else 1.4)
        error = rng.choice(list(ERRORS)) if wrong else "OK"
        text = {
            "Mistranslation": rng.choice(sorted(LEXICON)),
            "Untranslated": LEXICON[word],
            "Agreement": f"{word}s",
        }.get(error, word)
        output.append(Word(text, word, error))
    for i in range(len(output) - 2):
        if output[i].error == "Word_order":
            output[i], output[i + 1] = output[i + 1], output[i]
    return output


def text(output: Sequence[Word]) -> str:
    return " ".join(word.text for word in output)


def as_written(tokens: str) -> str:
    """With a capital at the beginning and no space before the full stop."""
    return tokens[0].upper() + tokens[1:].replace(" .", ".")


def wrongness(output: Sequence[Word]) -> float:
    return sum(word.error != "OK" for word in output) / len(output)


def make(folder: Path, seed: int = 14) -> None:
    """Write everything into a folder."""
    rng = Random(seed)
    sentences = [english(rng) for _ in range(300)]
    outputs = {name: [translated(words, rate, rng) for words in sentences] for name, rate in SYSTEMS.items()}
    _texts(folder / "texts", sentences, outputs)
    _write(folder / "judgments.csv", _judgments(outputs, rng))
    _quality(folder / "quality", sentences, outputs["delta"], rng)
    _training(folder / "training", rng)
    _search(folder / "search", rng)


def _texts(folder: Path, sentences: list[list[str]], outputs: dict[str, list[list[Word]]]) -> None:
    """Source, reference and outputs as people write; one system has no capitals."""
    _write(folder / "source.txt", (as_written(french(words)) for words in sentences))
    _write(folder / "reference.txt", (as_written(" ".join(words)) for words in sentences))
    _write(folder / "documents.txt", (f"article-{i // DOCUMENT + 1}" for i in range(len(sentences))))
    for name, output in outputs.items():
        written = (as_written(text(each)) for each in output)
        _write(folder / f"{name}.txt", (each.lower() for each in written) if name == "cirrus" else written)


def _judgments(outputs: dict[str, list[list[Word]]], rng: Random) -> list[str]:
    """Pairs of outputs of a segment, judged by people who see most of what is wrong; equal ones are ties."""
    lines = ["judge,segment,ranking,system_a,system_b,outcome"]
    for ranking in range(240):
        judge, segment = f"judge-{rng.randrange(8) + 1}", rng.randrange(300)
        seen = {name: round(5 * wrongness(o[segment]) + rng.gauss(0, 0.35), 1) for name, o in outputs.items()}
        names = sorted(rng.sample(list(outputs), 4))
        for i, a in enumerate(names):
            for b in names[i + 1 :]:
                outcome = "tie" if abs(seen[a] - seen[b]) < 0.2 else "a" if seen[a] < seen[b] else "b"
                lines.append(f"{judge},{segment + 1},{ranking + 1},{a},{b},{outcome}")
    return lines


def _quality(folder: Path, sentences: list[list[str]], outputs: list[list[Word]], rng: Random) -> None:
    """One system's outputs with post-edits, marked words, and what three programs predict of both."""
    _write(folder / "source.fr", map(french, sentences))
    _write(folder / "target.en", map(text, outputs))
    _write(folder / "post-edited.en", map(" ".join, sentences))
    for name, noise in {"quest": 0.06, "seer": 0.10, "dice": 0.30}.items():
        scores = (min(1.0, max(0.0, wrongness(o) + rng.gauss(0, noise))) for o in outputs)
        _write(folder / f"{name}.hter", (f"{100 * score:.2f}" for score in scores))
    _write(folder / "words.gold", _labels(outputs, [[word.error for word in o] for o in outputs]))
    for name, slips in {"quest": 0.08, "seer": 0.16}.items():
        kinds = ["OK", *ERRORS]
        guesses = [[rng.choice(kinds) if rng.random() < slips else word.error for word in o] for o in outputs]
        _write(folder / f"{name}.words", _labels(outputs, guesses))


def _labels(outputs: list[list[Word]], labels: list[list[str]]) -> list[str]:
    """Segment, number of the word, word, and its label from fine to coarse, between tabs."""
    lines = []
    for segment, (output, each) in enumerate(zip(outputs, labels, strict=True)):
        for place, (word, label) in enumerate(zip(output, each, strict=True)):
            coarse = ("OK", "OK") if label == "OK" else (ERRORS[label], "BAD")
            lines.append("\t".join([str(segment), str(place), word.text, label, *coarse]))
    return lines


def _training(folder: Path, rng: Random) -> None:
    """Another system's outputs with their post-edits, and a parallel corpus: what a baseline learns from."""
    sentences = [english(rng) for _ in range(400)]
    _write(folder / "source.fr", map(french, sentences))
    _write(folder / "target.en", (text(translated(words, 0.22, rng)) for words in sentences))
    _write(folder / "post-edited.en", map(" ".join, sentences))
    corpus = [english(rng) for _ in range(2000)]
    _write(folder / "corpus.fr", map(french, corpus))
    _write(folder / "corpus.en", map(" ".join, corpus))


def _search(folder: Path, rng: Random) -> None:
    """A collection, queries in English, their translations by two systems, and what is relevant to them."""
    about = [rng.choice(list(ILLS)) for _ in range(600)]
    collection = [[*english(rng, ill), *english(rng, ill), *english(rng)] for ill in about]
    _write(folder / "documents.tsv", (f"doc-{i + 1}\t{' '.join(words)}" for i, words in enumerate(collection)))
    queries = [(ill, cure) for ill in ILLS for cure in CURES]
    _write(folder / "queries.tsv", (f"q{i + 1}\t{ill} after {cure}" for i, (ill, cure) in enumerate(queries)))
    for system in ("atlas", "eos"):
        _write(folder / f"{system}.en", (text(translated(query, 2 * SYSTEMS[system], rng)) for query in queries))
    _write(
        folder / "qrels.txt",
        (
            f"q{i + 1} 0 doc-{k + 1} {1 + (cure in words)}"  # highly relevant with the cure
            for i, (ill, cure) in enumerate(queries)
            for k, words in enumerate(collection)
            if about[k] == ill
        ),
    )


def _write(path: Path, lines: Iterable[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python examples/shared_tasks.py FOLDER")
    make(Path(sys.argv[1]))
