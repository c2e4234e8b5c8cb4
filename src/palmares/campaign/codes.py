"""Codes that people read and type: to come back with, and to show that the work is done."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets

#: Letters and digits that are not taken for each other.
ALPHABET = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
#: 31 to the power of 12 is 59 bits: enough where wrong codes are limited.
_RESUME_LENGTH = 12
_COMPLETION_LENGTH = 10


def resume_code(key: str, secret: str, worker: str | None) -> str:
    """The code that a browser's secret gives for a worker: the same each time, and another for another worker."""
    number = int(_keyed(key, f"resume\0{secret}\0{worker or ''}"), 16)
    letters = []
    for _ in range(_RESUME_LENGTH):
        number, letter = divmod(number, len(ALPHABET))
        letters.append(ALPHABET[letter])
    return "".join(letters)


def completion_code() -> str:
    """A code of its own for one worker."""
    return "".join(secrets.choice(ALPHABET) for _ in range(_COMPLETION_LENGTH))


def code_digest(key: str, code: str) -> str:
    """What the database keeps of a code."""
    return _keyed(key, f"code\0{code}")


def as_typed(text: str) -> str:
    """A code as people type it, with or without dashes, in letters of any size."""
    return re.sub(r"[^A-Z0-9]", "", text[:100].upper())


def in_groups(code: str) -> str:
    """A code as people read it: ``ABCD-EFGH-JKMN``."""
    return "-".join(code[start : start + 4] for start in range(0, len(code), 4))


def _keyed(key: str, text: str) -> str:
    return hmac.new(key.encode(), text.encode(), hashlib.sha256).hexdigest()
