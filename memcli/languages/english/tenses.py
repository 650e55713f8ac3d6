"""Base forms and past forms of English verbs, as far as answers are completed and events typed with them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain

from ...text import content_stems
from .verbs import agreeing, is_past
from .words import listed

__all__ = ["base_form", "forms", "past_form"]

_IRREGULAR = dict(pair.split("-") for pair in listed("tenses", "irregular"))
_BASES = {past: base for base, past in _IRREGULAR.items()} | {
    "is": "be", "am": "be", "are": "be", "were": "be", "been": "be", "has": "have", "does": "do", "done": "do",
    "gone": "go", "seen": "see", "taken": "take", "given": "give", "written": "write", "gotten": "get", "says": "say",
    "goes": "go", "ended": "end", "used": "use",
}  # fmt: skip
#: Words in all their forms that have stems of their own: each verb with its past and its participle, nouns in number.
_PARTICIPLES = dict(pair.split("-") for pair in listed("tenses", "participles"))
_NUMBERED = [pair.split("-") for pair in listed("tenses", "plurals")]
_Y = re.compile(r"(?<=[^aeiou])y$")
_DOUBLING = re.compile(r"^[^aeiou]*[aeiou][bdgmnprt]$")
_DOUBLED = re.compile(r"(bb|dd|gg|mm|nn|pp|rr|tt)$")
_SILENT_E = re.compile(
    r"(?:[aeiou][cgsvz]|[cg]|[bcdgkptz]l|[^aeiou][aiou][rdk]|[^aeiou][ao]t|[iu]at|[^aeiou][aio]m|[^aeiou]in|"
    r"[^aeiou][aiou]p|u)$"
)


def past_form(verb: str) -> str:
    """The past of a lower-case base form: "adopt" gives "adopted", "go" gives "went"."""
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb.endswith("e"):
        return verb + "d"
    if _Y.search(verb):
        return verb[:-1] + "ied"
    return (verb + verb[-1:] if _DOUBLING.match(verb) else verb) + "ed"


def base_form(verb: str) -> str:
    """About the base form of a lower-case verb: "adopted", "adopts" and "adopting" give "adopt"."""
    if verb in _BASES:
        return _BASES[verb]
    if is_past(verb) and verb.endswith("ed"):
        return "".join((verb[:-3], "y")) if verb.endswith("ied") else _bare(verb[:-2])
    if verb.endswith("ing") and len(verb) > 5:
        return _bare(verb[:-3])
    return next((c for c in _candidates(verb) if agreeing(c) == verb), verb)


def forms(stem: str) -> Sequence[str]:
    """The stems of the other forms of an irregular verb or noun: of "find" "found"; none of any other word."""
    return _forms().get(stem, ())


@lru_cache(maxsize=1)
def _forms() -> Mapping[str, Sequence[str]]:
    verbs = [(base, past, _PARTICIPLES.get(base, past)) for base, past in _IRREGULAR.items()]
    found: dict[str, dict[str, None]] = {}
    for words in (*verbs, *_NUMBERED):
        stems = list(dict.fromkeys(chain.from_iterable(map(content_stems, words))))
        for stem in stems:
            found.setdefault(stem, {}).update((other, None) for other in stems if other != stem)
    return {stem: tuple(others) for stem, others in found.items()}


def _bare(stem: str) -> str:
    if _DOUBLED.search(stem):
        return stem[:-1]
    if stem in _IRREGULAR:
        return stem
    return stem + "e" if _SILENT_E.search(stem) and len(stem) > 2 else stem


def _candidates(verb: str) -> tuple[str, ...]:
    if not verb.endswith("s") or verb.endswith("ss"):
        return ()
    return (verb[:-3] + "y", verb[:-2], verb[:-1]) if verb.endswith("es") else (verb[:-1],)
