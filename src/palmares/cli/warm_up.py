"""``palmares warm-up``."""

from __future__ import annotations

import logging
import time
from importlib import import_module

import click

from ..kernels import KERNELS, Kernel
from ..models import MODELS


@click.command("warm-up")
@click.argument("models", nargs=-1, metavar="[MODEL]...")
def warm_up(models: tuple[str, ...]) -> None:
    """Compile models ahead, all of them or those that are named.

    The default model and most others compile nothing. Those that do would otherwise do it when they are first used on a
    machine, and say so. What was compiled is kept until Palmares or numba changes.
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
    """Use a kernel as its models do, on a campaign made up for it; what `_state` then says."""
    from ..compute import Execution
    from ..design.simulate import simulate
    from ..models.by_name import create
    from ..ranking.bootstrap import resample

    judgments = simulate(systems=5, rankings=12, judges=3, segments=4, rng=0).judgments
    log = logging.getLogger("palmares.kernels.compiling")
    log.disabled = True  # what it would say is what this command prints
    try:
        for model in map(create, kernel.models):
            model.fit(judgments, rng=0)
            resample(model.single_run(), judgments, unit="pair", resamples=2, execution=Execution("serial", seed=0))
    finally:
        log.disabled = False
    return _state(name)


def _state(name: str) -> tuple[bool, str | None]:
    """Whether this process compiled a kernel, and in which folder it is kept, if any."""
    module, _, function = name.partition(".")
    stats = getattr(import_module(f"palmares.kernels.{module}"), function).stats
    return bool(stats.cache_misses), stats.cache_path
