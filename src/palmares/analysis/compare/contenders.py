"""The models of a comparison: from what was asked for to models with names that tell them apart."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from ...errors import InputError
from ...models import MODELS
from ...models.base import Model, RunsModel, create, settings
from ...ranking.record import fact_text

#: What every comparison shows beside the models, for what they say without looking at who is judged.
FLOORS = ("uniform", "adjusted-uniform")
#: A model whose score is a mean over random runs makes this many under a comparison, which fits it often.
RUNS = 10


def contenders(models: Sequence[str | Model] | None, *, runs: int = RUNS) -> dict[str, Model]:
    """Models by name, the floors among them.

    Parameters
    ----------
    models
        Models, or texts like ``bradley-terry`` or ``bradley-terry:ties=rao-kupper,scale=elo``; None for all that are
        registered.
    runs
        How many runs a model of random runs makes, unless the text says so itself.
    """
    if runs < 1:
        raise InputError(f"runs: got {runs}; allowed: at least 1")
    asked = list(MODELS) if models is None else list(models)
    if not asked:
        raise InputError(f"got no model to compare; give at least one of: {', '.join(MODELS)}")
    made = [_made(model, runs) for model in (*asked, *FLOORS)]
    return {name_of(model): model for model in made}


def names_text(models: Sequence[str | Model] | None, chosen: Mapping[str, Model]) -> str:
    """What was compared, for signatures."""
    return "all" if models is None else "+".join(chosen)


def name_of(model: Model) -> str:
    """The id of a model and, in brackets, those of its settings that are not the usual ones."""
    usual = settings(create(model.id)) if model.id in MODELS else {}
    if isinstance(model, RunsModel):
        # A comparison sets them itself; the signature says how many.
        usual["runs"] = settings(model).get("runs")
    own = [f"{name}={fact_text(value)}" for name, value in settings(model).items() if usual.get(name) != value]
    return model.id + (f"({','.join(own)})" if own else "")


def _made(model: str | Model, runs: int) -> Model:
    if not isinstance(model, str):
        return model
    model_id, _, given = model.partition(":")
    pairs = [pair.partition("=") for pair in given.split(",") if pair]
    if bad := [name for name, sign, value in pairs if not (name and sign and value)]:
        raise InputError(f"model {model!r}: cannot read {bad[0]!r}; allowed: ID, or ID:NAME=VALUE,NAME=VALUE")
    chosen = {name.strip(): value.strip() for name, _, value in pairs}
    made = create(model_id, chosen)
    if isinstance(made, RunsModel) and "runs" not in chosen:
        return dataclasses.replace(made, runs=runs)  # type: ignore[type-var]  # models are dataclasses
    return made
