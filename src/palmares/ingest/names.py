"""What stands in the place of a name and is none: the words of programs that know no value, and WMT's −1."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

import polars as pl

from ..errors import LossyWriteError
from ..judgments import NAME_COLUMNS, Judgments

#: What programs write where there is no value, in small letters. A system of such a name is a missing system.
NO_VALUE = ("nan", "null", "none", "n/a", "#n/a", "<na>")
#: The same for a segment, judge, ranking or language: WMT's files have −1 where they do not know one.
UNKNOWN = (*NO_VALUE, "-1")

#: Names are hardly ever longer than this, and of more words.
_LONG, _MANY_SPACES = 40, 4


def without(text: pl.Series, nothing: Iterable[str]) -> pl.Series:
    """The names of a column, null where one of these words (in any case) stands for none."""
    return pl.select(pl.when(~text.str.to_lowercase().is_in(list(nothing))).then(text).alias(text.name)).to_series()


def are_texts(values: pl.Series) -> bool:
    """Whether what should be names are texts: long, of many words, and hardly ever the same."""
    texts = values.drop_nulls()
    long = (texts.str.len_chars() > _LONG) & (texts.str.count_matches(r"\s+") >= _MANY_SPACES)
    return len(texts) > 0 and bool(2 * long.sum() > len(texts)) and 2 * texts.n_unique() > len(texts)


def alike(rows: pl.DataFrame) -> tuple[str, ...]:
    """Notes on names of systems and judges that differ only in case, spaces or the form of their characters."""
    columns = {"system": ("system_a", "system_b"), "judge": ("judge",)}
    notes = []
    for kind, among in columns.items():
        present = [rows[name].drop_nulls().unique() for name in among if name in rows.columns]
        of_key: dict[str, list[str]] = {}
        for name in sorted({name for names in present for name in names}):
            of_key.setdefault(_bare(name), []).append(name)
        groups = [names for names in of_key.values() if len(names) > 1]
        if groups:
            shown = "; ".join(" and ".join(map(_visible, names[:4])) for names in groups[:3])
            more = f"; and {len(groups) - 3} more" if len(groups) > 3 else ""
            notes.append(
                f"{kind}s whose names differ only in case, spaces or the form of their characters are counted as "
                f"different: {shown}{more}"
            )
    return tuple(notes)


def _bare(name: str) -> str:
    """A name without what is hardly seen of it."""
    plain = unicodedata.normalize("NFKC", name).casefold()
    return "".join(c for c in plain if not c.isspace() and unicodedata.category(c) != "Cf") or name


def _visible(name: str) -> str:
    """A name such that one composed of other characters looks otherwise."""
    return repr(name) if name == unicodedata.normalize("NFC", name) else ascii(name)


def check_names_are_read(judgments: Judgments) -> None:
    """Refuse to write names that every reader would take for a missing value."""
    for kind in ("system", *NAME_COLUMNS):
        words = NO_VALUE if kind == "system" else UNKNOWN
        lost = [name for name in judgments.names.get(kind, ()) if name.lower() in words]
        if lost:
            raise LossyWriteError(
                f"the {kind} name {lost[0]!r} stands for a missing value in files, so it would not be read back; "
                "rename it"
            )
