"""How scores and ranges are written wherever people read them."""

from __future__ import annotations


def score_text(value: float | None) -> str:
    """Three decimals, and a real minus sign."""
    # + 0.0 so that what rounds to zero has no sign.
    return "" if value is None else f"{round(value, 3) + 0.0:.3f}".replace("-", "−")


def range_text(span: tuple[int, int] | None) -> str:
    """``3–5``, or ``3`` where both ends are the same."""
    if span is None:
        return ""
    return str(span[0]) if span[0] == span[1] else f"{span[0]}–{span[1]}"
