"""English verbs as far as a change of person needs them: which form a word is, and its third person singular."""

from __future__ import annotations

import re

from .words import listed

__all__ = ["COORDINATED", "agreeing", "is_adverb", "is_past"]

_SPECIAL = {
    "am": "is", "are": "is", "were": "was", "have": "has", "do": "does", "go": "goes", "don't": "doesn't",
    "haven't": "hasn't", "aren't": "isn't", "weren't": "wasn't", "dont": "doesn't",
}  # fmt: skip
# Past forms that do not end in -ed, and forms that are past and present alike.
_PAST = frozenset(listed("verbs", "past"))
_NOT_PAST = frozenset(listed("verbs", "not_past"))
_MODAL = frozenset(listed("verbs", "modal"))
# Words after a subject that are not its verb.
_NO_VERB = frozenset(listed("verbs", "no_verb"))
_ADVERBS = frozenset(listed("verbs", "adverbs"))
_LY_VERBS = frozenset(listed("verbs", "ly_verbs"))
_ING_VERBS = frozenset(listed("verbs", "ing_verbs"))
#: Present forms that, after "and" or "but", go on with the subject's verb and are hardly ever nouns.
COORDINATED = frozenset(listed("verbs", "coordinated"))
_SIBILANT = re.compile(r"(?:s|x|z|ch|sh|o)$")
_Y = re.compile(r"(?<=[^aeiou])y$")


def is_past(word: str) -> bool:
    """Whether a lower-case word, if a verb, is in the past or a form that does not show it."""
    return word in _PAST or (word.endswith("ed") and word not in _NOT_PAST)


def is_adverb(word: str) -> bool:
    """Whether a lower-case word may stand between a subject and its verb."""
    return word in _ADVERBS or (word.endswith("ly") and word not in _LY_VERBS)


def agreeing(verb: str) -> str:
    """The verb in the form that goes with "she", after a lower-case one that went with "I" or "you"."""
    if verb in _SPECIAL:
        return _SPECIAL[verb]
    if is_past(verb) or verb in _MODAL or verb in _NO_VERB or not verb.isalpha():
        return verb
    if verb.endswith("ing") and verb not in _ING_VERBS:
        return verb
    if _Y.search(verb):
        return verb[:-1] + "ies"
    return verb + ("es" if _SIBILANT.search(verb) else "s")
