"""Which of the known names a text mentions, and how it spells them. Rules that hold for every language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from ..model import Named, Spelling
from ..text import content_stems, stem, words

__all__ = ["in_full", "named", "stems_beside", "without"]

_ROLES = frozenset(("user", "assistant", "system", "unknown", "tool"))
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
#: "Mel" is Melanie: so much of a first name, written with a capital, stands for it.
_SHORTEST = 3


def in_full(text: str, names: Iterable[str]) -> Iterator[str]:
    """Which of `names` the text holds as whole words, in any case, each once."""
    low = text.lower()
    for name in dict.fromkeys(names):
        if name.strip() and re.search(rf"(?<!\w){re.escape(name.lower())}(?!\w)", low):
            yield name


def named(text: str, speakers: Sequence[str]) -> tuple[Named, ...]:
    """Each mention of a speaker: by the first name in any case, or by a part or the beginning of a name with a capital.

    In the order of the text; those by first name alone come last, in the order of `speakers`. Roles are no names.
    """
    capital = list(_capital(text, speakers))
    low = text.casefold()
    first = [speaker for speaker in speakers if _by_first_name(low, speaker)]
    found = [Named(who, word, Spelling.NAME if who in first else Spelling.PART) for who, word in capital]
    known = {who for who, _ in capital}
    return (*found, *(Named(who, "", Spelling.ANY_CASE) for who in first if who not in known))


def _by_first_name(low: str, speaker: str) -> bool:
    first = next(iter(speaker.casefold().split()), "")
    return len(first) > 1 and first not in _ROLES and bool(re.search(rf"\b{re.escape(first)}\b", low))


def _capital(text: str, speakers: Sequence[str]) -> Iterator[tuple[str, str]]:
    for match in _WORD.finditer(text):
        word = re.sub(r"['’]s$", "", match.group())
        owner = next((speaker for speaker in speakers if _stands_for(word, speaker)), None)
        if owner:
            yield owner, word


def _stands_for(word: str, speaker: str) -> bool:
    if not speaker or speaker.lower() in ("user", "assistant"):
        return False
    first = speaker.split(maxsplit=1)[0]
    if word.lower() in (part.lower() for part in speaker.split()):
        return word[0].isupper() or speaker.islower()
    return len(word) >= _SHORTEST and word[0].isupper() and first.lower().startswith(word.lower())


def without(text: str, names: Iterable[str]) -> str:
    """`text` without these names, whole or first, and what their possessives leave."""
    for name in names:
        first = name.split()[0]
        pattern = "|".join(re.escape(n) for n in dict.fromkeys((name, first)))
        text = re.sub(rf"\b(?:{pattern})(?:'s|’s)?(?!\w)", "", text, flags=re.IGNORECASE)
    return re.sub(r"\s+", " ", text).strip()


def stems_beside(text: str, mentioned: Iterable[Named]) -> tuple[str, ...]:
    """The content stems of `text` that are of no name as it is written there, each once: what carries a question."""
    written = [name for each in mentioned if each.word for name in (each.word, each.speaker)]
    taken = {stem(part) for name in written for part in words(name)}
    return tuple(dict.fromkeys(s for s in content_stems(text) if s not in taken))
