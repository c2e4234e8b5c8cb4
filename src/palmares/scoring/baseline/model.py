"""A trained baseline: what predictions are made with, saved in a file and read back.

The file is a ZIP archive of arrays (``.npy``), lists of words and one JSON object. Nothing in it is run when it is
read, and it holds all that predictions need: no corpus, language model or table has to be kept beside it.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import Any

import numpy as np

from ...errors import InputError
from ...ingest.source import put, unpacked
from ...judgments import FloatArray
from ...texts.lines import Path
from .features import FEATURES, Measured, Resources, measured
from .language_model import LanguageModel, Level
from .ngrams import LENGTHS, Frequencies
from .regression import Regression, Scale, Settings
from .translations import Translations
from .words import RESERVED, Preparation, Vocabulary

#: The first entry of the JSON object, and the version of what follows.
_KIND, _VERSION = "palmares quality-estimation baseline", 1
_HEAD = "model.json"
#: The same model is the same file, whenever it is written.
_DATE = (1980, 1, 1, 0, 0, 0)
_MAKE = "make it again with `palmares score quality-estimation baseline train`"


@dataclass(frozen=True)
class BaselineModel:
    """Resources, preparation of texts, and the regression.

    ``facts`` is what the signature of its training said.
    """

    preparation: Preparation
    resources: Resources = field(repr=False)
    regression: Regression = field(repr=False)
    facts: Mapping[str, Any] = field(repr=False)

    def measure(self, sources: Sequence[str], translations: Sequence[str]) -> Measured:
        """The 17 features of sources and their translations."""
        if len(sources) != len(translations):
            raise InputError(f"got {len(sources)} sources and {len(translations)} translations; one of each is needed")
        return measured(self.preparation.source(sources), self.preparation.target(translations), self.resources)

    def predict(self, sources: Sequence[str], translations: Sequence[str]) -> FloatArray:
        """The label of every translation."""
        return self.regression.predict(self.measure(sources, translations).values)

    @property
    def mean(self) -> float:
        """The mean label that it was trained with."""
        return float(self.regression.labels.means)

    @property
    def digest(self) -> str:
        """The SHA-256 of all that it holds."""
        return _digest(self._head(), dict(_parts(self)))

    def save(self, path: Path) -> None:
        """Write it to a file, whole or not at all."""
        head, parts = self._head(), dict(_parts(self))
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=5) as archive:
            whole = {**head, "digest": _digest(head, parts)}
            archive.writestr(_entry(_HEAD), json.dumps(whole, ensure_ascii=False, indent=1))
            for name, data in parts.items():
                archive.writestr(_entry(name), data)
        put(packed.getvalue(), str(path))

    def _head(self) -> dict[str, Any]:
        return {
            "kind": _KIND,
            "version": _VERSION,
            "preparation": asdict(self.preparation),
            "settings": asdict(self.regression.settings),
            "intercept": self.regression.intercept,
            "orders": [self.resources.source_model.order, self.resources.target_model.order],
            "facts": dict(self.facts),
        }


def load(path: Path) -> BaselineModel:
    """Read a model that `BaselineModel.save` wrote; what is damaged or of another version is refused."""
    name, data = unpacked(path)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = {entry: archive.read(entry) for entry in archive.namelist()}
        head = json.loads(parts.pop(_HEAD))
        kind, version = head["kind"], head["version"]
    except (zipfile.BadZipFile, zlib.error, KeyError, ValueError, TypeError, EOFError, NotImplementedError):
        kind = version = None
    if kind != _KIND:
        raise InputError(
            f"{name}: is no model of the baseline, or damaged; give what `palmares score quality-estimation baseline "
            "train --output` wrote"
        )
    if version != _VERSION:
        raise InputError(f"{name}: is a model of version {version}; this program reads version {_VERSION}; {_MAKE}")
    digest = head.pop("digest", None)
    if digest != _digest(head, parts):
        raise InputError(f"{name}: the model is damaged: its digest is not that of its content; {_MAKE}")
    try:
        return _model(head, parts)
    except (KeyError, ValueError, TypeError, IndexError) as error:
        raise InputError(f"{name}: the model is damaged ({error}); {_MAKE}") from None


# -- to parts and back -----------------------------------------------------------------------------


def _parts(model: BaselineModel) -> Iterator[tuple[str, bytes]]:
    """The entries of the archive: vocabularies as lines, arrays as NumPy writes them."""
    resources, regression = model.resources, model.regression
    for side, language in (("source", resources.source_model), ("target", resources.target_model)):
        yield f"{side}/words.txt", _lines(language.vocabulary)
        for n, level in enumerate(language.levels, 1):
            yield f"{side}/keys.{n}.npy", _array(level.keys)
            yield f"{side}/probabilities.{n}.npy", _array(level.probabilities)
            yield f"{side}/backoffs.{n}.npy", _array(level.backoffs)
    yield "frequencies/words.txt", _lines(resources.frequencies.vocabulary)
    for n in range(LENGTHS):
        yield f"frequencies/keys.{n + 1}.npy", _array(resources.frequencies.keys[n])
        yield f"frequencies/counts.{n + 1}.npy", _array(resources.frequencies.counts[n])
    yield "translations/words.txt", _lines(resources.translations.vocabulary)
    yield "translations/often.npy", _array(resources.translations.often)
    yield "translations/ever.npy", _array(resources.translations.ever)
    yield "regression/vectors.npy", _array(regression.vectors)
    yield "regression/weights.npy", _array(regression.weights)
    for name, scale in (("features", regression.features), ("labels", regression.labels)):
        yield f"regression/{name}.means.npy", _array(scale.means)
        yield f"regression/{name}.deviations.npy", _array(scale.deviations)


def _model(head: Mapping[str, Any], parts: Mapping[str, bytes]) -> BaselineModel:
    def array(name: str, kind: type, length: int | None = None) -> Any:
        values = np.lib.format.read_array(io.BytesIO(parts[f"{name}.npy"]), allow_pickle=False)
        if values.dtype != kind or (length is not None and values.shape != (length,)):
            raise ValueError(f"{name}: an array {values.shape} of {values.dtype}")
        return values

    def language(side: str, order: int) -> LanguageModel:
        words = _vocabulary(parts[f"{side}/words.txt"])
        levels = []
        for n in range(1, order + 1):
            keys = array(f"{side}/keys.{n}", np.int64, len(words) if n == 1 else None)
            values = [array(f"{side}/{what}.{n}", np.float64, len(keys)) for what in ("probabilities", "backoffs")]
            levels.append(Level(keys, *values))
        return LanguageModel(words, tuple(levels))

    lengths = range(1, LENGTHS + 1)
    keys = tuple(array(f"frequencies/keys.{n}", np.int64) for n in lengths)
    counts = tuple(array(f"frequencies/counts.{n}", np.int64, len(own)) for n, own in enumerate(keys, 1))
    words = _vocabulary(parts["translations/words.txt"])
    resources = Resources(
        language("source", head["orders"][0]),
        language("target", head["orders"][1]),
        Frequencies(_vocabulary(parts["frequencies/words.txt"]), keys, counts),
        Translations(words, *(array(f"translations/{what}", np.int64, len(words)) for what in ("often", "ever"))),
    )
    vectors = array("regression/vectors", np.float64)
    if vectors.shape[1:] != (len(FEATURES),):
        raise ValueError(f"support vectors of {vectors.shape[1:]} features")

    def scale(name: str) -> Scale:
        return Scale(*(array(f"regression/{name}.{what}", np.float64) for what in ("means", "deviations")))

    regression = Regression(
        settings=Settings(**head["settings"]),
        features=scale("features"),
        labels=scale("labels"),
        vectors=vectors,
        weights=array("regression/weights", np.float64, len(vectors)),
        intercept=float(head["intercept"]),
    )
    return BaselineModel(Preparation(**head["preparation"]), resources, regression, head["facts"])


def _array(values: Any) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.asarray(values), allow_pickle=False)
    return buffer.getvalue()


def _lines(vocabulary: Vocabulary) -> bytes:
    return "\n".join(vocabulary.words).encode()


def _vocabulary(data: bytes) -> Vocabulary:
    words = tuple(data.decode().split("\n"))
    if words[: len(RESERVED)] != RESERVED:
        raise ValueError(f"a list of words begins with {words[0]!r}")
    return Vocabulary(words)


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _DATE)
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def _digest(head: Mapping[str, Any], parts: Mapping[str, bytes]) -> str:
    digest = sha256(json.dumps(head, ensure_ascii=False, sort_keys=True).encode())
    for name in sorted(parts):
        digest.update(f"\0{name}\0{len(parts[name])}\0".encode())
        digest.update(parts[name])
    return digest.hexdigest()
