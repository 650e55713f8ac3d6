"""Questions that ask of a person as a whole: "What do you know about Theo?", "Who is Theo?", "How is Theo?"."""

from __future__ import annotations

import re

__all__ = ["asks_of"]

_BEFORE, _WHO = r"^(?:please |so |ok,? |and )?", r"(?P<who>[^\W\d_][\w'’.-]*(?: [\w'’.-]+){0,2}?)"
_ALL = tuple(
    re.compile(rf"{_BEFORE}{form} {_WHO}$", re.IGNORECASE)
    for form in (
        r"who(?:'s| is| was)",
        r"what (?:do|did) (?:you|we|i) (?:already )?know (?:about|of)",
        r"what (?:is|'s) known (?:about|of)",
        r"what (?:can|could) you (?:tell me|say) about",
        r"(?:(?:can|could) you )?(?:tell|show) me(?: everything| all| something| more)?(?: (?:that )?you know)? about",
        r"(?:everything|all)(?: (?:that )?(?:you|we|i) know)? about",
        r"(?:describe|introduce me to)",
    )
)
_LATELY = tuple(
    re.compile(rf"{_BEFORE}{form}(?: lately| recently| these days| nowadays| now)?$", re.IGNORECASE)
    for form in (
        rf"what(?:'s| is) (?:new|up|happening|going on) with {_WHO}",
        rf"what(?:'s| has| is) {_WHO} (?:been )?(?:up to|doing)",
        rf"how(?:'s| is| has) {_WHO}(?: been)?(?: doing| getting on| keeping)?",
        rf"how are things with {_WHO}",
        rf"any news (?:of|from|about) {_WHO}",
    )
)
#: Words that stand for somebody, and are nobody's name.
_POINTING = frozenset("he she it they that this there these those i you we me him her them us someone anyone".split())


def asks_of(question: str) -> tuple[str, bool]:
    """What the person is called of whom everything is asked, and whether only of late; ("", False) for others."""
    plain = " ".join(question.replace("’", "'").split()).rstrip("?!. ")
    for lately, forms in ((False, _ALL), (True, _LATELY)):
        match = next(filter(None, (form.match(plain) for form in forms)), None)
        if match and match["who"].lower() not in _POINTING:
            return match["who"], lately
    return "", False
