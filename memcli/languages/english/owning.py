"""Statements about somebody of the speaker's own, and not about the speaker."""

from __future__ import annotations

import re

from .words import listed

__all__ = ["of_ones_own"]

#: Who may be somebody's own.
_PEOPLE = frozenset(each for kind in ("female", "male", "either") for each in listed("coreference", kind))
_OPENING = r"(?:and|but|so|oh|well|yes|yeah|no|also|btw|because|since)"
#: What a statement of somebody's own begins with: "my cousin", "our older sister".
_OWN = re.compile(rf"(?:\W*{_OPENING}\b)*\W*(?:my|our) (\w+)(?: (\w+))?(?!'| and (?:i|me)\b)")
#: A word of the speaker himself.
_ONESELF = re.compile(r"\b(?:i|me|we|us|myself|ours?elves)\b")


def of_ones_own(text: str) -> str:
    """Whom of the speaker's own people a text is about, and not himself: "cousin" of "my cousin lives in Kendal"."""
    plain = text.lower().replace("’", "'")
    begins = _OWN.match(plain)
    if not begins or _ONESELF.search(plain):
        return ""
    return next((word for word in begins.groups() if word in _PEOPLE), "")
