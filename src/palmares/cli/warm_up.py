"""``palmares warm-up``."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

import click

from ..kernels import KERNELS, Kernel
from ..models import MODELS
from .help import Sectioned

if TYPE_CHECKING:
    from ..design.simulate import SimulatedCampaign


@click.command(
    "warm-up",
    cls=Sectioned,
    examples=(
        "palmares warm-up",
        "palmares warm-up hopkins-may",
    ),
)
@click.argument("models", nargs=-1, metavar="[MODEL]...")
def warm_up(models: tuple[str, ...]) -> None:
    """Compile ahead, everything or the models that are named.

    The default model and most others compile nothing. Those that do, forecasts and plans would otherwise do it when
    they are first used on a machine, and say so. What was compiled is kept until Palmares or numba changes.
    """
    chosen = _chosen(models)
    for number, (name, kernel) in enumerate(chosen, 1):
        click.echo(f"{number}/{len(chosen)} {kernel.name}: ", nl=False)
        begun = time.perf_counter()
        compiled, _ = _used(name, kernel)
        seconds = time.perf_counter() - begun
        click.echo(f"compiled, {seconds:.1f} s" if compiled else "compiled before, nothing to do")
    folders = sorted({folder for _, folder in (_state(name) for name, _ in chosen) if folder})
    if folders:
        click.echo(f"kept in {', '.join(folders)}")
    elif chosen:
        click.echo(
            "not kept: no folder for it can be written to, so every process compiles anew; set NUMBA_CACHE_DIR to one "
            "that can",
            err=True,
        )


def _chosen(models: tuple[str, ...]) -> list[tuple[str, Kernel]]:
    """What there is to compile for these models; for all if there are none."""
    for model in models:
        entry = MODELS[model]  # which refuses what is no model
        if not any(kernel.serves(model) for kernel in KERNELS.values()):
            click.echo(f"{model} compiles nothing: {entry.summary}")
    return [
        (name, kernel)
        for name, kernel in KERNELS.items()
        if not models or any(kernel.serves(model) for model in models)
    ]


def _used(name: str, kernel: Kernel) -> tuple[bool, str | None]:
    """Use a kernel as its models or its task do, on a campaign made up for it; what `_state` then says."""
    log = logging.getLogger("palmares.kernels.compiling")
    log.disabled = True  # what it would say is what this command prints
    try:
        if kernel.task:
            _TASKS[name.partition(".")[0]]()
        else:
            _use_models(kernel.models)
    finally:
        log.disabled = False
    return _state(name)


def _use_models(models: tuple[str, ...]) -> None:
    from ..compute import Execution
    from ..models.by_name import create
    from ..ranking.bootstrap import resample

    judgments = _campaign().judgments
    for model in map(create, models):
        model.fit(judgments, rng=0)
        resample(model.single_run(), judgments, unit="pair", resamples=2, execution=Execution("serial", seed=0))


def _campaign() -> SimulatedCampaign:
    from ..design.simulate import simulate

    return simulate(systems=5, rankings=12, judges=3, segments=4, rng=0)


def _forecast() -> None:
    from ..design.forecast import forecast_of
    from ..ranking.rank import rank

    forecast_of(rank(_campaign().judgments, looks="any", rng=0))


def _plan() -> None:
    from ..design.plan import plan

    plan(_campaign().plan, campaigns=50, rng=0)


def _count() -> None:
    from ..design.simulated_counts import simulate_counts

    simulate_counts(_campaign().plan, 1, rng=0)


#: What uses the kernels of a module that no model calls.
_TASKS: Mapping[str, Callable[[], None]] = {"claiming": _forecast, "rank_ranges": _plan, "simulation": _count}


def _state(name: str) -> tuple[bool, str | None]:
    """Whether this process compiled a kernel, and in which folder it is kept, if any."""
    module, _, function = name.partition(".")
    stats = getattr(import_module(f"palmares.kernels.{module}"), function).stats
    return bool(stats.cache_misses), stats.cache_path
