"""Cells of CSV files that a spreadsheet may open: none of them may be run as a formula."""

from __future__ import annotations

from ..errors import InputError

#: What is done with a text that a spreadsheet would take for a formula: an apostrophe before it, a refusal, nothing.
POLICIES = ("escape", "refuse", "keep")
#: What such a text begins with (https://owasp.org/www-community/attacks/CSV_Injection).
_DANGEROUS = ("=", "+", "-", "@", "\t", "\r", "\n")


def safe_cell(text: str, policy: str = "escape") -> str:
    """A text as it may stand in a CSV file.

    Parameters
    ----------
    text
        The text as it came from outside.
    policy
        One of `POLICIES`. ``escape`` puts an apostrophe before what a spreadsheet would run; ``refuse`` raises an
        `InputError`; ``keep`` leaves it as it is, for programs that read the file.
    """
    if policy not in POLICIES:
        raise InputError(f"cells: got {policy!r}; allowed: {', '.join(POLICIES)}")
    if policy == "keep" or not is_formula(text):
        return text
    if policy == "refuse":
        raise InputError(
            f"cell: got {text!r}, which a spreadsheet would run as a formula; allowed: texts that do not begin with "
            "= + - @, a tab or a line break; change it, or have such cells escaped"
        )
    return f"'{text}"


def is_formula(text: str) -> bool:
    """Whether a spreadsheet would run a text; blanks before the sign do not stop all of them."""
    return text.startswith(_DANGEROUS) or text.lstrip(" ").startswith(_DANGEROUS)
