"""Names in another script than the text is in: "Gleb" is Глеб, "Karim" كريم, whoever transliterated them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from ..text import STOPWORDS

__all__ = ["may_be_name", "sounding_alike"]

_WORD = re.compile(r"[^\W\d_]+")
#: Scripts that have no capitals: any word of theirs may be a name.
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
#: Consonants that transliterations confuse, or that one script lacks: Arabic writes Polina with a B.
_CONSONANTS = str.maketrans({"c": "k", "q": "k", "x": "ks", "z": "s", "p": "b", "v": "f"})
#: Fewer consonants than these are many names'.
_FEWEST = 2


def sounding_alike(text: str, speakers: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The speakers whose first names `text` spells in another script, each with the word that does.

    A word that might be several speakers' is nobody's.
    """
    foreign = {speaker: first for speaker in speakers if (first := _first(speaker)) and not _is_latin(first)}
    latin = {speaker: first for speaker in speakers if (first := _first(speaker)) and _is_latin(first)}
    for match in _WORD.finditer(text):
        word = match[0]
        others = foreign if _is_latin(word) else latin
        if not others or not may_be_name(word):
            continue
        owners = [speaker for speaker, first in others.items() if _sound(first) == _sound(word)]
        if len(owners) == 1 and _sound(word):
            yield owners[0], word


def _first(speaker: str) -> str:
    return next(iter(_WORD.findall(speaker)), "")


def _is_latin(word: str) -> bool:
    return bool(_LATIN.match(word))


def may_be_name(word: str) -> bool:
    """Whether it has a capital, or is of a script without any."""
    return word[0] != word[0].lower() if word.lower() != word.upper() else True


@lru_cache(maxsize=4096)
def _sound(word: str) -> str:
    """The consonants of a word in Latin letters; empty where it has too few, or is of grammar.

    Vowels are what transliterations differ in most: "Maryam", "Mariam" and "mrym".
    """
    from anyascii import anyascii  # a table a script: read when somebody writes in another

    plain = re.sub(r"[^a-z]", "", anyascii(word).lower())
    spelled = re.sub(r"[aeiouyhw]", "", plain.replace("ph", "f").translate(_CONSONANTS))
    consonants = re.sub(r"(.)\1+", r"\1", spelled)
    return consonants if len(consonants) >= _FEWEST and plain not in STOPWORDS else ""
