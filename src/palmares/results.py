"""What every result can do in Python: say in a line what it is, show itself in a notebook, become a data frame.

How results are laid out as tables is known to `palmares.report`, which lies above all of them; the package's
``__init__`` tells this module of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from .errors import MissingExtraError

if TYPE_CHECKING:
    import polars as pl

#: In one line, a name takes no more letters than this.
_LONGEST = 40


@dataclass
class Layouts:
    """How a result becomes HTML, and how the part of it that is asked for becomes a frame."""

    html: Callable[[Any], str] | None = None
    frame: Callable[[Any, str | None], pl.DataFrame] | None = None


#: Filled in by ``palmares/__init__.py``.
LAYOUTS = Layouts()


class Shown:
    """Base of all results that a command prints as tables; ``shown_by`` is that command."""

    shown_by: ClassVar[str]

    @property
    def shown_part(self) -> str | None:
        """The part of the command's tables that a notebook shows; None for the usual one."""
        return None

    def _repr_html_(self) -> str:
        assert LAYOUTS.html is not None  # importing anything of the package runs its __init__
        return LAYOUTS.html(self)

    def table(self, part: str | None = None) -> pl.DataFrame:
        """The rows of the command's CSV as a polars frame.

        Parameters
        ----------
        part
            What the command has an option for: ``pairs`` or ``probabilities`` of a ranking, ``judges`` of an agreement,
            ``findings``, ``claims`` or ``details`` of an audit, ``systems`` of an overview, ``calibration`` of a
            comparison.
        """
        assert LAYOUTS.frame is not None
        return LAYOUTS.frame(self, part)

    def to_pandas(self, part: str | None = None) -> Any:
        """The same as `table`, as a pandas frame; pandas must be installed."""
        try:
            pd = import_module("pandas")
        except ImportError:
            raise MissingExtraError("to_pandas()", None, "pandas") from None
        import polars as pl

        columns = self.table(part).get_columns()
        # Not polars' own way, which needs pyarrow too.
        return pd.DataFrame({c.name: c.to_list() if c.dtype in (pl.String, pl.Null) else c.to_numpy() for c in columns})

    def _line(self, text: str, lang_pair: str | None = None) -> str:
        """``<Ranking fr-en: …>``"""
        return f"<{type(self).__name__}{f' {brief(lang_pair)}' if lang_pair else ''}: {text}>"


def brief(name: str) -> str:
    """A name for a line of text: long ones lose their middle."""
    half = _LONGEST // 2
    return name if len(name) <= _LONGEST else f"{name[: half - 1]}…{name[-half:]}"


def counted(number: float, word: str) -> str:
    """``1 system``, ``1,200 systems``, ``2 queries``."""
    plural = f"{word[:-1]}ies" if word.endswith("y") and word[-2:-1] not in "aeiou" else f"{word}s"
    return f"{number:,.0f} {word if number == 1 else plural}"
