"""How scores and ranges are written wherever people read them."""

from __future__ import annotations


def score_text(value: float | None) -> str:
    """Three decimals, one where a score is in the hundreds (Elo), and a real minus sign."""
    if value is None:
        return ""
    digits = 1 if abs(value) >= 100 else 3
    # + 0.0 so that what rounds to zero has no sign.
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")


def range_text(span: tuple[int, int] | None) -> str:
    """``3–5``, or ``3`` where both ends are the same."""
    if span is None:
        return ""
    return str(span[0]) if span[0] == span[1] else f"{span[0]}–{span[1]}"


def interval_text(span: tuple[float, float] | None) -> str:
    """``[−0.1, 0.25]`` with three decimals; in brackets, because a dash would read as a minus."""
    return "" if span is None else f"[{score_text(span[0])}, {score_text(span[1])}]"


def level_text(p: float) -> str:
    """``95 %`` for p = .05."""
    return f"{100 * (1 - p):g} %"
