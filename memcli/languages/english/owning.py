"""Statements about somebody of the speaker's own, and not about the speaker."""

from __future__ import annotations

import re

from .words import listed

__all__ = ["of_ones_own"]

#: Who may be somebody's own.
_PEOPLE = frozenset(each for kind in ("female", "male", "either") for each in listed("coreference", kind))
_OPENING = r"(?:and|but|so|oh|well|yes|yeah|no|also|btw|because|since)"
#: What a statement of somebody's own begins with: "my cousin", "our older sister", "my sister's friend", "a colleague
#: of mine"; or "cousin Hilda".
_OWN = re.compile(
    rf"(?:\W*{_OPENING}\b)*\W*(?:(?:my|our) (?:\w+'s )?(\w+)(?: (\w+))?(?!'| and (?:i|me)\b)"
    r"|an? (\w+) (?:of (?:mine|ours)|from work|at work)\b)"
)
_KIN = re.compile(rf"(?i:\W*{_OPENING}\b)*\W*(?P<kin>[a-zA-Z][a-z]+) [A-Z][a-z]+ (?!and (?:I|me)\b)")
#: A word of the speaker himself, in the clause that begins it.
_ONESELF = re.compile(r"[^,;.!?]*\b(?:i|me|we|us|myself|ours?elves)\b")


def of_ones_own(text: str) -> str:
    """Whom of the speaker's own people a text is about, and not himself: "cousin" of "my cousin lives in Kendal"."""
    plain = text.lower().replace("’", "'")
    begins, kin = _OWN.match(plain), _KIN.match(text)
    if not (begins or kin) or _ONESELF.match(plain):
        return ""
    words = [*(begins.groups() if begins else ()), *([kin["kin"].lower()] if kin else ())]
    return next((word for word in words if word in _PEOPLE), "")
