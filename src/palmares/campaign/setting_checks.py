"""Checks of settings with a form of their own: names of address parameters, codes, addresses with a code, targets."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from ..errors import InputError

#: Where the code goes in the address of a platform.
CODE = "{code}"
_PARAMETER = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_CODE = re.compile(r"[!-~]{0,100}")
#: What our pages and forms call their own parameters and fields.
_OURS = ("code", "csrf", "ui")


def parameter_name(text: str) -> str:
    """Refuse what cannot be the name of a parameter in an address."""
    if not _PARAMETER.fullmatch(text) or text in _OURS:
        raise ValueError(
            f"got {text!r}; allowed: the name of a parameter in the platform's address, of letters, digits and . _ -, "
            f"other than {', '.join(_OURS)}"
        )
    return text


def plain_code(text: str) -> str:
    """Refuse a code that cannot be typed: nothing, or ASCII without spaces."""
    if not _CODE.fullmatch(text):
        raise ValueError(f"got {text!r}; allowed: up to 100 letters, digits and signs of ASCII without spaces, or none")
    return text


def target_of(text: str) -> str:
    """Refuse what is no target, or one that only a plan can aim at; in its usual form. An empty text is none."""
    if not text.strip():
        return ""
    from ..design.targets import Target  # it knows what a ranking is, and few campaigns have any

    try:
        target = Target.parse(text)
    except InputError as error:
        raise ValueError(str(error).removeprefix("target: ")) from None
    if target.kind == "best" and target.value is not None:
        raise ValueError(f"got {target}, which is for plans, where the truth is known; a campaign can stop at: best")
    return str(target)


def address_with_code(text: str) -> str:
    """Refuse what is not an https address with one ``{code}`` in it; an empty text is none."""
    if not text:
        return text
    try:
        parts = urlsplit(text)
        plain = parts.scheme == "https" and bool(parts.hostname) and parts.username is None
    except ValueError:
        plain = False
    rest = text.replace(CODE, "", 1)
    written = text.isascii() and text.isprintable() and not re.search(r"[\s\"'<>\\{}]", rest)
    if not plain or not written or text.count(CODE) != 1 or CODE in parts.netloc:
        raise ValueError(
            f"got {text!r}; allowed: an address that begins with https:// and has {CODE} once, where the code goes, "
            f"such as https://app.prolific.com/submissions/complete?cc={CODE}"
        )
    return text
