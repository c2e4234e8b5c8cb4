"""The errors a user can cause.

Every message says what was received, what is allowed and what to do next. The command line
prints it without a traceback and exits with the error's ``exit_status``.
"""

from __future__ import annotations


class PalmaresError(Exception):
    """Base of every error that is not a bug of this package."""

    exit_status = 2


class InputError(PalmaresError, ValueError):
    """Data or an argument cannot be used as given."""


class LossyWriteError(InputError):
    """A format cannot hold something the judgments contain."""


class UnplaceableError(InputError):
    """Some systems cannot be placed on one scale with the others."""


class MissingExtraError(PalmaresError, ImportError):
    """An optional dependency is not installed."""

    def __init__(self, feature: str, extra: str | None, missing: str) -> None:
        """``extra`` is None for a package that no extra of this one brings along."""
        wanted = missing if extra is None else f"'palmares[{extra}]'"
        super().__init__(
            f"{feature} needs the package {missing!r}, which is not installed; install it with: pip install {wanted}"
        )
        self._made_of = (feature, extra, missing)

    def __reduce__(self) -> tuple[type[MissingExtraError], tuple[str, str | None, str]]:
        # An exception is pickled by its message alone, which is not what this one is made of.
        return type(self), self._made_of


class ConvergenceError(PalmaresError):
    """An iterative fit stopped before it reached its tolerance."""

    exit_status = 3
