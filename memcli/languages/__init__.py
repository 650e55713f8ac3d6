"""The wings: what memcli knows of each language, one package a language, all behind `Language`.

`language` is the registry by code; `spoken` says whose rules to go by. What a language lacks is answered by rules that
hold for all. memcli is English first: what no language claims is read as English.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from ..errors import UsageError
from ..extensions import Extensible
from .base import Language

__all__ = ["DEFAULT", "LANGUAGES", "Language", "language", "spoken"]

DEFAULT = "en"
#: The languages by their code (BCP 47), each a subclass of `Language`.
LANGUAGES = Extensible("memcli.languages", {DEFAULT: "memcli.languages.english:English"})
#: A language is taken for the one that is spoken from this claim on.
_CLAIMED = 0.5


@lru_cache
def language(code: str) -> Language:
    """The language called `code`. Raises UsageError."""
    if code not in LANGUAGES:
        raise UsageError(f"unknown language {code!r}", f"choose one of: {', '.join(LANGUAGES.names())}")
    made: Language = LANGUAGES.make(code)
    return made


def spoken(texts: Iterable[str]) -> Language:
    """The language that claims these texts most, if one claims them; else the default."""
    others = [language(code) for code in LANGUAGES.names() if code != DEFAULT]
    heard = "\n".join(texts) if others else ""
    claims = {each.claims(heard): each for each in reversed(others)}
    surest = max(claims, default=0.0)
    return claims[surest] if surest >= _CLAIMED else language(DEFAULT)
