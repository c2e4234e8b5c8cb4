"""What the contract suite runs on: every model of the registry, made quick, and what it is asked."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
import pytest
from builders import random_rows
from matrices import crossed

from palmares import MODELS
from palmares.errors import InputError
from palmares.judgments import Judgments
from palmares.models.base import Fit, Model
from palmares.models.by_name import create

#: Upper limits on settings that only cost time; they change no property.
QUICK = {"tournaments": 500, "runs": 40, "iterations": 200, "burn_in": 50}
#: What `lacks` may name.
PROPERTIES = {"monotone", "duplication", "relabelling", "row order", "symmetric", "update"}
#: Models that have one capability only; every other model ranks and predicts. Written down here so that no declaration
#: can change unnoticed.
RANKS_ONLY = {"expected-wins", "bojar", "orig-wmt", "lopez", "most-probable-ranking", "monte-carlo-playoffs"}
PREDICTS_ONLY = {"uniform", "adjusted-uniform"}
#: Models that read nothing but judgments against one system, which they choose by name among systems that are alike.
AGAINST_BASELINE = {"graded-response", "two-stage"}
#: Settings under which a model refuses data that the suite takes for good, with the reason.
LEFT_OUT = {"bradley-terry prior=none": "maximum likelihood is infinite where a system won everything"}


def variants(name: str) -> Iterator[tuple[str, Model]]:
    """The model with default settings, and with every other choice of a setting that has named choices."""
    fields = dataclasses.fields(MODELS.load(name))
    cut = {f.name: str(min(f.default, QUICK[f.name])) for f in fields if f.name in QUICK}
    yield name, create(name, cut)
    for field in fields:
        for choice in choices(name, field):
            label = f"{name} {field.name}={choice}"
            if choice != str(field.default) and label not in LEFT_OUT:
                yield label, create(name, {**cut, field.name: choice})
    yield from fitted(name, cut)


def fitted(name: str, cut: dict[str, str]) -> Iterator[tuple[str, Model]]:
    """The model with each constant that it can fit fitted, and with all of them."""
    fits = MODELS.load(name).fits
    for wanted in dict.fromkeys([*[(one,) for one in fits], fits]):
        if wanted:
            label = " ".join([name, *[f"{one}=fit" for one in wanted]])
            yield label, create(name, {**cut, **dict.fromkeys(wanted, "fit")})


def choices(name: str, field: dataclasses.Field) -> list[str]:
    """What a switch or a setting with named choices can be: the refusal of any other word lists them."""
    if isinstance(field.default, bool):
        return ["True", "False"]
    if not isinstance(field.default, str) or not field.default:
        return []
    with pytest.raises(InputError, match=f"setting {field.name}: got 'nonsense'; allowed: ") as refusal:
        create(name, {field.name: "nonsense"})
    listed = str(refusal.value).split("allowed: ")[1].split(", ")
    return [choice for choice in listed if " " not in choice]


VARIANTS = {label: model for name in MODELS for label, model in variants(name)}


def _over(wanted: dict[str, Model]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("model", list(wanted.values()), ids=list(wanted))


RANKERS = {label: model for label, model in VARIANTS.items() if model.ranks}

every_model = _over(VARIANTS)
every_ranker = _over(RANKERS)
every_predictor = _over({label: model for label, model in VARIANTS.items() if model.predicts})


def every_ranker_with(names: str, columns: dict[str, tuple[Any, ...]]) -> pytest.MarkDecorator:
    """Every model as it comes with all of these, with its other settings one of these in turn; the rest is slow."""
    return pytest.mark.parametrize(("model", *names.split(", ")), crossed(RANKERS, columns, whole=MODELS))


def needs(model: Model, name: str) -> None:
    """Skip the test if the model says that it lacks a property."""
    if name in model.lacks:
        pytest.skip(f"lacks {name}: {model.lacks[name]}")


def takes_weights(model: Model) -> None:
    """Skip the test if the model declares that it takes no weights."""
    if not model.weights:
        pytest.skip("takes no weights")


def sample(seed: int, **options: object) -> Judgments:
    return Judgments.from_rows(random_rows(np.random.default_rng(seed), **options))


def scores(model: Model, data: Judgments) -> np.ndarray:
    """Scores to compare orders by: of a model that draws at random, the mean over a few seeds."""
    seeds = range(1) if model.ranges_from == "resampling" else range(5)
    return np.mean([model.fit(data, rng=3 + seed).scores for seed in seeds], axis=0)


def by_name(fit: Fit) -> dict[str, float]:
    return dict(zip(fit.systems, fit.scores.tolist(), strict=True))


def order(values: np.ndarray) -> list[int]:
    """Places from 0; scores that differ by rounding only share one."""
    return [int((values > value + 1e-9).sum()) for value in values]


def renamed(judgments: Judgments, names: dict[str, str]) -> Judgments:
    systems = [pl.col(c).replace_strict(names) for c in ("system_a", "system_b")]
    return Judgments.from_rows(judgments.to_rows().with_columns(systems))


def shuffled_names(judgments: Judgments, seed: int) -> dict[str, str]:
    """Every system's name given to another one."""
    shuffled = np.random.default_rng(seed).permutation(judgments.systems).tolist()
    return dict(zip(judgments.systems, shuffled, strict=True))
