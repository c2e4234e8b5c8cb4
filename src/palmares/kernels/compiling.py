"""The compiler, and a word to the user before he waits for it.

What is compiled is kept on disk, by numba, in the first folder it may write to: ``NUMBA_CACHE_DIR``, ``__pycache__``
beside the kernels, the user's cache. A machine with none compiles in every process.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba.core import event

from . import KERNELS

F = TypeVar("F", bound=Callable[..., Any])

#: Warnings reach standard error unless a program says otherwise, and then it decides.
log = logging.getLogger(__name__)


def compiled(**options: Any) -> Callable[[F], F]:
    """Compile a function on its first call; ``options`` are more of numba's."""

    def decorated(function: F) -> F:
        try:
            return cast(F, numba.njit(nogil=True, cache=True, **options)(function))
        except RuntimeError:  # there is no folder to keep it in
            return cast(F, numba.njit(nogil=True, **options)(function))

    return decorated


class _Teller(event.Listener):  # type: ignore[misc]  # numba has no types
    """Says once in a process what is being compiled; numba tells it only of what is not on disk yet."""

    def __init__(self) -> None:
        self.told: set[str] = set()

    def on_start(self, event: Any) -> None:
        dispatcher = event.data["dispatcher"]
        function = dispatcher.py_func
        package, _, module = function.__module__.rpartition(".")
        kernel = f"{module}.{function.__name__}"
        if package != __package__ or kernel not in KERNELS or kernel in self.told:
            return
        self.told.add(kernel)
        kept = "once" if dispatcher.stats.cache_path else "each time, since no folder to keep it in can be written to"
        known = KERNELS[kernel]
        log.warning("compiling %s for this machine, %s: about %d s", known.name, kept, known.seconds)

    def on_end(self, event: Any) -> None:
        """Nothing more to say."""


event.register("numba:compile", _Teller())
